"""A second opinion on what a plan costs: budgets, noise and semantics of sotto release --check.

    release_account.py PROGRAM SEED COUNT

Random plans and the published budgets (typed here again from the published tables), all in exact
fractions; epsilons by a search of their own, variances by summing the series.  Prints one line per
disagreement and exits 1 if there is any.
"""
import itertools, json, math, os, random, subprocess, sys, tempfile
from fractions import Fraction as F

program, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
failures = 0
ATTRIBUTES = {"hhgq": 8, "votingage": 2, "hispanic": 2, "cenrace": 63}
EACH = ["hispanic", "votingage", "hhinstlevels", "hhgq", "votingage*hispanic"]
ORDER = ["total", "cenrace", "EACH", "hispanic*cenrace", "votingage*cenrace", "votingage*hispanic*cenrace", "detailed"]


def column(text):
    """total, cenrace, each of five, three products, detailed; - is not measured."""
    out = {}
    for name, part in zip(ORDER, text.split()):
        for q in EACH if name == "EACH" else [name]:
            if part != "-":
                out[q] = F(part)
    return out


COUNTY = "3126/4097 10/4097 10/4097 28/4097 28/4097 101/4097 754/4097"
BLOCK = "5/4097 9/4097 5/4097 21/4097 21/4097 71/4097 3945/4097"
PROFILES = {
    "pl94-us-persons": (F(542, 339) ** 2, 4099, {"US": 104, "State": 1440, "County": 447, "Tract": 687, "BG": 1256, "Block": 165}, {
        "US": "- 52/4097 26/4097 130/4097 130/4097 26/241 189/241",
        "State": "3773/4097 6/4097 6/4097 12/4097 12/4097 2/241 230/4097",
        "County": COUNTY,
        "Tract": "1567/4102 4/2051 5/4102 1933/4102 10/2051 67/4102 241/2051",
        "BG": "1705/4099 3/4099 3/4099 1055/4099 9/4099 24/4099 1288/4099",
        "Block": BLOCK}),
    "pl94-pr-persons": (F(542, 339) ** 2, 4099, {"State": 689, "County": 695, "Tract": 772, "BG": 1778, "Block": 165}, {
        "State": "- 11/108 11/108 53/513 53/513 56/513 25/342",
        "County": COUNTY,
        "Tract": "1467/4102 13/4102 1/586 866/2051 15/2051 50/2051 725/4102",
        "BG": "1876/4103 4/4103 4/4103 749/4103 10/4103 27/4103 1417/4103",
        "Block": BLOCK}),
}
UNITS = (F(3379, 12343) ** 2, {"US": F(1, 205), "State": F(1, 205), "County": F(7, 82), "Tract": F(364, 1025), "BG": F(1759, 4100), "Block": F(99, 820)})


def complain(text):
    global failures
    failures += 1
    print("# " + text)


def epsilon_of(rho, delta):
    """min over a > 1 of a rho + (a ln(1 - 1/a) - ln(a - 1) - ln delta)/(a - 1), not below 0."""
    def f(t):
        a = 1 + math.exp(t)
        return a * rho + (a * math.log1p(-1 / a) - t - math.log(delta)) / (a - 1)
    low, high = -30.0, 60.0
    for _ in range(300):
        one, two = low + (high - low) * 0.382, low + (high - low) * 0.618
        if f(one) < f(two):
            high = two
        else:
            low = one
    return max(f((low + high) / 2), 0.0)


def variance_of(model, scale):
    if model == "pure":
        a = math.exp(-1 / float(scale))
        return 2 * a / (1 - a) ** 2
    s, n = float(scale), int(40 * math.sqrt(float(scale))) + 40
    if s > 1000:
        return s
    w = [math.exp(-k * k / (2 * s)) for k in range(1, n)]
    return 2 * sum(k * k * x for k, x in enumerate(w, 1)) / (1 + 2 * sum(w))


def near(a, b, by=1e-9):
    return abs(a - b) <= by * max(abs(b), 1e-12)


def uses(query, attributes, groupings):
    """Attributes that a query keeps or groups."""
    if query == "total":
        return set()
    if query == "detailed":
        return set(attributes)
    return {groupings.get(part, part) for part in query.split("*")}


def check_rho(name, got, rho, delta, pure, published=False):
    """`got` has the budget exactly, and converted, rounded up; and is marked if an invariant tells it."""
    key = "epsilon_exact" if pure else "rho"
    if got.get("published_exactly", False) != published:
        complain(f"{name}: {got}, which invariants {'publish' if published else 'do not publish'}")
    if F(got[key]) != rho or (pure and not near(got["epsilon"], float(rho))):
        return complain(f"{name}: {key} {got[key]}, second opinion {rho}")
    if not pure:
        want = epsilon_of(float(rho), delta) if rho else 0.0
        loose = float(rho) + 2 * math.sqrt(float(rho) * math.log(1 / delta))
        if not near(got["epsilon"], want, 1e-8) or got["epsilon"] < want * (1 - 1e-12):
            complain(f"{name}: epsilon {got['epsilon']}, second opinion {want}")
        if not near(got["epsilon_bun_steinke"], loose):
            complain(f"{name}: Bun-Steinke {got['epsilon_bun_steinke']}, second opinion {loose}")


def compare(name, got, budget, levels, queries, attributes, groupings, cells, model, neighbours, delta, invariants=()):
    """levels: fraction by name, from the top; queries: by level, fraction by name; invariants: levels and queries."""
    pure = model == "pure"
    key = "epsilon" if pure else "rho"
    check_rho(name, got, budget, delta, pure)
    per_attribute = {a: F(0) for a in attributes}
    measured = F(0)
    for level, share in levels.items():
        for query, part in queries.get(level, {}).items():
            rho = budget * share * part
            if rho == 0:
                continue
            measured += rho
            here = got["levels"][level]["queries"][query]
            scale = (1 / rho if neighbours == "replace-one" else 1 / (2 * rho)) if not pure else \
                    (2 / rho if neighbours == "replace-one" else 1 / rho)
            word = "scale" if pure else "sigma2"
            if F(here[key]) != rho or F(here["fraction"]) != part or F(here[word]) != scale:
                complain(f"{name}: {level} {query}: {here[key]} {here[word]}, second opinion {rho} {scale}")
            if not near(here[word + "_decimal"], float(scale)) or not near(here["variance"], variance_of(model, scale)):
                complain(f"{name}: {level} {query}: variance {here['variance']}, second opinion {variance_of(model, scale)}")
            if here["cells"] != cells(query):
                complain(f"{name}: {level} {query} has {here['cells']} cells, second opinion {cells(query)}")
            for a in uses(query, attributes, groupings):
                per_attribute[a] += rho
        if F(got["levels"][level]["fraction"]) != share or F(got["levels"][level][key]) != budget * share:
            complain(f"{name}: {level}: {got['levels'][level]['fraction']}")
    if measured != budget:
        complain(f"{name}: what is measured costs {measured}, not {budget}")
    for a, rho in per_attribute.items():
        check_rho(f"{name}: attribute {a}", got["semantics"]["attribute"][a], rho, delta, pure,
                  any(a in uses(q, attributes, groupings) for _, q in invariants))
    for i, level in enumerate(levels):
        below = budget * sum(list(levels.values())[i + 1:])
        check_rho(f"{name}: geography {level}", got["semantics"]["geography"][level], below, delta, pure,
                  any(list(levels).index(l) > i for l, _ in invariants))


def ask(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan.yaml")
        with open(path, "w") as f:
            f.write(text)
        r = subprocess.run([program, "release", path, "--check", "--format", "json"], capture_output=True, text=True)
    if r.returncode:
        complain(f"status {r.returncode}: {r.stderr.strip()}\n{text}")
        return None
    return json.loads(r.stdout)


def check_profiles():
    sizes = dict(ATTRIBUTES, hhinstlevels=3)
    cells = lambda q: 1 if q == "total" else 2016 if q == "detailed" else math.prod(sizes[p] for p in q.split("*"))
    for name, (rho, whole, levels, columns) in PROFILES.items():
        compare(name, ask(f"profile: {name}\n"), rho, {l: F(n, whole) for l, n in levels.items()},
                {l: column(c) for l, c in columns.items()}, list(ATTRIBUTES), {"hhinstlevels": "hhgq"}, cells,
                "zcdp", "replace-one", 1e-10, [("State", "total")])
    got = ask("profile: pl94-us-units\n")
    attribute = list(got["semantics"]["attribute"])
    compare("pl94-us-units", got, UNITS[0], UNITS[1], {l: {"detailed": F(1)} for l in UNITS[1]}, attribute, {},
            lambda q: 2, "zcdp", "replace-one", 1e-10, [("Block", "total")])


def shares(n, zeros):
    parts = [rng.randint(1, 30) for _ in range(n)]
    for i in range(n):
        if zeros and n > 1 and rng.random() < 0.2 and sum(p > 0 for p in parts) > 1:
            parts[i] = 0
    return [F(p, sum(parts)) for p in parts]


def random_plan():
    sizes = {f"a{i}": rng.randint(1, 4) for i in range(rng.randint(1, 4))}
    names = list(sizes)
    groupings, parts = {}, dict(sizes)
    lines = []
    for a in names:
        if sizes[a] > 2 and rng.random() < 0.5:
            groupings["g" + a] = a
            parts["g" + a] = 2
            lines.append(f"g{a}: {{{a}: [['c0'], [{', '.join(repr(f'c{i}') for i in range(1, sizes[a]))}]]}}")
    candidates = ["total", "detailed"]
    for r in range(1, len(names)):
        candidates += ["*".join(c) for c in itertools.combinations(names, r)]
    for g, a in groupings.items():
        candidates += [g] + [g + "*" + b for b in names if b != a]
    model, neighbours = rng.choice(["zcdp", "pure"]), rng.choice(["replace-one", "add-remove"])
    budget, delta = F(rng.randint(1, 400), rng.choice([1, 7, 100])), rng.choice(["1e-10", "1e-6"])
    level_names = ["Top"] + [f"L{i}" for i in range(rng.randint(1, 4))]
    levels = dict(zip(level_names, shares(len(level_names), True)))
    queries = {}
    for l in level_names:
        chosen = rng.sample(candidates, rng.randint(1, min(5, len(candidates))))
        queries[l] = dict(zip(chosen, shares(len(chosen), True)))
    show = lambda d: "{" + ", ".join(f"'{k}': {v}" for k, v in d.items()) + "}"
    text = "hierarchy: [{level: Top}" + "".join(f", {{level: {l}, column: {l}}}" for l in level_names[1:]) + "]\n"
    text += "attributes: [" + ", ".join(f"{{name: {a}, categories: [{', '.join(f'c{i}' for i in range(n))}]}}" for a, n in sizes.items()) + "]\n"
    text += "queries: {" + ", ".join(lines) + "}\n" if lines else ""
    word = "rho" if model == "zcdp" else "epsilon"
    text += f"privacy: {{model: {model}, {word}: {budget}, {'delta: ' + delta + ', ' if model == 'zcdp' else ''}neighbours: {neighbours}}}\n"
    text += f"budget: {{levels: {show(levels)}, queries: {{" + ", ".join(f"{l}: {show(q)}" for l, q in queries.items()) + "}}\n"
    cells = lambda q: 1 if q == "total" else math.prod(sizes.values()) if q == "detailed" else math.prod(parts[p] for p in q.split("*"))
    invariants = []
    if rng.random() < 0.5:
        query = rng.choice(candidates)
        invariants = [(rng.choice(level_names) if cells(query) <= 12 else level_names[-1], query)]
        (level, query), = invariants
        text += f"invariants: [{{level: {level}, query: '{query}'}}]\nacknowledge_invariants: true\n"
    got = ask(text)
    if got:
        compare(text, got, budget, levels, queries, names, groupings, cells, model, neighbours, float(delta), invariants)


check_profiles()
for _ in range(count):
    random_plan()
sys.exit(1 if failures else 0)
