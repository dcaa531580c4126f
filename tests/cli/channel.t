#!/bin/sh
# sotto verify, utility and optimal: words, exit statuses, JSON keys, files that are refused.
. "$(dirname "$0")/lib.sh"
m() { printf '%b' "$2" > "$work/$1"; }
# json EXPRESSION: true of the object d that was printed, or of its rows
json() { check "$1" python3 -c "
import json, sys
from fractions import Fraction as F
d = json.load(open(sys.argv[1]))
d = d.get('rows', d)
sys.exit(not ($2))" "$out"; }

# ---- verify
m two.csv '# two answers\n0.8,0.2\n0.3 , 0.7\n'
run verify "$work/two.csv"
status_is 0 "a matrix is verified"
stdout_like '^epsilon  *1\.2527629685 = ln(7/2)$' "the exact epsilon, as a logarithm"
stdout_like '^witness  *output 1: 7/10 for answer 1, 1/5 for answer 0$' "and where it comes from"
run verify "$work/two.csv" --format json
json "the keys of verify" 'set(("epsilon","ratio","witness","private","infinite")) <= set(d) and d["ratio"] == "7/2" and d["witness"] == {"row": 1, "neighbour": 0, "column": 1} and d["private"] is True and d["infinite"] is False and abs(d["epsilon"] - 1.252762968495368) < 1e-14'
run verify "$work/two.csv" --epsilon 'ln(7/2)'
status_is 0 "equality at an exact epsilon is private"
run verify "$work/two.csv" --epsilon 1.2527
status_is 1 "a little less is not"
stderr_like 'not private at epsilon 1.2527$' "and says so"
run verify "$work/two.csv" --epsilon 1.2527 --format json
status_is 1 "also in JSON"
json "private is false" 'd["private"] is False'
run verify "$work/two.csv" --epsilon 0 --delta 1/2
status_is 0 "delta 1/2 is the total variation distance"
run verify "$work/two.csv" --epsilon 0 --delta 0.499999
status_is 1 "less is not enough"
m zero.csv '1,0\n1/2,1/2\n'
run verify "$work/zero.csv" --format json
json "infinite" 'd["infinite"] is True and d["private"] is False and d["ratio"] is None'
run verify "$work/zero.csv" --epsilon 100
status_is 1 "infinite is private at no epsilon"
m hex.csv '0x1.8p-1,0x1p-2\n0x1p-2,0x1.8p-1\n'
run verify "$work/hex.csv" --format csv
stdout_like ',3,false,0,1,0,true$' "hexadecimal doubles, as CSV"
m sums.csv '0.1,0.2\n0.2,0.1\n'
run verify "$work/sums.csv"
stdout_like '^row 1  *sums to 3/10, not 1: ' "rows that do not sum to one are told"
stdout_like '^epsilon, normalized ' "and checked both ways"
run verify "$work/two.csv" --table 2
stdout_like '^epsilon  *1\.09861228867 = ln(3)$' "what a table of 2 bits would draw from"
m tri.csv '1/2,1/4,1/4\n1/4,1/2,1/4\n1/4,1/4,1/2\n'
run verify "$work/tri.csv" --derivable-from alpha=1/2 --format json
status_is 1 "randomized response is not made from the geometric mechanism"
json "with the smallest cell of the remap" 'd["derivable"] is False and F(d["smallest_remap_exact"]) < 0'
m metric.csv '0,1,3\n1,0,2\n3,2,0\n'
run verify "$work/tri.csv" --graph "$work/metric.csv" --format json
json "d-privacy: ln 2 over one step of length 1" 'd["ratio"] == "2" and abs(d["epsilon"] - 0.6931471805599453) < 1e-14'
m wrong.csv '0,1,3\n1,0,1\n3,1,0\n'
run verify "$work/tri.csv" --graph "$work/wrong.csv"
status_is 2 "distances that break the triangle inequality are refused"

# ---- refused with the line
for bad in '0.5,0.5\n0.5,x\n;2;not a number' '0.5,0.5\n\n# c\n1\n;4;has 1 cells, the first has 2' '0.5,\n;1;empty' '1/0,1\n;1;not a number' '0x,1\n;1;not a number' '# nothing\n;1;no row'; do
	text=${bad%%;*}; rest=${bad#*;}; line=${rest%%;*}; words=${rest#*;}
	m bad.csv "$text"
	run verify "$work/bad.csv"
	status_is 2 "refused: $text"
	stderr_like "bad\.csv:$line: .*$words" "with line $line and why"
done
m negative.csv '1.5,-0.5\n0.5,0.5\n'
run verify "$work/negative.csv"
status_is 2 "a negative cell is refused"
stderr_like 'row 1, column 2 is negative' "by its place"
run verify "$work/none.csv"
status_is 2 "a file that is not there"
run verify "$work/two.csv" --graph 'grid 3x4'
status_is 2 "a graph of another size"

# ---- utility
run utility --mechanism geometric --n 6 --epsilon ln2 --prior uniform --gain identity --format json
json "the keys of utility" 'set(("utility","utility_exact","utility_without_remap","remap","tie_sets","prior_value","bayes_risk","leakage","epsilon")) <= set(d) and d["utility_exact"] == "4/9" and d["remap"] == list(range(6)) and len(d["tie_sets"]) == 6'
json "the leakage of the lecture" 'abs(d["leakage"]["mutual_information"] - 0.5073468516) < 1e-9 and abs(d["leakage"]["bayes_capacity"] - 8/3) < 1e-12 and abs(d["leakage"]["individuals_bound"] - 2.0751874964) < 1e-9'
run utility --n 6 --epsilon 1 --gain identity --format json
json "a decimal epsilon has no exact utility" 'd["utility_exact"] is None and abs(d["utility"] - 0.5517642977) < 1e-9'
run utility --n 6 --epsilon ln2 --gain identity --mechanism laplace --format json
json "nor has the Laplace mechanism at ln 2: its root is irrational" 'd["utility_exact"] is None and abs(d["utility"] - 0.4107443490) < 1e-9'
run utility --n 6 --epsilon ln4 --gain identity --mechanism laplace --format json
json "at ln 4 it has" 'd["utility_exact"] is not None'
run utility --n 6 --epsilon ln2 --gain identity --mechanism k-rr --format json
json "randomized response" 'd["utility_exact"] == "2/7"'
run utility --n 11 --epsilon 0.5 --format json
json "the remap of eleven answers" 'd["remap"] == [1,1,2,3,4,5,6,7,8,9,9]'
run utility --n 6 --epsilon ln2 --gain identity --target 1/2
stdout_like '^smallest epsilon  *0\.847297860388 = ln(7/3) for a utility of 1/2$' "the smallest epsilon for a utility, exactly"
printf '3/5,2/5\n2/5,3/5\n' > "$work/three.csv"
run verify "$work/three.csv"
stdout_like '^epsilon  *0\.405465108109 = ln(3/2)$' "a printed epsilon is never below the true one (0.40546510810816)"
run optimal --n 2 --epsilon 'ln(3/2)' --gain identity
stdout_like '^epsilon  *0\.405465108109, checked exactly$' "nor that of the best mechanism"
run utility --n 6 --epsilon 'ln(3/2)' --gain identity
stdout_like '^epsilon  *0\.405465108109$' "nor that of a utility"
run utility --n 6 --epsilon ln2 --target 4.5 --format json
json "by bisection elsewhere" 'd["target_ratio"] is None and 0.6931 < d["target_epsilon"] < 3'
run utility --n 6 --epsilon ln2 --gain 'window(1)' --prior 'binomial(0.3)' --format csv
stdout_like '^mechanism,epsilon,utility,' "one row of CSV"
run utility --n 6 --epsilon ln2 --prior 'binomial(2/7)' --format json
json "the slash of a fraction is not a folder" 'd["utility_exact"]'
run utility --n 6 --epsilon ln2 --compare --format json
json "all mechanisms side by side" 'len(d) >= 7 and d[-1]["mechanism"] == "best" and max(r["utility"] for r in d) == d[-1]["utility"]'
run utility --n 6 --epsilon ln2 --compare
stderr_like 'less epsilon than allowed is used by: exponential$' "waste is told"
stderr_like 'proven best for this user$' "and who wins"
stderr_like 'off by 1\.442695041 on average with Laplace noise, by 1\.414213562 with staircase noise$' "and what a real number would get"
stderr_like 'variance 4\.16273\S* and 4\.080083823; the staircase is cut at 0\.4142135624 for the error, at 0\.4422495703 for the variance$' "with variances"
run utility --n 6 --epsilon 1 --compare
stderr_like 'by 0\.9595173757 with staircase noise$' "at epsilon 1 too"
stderr_like '1\.918103531; the staircase is cut at 0\.3775406688 for the error, at 0\.4167374349 for the variance$' "and its variance"
stderr_like 'within 2\.995732274 with Laplace noise, below 3\.375617767 with geometric noise$' "and how far errors go"
printf -- '-1,-2\n-2,-1\n' > "$work/losses.csv"
run utility --n 2 --epsilon 1 --gain "$work/losses.csv" --compare --format json
json "a loss has no share of the best" 'all(r["share"] is None and r["utility"] < 0 for r in d)'
run utility --n 1 --epsilon 1 --compare
check "nor has nothing" sh -c "! grep -qi nan '$out'"
run utility --n 5000 --epsilon ln2 --gain identity --format json
json "5000 answers in floating point" 'd["utility_exact"] is None and abs(d["utility"] - (5000 - 4998/2)/(5000*1.5)) < 1e-12'
run utility --n 200 --epsilon 1 --compare
status_is 2 "too many to compare"
run utility --n 30000 --epsilon 1
status_is 2 "too many at all"

mkdir "$work/names" && touch "$work/names/path" "$work/names/uniform" && mkdir "$work/names/identity"
(cd "$work/names" && "$SOTTO" utility --n 6 --epsilon ln2 --graph path --prior uniform --gain identity --format json) > "$out" 2> "$err"
json "files that are called like a graph, a prior or a gain are not meant" 'd["utility_exact"] == "4/9"'

# ---- problem files
m u.yaml 'answers: 6\ngraph: path\nepsilon: ln2\nprior: binomial 0.3\ngain: distance\nmechanism: geometric\n'
run utility "$work/u.yaml" --format json
json "the form of the manual" 'd["utility_exact"] == "2092879/480000" and d["remap"] == [1,1,2,2,2,2]'
run utility "$work/u.yaml" --prior uniform --format json
json "options go before the file" 'd["utility_exact"] == "197/48"'
m g.csv '1,0,1\n0,1,0\n'
m all.yaml 'labels: [low, middle, high]\ngraph: {edges: [[0,1],[1,2]]}\nepsilon: {alpha: 1/2}\nprior: {table: [1/4, 1/2, 1/4]}\ngain: {table: g.csv}\n'
run optimal "$work/all.yaml" --format json
json "middle or not: the geometric mechanism is not the best" 'd["utility_exact"] == "2/3" and d["method"] == "exact columns"'
run utility "$work/all.yaml" --prior uniform --gain distance --mechanism k-rr
stdout_like '^best guess by output  low middle middle$' "labels in the output, and options before tables"
m line.yaml 'graph: {line: [0, 2, 3, 7]}\nepsilon: ln2\ngain: identity\nmechanism: tight\n'
run utility "$work/line.yaml" --format json
json "a line with gaps" 'd["utility_exact"] == "359/510"'
m several.yaml 'answers: 3\nepsilon: ln2\ngain: identity\nmechanism: [geometric, k-rr, {matrix: tri.csv}]\n'
run utility "$work/several.yaml" --format json
json "several mechanisms, side by side" '[r["mechanism"].split("/")[-1] for r in d][:3] == ["geometric", "k-rr", "tri.csv"] and d[-1]["mechanism"] == "best" and d[-1]["utility"] == d[0]["utility"]'
json "what is worth less and leaks as much is off the front" 'all(r["pareto"] in ("yes", "no") for r in d)'
run utility "$work/several.yaml" --mechanism k-rr --format json
json "an option goes before the list" 'd["mechanism"] == "k-rr"'
m parity.yaml 'answers: 5\nepsilon: ln2\ngain: parity\n'
run utility "$work/parity.yaml" --compare --format json
json "for parity the geometric mechanism leaks more and is worth less than the best" '{r["mechanism"]: r["pareto"] for r in d}["geometric"] == "no" and d[-1]["pareto"] == "yes"'
for bad in 'answers: 3\nepsilon: ln2\nmechanism: []\n;3' 'answers: 3\nepsilon: ln2\nmechanism:\n- geometric\n- {matrx: m.csv}\n;5' 'answers: 6\nepsilon: ln2\ngian: distance\n;3' 'answers: 0\nepsilon: ln2\n;1' 'answers: 3\nepsilon: ln2\nprior: {table: [1/2, x, 1/2]}\n;3' 'answers: [\n;2' 'answers: 3\nepsilon: ln2\nlabels: 3\n;3'; do
	m bad.yaml "${bad%;*}"
	run utility "$work/bad.yaml"
	status_is 2 "refused: ${bad%;*}"
	stderr_like "bad\.yaml:${bad##*;}" "with its line"
done
m sum.yaml 'answers: 3\nepsilon: ln2\nprior: {table: [0.3, 0.3, 0.3]}\n'
run utility "$work/sum.yaml"
status_is 2 "a prior that does not sum to one"
run utility "$work/sum.yaml" --normalize
status_is 0 "unless it may be normalized"

# ---- optimal
run optimal --n 6 --epsilon ln2 --format json
json "the keys of optimal" 'set(("utility","utility_lower","utility_upper","method","certified","epsilon")) <= set(d) and d["utility_exact"] == "197/48" and d["method"] == "certificate" and d["certified"] is True'
run optimal --n 1 --epsilon 1
status_is 0 "one answer"
run optimal --n 4 --epsilon 0 --gain identity --format json
json "epsilon 0: nothing is told" 'd["utility_exact"] == "1/4"'
run optimal --n 400000 --epsilon 1
status_is 2 "too many answers"
run optimal --n 1000 --epsilon ln2 --gain identity --format json
json "a thousand answers, certified" 'd["method"] == "certificate" and d["exact"] is True and F(d["utility_exact"]) == F(1000 - 499, 1500)'
run optimal --n 600 --epsilon ln2 --gain parity
status_is 1 "the geometric mechanism is not the best for parity"
stderr_like 'not the best for this user' "and that is said, where no other can be looked for"
run optimal --n 5000 --epsilon 1 --format json
status_is 2 "too many for this epsilon"
run optimal --n 5000 --epsilon 1 --out "$work/5000.csv"
stderr_like 'too many for exact fractions; take at most 400$' "with a limit"
if has_solver; then
	run optimal --n 4 --graph cycle --epsilon 1 --gain identity --out "$work/best.csv" --svg "$work/best.svg" --format json
	json "a circle" 'abs(d["utility"] - 0.5344466454) < 1e-9 and d["utility_upper"] - d["utility_lower"] < 1e-9'
	run verify "$work/best.csv" --graph cycle --epsilon 1
	status_is 0 "what optimal writes is private, by verify"
	check "the picture is whole" grep -q '</svg>' "$work/best.svg"
	run optimal --n 4 --epsilon ln2 --minimax --format json
	json "minimax" 'abs(d["loss"] - 28/39) < 1e-12 and d["loss_lower"] <= 28/39 <= d["loss_upper"]'
	run optimal --n 3 --epsilon ln2 --gain identity --gap --format json
	json "one release serves all on a path only" '[r["gaps"] > 0 for r in d] == [False, True, True] and abs(d[2]["largest_gap"] - 1/24) < 1e-12'
	for case in "4 identity" "4 distance" "5 identity" "5 distance"; do
		for epsilon in ln2 1 ln3; do
			run optimal --n ${case% *} --gain ${case#* } --epsilon $epsilon --graph path --gap --format csv
			stdout_like '^path,[0-9]*,0,0,,$' "no pair of users of a path loses by sharing: $case, $epsilon"
		done
	done
	m other.yaml 'answers: 3\nprior: {table: [1/2, 1/2, 0]}\ngain: identity\n'
	run optimal --n 3 --graph complete --epsilon ln2 --gain identity --users "$work/other.yaml" --format json
	json "two users lose 1/24" 'd["gap"]["exact"] == "1/24" and d["joint"]["exact"] == "9/8"'
	m g3.csv '2/3,1/6,1/6\n1/3,1/3,1/3\n1/6,1/6,2/3\n'
	run verify "$work/tri.csv" --derivable-from "$work/g3.csv" --format json
	status_is 1 "a matrix that cannot be made from another"
	json "with a gain that shows it" 'F(d["gain_of_matrix_exact"]) > F(d["gain_of_source_exact"])'
	m flat.csv '1/2,1/2\n1/2,1/2\n1/2,1/2\n'
	run verify "$work/flat.csv" --derivable-from "$work/tri.csv" --format json
	json "one that can, with the remap" 'd["derivable"] is True and len(d["remap"]) == 3'
else
	echo "# skipped: COIN-OR Clp is not installed: linear programs are not tested"
fi
# A file that is not a library stands for one that is not there.
mkdir "$work/none" && : > "$work/none/libClp.so.1"
without() { LD_LIBRARY_PATH=$work/none run "$@"; }
without optimal --n 4 --graph cycle --epsilon 1
status_is 1 "without COIN-OR Clp a circle cannot be solved"
stderr_like 'could not be loaded; install COIN-OR Clp\|built without them (make LP=0)' "and what to do is said"
without optimal --n 9 --epsilon 0.5 --gain parity --format json
json "a small tree can" 'd["method"] == "exact columns" and d["certified"] is True'
without utility --n 5 --epsilon ln2 --compare --format json
json "and mechanisms can be compared" '[r["mechanism"] for r in d][-1] == "best" and "minimax" not in [r["mechanism"] for r in d]'
run optimal --n 9 --epsilon 0.5 --gain parity --method lp --format json
if [ "$status" = 0 ]; then json "a program agrees" 'd["certified"] is True'; fi
run optimal --n 3 --epsilon ln2 --gap --minimax
status_is 2 "one question at a time"
run optimal --n 3 --epsilon ln2 --minimax --side 0,7
status_is 2 "an answer that is not there"

# ---- sensitivity: all small datasets agree with every formula
for query in count histogram 'sum --range -5 3' 'average --range 0 120 --min 3' 'average --range 1 5 --empty 9' percentage \
	'percentage --min 2' 'median --range 0 10 --min 3' 'max --range 0 10' 'variance --range 0 10' \
	'variance --range 0 6 --min 4' 'sample-variance --range 0 6 --min 2' 'counts -k 4'; do
	run sensitivity $query --brute --format json
	status_is 0 "small datasets agree: $query"
	json "under both relations" 'd["add_remove"]["tried"] and d["replace"]["tried"]'
done
run sensitivity average --range 0 120 --min 100 --brute
status_is 1 "too many to try"
run sensitivity percentage --min 1000 --neighbours replace-one --explain
stdout_like '= 5 epsilon e^(-10 epsilon |z - y|)$' "the density of the noise, derived"

# ---- pictures: whole, and the same for the same input
for what in "utility --n 4 --epsilon 1 --eps-range 0.5:1.5:4 --svg" "utility --n 4 --epsilon 1 --eps-range 0.5:1.5:4 --log --plot" "utility --n 4 --epsilon 1 --eps-range 0.5:1.5:4 --pareto" "verify $work/two.csv --curve" "verify $work/two.csv --svg" "verify $work/two.csv --map"; do
	run $what "$work/1.svg"
	status_is 0 "drawn: ${what%% *}"
	run $what "$work/2.svg"
	check "byte for byte" cmp -s "$work/1.svg" "$work/2.svg"
	check "and whole" grep -q '</svg>' "$work/1.svg"
done
run utility --n 4 --epsilon 1 --log
status_is 2 "--log without a picture"
run utility --n 4 --epsilon 1 --eps-range 0:1:3 --log --svg "$work/1.svg"
status_is 2 "a log scale has no 0"
finish
