"""Asks sotto verify, utility and optimal about small random problems and compares with the definitions.

channel_oracle.py SOTTO FOLDER CASES: everything is a Fraction here, and linear programs are solved by a
simplex of a few lines that shares nothing with the program.  Prints a line for each difference.
"""
import json
import math
import random
import subprocess
import sys
from fractions import Fraction as F

SOTTO, FOLDER, CASES = sys.argv[1], sys.argv[2], int(sys.argv[3])
R = random.Random(14)
compared, different = 0, 0


def ask(*words):
    done = subprocess.run([SOTTO, *map(str, words), "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else None


def write(name, rows):
    with open(f"{FOLDER}/{name}", "w") as out:
        out.writelines(",".join(map(str, row)) + "\n" for row in rows)
    return f"{FOLDER}/{name}"


def same(what, holds, *case):
    global compared, different
    compared += 1
    if not holds:
        different += 1
        print("different:", what, *case)


def simplex(objective, rows):
    """The greatest objective . x with row . x <= right or = right (right >= 0), x >= 0; Bland's rule."""
    n, m = len(objective), len(rows)
    width = n + m
    table = []
    for i, (row, right, equal) in enumerate(rows):
        slack = [F(int(i == j)) for j in range(m)]  # of an equation: artificial
        table.append([F(x) for x in row] + slack + [F(right)])
    basis = [n + i for i in range(m)]
    artificial = {n + i for i in range(m) if rows[i][2]}

    def pivot(i, j):
        table[i] = [x / table[i][j] for x in table[i]]
        for k in range(m):
            if k != i and table[k][j]:
                f = table[k][j]
                table[k] = [x - f * y for x, y in zip(table[k], table[i])]
        basis[i] = j

    def climb(cost, barred):
        while True:
            value = [sum(cost[basis[i]] * table[i][j] for i in range(m)) for j in range(width + 1)]
            enter = next((j for j in range(width) if j not in barred and cost[j] > value[j]), None)
            if enter is None:
                return value[-1]
            ratios = [(table[i][-1] / table[i][enter], basis[i], i) for i in range(m) if table[i][enter] > 0]
            pivot(min(ratios)[2], enter)

    if climb([F(-(j in artificial)) for j in range(width)], set()) < 0:
        return None
    for i in range(m):  # artificial ones at 0 leave where they can
        if basis[i] in artificial:
            j = next((j for j in range(width) if j not in artificial and table[i][j]), None)
            if j is not None:
                pivot(i, j)
    return climb([F(x) for x in objective] + [F(0)] * m, artificial)


def channel(rows, columns, zeros):
    weights = [[R.randint(0 if zeros else 1, 9) for _ in range(columns)] for _ in range(rows)]
    return [[F(x, sum(w)) for x in w] if sum(w) else [F(1)] + [F(0)] * (columns - 1) for w in weights]


def private_rows(n, guesses, edges, k, more):
    """Sums of answers, and p_yw <= k p_y'w along edges, over n x guesses and `more` variables."""
    size = n * guesses + more

    def row(*cells):
        r = [F(0)] * size
        for place, value in cells:
            r[place] += value
        return r
    out = [(row(*((y * guesses + w, 1) for w in range(guesses))), 1, True) for y in range(n)]
    for a, b in edges + [(b, a) for a, b in edges]:
        out += [(row((a * guesses + w, 1), (b * guesses + w, -k)), 0, False) for w in range(guesses)]
    return out


def best_utility(n, edges, k, prior, gain):
    objective = [prior[y] * gain[w][y] for y in range(n) for w in range(len(gain))]
    return simplex(objective, private_rows(n, len(gain), edges, k, 0))


def least_worst_loss(n, edges, k, gain):
    guesses = len(gain)
    rows = private_rows(n, guesses, edges, k, 1)
    for y in range(n):
        most = max(g[y] for g in gain)
        loss = [F(0)] * (n * guesses + 1)
        for w in range(guesses):
            loss[y * guesses + w] = most - gain[w][y]
        loss[-1] = F(-1)
        rows.append((loss, 0, False))
    return -simplex([F(0)] * (n * guesses) + [F(-1)], rows)


def is_derivable(source, target):
    inner, outer = len(source[0]), len(target[0])
    rows = []
    for y in range(len(source)):
        for w in range(outer):
            row = [F(0)] * (inner * outer)
            for z in range(inner):
                row[z * outer + w] = source[y][z]
            rows.append((row, target[y][w], True))
    return simplex([F(0)] * (inner * outer), rows) is not None


def between(lower, value, upper):
    slack = F(1, 10 ** 9)
    return F(lower) - slack <= value <= F(upper) + slack and upper - lower < 1e-8


def check_verify(n, edges, graph):
    m = channel(n, R.randint(1, 5), R.random() < 0.25)
    found = ask("verify", write("m.csv", m), "--graph", graph)
    pairs = [(m[a][z], m[b][z]) for e in edges for a, b in (e, e[::-1]) for z in range(len(m[0]))]
    infinite = any(p > 0 and q == 0 for p, q in pairs)
    same("infinite", found["infinite"] == infinite, m, edges)
    if not infinite:
        ratio = max([p / q for p, q in pairs if q] + [F(1)])
        same("ratio", F(found["ratio"]) == ratio, m, edges)
        same("epsilon", abs(found["epsilon"] - math.log(ratio)) < 1e-12 * (1 + math.log(ratio)), m, edges)


def check_utility(n, prior, gain):
    m = channel(n, R.randint(1, 5), True)
    found = ask("utility", "--n", n, "--epsilon", 1, "--mechanism", write("u.csv", m),
                "--prior", f"{FOLDER}/p.csv", "--gain", f"{FOLDER}/g.csv")
    worth = [[sum(prior[y] * m[y][z] * g[y] for y in range(n)) for g in gain] for z in range(len(m[0]))]
    same("utility", F(found["utility_exact"]) == sum(map(max, worth)), m, prior, gain)
    same("tie sets", found["tie_sets"] == [[w for w, x in enumerate(v) if x == max(v)] for v in worth], m, prior, gain)
    same("remap", found["remap"] == [t[0] for t in found["tie_sets"]], m)


def check_optimal(n, edges, graph, prior, gain):
    k = F(R.choice([2, 3, 4]), R.choice([1, 1]))
    case = ["--n", n, "--graph", graph, "--epsilon", f"ln({k})", "--gain", f"{FOLDER}/g.csv"]
    best = best_utility(n, edges, k, prior, gain)
    found = ask("optimal", *case, "--prior", f"{FOLDER}/p.csv")
    same("optimum", between(found["utility_lower"], best, found["utility_upper"]), edges, k, prior, gain, best)
    if found["utility_exact"]:
        same("exact optimum", F(found["utility_exact"]) == best, edges, k, prior, gain, best)
    least = least_worst_loss(n, edges, k, gain)
    found = ask("optimal", *case, "--minimax")
    same("minimax", between(found["loss_lower"], least, found["loss_upper"]), edges, k, gain, least)


def check_refinement(n):
    source = channel(n, R.randint(1, 4), R.random() < 0.3)
    target = channel(n, R.randint(1, 3), R.random() < 0.3)
    if R.random() < 0.5:
        remap = channel(len(source[0]), len(target[0]), True)
        target = [[sum(p * r[w] for p, r in zip(row, remap)) for w in range(len(remap[0]))] for row in source]
    found = ask("verify", write("to.csv", target), "--derivable-from", write("from.csv", source))
    same("derivable", found["derivable"] == is_derivable(source, target), source, target)


for _ in range(CASES):
    n, guesses = R.randint(2, 4), R.randint(1, 3)
    shape = R.random()
    edges = [(R.randrange(i) if shape < 0.5 else i - 1, i) for i in range(1, n)]
    if shape > 0.75:
        edges = sorted(set(edges) | {(i, j) for i in range(n) for j in range(i + 1, n) if R.random() < 0.5})
    graph = write("e.csv", edges)
    weights = [R.choice([0, 1, 1, 2, 5]) for _ in range(n - 1)] + [1]
    prior = [F(w, sum(weights)) for w in weights]
    gain = [[F(R.randint(-3, 6), R.choice([1, 2])) for _ in range(n)] for _ in range(guesses)]
    write("p.csv", [prior])
    write("g.csv", gain)
    check_verify(n, edges, graph)
    check_utility(n, prior, gain)
    check_optimal(n, edges, graph, prior, gain)
    check_refinement(n)
print(compared, "compared,", different, "different")
sys.exit(different != 0 or compared < 8 * CASES)
