"""A stream of questions "is it above the threshold?", paid for only when the answer is yes."""
from __future__ import annotations

import os
from array import array
from typing import Any, NamedTuple, Optional, Sequence

from sotto import _exact, _native, _values
from sotto._exact import Number
from sotto.errors import BudgetError, ParameterError, StateError
from sotto.mechanisms import Cost, cost_of


class Above(NamedTuple):
    """One answer: above the threshold or not; a noisy value if the interaction is numeric."""

    above: bool
    value: Optional[int]


class SparseVector:
    """Questions "is it above the threshold?": any number may be below, ``positives`` above.

    >>> import sotto
    >>> stream = sotto.SparseVector(epsilon=1, threshold=1000)
    >>> stream.ask(-500000).above, stream.ask(900000).above
    (False, True)
    >>> stream.left
    0
    >>> stream.ask(5)
    Traceback (most recent call last):
    ...
    sotto.errors.BudgetError: all positives were given; begin another interaction, which costs epsilon 1 again
    """

    def __init__(
        self,
        *,
        epsilon: Number,
        threshold: int,
        sensitivity: int = 1,
        positives: int = 1,
        delta: Optional[Number] = None,
        numeric: bool = False,
        monotone: bool = False,
        optimized: bool = False,
    ) -> None:
        self.epsilon = _exact.positive(epsilon, "epsilon")
        self.numeric = numeric
        self._process = os.getpid()
        self._interactions = 1
        self._native = _native.sparse_new(
            _exact.text(self.epsilon),
            _exact.optional(delta, "delta"),
            _exact.whole(threshold, "threshold", least=-(2**63)),
            _exact.whole(sensitivity, "sensitivity"),
            _exact.whole(positives, "positives"),
            numeric,
            monotone,
            optimized,
        )

    def _refuse_at_end(self) -> None:
        if os.getpid() != self._process:  # two processes would compare with one secret threshold
            raise StateError("the interaction is of the process before fork(); begin another")
        if self.left == 0:
            raise BudgetError(
                "all positives were given; begin another interaction, which costs epsilon %s again"
                % _exact.short(self.epsilon, up=True)
            )

    def ask(self, query: int) -> Above:
        """Answers one question."""
        self._refuse_at_end()
        above, value = _native.sparse_ask(self._native, _values.whole_scalar(query))
        return Above(above, value if self.numeric and above else None)

    def scan(self, queries: Sequence[int]) -> Optional[int]:
        """Asks in order until one is above; its index, or None if none was."""
        self._refuse_at_end()
        values = (
            _values.int64_array(queries)
            if _values.is_array(queries)
            else array("q", [_values.whole_scalar(query) for query in queries])
        )
        asked, above, _ = _native.sparse_scan(self._native, _values.address(values), len(values))
        return asked - 1 if above else None

    def restart(self) -> None:
        """Begins another interaction with the same parameters; it costs the same again."""
        _native.sparse_restart(self._native)
        self._process = os.getpid()
        self._interactions += 1

    @property
    def interactions(self) -> int:
        """How many interactions were begun; each has the cost that ``cost`` states."""
        return self._interactions

    @property
    def left(self) -> int:
        """How many positives may still be answered."""
        return _native.sparse_left(self._native)

    @property
    def cost(self) -> Cost:
        """What one whole interaction costs, however many questions there are."""
        return cost_of(_native.sparse_cost(self._native))

    def error(self, questions: int, confidence: float = 0.95) -> float:
        """The error that no answer to this many questions exceeds, with this confidence."""
        return _native.sparse_error(self._native, questions, 1 - confidence)

    def __reduce__(self) -> Any:
        raise ParameterError("an interaction is one conversation and cannot be copied")
