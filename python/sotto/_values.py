"""Whole numbers in and out of the library: scalars, lists, numpy arrays, pandas series.

An int64 array that lies in one piece is read where it lies, and the answer is a new array;
anything else is copied once.  Real values are rounded to the nearest multiple of a step first.
"""
from __future__ import annotations

import math
import sys
from array import array
from fractions import Fraction
from typing import Any, Callable, List, Optional, Tuple

from sotto import _exact, _native
from sotto._wait import Sign
from sotto.errors import ParameterError

BLOCK = 1 << 20  # values between two looks at Ctrl-C
LEAST, MOST = -(2**63), 2**63 - 1

# (address of values, address for noisy ones, how many)
Publish = Callable[[int, int, int], None]


def numpy() -> Any:
    """numpy if the program uses it; a value can be one of its arrays only then."""
    return sys.modules.get("numpy")


def is_array(x: Any) -> bool:
    np = numpy()
    return np is not None and isinstance(x, (np.ndarray, np.generic)) and getattr(x, "ndim", 0) > 0


def is_series(x: Any) -> bool:
    return hasattr(x, "to_numpy") and hasattr(x, "dtype")


def refuse_frame(x: Any) -> None:
    if hasattr(x, "columns") and hasattr(x, "to_numpy"):
        raise ParameterError(
            "a table has columns of their own meaning; give frame[name] or frame.to_numpy()"
        )


def is_many(x: Any) -> bool:
    return is_array(x) or is_series(x) or isinstance(x, (list, tuple, array, range))


def length(x: Any) -> int:
    """How many numbers there are; 1 for a scalar."""
    if is_array(x):
        return int(x.size)
    return len(x) if is_many(x) else 1


def in_blocks(publish: Publish, source: int, target: int, count: int, what: str) -> None:
    sign = Sign(what)
    try:
        for start in range(0, count, BLOCK):
            publish(source + 8 * start, target + 8 * start, min(BLOCK, count - start))
            sign.show(start / count)
    finally:
        sign.end()


def int64_array(x: Any) -> Any:
    """An array as int64 in one piece: itself if it is that already."""
    np = numpy()
    if x.dtype.kind == "u" and x.size and int(x.max()) > MOST:
        raise ParameterError("the values must fit in 64 bits with a sign")
    if x.dtype.kind not in "iub":
        raise ParameterError(
            "the array must hold whole numbers, not %s; for real values give step=" % x.dtype
        )
    return np.ascontiguousarray(x, dtype=np.int64)


def _whole_list(x: Any) -> "array[int]":
    try:
        return array("q", x)
    except (TypeError, OverflowError):
        raise ParameterError(
            "the values must be whole numbers of at most 63 bits; for real values give step="
        ) from None


def whole_scalar(x: Any) -> int:
    if not isinstance(x, int):
        exact = _exact.fraction(x, "the value", secret=True)
        if exact.denominator != 1:
            raise ParameterError("the value must be a whole number; for real values give step=")
        x = int(exact)
    if not LEAST <= x <= MOST:
        raise ParameterError("the value must fit in 64 bits with a sign")
    return int(x)


def address(x: Any) -> int:
    if isinstance(x, array):
        return x.buffer_info()[0]
    return int(x.__array_interface__["data"][0])


def add_noise(publish: Publish, one: Callable[[int], int], x: Any, what: str) -> Any:
    """The noisy values, in the shape that x has."""
    refuse_frame(x)
    if is_series(x) and not is_array(x):
        noisy = add_noise(publish, one, x.to_numpy(), what)
        if hasattr(x, "index"):
            return type(x)(noisy, index=x.index, name=x.name)
        return type(x)(x.name, noisy)  # of polars
    if is_array(x):
        source = int64_array(x)
        target = numpy().empty(source.shape, dtype="int64")
        in_blocks(publish, address(source), address(target), source.size, what)
        return target
    if is_many(x):
        values = _whole_list(x)
        noisy_list = array("q", bytes(8 * len(values)))
        in_blocks(publish, address(values), address(noisy_list), len(values), what)
        return noisy_list.tolist()
    return one(whole_scalar(x))


# ---- real values on a grid of equal steps -------------------------------------------------------


def _is_power_of_two(step: Fraction) -> bool:
    return (step.numerator & (step.numerator - 1)) == 0 and (
        step.denominator & (step.denominator - 1)
    ) == 0


def _steps(value: Any, step: Fraction) -> int:
    """The nearest multiple, the upper one of two, in steps."""
    return whole_scalar(math.floor(_real(value) / step + Fraction(1, 2)))


def _real(value: Any) -> Fraction:
    """The number itself: a float from data is what it holds, not what it prints as."""
    if isinstance(value, float) or type(value).__module__ == "numpy":
        if not math.isfinite(float(value)):
            raise ParameterError("the values must be finite numbers")
        return Fraction(float(value))
    return _exact.fraction(value, "the value", secret=True)


def _array_steps(x: Any, step: Fraction) -> Any:
    np = numpy()
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        raise ParameterError("the values must be finite numbers")
    if x.dtype == np.float64 and _is_power_of_two(step) and 2**-900 < step < 2**900:
        quotient = np.rint(x / float(step))  # dividing by a power of two is exact
        if quotient.size == 0 or float(np.abs(quotient).max()) < 2.0**62:
            return quotient.astype(np.int64)
    flat = [_steps(value, step) for value in x.ravel().tolist()]
    return np.array(flat, dtype=np.int64).reshape(x.shape)


def to_steps(x: Any, step: Fraction) -> Tuple[Any, Callable[[Any], Any]]:
    """Values in whole steps, and the way back for the noisy ones."""
    if is_series(x) and not is_array(x) and hasattr(x, "index"):
        steps, back = to_steps(x.to_numpy(), step)
        kind, index, name = type(x), x.index, x.name
        return steps, lambda noisy: kind(back(noisy), index=index, name=name)
    if is_array(x):
        return _array_steps(x, step), lambda noisy: noisy * float(step)
    if is_many(x):
        values: List[Any] = list(x)
        made = _kind_of(values)
        return [_steps(v, step) for v in values], lambda noisy: [made(n * step) for n in noisy]
    one = _kind_of([x])
    return _steps(x, step), lambda noisy: one(noisy * step)


def _kind_of(values: List[Any]) -> Callable[[Fraction], Any]:
    """What the noisy values are: one kind for all, and the same for 3 as for 3.0, which a reader
    of JSON may tell apart by the private value alone."""
    return float if any(isinstance(v, (int, float)) for v in values) else Fraction


def grid_sensitivity(
    step: Fraction, sensitivity: Fraction, dimension: int, euclidean: bool
) -> int:
    """By how many steps rounded values can move."""
    return _native.grid_sensitivity(
        _exact.text(step), _exact.text(sensitivity), dimension, euclidean
    )


def optional_step(step: Optional[_exact.Number]) -> Optional[Fraction]:
    return None if step is None else _exact.positive(step, "step")
