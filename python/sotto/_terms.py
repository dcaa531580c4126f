"""What is said about data frames, as a policy says it (sotto-policy(5))."""
from __future__ import annotations

import datetime
import json
import re
from typing import Any, Dict, Mapping, Optional, Sequence

from sotto import _exact
from sotto._exact import Number
from sotto.errors import ParameterError
from sotto.frames import Source

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def decimal(value: Number, name: str) -> str:
    """A number as a policy writes it."""
    exact = _exact.fraction(value, name)
    below = exact.denominator
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
    if below != 1:
        raise ParameterError("%s must be a decimal number, not %s" % (name, value))
    digits = 0
    while exact.denominator != 1:
        exact, digits = exact * 10, digits + 1
    return str(int(exact)) if digits == 0 else "%de-%d" % (int(exact), digits)


def _column_terms(name: str, said: Any) -> Dict[str, Any]:
    """(low, high) are bounds, a list is the public keys, a dictionary is what a policy says."""
    if isinstance(said, tuple):
        if len(said) != 2:
            raise ParameterError("the bounds of %s are a pair (low, high)" % name)
        return {"bounds": [_bound(bound, name) for bound in said]}
    if isinstance(said, Mapping):
        terms = dict(said)
        if "bounds" in terms:
            terms.update(_column_terms(name, tuple(terms["bounds"])))
        return terms
    if isinstance(said, Sequence) and not isinstance(said, str):
        return {"keys": list(said)}
    raise ParameterError(
        "columns says of %s a pair (low, high), a list of keys, or a dictionary" % name
    )


def _bound(bound: Any, name: str) -> "Raw":
    if isinstance(bound, datetime.datetime):
        bound = bound.date()
    if isinstance(bound, str) and _DAY.fullmatch(bound):
        return Raw(bound)
    if isinstance(bound, datetime.date):
        return Raw(bound.isoformat())
    return Raw(decimal(bound, "a bound of " + name))


class Raw(str):
    """A number that is written without quotes."""


def _yaml(value: Any) -> str:
    """What a policy says, in YAML's flow style."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Mapping):
        inside = ", ".join("%s: %s" % (_yaml(str(k)), _yaml(v)) for k, v in value.items())
        return "{ %s }" % inside
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(_yaml(item) for item in value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, datetime.date):
        return json.dumps(value.isoformat())
    if isinstance(value, (bool, int, type(None))):
        return json.dumps(value)
    return decimal(value, "a number of the policy")


def _unit_terms(table: str, unit: Any, root: str, names: Sequence[str]) -> Any:
    if isinstance(unit, Mapping):
        if table not in unit:
            raise ParameterError("unit says nothing of the table %s" % table)
        return unit[table]
    if unit != "row" and unit not in names:
        raise ParameterError(
            "the table %s has no column %s, the privacy unit; an index becomes one with "
            "frame.reset_index()" % (table, unit)
        )
    if unit == "row" or table == root:
        return unit
    return {"column": unit, "via": "%s.%s -> %s.%s" % (table, unit, root, unit)}


def _meant(key: str, table: str, there: Sequence[str]) -> Optional[str]:
    """The column of this table that is meant by "column" or "table.column", if any is."""
    if key in there:
        return key
    named, _, column = key.partition(".")
    return column if named == table and column in there else None


def policy(
    tables: Mapping[str, Source],
    unit: Any,
    budget: Dict[str, Any],
    columns: Mapping[str, Any],
    limits: Dict[str, int],
    public: Sequence[str],
    ledger: str,
) -> Dict[str, Any]:
    """What a policy says of these tables, by name."""
    private = [name for name in tables if name not in public]
    for name in public:
        if name not in tables:
            raise ParameterError("public names %s, which is not a table" % name)
    if not private:
        raise ParameterError("every table is public; there is nothing to protect")
    used = set()
    # A question that is given up was paid for: whoever waits decides, with Ctrl-C.
    patience = {"limit": "1h"}
    out: Dict[str, Any] = {"ledger": ledger, "budget": budget, "time": patience, "tables": {}}
    for name, source in tables.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ParameterError("%r is not a name of a table; use letters, digits and _" % (name,))
        there = source.columns
        terms: Dict[str, Any] = {"source": name + ".parquet"}
        if name in public:
            terms["public"] = True
        else:
            terms["unit"] = _unit_terms(name, unit, private[0], there)
            terms.update(limits)
        said = {}
        for key, value in columns.items():
            column = _meant(key, name, there)
            if column is not None:
                said[column] = _column_terms(key, value)
                used.add(key)
        if said:
            terms["columns"] = said
        out["tables"][name] = terms
    for key in columns:
        if key not in used:
            raise ParameterError("columns names %s, which no table has" % key)
    return out


def written(policy: Mapping[str, Any]) -> str:
    """A policy as a file, with a line for each part."""
    return "".join("%s: %s\n" % (_yaml(name), _yaml(said)) for name, said in policy.items())
