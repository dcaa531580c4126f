"""Compares the optimum of `sotto release --round` with that of COIN-OR Clp on random tables.

    release_clp.py PROGRAM SEED COUNT

The linear programme: B in [0, 1] (0 where a cell is whole), row and column sums as the cells have
them, least sum of (1 - 2 f) B; its vertices are whole.  Prints disagreements and exits 1 if there are
any; exits 77 with a sentence if Clp is not installed.
"""
import ctypes, ctypes.util, json, random, subprocess, sys
from fractions import Fraction as F

program, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
try:
    clp = ctypes.CDLL("libClp.so.1")
except OSError:
    print("the library of Clp is not installed; tools/setup installs it")
    sys.exit(77)
rng = random.Random(seed)
clp.Clp_newModel.restype = ctypes.c_void_p
clp.Clp_getObjValue.restype = ctypes.c_double
for f in ("Clp_getObjValue", "Clp_deleteModel", "Clp_status"):
    getattr(clp, f).argtypes = [ctypes.c_void_p]


def optimum(fractions):
    """The least L1 distance to a whole table with the same sums, by the linear programme."""
    rows, cols = len(fractions), len(fractions[0])
    cells = [(i, j) for i in range(rows) for j in range(cols)]
    n, m = len(cells), rows + cols
    starts = (ctypes.c_int * (n + 1))(*[2 * k for k in range(n + 1)])
    index = (ctypes.c_int * (2 * n))(*[x for i, j in cells for x in (i, rows + j)])
    values = (ctypes.c_double * (2 * n))(*[1.0] * (2 * n))
    high = (ctypes.c_double * n)(*[0.0 if fractions[i][j] == 0 else 1.0 for i, j in cells])
    low = (ctypes.c_double * n)()
    cost = (ctypes.c_double * n)(*[float(1 - 2 * fractions[i][j]) for i, j in cells])
    sums = [float(sum(r)) for r in fractions] + [float(sum(r[j] for r in fractions)) for j in range(cols)]
    bounds = (ctypes.c_double * m)(*sums)
    model = clp.Clp_newModel()
    clp.Clp_setLogLevel(ctypes.c_void_p(model), 0)
    clp.Clp_loadProblem(ctypes.c_void_p(model), n, m, starts, index, values, low, high, cost, bounds, bounds)
    clp.Clp_initialSolve(ctypes.c_void_p(model))
    if clp.Clp_status(model) != 0:
        raise SystemExit("Clp found no optimum")
    value = clp.Clp_getObjValue(model)
    clp.Clp_deleteModel(model)
    return value + float(sum(sum(r) for r in fractions))


def table():
    """A table whose row and column sums are whole: a whole one, moved around cycles."""
    rows, cols, d = rng.randint(2, 9), rng.randint(2, 12), rng.choice([2, 3, 5, 6, 10, 97])
    t = [[F(rng.randint(0, 9)) for _ in range(cols)] for _ in range(rows)]
    for _ in range(rows * cols):
        (i, k), (j, l) = rng.sample(range(rows), 2), rng.sample(range(cols), 2)
        step = min(F(rng.randint(0, 2 * d), d), t[i][l], t[k][j])
        t[i][j] += step
        t[k][l] += step
        t[i][l] -= step
        t[k][j] -= step
    return t


failures = 0
for _ in range(count):
    t = table()
    text = json.dumps({"cells": [[str(x) for x in row] for row in t]})
    out = json.loads(subprocess.run([program, "release", "--round", "-", "--exact"], input=text,
                                    capture_output=True, text=True, check=True).stdout)
    got = float(F(out["l1"]))
    want = optimum([[x - x.__floor__() for x in row] for row in t])
    if abs(got - want) > 1e-6:
        failures += 1
        print(f"# {got} is not {want}: {text}")
    whole = out["cells"]
    if [sum(r) for r in whole] != [sum(r) for r in t] or \
            [sum(r[j] for r in whole) for j in range(len(t[0]))] != [sum(r[j] for r in t) for j in range(len(t[0]))]:
        failures += 1
        print(f"# sums differ: {text}")
sys.exit(1 if failures else 0)
