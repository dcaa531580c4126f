"""Mechanisms: exact values in, noisy values out, at a cost that is known beforehand.

The functions are the short way; the classes hold the parameters, the cost and the accuracy.

>>> import sotto
>>> noisy = sotto.laplace(1204, epsilon=0.5, sensitivity=3)
>>> isinstance(noisy, int)
True
>>> mechanism = sotto.Laplace(epsilon="1/2", sensitivity=3)
>>> mechanism.cost.epsilon
Fraction(1, 2)
>>> mechanism.error(confidence=0.95)    # 95 % of all noises are no larger
18

Values are whole numbers: scalars, lists, numpy arrays, pandas series.  ``step`` makes a
mechanism work on real values, rounded to multiples of it; the sensitivity is increased by what
rounding can add.  The noise is drawn exactly, from the system's random generator; there is no seed.

:mod:`sotto.choices` has the mechanisms that choose one of a list, :mod:`sotto.streams` the one
that answers a stream of questions.
"""
from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Optional, Tuple

from sotto import _exact, _native, _values
from sotto._exact import Number
from sotto.errors import ParameterError


class Cost(NamedTuple):
    """What one release spends; ``epsilon`` is None where no bound exists (Gaussian noise)."""

    epsilon: Optional[Fraction]
    delta: Fraction
    rho: Fraction

    def __str__(self) -> str:
        if self.epsilon is None:
            return "rho %s, delta %s" % (
                _exact.short(self.rho, up=True),
                _exact.short(self.delta, up=True),
            )
        return "epsilon %s, delta %s" % (
            _exact.short(self.epsilon, up=True),
            _exact.short(self.delta, up=True),
        )


def cost_of(parts: Tuple[Optional[str], str, str]) -> Cost:
    epsilon, delta, rho = parts
    return Cost(None if epsilon is None else Fraction(epsilon), Fraction(delta), Fraction(rho))


@lru_cache(maxsize=64)
def _prepared(name: str, *parameters: Any) -> Any:
    """One prepared mechanism; they are immutable, so that equal ones are shared."""
    return getattr(_native, name)(*parameters)


class Mechanism:
    """The base of all mechanisms on numbers: call it with values, ask for its cost and its error."""

    _name = ""
    _euclidean = False

    def __init__(self, sensitivity: Number, step: Optional[Number]) -> None:
        self.sensitivity = _exact.positive(sensitivity, "sensitivity")
        self.step = _values.optional_step(step)
        if self.step is None and self.sensitivity.denominator != 1:
            raise ParameterError(
                "sensitivity must be a whole number, not %s; for real values give step="
                % sensitivity
            )

    def _steps(self, count: int) -> int:
        """The sensitivity in whole steps of the grid."""
        if self.step is None:
            return _exact.whole(self.sensitivity, "sensitivity")
        return _values.grid_sensitivity(self.step, self.sensitivity, count, self._euclidean)

    def _prepare(self, count: int) -> Any:
        raise NotImplementedError

    def __call__(self, x: Any) -> Any:
        """The noisy values of x."""
        prepared = self._prepare(_values.length(x))

        def publish(source: int, target: int, count: int) -> None:
            _native.publish(prepared, source, target, count)

        def one(value: int) -> int:
            return _native.publish_one(prepared, value)

        if self.step is None:
            return _values.add_noise(publish, one, x, self._name)
        steps, back = _values.to_steps(x, self.step)
        return back(_values.add_noise(publish, one, steps, self._name))

    def __repr__(self) -> str:
        given = ((k, v) for k, v in vars(self).items() if isinstance(v, (int, Fraction)))
        return "%s(%s)" % (type(self).__name__, ", ".join("%s=%s" % pair for pair in given))

    @property
    def cost(self) -> Cost:
        """What one release of one value costs."""
        return cost_of(_native.mechanism_cost(self._prepare(1)))

    def error(self, confidence: Number = Fraction(95, 100), n: int = 1) -> Any:
        """The error that none of n values exceeds, with this confidence."""
        beta = 1 - _exact.share(confidence, "confidence")
        steps = _native.mechanism_error(self._prepare(n), n, _exact.text(beta))
        if steps is None or self.step is None:
            return steps
        return (steps + Fraction(1, 2)) * self.step


class Laplace(Mechanism):
    """Discrete Laplace noise: P[z] proportional to exp(-|z| epsilon / sensitivity).

    For several values the sensitivity is the sum of what one unit moves; a histogram of
    disjoint cells has sensitivity 1.

    >>> import sotto
    >>> sotto.Laplace(epsilon=1).error(confidence="0.99")
    4
    >>> sotto.Laplace(epsilon=0.5, sensitivity=3)
    Laplace(sensitivity=3, epsilon=1/2)
    """

    _name = "laplace"

    def __init__(
        self, *, epsilon: Number, sensitivity: Number = 1, step: Optional[Number] = None
    ) -> None:
        super().__init__(sensitivity, step)
        self.epsilon = _exact.positive(epsilon, "epsilon")

    def _prepare(self, count: int) -> Any:
        return _prepared("laplace", _exact.text(self.epsilon), self._steps(count))


class Gaussian(Mechanism):
    """Discrete Gaussian noise, from (epsilon, delta), from rho, or from sigma itself.

    The sensitivity is Euclidean.  The calibration is certified for the discrete law.

    >>> import sotto
    >>> sotto.Gaussian(rho="1/2").cost.rho
    Fraction(1, 2)
    >>> round(sotto.Gaussian(epsilon=1, delta=1e-6).sigma, 3)
    4.231
    """

    _name = "gaussian"
    _euclidean = True

    def __init__(
        self,
        *,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        rho: Optional[Number] = None,
        sigma: Optional[Number] = None,
        sensitivity: Number = 1,
        step: Optional[Number] = None,
    ) -> None:
        super().__init__(sensitivity, step)
        given = (epsilon is not None or delta is not None, rho is not None, sigma is not None)
        if sum(given) != 1 or (epsilon is None) != (delta is None):
            raise ParameterError("give epsilon and delta, or rho, or sigma")
        self.epsilon = None if epsilon is None else _exact.positive(epsilon, "epsilon")
        self.delta = None if delta is None else _exact.share(delta, "delta")
        self.rho = None if rho is None else _exact.positive(rho, "rho")
        self._sigma = None if sigma is None else _exact.positive(sigma, "sigma")

    def _sigma2(self, count: int) -> str:
        """The square of sigma, in steps."""
        if self._sigma is not None:
            return _exact.text((self._sigma / (self.step or 1)) ** 2)
        if self.rho is not None:
            return _native.gaussian_zcdp(_exact.text(self.rho), self._steps(count))
        assert self.epsilon is not None and self.delta is not None
        return _calibrated(
            _exact.text(self.epsilon), _exact.text(self.delta), self._steps(count), max(count, 1)
        )

    def _prepare(self, count: int) -> Any:
        return _prepared("gaussian", self._sigma2(count), self._steps(count))

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise on one value, to 15 digits."""
        return math.sqrt(Fraction(self._sigma2(1))) * float(self.step or 1)


@lru_cache(maxsize=64)
def _calibrated(epsilon: str, delta: str, sensitivity: int, dimension: int) -> str:
    return _native.gaussian_calibrate(epsilon, delta, sensitivity, dimension)


class Staircase(Mechanism):
    """Less error than Laplace at a large epsilon and a sensitivity of many steps; one value.

    >>> import sotto
    >>> sotto.Staircase(epsilon=4, sensitivity=100).cost.epsilon
    Fraction(4, 1)
    """

    _name = "staircase"

    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number = 1,
        tread: int = 0,
        step: Optional[Number] = None,
    ) -> None:
        super().__init__(sensitivity, step)
        self.epsilon = _exact.positive(epsilon, "epsilon")
        self.tread = _exact.whole(tread, "tread", least=0)

    def _prepare(self, count: int) -> Any:
        if count != 1:
            raise ParameterError("staircase noise is for one value: a vector would cost more")
        return _prepared("staircase", _exact.text(self.epsilon), self._steps(1), self.tread)


class Truncated(Mechanism):
    """Geometric noise; the result is kept within a public range.

    >>> import sotto
    >>> 0 <= sotto.Truncated(epsilon=1, low=0, high=10)(3) <= 10
    True
    """

    _name = "truncated"

    def __init__(
        self, *, epsilon: Number, low: int, high: int, sensitivity: Number = 1
    ) -> None:
        super().__init__(sensitivity, None)
        self.epsilon = _exact.positive(epsilon, "epsilon")
        self.low = _exact.whole(low, "low", least=-(2**63))
        self.high = _exact.whole(high, "high", least=-(2**63))

    def _prepare(self, count: int) -> Any:
        return _prepared(
            "truncated", _exact.text(self.epsilon), self._steps(count), self.low, self.high
        )


class RandomizedResponse(Mechanism):
    """Gives the true answer or a random one of k; with two coins the classic version for yes or no.

    With ``epsilon`` the truth is kept as often as it allows.  With ``truth`` and ``yes`` the first
    coin says "tell the truth" with that probability, and otherwise the second one answers yes
    with its own.

    >>> import sotto
    >>> coins = sotto.RandomizedResponse(truth="1/2", yes="1/2")
    >>> round(float(coins.cost.epsilon), 4)     # ln 3, rounded up
    1.0986
    >>> coins.estimate(yes=60, n=100).share
    0.7
    """

    _name = "randomized response"

    def __init__(
        self,
        *,
        epsilon: Optional[Number] = None,
        k: int = 2,
        truth: Optional[Number] = None,
        yes: Number = Fraction(1, 2),
    ) -> None:
        super().__init__(1, None)
        if (epsilon is None) == (truth is None):
            raise ParameterError("give epsilon, or truth (and yes), not both")
        self.epsilon = None if epsilon is None else _exact.positive(epsilon, "epsilon")
        self.truth = None if truth is None else _exact.share(truth, "truth")
        self.yes = _exact.share(yes, "yes")
        self.k = _exact.whole(k, "k", least=2)

    def _prepare(self, count: int) -> Any:
        if self.truth is not None:
            return _prepared("coins", _exact.text(self.truth), _exact.text(self.yes))
        assert self.epsilon is not None
        return _prepared("kary", _exact.text(self.epsilon), self.k)

    def __call__(self, x: Any) -> Any:
        """The answers; truth values give truth values."""
        if isinstance(x, bool):
            return bool(super().__call__(int(x)))
        if isinstance(x, (list, tuple)) and x and all(isinstance(v, bool) for v in x):
            return [bool(v) for v in super().__call__([int(v) for v in x])]
        noisy = super().__call__(x)
        boolean = _values.is_array(x) and x.dtype.kind == "b"
        return noisy.astype(bool) if boolean else noisy

    def estimate(self, yes: int, n: int, confidence: float = 0.95) -> "Estimate":
        """Estimates the share of people whose true answer is yes, from ``yes`` answers among n."""
        if self.truth is not None:
            truth, second = self.truth, self.yes
        elif self.k == 2:
            assert self.epsilon is not None
            truth, second = _tanh_half_down(self.epsilon), Fraction(1, 2)
        else:
            raise ParameterError("an estimate of a share needs two answers, not %d" % self.k)
        return Estimate(
            *_native.coins_estimate(
                _exact.text(truth), _exact.text(second), yes, n, 1 - confidence
            )
        )


def _tanh_half_down(epsilon: Fraction) -> Fraction:
    """The first coin of two whose response costs epsilon; a figure for estimates alone."""
    return Fraction(math.tanh(float(epsilon) / 2)).limit_denominator(2**50)


class Estimate(NamedTuple):
    """The share of people whose true answer is yes, with its standard error and an interval."""

    share: float
    sd: float
    low: float
    high: float


# ---- the short way --------------------------------------------------------------------------------


def laplace(
    x: Any, *, epsilon: Number, sensitivity: Number = 1, step: Optional[Number] = None
) -> Any:
    """x with discrete Laplace noise; see :class:`Laplace`.

    >>> import sotto
    >>> len(sotto.laplace([10, 20, 30], epsilon=1))
    3
    >>> sotto.laplace("36.6", epsilon=900, sensitivity=0.1, step=0.1)     # hardly any noise
    Fraction(183, 5)
    """
    return Laplace(epsilon=epsilon, sensitivity=sensitivity, step=step)(x)


def geometric(
    x: Any,
    *,
    epsilon: Number,
    sensitivity: Number = 1,
    low: Optional[int] = None,
    high: Optional[int] = None,
) -> Any:
    """x with two-sided geometric noise; with low and high the result is kept within them.

    >>> import sotto
    >>> 0 <= sotto.geometric(2, epsilon=0.1, low=0, high=100) <= 100
    True
    """
    if low is None and high is None:
        return Laplace(epsilon=epsilon, sensitivity=sensitivity)(x)
    return Truncated(
        epsilon=epsilon,
        sensitivity=sensitivity,
        low=_values.LEAST if low is None else low,
        high=_values.MOST if high is None else high,
    )(x)


def gaussian(
    x: Any,
    *,
    epsilon: Optional[Number] = None,
    delta: Optional[Number] = None,
    rho: Optional[Number] = None,
    sigma: Optional[Number] = None,
    sensitivity: Number = 1,
    step: Optional[Number] = None,
) -> Any:
    """x with discrete Gaussian noise; see :class:`Gaussian`.

    >>> import sotto
    >>> isinstance(sotto.gaussian(100, rho=0.5), int)
    True
    """
    return Gaussian(
        epsilon=epsilon, delta=delta, rho=rho, sigma=sigma, sensitivity=sensitivity, step=step
    )(x)


def staircase(
    x: Any, *, epsilon: Number, sensitivity: Number = 1, step: Optional[Number] = None
) -> Any:
    """One value with staircase noise; see :class:`Staircase`.

    >>> import sotto
    >>> isinstance(sotto.staircase(5, epsilon=3, sensitivity=10), int)
    True
    """
    return Staircase(epsilon=epsilon, sensitivity=sensitivity, step=step)(x)


def randomized_response(
    x: Any,
    *,
    epsilon: Optional[Number] = None,
    k: int = 2,
    truth: Optional[Number] = None,
    yes: Number = Fraction(1, 2),
) -> Any:
    """x, or with some probability a random answer; see :class:`RandomizedResponse`.

    >>> import sotto
    >>> sotto.randomized_response(True, epsilon=1) in (True, False)
    True
    >>> sotto.randomized_response(3, epsilon=1, k=5) in range(5)
    True
    """
    return RandomizedResponse(epsilon=epsilon, k=k, truth=truth, yes=yes)(x)
