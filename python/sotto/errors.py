"""Exceptions, one for each way in which the library refuses or fails.

Every one is a :class:`Error` and carries one sentence that says what to change.  Where Python
has an exception of the same meaning, ours is that one too: a :class:`ParameterError`
is a ``ValueError``.

>>> import sotto
>>> try:
...     sotto.laplace(10, epsilon=0)
... except ValueError as error:
...     print(type(error).__name__, "-", error)
ParameterError - epsilon must be greater than 0, not 0
"""
from __future__ import annotations

import re
import sys
import warnings
from typing import Callable, Dict, Tuple, Type

from sotto import _native


class Error(Exception):
    """Something that sotto refused or could not do; ``status`` is its name in C."""

    status = "SOTTO_ESTATE"

    def __reduce__(self) -> "Tuple[Callable[..., Error], Tuple[Type[Error], str, str]]":
        return _restore, (type(self), self.status, str(self))


class ParameterError(Error, ValueError):
    """A parameter is not allowed, or is outside the supported range."""

    status = "SOTTO_EINVAL"


class ParseError(Error, ValueError):
    """A text (SQL, a policy, an event) could not be understood."""

    status = "SOTTO_EPARSE"


class RefusedError(Error):
    """The request cannot be answered privately.  Nothing was charged."""

    status = "SOTTO_EREFUSED"


class BudgetError(RefusedError):
    """The budget does not allow it.  Nothing was charged."""

    status = "SOTTO_EBUDGET"


class MissingError(Error, LookupError):
    """Something that is needed is missing: a file, a ledger, a library, a key."""

    status = "SOTTO_EMISSING"


class StateError(Error):
    """The object is not in a state that allows this: closed, not sealed, of another process."""

    status = "SOTTO_ESTATE"


class FailedError(Error, OSError):
    """Reading or writing failed, or a question failed after it was charged."""

    status = "SOTTO_EIO"


class DamagedError(Error):
    """Stored data are damaged."""

    status = "SOTTO_ECORRUPT"


class EntropyError(Error):
    """The system's random source failed.  Nothing was answered."""

    status = "SOTTO_EENTROPY"


class LessonWarning(UserWarning):
    """The ledger is in memory: what was spent is forgotten, so nobody is protected."""


class ColumnWarning(UserWarning):
    """Some cells of a data frame have another type than the rest of their column."""


def warn(text: str, category: "Type[Warning]") -> None:
    """Warns where the package was called, however deep inside it this is."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "sotto":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


_CLASSES: Dict[str, Type[Error]] = {
    "SOTTO_EINVAL": ParameterError,
    "SOTTO_ERANGE": ParameterError,
    "SOTTO_EOVERFLOW": ParameterError,
    "SOTTO_EPARSE": ParseError,
    "SOTTO_EREFUSED": RefusedError,
    "SOTTO_EINFEASIBLE": RefusedError,
    "SOTTO_EBUDGET": BudgetError,
    "SOTTO_EMISSING": MissingError,
    "SOTTO_ESTATE": StateError,
    "SOTTO_EIO": FailedError,
    "SOTTO_ECORRUPT": DamagedError,
    "SOTTO_EENTROPY": EntropyError,
}


# An option of the program, with a value if one follows: --fresh, --n 6, --mechanism gaussian.
_OPTION = re.compile(
    r"(?<![A-Za-z0-9])--([a-z]+(?:-[a-z]+)*)(?: (?:(\d[\d.]*\b)|(gaussian|laplace)\b))?"
)
_FLAGS = ("fresh",)
_COMMANDS = ("policy",)  # stays in commands for the owner: no call has it


def _argument(option: "re.Match[str]") -> str:
    name, number, word = option.groups()
    if name in _FLAGS:
        return name + "=True"
    if name in _COMMANDS:
        return option.group()
    return name.replace("-", "_") + "=" + (number or (word and '"%s"' % word) or "")


def words(text: str) -> str:
    """A sentence of the library with arguments as Python spells them.

    >>> words("give --epsilon, or ask again with --fresh; say how many there are: --n 6")
    'give epsilon=, or ask again with fresh=True; say how many there are: n=6'
    """
    return _OPTION.sub(_argument, text)


def _restore(kind: Type[Error], status: str, text: str) -> Error:
    error = kind(text)
    error.status = status
    return error


def make(status: str, text: str) -> Exception:
    """The exception for a status of the library."""
    text = words(text)
    if status == "SOTTO_ENOMEM":
        return MemoryError(text)
    return _restore(_CLASSES.get(status, Error), status, text)


_native.use_errors(make)
