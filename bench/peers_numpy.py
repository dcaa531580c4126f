#!/usr/bin/python3
"""Times of numpy's floating-point noise: one "name nanoseconds-per-value" a line."""
import os
import time

import numpy

VALUES = 10**6
ROUNDS = 5


def best(draw):
    draw()
    times = []
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        draw()
        times.append(time.thread_time_ns() - start)
    return min(times) / VALUES


os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
generator = numpy.random.Generator(numpy.random.PCG64())
print("numpy.laplace", best(lambda: generator.laplace(0.0, 1000.0, VALUES)))
print("numpy.normal", best(lambda: generator.standard_normal(VALUES)))
