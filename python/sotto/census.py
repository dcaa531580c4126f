"""Tables for every level of a geography that add up.

A release is described by a plan, a file (sotto-release-plan(5)).  :func:`check` says what it would
cost and how wrong its tables would be, :func:`release` makes it.

>>> from sotto import census
>>> census.epsilon_of(rho=1, delta=1e-10).upper < 11
True
"""
from __future__ import annotations

import json
import os
from array import array
from typing import Any, Dict, NamedTuple, Optional, Union

from sotto import _exact, _native
from sotto._exact import Number
from sotto._wait import run
from sotto.errors import ParameterError

Path = Union[str, "os.PathLike[str]"]


class Conversion(NamedTuple):
    """What rho-zCDP implies at a delta, rounded up; and by the older formula."""

    upper: float
    bun_steinke: float


def check(plan: Path) -> Dict[str, Any]:
    """What a plan would cost and how large its errors would be; no private data are read."""
    path = os.fspath(plan)
    said: Dict[str, Any] = json.loads(run(lambda: _native.census_check(path), "checking"))
    return said


def explain(plan: Path, node: str = "/") -> Dict[str, Any]:
    """What is measured in one node of a plan, what must hold there, and the error of its total."""
    path = os.fspath(plan)
    said: Dict[str, Any] = json.loads(
        run(lambda: _native.census_explain(path, node), "explaining")
    )
    return said


def release(
    plan: Path,
    *,
    policy: Optional[Path] = None,
    analyst: Optional[str] = None,
    threads: int = 0,
    resume: Optional[Path] = None,
) -> None:
    """Charges, measures, estimates, and writes the tables into the plan's folder.

    An interrupted release goes on with ``resume``, the folder that it wrote to.
    """
    seen = array("Q", [0, 0])
    where = seen.buffer_info()[0]
    said = [None if path is None else os.fspath(path) for path in (policy, resume)]
    run(
        lambda: _native.census_release(os.fspath(plan), said[0], analyst, threads, said[1], where),
        "releasing",
        lambda: seen[0] / seen[1] if seen[1] else 0.0,
        keep=(seen,),
    )


def generate(folder: Path, *, counties: int = 1, seed: int = 1) -> None:
    """Writes a made-up nation with the shape of the United States, and a plan for it."""
    os.makedirs(os.fspath(folder), exist_ok=True)
    run(lambda: _native.census_generate(os.fspath(folder), counties, seed), "generating")


def _small(what: str, problem: Dict[str, Any], exact: bool) -> Any:
    text = json.dumps(problem)
    return json.loads(run(lambda: _native.census_small(what, text, exact), "computing"))


def estimate(problem: Dict[str, Any], *, exact: bool = False) -> Any:
    """The best estimates of a small hierarchy that agree with each other (sotto-release(1))."""
    return _small("estimate", problem, exact)


def variance(problem: Dict[str, Any], *, exact: bool = False) -> Any:
    """The variances of those estimates."""
    return _small("variance", problem, exact)


def round_counts(problem: Dict[str, Any], *, way: str = "l1", exact: bool = False) -> Any:
    """Rounds to non-negative whole numbers that still add up: l1, unbiased or fast."""
    if way not in ("l1", "unbiased", "fast"):
        raise ParameterError("way is l1, unbiased or fast, not %s" % way)
    return _small("round-" + way, problem, exact)


def epsilon_of(rho: Number, delta: Number) -> Conversion:
    """The epsilon that rho-zCDP implies at a delta."""
    return Conversion(
        *_native.census_convert(_exact.text(rho, "rho"), _exact.text(delta, "delta"))
    )
