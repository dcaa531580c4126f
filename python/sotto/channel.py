"""Finite mechanisms as matrices of exact fractions: how private, and worth what to whom.

>>> from sotto import channel
>>> truth_or_coin = [["3/4", "1/4"], ["1/4", "3/4"]]
>>> verdict = channel.verify(truth_or_coin)
>>> verdict.ratio, round(verdict.epsilon.upper, 4)
(Fraction(3, 1), 1.0986)
>>> channel.is_private(truth_or_coin, "ln3"), channel.is_private(truth_or_coin, 1)
(True, False)
>>> channel.geometric(3, "ln2")[0]
(Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))

An epsilon is a number, or a logarithm such as ``"ln2"`` or ``"ln(3/2)"``, which stays exact.
"""
from __future__ import annotations

from fractions import Fraction
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from sotto import _exact, _native
from sotto._exact import Number
from sotto._wait import run
from sotto.accounting import Interval
from sotto.errors import ParameterError

Matrix = Sequence[Sequence[Number]]
Rows = List[Tuple[Fraction, ...]]
Epsilon = Union[Number, str]


class Verdict(NamedTuple):
    """The least epsilon of a channel: ln ``ratio``; ``witness`` is (row, neighbour, column)."""

    epsilon: Interval
    ratio: Fraction
    infinite: bool
    witness: Tuple[int, int, int]


class Utility(NamedTuple):
    """What a channel is worth to a user, and what it tells."""

    utility: Fraction
    prior_value: Fraction
    worst_loss: Fraction
    remap: List[int]
    min_entropy_leakage: float
    mutual_information: float
    bayes_risk: float


class Optimal(NamedTuple):
    """The best mechanism: no other of this epsilon is worth more than ``upper``."""

    channel: Rows
    utility: Fraction
    upper: Fraction
    method: str


def _csv(matrix: Matrix) -> str:
    rows = [[_exact.fraction(cell, "a cell") for cell in row] for row in matrix]
    if not rows or len({len(row) for row in rows}) != 1:
        raise ParameterError("a matrix has rows of the same length")
    return "\n".join(",".join(str(cell) for cell in row) for row in rows) + "\n"


def _rows(said: Sequence[Sequence[str]]) -> Rows:
    return [tuple(Fraction(cell) for cell in row) for row in said]


def _epsilon(epsilon: Epsilon) -> str:
    if isinstance(epsilon, str):
        return epsilon
    return str(_exact.fraction(epsilon, "epsilon"))


def verify(matrix: Matrix, *, graph: str = "path", delta: Optional[Number] = None) -> Verdict:
    """The least epsilon (at a delta) of a channel, exactly.  The graph says who are neighbours."""
    text, small = _csv(matrix), _exact.optional(delta, "delta")
    said = run(lambda: _native.channel_epsilon(text, graph, small), "verifying")
    return Verdict(
        Interval(said["lower"], said["upper"]),
        Fraction(said["ratio"]),
        said["infinite"],
        said["witness"],
    )


def is_private(
    matrix: Matrix, epsilon: Epsilon, *, graph: str = "path", delta: Optional[Number] = None
) -> bool:
    """Whether a channel is (epsilon, delta)-private.  Exact: no means that it is not."""
    text, small = _csv(matrix), _exact.optional(delta, "delta")
    return run(
        lambda: _native.channel_private(text, graph, _epsilon(epsilon), small), "verifying"
    )


def build(mechanism: str, n: int, epsilon: Epsilon, *, graph: str = "path") -> Rows:
    """A mechanism as a channel: geometric, laplace, k-rr, exponential, exponential-retuned, tight."""
    return _rows(
        run(lambda: _native.channel_build(mechanism, n, graph, _epsilon(epsilon)), "building")
    )


def geometric(n: int, epsilon: Epsilon) -> Rows:
    """The truncated geometric mechanism on the answers 0 .. n-1."""
    return build("geometric", n, epsilon)


def utility(matrix: Matrix, *, prior: Optional[str] = None, gain: Optional[str] = None) -> Utility:
    """What a channel is worth to a user with a prior (uniform) and a gain (distance).

    >>> from sotto import channel
    >>> channel.utility(channel.geometric(3, "ln2"), gain="identity").utility
    Fraction(5, 9)
    """
    text = _csv(matrix)
    said = run(lambda: _native.channel_utility(text, prior, gain), "computing")
    return Utility(
        Fraction(said["utility"]),
        Fraction(said["prior_value"]),
        Fraction(said["worst_loss"]),
        said["remap"],
        said["min_entropy_leakage"],
        said["mutual_information"],
        said["bayes_risk"],
    )


def optimal(
    n: int,
    epsilon: Epsilon,
    *,
    graph: str = "path",
    prior: Optional[str] = None,
    gain: Optional[str] = None,
) -> Optimal:
    """The mechanism that is worth most to a user, exactly private.

    >>> from sotto import channel
    >>> best = channel.optimal(4, "ln2", gain="identity")
    >>> best.utility == best.upper
    True
    """
    said = run(
        lambda: _native.channel_optimal(n, graph, _epsilon(epsilon), prior, gain), "optimizing"
    )
    return Optimal(
        _rows(said["rows"]), Fraction(said["lower"]), Fraction(said["upper"]), said["method"]
    )
