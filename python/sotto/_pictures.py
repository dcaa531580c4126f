"""Answers for people: text tables, HTML with whiskers, matplotlib."""
from __future__ import annotations

import html
import importlib
import math
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

from sotto.errors import MissingError, ParameterError

if TYPE_CHECKING:
    from sotto.accounting import Interval
    from sotto.answer import Answer


def _number(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "%.6g" % value
    return str(value)


def _half(value: Any, interval: "Optional[Interval]") -> Optional[float]:
    """The wider half of an interval around a value."""
    if interval is None or value is None:
        return None
    return float(max(interval.upper - value, value - interval.lower))


# ---- text -----------------------------------------------------------------------------------------


def _decimals(values: Sequence[Any], halves: Sequence[Optional[float]], kind: str) -> Optional[int]:
    """So many places that the smallest margin of a column has three digits, as the program has it.

    None: too small or too large for that; each number then has the digits that it needs.
    """
    pairs = [(abs(v), h) for v, h in zip(values, halves) if v is not None and h]
    if kind not in ("integer", "number") or not pairs or not max(v + h for v, h in pairs) < 1e15:
        return None
    if kind == "integer":
        return 0
    places = 2 - math.floor(math.log10(min(h for _, h in pairs)))
    return max(places, 0) if places <= 12 else None


def _noisy(values: Sequence[Any], halves: Sequence[Optional[float]], kind: str) -> Tuple[List[str], List[str]]:
    """The cells of a noisy column, and its margins."""
    places = _decimals(values, halves, kind)
    if places is None:
        return [_number(v) for v in values], ["" if h is None else "%.3g" % h for h in halves]
    return (
        [_number(v) if v is None or not h else "%.*f" % (places, v) for v, h in zip(values, halves)],
        ["" if h is None else "%.*f" % (places, h) for h in halves],
    )


def _cells(answer: "Answer") -> Tuple[List[str], List[List[str]], List[bool]]:
    head: List[str] = []
    right: List[bool] = []
    columns: List[List[str]] = []
    for column in answer.columns:
        values = answer[column.name]
        head.append(column.name)
        right.append(column.type in ("integer", "number"))
        if column.noisy and any(answer.interval(column.name)):
            halves = [_half(v, i) for v, i in zip(values, answer.interval(column.name))]
            head.append("+-")
            right.append(True)
            columns += _noisy(values, halves, column.type)
        else:
            columns.append([_number(value) for value in values])
    return head, [list(row) for row in zip(*columns)] if columns else [], right


def answer_text(answer: "Answer") -> str:
    head, rows, right = _cells(answer)
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    lines = [
        "  ".join(
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(row, widths, right)
        ).rstrip()
        for row in [head] + rows
    ]
    return "\n".join(lines + ["", answer.summary()] + answer.notes)


# ---- HTML -----------------------------------------------------------------------------------------

_WIDTH, _HEIGHT = 120, 14


def _whisker(value: float, interval: "Interval", low: float, high: float) -> str:
    """A small picture of an interval on the scale of its column."""
    span = (high - low) or 1.0

    def at(x: float) -> float:
        return 4 + (_WIDTH - 8) * (x - low) / span

    a, b, c = at(interval.lower), at(value), at(interval.upper)
    middle = _HEIGHT / 2
    return (
        '<svg width="%d" height="%d" role="img" aria-label="from %s to %s">'
        '<g stroke="currentColor" fill="currentColor">'
        '<path d="M%.1f %.1fH%.1fM%.1f 3V%dM%.1f 3V%d" fill="none"/>'
        '<circle cx="%.1f" cy="%.1f" r="2.5"/></g></svg>'
        % (
            _WIDTH,
            _HEIGHT,
            _number(float(interval.lower)),
            _number(float(interval.upper)),
            a,
            middle,
            c,
            a,
            _HEIGHT - 3,
            c,
            _HEIGHT - 3,
            b,
            middle,
        )
    )


def _html_column(answer: "Answer", name: str, noisy: bool) -> List[str]:
    values, intervals = answer[name], answer.interval(name)
    known = [i for i in intervals if i is not None]
    low = min((i.lower for i in known), default=0.0)
    high = max((i.upper for i in known), default=1.0)
    cells = []
    for value, interval in zip(values, intervals):
        text = html.escape(_number(value))
        if noisy and interval is not None and value is not None:
            text = '%s</td><td title="%s">%s' % (
                text,
                html.escape("95 %%: %s to %s" % (_number(interval.lower), _number(interval.upper))),
                _whisker(float(value), interval, float(low), float(high)),
            )
        elif noisy:
            text += "</td><td>"
        cells.append("<td>%s</td>" % text)
    return cells


def answer_html(answer: "Answer") -> str:
    head = "".join(
        "<th%s>%s</th>" % (' colspan="2"' if c.noisy else "", html.escape(c.name))
        for c in answer.columns
    )
    columns = [_html_column(answer, c.name, c.noisy) for c in answer.columns]
    rows = "".join("<tr>%s</tr>" % "".join(row) for row in zip(*columns))
    notes = "".join("<br>%s" % html.escape(note) for note in answer.notes)
    return (
        "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table><p><small>%s%s</small></p>"
        % (head, rows, html.escape(answer.summary()), notes)
    )


# ---- matplotlib -------------------------------------------------------------------------------------


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise MissingError("matplotlib is not installed; install it to draw") from None
    return pyplot.subplots()[1]


def answer(answer: "Answer", name: Optional[str], ax: Any) -> Any:
    noisy = [c.name for c in answer.columns if c.noisy and any(answer.interval(c.name))]
    name = name or (noisy[0] if noisy else None)
    if name is None:
        raise ParameterError("the answer has no noisy column to draw")
    keys = [c.name for c in answer.columns if not c.noisy]
    labels = [", ".join(_number(answer[k][i]) for k in keys) for i in range(len(answer))]
    rows = [
        (label, value, interval)
        for label, value, interval in zip(labels, answer[name], answer.interval(name))
        if value is not None and interval is not None
    ]
    ax = _axes(ax)
    places = list(range(len(rows)))
    ax.errorbar(
        [value for _, value, _ in rows],
        places,
        xerr=[
            [value - interval.lower for _, value, interval in rows],
            [interval.upper - value for _, value, interval in rows],
        ],
        fmt="o",
        capsize=4,
    )
    ax.set_yticks(places)
    ax.set_yticklabels([label for label, _, _ in rows])
    ax.invert_yaxis()
    ax.set_ylabel(", ".join(keys))
    ax.set_xlabel("%s, with 95 %% intervals" % name)
    ax.figure.tight_layout()
    return ax


def curve(epsilons: Sequence[float], deltas: "Sequence[Interval]", ax: Any) -> Any:
    ax = _axes(ax)
    ax.semilogy(epsilons, [max(d.upper, 1e-300) for d in deltas])
    ax.set_xlabel("epsilon")
    ax.set_ylabel("delta")
    ax.grid(True, which="major", alpha=0.3)
    ax.figure.tight_layout()
    return ax


def estimates(names: Sequence[str], rows: Sequence[Any], ax: Any) -> Any:
    """Estimates of counts with their intervals."""
    ax = _axes(ax)
    places = list(range(len(rows)))
    ax.errorbar(
        places,
        [row.count for row in rows],
        yerr=[[row.count - row.low for row in rows], [row.high - row.count for row in rows]],
        fmt="o",
        capsize=4,
    )
    ax.set_xticks(places)
    ax.set_xticklabels(names, rotation=45, ha="right")
    ax.set_ylabel("people, with intervals")
    ax.figure.tight_layout()
    return ax
