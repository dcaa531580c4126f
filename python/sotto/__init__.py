"""sotto: differential privacy, exact from end to end.

>>> import sotto
>>> noisy = sotto.laplace(1204, epsilon=0.5)                       # one number
>>> year = sotto.account("gaussian(sigma=40)*12", delta=1e-6)      # what a year costs
>>> con = sotto.connect("sotto.yaml")                              # doctest: +SKIP
>>> con.sql("SELECT ward, COUNT(*) FROM visits GROUP BY ward")     # doctest: +SKIP

Parameters such as epsilon are exact: an ``int``, a ``Fraction``, a ``Decimal`` or a text like
``"1/3"`` is taken as it is, and a ``float`` as the decimal that it prints as, so that ``0.1`` is one
tenth.  Failures are exceptions with a sentence that says what to change (:mod:`sotto.errors`).
"""
from sotto import _native, census, channel, dbapi, errors, local
from sotto._audit import Audit, audit
from sotto.accounting import Accountant, Interval, Solution, account, solve
from sotto.answer import Amount, Answer, Budget, Column, Entry, Explanation, Table, TableColumn
from sotto.choices import exponential, noisy_max, permute_and_flip
from sotto.connection import Connection, connect
from sotto.errors import (
    BudgetError,
    ColumnWarning,
    DamagedError,
    EntropyError,
    Error,
    FailedError,
    LessonWarning,
    MissingError,
    ParameterError,
    ParseError,
    RefusedError,
    StateError,
)
from sotto.mechanisms import (
    Cost,
    Estimate,
    Gaussian,
    Laplace,
    Mechanism,
    RandomizedResponse,
    Staircase,
    Truncated,
    gaussian,
    geometric,
    laplace,
    randomized_response,
    staircase,
)
from sotto.streams import Above, SparseVector

__version__: str = _native.version

__all__ = [
    "Above",
    "Accountant",
    "Amount",
    "Answer",
    "Audit",
    "Budget",
    "BudgetError",
    "Column",
    "ColumnWarning",
    "Connection",
    "Cost",
    "DamagedError",
    "EntropyError",
    "Entry",
    "Error",
    "Estimate",
    "Explanation",
    "FailedError",
    "Gaussian",
    "Interval",
    "Laplace",
    "LessonWarning",
    "Mechanism",
    "MissingError",
    "ParameterError",
    "ParseError",
    "RandomizedResponse",
    "RefusedError",
    "Solution",
    "SparseVector",
    "Staircase",
    "StateError",
    "Table",
    "TableColumn",
    "Truncated",
    "account",
    "audit",
    "census",
    "channel",
    "connect",
    "dbapi",
    "errors",
    "exponential",
    "gaussian",
    "geometric",
    "laplace",
    "local",
    "noisy_max",
    "permute_and_flip",
    "randomized_response",
    "solve",
    "staircase",
]
