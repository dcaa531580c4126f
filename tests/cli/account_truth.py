# What a workload truly costs, from the definitions: every outcome is listed with its probability under two neighbours,
# in decimals of 80 digits and more.  At most one event is continuous; its delta(epsilon) is integrated in closed form for each
# outcome of the others.  Nothing here is shared with the accountant, not even the arithmetic.
from decimal import Decimal as D, getcontext
from math import comb

getcontext().Emax, getcontext().Emin = 10**12, -10**12
OUTCOMES_MAX = 20000
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")


def set_digits(n):
    """How many digits: some 80 more than the delta that is looked at has zeros, since losses cancel at their sum."""
    getcontext().prec = n


set_digits(80)


class TooMany(Exception):
    pass


# ---- finite pairs: lists of (P, Q), the probabilities of one outcome under the two neighbours ----

def response(epsilon, k=2):
    e = D(epsilon).exp()
    total = e + k - 1
    return [(e / total, 1 / total), (1 / total, e / total)] + ([(D(k - 2) / total,) * 2] if k > 2 else [])


def response_by_probability(p, k):
    other = (1 - D(p)) / (k - 1)
    return [(D(p), other), (other, D(p))] + ([((k - 2) * other,) * 2] if k > 2 else [])


def approx(epsilon, delta):
    rest = 1 - D(delta)
    return [(p * rest, q * rest) for p, q in response(epsilon)] + [(D(delta), D(0)), (D(0), D(delta))]


# Noise with mass (1-r)/(1+r) r^|x| on the integers, against the same moved by n steps.
def geometric(epsilon, n):
    r = (-D(epsilon) / n).exp()
    end = 1 / (1 + r)
    inside = [((1 - r) / (1 + r) * r**x, (1 - r) / (1 + r) * r**(n - x)) for x in range(1, n)]
    return [(end, end * r**n)] + inside + [(end * r**n, end)]


def discrete_gaussian(sigma, n):
    v = D(sigma) * D(sigma)
    reach = int(D(50) * D(sigma)) + n + 4
    mass = {x: (-D(x * x) / (2 * v)).exp() for x in range(-reach - n, reach + n + 1)}
    total = sum(mass.values())
    return [(mass[x] / total, mass[x - n] / total) for x in range(-reach, reach + n + 1)]


# Each other user is a clone with probability c; half of the clones say the same as the first of the two inputs.
def shuffle(epsilon0, n, binary):
    e = D(epsilon0).exp()
    c = 2 / (e + 1) if binary else 1 / e
    truth = e / (1 + e)
    pair = {}
    for clones in range(n):
        weight = comb(n - 1, clones) * c**clones * (1 - c)**(n - 1 - clones)
        for a in range(clones + 1):
            both = weight * comb(clones, a) / D(2)**clones
            for d, chance in ((1, truth), (0, 1 - truth)):
                for side, x in ((0, a + d), (1, a + 1 - d)):
                    pair.setdefault((x, clones), [D(0), D(0)])[side] += both * chance
    return [tuple(v) for v in pair.values()]


def sample(pair, rate, direction):
    q = D(rate)
    if direction == "remove":
        return [((1 - q) * b + q * a, b) for a, b in pair]
    return [(a, (1 - q) * a + q * b) for a, b in pair]


# Outcomes of one likelihood ratio are one outcome.
def merge(pair):
    pair = [x for x in pair if x[0] or x[1]]
    pair.sort(key=lambda x: (x[0] / x[1] if x[1] else D("Infinity")))
    out = []
    same = D(10) ** (20 - getcontext().prec)
    for p, q in pair:
        if out and abs(out[-1][0] * q - p * out[-1][1]) <= same * p * out[-1][1]:
            out[-1] = (out[-1][0] + p, out[-1][1] + q)
        else:
            out.append((p, q))
    return out


def compose(first, second):
    if len(first) * len(second) > OUTCOMES_MAX:
        raise TooMany
    return merge([(a * c, b * d) for a, b in first for c, d in second])


# ---- disjoint cells: the pair whose curve is the largest of the cells' curves ----

# With t = e^epsilon a pair's curve is U - t V, U and V the masses of the outcomes above t.  The larger curve turns where
# one of them does, or where two cross; where it turns, V falls by the Q-mass of an outcome with P = t Q.
class Line:
    def __init__(self, pair, t):
        self.U = sum((p for p, q in pair if p > t * q), D(0))
        self.V = sum((q for p, q in pair if p > t * q), D(0))

    def at(self, t):
        return self.U - t * self.V


def crossings(lines, a, b):
    for i, f in enumerate(lines):
        for g in lines[:i]:
            if f.V != g.V:
                t = (f.U - g.U) / (f.V - g.V)
                if a < t < b:
                    yield t


def envelope(pairs):
    knots = sorted({D(0)} | {p / q for pair in pairs for p, q in pair if q})
    turns = set(knots)
    for a, b in zip(knots, knots[1:]):
        turns |= set(crossings([Line(pair, (a + b) / 2) for pair in pairs], a, b))
    turns = sorted(turns)
    out, V = [], D(1)
    for i, t in enumerate(turns):
        middle = (t + turns[i + 1]) / 2 if i + 1 < len(turns) else t + 1
        top = max((Line(pair, middle) for pair in pairs), key=lambda f: f.at(middle))
        if V > top.V:
            out.append((t * (V - top.V), V - top.V))
        V = min(V, top.V)
    return merge(out + [(max(sum((p for p, q in pair if not q), D(0)) for pair in pairs), D(0))])


# ---- continuous laws: delta as a function of y = epsilon, which may be negative ----

def tail(x):  # P(N > x)
    if x < 0:
        return 1 - tail(-x)
    if x > 6:  # continued fraction
        f = x
        for i in range(260, 0, -1):
            f = x + D(i) / f
        return (-x * x / 2).exp() / (f * (2 * PI).sqrt())
    term = total = x  # sum of x^(2i+1)/(1 3 5 ...) times the density
    i = 1
    while abs(term) > D("1e-78"):
        term = term * x * x / (2 * i + 1)
        total += term
        i += 1
    return D("0.5") - total * (-x * x / 2).exp() / (2 * PI).sqrt()


def gaussian_delta(mu):
    return lambda y: tail(y / mu - mu / 2) - y.exp() * tail(y / mu + mu / 2)


def laplace_delta(e):
    def delta(y):
        if y >= e:
            return D(0)
        return 1 - y.exp() if y <= -e else 1 - ((y - e) / 2).exp()
    return delta


def sampled_delta(inner, rate, direction):
    q = D(rate)

    def remove(y):
        s = (y.exp() - 1 + q) / q
        return 1 - y.exp() if s <= 0 else q * inner(s.ln())

    def add(y):
        v = 1 - y.exp() * (1 - q)
        return D(0) if v <= 0 else v * inner(y + (q / v).ln())
    return remove if direction == "remove" else add


# ---- workloads ----

FINITE = {
    "pure": lambda a: response(a["epsilon"]),
    "approx": lambda a: approx(a["epsilon"], a["delta"]),
    "geometric": lambda a: geometric(a["epsilon"], a.get("sensitivity", 1)),
    "discrete-gaussian": lambda a: discrete_gaussian(a["sigma"], a.get("sensitivity", 1)),
    "randomized-response": lambda a: response_by_probability(a["p"], a.get("k", 2)) if "p" in a else response(a["epsilon"], a.get("k", 2)),
    "shuffle": lambda a: shuffle(a["epsilon0"], a["n"], a.get("randomizer") == "binary"),
}


# An event is (name, parameters, children, count); grouped ones are moved as far as k people move an answer.
def grouped(name, a, k):
    a = dict(a)
    if name in ("pure", "laplace"):
        a["epsilon"] = str(D(a["epsilon"]) * k)
    elif name == "geometric":  # per step the same
        a["epsilon"] = str(D(a["epsilon"]) * k)
        a["sensitivity"] = a.get("sensitivity", 1) * k
    elif name == "discrete-gaussian":
        a["sensitivity"] = a.get("sensitivity", 1) * k
    elif name == "gaussian":
        a["sensitivity"] = a.get("sensitivity", 1) * k
    elif name == "randomized-response":  # see reports()
        pass
    else:
        raise TooMany
    return a


def reports(event):
    """How often an event is made: k people make k reports."""
    name, a, children, count = event
    return count * a["k"] if name == "group" and children[0][0] == "randomized-response" else count


def finite_pair(event, direction):
    """The outcomes of one event, once."""
    name, a, children, _ = event
    if name == "sampled":
        return merge(sample(finite_pair(children[0], direction), a["rate"], direction))
    if name == "group":
        name, a = children[0][0], grouped(children[0][0], children[0][1], a["k"])
    if name not in FINITE or reports(event) != event[3]:
        raise TooMany
    return merge(FINITE[name](a))


# Who is added or removed is in one cell; who is replaced leaves one and enters another.
def cells_pair(cells, direction, replace):
    pairs = [finite_pair(c, direction) for c in cells]
    if replace:
        pairs = [compose(a, b) for i, a in enumerate(pairs) for b in pairs[:i]]
    if sum(len(pair) for pair in pairs) > 300:
        raise TooMany
    return envelope(pairs)


class Workload:
    """delta(epsilon) in one direction."""

    def __init__(self, events, direction, replace=False):
        self.direction = direction
        self.outcomes = [(D(1), D(1))]
        self.base = None
        mu2 = D(0)
        for event in events:
            name, a, children, count = event
            count, rate = reports(event), None
            if name == "parallel":
                pair = cells_pair(children, direction, replace)
                for _ in range(count):
                    self.outcomes = compose(self.outcomes, pair)
                continue
            if name == "group":
                name, a = children[0][0], grouped(children[0][0], children[0][1], a["k"])
            elif name == "sampled":
                rate, (name, a) = a["rate"], children[0][:2]
            if name == "gaussian" and rate is None:
                mu2 += count * (D(a.get("sensitivity", 1)) / D(a["sigma"]))**2
            elif name in ("gaussian", "laplace"):
                if self.base or count > 1:
                    raise TooMany
                base = gaussian_delta(D(a.get("sensitivity", 1)) / D(a["sigma"])) if name == "gaussian" else laplace_delta(D(a["epsilon"]))
                self.base = sampled_delta(base, rate, direction) if rate else base
            else:
                pair = FINITE[name](a)
                if rate:
                    pair = sample(pair, rate, direction)
                pair = merge(pair)
                for _ in range(count):
                    self.outcomes = compose(self.outcomes, pair)
        if mu2 and self.base:
            raise TooMany
        if mu2:
            self.base = gaussian_delta(mu2.sqrt())
        if self.base and len(self.outcomes) > 60:
            raise TooMany

    def delta(self, epsilon):
        y = D(epsilon)
        if y > 10**9:  # beyond every finite loss here
            return sum((p for p, q in self.outcomes if not q), D(0))
        e = y.exp()
        if not self.base:
            return sum((p - e * q for p, q in self.outcomes if p > e * q), D(0))
        return sum((p if not q else p * self.base(y - (p / q).ln()) for p, q in self.outcomes if p), D(0))


# Disjoint cells alone: the largest of their curves.
class Cells:
    def __init__(self, cells, direction):
        self.cells = [Workload([c], direction) for c in cells]

    def delta(self, epsilon):
        return max(c.delta(epsilon) for c in self.cells)


def largest_loss(w):
    if w.base or any(p and not q for p, q in w.outcomes):
        raise TooMany
    return max((p / q).ln() for p, q in w.outcomes if p)


# A group of k by what is known of one: delta(epsilon/k) (e^epsilon - 1)/(e^(epsilon/k) - 1), and its largest
# loss.  Other theorems know other bounds, which may be better.
class Box:
    def __init__(self, event, k, direction):
        self.one, self.k = Workload([event], direction), k
        self.top = max(largest_loss(Workload([event], d)) for d in ("remove", "add"))

    def formula(self, epsilon):
        y = D(epsilon)
        factor = (y.exp() - 1) / ((y / self.k).exp() - 1) if y else D(self.k)
        return min(D(1), self.one.delta(y / self.k) * factor)

    def delta(self, epsilon):
        return min(self.formula(epsilon), 1 - min(D(0), D(epsilon) - self.k * self.top).exp())

    def inner(self, epsilon):
        """The delta of one that the formula needs."""
        return self.one.delta(D(epsilon) / self.k)


# What zCDP says of the same group: rho = (k D)^2/(2 sigma^2), which sampling does not lower, at the best order.
def zcdp_epsilon(rho, delta):
    def at(x):  # any order 1 + x gives a bound
        return (1 + x) * rho + (x / (1 + x)).ln() - (D(delta).ln() + (1 + x).ln()) / x

    low, high = D("1e-6"), D("1e6")
    for _ in range(400):  # the bound falls, then rises
        a, b = low ** 2 * high, low * high ** 2
        a, b = (a.ln() / 3).exp(), (b.ln() / 3).exp()
        low, high = (low, b) if at(a) < at(b) else (a, high)
    return at(low)


def is_box(event):
    return event[0] == "group" and event[2][0][0] in ("sampled", "shuffle")


def way(events, direction, replace):
    name, a, children, count = events[0]
    if len(events) == 1 and count == 1 and name == "parallel" and not replace:
        return Cells(children, direction)
    if any(is_box(e) for e in events):
        if len(events) > 1 or count > 1:
            raise TooMany
        return Box(children[0], a["k"], direction)
    return Workload(events, direction, replace)


class Truth:
    def __init__(self, events, replace=False):
        self.is_bound = any(is_box(e) for e in events)
        self.ways = [way(events, d, replace) for d in ("remove", "add")]

    def delta(self, epsilon):
        return max(w.delta(epsilon) for w in self.ways)

    def most(self, epsilon):
        """What a lower side is about: of a group, the formula alone."""
        return max(w.formula(epsilon) for w in self.ways) if self.is_bound else self.delta(epsilon)
