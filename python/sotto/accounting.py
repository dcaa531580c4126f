"""What many releases cost together, by every theorem, and how much noise a target needs.

>>> import sotto
>>> year = sotto.account("gaussian(sigma=40)*12", delta=1e-6)
>>> year.upper < 0.5
True
>>> sotto.solve("gaussian(sigma=?)*12", epsilon=1, delta=1e-6).value < 18
True
"""
from __future__ import annotations

import math
from array import array
from fractions import Fraction
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from sotto import _exact, _native
from sotto._exact import Number
from sotto._wait import run
from sotto.errors import ParameterError, RefusedError

METHODS = ("basic", "advanced", "kov", "zcdp", "rdp", "pld")


class Interval(NamedTuple):
    """The true value lies between the two; both are bounds that include all rounding."""

    lower: float
    upper: float

    def __str__(self) -> str:
        return "%s .. %s" % (
            _exact.short(Fraction(self.lower), up=False),
            _exact.short(Fraction(self.upper), up=True),
        )


class Solution(NamedTuple):
    """The parameter that meets a target, and the epsilon that it gives."""

    parameter: str
    value: Fraction
    epsilon: Interval


def _delta(delta: Number) -> str:
    exact = _exact.fraction(delta, "delta")
    if not 0 <= exact < 1:
        raise ParameterError("delta must be at least 0 and below 1, not %s" % delta)
    return _exact.text(exact)


def _epsilon(epsilon: Number) -> str:
    exact = _exact.fraction(epsilon, "epsilon")
    if exact < 0:
        raise ParameterError("epsilon must not be negative, but is %s" % epsilon)
    return _exact.text(exact)


def _interval(answer: Dict[str, Any], what: str) -> Interval:
    if not answer["finite"]:
        raise RefusedError("there is no such %s: %s" % (what, answer["reason"]))
    return Interval(answer["lower"], answer["upper"])


class Accountant:
    """Collects events and prices them together.

    An event is a text such as ``gaussian(sigma=10)*100``, ``laplace(epsilon=1/2)``,
    ``sampled(rate=0.01, gaussian(sigma=2))*1000``; the manual of sotto-account(1) has them all.

    >>> import sotto
    >>> budget = sotto.Accountant()
    >>> budget.add("laplace(epsilon=0.1)", times=12).add("gaussian(sigma=30)")
    Accountant('laplace(epsilon=0.1)*12', 'gaussian(sigma=30)')
    >>> budget.epsilon(delta=1e-6).upper < 1.5
    True
    >>> sorted(budget.methods(delta=1e-6))
    ['advanced', 'basic', 'kov', 'pld', 'rdp', 'zcdp']
    """

    def __init__(self, *events: str, neighbours: str = "any") -> None:
        self._neighbours = neighbours
        self._workload = _native.workload_new(neighbours)
        for event in events:
            self.add(event)

    def add(self, event: str, times: int = 1) -> "Accountant":
        """Adds an event ``times`` times; returns the accountant."""
        _native.workload_add(self._workload, event, _exact.whole(times, "times"))
        return self

    @property
    def events(self) -> List[Tuple[str, int]]:
        """Each different event and how often it happens."""
        return _native.workload_list(self._workload)

    def __repr__(self) -> str:
        texts = [
            text if count == 1 else "%s*%d" % (text, count) for text, count in self.events
        ]
        return "Accountant(%s)" % ", ".join(repr(text) for text in texts)

    def __reduce__(self) -> Any:
        return _restore, (self.events, self._neighbours)

    def epsilon(self, delta: Number = 0, method: str = "best") -> Interval:
        """The smallest epsilon at this delta."""
        return _interval(self._epsilon(delta, method), "epsilon")

    def _epsilon(self, delta: Number, method: str) -> Dict[str, Any]:
        text = _delta(delta)
        answer = run(
            lambda: _native.account_epsilon(self._workload, method, text), "accounting"
        )
        if method == "best" and answer["finite"] and answer["method"] != "pld":
            # Only the loss distribution has a lower side.
            other = run(
                lambda: _native.account_epsilon(self._workload, "pld", text), "accounting"
            )
            if other["finite"]:
                answer["lower"] = min(other["lower"], answer["upper"])
        return answer

    def delta(self, epsilon: Number, method: str = "best") -> Interval:
        """The smallest delta at this epsilon.

        >>> import sotto
        >>> sotto.Accountant("gaussian(sigma=10)*100").delta(epsilon=5).upper < 1e-3
        True
        """
        text = _epsilon(epsilon)
        answer = run(lambda: _native.account_delta(self._workload, method, text), "accounting")
        return _interval(answer, "delta")

    def methods(self, delta: Number) -> Dict[str, Optional[Interval]]:
        """The epsilon by every theorem; None where one does not apply."""
        answers = {method: self._epsilon(delta, method) for method in METHODS}
        return {
            method: Interval(a["lower"], a["upper"]) if a["finite"] else None
            for method, a in answers.items()
        }

    def curve(self, epsilons: Iterable[float]) -> List[Interval]:
        """Bounds on delta at each of these epsilons, from the loss distribution.

        >>> import sotto
        >>> [d.upper < 0.1 for d in sotto.Accountant("gaussian(sigma=3)").curve([0.5, 1])]
        [True, True]
        """
        wanted = [float(e) for e in epsilons]
        order = sorted(range(len(wanted)), key=wanted.__getitem__)
        points = array("d", [wanted[i] for i in order])
        low, high = array("d", bytes(8 * len(points))), array("d", bytes(8 * len(points)))
        first, second, third = (a.buffer_info()[0] for a in (points, low, high))
        run(
            lambda: _native.account_curve(self._workload, first, second, third, len(points)),
            "accounting",
            keep=(points, low, high),
        )
        found = dict(zip(order, zip(low, high)))
        return [Interval(*map(math.exp, found[i])) for i in range(len(wanted))]

    def plot(self, epsilons: Optional[Iterable[float]] = None, ax: Any = None) -> Any:
        """Draws delta against epsilon with matplotlib; returns the axes."""
        from sotto import _pictures

        if epsilons is None:
            top = max(self.epsilon(delta="1e-9").upper, 1e-3)
            epsilons = [top * i / 100 for i in range(1, 101)]
        points = sorted(float(e) for e in epsilons)
        return _pictures.curve(points, self.curve(points), ax)


def _restore(events: List[Tuple[str, int]], neighbours: str) -> Accountant:
    accountant = Accountant(neighbours=neighbours)
    for text, count in events:
        accountant.add(text, count)
    return accountant


def account(
    *events: str,
    delta: Optional[Number] = None,
    epsilon: Optional[Number] = None,
    method: str = "best",
) -> Interval:
    """The epsilon of events at a delta, or their delta at an epsilon.

    >>> import sotto
    >>> sotto.account("laplace(epsilon=0.1)*5", delta=0).upper
    0.5
    """
    accountant = Accountant(*events)
    if epsilon is not None and delta is not None:
        raise ParameterError("give delta to find epsilon, or epsilon to find delta, not both")
    if epsilon is not None:
        return accountant.delta(epsilon, method)
    try:
        return accountant.epsilon(0 if delta is None else delta, method)
    except RefusedError as error:
        if delta is not None:
            raise
        raise RefusedError("%s, which is 0; give delta=" % error) from None


def solve(
    *events: str, epsilon: Number, delta: Number = 0, neighbours: str = "any"
) -> Solution:
    """The smallest noise, or the largest rate or count, that meets a target.

    Write ``?`` for the unknown parameter.

    >>> import sotto
    >>> found = sotto.solve("laplace(epsilon=?)*12", epsilon=1)
    >>> found.parameter, round(float(found.value), 6)
    ('epsilon', 0.083333)
    """
    import re

    names = {
        match
        for event in events
        for match in re.findall(r"([a-z0-9]+)\s*=\s*\?", event)
        + (["count"] if re.search(r"\*\s*\?", event) else [])
    }
    if len(names) != 1:
        raise ParameterError("write ? for one parameter, as in gaussian(sigma=?)*100")
    parameter = names.pop()
    target, small = _epsilon(epsilon), _delta(delta)
    value, answer = run(
        lambda: _native.account_solve(list(events), parameter, neighbours, target, small),
        "solving",
    )
    return Solution(parameter, Fraction(value), _interval(answer, "epsilon"))


