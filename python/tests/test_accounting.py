"""The accountant says the same as the library, as intervals."""
import pickle

import pytest
import sotto
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(max_examples=20)
@given(st.integers(1, 50), st.integers(1, 20))
def test_pure_costs_add_up(n, tenths):
    event = "laplace(epsilon=%d/10)" % tenths
    upper = sotto.Accountant().add(event, times=n).epsilon(delta=0, method="basic").upper
    assert abs(upper - n * tenths / 10) < 1e-9 and upper >= n * tenths / 10 - 1e-12


def test_the_best_is_no_worse_than_any_theorem_and_has_a_lower_side():
    a = sotto.Accountant("gaussian(sigma=10)*100", "laplace(epsilon=0.1)*50")
    best = a.epsilon(delta=1e-6)
    assert 0 < best.lower <= best.upper < best.lower * 1.01
    for interval in a.methods(delta=1e-6).values():
        assert interval is None or best.upper <= interval.upper


def test_delta_is_the_inverse_of_epsilon():
    a = sotto.Accountant("gaussian(sigma=10)*100")
    epsilon = a.epsilon(delta=1e-6).upper
    assert a.delta(epsilon=repr(epsilon)).upper <= 1.001e-6
    assert sotto.account("gaussian(sigma=10)*100", epsilon=5).upper == a.delta(epsilon=5).upper


def test_solving_meets_the_target_from_the_safe_side():
    found = sotto.solve("gaussian(sigma=?)*12", epsilon=1, delta=1e-6)
    assert found.parameter == "sigma" and found.epsilon.upper <= 1
    less = "gaussian(sigma=%s)*12" % (found.value * 999 / 1000)
    assert sotto.account(less, delta=1e-6).upper > 1


@pytest.mark.parametrize("wrong", ["gaussian(sigma=2)", "gaussian(sigma=?, sensitivity=?)"])
def test_one_parameter_is_looked_for(wrong):
    with pytest.raises(sotto.ParameterError, match="write \\? for one parameter"):
        sotto.solve(wrong, epsilon=1)


def test_texts_that_are_no_events_are_refused_with_their_place():
    with pytest.raises(sotto.ParseError, match="character|position|known|unknown"):
        sotto.Accountant("gausian(sigma=2)")
    with pytest.raises(ValueError, match="neighbours is"):
        sotto.Accountant(neighbours="friends")


def test_an_accountant_can_be_pickled():
    a = sotto.Accountant("gaussian(sigma=10)*100", neighbours="add-remove")
    b = pickle.loads(pickle.dumps(a))
    assert b.events == a.events and b.epsilon(delta=1e-6) == a.epsilon(delta=1e-6)


def test_the_curve_falls_and_is_drawn():
    pytest.importorskip("matplotlib")
    a = sotto.Accountant("gaussian(sigma=3)")
    deltas = a.curve([0.1, 0.5, 1, 2])
    assert all(x.upper >= y.upper and x.lower <= x.upper for x, y in zip(deltas, deltas[1:]))
    ax = a.plot()
    assert ax.get_xlabel() == "epsilon" and len(ax.lines) == 1


def test_what_has_no_epsilon_is_refused():
    with pytest.raises(sotto.RefusedError):
        sotto.account("gaussian(sigma=2)", delta=0)


def test_a_curve_has_the_order_in_which_it_was_asked():
    mine = sotto.Accountant("gaussian(sigma=3)")
    up, down = mine.curve([0.25, 0.5, 1]), mine.curve([1, 0.25, 0.5])
    assert [down[1], down[2], down[0]] == up and up[0].upper > up[2].upper


@pytest.mark.parametrize("call", [lambda: sotto.Accountant(neighbours="some"), lambda: sotto.Accountant().epsilon(method="none")])
def test_names_that_are_not_allowed_are_parameters(call):
    with pytest.raises(sotto.ParameterError, match="is "):
        call()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: sotto.account("gaussian(sigma=9)", delta=2), "delta must be at least 0 and below 1"),
        (lambda: sotto.account("gaussian(sigma=9)", delta=-1), "delta must be"),
        (lambda: sotto.account("gaussian(sigma=9)", epsilon=-1), "epsilon must not be negative"),
        (lambda: sotto.solve("gaussian(sigma=?)", epsilon=1, delta=1), "delta must be"),
        (lambda: sotto.account("gaussian(sigma=9)"), "give delta="),
    ],
)
def test_targets_that_make_no_sense_are_refused_with_a_sentence(call, words):
    with pytest.raises(sotto.Error, match=words):
        call()
