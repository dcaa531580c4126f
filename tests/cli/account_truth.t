#!/usr/bin/env python3
# Random workloads, with parameters from tiny to huge, against account_truth.py: no bound of any theorem is below the
# truth, no lower side above it, and the two sides are close.  SOTTO_SEED=N or N-M tries these workloads alone.
#
# Faults that were planted in the accountant, each seen to fail within the first 12 workloads: the upper side of
# finite_sum.c moved down by its own slack; a discrete Gaussian of any sensitivity with the losses of sensitivity 1
# (finite_pair.c); its tails beyond 5 sigma dropped without a charge (finite_pair.c).
import json, os, random, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from account_truth import D, TooMany, Truth, set_digits, zcdp_epsilon

sotto = os.environ.get("SOTTO", os.path.join(os.getcwd(), "build/sotto"))
many = 2000 if os.environ.get("SOTTO_LONG") else 12 if os.environ.get("SOTTO_VARIANT") == "asan" else 100
CLOSE = D("1e-45")  # what the oracle itself may lose
UPPER = ("basic", "advanced", "kov", "zcdp", "rdp")


def number(r, low, high):
    """Three digits, the exponent evenly from low to high."""
    return "%.2e" % 10 ** r.uniform(low, high)


def leaf(r, finite):
    kind = r.choice(["pure", "approx", "geometric", "discrete-gaussian", "randomized-response", "shuffle"] + [] if finite else
                    ["pure", "approx", "geometric", "discrete-gaussian", "randomized-response", "laplace", "gaussian"])
    wide = r.random() < 0.3
    epsilon = number(r, -7, 2.8) if wide else number(r, -2, 0.7)
    if kind == "approx":
        return kind, {"epsilon": epsilon, "delta": number(r, -12, -1)}
    if kind == "geometric":
        return kind, {"epsilon": epsilon, "sensitivity": r.randint(1, 9)}
    if kind == "discrete-gaussian":
        return kind, {"sigma": number(r, -2.5, 0.5) if wide else number(r, -1.7, 0.4), "sensitivity": r.randint(1, 3)}
    if kind == "randomized-response":
        if r.random() < 0.3:
            return kind, {"p": "%.3f" % r.uniform(0.02, 0.98), "k": r.randint(2, 9)}
        return kind, {"epsilon": epsilon, "k": r.choice([2, 3, 7, 10, 1000])}
    if kind == "shuffle":
        return kind, {"n": r.randint(1, 14), "epsilon0": number(r, -1, 0.8), "randomizer": r.choice(["binary", "generic"])}
    if kind == "gaussian":
        return kind, {"sigma": number(r, -1.5, 2) if wide else number(r, -0.5, 1)}
    return kind, {"epsilon": epsilon}


def event(r, finite, replace):
    name, a = leaf(r, finite)
    if name == "shuffle" and not replace:
        name, a = "pure", {"epsilon": number(r, -2, 1)}
    shape = r.random()
    rate = number(r, -9, -0.01) if r.random() < 0.3 else "%.3f" % r.uniform(0.01, 0.99)
    if shape < 0.25 and not replace:
        return "sampled", {"rate": rate}, [(name, a, [], 1)], 1
    if shape < 0.35 and name in ("pure", "geometric", "discrete-gaussian", "gaussian", "laplace", "randomized-response"):
        return "group", {"k": r.randint(2, 4)}, [(name, a, [], 1)], 1
    return name, a, [], 1


def cells(r, replace):
    """Disjoint cells, repeated or beside another event."""
    inside = [event(r, True, replace) for _ in range(r.randint(2, 3))]
    beside = [event(r, True, replace) for _ in range(r.choice([0, 1]))]
    return [("parallel", {}, inside, 1 if beside else r.choice([1, 2, 3]) if replace else r.choice([2, 3]))] + beside


def workload(r, replace):
    shape = r.random()
    if shape < 0.1 and not replace:
        return [("parallel", {}, [event(r, False, False) for _ in range(r.randint(2, 3))], 1)]
    if shape < 0.2:
        return cells(r, replace)
    if shape < 0.3:
        return [("group", {"k": r.randint(2, 4)}, [event(r, replace, replace)], 1)]
    events = [event(r, i > 0 or r.random() < 0.6, replace) for i in range(r.choice([1, 1, 2, 2, 3]))]
    return [(n, a, c, r.choice([1, 1, 1, 2, 3, 5]) if n not in ("laplace", "shuffle", "sampled") else 1) for n, a, c, _ in events]


def text(e):
    name, a, children, count = e
    inside = ["%s=%s" % x for x in a.items()] + [text(c) for c in children]
    return "%s(%s)%s" % (name, ", ".join(inside), "*%d" % count if count > 1 else "")


def exact(digits):
    """The double that was printed, which is what rounding to a side is about."""
    return D(float(digits))


def ask(events, *question):
    command = [sotto, "account", *map(text, events), *question, "--format", "json"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return None, run.stderr.strip()
    return json.loads(run.stdout, parse_float=exact, parse_int=exact), ""


def is_below(truth, claim, delta):
    """A claim that epsilon is enough at delta, while it is not."""
    return truth.delta(claim) > D(delta) * (1 + CLOSE)


def is_wide(low, high):
    return D(high) - D(low) > D("1e-6") * max(1, D(high) / 1000)


def check_stand_in(truth, events, high, delta):
    """A group's formula may need deltas of one below 1e-300, which are not doubles: then another theorem's bound stands in.
    Nothing less than that is an excuse, and the bound must be what that theorem says."""
    wrong = []
    if all(w.inner(high) > D("1e-300") for w in truth.ways):
        wrong.append("another theorem stands in without need")
    name, a = events[0][2][0][2][0][:2] if events[0][2][0][2] else ("", {})
    if name == "discrete-gaussian":
        move = events[0][1]["k"] * a["sensitivity"] / D(a["sigma"])
        if high < zcdp_epsilon(move * move / 2, delta) * (1 - D("1e-9")):
            wrong.append("pld claims at most %s, which is less than zCDP says" % high)
    return wrong


def check_epsilon(truth, events, delta, *more):
    j, said = ask(events, "--delta", delta, *more)
    if j is None:
        return ["refused: " + said]
    wrong = []
    low, high = j["pld"]["epsilon_lower"], j["pld"]["epsilon_upper"]
    for method in () if truth.is_bound else UPPER:
        claim = j[method]["epsilon"]
        if claim is not None and is_below(truth, claim, delta):
            wrong.append("%s claims %s" % (method, claim))
    others = truth.is_bound and high is not None and any(j[m]["epsilon"] == high for m in UPPER)
    if others and (is_below(truth, high, delta) or is_wide(low, high)):
        return wrong + check_stand_in(truth, events, high, delta)
    if high is None:
        if truth.delta("1e7") < D(delta):
            wrong.append("pld has no bound: " + j["pld"]["reason"])
        return wrong
    if is_below(truth, high, delta):
        wrong.append("pld claims at most %s" % high)
    if D(low) > 0 and truth.most(low) < D(delta) * (1 - CLOSE):
        wrong.append("pld claims at least %s" % low)
    if is_wide(low, high):
        wrong.append("pld is wide: %s to %s" % (low, high))
    return wrong


def check_delta(truth, events, epsilon, *more):
    j, said = ask(events, "--epsilon", epsilon, *more)
    if j is None:
        return ["refused: " + said]
    wrong = []
    delta = truth.delta(epsilon)
    log, most = (x.ln() if x > 0 else D("-Infinity") for x in (delta, truth.most(epsilon)))
    for method in () if truth.is_bound else UPPER:
        a = j[method]
        if a["delta"] is not None and a["log_delta"] is not None and D(a["log_delta"]) < log - CLOSE:
            wrong.append("%s claims log delta %s" % (method, a["log_delta"]))
    a = j["pld"]
    low, high = (D(a[k]) if a[k] is not None else D("-Infinity") for k in ("log_delta_lower", "log_delta_upper"))
    if high < log - CLOSE or low > most + CLOSE:
        wrong.append("pld claims log delta from %s to %s, truly %.25s" % (low, high, log))
    return wrong


def digits_of_loss(event):
    """How many digits lie between the probabilities of one outcome under the two neighbours, roughly."""
    name, a, children, _ = event
    inside = [digits_of_loss(c) for c in children]
    if name == "parallel":  # two cells at once, at most
        return sum(sorted(inside)[-2:])
    if children:
        return inside[0] * (a["k"] if name == "group" else 1)
    if name == "discrete-gaussian":
        step = a["sensitivity"] / float(a["sigma"])
        return int((step * step / 2 + 50 * step) / 2.3)
    return int(float(a.get("epsilon", a.get("epsilon0", 5))) / 2.3)


def digits_for(events):
    """Where cells cross the curves differ by as little as the least probabilities are."""
    return min(600, sum(digits_of_loss(e) for e in events if e[0] == "parallel"))


def check(seed):
    r = random.Random(seed)
    delta = number(r, -290, -20) if r.random() < 0.2 else number(r, -15, -0.3)
    epsilon = number(r, -3, 2)
    while True:
        replace = r.random() < 0.15
        events = workload(r, replace)
        set_digits(80 - D(delta).adjusted() + digits_for(events))
        try:
            truth = Truth(events, replace)
            break
        except TooMany:
            pass
    more = ("--neighbours", "replace-one") if replace else ()
    wrong = ["at delta %s: %s" % (delta, w) for w in check_epsilon(truth, events, delta, *more)]
    wrong += ["at epsilon %s: %s" % (epsilon, w) for w in check_delta(truth, events, epsilon, *more)]
    for w in wrong:
        print("# seed %d: %s %s" % (seed, " ".join("'%s'" % text(e) for e in events), w), flush=True)
    return not wrong


tests = 0


def verdict(passed, name):
    global tests
    tests += 1
    print("%s %d - %s" % ("ok" if passed else "not ok", tests, name), flush=True)


seeds = range(1, many + 1)
if "SOTTO_SEED" in os.environ:  # one, or from-to
    ends = os.environ["SOTTO_SEED"].split("-")
    seeds = range(int(ends[0]), int(ends[-1]) + 1)
    many = len(seeds)
failed = [seed for seed in seeds if not check(seed)]
verdict(not failed, "%d random workloads: the truth lies between what is claimed" % many)

set_digits(80)

# ---- faults that were planted: claims of accountants that were wrong must be seen to be ----
tiny = Truth([("discrete-gaussian", {"sigma": "0.03"}, [], 1)])
verdict(is_below(tiny, "555.5555535749423", "1e-6"), "atoms dropped without a charge are caught")
verdict(not is_below(tiny, "555.5555545555559", "1e-6"), "and the right value is not")
ten = [("pure", {"epsilon": "0.1"}, [], 10)]
answer = ask(ten, "--delta", "1e-6")[0]["pld"]
verdict(not is_below(Truth(ten), answer["epsilon_upper"], "1e-6"), "ten pure events are bounded")
verdict(is_below(Truth(ten), answer["epsilon_lower"], "1e-6"), "a bound rounded to the wrong side is caught")
box = [("group", {"k": 4}, [("sampled", {"rate": "0.926"}, [("discrete-gaussian", {"sigma": "4.43e-02", "sensitivity": 1}, [], 1)], 1)], 1)]
verdict(not check_stand_in(Truth(box), box, D("4567.8896399964224"), "2.93e-07"), "zCDP may stand in for a group of narrow noise")
verdict(check_stand_in(Truth(box), box, D("4567.8896"), "2.93e-07"), "a bound below zCDP's is caught")
verdict(check_stand_in(Truth(box), box, D("400"), "2.93e-07"), "and one that stands in without need")
moved = [("parallel", {}, [("pure", {"epsilon": "0.7"}, [], 1), ("geometric", {"epsilon": "0.9", "sensitivity": 3}, [], 1),
                           ("approx", {"epsilon": "0.2", "delta": "1e-3"}, [], 1)], 2)]
replaced = ("--neighbours", "replace-one")
verdict(not check_epsilon(Truth(moved, True), moved, "0.01", *replaced), "who is replaced touches two cells, which are composed exactly")
verdict(is_below(Truth(moved, True), ask(moved, "--delta", "0.01")[0]["pld"]["epsilon_upper"], "0.01"), "one cell alone is told from two")
mixed = [("sampled", {"rate": "0.1"}, [("pure", {"epsilon": "1"}, [], 1)], 1)] * 3
one_way = Truth(mixed)
both = one_way.delta("0.2")
one_way.ways.pop(0)
verdict(one_way.delta("0.2") < both, "one direction alone is told from both")
print("1..%d" % tests)
