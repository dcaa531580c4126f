"""Mechanisms that choose the best of a list by its private scores."""
from __future__ import annotations

from array import array
from typing import Any, List, Optional, Sequence, Tuple, Union

from sotto import _exact, _native, _values
from sotto._exact import Number
from sotto.errors import ParameterError


def _select(
    way: str,
    scores: Any,
    epsilon: Number,
    sensitivity: Number,
    monotone: bool,
    least: bool,
    top: int = 1,
    gap: bool = False,
) -> Tuple[List[int], int]:
    values = (
        _values.int64_array(scores.to_numpy() if _values.is_series(scores) else scores)
        if _values.is_array(scores) or _values.is_series(scores)
        else array("q", [_values.whole_scalar(score) for score in scores])
    )
    if len(values) < max(top, 2 if gap else 1):
        raise ParameterError("there are fewer scores than are to be chosen")
    return _native.select(
        way,
        _exact.text(_exact.positive(epsilon, "epsilon")),
        _exact.text(_exact.positive(sensitivity, "sensitivity")),
        monotone,
        least,
        _exact.whole(top, "top"),
        gap,
        _values.address(values),
        len(values),
    )


def exponential(
    scores: Sequence[int],
    *,
    epsilon: Number,
    sensitivity: Number = 1,
    monotone: bool = False,
    least: bool = False,
) -> int:
    """The index of a good score: P[i] proportional to exp(epsilon score / (2 sensitivity)).

    ``monotone``: one unit changes all scores in the same direction, as with counts; halves the noise.

    >>> import sotto
    >>> sotto.exponential([3, 1000, 5], epsilon=1)
    1
    """
    return _select("exponential", scores, epsilon, sensitivity, monotone, least)[0][0]


def permute_and_flip(
    scores: Sequence[int],
    *,
    epsilon: Number,
    sensitivity: Number = 1,
    monotone: bool = False,
    least: bool = False,
) -> int:
    """The index of a good score, with never a larger expected loss than ``exponential``.

    >>> import sotto
    >>> sotto.permute_and_flip([3, 1000, 5], epsilon=1)
    1
    """
    return _select("permute-and-flip", scores, epsilon, sensitivity, monotone, least)[0][0]


def noisy_max(
    scores: Sequence[int],
    *,
    epsilon: Number,
    sensitivity: Number = 1,
    monotone: bool = False,
    least: bool = False,
    top: Optional[int] = None,
    gap: bool = False,
) -> Union[int, List[int], Tuple[int, int]]:
    """The index of the largest score after noise; with ``top`` the indices of the best, in order.

    ``gap`` also returns by how much the winner won, at the same cost.

    >>> import sotto
    >>> sotto.noisy_max([3, 1000, 5], epsilon=1)
    1
    >>> sotto.noisy_max([1, 900000, 400000], epsilon=1, top=2)
    [1, 2]
    """
    if gap and top not in (None, 1):
        raise ParameterError("the gap is told for one choice, not for the top %s" % top)
    indices, won = _select(
        "noisy-max", scores, epsilon, sensitivity, monotone, least, top or 1, gap
    )
    if gap:
        return indices[0], won
    return indices[0] if top is None else indices
