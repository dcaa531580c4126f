"""Devices, channels, census and the auditor."""
import csv
import itertools
import math
import os
import pickle
import subprocess
from fractions import Fraction

import pytest
import sotto
from conftest import PROGRAM, ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from sotto import census, channel, local

# ---- devices -------------------------------------------------------------------------------------------------------


def test_a_plan_names_the_best_protocol():
    plan = local.plan(users=100000, values=100, epsilon=1)
    assert plan.best in list(plan) and plan.best.sd <= 1.06 * min(c.sd for c in plan)
    assert all(c.epsilon <= 1.0000001 for c in plan) and "best" in repr(plan)
    assert plan.df().shape[0] == len(plan)
    with pytest.raises(sotto.ParameterError):
        local.plan(users=10, values=1, epsilon=1)


@pytest.mark.parametrize("protocol", ["grr", "sue", "oue", "olh", "hr", "ss"])
def test_reports_of_every_protocol_are_decoded(protocol):
    """2000 of 3000 devices hold 3: found with certainty (z above 20)."""
    params = local.params(protocol, size=8, epsilon=4)
    reports = local.encode(params, [3] * 2000 + [1] * 1000)
    assert len(reports) == 3000 and all(len(r) == params.report_bytes for r in reports)
    estimates = local.decode(params, reports)
    assert {1, 3} <= set(estimates.found())
    assert abs(estimates[3].count - 2000) < 12 * estimates[3].sd
    assert estimates.df().shape == (8, 8)


def test_rappor_finds_texts():
    params = local.params("rappor", width=64, hashes=2, groups=8, f=0.25, p=0.25, q=0.75)
    reports = local.encode(params, ["chrome"] * 6000 + ["firefox"] * 3000)
    estimates = local.decode(params, reports, ["chrome", "firefox", "lynx", "netscape"])
    assert {"chrome", "firefox"} <= set(estimates.found())
    assert estimates["chrome"].count > estimates["firefox"].count > abs(estimates["lynx"].count)
    assert estimates.fit is not None
    with pytest.raises(sotto.ParameterError, match="candidates"):
        local.decode(params, reports)
    with pytest.raises(sotto.ParameterError, match="texts or bytes"):
        local.encode(params, [1])


def test_a_device_keeps_its_cohort_and_its_answer():
    params = local.params("rappor", width=32, hashes=2, groups=16, f=0.5, p=0.001, q=0.999)
    key = bytes(range(32))
    first = [local.encode(params, "value", keys=key) for _ in range(5)]
    assert all(sum(bin(a ^ b).count("1") for a, b in zip(first[0], other)) <= 3 for other in first)
    with pytest.raises(ValueError, match="32 bytes"):
        local.encode(params, "value", keys=b"short")


def test_bytes_that_are_no_reports_are_refused_and_none_is_counted():
    params = local.params("grr", size=8, epsilon=2)
    counts = local.Aggregate(params)
    for wrong in (b"\xff", b"\x01\x09"):
        with pytest.raises(sotto.Error, match="none was counted"):
            counts.add(wrong)
    assert counts.add(b"") == 0
    assert counts.add(local.encode(params, [1, 2])) == 2
    other = local.Aggregate(params)
    other.add(local.encode(params, [3]))
    assert counts.merge(other).add(b"") == 3


def test_simulated_people_are_counted():
    params = local.params("oue", size=16, epsilon=3)
    estimates = local.simulate(params, "spike", users=5000).decode()
    assert len(estimates) == 16 and len(estimates.found()) >= 1
    again = pickle.loads(pickle.dumps(params))
    assert again == params and hash(again) == hash(params)


# ---- channels ------------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(2, 6), st.fractions(min_value=Fraction(11, 10), max_value=5, max_denominator=10))
def test_the_geometric_channel_has_exactly_its_epsilon(n, ratio):
    rows = channel.geometric(n, "ln(%s)" % ratio)
    assert all(sum(row) == 1 for row in rows)
    assert channel.verify(rows).ratio == ratio
    assert channel.is_private(rows, "ln(%s)" % ratio)
    assert not channel.is_private(rows, "ln(%s)" % (ratio - Fraction(1, 1000)))


def test_a_channel_that_never_lies_is_not_private():
    verdict = channel.verify([[1, 0], [0, 1]])
    assert verdict.infinite and verdict.witness[0] != verdict.witness[1]
    with pytest.raises(sotto.ParameterError, match="same length"):
        channel.verify([[1], [1, 2]])


def test_the_best_mechanism_is_worth_what_it_says():
    best = channel.optimal(5, "ln2", gain="identity")
    assert channel.verify(best.channel).ratio <= 2
    assert channel.utility(best.channel, gain="identity").utility == best.utility <= best.upper


def test_neighbours_beliefs_and_wishes_may_be_matrices():
    mine = channel.geometric(3, "ln2")
    path = [[0, 1], [1, 2]]
    assert channel.verify(mine, graph=path) == channel.verify(mine)
    assert channel.verify(mine, graph=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]).ratio == 2
    identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    named = channel.utility(mine, prior="uniform", gain="identity")
    assert channel.utility(mine, prior=["1/3"] * 3, gain=identity) == named
    assert channel.utility(mine, prior=[1, 0, 0], gain=identity).utility == 1
    best = channel.optimal(3, "ln2", graph=path, prior=["1/3"] * 3, gain=identity)
    assert best.utility == channel.optimal(3, "ln2", gain="identity").utility
    for wrong in (dict(prior=["1/2", "1/4", "1/8"]), dict(prior=["1/2", "1/2"]), dict(gain=[[1, 2]])):
        with pytest.raises(sotto.Error):
            channel.utility(mine, **wrong)
    with pytest.raises(sotto.Error):
        channel.verify(mine, graph=[[0, 9]])


def test_what_an_output_tells_adds_up():
    told = channel.utility(channel.geometric(4, "ln3"), gain="identity").leakage
    assert math.isclose(told.entropy, 2) and math.isclose(told.entropy - told.entropy_after, told.information)
    assert told.information <= told.shannon_capacity_up and told.guessing_after <= told.guessing_before == 2.5
    assert math.isclose(1 - told.bayes_risk, 2**told.min_entropy / 4)


def test_delta_is_exact_and_ends_where_epsilon_begins():
    mine = channel.build("k-rr", 3, "ln4")
    assert channel.delta(mine, 4) == 0 and channel.delta(mine, 1) == Fraction(1, 2)
    assert channel.is_private(mine, "ln2", delta=channel.delta(mine, 2))
    assert not channel.is_private(mine, "ln2", delta=channel.delta(mine, 2) - Fraction(1, 10**9))


def test_a_refinement_is_proved_either_way():
    fine, coarse = channel.geometric(3, "ln4"), channel.geometric(3, "ln2")
    found = channel.refines(fine, coarse)
    made = [tuple(sum(a * b for a, b in zip(row, column)) for column in zip(*found.remap)) for row in fine]
    assert made == coarse and found.gain is None
    refuted = channel.refines(coarse, fine)
    assert refuted.remap is None and not refuted.derivable
    assert channel.utility(fine, gain=refuted.gain).utility > channel.utility(coarse, gain=refuted.gain).utility


# ---- census ----------------------------------------------------------------------------------------------------------------


def test_small_problems_are_solved_exactly():
    tree = {"mode": "gls", "tree": {"value": 20, "variance": 4, "children": [
        {"name": "A", "value": 9, "variance": 1}, {"name": "B", "value": 14, "variance": 3}]}}
    nodes = census.estimate(tree, exact=True)["nodes"]
    values = [Fraction(str(node["estimate"])) for node in nodes]
    assert values[0] == values[1] + values[2]
    assert sum(census.round_counts({"values": [1.5, 2.25, 3.25], "sum": 7})["values"]) == 7
    with pytest.raises(sotto.ParameterError, match="way is"):
        census.round_counts({}, way="up")


PLAN = """
input: { microdata: people.csv }
nodes: nodes.csv
hierarchy: [{ level: Country }, { level: State, column: state }, { level: Town, column: town }]
attributes:
  - { name: sex, categories: [m, f] }
privacy: { model: zcdp, rho: 100, delta: 1e-6, neighbours: replace-one }
budget:
  levels: { Country: 1/3, State: 1/3, Town: 1/3 }
  queries: { Country: { detailed: 1 }, State: { detailed: 1 }, Town: { total: 1/2, detailed: 1/2 } }
estimate: { mode: gls }
output: { dir: out, tables: [total] }
"""


@pytest.fixture
def plan(tmp_path):
    towns = [(s, t) for s in ("s1", "s2") for t in ("t1", "t2")]
    (tmp_path / "nodes.csv").write_text("state,town\n" + "".join("%s,%s\n" % t for t in towns))
    rows = ["%s,%s,%s\n" % (*towns[i % 4], "mf"[i % 3 == 0]) for i in range(400)]
    (tmp_path / "people.csv").write_text("state,town,sex\n" + "".join(rows))
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return path


def test_a_plan_is_checked_explained_and_released(plan):
    checked = census.check(plan)
    assert isinstance(checked, dict) and not (plan.parent / "out").exists()
    assert isinstance(census.explain(plan, "s1/t2"), dict)
    with pytest.raises(sotto.MissingError):
        census.explain(plan, "nowhere/at/all")
    census.release(plan, threads=2)
    tables = {path.name: path.read_text() for path in (plan.parent / "out").glob("*.csv")}
    counts = {name: list(csv.DictReader(text.splitlines())) for name, text in tables.items()}
    totals = {name: sum(int(list(row.values())[-1]) for row in rows) for name, rows in counts.items() if rows}
    assert len(totals) >= 3 and len(set(totals.values())) == 1, totals
    assert abs(next(iter(totals.values())) - 400) < 20
    with pytest.raises(sotto.Error):  # it is there already, and nothing is overwritten
        census.release(plan)
    with pytest.raises(sotto.Error) as caught:
        census.release(plan, resume=plan.parent / "nowhere")
    assert "--" not in str(caught.value)


def test_a_release_is_charged_to_the_ledger(plan):
    policy = plan.parent / "sotto.yaml"
    policy.write_text(
        "ledger: ledger.db\nbudget: { epsilon: 400, delta: 1e-6 }\n"
        "tables: { people: { source: people.csv, unit: row } }\n"
    )
    for command in (["seal"], ["ledger", "create", "--neighbours", "replace-one"]):
        subprocess.run([PROGRAM, *command, "--policy", str(policy)], check=True, capture_output=True)
    census.release(plan, policy=policy, analyst="office")
    with sotto.connect(policy) as con:
        budget = con.budget
        assert budget.spent_rho == 100 and 200 < budget.spent.epsilon == 400 - budget.left.epsilon
        assert "rho 100" in str(con.budget)
        assert [(e.analyst, e.rho) for e in con.history() if e.kind == "release"] == [("office", 100)]


def test_a_nation_is_made_up_and_its_plan_checked(tmp_path):
    census.generate(tmp_path / "nation")
    assert isinstance(census.check(tmp_path / "nation" / "plan.yaml"), dict)
    assert abs(census.epsilon_of(rho=1, delta=1e-10).upper - 10.0343436) < 1e-6


# ---- the auditor --------------------------------------------------------------------------------------------------------------

CERTAIN = "0.999999999"


def test_a_false_claim_is_proved_false():
    def home_made(x):  # forgets that x moves by 4
        return sotto.laplace(4 * x, epsilon="1/2")

    found = sotto.audit(home_made, 0, 1, claim="1/2", trials=20000, confidence=CERTAIN)
    assert found.broken and 0.5 < found.epsilon <= 2.01 and "BROKEN" in str(found)


@pytest.mark.parametrize("epsilon", ["1/2", "1", "2"])
def test_true_claims_are_not_called_broken(epsilon):
    found = sotto.audit(
        lambda x: sotto.laplace(x, epsilon=epsilon), 10, 11, claim=epsilon, trials=20000, confidence=CERTAIN
    )
    assert not found.broken and found.epsilon > 0.5 * float(Fraction(epsilon)) - 0.1


def test_outputs_may_be_anything():
    import random

    def leaky(x):
        return {"sum": x} if random.SystemRandom().random() < 0.5 else [1.5, None]

    assert sotto.audit(leaky, 0, 1, claim=2, trials=20000, confidence=CERTAIN).broken

    def real(x):
        return x + random.SystemRandom().uniform(-1, 1)

    assert sotto.audit(real, 0.0, 1.0, claim=1, trials=20000, confidence=CERTAIN).broken
    with pytest.raises(sotto.ParameterError, match="trials"):
        sotto.audit(real, 0.0, 1.0, claim=1, trials=10)


def test_a_mechanism_that_gives_nothing_away_proves_nothing():
    assert sotto.audit(lambda x: 7, 0, 1, claim=1, trials=2000).epsilon == 0
    assert math.isfinite(sotto.audit(lambda x: x, 0, 1, claim=1, trials=2000).epsilon)


@pytest.mark.parametrize("rare", [None, "failed", math.nan, (1, 2)])
def test_an_output_of_another_kind_may_come_late(rare):
    """The cells are made from the first half of the runs; what comes in the second may be new."""
    runs = itertools.count()

    def mechanism(x):
        i = next(runs)
        return rare if i == 2000 else float(i % 997 + x)

    assert sotto.audit(mechanism, 0, 1, claim=9, trials=2000).epsilon >= 0
    assert os.path.isdir(ROOT)
