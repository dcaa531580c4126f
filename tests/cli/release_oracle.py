"""Second opinions on sotto release: dense least squares, brute force, all in exact fractions.

    release_oracle.py PROGRAM estimate|topdown|variance|round SEED COUNT

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
    if sizes[0] == 3 and rng.random() < 0.6:
        groupings["g"] = {"A": [[0], [1, 2]]}
    candidates = ["total", "detailed"] + ["*".join(c) for r in range(1, k) for c in itertools.combinations(names, r)]
    if groupings:
        candidates += ["g"] + (["g*B"] if k > 1 else [])
    levels = []
    for l in range(rng.choice([1, 2, 3])):
        qs = {q: str(F(rng.randint(1, 9), rng.choice([1, 2]))) for q in rng.sample(candidates, rng.randint(0, min(4, len(candidates))))}
        if l == 0 and rng.random() < 0.3:
            qs["total"] = 0
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
        return tuple((0 if cell[0] == 0 else 1) if f == "g" else cell[names.index(f)] for f in q.split("*"))
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


tests = {"estimate": test_estimate, "topdown": test_topdown, "round": test_round, "variance": test_variance}
for _ in range(count):
    tests[what]()
sys.exit(1 if failures else 0)
