"""How much Python adds to a block of noise: ten million values, processor time for each.

C is one call of the library's function on the same array.  Both write into memory that is new,
as an answer is: the system's work on its pages is part of either.
Fails if Python takes more than 1.3 times as long.
"""
import sys
import time

import numpy as np

import sotto
from sotto import _native

N = 10_000_000


def best(call):
    least = float("inf")
    for _ in range(5):
        begun = time.process_time()
        call()
        least = min(least, time.process_time() - begun)
    return least / N * 1e9


above = False
x = np.zeros(N, dtype=np.int64)


def in_c(prepared):
    out = np.empty(N, dtype=np.int64)
    _native.publish(prepared, x.ctypes.data, out.ctypes.data, N)


for name, mechanism in (("laplace", sotto.Laplace(epsilon="0.1")), ("gaussian", sotto.Gaussian(sigma=30))):
    prepared = mechanism._prepare(N)
    c = best(lambda: in_c(prepared))
    python = best(lambda: mechanism(x))
    above = above or python > 1.3 * c
    verdict = "" if python <= 1.3 * c else "  ABOVE 1.3"
    print("%-28s %7.2f ns %9.2f ns %7.2fx%s" % (name + ", 10,000,000 values", c, python, python / c, verdict))
sys.exit(1 if above else 0)
