#!/bin/sh
# sotto account: what it prints, what it refuses, and with which words.
. "$(dirname "$0")/lib.sh"

# holds EXPRESSION NAME: true of j, the JSON printed.  Numbers keep their digits as text
# in t, so that rounding can be looked at.
holds() {
	check "$2" python3 -c '
import json, sys
from fractions import Fraction as F
text = open(sys.argv[1]).read()
j = json.loads(text)
t = json.loads(text, parse_float=str, parse_int=str)
METHODS = ["basic", "advanced", "kov", "zcdp", "rdp", "pld"]
def near(x, y, r=1e-9): return abs(x - y) <= r * abs(y)
sys.exit(0 if eval(sys.argv[2]) else 1)' "$out" "$1"
}

# ---- the three commands of the manual ----
run account 'gaussian(sigma=10)*100' 'laplace(epsilon=0.1)*50' --delta 1e-6 --format json
status_is 0 "epsilon at a delta"
holds 'list(j) == ["version"] + METHODS + ["best"]' "one object, the keys in their order"
holds 'all(near(j[m]["epsilon"], e) for m, e in zip(METHODS, [54.2850365355164, 61.3576056331355, 34.9438281890273, 6.53716118491028, 6.49851337877695]))' "five theorems"
holds 'j["pld"]["epsilon_lower"] <= 6.097208870099775 and 6.097208870099765 <= j["pld"]["epsilon_upper"] < 6.0972088702' "the loss distribution from both sides"
holds '"epsilon" not in j["pld"] and "epsilon_lower" not in j["kov"]' "only that has two sides"
holds 'j["best"]["epsilon"] == j["pld"]["epsilon_upper"] and j["best"]["method"] == "pld"' "best is the least upper value"
holds '[j[m]["adaptivity"] for m in METHODS] == ["fully-adaptive", "fixed-parameters", "fixed-parameters", "fully-adaptive", "fixed-parameters", "fixed-parameters"]' "each says for whom it holds"
holds 'j["best"]["adaptivity"] == j["pld"]["adaptivity"]' "the best too"
holds 'j["pld"]["kind"] == "exact" and j["pld"]["neighbours"] == "any"' "kind and neighbours"
holds 'all(float(t[m]["epsilon"]) == j[m]["epsilon"] and len(t[m]["epsilon"].replace(".", "")) >= 15 for m in METHODS[:5])' "all digits of a double"

run account 'sampled(rate=0.01, gaussian(sigma=4))*1000' --epsilon 1 --format json
status_is 0 "delta at an epsilon"
holds 'list(j) == ["version"] + METHODS + ["best"]' "the same keys"
holds 'all(set(j[m]) >= {"delta", "log_delta", "adaptivity"} and "epsilon" not in j[m] for m in METHODS[:5])' "delta and its logarithm"
holds 'set(j["pld"]) >= {"delta_lower", "delta_upper", "log_delta_lower", "log_delta_upper"} and "delta" not in j["pld"]' "both sides of both"
holds 'near(j["pld"]["delta_lower"], 1.00621424746e-34, 1e-8) and near(j["pld"]["delta_upper"], 1.00621424746e-34, 1e-8)' "far down the tail"
holds 'j["pld"]["delta_lower"] < j["pld"]["delta_upper"] and j["pld"]["log_delta_lower"] < j["pld"]["log_delta_upper"]' "in their order"
holds 'j["best"] == {"delta": j["pld"]["delta_upper"], "log_delta": j["pld"]["log_delta_upper"], "method": "pld", "adaptivity": "fixed-parameters"}' "best has delta and logarithm"
holds 'j["pld"]["neighbours"] == "add-remove"' "sampling is about adding and removing"

run account 'gaussian(sigma=?)*100' --target-epsilon 1 --delta 1e-6 --solve sigma --format json
status_is 0 "the least sigma"
holds 'list(j) == ["version", "parameter", "value", "epsilon_upper", "method", "within"] and j["within"] < 1e-9' "six keys, and within 1e-9 of the best"
holds 'j["parameter"] == "sigma" and j["method"] == "pld" and 1 - 1e-9 < j["epsilon_upper"] <= 1' "which meets the target, closely"

# ---- digits and sides ----
run account 'group(k=3,sampled(rate=0.00245,gaussian(sigma=3.44e-06)))' --delta 1e-300
check "no lower side above what another theorem proves" grep -q '^pld  *1254771940715  adaptive' "$out"
run account 'pure(epsilon=1/3)*3' --delta 0 --format json
holds 'F(t["basic"]["epsilon"]) == 1' "three thirds are one, exactly"
run account 'pure(epsilon=1/3)' --delta 0 --format json
holds 'F(t["basic"]["epsilon"]) >= F(1, 3) and F(t["basic"]["epsilon"]) - F(1, 3) < F(1, 10**15)' "a third is rounded up"
holds 'F(t["pld"]["epsilon_lower"]) <= F(1, 3) <= F(t["pld"]["epsilon_upper"])' "and down and up"
run account 'approx(epsilon=1, delta=1/3)' --epsilon 2 --format json
holds 'F(t["basic"]["delta"]) >= F(1, 3) and F(t["pld"]["delta_lower"]) <= F(1, 3) <= F(t["pld"]["delta_upper"])' "a third of delta"
run account 'gaussian(sigma=1)' --epsilon 60 --format json
holds 'F(t["pld"]["delta_lower"]) == 0 and j["pld"]["delta_upper"] == 5e-324 and j["zcdp"]["delta"] == 5e-324' "a delta below the smallest double prints as that from above, and as 0 from below"
holds 'near(j["pld"]["log_delta_upper"], -1779.23339087009325, 1e-13) and j["pld"]["log_delta_lower"] <= -1779.2333908700932 <= j["pld"]["log_delta_upper"]' "its logarithm stays exact"
run account 'gaussian(sigma=1)' --delta 1e-300 --format json
holds 'near(j["pld"]["epsilon_upper"], 37.4488479121391) and j["zcdp"]["epsilon"] < 38' "small deltas have finite answers"
run account 'gaussian(sigma=10)*100' --delta 1e-6
check "for people bounds are rounded outwards too" awk '$1 == "pld" && $2 == "4.886554117" && $3 == "4.886554118" { ok = 1 } END { exit !ok }' "$out"
stderr_is 'best: epsilon 4.886554118 by pld' "and the best is named"

# ---- what does not apply ----
run account 'zcdp(rho=0.5)' 'pure(epsilon=1)' --delta 1e-6 --format json
status_is 0 "zcdp among others"
holds 'j["pld"]["epsilon_lower"] is None and j["pld"]["epsilon_upper"] is None and "zcdp" in j["pld"]["reason"]' "has no loss distribution, and that is said"
holds 'j["best"]["method"] == "zcdp" or j["best"]["method"] == "rdp"' "the best is among the others"
run account 'zcdp(rho=0.5)' --epsilon 3 --format json
holds 'j["pld"]["delta_upper"] is None and j["pld"]["reason"]' "nor a delta of it"
run account 'gaussian(sigma=0)' --delta 1e-6 --format json
holds 'all(j[m]["epsilon"] is None and j[m]["reason"] for m in METHODS[:5] + ["best"])' "no noise is infinite, with a reason"
run account 'gaussian(sigma=1)' --delta 0 --format json
holds 'j["pld"]["epsilon_upper"] is None and j["basic"]["epsilon"] is None' "a Gaussian without delta is infinite"
run account 'laplace(epsilon=1)*3' --delta 0 --format json
holds 'j["basic"]["epsilon"] == 3 and j["pld"]["epsilon_lower"] <= 3 <= j["pld"]["epsilon_upper"] < 3.0001 and j["best"]["epsilon"] == 3' "pure events are not"
run account 'approx(epsilon=1, delta=1e-3)*10' --delta 9e-3 --format json
holds 'all(j[m]["epsilon"] is None for m in METHODS[:5])' "delta below that of the events is infinite"
refuses 1 'sotto account: --delta must be at least 0 and less than 1, not 1' account 'gaussian(sigma=1)' --delta 1
refuses 1 'sotto account: --delta must be at least 0 and less than 1, not 2' account 'gaussian(sigma=1)' --delta 2
refuses 1 'sotto account: --delta must be 0 or at least 1e-300' account 'gaussian(sigma=1)' --delta 9.99e-301
refuses 1 'sotto account: --delta must be 0 or at least 1e-300' account 'group(k=4,sampled(rate=.01,gaussian(sigma=4)))*2' --delta 1e-330
run account 'gaussian(sigma=1)*0' --delta 1e-6 --format json
holds 'all(j[m]["epsilon"] == 0 for m in METHODS[:5]) and j["pld"]["epsilon_upper"] == 0' "no events cost nothing"

# ---- selection ----
run account 'exponential(epsilon=0.1)*10' --delta 1e-6 --format json
holds 'near(j["bounded_range"]["nonadaptive"], .62863683877322) and near(j["bounded_range"]["adaptive"], .700153256373474)' "exponential mechanisms have a key of their own"
holds 'j["pld"]["kind"] == "upper bound"' "no pair of their own"
holds 'j["best"]["epsilon"] == min(j[m]["epsilon"] for m in METHODS[:5])' "and do not make the non-adaptive value the best"
run account 'exponential(epsilon=0.1)*10' 'exponential(epsilon=0.2)*3' --delta 1e-6 --format json
holds 'j["bounded_range"]["nonadaptive"] is None and j["bounded_range"]["adaptive"] == j["zcdp"]["epsilon"]' "unequal ones by zCDP"
run account 'exponential(epsilon=0.1)*10' 'pure(epsilon=0.1)' --delta 1e-6 --format json
holds '"bounded_range" not in j' "others have not"

# ---- closed forms, beside what is better ----
run account 'pure(epsilon=0.1)*100' --delta 1e-6 --format json
holds 'near(j["kov"]["closed_form"], 5.7561055193357317) and j["kov"]["epsilon"] < j["kov"]["closed_form"]' "black boxes have their closed form"
run account 'approx(epsilon=1, delta=1e-6)*2' --delta 1e-6 --format json
holds 'j["kov"]["closed_form"] is None' "which may be infinite"
run account 'pure(epsilon=0.1)*100' 'laplace(epsilon=1)' --delta 1e-6 --format json
holds '"closed_form" not in j["kov"] and "shuffle_closed_form" not in j' "others have none"
run account 'pure(epsilon=0.1)*100' --epsilon 1 --format json
holds '"closed_form" not in j["kov"]' "nor has a delta"
run account 'shuffle(n=10000, epsilon0=1)' --delta 1e-6 --format json
holds 'near(j["shuffle_closed_form"]["clone"], .21402565193) and near(j["shuffle_closed_form"]["blanket"], .166634363, 1e-8)' "shuffling has two"
holds 'j["best"]["epsilon"] < j["shuffle_closed_form"]["blanket"]' "neither of which is the best"
run account 'shuffle(n=10000, epsilon0=1, randomizer=binary)' --delta 1e-6 --format json
holds 'near(j["shuffle_closed_form"]["blanket"], .050666552, 1e-8)' "the blanket of binary answers is thicker"
run account 'shuffle(n=100, epsilon0=4)' --delta 1e-6 --format json
holds 'j["shuffle_closed_form"] == {"clone": None, "blanket": 4}' "outside its range the clones' form is null"
run account 'shuffle(n=10000, epsilon0=1)*2' --delta 1e-6 --format json
holds '"shuffle_closed_form" not in j' "two of them have none"

# ---- any order, any grouping: the same bytes ----
run account 'gaussian(sigma=10)' 'laplace(epsilon=0.1)*50' 'randomized-response(p=3/4)' --delta 1e-6 --format json
cp "$out" "$work/first"
run account 'randomized-response(p=0.75)' 'laplace(epsilon=1/10)*20' 'gaussian(sigma=1e1)' 'laplace(scale=10)*30' --delta 1/1000000 --format json
check "permuted and regrouped events give identical bytes" cmp -s "$out" "$work/first"
run account 'sampled(rate=1, gaussian(sigma=10))' 'group(k=1, laplace(epsilon=0.1)*50)' 'parallel(randomized-response(p=3/4))' --neighbours add-remove --delta 1e-6 --format json
sed 's/"neighbours": "[a-z-]*"/"neighbours": "any"/; s/"kind": "upper bound"/"kind": "exact"/' "$out" > "$work/wrapped"
check "wrapping that changes nothing changes no number" cmp -s "$work/wrapped" "$work/first"

# ---- workload files ----
printf '# a month\ngaussian(sigma=10)*100   # daily\n\n\tlaplace(epsilon=0.1)*50\r\n' > "$work/month"
run account 'gaussian(sigma=10)*100' 'laplace(epsilon=0.1)*50' --delta 1e-6 --format json
cp "$out" "$work/first"
run account --workload "$work/month" --delta 1e-6 --format json
check "a file of events" cmp -s "$out" "$work/first"
input 'laplace(epsilon=0.1)*50'
run account 'gaussian(sigma=10)*100' --workload - --delta 1e-6 --format json
check "standard input after the operands" cmp -s "$out" "$work/first"
refuses 1 "sotto account: $work/none cannot be read" account --workload "$work/none" --delta 1e-6
printf 'pure(epsilon=1)\n\npure(epsilon=)\n' > "$work/bad"
run account --workload "$work/bad" --delta 1e-6
status_is 2 "a bad line is a matter of usage"
stderr_like 'event 2: .*character 14' "and is named with the place in it"
printf '# nothing\n' > "$work/empty"
refuses 2 "sotto account: an EVENT is needed, such as 'gaussian(sigma=10)*100'" account --workload "$work/empty" --delta 1e-6

# ---- explain ----
run account 'gaussian(sigma=10)*100' 'laplace(epsilon=0.1)*50' --delta 1e-6 --explain --format json
holds 'list(j)[-1] == "events" and len(j["events"]) == 2 and all(set(e) >= {"event", "count", "epsilon", "delta", "rho"} for e in j["events"])' "what each event costs"
holds '[(e["count"], e["epsilon"], e["delta"]) for e in j["events"]] == [(100, None, 0), (50, 5, 0)]' "its count and loss bound"
holds 'F(t["events"][0]["rho"]) >= F(1, 2) and near(j["events"][0]["rho"], .5) and near(j["events"][1]["rho"], 50 * 0.00483741803595957)' "its rho, rounded up"
run account 'gaussian(sigma=10)*100' 'laplace(epsilon=0.1)*50' --delta 1e-6 --explain
stdout_like '^event  *count' "a second table for people"
run account 'gaussian(sigma=10)*100' --delta 1e-6 --format csv
check "CSV: a header and six methods" test "$(wc -l < "$out")" = 7
stdout_like '^pld,4.8865541174622[0-9]*,4.8865541174622[0-9]*,' "with all digits"

# ---- neighbours ----
run account 'parallel(pure(epsilon=1), pure(epsilon=2))' --neighbours add-remove --delta 0 --format json
holds 'j["basic"]["epsilon"] == 2 and j["pld"]["neighbours"] == "add-remove"' "disjoint cells: the dearest one"
run account 'parallel(pure(epsilon=1), pure(epsilon=2))' --neighbours replace-one --delta 0 --format json
holds 'j["basic"]["epsilon"] == 3 and j["pld"]["neighbours"] == "replace-one"' "a unit that moves touches two"
for cells in 'laplace(epsilon=1), laplace(epsilon=1)' 'laplace(epsilon=2), gaussian(sigma=3)*0' 'laplace(epsilon=1), laplace(epsilon=.5)*3' 'pure(epsilon=2), laplace(epsilon=1), pure(epsilon=1)'; do
	for event in "parallel($cells)" "group(k=2, parallel($cells))*2" "parallel(parallel($cells))"; do
		run account "$event" laplace\(epsilon=1\) --delta 1e-6 --format json
		holds 'all(j[m]["neighbours"] == "add-remove" for m in ("basic", "advanced", "kov", "zcdp", "rdp", "pld"))' "$event: no claim about units that are replaced"
	done
done
run account 'laplace(epsilon=1)' 'group(k=2, parallel(gaussian(sigma=1)))' --delta 1e-6 --format json
holds 'j["pld"]["neighbours"] == "any"' "one cell is no list of cells"
run account 'parallel(laplace(epsilon=1), laplace(epsilon=1))' --delta 1e-6
stderr_like '^best: epsilon [0-9.]* by pld, for one unit added or removed$' "people are told for which neighbours it holds"
run account 'shuffle(n=1000, epsilon0=1)' --delta 1e-6
stderr_like '^best: epsilon [0-9.]* by [a-z]*, for one unit replaced$' "of shuffled reports too"
mixed='Poisson sampling protects against adding or removing a unit and shuffling against replacing one; the two cannot be mixed'
refuses 1 "sotto account: $mixed" account 'sampled(rate=.1, pure(epsilon=1))' --neighbours replace-one --delta 1e-6
refuses 1 "sotto account: $mixed" account 'shuffle(n=1000, epsilon0=1)' --neighbours add-remove --delta 1e-6
refuses 1 "sotto account: event 2: $mixed" account 'shuffle(n=1000, epsilon0=1)' 'sampled(rate=.1, pure(epsilon=1))' --delta 1e-6
refuses 1 "sotto account: $mixed" account 'sampled(rate=.1, shuffle(n=1000, epsilon0=1))' --delta 1e-6
refuses 2 'sotto account: --neighbours must be any, add-remove or replace-one, not "both"' account 'pure(epsilon=1)' --delta 0 --neighbours both

# ---- solve: the value printed meets the target, and a billionth beyond it does not ----
# solves PARAMETER SIGN EVENTS...: SIGN is + where more of the parameter costs less
solves() {
	parameter=$1 sign=$2
	shift 2
	run account "$@" --target-epsilon 1 --delta 1e-6 --solve "$parameter" --format json
	status_is 0 "solve $parameter"
	check "solve $parameter: safe, and within a billionth of the best" python3 -c '
import json, subprocess, sys
from decimal import Decimal as D
program, file, sign, events = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
j = json.loads(open(file).read(), parse_float=D, parse_int=D)
def best(value):
    args = [e.replace("?", str(value)) for e in events]
    got = subprocess.run([program, "account", *args, "--delta", "1e-6", "--format", "json"],
        capture_output=True, check=True).stdout
    return json.loads(got, parse_float=D, parse_int=D)["best"]["epsilon"]
value = j["value"]
step = D(1) if j["parameter"] == "count" else value * D("1e-9")
beyond = value - step if sign == "+" else value + step
assert j["epsilon_upper"] <= 1 and best(value) <= 1 and best(beyond) > 1' "$SOTTO" "$out" "$sign" "$@"
}
solves sigma + 'gaussian(sigma=?)*100' 'laplace(epsilon=0.01)*50'
solves sigma + 'discrete-gaussian(sigma=?)*3' 'gaussian(sigma=?)'
solves scale + 'laplace(scale=?, sensitivity=3)*10'
solves epsilon - 'pure(epsilon=?)*10' 'laplace(epsilon=?)'
solves rho - 'zcdp(rho=?)*7'
solves rate - 'sampled(rate=?, gaussian(sigma=1))*100'
solves count - 'gaussian(sigma=20)*?' 'laplace(epsilon=0.1)'
refuses 1 'sotto account: no sigma meets the target' account 'pure(epsilon=2)' 'gaussian(sigma=?)' --target-epsilon 1 --delta 1e-6 --solve sigma
refuses 1 'sotto account: the other events alone are beyond the target' account 'pure(epsilon=2)' 'gaussian(sigma=1)*?' --target-epsilon 1 --delta 1e-6 --solve count
refuses 2 'sotto account: no parameter is written "?"; write for example gaussian(sigma=?)' account 'gaussian(sigma=1)' --target-epsilon 1 --delta 1e-6 --solve sigma
refuses 2 'sotto account: the unknown is epsilon, but sigma is to be solved for' account 'pure(epsilon=?)' --target-epsilon 1 --delta 1e-6 --solve sigma
refuses 2 'sotto account: only sigma, scale, epsilon, rho, rate and count can be solved for' account 'pure(epsilon=?)' --target-epsilon 1 --delta 1e-6 --solve k
refuses 2 'sotto account: --solve needs --target-epsilon and --delta' account 'pure(epsilon=?)' --delta 1e-6 --solve epsilon
refuses 2 'sotto account: --target-epsilon goes with --solve' account 'pure(epsilon=1)' --delta 1e-6 --target-epsilon 1
refuses 2 'sotto account: --epsilon, --svg and --explain do not go with --solve' account 'pure(epsilon=?)' --target-epsilon 1 --delta 1e-6 --solve epsilon --explain

# ---- two coins ----
run account 'randomized-response(coin=1/2)' --delta 1e-6 --format json
cp "$out" "$work/coins"
run account 'randomized-response(p=3/4)' --delta 1e-6 --format json
check "two fair coins are p=3/4" cmp -s "$out" "$work/coins"
run account 'randomized-response(coin=1/2, yes=1/4)' --delta 0 --format json
cp "$out" "$work/coins"
run account 'randomized-response(p=5/6)' --delta 0 --format json
check "uneven coins cost what their rarer answer gives away, ln 5" cmp -s "$out" "$work/coins"
run account 'randomized-response(coin=1/2, yes=3/4)' --delta 0 --format json
check "whichever answer it is" cmp -s "$out" "$work/coins"
run account 'randomized-response(coin=1)' --delta 0
stderr_like 'coin must be above 0 and below 1' "a coin that always shows the truth is none"
run account 'randomized-response(p=3/4, yes=1/2)' --delta 0
stderr_like 'yes= belongs to coin=' "the second coin needs a first"

# ---- curves ----
run account 'gaussian(sigma=10)*100' --delta 1e-6 --svg "$work/curve.svg" --format json
status_is 0 "a curve"
check "is well-formed SVG with lines and words" python3 -c '
import sys, xml.etree.ElementTree as ET
root = ET.parse(sys.argv[1]).getroot()
ns = "{http://www.w3.org/2000/svg}"
assert root.tag == ns + "svg" and "viewBox" in root.attrib
assert sum(len(p.get("d", "")) > 200 for p in root.iter(ns + "path")) >= 2
assert any("epsilon" in (t.text or "") for t in root.iter(ns + "text"))
assert "nan" not in open(sys.argv[1]).read().lower()' "$work/curve.svg"
run account 'pure(epsilon=1)*3' --epsilon 1 --curve "$work/pure.svg" --format json
check "a curve that ends is well-formed too" python3 -c 'import sys, xml.etree.ElementTree as ET; ET.parse(sys.argv[1])' "$work/pure.svg"
run account 'gaussian(sigma=1)' --delta 1e-6 --curve "$work/no/such/folder.svg"
status_is 1 "a file that cannot be written"
check "leaves no answer" test ! -s "$out"

# ---- bounded range ----
run account 'exponential(epsilon=1)' --delta 1e-5
stderr_like '^bounded range: epsilon 0.9949652667 for queries fixed in advance, 1.000000000 for adaptive queries and parameters$' "an upper bound is not rounded down"
run account 'exponential(epsilon=1)' 'exponential(epsilon=.5)' --delta 1e-5
check "what the table says already is not said again" sh -c "! grep -q 'bounded range' '$err'"
run account 'exponential(epsilon=.001)*2000' --delta 1e-5
stderr_like '^bounded range: epsilon [0-9.]* for adaptive queries and parameters$' "an optimum that is not known is not said"

# ---- mistakes in an event: 2, with the place ----
usage() { refuses 2 "sotto account: $1" account "$2" --delta 1e-6; }
usage 'a "," or ")" is missing at character 18' 'gaussian(sigma=10'
events='pure, approx, zcdp, laplace, geometric, gaussian, discrete-gaussian, randomized-response, exponential, permute-and-flip, shuffle, sampled, group, parallel'
usage "there is no event of this name at character 1; the events are $events" 'gauss(sigma=10)'
usage "a parameter's name, like sigma= or rho=, is missing at character 6" 'zcdp(0.1)*3'
usage "a parameter's name, like sigma= or rho=, is missing at character 9" 'sampled(.1, gaussian(sigma=10))'
usage "there is no event of this name at character 18; the events are $events" 'sampled(rate=.1, gauss(sigma=10))'
usage 'a "(" is missing at character 9' 'gaussian'
usage 'there is something after the event, at character 18' 'gaussian(sigma=1)laplace(epsilon=1)'
usage 'a name or a number is missing at character 19' 'gaussian(sigma=1)*'
usage 'a name or a number is missing at character 1' ''
usage '"?" is only allowed when a parameter is to be solved for, at character 15' 'pure(epsilon=?)'
for bad in 'pure(epsilon=nan)' 'pure(epsilon=inf)' 'pure(epsilon=1e)' 'pure(epsilon=1/0)' 'pure(sigma=1)' 'pure()' \
	'pure(epsilon=1, epsilon=1)' 'gaussian(sigma=1)*1.5' 'gaussian(sigma=1)*-1' 'laplace(epsilon=1, scale=1)' \
	'shuffle(n=10, epsilon0=1, randomizer=ternary)' 'pure(epsilon=1))' 'pure(epsilon=1) pure(epsilon=1)'; do
	run account "$bad" --delta 1e-6
	status_is 2 "usage: $bad"
	stderr_like 'character [0-9]' "says where: $bad"
done
usage 'gaussian: sigma must not be negative, before character 19' 'gaussian(sigma=-1)'
usage 'sampled: rate must lie between 0 and 1, before character 35' 'sampled(rate=1.5, pure(epsilon=1))'
usage 'randomized-response: k must be at least 2, before character 36' 'randomized-response(epsilon=1, k=1)'
usage 'laplace: epsilon must not be negative, before character 38' 'sampled(rate=0.5, laplace(epsilon=-1))'
refuses 2 'sotto account: event 2: laplace: epsilon must not be negative, before character 20' account 'pure(epsilon=1)' 'laplace(epsilon=-1)' --delta 1e-6
refuses 2 'sotto account: event 2: laplace: epsilon must not be negative, before character 20' account 'pure(epsilon=?)' 'laplace(epsilon=-1)' --delta 1e-6 --target-epsilon 1 --solve epsilon
for bad in 'pure(epsilon=-1)' 'approx(epsilon=1, delta=2)' 'approx(epsilon=1, delta=-1)' 'zcdp(rho=-1)' \
	'laplace(scale=-1)' 'laplace(epsilon=-1)' 'sampled(rate=-1, pure(epsilon=1))' \
	'discrete-gaussian(sigma=1, sensitivity=1.5)' 'geometric(epsilon=1, sensitivity=1.5)' \
	'randomized-response(p=1.5)' 'group(k=0, pure(epsilon=1))' \
	'shuffle(n=0, epsilon0=1)' 'gaussian(sigma=1, sensitivity=-1)'; do
	run account "$bad" --delta 1e-6
	status_is 2 "usage: $bad"
	stderr_like 'character [0-9]' "says where: $bad"
	check "with a sentence and no answer: $bad" sh -c 'test ! -s "$1" && test "$(wc -l < "$2")" = 1' - "$out" "$err"
done
refuses 2 'sotto account: give either --delta or --epsilon' account 'pure(epsilon=1)'
refuses 2 'sotto account: give either --delta or --epsilon' account 'pure(epsilon=1)' --delta 1e-6 --epsilon 1
refuses 2 "sotto account: an EVENT is needed, such as 'gaussian(sigma=10)*100'" account --delta 1e-6
refuses 1 'sotto account: --delta must be at least 0 and less than 1, not -1' account 'pure(epsilon=1)' --delta -1
refuses 1 'sotto account: --epsilon must be at least 0, not -1' account 'pure(epsilon=1)' --epsilon -1
run account 'pure(epsilon=1)' --delta nan
status_is 1 "delta must be a number"
run account --help
stdout_like 'sampled(rate=, EVENT)' "the help shows every event"

# ---- counts past 2^53: each sentence says which ----
refuses 2 'sotto account: the count at character 17 must be an integer from 0 to 2^53 = 9007199254740992' \
	account 'pure(epsilon=1)*9007199254740993' --delta 1e-6
inside='counts, group sizes and sensitivities inside the event multiply to more than 2^53: make them smaller'
refuses 1 "sotto account: $inside" account 'sampled(rate=1, pure(epsilon=1)*100000000)*10000000000' --delta 1e-6
refuses 1 "sotto account: $inside" account 'group(k=9007199254740992, discrete-gaussian(sigma=1, sensitivity=2))' --delta 1e-6
refuses 1 'sotto account: event 2: the same event may happen at most 2^53 times in all' \
	account 'pure(epsilon=1)*9007199254740992' 'pure(epsilon=1)*9007199254740992' --delta 1e-6

# ---- a thousand different events: the sides are close, and no other theorem is below them ----
# different NAME EVENT: & is a number that differs from event to event
different() {
	seq 1001 2000 | sed "s|.*|$2|" > "$work/different"
	run account --workload "$work/different" --delta 1e-6 --format json
	holds 'j["pld"]["epsilon_upper"] - j["pld"]["epsilon_lower"] <= 1e-6 * max(1, j["pld"]["epsilon_upper"] / 1000)' "$1: close"
	holds 'all(j[m]["epsilon"] is None or j[m]["epsilon"] >= j["pld"]["epsilon_lower"] for m in ("basic", "kov", "zcdp", "rdp"))' "$1: the least"
}
different "sampled discrete Gaussians" 'sampled(rate=0.0&, discrete-gaussian(sigma=2.&))'
different "narrow discrete Gaussians" 'discrete-gaussian(sigma=&/2500)'
different "sampled Gaussians" 'sampled(rate=0.0&, gaussian(sigma=1.&))'
different "sampled responses" 'sampled(rate=0.&, randomized-response(epsilon=0.1&, k=4))'

# ---- calibration of what takes long to price ends, and says how near it came ----
run account 'parallel(gaussian(sigma=?), laplace(epsilon=0.1))*10' --target-epsilon 1.5 --delta 1e-6 --solve sigma --format json
holds 'j["epsilon_upper"] <= 1.5 and (j["within"] is None or j["within"] > 1e-9)' "a value that meets the target, and how near the best it is"

finish
