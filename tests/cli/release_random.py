"""Releases of random plans on random small trees, judged with no tolerance.

    release_random.py PROGRAM SEED COUNT [LIBDUCKDB]

Whether the constraints can hold is decided here by a flow; the program must agree (status 0 or 3).
A refusal leaves no output.  What is released must be whole, not negative, add up over all levels and
tables, keep invariants, bounds and zeros, and be what the microdata say; a run on two threads gives
the same bytes.  Parquet is read back by DuckDB.  Prints one line per fault, with the seed that
shows it, and exits 1 if there is any.
"""
import collections, csv, ctypes, itertools, json, math, os, random, shutil, subprocess, sys, tempfile
from fractions import Fraction as F

program, first_seed, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
duckdb = ctypes.CDLL(os.path.abspath(sys.argv[4])) if len(sys.argv) > 4 and os.path.exists(sys.argv[4]) else None
UNLIMITED = 1 << 50
failures = 0
outcomes = collections.Counter()


class Fault(Exception):
    pass


def demand(right, text):
    if not right:
        raise Fault(text)


# ---- a random world ---------------------------------------------------------------------------------


class World:
    """Levels, leaves, attributes, people, and what a plan says about them."""

    def __init__(self, seed):
        self.rng = r = random.Random(seed)
        self.depth = r.randint(1, 4)
        self.levels = ["Top"] + [f"L{i}" for i in range(1, self.depth + 1)]
        self.leaves = []
        self.grow((), 4 if self.depth < 4 else 3)
        self.sizes = {f"a{i}": r.randint(1, 4) for i in range(r.randint(1, 3))}
        self.attributes = list(self.sizes)
        self.groupings = {}  # name: (attribute, groups of categories)
        for a, n in self.sizes.items():
            if n > 1 and r.random() < 0.5:
                cut = r.randint(1, n - 1)
                order = r.sample(range(n), n)
                self.groupings["g" + a] = (a, [sorted(order[:cut]), sorted(order[cut:])])
        self.cells = list(itertools.product(*[range(n) for n in self.sizes.values()]))
        self.zeros = self.choose_zeros()
        possible = [c for c in self.cells if not self.is_zero(c)]
        self.people = collections.Counter()
        mean = r.choice([0.3, 5, 40])
        for leaf in self.leaves:
            if possible and r.random() < 0.9:
                few = r.sample(possible, r.randint(1, len(possible)))
                for _ in range(int(r.expovariate(1 / mean))):
                    self.people[leaf, r.choice(few)] += 1
        if r.random() < 0.05 and self.people:
            self.people[r.choice(list(self.people))] += 3_000_000_000

    def grow(self, path, widest):
        if len(path) == self.depth:
            self.leaves.append(path)
            return
        for i in range(self.rng.choice([1, 1] + list(range(1, widest + 1)))):
            self.grow(path + (f"n{i}",), widest)

    def choose_zeros(self):
        r, out = self.rng, []
        if len(self.cells) > 3 and r.random() < 0.4:
            for _ in range(r.randint(1, 2)):
                named = r.sample(self.attributes, r.randint(1, min(2, len(self.attributes))))
                out.append({a: r.randrange(self.sizes[a]) for a in named})
        if all(any(all(c[self.attributes.index(a)] == v for a, v in z.items()) for z in out) for c in self.cells):
            return []
        return out

    def is_zero(self, cell):
        return any(all(cell[self.attributes.index(a)] == v for a, v in z.items()) for z in self.zeros)

    def nodes(self, level):
        return list(dict.fromkeys(leaf[:level] for leaf in self.leaves))

    def parts_of(self, query):
        """Of each factor of a query: (attribute, groups)."""
        if query == "total":
            return []
        if query == "detailed":
            return [(a, [[k] for k in range(n)]) for a, n in self.sizes.items()]
        return [self.groupings.get(f) or (f, [[k] for k in range(self.sizes[f])]) for f in query.split("*")]

    def key(self, query, cell):
        return tuple(next(i for i, g in enumerate(groups) if cell[self.attributes.index(a)] in g)
                     for a, groups in self.parts_of(query))

    def keys(self, query):
        return list(itertools.product(*[range(len(g)) for _, g in self.parts_of(query)]))

    def candidates(self):
        out = ["total", "detailed"] + self.attributes + list(self.groupings)
        for a, b in itertools.combinations(self.attributes, 2):
            out.append(f"{a}*{b}")
        for g, (a, _) in self.groupings.items():
            out += [f"{g}*{b}" for b in self.attributes if b != a]
        return list(dict.fromkeys(out))

    def truth(self, query, nodes):
        out = collections.Counter()
        for (leaf, cell), n in self.people.items():
            if any(leaf[:len(v)] == v for v in nodes):
                out[self.key(query, cell)] += n
        return out


# ---- constraints -------------------------------------------------------------------------------------


class Constraint:
    """Of one list of nodes (a union, if several) and one cell of a query: low <= number <= high."""

    def __init__(self, nodes, query, key, low, high):
        self.nodes, self.query, self.key, self.low, self.high = nodes, query, key, low, high


def write_table(w, name, level, query, columns, rows):
    """rows: (node, key) -> values; a group is named by one of its categories."""
    with open(name, "w") as f:
        out = csv.writer(f)
        out.writerow(w.levels[1:level + 1] + [a for a, _ in w.parts_of(query)] + columns)
        for (node, key), values in rows.items():
            out.writerow(list(node) + [f"c{w.rng.choice(g[k])}" for (_, g), k in zip(w.parts_of(query), key)] + list(values))


def random_constraints(w):
    """The plan's lines, and the list that must hold."""
    r = w.rng
    invariants, bounds, held = [], [], []
    other = [q for q in w.candidates() if q != "total" and 1 < len(w.keys(q)) <= 12]
    query_of_groups = r.choice(other) if other and r.random() < 0.7 else None
    odd = r.random() < 0.3  # tables that may contradict
    tables = 0
    for _ in range(r.choice([0, 1, 1, 2, 3])):
        level = r.randint(0, w.depth)
        query = query_of_groups if query_of_groups and r.random() < 0.5 else "total"
        nodes = w.nodes(level)
        kind = r.choice(["data", "data", "values", "union"])
        if kind == "union" and level > 0 and query == "total":
            union = random_union(w, level)
            if union and not any(len(c.nodes) > 1 and c.nodes[0][:-1] == union[0][:-1] for c in held):
                invariants.append(f"{{level: {w.levels[level]}, query: total, nodes: [{', '.join('/'.join(v) for v in union)}]}}")
                n = w.truth("total", union)[()]
                held.append(Constraint(union, "total", (), n, n))
        elif kind == "values" and level > 0:
            rows = {}
            for v in nodes:
                true = w.truth(query, [v])
                if query == "total" and r.random() < 0.3:
                    continue
                for key in w.keys(query):
                    n = true[key] + (r.choice([-1, 1, 2]) if odd and r.random() < 0.15 else 0)
                    rows[v, key] = (max(n, 0),)
                    held.append(Constraint([v], query, key, max(n, 0), max(n, 0)))
            tables += 1
            write_table(w, f"t{tables}.csv", level, query, ["value"], rows)
            invariants.append(f"{{level: {w.levels[level]}, query: '{query}', values: t{tables}.csv}}")
        elif kind == "data":
            invariants.append(f"{{level: {w.levels[level]}, query: '{query}'}}")
            for v in nodes:
                true = w.truth(query, [v])
                held += [Constraint([v], query, key, true[key], true[key]) for key in w.keys(query)]
    for _ in range(r.choice([0, 0, 1, 1, 2])):
        level = r.randint(1, w.depth)
        query = query_of_groups if query_of_groups and r.random() < 0.8 else "total"
        factor, rows = r.choice([1, 2, 99999]), {}
        for v in w.nodes(level):
            true = w.truth(query, [v])
            for key in w.keys(query):
                n = true[key]
                low = r.randint(0, n) if r.random() < 0.6 else n if r.random() < 0.3 else 0
                high = -(-n // factor) + r.choice([0, 0, 1, 5])
                if odd and r.random() < 0.1:
                    low, high = r.choice([(n + 1, high + 1), (0, max(high - 1, 0)), (high * factor + 1, high)])
                rows[v, key] = (low, high)
                held.append(Constraint([v], query, key, low, high * factor))
        tables += 1
        write_table(w, f"t{tables}.csv", level, query, ["lo", "hi"], rows)
        bounds.append(f"{{level: {w.levels[level]}, query: '{query}', lower: lo, upper: {factor}*hi, table: t{tables}.csv}}")
    return invariants, bounds, held


def random_union(w, level):
    families = collections.defaultdict(list)
    for v in w.nodes(level):
        families[v[:-1]].append(v)
    wide = [f for f in families.values() if len(f) > 2]
    if not wide:
        return None
    family = w.rng.choice(wide)
    start = w.rng.randrange(len(family) - 1)
    return family[start:start + w.rng.randint(2, len(family) - 1)]


# ---- can they hold? -----------------------------------------------------------------------------------


class Flow:
    """A circulation with lower and upper bounds, by augmenting paths."""

    def __init__(self):
        self.edges, self.out, self.debt = [], collections.defaultdict(list), collections.Counter()

    def add(self, a, b, low, high):
        if low > high:
            self.impossible = True
            return
        self.push(a, b, high - low)
        self.debt[b] += low
        self.debt[a] -= low

    impossible = False

    def push(self, a, b, room):
        self.out[a].append(len(self.edges))
        self.edges.append([b, room])
        self.out[b].append(len(self.edges))
        self.edges.append([a, 0])

    def is_possible(self):
        if self.impossible:
            return False
        need = 0
        for v, d in list(self.debt.items()):
            if d > 0:
                self.push("from", v, d)
                need += d
            elif d < 0:
                self.push(v, "to", -d)
        while True:
            came, queue = {"from": None}, collections.deque(["from"])
            while queue and "to" not in came:
                v = queue.popleft()
                for e in self.out[v]:
                    if self.edges[e][1] > 0 and self.edges[e][0] not in came:
                        came[self.edges[e][0]] = e
                        queue.append(self.edges[e][0])
            if "to" not in came:
                return need == 0
            path, v = [], "to"
            while came[v] is not None:
                path.append(came[v])
                v = self.edges[came[v] ^ 1][0]
            least = min(self.edges[e][1] for e in path)
            for e in path:
                self.edges[e][1] -= least
                self.edges[e ^ 1][1] += least
            need -= least


def can_hold(w, held):
    """Totals up one tree, cells of the other query down another: two laminar families."""
    query = next((c.query for c in held if c.query != "total"), "total")
    keys = w.keys(query)
    dead = {k for k in keys if all(w.is_zero(c) or w.key(query, c) != k for c in w.cells)}
    low, high = collections.Counter(), {}
    unions = [c for c in held if len(c.nodes) > 1]

    def name(c):
        return tuple(c.nodes) if len(c.nodes) > 1 else c.nodes[0]
    for c in held:
        at = (name(c), c.key if c.query != "total" else None)
        low[at] = max(low[at], c.low)
        high[at] = min(high.get(at, UNLIMITED), c.high)
    f = Flow()

    def box(v, k):
        return low[v, k], 0 if k in dead else high.get((v, k), UNLIMITED)
    for level in range(w.depth + 1):
        for v in w.nodes(level):
            for k in keys:
                f.add((v[:-1], k) if level else "ring", (v, k), *box(v, k if query != "total" else None))
                if level == w.depth:
                    f.add((v, k), ("sum", v), 0, UNLIMITED)
            above = ("sum", v[:-1]) if level else "ring"
            for u in unions:
                if v in u.nodes:
                    above = ("union", tuple(u.nodes))
            f.add(("sum", v), above, *box(v, None))
    for u in {tuple(u.nodes) for u in unions}:
        f.add(("union", u), ("sum", u[0][:-1]), *box(u, None))
    return f.is_possible()


# ---- the plan ------------------------------------------------------------------------------------------


def shares(r, n):
    parts = [r.randint(1, 9) for _ in range(n)]
    for i in range(n):
        if r.random() < 0.15 and sum(p > 0 for p in parts) > 1:
            parts[i] = 0
    return [F(p, sum(parts)) for p in parts]


def random_plan(w):
    r = w.rng
    held, invariants, bounds = [], [], []
    mode = r.choice(["gls", "gls", "topdown", "topdown", "naive"])
    if mode != "naive":
        invariants, bounds, held = random_constraints(w)
    neighbours, pure = r.choice(["replace-one", "add-remove"]), r.random() < 0.4
    lines = ["input: {counts: counts.csv, count_column: n}" if r.random() < 0.4 or w.people.total() > 10**6 else "input: {microdata: people.csv}",
             "nodes: nodes.csv",
             "hierarchy: [{level: Top}" + "".join(f", {{level: {l}, column: {l}}}" for l in w.levels[1:]) + "]",
             "attributes: [" + ", ".join(f"{{name: {a}, categories: [{', '.join(f'c{k}' for k in range(n))}]}}" for a, n in w.sizes.items()) + "]"]
    if w.groupings:
        lines.append("queries: {" + ", ".join(
            f"{g}: {{{a}: [{', '.join('[' + ', '.join(f'c{k}' for k in part) + ']' for part in groups)}]}}"
            for g, (a, groups) in w.groupings.items()) + "}")
    size = r.choice(["1/1000000", "1/50", "1", "1", "20", "100000000"])
    lines.append(f"privacy: {{model: {'pure, epsilon' if pure else 'zcdp, rho'}: {size}, neighbours: {neighbours}}}")
    budget = dict(zip(w.levels, shares(r, len(w.levels))))
    queries = {}
    for l in w.levels:
        chosen = r.sample(w.candidates(), r.randint(1, min(4, len(w.candidates()))))
        queries[l] = dict(zip(chosen, shares(r, len(chosen))))
    show = lambda d: "{" + ", ".join(f"'{k}': {v}" for k, v in d.items()) + "}"
    lines.append(f"budget: {{levels: {show(budget)}, queries: {{" + ", ".join(f"{l}: {show(q)}" for l, q in queries.items()) + "}}")
    if invariants:
        lines.append("invariants: [" + ", ".join(invariants) + "]")
        if neighbours == "add-remove":
            lines.append("acknowledge_invariants: true")
    if bounds:
        lines.append("bounds: [" + ", ".join(bounds) + "]")
    if w.zeros:
        lines.append("structural_zeros: [" + ", ".join("{" + ", ".join(f"{a}: c{v}" for a, v in z.items()) + "}" for z in w.zeros) + "]")
    lines.append(f"estimate: {{mode: {mode}, up_levels: {r.choice(['auto', 'all', 'inner'])}, rounding: {r.choice(['l1', 'l1', 'unbiased', 'fast'])}, "
                 f"bypass: {r.choice(['true', 'false'])}, tol_slack: {r.choice(['0', '0', '0.1'])}}}")
    tables = ["detailed"] + r.sample([q for q in w.candidates() if q != "detailed"], r.randint(0, min(3, len(w.candidates()) - 1)))
    kind = "parquet" if duckdb and r.random() < 0.2 else "csv"
    more = r.choice(["", ", intervals: 0.9", ", linear_estimates: true"])
    if mode != "naive" and w.people.total() < 10**6 and r.random() < 0.6 and size != "1/1000000":
        more += f", microdata: people_dp.{kind}"
    lines.append(f"output: {{dir: out, tables: [{', '.join(repr(t) for t in tables)}]{more}, format: {kind}}}")
    return lines, mode, held, tables, kind, "microdata" in more


# ---- what came out ----------------------------------------------------------------------------------------


def read(name):
    """The rows of a table; Parquet by DuckDB."""
    if name.endswith(".parquet"):
        copy = name + ".csv"
        run_sql(f"COPY (SELECT * FROM '{name}') TO '{copy}' (HEADER)")
        name = copy
    with open(name) as f:
        return list(csv.DictReader(f))


def run_sql(text):
    db, connection = ctypes.c_void_p(), ctypes.c_void_p()
    demand(duckdb.duckdb_open(None, ctypes.byref(db)) == 0, "DuckDB does not open")
    duckdb.duckdb_connect(db, ctypes.byref(connection))
    state = duckdb.duckdb_query(connection, text.encode(), None)
    duckdb.duckdb_disconnect(ctypes.byref(connection))
    duckdb.duckdb_close(ctypes.byref(db))
    demand(state == 0, f"DuckDB cannot read: {text}")


def key_of_row(w, query, row):
    out = []
    for a, groups in w.parts_of(query):
        out.append(next(i for i, g in enumerate(groups) if "|".join(f"c{k}" for k in g) == row[a]))
    return tuple(out)


def check_release(w, mode, held, tables, kind, microdata):
    cells = []
    for level, name in enumerate(w.levels):
        here = {}
        for row in read(f"out/{name}.detailed.{kind}"):
            demand(row["value"] or mode == "naive", f"{name}: a cell without a number")  # naive: not measured
            here[tuple(row[l] for l in w.levels[1:level + 1]), key_of_row(w, "detailed", row)] = int(row["value"] or 0)
        demand(len(here) == len(w.nodes(level)) * len(w.cells), f"{name}: {len(here)} rows")
        cells.append(here)
    if mode == "naive":
        return
    demand(all(n >= 0 for here in cells for n in here.values()), "a negative count")
    for level in range(w.depth):
        sums = collections.Counter()
        for (v, cell), n in cells[level + 1].items():
            sums[v[:-1], cell] += n
        demand(all(sums[at] == n for at, n in cells[level].items()), f"{w.levels[level]} is not the sum of its children")
    for table in tables:
        for level, name in enumerate(w.levels):
            sums = collections.Counter()
            for (v, cell), n in cells[level].items():
                sums[v, w.key(table, cell)] += n
            for row in read(f"out/{name}.{table.replace('*', '-')}.{kind}"):
                at = tuple(row[l] for l in w.levels[1:level + 1]), key_of_row(w, table, row)
                demand(sums[at] == int(row["value"]), f"{name}.{table}: {at}")
                if row.get("lo"):  # not there, or empty where nothing determines the number
                    demand(float(row["lo"]) <= float(row["hi"]), f"{name}.{table}: lo above hi")
    demand(all(n == 0 for here in cells for (_, c), n in here.items() if w.is_zero(c)), "a structural zero")
    for c in held:
        n = sum(n for (v, cell), n in cells[len(c.nodes[0])].items() if v in c.nodes and w.key(c.query, cell) == c.key)
        demand(c.low <= n <= c.high, f"{c.nodes} {c.query} {c.key}: {n} is not in {c.low}..{c.high}")
    if microdata:
        people = collections.Counter()
        for row in read(f"out/people_dp.{kind}"):
            people[tuple(row[l] for l in w.levels[1:]), tuple(int(row[a][1:]) for a in w.attributes)] += 1
        demand(people == +collections.Counter(cells[-1]), "the microdata are not the table")


def write_inputs(w):
    names = w.levels[1:] + w.attributes
    with open("nodes.csv", "w") as f:
        csv.writer(f).writerows([w.levels[1:]] + [list(v) for v in w.leaves])
    rows = [(list(v) + [f"c{k}" for k in cell], n) for (v, cell), n in w.people.items()]
    with open("counts.csv", "w") as f:
        csv.writer(f).writerows([names + ["n"]] + [row + [n] for row, n in rows])
    if w.people.total() < 10**6:
        with open("people.csv", "w") as f:
            csv.writer(f).writerows([names] + [row for row, n in rows for _ in range(n)])


def release(threads):
    r = subprocess.run([program, "release", "plan.yaml", "--test-seed", "1", "--threads", str(threads)], capture_output=True, text=True)
    return r.returncode, r.stderr.strip()


def same_files(a, b):
    names = sorted(n for n in os.listdir(a) if not n.endswith(".parquet.csv"))
    return names == sorted(os.listdir(b)) and all(
        open(f"{a}/{n}", "rb").read() == open(f"{b}/{n}", "rb").read() for n in names)


def try_seed(seed):
    w = World(seed)
    lines, mode, held, tables, kind, microdata = random_plan(w)
    write_inputs(w)
    with open("plan.yaml", "w") as f:
        f.write("\n".join(lines) + "\n")
    possible = can_hold(w, held)
    status, said = release(1)
    outcomes["released" if status == 0 else "infeasible" if status == 3 else said[:60]] += 1
    demand(status == (0 if possible else 3), f"status {status}, {'possible' if possible else 'impossible'}: {said}")
    if status != 0:
        demand(not os.path.exists("out"), "a refusal left an output")
        return
    check_release(w, mode, held, tables, kind, microdata)
    if w.rng.random() < 0.2:
        os.rename("out", "first")
        status, said = release(2)
        demand(status == 0 and same_files("first", "out"), f"two threads give other bytes: {said}")


for seed in range(first_seed, first_seed + count):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            try_seed(seed)
        except Fault as fault:
            failures += 1
            print(f"# seed {seed}: {fault}")
            if os.environ.get("KEEP"):
                shutil.copytree(folder, f"{os.environ['KEEP']}/{seed}", dirs_exist_ok=True)
        os.chdir("/")
print("# " + ", ".join(f"{n} {what}" for what, n in outcomes.most_common()))
sys.exit(1 if failures else 0)
