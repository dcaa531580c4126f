#!/usr/bin/python3
"""Times of what others do for the same question: one "name nanoseconds-per-value" a line.

numpy stands for the textbook in floating point.  OpenDP and diffprivlib are timed where they
are installed (pip install opendp diffprivlib); without them their rows have no peer.
"""
import os
import time

import numpy

ROUNDS = 5
OUTCOMES = 10**6
VALUES = 10**7
FEW = 1000  # outcomes or values for the slow ones


def best(run, units, rounds=ROUNDS):
    run()
    times = []
    for _ in range(rounds):
        start = time.thread_time_ns()
        run()
        times.append(time.thread_time_ns() - start)
    return min(times) / units


os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
generator = numpy.random.Generator(numpy.random.PCG64())
scores = generator.integers(0, 1000, OUTCOMES)
values = generator.integers(0, 1000, VALUES)


def exponential():
    weights = numpy.exp((scores - scores.max()) / 200.0)
    sums = numpy.cumsum(weights)
    return numpy.searchsorted(sums, generator.random() * sums[-1])


def above_threshold():
    bar = 5000 + generator.laplace(0.0, 2.0)
    return numpy.argmax(values + generator.laplace(0.0, 4.0, VALUES) >= bar)


print("numpy.exponential", best(exponential, OUTCOMES))
print("numpy.noisy_max", best(lambda: numpy.argmax(scores + generator.exponential(200.0, OUTCOMES)), OUTCOMES))
print("numpy.vector", best(lambda: numpy.rint(values + generator.laplace(0.0, 1.0, VALUES)), VALUES, 3))
print("numpy.above_threshold", best(above_threshold, VALUES, 3))

try:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    noise = dp.m.make_geometric(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), 1.0)
    few = [int(v) for v in values[:FEW]]
    print("opendp.vector", best(lambda: noise(few), FEW))
except Exception:
    pass

try:
    import diffprivlib.mechanisms as dpl

    geometric = dpl.Geometric(epsilon=1, sensitivity=1)
    print("diffprivlib.vector", best(lambda: [geometric.randomise(int(v)) for v in values[:FEW]], FEW))
    choice = dpl.Exponential(epsilon=1, sensitivity=100, utility=[float(s) for s in scores[:FEW]])
    print("diffprivlib.exponential", best(choice.randomise, FEW))
except Exception:
    pass
