"""Numbers that stay exact on their way into the library and back.

An ``int``, a ``Fraction``, a ``Decimal`` and a text like ``"0.1"``, ``"1e-6"`` or ``"1/3"`` are
taken as they are.  A ``float`` is read as its shortest decimal text: ``0.1`` is one tenth, not
the binary number next to it.
"""
from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, Optional, Union

from sotto.errors import ParameterError

Number = Union[int, float, Fraction, Decimal, str]


def fraction(value: Number, name: str = "the number", secret: bool = False) -> Fraction:
    """The exact number that a parameter means; one that is ``secret`` is not repeated in words.

    >>> fraction(0.1), fraction("1e-6"), fraction("1/3")
    (Fraction(1, 10), Fraction(1, 1000000), Fraction(1, 3))
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, float) or type(value).__module__ == "numpy":
            value = repr(float(value)) if not _is_whole(value) else int(value)
        if isinstance(value, Decimal):
            return Fraction(value)
        if isinstance(value, str) and value.count("/") == 1:
            above, below = value.split("/")
            return Fraction(above) / Fraction(below)
        return Fraction(value)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        shown = type(value).__name__ if secret else repr(value)
        raise ParameterError(
            "%s must be a number, like 0.5, '1/3' or Fraction(1, 3), not %s" % (name, shown)
        ) from None


def _is_whole(value: Any) -> bool:
    """Whether a numpy scalar is an integer."""
    return not isinstance(value, float) and hasattr(value, "dtype") and value.dtype.kind in "iu"


def text(value: Number, name: str = "the number") -> str:
    """The same as a text that the library reads."""
    exact = fraction(value, name)
    return "%d/%d" % (exact.numerator, exact.denominator)


def optional(value: Optional[Number], name: str) -> Optional[str]:
    return None if value is None else text(value, name)


def positive(value: Number, name: str) -> Fraction:
    exact = fraction(value, name)
    if exact <= 0:
        raise ParameterError("%s must be greater than 0, not %s" % (name, value))
    return exact


def share(value: Number, name: str) -> Fraction:
    """A probability strictly between 0 and 1."""
    exact = fraction(value, name)
    if not 0 < exact < 1:
        raise ParameterError("%s must be between 0 and 1, not %s" % (name, value))
    return exact


def whole(value: Number, name: str, least: int = 1) -> int:
    """A whole number that fits in 63 bits."""
    exact = fraction(value, name)
    if exact.denominator != 1 or not least <= exact < 2**63:
        raise ParameterError("%s must be a whole number from %d on, not %s" % (name, least, value))
    return int(exact)


def short(value: Fraction, up: bool, digits: int = 6) -> str:
    """For people: at most so many digits, rounded to the named side.

    >>> short(Fraction(1, 3), up=True), short(Fraction(1, 3), up=False), short(Fraction(1, 2), True)
    ('0.333334', '0.333333', '0.5')
    """
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value.numerator)) - math.log10(value.denominator))
    scale = Fraction(10) ** (digits - 1 - magnitude)
    steps = math.ceil(value * scale) if up else math.floor(value * scale)
    exact = Fraction(steps) / scale
    plain = "%.*g" % (digits, float(exact))
    return plain
