#!/usr/bin/env python3
# sotto sensitivity prints a formula beside each number: worked out as it stands there, with its brackets, it is that number, for every
# query, relation of neighbours, minimum, answer for no records and number of contributions.
#
# Seen to fail: with the brackets of (m + c) left out, every number was right and the formula of the average was not.
import itertools
import json
import os
import re
import subprocess
from fractions import Fraction
from math import floor

SOTTO = os.environ.get("SOTTO", "build/sotto")
TOKEN = re.compile(r"\s*(\d+|max|min|floor|[ABcekmj]|[-+/^(),|])")


class Formula:
    """Reads sums of products: no sign between two factors is a product, | | is what it is without its sign."""

    def __init__(self, text, values):
        self.values, self.at, self.tokens = values, 0, []
        while text.strip():
            found = TOKEN.match(text)
            assert found, text
            self.tokens.append(found.group(1))
            text = text[found.end():]

    def next(self, *wanted):
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def whole(self):
        value = self.sum()
        assert self.at == len(self.tokens), self.tokens[self.at:]
        return value

    def sum(self, inside=None):
        value = self.product(inside)
        while sign := self.next("+", "-"):
            value += self.product(inside) if sign == "+" else -self.product(inside)
        return value

    def product(self, inside):
        value = self.power()
        while self.at < len(self.tokens):
            if self.next("/"):
                value /= self.power()
            elif self.tokens[self.at] in ("+", "-", ")", ",", inside):
                break
            else:
                value *= self.power()
        return value

    def power(self):
        value = self.factor()
        return value ** int(self.factor()) if self.next("^") else value

    def factor(self):
        token = self.tokens[self.at]
        self.at += 1
        if token == "(":
            value = self.sum()
            assert self.next(")")
            return value
        if token == "|":
            value = abs(self.sum("|"))
            assert self.next("|")
            return value
        if token in ("max", "min", "floor"):
            assert self.next("(")
            values = [self.sum()]
            while self.next(","):
                values.append(self.sum())
            assert self.next(")")
            return {"max": max, "min": min, "floor": lambda v: Fraction(floor(v[0]))}[token](values)
        return self.values[token] if token in self.values else Fraction(int(token))


def work_out(formula, values):
    if ", j = " in formula:
        formula, j = formula.split(", j = ")
        values = values | {"j": Formula(j, values).whole()}
    return Formula(formula, values).whole()


def ask(query, options):
    words = [SOTTO, "sensitivity", query, "--format", "json"]
    for name, value in options.items():
        words += ["--" + name, *map(str, value if isinstance(value, tuple) else (value,))]
    done = subprocess.run(words, capture_output=True, text=True)
    return json.loads(done.stdout, parse_float=str) if done.returncode == 0 else None


tests = 0


def verdict(wrong, name):
    global tests
    tests += 1
    for w in wrong:
        print("#", w)
    print("%s %d - %s" % ("not ok" if wrong else "ok", tests, name), flush=True)


def check(query):
    wrong, seen = [], 0
    for (low, high), least, empty, c in itertools.product(((-2, 3), (1, 4)), (0, 1, 2, 5), (None, -7, 9), (1, 2, 7)):
        if (query, least) in (("sample-variance", 0), ("sample-variance", 1)) or (least and empty):
            continue
        options = {"range": (low, high), "min": least, "contributions": c, "counts": 4 if query == "counts" else None,
                   "empty": empty}
        if query in ("count", "counts", "histogram", "percentage"):
            low, high = 0, 100
            del options["range"]
        if query in ("count", "counts", "histogram", "sum"):
            del options["min"], options["empty"]
        a = ask(query, {k: v for k, v in options.items() if v is not None})
        if not a:
            wrong.append("refused: %s %s" % (query, options))
            continue
        # without a word the answer for no records is the lowest, and that of a variance 0
        nothing = empty if empty is not None else 0 if "variance" in query else low
        values = {"A": low, "B": high, "c": c, "m": least, "e": nothing, "k": 4}
        for way in ("add_remove", "replace"):
            m = max(least, {"replace": 2, "add_remove": 1}[way]) if query == "variance" else max(least, 1)
            got = work_out(a[way]["formula"], {k: Fraction(v) for k, v in (values | {"m": m}).items()})
            seen += 1
            if got != Fraction(a[way]["exact"]):
                wrong.append("%s %s, %s: %s is %s, not %s" % (query, options, way, a[way]["formula"], got, a[way]["exact"]))
    verdict(wrong[:5], "%s: %d formulas are their numbers" % (query, seen))


for query in ("count", "counts", "histogram", "sum", "average", "percentage", "max", "min", "median", "variance", "sample-variance"):
    check(query)
print("1..%d" % tests)
