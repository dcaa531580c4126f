"""Second opinions on sotto release: dense least squares, brute force, all in exact fractions.

    release_oracle.py PROGRAM estimate|variance|round|optimum SEED COUNT

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
    return out, covariance


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
    value = {"mode": "gls", "tree": tree, "covariances": pairs}
    status, got = ask("--estimate", value)
    answer = dense(nodes)
    assert answer is not None
    want, covariance = answer
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
    check_optimum(nodes, by, got, value)


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


tests = {"estimate": test_estimate, "round": test_round, "variance": test_variance}
for _ in range(count):
    tests[what]()
sys.exit(1 if failures else 0)
