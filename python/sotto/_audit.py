"""Auditing any Python function that claims to be differentially private.

The function runs many times on two neighbouring inputs.  Half of the runs choose what to look at:
the set of outputs that is most likely under one input compared with the other.  The other half
count it.  The bounds of Clopper and Pearson on the two rates then prove an epsilon: with the
stated confidence the function has at least that.  A proof above the claim is a broken claim; a
lower one proves nothing, as no test can show that a function is private.
"""
from __future__ import annotations

import bisect
import math
from collections import Counter
from fractions import Fraction
from typing import Any, Callable, Dict, FrozenSet, Hashable, List, NamedTuple, Tuple, cast

from sotto import _exact, _native
from sotto._exact import Number
from sotto._wait import Sign
from sotto.errors import ParameterError

CELLS = 200  # into which real outputs are sorted


class Audit(NamedTuple):
    """What the runs prove."""

    #: The function has at least this epsilon, with the confidence that was asked for.
    epsilon: float
    claim: float
    confidence: float
    trials: int
    #: How often the event came on the left and on the right input.
    hits: Tuple[int, int]
    event: str

    @property
    def broken(self) -> bool:
        """Whether the claim is proved false, at the stated confidence."""
        return self.epsilon > self.claim

    def __str__(self) -> str:
        if self.broken:
            return "BROKEN: epsilon is at least %.4g, the claim was %.4g (%s)" % (
                self.epsilon,
                self.claim,
                self.event,
            )
        return "no violation: epsilon %.4g was proved, the claim is %.4g" % (
            self.epsilon,
            self.claim,
        )


def _cell(output: Any) -> Hashable:
    """An output as something that can be counted."""
    if hasattr(output, "tolist"):
        output = output.tolist()
    if isinstance(output, list):
        return tuple(_cell(item) for item in output)
    if isinstance(output, float) and output != output:
        return "nan"
    try:
        hash(output)
    except TypeError:
        return repr(output)
    return cast(Hashable, output)


Sort = Callable[[Hashable], Hashable]


def _is_real(x: Hashable) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def _sorter(left: List[Hashable], right: List[Hashable]) -> Sort:
    """Many different numbers are sorted into cells; whatever else is, is its own cell."""
    both = left + right
    if not all(map(_is_real, both)) or len(set(both)) <= CELLS:
        return lambda x: x
    ordered = sorted(cast(List[float], both))
    edges = sorted({ordered[len(ordered) * i // CELLS] for i in range(1, CELLS)})

    def cell(x: Hashable) -> Hashable:
        if not _is_real(x):  # rare: it came in no run that the edges were made from
            return x
        return int(bisect.bisect_right(edges, cast(float, x)))

    return cell


def _likely(one: "Counter[Hashable]", other: "Counter[Hashable]") -> FrozenSet[Hashable]:
    """The set of cells that tells the two inputs apart best: the first few by their ratio."""
    trials = sum(one.values())
    ranked = sorted(
        one, key=lambda cell: (one[cell] + 1) / (other[cell] + 1), reverse=True
    )
    best, chosen, hits, misses = -1.0, 0, 0, 0
    for i, cell in enumerate(ranked):
        hits, misses = hits + one[cell], misses + other[cell]
        proved = _native.epsilon_at_least(hits, misses, trials, 0.01)
        if proved > best:
            best, chosen = proved, i + 1
    return frozenset(ranked[:chosen])


def _name(event: FrozenSet[Hashable], side: str) -> str:
    shown = sorted((str(cell) for cell in event))[:5]
    more = "" if len(event) <= 5 else " and %d more" % (len(event) - 5)
    return "outputs %s%s, likelier on the %s input" % (", ".join(shown), more, side)


def audit(
    mechanism: Callable[[Any], Any],
    left: Any,
    right: Any,
    *,
    claim: Number,
    trials: int = 100000,
    confidence: Number = Fraction(99, 100),
) -> Audit:
    """Tries to prove that ``mechanism`` has a larger epsilon than it claims.

    ``left`` and ``right`` are neighbouring inputs; the mechanism is called with each ``trials``
    times.  Outputs may be anything that can be compared; real numbers are sorted into cells.

    >>> import sotto
    >>> def home_made(x):            # noise for a sensitivity of 1, but x can move by 3
    ...     return sotto.laplace(3 * x, epsilon=1)
    >>> sotto.audit(home_made, 0, 1, claim=1, trials=20000).broken
    True
    >>> def right(x):
    ...     return sotto.laplace(3 * x, epsilon=1, sensitivity=3)
    >>> sotto.audit(right, 0, 1, claim=1, trials=20000, confidence="0.999999999").broken
    False
    """
    promised = float(_exact.positive(claim, "claim"))
    trust = _exact.share(confidence, "confidence")
    half = _exact.whole(trials, "trials", least=1000) // 2
    sign = Sign("auditing")
    samples: Dict[Tuple[str, int], List[Hashable]] = {}
    try:
        for part in (0, 1):
            for side, given in (("left", left), ("right", right)):
                drawn = samples[side, part] = []
                for i in range(half):
                    drawn.append(_cell(mechanism(given)))
                    if i % 1000 == 0:
                        sign.show((len(samples) - 1 + i / half) / 4)
    finally:
        sign.end()
    cell = _sorter(samples["left", 0], samples["right", 0])
    counts = {where: Counter(map(cell, drawn)) for where, drawn in samples.items()}
    # Both directions are tried, so each gets half of the doubt.
    alpha = float(1 - trust) / 2
    found: List[Audit] = []
    for side, other in (("left", "right"), ("right", "left")):
        event = _likely(counts[side, 0], counts[other, 0])
        hits = sum(counts[side, 1][c] for c in event)
        misses = sum(counts[other, 1][c] for c in event)
        proved = _native.epsilon_at_least(hits, misses, half, alpha)
        pair = (hits, misses) if side == "left" else (misses, hits)
        found.append(
            Audit(proved, promised, float(trust), 2 * half, pair, _name(event, side))
        )
    best = max(found, key=lambda a: a.epsilon)
    if not math.isfinite(best.epsilon):
        raise ParameterError("the runs gave no bound; use more trials")
    return best
