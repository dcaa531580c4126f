"""The same questions over HTTP, to ``sotto serve``.  Nothing but the standard library is used."""
from __future__ import annotations

import datetime
import json
import urllib.error
import urllib.parse
import urllib.request
import warnings
from fractions import Fraction
from typing import Any, Dict, List, Optional, Tuple

from sotto import _exact, errors
from sotto._exact import Number
from sotto._wait import run
from sotto.answer import (
    Answer,
    Budget,
    Entry,
    Explanation,
    Table,
    TableColumn,
    bounds_of,
    budget_from,
    from_parts,
)
from sotto.connection import Connection

# The codes of the server's problem documents.
_STATUS = {
    "not-understood": "SOTTO_EPARSE",
    "not-allowed": "SOTTO_EINVAL",
    "bad-number": "SOTTO_EINVAL",
    "no-sql": "SOTTO_EINVAL",
    "out-of-range": "SOTTO_ERANGE",
    "not-private": "SOTTO_EREFUSED",
    "budget": "SOTTO_EBUDGET",
    "missing": "SOTTO_EMISSING",
    "no-key": "SOTTO_EMISSING",
    "bad-key": "SOTTO_EMISSING",
    "conflict": "SOTTO_ESTATE",
    "failed": "SOTTO_EIO",
}
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key goes to the server that was named, and nowhere else."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """No other request."""


class ServerConnection(Connection):
    """A server that holds the data; one's key says who asks."""

    def __init__(self, url: str, key: Optional[str], timeout: Optional[float]) -> None:
        if not key:
            raise errors.ParameterError("a server needs key=, as sotto user add printed it")
        host = urllib.parse.urlsplit(url).hostname
        if url.startswith("http://") and host not in _LOOPBACK:
            warnings.warn(
                "the key goes to %s without encryption; use https" % host, UserWarning, stacklevel=3
            )
        self._url, self._key, self._timeout = url.rstrip("/"), key, timeout
        # A server on this machine is not asked by way of another one.
        near = [urllib.request.ProxyHandler({})] if host in _LOOPBACK else []
        self._opener = urllib.request.build_opener(_NoRedirect, *near)
        self._closed = False

    def __repr__(self) -> str:
        return "<sotto connection to %s>" % self._url

    def close(self) -> None:
        self._closed = True

    # ---- requests --------------------------------------------------------------------------------

    def _request(self, path: str, body: Optional[Dict[str, Any]]) -> Any:
        if self._closed:
            raise errors.StateError("the connection was closed; connect again")
        request = urllib.request.Request(
            self._url + "/v1/" + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": "Bearer " + self._key,
                "Content-Type": "application/json",
            },
        )
        try:
            with self._opener.open(request, timeout=self._timeout) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            raise _problem(error) from None
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            reason = getattr(error, "reason", error)
            raise errors.make(
                "SOTTO_EIO", "the server %s could not be reached: %s" % (self._url, reason)
            ) from None

    def _call(self, path: str, body: Optional[Dict[str, Any]] = None) -> Any:
        def call() -> Any:
            return self._request(path, body)

        return run(call, "waiting for the server")

    # ---- the same as a policy's connection ------------------------------------------------------------

    def sql(
        self,
        query: str,
        *,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        error: Optional[Number] = None,
        fresh: bool = False,
    ) -> Answer:
        reply = self._call("query", dict(_question(query, epsilon, delta, error), fresh=fresh))
        lows = [tuple(pair and pair[0] for pair in row) for row in reply["intervals"]]
        highs = [tuple(pair and pair[1] for pair in row) for row in reply["intervals"]]
        parts = dict(
            reply,
            columns=[(c["name"], c["type"], c["noisy"]) for c in reply["columns"]],
            rows=[
                tuple(_as(value, c["type"]) for value, c in zip(row, reply["columns"]))
                for row in reply["rows"]
            ],
            lows=lows,
            highs=highs,
            cost=_pair(reply["cost"]),
            left=_pair(reply["left"]),
        )
        return from_parts(parts)

    def explain(
        self,
        query: str,
        *,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        error: Optional[Number] = None,
    ) -> Explanation:
        reply = self._call("explain", _question(query, epsilon, delta, error))
        parts = dict(
            reply,
            lines=[(line["section"], line["name"], line["text"]) for line in reply["lines"]],
            columns=[
                (c["name"], c["type"], c["noisy"], c["error"], c["error_times_count"])
                for c in reply["columns"]
            ],
            cost=_pair(reply["cost"]),
            left=_pair(reply["left"]),
        )
        return Explanation(parts)

    def preview(
        self,
        query: str,
        *,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        error: Optional[Number] = None,
    ) -> Answer:
        raise errors.MissingError("a server has no previews; use explain")

    @property
    def budget(self) -> Budget:
        reply = self._call("budget")
        return budget_from(
            dict(
                reply,
                budget=_pair(reply["budget"]),
                spent=_pair(reply["spent"]),
                left=_pair(reply["left"]),
            )
        )

    def history(self) -> List[Entry]:
        entries: List[Entry] = []
        more = True
        while more:
            after = entries[-1].number if entries else 0
            reply = self._call("history?after=%d" % after)
            entries += [_entry(e) for e in reply["entries"]]
            more = bool(reply["more"] and reply["entries"])
        return entries

    @property
    def tables(self) -> List[Table]:
        return [
            Table(
                t["name"],
                t["public"],
                t["unit"],
                t["max_groups"] or 0,
                t["max_rows"] or 0,
                [
                    TableColumn(
                        c["name"],
                        c["type"],
                        c["nullable"],
                        _bounds(c["bounds"]),
                        c["keys"],
                    )
                    for c in t["columns"]
                ],
            )
            for t in self._call("tables")["tables"]
        ]


def _bounds(bounds: Any) -> Optional[Tuple[Any, Any]]:
    if bounds is None:
        return None
    days = isinstance(bounds[0], str) and bounds[0].count("-") >= 2
    return bounds_of(bounds[0], bounds[1], days)


def _as(value: Any, kind: str) -> Any:
    """A number column may hold whole numbers in JSON."""
    return float(value) if kind == "number" and isinstance(value, int) else value


def _question(
    query: str, epsilon: Optional[Number], delta: Optional[Number], error: Optional[Number]
) -> Dict[str, Any]:
    said = {"epsilon": epsilon, "delta": delta, "error": error}
    numbers = {k: _exact.text(v, k) for k, v in said.items() if v is not None}
    return dict(numbers, sql=query)


def _pair(amounts: Dict[str, Any]) -> Tuple[Fraction, Fraction]:
    return _exact.fraction(amounts["epsilon"]), _exact.fraction(amounts["delta"])


def _entry(e: Dict[str, Any]) -> Entry:
    epsilon, delta = _pair(e["cost"])
    when = datetime.datetime.fromtimestamp(e["time"], datetime.timezone.utc)
    return Entry(e["number"], when, e["analyst"], e["query"], epsilon, delta, e["answered"])


def _problem(error: urllib.error.HTTPError) -> Exception:
    """The exception for a problem document."""
    try:
        problem = json.loads(error.read())
        status = _STATUS.get(problem["code"], "SOTTO_EIO")
        return errors.make(status, problem["title"])
    except (ValueError, KeyError, TypeError):
        return errors.make("SOTTO_EIO", "the server replied %d and no sentence" % error.code)
