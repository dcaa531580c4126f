"""The same questions over HTTP give the same as beside the data."""
import re
import subprocess
import warnings
from fractions import Fraction

import pytest
import sotto
from conftest import PROGRAM

GROUPS = "SELECT sex, COUNT(*) AS n, AVG(age) AS age FROM patients GROUP BY sex"


@pytest.fixture
def server(hospital):
    """(address, alice's key, path of the policy)"""
    key = subprocess.run(
        [PROGRAM, "user", "add", "alice", "--policy", hospital], capture_output=True, text=True, check=True
    ).stdout.strip()
    process = subprocess.Popen(
        [PROGRAM, "serve", "--policy", hospital, "--http", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        url = None
        for line in process.stdout:
            url = url or (re.search(r"console and API\s+(\S+)", line) or [None, None])[1]
            if line.startswith("stop with"):
                break
        if url is None:
            pytest.skip("sotto serve did not start: %s" % process.stderr.read())
        yield url, key, hospital
    finally:
        process.terminate()
        process.communicate()


def test_answers_over_http_are_those_beside_the_data(server):
    url, key, policy = server
    with sotto.connect(url, key=key) as far:
        answer = far.sql(GROUPS, epsilon="0.5")
        assert answer["sex"] == ["F", "M"] and answer.cost.epsilon == Fraction(1, 2)
        for value, interval in zip(answer["n"], answer.interval("n")):
            assert interval.lower <= value <= interval.upper
        assert far.sql(GROUPS, epsilon="0.5").repeated
        with sotto.connect(policy, analyst="alice") as near:
            same = near.sql(GROUPS, epsilon="0.5")
            assert same.repeated and same.rows == answer.rows
            assert same.interval("age") == answer.interval("age")
            assert near.tables == far.tables
            assert near.explain(GROUPS, epsilon=1).error("n") == far.explain(GROUPS, epsilon=1).error("n")
        assert far.budget.spent.epsilon == Fraction(1, 2) and far.budget.releases == 1
        assert [e.epsilon for e in far.history()] == [Fraction(1, 2)]
        assert str(answer).startswith("sex")

        shown = far.preview(GROUPS, epsilon=1)
        assert shown.made_up and shown["sex"] == ["F", "M"] and not answer.made_up
        assert far.budget.spent.epsilon == Fraction(1, 2)
        with pytest.raises(sotto.RefusedError):
            far.preview("SELECT age FROM patients")
        assert "Gauss" in far.explain(GROUPS, epsilon=1, delta="1e-7", mechanism="gaussian").mechanism
        assert answer.df().equals(same.df()) and answer.columns == same.columns

        with pytest.raises(sotto.RefusedError):
            far.sql("SELECT age FROM patients")
        with pytest.raises(sotto.ParseError):
            far.sql("SELEC")
        with pytest.raises(sotto.BudgetError):
            far.sql(GROUPS, epsilon=100)
    with pytest.raises(sotto.StateError):
        far.sql(GROUPS)
    with sotto.connect(url, key=key[:-1] + ("A" if key[-1] != "A" else "B")) as stranger:
        with pytest.raises(sotto.MissingError):
            stranger.budget


def test_a_server_needs_a_key_and_an_address_that_answers():
    with pytest.raises(sotto.ParameterError, match="key="):
        sotto.connect("http://127.0.0.1:1")
    with pytest.raises(sotto.FailedError, match="could not be reached"):
        sotto.connect("http://127.0.0.1:1", key="sk").budget


def test_a_key_without_encryption_is_warned_of():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        sotto.connect("http://data.example", key="sk")
        sotto.connect("https://data.example", key="sk")
        sotto.connect("http://127.0.0.1:7654", key="sk")
    assert len(seen) == 1 and "without encryption" in str(seen[0].message)
