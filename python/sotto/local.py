"""Local differential privacy: each device adds noise itself, so that nobody has to be trusted.

>>> from sotto import local
>>> best = local.plan(users=20000, values=8, epsilon=2).best
>>> best.protocol, best.params.report_bytes
('grr', 1)
>>> reports = local.encode(best.params, [3] * 600 + [5] * 400)
>>> estimates = local.decode(best.params, reports)
>>> len(estimates), {3, 5} <= set(estimates.found())
(8, True)
"""
from __future__ import annotations

import dataclasses
from array import array
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

from sotto import _exact, _native
from sotto._exact import Number
from sotto._wait import run
from sotto.errors import ParameterError

Item = Union[int, str, bytes]


class Params:
    """What a collection agrees on: a protocol, its sizes and its probabilities.

    Made by :func:`params` or :func:`plan`.  ``bytes(params)`` is what devices and servers compare.
    """

    def __init__(self, stored: bytes) -> None:
        self._stored = bytes(stored)
        said = _native.local_describe(self._stored, 1)
        self.protocol: str = said["protocol"]
        #: Of one report, and of any number of reports of one value; rounded up.
        self.epsilon: float = said["epsilon"]
        self.permanent: float = said["permanent"]
        self.report_bytes: int = said["report_bytes"]
        self.size: int = said["size"]
        self.takes_number: bool = said["takes_number"]

    def epsilon_after(self, reports: int) -> float:
        """The epsilon of a number of reports of one value."""
        after: float = _native.local_describe(self._stored, reports)["after"]
        return after

    def __bytes__(self) -> bytes:
        return self._stored

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Params) and self._stored == other._stored

    def __hash__(self) -> int:
        return hash(self._stored)

    def __reduce__(self) -> Any:
        return Params, (self._stored,)

    def __repr__(self) -> str:
        return "<%s, epsilon %.6g a report of %d bytes>" % (
            self.protocol,
            self.epsilon,
            self.report_bytes,
        )


def params(protocol: str, **fields: Any) -> Params:
    """Parameters by name: ``size``, ``width``, ``hashes``, ``groups``, ``epsilon``, ``f``, ``p``, ``q``, ...

    sotto-local(1) says what each protocol needs.

    >>> from sotto import local
    >>> rappor = local.params("rappor", width=32, hashes=2, groups=8, f=0.5, p=0.25, q=0.75)
    >>> rappor.protocol, rappor.takes_number, round(rappor.epsilon, 2), round(rappor.permanent, 2)
    ('rappor', False, 2.04, 4.39)
    """
    lines = ["protocol " + protocol]
    for name, value in fields.items():
        if isinstance(value, bool):
            lines.append("%s %s" % (name, "yes" if value else "no"))
        elif isinstance(value, (int, str)):
            lines.append("%s %s" % (name, value))
        else:
            exact = _exact.fraction(value, name)
            lines.append("%s %s" % (name, exact))
    return Params(_native.local_params("\n".join(lines) + "\n"))


class Choice(NamedTuple):
    """One protocol for a question, and how well it does."""

    protocol: str
    params: Params
    sd: float
    detects: float
    epsilon: float
    report_bytes: int


class Plan:
    """All protocols that answer a question; ``best`` is the most accurate one."""

    def __init__(self, choices: List[Choice], best: Choice) -> None:
        self.choices, self.best = choices, best

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    def df(self) -> Any:
        """A pandas DataFrame."""
        from sotto.answer import _module

        return _module("pandas").DataFrame([c._asdict() for c in self.choices]).drop(columns="params")

    def __repr__(self) -> str:
        lines = ["%-10s %8s %10s %8s %6s" % ("protocol", "bytes", "sd", "detects", "epsilon")]
        for c in self.choices:
            mark = "  best" if c is self.best else ""
            lines.append(
                "%-10s %8d %10.4g %8.3g %6.4g%s"
                % (c.protocol, c.report_bytes, c.sd, c.detects, c.epsilon, mark)
            )
        return "\n".join(lines)


def plan(
    users: int,
    values: int,
    epsilon: Number,
    *,
    reports: int = 1,
    memoize: bool = False,
    alpha: float = 0.05,
) -> Plan:
    """Compares the protocols for this many users and values."""
    said = _native.local_plan(
        _exact.whole(users, "users"),
        _exact.whole(values, "values", least=2),
        _exact.text(_exact.positive(epsilon, "epsilon")),
        _exact.whole(reports, "reports"),
        memoize,
        alpha,
    )
    choices, best = [], None
    for c in said:
        choice = Choice(
            c["protocol"], Params(c["params"]), c["sd"], c["detects"], c["epsilon"], c["report_bytes"]
        )
        choices.append(choice)
        if c["best"]:
            best = choice
    return Plan(choices, best or choices[0])


# ---- on the device ------------------------------------------------------------------------------------


def encode(
    params: Params,
    values: Union[Item, Sequence[Item]],
    *,
    keys: Union[None, bytes, Sequence[bytes]] = None,
    metric: Union[str, bytes] = b"",
) -> Union[bytes, List[bytes]]:
    """The report of one value, or the reports of many devices with one value each.

    A device has a secret key of 32 bytes that never changes: cohorts and remembered answers come
    from it.  Without ``keys`` every value is of a new device with a key of its own, which suits
    simulations and protocols that remember nothing.
    """
    single = isinstance(values, (int, str, bytes)) and not isinstance(values, bool)
    listed: List[Item] = [values] if single else list(values)  # type: ignore[list-item, arg-type]
    joined = None
    if keys is not None:
        joined = keys if isinstance(keys, bytes) else b"".join(keys)
    name = metric.encode() if isinstance(metric, str) else metric
    if not listed:
        return []
    numbers = array("Q")
    texts: List[Any] = []
    if params.takes_number:
        numbers.extend(_exact.whole(v, "a value", least=0) for v in listed)  # type: ignore[arg-type]
    else:
        texts = [v.encode() if isinstance(v, str) else v for v in listed]
        if not all(isinstance(v, bytes) for v in texts):
            raise ParameterError("%s takes texts or bytes, not numbers" % params.protocol)
    where = numbers.buffer_info()[0] if numbers else 0
    count = len(numbers)
    together = run(
        lambda: _native.local_encode(bytes(params), name, joined, where, count, texts),
        "encoding",
        keep=(numbers,),
    )
    size = params.report_bytes
    split = [together[i : i + size] for i in range(0, len(together), size)]
    return split[0] if single else split


# ---- on the server --------------------------------------------------------------------------------------


class Aggregate:
    """Counts of reports; sums of aggregates are exact in any order.

    >>> from sotto import local
    >>> p = local.plan(users=1000, values=4, epsilon=2).best.params
    >>> counts = local.Aggregate(p)
    >>> counts.add(local.encode(p, [1, 2, 3]))
    3
    """

    def __init__(self, params: Params) -> None:
        self.params = params
        self._native = _native.aggregate_new(bytes(params))

    def add(self, reports: Union[bytes, Iterable[bytes]]) -> int:
        """Counts reports and returns their number. If some bytes are not reports, none is counted."""
        joined = reports if isinstance(reports, bytes) else b"".join(reports)
        return _native.aggregate_add(self._native, joined)

    def merge(self, other: "Aggregate") -> "Aggregate":
        """Adds the counts of another aggregate of the same collection."""
        _native.aggregate_merge(self._native, other._native)
        return self

    def decode(
        self,
        candidates: Optional[Sequence[Item]] = None,
        *,
        alpha: float = 0.05,
        simultaneous: bool = False,
    ) -> "Estimates":
        """How many devices hold each candidate; all values if the protocol has a finite list."""
        if candidates is None:
            if not self.params.size:
                raise ParameterError("this protocol takes any text: say which candidates to look for")
            candidates = range(self.params.size)
        listed = list(candidates)
        is_text = any(isinstance(c, (str, bytes)) for c in listed)
        rows, fit = run(
            lambda: _native.local_decode(self._native, is_text, listed, alpha, simultaneous),
            "decoding",
        )
        return Estimates(listed, [Estimate(*row) for row in rows], fit)

    def mean(self, alpha: float = 0.05) -> "Mean":
        """The mean of 1bitmean values."""
        return Mean(*_native.local_decode_mean(self._native, alpha))


class Mean(NamedTuple):
    """A mean with its standard error and interval."""

    mean: float
    sd: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Estimate:
    """How many devices hold a value: unbiased, with an interval, and after post-processing."""

    count: float
    sd: float
    low: float
    high: float
    p_value: float
    significant: bool
    post: float


class Estimates:
    """One estimate for each candidate."""

    def __init__(
        self, candidates: List[Item], rows: List[Estimate], fit: Optional[Dict[str, float]]
    ) -> None:
        self.candidates, self.rows, self.fit = candidates, rows, fit

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.rows)

    def __getitem__(self, candidate: Item) -> Estimate:
        try:
            return self.rows[self.candidates.index(candidate)]
        except ValueError:
            raise ParameterError("%r was not asked about" % (candidate,)) from None

    def found(self) -> List[Item]:
        """The significant candidates, corrected for all tests."""
        return [c for c, row in zip(self.candidates, self.rows) if row.significant]

    def df(self) -> Any:
        """A pandas DataFrame."""
        from sotto.answer import _module

        frame = _module("pandas").DataFrame([dataclasses.asdict(row) for row in self.rows])
        frame.insert(0, "value", self.candidates)
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draws the estimates with their intervals; returns the axes."""
        from sotto import _pictures

        return _pictures.estimates([str(c) for c in self.candidates], self.rows, ax)

    def __repr__(self) -> str:
        lines = ["%-16s %10s %8s %22s" % ("value", "count", "sd", "interval")]
        for candidate, row in zip(self.candidates, self.rows):
            lines.append(
                "%-16s %10.4g %8.3g %10.4g .. %.4g%s"
                % (str(candidate), row.count, row.sd, row.low, row.high, " *" if row.significant else "")
            )
        return "\n".join(lines)


def decode(
    params: Params,
    reports: Union[bytes, Iterable[bytes]],
    candidates: Optional[Sequence[Item]] = None,
    *,
    alpha: float = 0.05,
    simultaneous: bool = False,
) -> Estimates:
    """How many devices hold each candidate, from their reports."""
    counts = Aggregate(params)
    counts.add(reports)
    return counts.decode(candidates, alpha=alpha, simultaneous=simultaneous)


def simulate(
    params: Params,
    holders: Union[str, Sequence[int]],
    *,
    users: int = 10000,
    values: Optional[int] = None,
    seed: int = 1,
) -> Aggregate:
    """Reports of simulated people, made by the real encoder.

    ``holders`` says how many hold each value, or names a distribution (unif, exp, gauss, zipf1,
    zipf1.5, spike) for so many users; the seed is the population's, never the noise's.  Value i
    is the number i, or the text "v1", "v2", ... of a protocol that takes texts.

    >>> from sotto import local
    >>> p = local.plan(users=5000, values=4, epsilon=3).best.params
    >>> estimates = local.simulate(p, [4000, 1000, 0, 0]).decode()
    >>> 0 in estimates.found()
    True
    """
    if isinstance(holders, str):
        count = _exact.whole(values or params.size, "values")
        people = array("Q", bytes(8 * count))
        _native.local_population(holders, count, users, seed, people.buffer_info()[0])
    else:
        people = array("Q", [_exact.whole(h, "a number of people", least=0) for h in holders])
    counts = Aggregate(params)
    where, size = people.buffer_info()
    run(
        lambda: _native.local_simulate(counts._native, where, size), "simulating", keep=(people,)
    )
    return counts
