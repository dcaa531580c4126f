"""The same questions over HTTP, to ``sotto serve``; uses only the standard library."""
from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from fractions import Fraction
from typing import Any, Dict, List, Optional, Tuple

from sotto import _exact, errors
from sotto._wait import run
from sotto.connection import Connection, Parts, Question

# The codes of the server's problem documents.
_STATUS = {
    "not-understood": "SOTTO_EPARSE",
    "not-allowed": "SOTTO_EINVAL",
    "bad-number": "SOTTO_EINVAL",
    "no-sql": "SOTTO_EINVAL",
    "too-large": "SOTTO_ERANGE",
    "too-long": "SOTTO_ERANGE",
    "out-of-range": "SOTTO_ERANGE",
    "not-private": "SOTTO_EREFUSED",
    "budget": "SOTTO_EBUDGET",
    "missing": "SOTTO_EMISSING",
    "no-key": "SOTTO_EMISSING",
    "bad-key": "SOTTO_EMISSING",
    "conflict": "SOTTO_ESTATE",
    "busy": "SOTTO_ESTATE",
    "slow-down": "SOTTO_ESTATE",
    "too-many": "SOTTO_ESTATE",
    "not-open": "SOTTO_ESTATE",
    "wrong-role": "SOTTO_EREFUSED",
    "out-of-memory": "SOTTO_ENOMEM",
    "failed": "SOTTO_EIO",
}
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key goes to the server that was named, and nowhere else."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """No other request."""


class ServerConnection(Connection):
    """A server that holds the data; your key says who asks."""

    def __init__(self, url: str, key: Optional[str], timeout: Optional[float]) -> None:
        if not key:
            raise errors.ParameterError("a server needs key=, as sotto user add printed it")
        host = urllib.parse.urlsplit(url).hostname
        if url.startswith("http://") and host not in _LOOPBACK:
            errors.warn("the key goes to %s without encryption; use https" % host, UserWarning)
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
        except (http.client.HTTPException, ValueError):
            raise errors.make(
                "SOTTO_EIO", "what the server %s replied could not be read" % self._url
            ) from None

    def _call(self, path: str, body: Optional[Dict[str, Any]] = None) -> Any:
        def call() -> Any:
            return self._request(path, body)

        return run(call, "waiting for the server")

    # ---- the same as a policy's connection ------------------------------------------------------------

    def _query(self, question: Question) -> Parts:
        return _answer(self._call("query", _body(question)))

    def _preview(self, question: Question) -> Parts:
        return _answer(self._call("explain", dict(_body(question), preview=True)))

    def _explain(self, question: Question) -> Parts:
        reply = self._call("explain", _body(question))
        return dict(
            reply,
            lines=[(line["section"], line["name"], line["text"]) for line in reply["lines"]],
            columns=[
                tuple(
                    c[name]
                    for name in (
                        "name",
                        "type",
                        "noisy",
                        "error",
                        "error_times_count",
                        "typical_error",
                    )
                )
                for c in reply["columns"]
            ],
            cost=_pair(reply["cost"]),
            left=_pair(reply["left"]),
        )

    def _totals(self) -> Parts:
        reply: Parts = self._call("budget")
        whole, left = _pair(reply["budget"]), _pair(reply["left"])
        epsilon, delta, rho = _spent(reply["spent"])
        spent = (0 if epsilon is None else epsilon, delta)
        return dict(
            reply, budget=whole, spent=spent, left=left, rho=rho if epsilon is None else None
        )

    def _entries(self) -> List[Parts]:
        entries: List[Parts] = []
        more = True
        while more:
            after = entries[-1]["number"] if entries else 0
            reply = self._call("history?after=%d" % after)
            entries += [
                dict(e, cost=_spent(e["cost"]), kind="release") for e in reply["entries"]
            ]
            more = bool(reply["more"] and reply["entries"])
        return entries

    def _listed(self) -> List[Parts]:
        return [
            dict(
                t,
                max_groups=t["max_groups"] or 0,
                max_rows=t["max_rows"] or 0,
                columns=[dict(c, **_bounds(c["bounds"])) for c in t["columns"]],
            )
            for t in self._call("tables")["tables"]
        ]


def _body(question: Question) -> Dict[str, Any]:
    """What is said, and nothing of what is left out."""
    return {k: v for k, v in question._asdict().items() if v not in (None, False)}


def _answer(reply: Parts) -> Parts:
    columns = [(c["name"], c["type"], c["noisy"], c["biased"]) for c in reply["columns"]]
    kinds = [c[1] for c in columns]
    sides = [
        [
            tuple(None if pair is None else _as(pair[side], kind) for pair, kind in zip(row, kinds))
            for row in reply["intervals"]
        ]
        for side in (0, 1)
    ]
    return dict(
        reply,
        columns=columns,
        rows=[tuple(_as(value, kind) for value, kind in zip(row, kinds)) for row in reply["rows"]],
        lows=sides[0],
        highs=sides[1],
        cost=_pair(reply["cost"]),
        left=_pair(reply["left"]),
    )


def _bounds(bounds: Any) -> Dict[str, Any]:
    low, high = bounds or (None, None)
    return {"low": low, "high": high, "days": isinstance(low, str) and low.count("-") >= 2}


def _as(value: Any, kind: str) -> Any:
    """A number column may hold whole numbers in JSON."""
    return float(value) if kind == "number" and isinstance(value, int) else value


def _pair(amounts: Dict[str, Any]) -> Tuple[Fraction, Fraction]:
    return _exact.fraction(amounts["epsilon"]), _exact.fraction(amounts["delta"])


def _spent(cost: Dict[str, Any]) -> Tuple[Optional[Fraction], Fraction, Fraction]:
    """Epsilon, or None where none bounds the loss; delta; and then rho."""
    epsilon = cost["epsilon"]
    return (
        None if epsilon is None else _exact.fraction(epsilon),
        _exact.fraction(cost["delta"]),
        _exact.fraction(cost.get("rho", 0)),
    )


def _problem(error: urllib.error.HTTPError) -> Exception:
    """The exception for a problem document."""
    try:
        problem = json.loads(error.read())
        status = _STATUS.get(problem["code"], "SOTTO_EIO")
        return errors.make(status, problem["title"])
    except (ValueError, KeyError, TypeError):
        return errors.make("SOTTO_EIO", "the server replied %d and no sentence" % error.code)
