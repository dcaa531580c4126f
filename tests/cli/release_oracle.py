"""Second opinions on sotto release: dense least squares, brute force, all in exact fractions.

    release_oracle.py PROGRAM estimate|topdown|bounds|variance|round|list|convert SEED COUNT

Prints one line per disagreement and exits 1 if there is any.
"""
import itertools, json, random, subprocess, sys
from fractions import Fraction as F

program, what, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
failures = 0


def ask(option, value, *more):
    r = subprocess.run([program, "release", option, "-", "--exact", *more], input=json.dumps(value),
                       capture_output=True, text=True)
    return r.returncode, json.loads(r.stdout) if r.returncode == 0 else r.stderr


def complain(text, value):
    global failures
    failures += 1
    print("# " + text)
    print("# " + json.dumps(value))


def solve(a, b):
    """One solution of a x = b (free unknowns 0) and the null space's dimension, or None."""
    n, m = len(a), len(a[0])
    rows = [list(r) + [v] for r, v in zip(a, b)]
    pivots, r = [], 0
    for c in range(m):
        p = next((i for i in range(r, n) if rows[i][c] != 0), None)
        if p is None:
            continue
        rows[r], rows[p] = rows[p], rows[r]
        rows[r] = [v / rows[r][c] for v in rows[r]]
        for i in range(n):
            if i != r and rows[i][c] != 0:
                f = rows[i][c]
                rows[i] = [v - f * w for v, w in zip(rows[i], rows[r])]
        pivots.append(c)
        r += 1
    if any(row[m] != 0 for row in rows[r:]):
        return None
    x = [F(0)] * m
    for i, c in enumerate(pivots):
        x[c] = rows[i][m]
    return x


def number():
    return F(rng.randint(-20, 40), rng.choice([1, 1, 2, 3]))


def random_tree(depth, name="n"):
    node = {"name": name}
    kind = rng.random()
    if kind < 0.15:
        pass  # not measured
    else:
        node["value"] = str(number())
        node["variance"] = str(F(rng.randint(1, 12), rng.choice([1, 2, 5])))
    if depth > 0 and rng.random() < 0.85:
        node["children"] = [random_tree(depth - 1, f"c{i}") for i in range(rng.randint(1, 4))]
    return node


def paths(node, path=None, out=None):
    """Every node as (path, node, leaves below), parents first."""
    out = [] if out is None else out
    entry = [path or "/", node, []]
    out.append(entry)
    for c in node.get("children", []):
        below = paths(c, c["name"] if path is None else f"{path}/{c['name']}", out)
        entry[2] += below
    if not node.get("children"):
        entry[2] = [path or "/"]
    return entry[2] if path is not None or out[0] is not entry else out


def dense(nodes):
    """Least squares over the leaves with invariants as equations: any functional's estimate
    and variance (None: not determined)."""
    leaves = nodes[0][2]
    at = {p: i for i, p in enumerate(leaves)}
    n = len(leaves)
    rows = [[F(int(leaf in set(entry[2]))) for leaf in leaves] for entry in nodes]
    normal = [[F(0)] * n for _ in range(n)]
    right = [F(0)] * n
    equations, values = [], []
    for row, (_, node, _) in zip(rows, nodes):
        if node.get("variance") is None:
            continue
        y, s = F(node["value"]), F(node["variance"])
        if s == 0:
            equations.append(row)
            values.append(y)
            continue
        for i in range(n):
            if row[i]:
                right[i] += y / s
                for j in range(n):
                    normal[i][j] += row[j] / s
    k = len(equations)
    big = [normal[i] + [e[i] for e in equations] for i in range(n)] + [e + [F(0)] * k for e in equations]
    x = solve(big, right + values)
    out = []
    for row in rows:
        if x is None:
            return None
        w = solve(big, row + [F(0)] * k)
        if w is None:
            out.append((None, None))
        else:
            out.append((sum(a * b for a, b in zip(row, x)), sum(a * b for a, b in zip(row, w))))
    def covariance(i, j):
        w = solve(big, rows[j] + [F(0)] * k)
        return None if w is None else sum(a * b for a, b in zip(rows[i], w))
    def total(indices):
        """Estimate and variance of the sum of disjoint nodes."""
        row = [sum(c) for c in zip(*[rows[i] for i in indices])]
        w = solve(big, row + [F(0)] * k)
        if w is None:
            return None, None
        return sum(a * b for a, b in zip(row, x)), sum(a * b for a, b in zip(row, w))
    return out, covariance, total


def random_unions(names):
    """Lists of nodes none of which lies in another; often all children of one node but some."""
    unions = []
    for _ in range(4):
        parent = rng.choice(names)
        near = [p for p in names if p != "/" and (p.rsplit("/", 1)[0] if "/" in p else "/") == parent]
        chosen = [p for p in near if rng.random() < 0.8] + rng.sample(names, min(len(names), rng.randint(0, 2)))
        kept = []
        for p in sorted(set(chosen), key=len):
            if p != "/" and not any(p == q or p.startswith(q + "/") for q in kept):
                kept.append(p)
        unions.append(kept or ["/"])
    return unions


def fix_some(nodes):
    """Turns a few nodes into invariants that fit a random truth."""
    truth = {p: rng.randint(0, 9) for p in nodes[0][2]}
    for _, node, leaves in nodes:
        if rng.random() < 0.15:
            node["value"], node["variance"] = sum(truth[p] for p in leaves), 0


def test_estimate():
    tree = random_tree(rng.choice([1, 2, 3, 4]))
    nodes = paths(tree)
    if rng.random() < 0.6:
        fix_some(nodes)
    names = [p for p, _, _ in nodes]
    pairs = [[rng.choice(names), rng.choice(names)] for _ in range(4)]
    unions = random_unions(names)
    value = {"mode": "gls", "tree": tree, "covariances": pairs, "unions": unions}
    status, got = ask("--estimate", value)
    answer = dense(nodes)
    assert answer is not None
    want, covariance, total = answer
    if want[0][1] is None:
        if status != 2:
            complain("an undetermined root was estimated", value)
        return
    if status != 0:
        return complain(f"status {status}: {got}", value)
    by = {n["path"]: n for n in got["nodes"]}
    for (p, _, _), (x, v) in zip(nodes, want):
        n = by[p]
        if (n["variance"] is None) != (v is None) or (v is not None and (F(n["variance"]) != v or F(n["estimate"]) != x)):
            return complain(f"{p}: {n['estimate']} {n['variance']}, dense {x} {v}", value)
    for (a, b), c in zip(pairs, got["covariances"]):
        w = covariance(names.index(a), names.index(b))
        if want[names.index(a)][1] is None or want[names.index(b)][1] is None:
            continue
        if F(c) != w:
            return complain(f"covariance of {a} and {b}: {c}, dense {w}", value)
    for union, u in zip(unions, got["unions"]):
        x, v = total([names.index(p) for p in union])
        if (u["variance"] is None) != (v is None) or (v is not None and (F(u["variance"]) != v or F(u["estimate"]) != x)):
            return complain(f"union {union}: {u}, dense {x} {v}", value)
    check_optimum(nodes, by, got, value)


def test_topdown():
    """Every estimate of the top-down algorithm as a linear function of all measurements: each
    parent's children come from a small least-squares problem in which the parent is fixed.  Variances
    and covariances follow from the coefficients; whole numbers are checked family by family."""
    tree = random_tree(rng.choice([1, 2, 3]))
    if "value" not in tree:
        tree["value"], tree["variance"] = str(number()), "3"
    nodes = paths(tree)
    if rng.random() < 0.3:
        fix_some(nodes)
    by = {p: n for p, n, _ in nodes}
    child_paths = {p: [c["name"] if p == "/" else f"{p}/{c['name']}" for c in n.get("children", [])] for p, n, _ in nodes}
    bypass = rng.random() < 0.5
    names = [p for p, _, _ in nodes]
    pairs = [[rng.choice(names), rng.choice(names)] for _ in range(4)]
    unions = random_unions(names)
    value = {"mode": "topdown", "bypass": bypass, "tree": tree, "covariances": pairs, "unions": unions}
    status, got = ask("--estimate", value)
    if status != 0:
        return complain(f"status {status}: {got}", value)

    def variance_of(p):
        v = by[p].get("variance")
        return None if v is None else F(v)

    # What each node is taken to have measured: coefficients of measurements, and their variance.
    def own(p):
        chain = [p]
        while bypass and len(child_paths[chain[-1]]) == 1:
            chain.append(child_paths[chain[-1]][0])
        fixed = [q for q in chain if variance_of(q) == 0]
        if fixed:
            return {fixed[0]: F(1)}, F(0)
        measured = [q for q in chain if variance_of(q) is not None]
        if not measured:
            return {}, None
        weight = sum(1 / variance_of(q) for q in measured)
        return {q: 1 / variance_of(q) / weight for q in measured}, 1 / weight

    # All children of a node fixed: so is the node.
    fixed_below = {}
    for p in reversed(names):
        cs = child_paths[p]
        if variance_of(p) == 0:
            fixed_below[p] = {p: F(1)}
        elif cs and all(fixed_below[c] is not None for c in cs):
            fixed_below[p] = {q: a for c in cs for q, a in fixed_below[c].items()}
        else:
            fixed_below[p] = None

    def taken(p):
        return (fixed_below[p], F(0)) if fixed_below[p] is not None else own(p)

    def combine(*parts):
        out = {}
        for factor, f in parts:
            for q, a in f.items():
                out[q] = out.get(q, F(0)) + factor * a
        return out
    coefficient, known = {}, {}
    coefficient["/"], s = taken("/")
    if s is None:
        return complain("an undetermined root was estimated", value)
    known["/"] = True
    for p in names:
        cs = child_paths[p]
        if not cs:
            continue
        y = {c: taken(c) for c in cs}
        missing = [c for c in cs if y[c][1] is None]
        if missing:
            rest = combine((F(1), coefficient[p]), *[(F(-1), y[c][0]) for c in cs if c not in missing])
            for c in cs:
                if c in missing:  # "?" is what nobody knows: how they share the rest
                    free = {"?" + c: F(1)} if c != missing[-1] else {"?" + d: F(-1) for d in missing[:-1]}
                    coefficient[c] = combine((F(1, len(missing)), rest), (F(1), free))
                    known[c] = known[p] and len(missing) == 1
                else:
                    coefficient[c], known[c] = y[c][0], True
            continue
        # minimise sum (x_c - y_c)^2/s_c with sum x_c = x_p by the normal equations, densely
        n = len(cs)
        free = [c for c in cs if y[c][1] > 0]
        if not free:
            for c in cs:
                coefficient[c], known[c] = y[c][0], True
            continue
        big = [[F(0)] * (len(free) + 1) for _ in range(len(free) + 1)]
        for i, c in enumerate(free):
            big[i][i] = 1 / y[c][1]
            big[i][-1] = big[-1][i] = F(1)
        columns = []
        for k in range(len(free) + 1):
            columns.append(solve(big, [F(int(k == i)) for i in range(len(free) + 1)]))
        fixed = [c for c in cs if y[c][1] == 0]
        whole = combine((F(1), coefficient[p]), *[(F(-1), y[c][0]) for c in fixed])
        for i, c in enumerate(free):
            parts = [(columns[k][i] / y[d][1], y[d][0]) for k, d in enumerate(free)]
            coefficient[c] = combine(*parts, (columns[-1][i], whole))
            known[c] = known[p]
        for c in fixed:
            coefficient[c], known[c] = y[c][0], True

    def estimate_of(p):
        return sum(a * F(by[q]["value"]) for q, a in coefficient[p].items() if q[0] != "?")

    def covariance_of(p, q):
        return sum(a * coefficient[q].get(m, F(0)) * variance_of(m) for m, a in coefficient[p].items() if m[0] != "?")
    have = {n["path"]: n for n in got["nodes"]}
    for p in names:
        n, v = have[p], covariance_of(p, p) if known[p] else None
        if F(n["estimate"]) != estimate_of(p) or (n["variance"] is None) != (v is None) or (v is not None and F(n["variance"]) != v):
            return complain(f"{p}: {n['estimate']} {n['variance']}, second opinion {estimate_of(p)} {v}", value)
    for (p, q), c in zip(pairs, got["covariances"]):
        if known[p] and known[q] and (c is None or F(c) != covariance_of(p, q)):
            return complain(f"covariance of {p} and {q}: {c}, second opinion {covariance_of(p, q)}", value)
    for union, u in zip(unions, got["unions"]):
        whole = combine(*[(F(1), coefficient[p]) for p in union])
        v = None if any(m[0] == "?" and a != 0 for m, a in whole.items()) else sum(
            a * a * variance_of(m) for m, a in whole.items() if m[0] != "?")
        if F(u["estimate"]) != sum(estimate_of(p) for p in union) or (u["variance"] is None) != (v is None) or (
                v is not None and F(u["variance"]) != v):
            return complain(f"union {union}: {u}, second opinion {v}", value)
    for what in ("nonnegative", "integer"):
        for p in names:
            cs = child_paths[p]
            x = {c: F(have[c][what]) for c in cs}
            if min(list(x.values()) + [F(have[p][what])]) < 0 or (cs and sum(x.values()) != F(have[p][what])):
                return complain(f"{p}: {what} does not add up or is negative", value)
            step = F(1) if what == "integer" else F(0)
            free = [c for c in cs if taken(c)[1] not in (None, 0) and fixed_below[c] is None]
            center = {c: sum(a * F(by[q]["value"]) for q, a in taken(c)[0].items()) for c in free}
            low = {c: sum(F(by[q]["value"]) for q in names if variance_of(q) == 0 and q != c and q.startswith(c + "/")
                          and not any(variance_of(r) == 0 and q.startswith(r + "/") and r.startswith(c + "/") for r in names))
                   for c in free}
            for i in free:
                for j in free:
                    if i == j or x[j] - step < low[j] or (what == "nonnegative" and x[j] <= low[j]):
                        continue
                    slope = (2 * (x[i] - center[i]) + step) / taken(i)[1] - (2 * (x[j] - center[j]) - step) / taken(j)[1]
                    if slope < 0:
                        return complain(f"{what}: moving from {j} to {i} is better", value)


def objective(nodes, x):
    return sum((x[p] - F(n["value"])) ** 2 / F(n["variance"]) for p, n, _ in nodes
               if n.get("variance") is not None and F(n["variance"]) > 0)


def check_optimum(nodes, by, got, value):
    """KKT by exchanges: on leaves, no direction e_i - e_j, e_i or -e_i has a negative slope."""
    x = {p: F(n["nonnegative"]) for p, n in by.items()}
    whole = {p: F(n["integer"]) for p, n in by.items()}
    for sol in (x, whole):
        for p, n, leaves in nodes:
            if sol[p] != sum(sol[q] for q in leaves) or sol[p] < 0:
                return complain(f"{p} is not the sum of its leaves, or negative", value)
            if n.get("variance") is not None and F(n["variance"]) == 0 and sol[p] != F(n["value"]):
                return complain(f"{p} is not its fixed value", value)
    if F(got["objective"]) != objective(nodes, x) or F(got["objective"]) > F(got["objective_parent_by_parent"]):
        return complain("the objective is not that of the optimum", value)
    leaves = nodes[0][2]
    fixed = [set(l) for _, n, l in nodes if n.get("variance") is not None and F(n["variance"]) == 0]
    moves = [((i,), ()) for i in leaves] + [((), (i,)) for i in leaves] + [((i,), (j,)) for i in leaves for j in leaves if i != j]
    for up, down in moves:
        if any((len(f & set(up)) - len(f & set(down))) != 0 for f in fixed):
            continue
        sign = {p: len(set(l) & set(up)) - len(set(l) & set(down)) for p, _, l in nodes}
        measured = [(p, F(n["value"]), F(n["variance"])) for p, n, _ in nodes
                    if n.get("variance") is not None and F(n["variance"]) > 0 and sign[p]]
        if all(x[p] > 0 for p in down) and sum(2 * (x[p] - y) * sign[p] / s for p, y, s in measured) < 0:
            return complain(f"moving {up} {down} lowers the objective", value)
        if all(whole[p] > 0 for p in down) and sum(((whole[p] + sign[p] - y) ** 2 - (whole[p] - y) ** 2) / s for p, y, s in measured) < 0:
            return complain(f"one whole step {up} {down} lowers the objective", value)


def test_round():
    rows, columns, d = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 6)
    half = rng.random() < 0.2
    a = [[F(rng.randint(0, 3 * d), d) if not half else F(rng.randint(0, 5), 2) for _ in range(columns)] for _ in range(rows)]
    for r in a:  # the last row and column make the sums whole
        r.append(-sum(r) % 1 + rng.randint(0, 1))
    a.append([-sum(c) % 1 for c in zip(*a)])
    status, got = ask("--round", {"cells": [[str(v) for v in r] for r in a]})
    if status != 0:
        return complain(f"status {status}: {got}", a and [[str(v) for v in r] for r in a])
    cells = got["cells"]
    sums = lambda t: ([sum(r) for r in t], [sum(c) for c in zip(*t)])
    l1 = sum(abs(x - w) for r, s in zip(cells, a) for x, w in zip(r, s))
    if sums(cells) != sums(a) or F(got["l1"]) != l1 or any(abs(x - w) >= 1 for r, s in zip(cells, a) for x, w in zip(r, s)):
        return complain("sums, bounds or l1 are wrong", [[str(v) for v in r] for r in a])
    best = best_rounding(a)
    if l1 != best:
        complain(f"l1 {l1}, best {best}", [[str(v) for v in r] for r in a])


def best_rounding(a):
    """All roundings row by row; the least l1 for each state of the columns' debts."""
    states = {tuple(sum(c) - sum(v // 1 for v in c) for c in zip(*a)): F(0)}
    for row in a:
        f = [v % 1 for v in row]
        free = [i for i, v in enumerate(f) if v]
        need = sum(f)
        after = {}
        for ups in itertools.combinations(free, int(need)):
            cost = sum(1 - v if i in ups else v for i, v in enumerate(f))
            for debt, so_far in states.items():
                left = tuple(d - (i in ups) for i, d in enumerate(debt))
                if min(left) >= 0 and so_far + cost < after.get(left, F(10**9)):
                    after[left] = so_far + cost
        states = after
    return states[tuple(0 for _ in a[0])]


def test_variance():
    k = rng.choice([1, 2, 2, 3])
    sizes = [rng.randint(1, 3) for _ in range(k)]
    names = "ABC"[:k]
    attributes = [{"name": n, "categories": c} for n, c in zip(names, sizes)]
    groupings = {}
    for i, n in enumerate(sizes):  # one attribute at most is grouped
        if n == 3 and not groupings and rng.random() < 0.6:
            alone = rng.randrange(3)
            groupings["g"] = {names[i]: [[alone], [c for c in range(3) if c != alone]]}
    grouped = names.index(list(groupings["g"])[0]) if groupings else 0
    single = groupings["g"][names[grouped]][0] if groupings else []
    candidates = ["total", "detailed"] + ["*".join(c) for r in range(1, k) for c in itertools.combinations(names, r)]
    if groupings:
        candidates += ["g"] + [f"g*{n}" for n in names if n != names[grouped]]
    levels = []
    for l in range(rng.choice([1, 2, 3])):
        qs = {q: str(F(rng.randint(1, 9), rng.choice([1, 2]))) for q in rng.sample(candidates, rng.randint(0, min(4, len(candidates))))}
        if rng.random() < 0.25:
            qs[rng.choice(["total"] + list(names[:1] if k > 1 else []))] = 0
        level = {"queries": qs}
        if l:
            level["children"] = rng.randint(1, 3)
        levels.append(level)
    value = {"attributes": attributes, "groupings": groupings, "levels": levels}
    status, got = ask("--variance", value)
    if status != 0:
        return complain(f"status {status}: {got}", value)
    cells = list(itertools.product(*[range(c) for c in sizes]))

    def key(q, cell):
        if q == "total":
            return ()
        if q in ("detailed", "cell"):
            return cell
        return tuple((0 if cell[grouped] in single else 1) if f == "g" else cell[names.index(f)] for f in q.split("*"))
    # nodes: one of each level down the first branch, all leaves as unknowns
    nodes = [[0]]
    spans = [(0, 1)]
    total_leaves = 1
    for level in levels[1:]:
        total_leaves *= level["children"]
    if total_leaves * len(cells) > 18:
        return
    def nodes_of(l):
        width = total_leaves
        for level in levels[1:l + 1]:
            width //= level["children"]
        return [range(i, i + width) for i in range(0, total_leaves, width)]
    n = total_leaves * len(cells)
    normal = [[F(0)] * n for _ in range(n)]
    equations = []
    for l, level in enumerate(levels):
        for node in nodes_of(l):
            for q, s in level["queries"].items():
                for answer in {key(q, c) for c in cells}:
                    idx = [leaf * len(cells) + i for leaf in node for i, c in enumerate(cells) if key(q, c) == answer]
                    if F(s) == 0:
                        equations.append([F(int(i in set(idx))) for i in range(n)])
                        continue
                    for i in idx:
                        for j in idx:
                            normal[i][j] += 1 / F(s)
    e = len(equations)
    big = [normal[i] + [q[i] for q in equations] for i in range(n)] + [q + [F(0)] * e for q in equations]
    for l in range(len(levels)):
        node = nodes_of(l)[0]
        for q, v in got["levels"][l].items():
            answers = sorted({key(q, c) for c in cells})
            want = []
            for answer in answers:
                idx = {leaf * len(cells) + i for leaf in node for i, c in enumerate(cells) if key(q, c) == answer}
                f = [F(int(i in idx)) for i in range(n)]
                w = solve(big, f + [F(0)] * e)
                want.append(None if w is None else sum(a * b for a, b in zip(f, w)))
            have = v if isinstance(v, list) else [v] * 1
            have = [None if h is None else F(h) for h in have]
            if len(have) == 1 and len(set(want)) == 1:
                ok = have[0] == want[0]
            else:
                ok = sorted(set(map(str, have))) == sorted(set(map(str, want)))
            if not ok:
                return complain(f"level {l}, {q}: {v}, dense {[str(w) for w in want]}", value)


def test_bounds():
    """Trees with bounds at any node.  Least squares knows nothing of them; what is not negative and what
    is whole keeps them, and no exchange between leaves, or step of one, that keeps them gains.  Where the sums
    of the children's ends show that nothing can hold, it is refused."""
    tree = random_tree(rng.choice([1, 2, 3]))
    tree.setdefault("value", str(number()))
    tree.setdefault("variance", "3")
    nodes = paths(tree)
    truth = {p: rng.randint(0, 9) for p in nodes[0][2]}
    odd = rng.random() < 0.2
    for _, node, leaves in nodes:
        n = sum(truth[p] for p in leaves)
        if rng.random() < 0.3:
            node["lower"] = max(n - rng.randint(0, 4), 0) if not odd or rng.random() < 0.8 else n + 1
        if rng.random() < 0.3:
            node["upper"] = n + rng.randint(0, 3) if not odd or rng.random() < 0.8 else max(n - 1, 0)
        if rng.random() < 0.1:
            node["value"], node["variance"] = n, 0
    low, high = {}, {}
    children = {p: [q for q, _, _ in nodes if q != "/" and (q.rsplit("/", 1)[0] if "/" in q else "/") == p] for p, _, _ in nodes}
    possible = True
    for p, node, _ in reversed(nodes):
        fixed = node.get("variance") is not None and F(node["variance"]) == 0
        own_low, own_high = F(node.get("lower", 0)), F(node.get("upper", 10**9))
        if fixed:
            own_low, own_high = max(own_low, F(node["value"])), min(own_high, F(node["value"]))
        low[p] = max(own_low, sum(low[c] for c in children[p])) if children[p] else own_low
        high[p] = min(own_high, sum(high[c] for c in children[p])) if children[p] else own_high
        possible &= low[p] <= high[p]
    value = {"mode": "gls", "tree": tree}
    status, got = ask("--estimate", value)
    if status != (0 if possible else 3):
        return complain(f"status {status}, {'possible' if possible else 'impossible'}: {got}", value)
    if not possible:
        return
    own = {p: (F(n.get("lower", 0)), F(n.get("upper", 10**9))) for p, n, _ in nodes}
    for p, n, _ in nodes:
        if n.get("variance") is not None and F(n["variance"]) == 0:
            own[p] = F(n["value"]), F(n["value"])
    leaves = nodes[0][2]
    moves = [((i,), ()) for i in leaves] + [((), (i,)) for i in leaves] + [((i,), (j,)) for i in leaves for j in leaves if i != j]
    for what, step in (("nonnegative", F(0)), ("integer", F(1))):
        x = {n["path"]: F(n[what]) for n in got["nodes"]}
        for p, _, below in nodes:
            if x[p] != sum(x[q] for q in below) or not own[p][0] <= x[p] <= own[p][1] or (step and x[p].denominator != 1):
                return complain(f"{what}: {p} is {x[p]}, within {own[p]}", value)
        if not step and F(got["objective"]) != objective(nodes, x):
            return complain("the objective is not that of the optimum", value)
        for up, down in moves:
            sign = {p: len(set(b) & set(up)) - len(set(b) & set(down)) for p, _, b in nodes}
            if any(d > 0 and x[p] + step > own[p][1] - (not step and x[p] == own[p][1]) or
                   d < 0 and x[p] - step < own[p][0] + (not step and x[p] == own[p][0]) for p, d in sign.items()):
                continue
            change = sum(((x[p] + step * d - F(n["value"])) ** 2 - (x[p] - F(n["value"])) ** 2 if step
                          else 2 * (x[p] - F(n["value"])) * d) / F(n["variance"]) for (p, n, _), d in zip(nodes, sign.values())
                         if d and n.get("variance") is not None and F(n["variance"]) > 0)
            if change < 0:
                return complain(f"{what}: moving {up} {down} gains", value)


def test_list():
    """A list of values with weights: the least cost of all whole lists near them with that sum."""
    n, d = rng.randint(1, 5), rng.randint(1, 6)
    values = [F(rng.randint(-2 * d, 5 * d), d) for _ in range(n)]
    weights = [F(rng.randint(1, 9), rng.choice([1, 2])) for _ in range(n)] if rng.random() < 0.7 else None
    total = round(sum(values)) + rng.choice([0, 0, 0, 1, -2])
    value = {"values": [str(v) for v in values], "sum": total}
    if weights:
        value["weights"] = [str(w) for w in weights]
    status, got = ask("--round", value)
    possible = total >= 0 or min(values) < 0  # what is not negative stays so
    if status != (0 if possible else 3):
        return complain(f"status {status}, {'possible' if possible else 'impossible'}: {got}", value)
    if not possible:
        return
    cost = lambda x: sum(w * (a - v) ** 2 for a, v, w in zip(x, values, weights or [F(1)] * n))
    best = min((cost(x) for x in itertools.product(*[range(int(v // 1) - 4, int(v // 1) + 6) for v in values[:-1]]
                                                   ) for x in [x + (total - sum(x),)]
                if all(a >= 0 or v < 0 for a, v in zip(x, values))), default=None)
    if sum(got["values"]) != total or F(got["cost"]) != cost(got["values"]) or cost(got["values"]) != best:
        complain(f"{got}, brute force {best}", value)


def test_convert():
    """The definition with 60 digits: epsilon is not below its minimum and hardly above, rho the other way."""
    from decimal import Decimal as D, getcontext
    getcontext().prec = 60
    rho, delta = F(rng.randint(1, 5000), rng.choice([1, 10, 1000, 10**6])), D(10) ** -rng.randint(2, 15)

    def epsilon_of(r):
        r = D(r.numerator) / D(r.denominator)
        f = lambda t: (lambda a: a * r + (a * (1 - 1 / a).ln() - (a - 1).ln() - delta.ln()) / (a - 1))(1 + t.exp())
        low, high = D(-20), D(40)
        for _ in range(160):
            one, two = low + (high - low) * D("0.382"), low + (high - low) * D("0.618")
            low, high = (low, two) if f(one) < f(two) else (one, high)
        return max(f((low + high) / 2), D(0))

    def run(option, text):
        r = subprocess.run([program, "release", option, text, "--delta", str(delta), "--format", "json"], capture_output=True, text=True)
        return json.loads(r.stdout) if r.returncode == 0 else complain(f"status {r.returncode}: {r.stderr}", text)
    got, want = run("--convert", str(rho)), epsilon_of(rho)
    loose = D(rho.numerator) / D(rho.denominator)
    loose += 2 * (loose * (1 / delta).ln()).sqrt()
    if got and not (want <= D(got["epsilon"]) <= want * (1 + D("1e-9")) + D("1e-15")):
        complain(f"epsilon {got['epsilon']}, by definition {want}", str(rho))
    if got and not (loose <= D(got["epsilon_bun_steinke"]) <= loose * (1 + D("1e-9"))):
        complain(f"Bun-Steinke {got['epsilon_bun_steinke']}, by definition {loose}", str(rho))
    epsilon = F(rng.randint(1, 400), 10)
    back = run("--convert-epsilon", str(epsilon))
    if back:
        e, r = D(epsilon.numerator) / D(epsilon.denominator), F(D(back["rho"]))
        if epsilon_of(r) > e or epsilon_of(r * F(10**7 + 1, 10**7)) < e:
            complain(f"rho {back['rho']} of epsilon {epsilon}: that is epsilon {epsilon_of(r)}", str(epsilon))


tests = {"estimate": test_estimate, "topdown": test_topdown, "bounds": test_bounds, "round": test_round, "list": test_list,
         "variance": test_variance, "convert": test_convert}
for _ in range(count):
    tests[what]()
sys.exit(1 if failures else 0)
