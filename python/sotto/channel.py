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

An epsilon is a number, or a logarithm such as ``"ln2"`` or ``"ln(3/2)"``, which stays exact.  Who
are neighbours (``graph``), what a user believes (``prior``) and wants (``gain``) are names, paths of
CSV files, or matrices: a graph as edges or distances, a prior as one row.
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
    """The smallest epsilon of a channel: ln ``ratio``; ``witness`` is (row, neighbour, column)."""

    epsilon: Interval
    ratio: Fraction
    infinite: bool
    witness: Tuple[int, int, int]


class Leakage(NamedTuple):
    """How much an output reveals to an observer with the user's prior, in bits."""

    #: log2 of the chance to guess the answer afterwards over that before.
    min_entropy: float
    #: By how much that chance can grow at most, over all priors: as a factor, and added.
    capacity: float
    additive_capacity: float
    #: Shannon's: of the answer, of the answer given the output, and the difference.
    entropy: float
    entropy_after: float
    information: float
    #: The capacity lies between the two.
    shannon_capacity: float
    shannon_capacity_up: float
    #: The expected number of guesses.
    guessing_before: float
    guessing_after: float
    #: The chance that the best guess is wrong.
    bayes_risk: float
    #: Expected shift of the probability of the property that moves most.
    predicate: float


class Utility(NamedTuple):
    """How useful a channel is to a user, and how much it reveals."""

    utility: Fraction
    prior_value: Fraction
    worst_loss: Fraction
    remap: List[int]
    leakage: Leakage


class Optimal(NamedTuple):
    """The best mechanism: no other at this epsilon has a higher utility than ``upper``."""

    channel: Rows
    utility: Fraction
    upper: Fraction
    method: str


class Minimax(NamedTuple):
    """The mechanism with the smallest worst expected loss, between ``lower`` and ``loss``."""

    channel: Rows
    loss: Fraction
    lower: Fraction
    #: For this prior no mechanism loses less than ``lower``.
    prior: Tuple[Fraction, ...]


class Refinement(NamedTuple):
    """Whether one channel can be made from another's output, with the proof.

    ``remap`` turns outputs into outputs; where there is none, ``gain`` is a user for whom the
    wanted channel is worth more.
    """

    derivable: bool
    remap: Optional[Rows]
    gain: Optional[Rows]


Given = Union[str, Matrix]  # a name, a path, or a matrix


def _given(said: Given) -> str:
    return said if isinstance(said, str) else _csv(said)


def _prior(said: "Union[None, str, Sequence[Number]]") -> Optional[str]:
    return said if said is None or isinstance(said, str) else _csv([said])


def _gain(said: Optional[Given]) -> Optional[str]:
    return None if said is None else _given(said)


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


def verify(matrix: Matrix, *, graph: Given = "path", delta: Optional[Number] = None) -> Verdict:
    """The exact smallest epsilon (at a delta) of a channel; ``graph`` says which answers are neighbours."""
    text, small, near = _csv(matrix), _exact.optional(delta, "delta"), _given(graph)
    said = run(lambda: _native.channel_epsilon(text, near, small), "verifying")
    return Verdict(
        Interval(said["lower"], said["upper"]),
        Fraction(said["ratio"]),
        said["infinite"],
        said["witness"],
    )


def is_private(
    matrix: Matrix, epsilon: Epsilon, *, graph: Given = "path", delta: Optional[Number] = None
) -> bool:
    """Whether a channel is (epsilon, delta)-private, decided exactly."""
    text, small, near = _csv(matrix), _exact.optional(delta, "delta"), _given(graph)
    return run(
        lambda: _native.channel_private(text, near, _epsilon(epsilon), small), "verifying"
    )


def delta(matrix: Matrix, ratio: Number, *, graph: Given = "path") -> Fraction:
    """The exact smallest delta of a channel at the epsilon with e^epsilon = ``ratio``.

    >>> from sotto import channel
    >>> channel.delta([["3/4", "1/4"], ["1/4", "3/4"]], ratio=2)
    Fraction(1, 4)
    """
    text, near, factor = _csv(matrix), _given(graph), _exact.text(ratio, "ratio")
    return Fraction(run(lambda: _native.channel_delta(text, near, factor), "verifying"))


def build(mechanism: str, n: int, epsilon: Epsilon, *, graph: Given = "path") -> Rows:
    """A mechanism as a channel: geometric, laplace, k-rr, exponential, exponential-retuned, tight."""
    near = _given(graph)
    return _rows(
        run(lambda: _native.channel_build(mechanism, n, near, _epsilon(epsilon)), "building")
    )


def geometric(n: int, epsilon: Epsilon) -> Rows:
    """The truncated geometric mechanism on the answers 0 .. n-1."""
    return build("geometric", n, epsilon)


def utility(matrix: Matrix, *, prior: Union[None, str, Sequence[Number]] = None, gain: Optional[Given] = None) -> Utility:
    """How useful a channel is to a user with this prior (uniform) and gain (distance).

    >>> from sotto import channel
    >>> channel.utility(channel.geometric(3, "ln2"), gain="identity").utility
    Fraction(5, 9)
    """
    text, believed, wanted = _csv(matrix), _prior(prior), _gain(gain)
    said = run(lambda: _native.channel_utility(text, believed, wanted), "computing")
    return Utility(
        Fraction(said["utility"]),
        Fraction(said["prior_value"]),
        Fraction(said["worst_loss"]),
        said["remap"],
        Leakage(*(said[name] for name in Leakage._fields)),
    )


def optimal(
    n: int,
    epsilon: Epsilon,
    *,
    graph: Given = "path",
    prior: Union[None, str, Sequence[Number]] = None,
    gain: Optional[Given] = None,
) -> Optimal:
    """The most useful mechanism for a user, exactly private.

    >>> from sotto import channel
    >>> best = channel.optimal(4, "ln2", gain="identity")
    >>> best.utility == best.upper
    True
    """
    near, believed, wanted = _given(graph), _prior(prior), _gain(gain)
    said = run(
        lambda: _native.channel_optimal(n, near, _epsilon(epsilon), believed, wanted), "optimizing"
    )
    return Optimal(
        _rows(said["rows"]), Fraction(said["lower"]), Fraction(said["upper"]), said["method"]
    )


def minimax(
    n: int, epsilon: Epsilon, *, graph: Given = "path", gain: Optional[Given] = None
) -> Minimax:
    """The mechanism with the smallest worst expected loss, for a user without a prior.

    >>> from sotto import channel
    >>> best = channel.minimax(3, "ln2")
    >>> best.lower <= best.loss, channel.is_private(best.channel, "ln2")
    (True, True)
    """
    near, wanted = _given(graph), _gain(gain)
    said = run(
        lambda: _native.channel_minimax(n, near, _epsilon(epsilon), wanted), "optimizing"
    )
    return Minimax(
        _rows(said["rows"]), Fraction(said["loss"]), Fraction(said["lower"]), _rows(said["prior"])[0]
    )


def refines(first: Matrix, second: Matrix) -> Refinement:
    """Whether the second channel can be made from the output of the first, with a proof either way.

    >>> from sotto import channel
    >>> stronger, weaker = channel.geometric(3, "ln4"), channel.geometric(3, "ln2")
    >>> channel.refines(stronger, weaker).derivable, channel.refines(weaker, stronger).derivable
    (True, False)
    """
    texts = _csv(first), _csv(second)
    said = run(lambda: _native.channel_refine(*texts), "comparing")
    return Refinement(
        said["derivable"],
        None if said["remap"] is None else _rows(said["remap"]),
        None if said["gain"] is None else _rows(said["gain"]),
    )
