"""Mechanisms: parameters stay exact, values keep their shape, refusals say what to change."""
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sotto
from hypothesis import given
from hypothesis import strategies as st
from sotto import _exact, _native, _values

INT64 = st.integers(-(2**62), 2**62)
SURE = 900  # an epsilon at which noise other than 0 has probability below 1e-300


# ---- exact parameters ---------------------------------------------------------------------------------


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=100, max_denominator=10**9))
def test_an_exact_epsilon_arrives_exactly(epsilon):
    assert sotto.Laplace(epsilon=epsilon).cost.epsilon == epsilon


@given(st.decimals(min_value="0.001", max_value="100", places=6))
def test_a_decimal_arrives_exactly(epsilon):
    assert sotto.Laplace(epsilon=epsilon).cost.epsilon == Fraction(epsilon)
    assert sotto.Laplace(epsilon=str(epsilon)).cost.epsilon == Fraction(epsilon)


@given(st.integers(1, 10**6), st.integers(0, 6))
def test_a_float_is_the_decimal_that_it_prints_as(digits, places):
    text = "%d.%06de-%d" % (digits // 1000 + 1, digits, places)
    assert _exact.fraction(float(text)) == Fraction(Decimal(repr(float(text))))


def test_a_tenth_is_a_tenth():
    assert sotto.Laplace(epsilon=0.1).cost.epsilon == Fraction(1, 10)
    assert sotto.Laplace(epsilon=np.float64(0.1)).cost.epsilon == Fraction(1, 10)
    assert sotto.Laplace(epsilon=np.int32(2)).cost.epsilon == 2
    assert sotto.Laplace(epsilon="1/3").cost.epsilon == Fraction(1, 3)


@pytest.mark.parametrize("bad", [0, -1, "0", "x", float("nan"), float("inf"), None, "1/0", [1]])
def test_a_bad_epsilon_is_refused_with_its_name(bad):
    with pytest.raises(sotto.ParameterError, match="^epsilon must be"):
        sotto.laplace(1, epsilon=bad)


# ---- values keep their shape -----------------------------------------------------------------------------


@given(INT64)
def test_a_scalar_comes_back(x):
    noisy = sotto.laplace(x, epsilon=SURE)
    assert noisy == x and type(noisy) is int


@given(st.lists(INT64, max_size=50))
def test_a_list_comes_back(x):
    assert sotto.laplace(x, epsilon=SURE) == x


@given(
    st.sampled_from(["i1", "i2", "i4", "i8", "u1", "u2", "u4", ">i4", "<i8", ">i8", "?"]),
    st.sampled_from([(0,), (7,), (3, 4), (2, 3, 2)]),
    st.integers(0, 3),
    st.booleans(),
)
def test_arrays_of_any_integers_strides_and_shapes_come_back(dtype, shape, seed, flip):
    x = np.random.RandomState(seed).randint(0, 2 if dtype == "?" else 100, size=shape).astype(dtype)
    if flip:
        x = x[::-1].T
    before = x.copy()
    noisy = sotto.laplace(x, epsilon=SURE)
    assert noisy.dtype == np.int64 and noisy.shape == x.shape
    assert (noisy == x.astype(np.int64)).all() and (x == before).all()


def test_a_large_array_is_done_in_blocks():
    x = np.arange(3 * _values.BLOCK + 17)
    assert (sotto.laplace(x, epsilon=SURE) == x).all()
    assert (sotto.gaussian(x, sigma="1/1000") == x).all()


def test_int64_arrays_are_read_where_they_lie(monkeypatch):
    seen = []
    real = _native.publish
    monkeypatch.setattr(_native, "publish", lambda m, a, b, n: (seen.append((a, b)), real(m, a, b, n))[1])
    x = np.arange(10)
    noisy = sotto.laplace(x, epsilon=1)
    assert seen == [(x.ctypes.data, noisy.ctypes.data)]


def test_a_pandas_series_keeps_its_index():
    pandas = pytest.importorskip("pandas")
    x = pandas.Series([5, 6, 7], index=["a", "b", "c"], name="n")
    noisy = sotto.laplace(x, epsilon=SURE)
    assert list(noisy.index) == ["a", "b", "c"] and noisy.name == "n" and list(noisy) == [5, 6, 7]


@pytest.mark.parametrize("bad", [1.5, [1, 2.5], np.array([1.5]), 2**63, [2**63], "x", np.array(["a"])])
def test_values_that_are_no_whole_numbers_are_refused(bad):
    with pytest.raises(sotto.ParameterError):
        sotto.laplace(bad, epsilon=1)


# ---- noise is there, and is as large as promised -------------------------------------------------------------


def test_noise_stays_within_the_promised_error():
    """Of 100,000 values 4.75 % to 5 % are beyond the 95 % error; 10 standard deviations of room."""
    m = sotto.Laplace(epsilon="1/20")
    noise = np.abs(m(np.zeros(100000, dtype=np.int64)))
    beyond = int((noise > m.error()).sum())
    assert 4000 < beyond < 5700


def test_gaussian_noise_has_its_deviation():
    noise = sotto.gaussian(np.zeros(100000, dtype=np.int64), sigma=30)
    assert abs(noise.std() - 30) < 30 * 10 / math.sqrt(2 * 100000)
    assert abs(noise.mean()) < 30 * 10 / math.sqrt(100000)


def test_sensitivity_scales_the_noise():
    one = np.abs(sotto.laplace(np.zeros(50000, dtype=np.int64), epsilon=1)).mean()
    ten = np.abs(sotto.laplace(np.zeros(50000, dtype=np.int64), epsilon=1, sensitivity=10)).mean()
    assert 8 < ten / one < 14


# ---- real values on a grid ----------------------------------------------------------------------------------------


@given(
    st.floats(-1e6, 1e6),
    st.sampled_from(["1/8", "0.1", "1/3", "2", "0.001", "1/1024"]),
)
def test_real_values_are_rounded_to_the_nearest_step(x, step):
    g = Fraction(step)
    exact = math.floor(Fraction(x) / g + Fraction(1, 2)) * g
    noisy = sotto.laplace(x, epsilon=SURE, sensitivity=g / 2, step=g)
    assert noisy == float(exact)


@given(st.lists(st.floats(-1e5, 1e5), min_size=1, max_size=20), st.sampled_from(["1/8", "0.1"]))
def test_arrays_round_as_scalars_do_but_for_halves(values, step):
    g = Fraction(step)
    steps, back = _values.to_steps(np.array(values), g)
    for value, n in zip(values, steps):
        assert abs(Fraction(value) / g - int(n)) <= Fraction(1, 2)
    assert np.allclose(back(steps), [int(n) * float(g) for n in steps])


def test_the_kind_of_answer_does_not_depend_on_the_value():
    """A reader of JSON makes int of 3 and float of 3.5: which it was is private."""
    for whole, part in ((3, 3.5), ([3, 7], [3, 7.5]), ([3.5, 3], [3, 3.5])):
        kinds = [
            [type(noisy) for noisy in answer] if isinstance(answer, list) else type(answer)
            for answer in (sotto.laplace(x, epsilon=1, step=0.5) for x in (whole, part))
        ]
        assert kinds[0] == kinds[1]
    assert isinstance(sotto.laplace("36.6", epsilon=1, step=0.1), Fraction)
    assert all(isinstance(n, Fraction) for n in sotto.laplace(["1", Fraction(1, 3)], epsilon=1, step=0.1))


def test_rounding_raises_the_sensitivity():
    assert sotto.Laplace(epsilon=1, sensitivity=1, step="0.5")._steps(1) == 3  # floor(1/0.5) + 1
    assert sotto.Laplace(epsilon=1, sensitivity=1, step="0.5")._steps(4) == 6
    with pytest.raises(sotto.ParameterError, match="give step="):
        sotto.laplace(1, epsilon=1, sensitivity=0.5)
    with pytest.raises(sotto.ParameterError, match="finite"):
        sotto.laplace(float("nan"), epsilon=1, step=1)


# ---- the others -----------------------------------------------------------------------------------------------------


def test_gaussian_wants_one_kind_of_parameter():
    for wrong in ({}, {"epsilon": 1}, {"rho": 1, "sigma": 2}, {"epsilon": 1, "delta": 1e-6, "rho": 1}):
        with pytest.raises(sotto.ParameterError, match="give epsilon and delta, or rho, or sigma"):
            sotto.gaussian(1, **wrong)


def test_staircase_is_for_one_value():
    with pytest.raises(sotto.ParameterError, match="one value"):
        sotto.staircase([1, 2], epsilon=1, sensitivity=5)


@given(st.integers(-50, 50))
def test_a_range_holds_the_result(x):
    assert 0 <= sotto.geometric(x, epsilon=0.5, low=0, high=10) <= 10


def test_choices_find_the_best_when_it_is_clear():
    scores = [0, 5, 100000, 7]
    for choose in (sotto.exponential, sotto.permute_and_flip, sotto.noisy_max):
        assert choose(scores, epsilon=1) == 2
        assert choose(np.array(scores), epsilon=1) == 2
        assert choose([-s for s in scores], epsilon=1, least=True) == 2
    assert sotto.noisy_max([0, 10**6, 2 * 10**6], epsilon=1, top=2) == [2, 1]
    index, gap = sotto.noisy_max([0, 10**6], epsilon=1, gap=True)
    assert index == 1 and abs(gap - 10**6) < 5000
    with pytest.raises(sotto.ParameterError, match="fewer scores"):
        sotto.noisy_max([1], epsilon=1, top=2)


def test_randomized_response_keeps_truth_values():
    assert isinstance(sotto.randomized_response(True, epsilon=1), bool)
    answers = sotto.randomized_response(np.ones(20000, dtype=bool), truth="1/2")
    assert answers.dtype == bool and abs(answers.mean() - 0.75) < 0.05
    estimate = sotto.RandomizedResponse(truth="1/2").estimate(int(answers.sum()), 20000)
    assert abs(estimate.share - 1) < 0.1
    with pytest.raises(sotto.ParameterError):
        sotto.randomized_response(5, epsilon=1, k=3)


def test_a_stream_ends_after_its_positives():
    stream = sotto.SparseVector(epsilon=1, threshold=1000, positives=2, numeric=True)
    assert stream.scan(np.array([0, 0, 10**6, 0])) == 2
    answer = stream.ask(10**6)
    assert answer.above and abs(answer.value - 10**6) < 10**4
    assert stream.left == 0 and stream.cost.epsilon == 1
    with pytest.raises(sotto.BudgetError):
        stream.ask(0)
    with pytest.raises(sotto.ParameterError):
        pickle.dumps(stream)


def test_a_stream_begins_again_at_its_cost():
    stream = sotto.SparseVector(epsilon=1, threshold=1000)
    assert stream.ask(10**6).above and stream.left == 0 and stream.interactions == 1
    stream.restart()
    assert stream.left == 1 and stream.interactions == 2
    assert not stream.ask(-(10**6)).above and stream.ask(10**6).above
    with pytest.raises(sotto.BudgetError):
        stream.ask(0)


def test_mechanisms_can_be_pickled():
    again = pickle.loads(pickle.dumps(sotto.Gaussian(epsilon=1, delta=1e-6)))
    assert again.cost == sotto.Gaussian(epsilon=1, delta=1e-6).cost


def test_an_array_is_read_where_it_lies_and_in_large_blocks(monkeypatch):
    """No copy and few calls: that is why Python is as fast as C."""
    real, calls = sotto._native.publish, []

    def publish(mechanism, source, target, count):
        calls.append((source, target, count))
        return real(mechanism, source, target, count)

    monkeypatch.setattr(sotto._native, "publish", publish)
    block = sotto._values.BLOCK
    x = np.zeros(2 * block + 5, dtype=np.int64)
    noisy = sotto.laplace(x, epsilon=1)
    wanted = [(at, min(block, len(x) - at)) for at in range(0, len(x), block)]
    assert calls == [(x.ctypes.data + 8 * at, noisy.ctypes.data + 8 * at, n) for at, n in wanted]


@pytest.mark.parametrize("value", ["secret", "12345x", object(), ["secret"], [1, "secret"], {"secret": 1}])
def test_a_refusal_does_not_repeat_the_value(value):
    with pytest.raises(sotto.ParameterError) as caught:
        sotto.laplace(value, epsilon=1)
    assert "secret" not in str(caught.value) and "12345" not in str(caught.value)


def test_a_table_is_refused_and_a_column_keeps_its_kind():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(sotto.ParameterError, match="frame.name."):
        sotto.laplace(pandas.DataFrame({"a": [1]}), epsilon=1)

    class Series:  # of polars: a name first, no index
        def __init__(self, name, values):
            self.name, self._values, self.dtype = name, values, "int64"

        def __len__(self):
            return len(self._values)

        def to_numpy(self):
            return np.asarray(self._values)

    noisy = sotto.laplace(Series("n", [1, 2]), epsilon=1)
    assert type(noisy) is Series and noisy.name == "n" and len(noisy.to_numpy()) == 2
