#!/bin/sh
# sotto local: the whole way from values to estimates, and what is refused.
. "$(dirname "$0")/lib.sh"
data=$(cd "$(dirname "$0")/../vectors" && pwd)

printf 'protocol grr\nsize 4\nepsilon 3\n' > "$work/grr"
printf 'protocol rappor # demo\nwidth 16\nhashes 2\ngroups 8\nf .25\np .25\nq .75\n' > "$work/rappor"
printf 'protocol oue\nsize 8\nepsilon 1\nmemoize yes\n' > "$work/memo"

run local plan -n 1000000 -d 1000 -e 1 --format csv
status_is 0 "a plan is made"
stdout_like '^grr,2,' "it has GRR"
run local plan -n 1000 -d 100000 -e 0.5 --format csv --svg "$work/plan.svg"
stdout_like '^grr,3,15414[.0-9]*,,' "a protocol that finds nothing has no least frequency"
check "and no picture shows a frequency above 1" sh -c "! sed '/epsilon of all/q' '$work/plan.svg' | grep -q '>10</text>'"
check "one protocol is best" test "$(grep -c '[0-9],best$' "$out")" = 1
run local plan -n 1000 -d 10 -e 1 --min-freq 0.001
stdout_like 'are not found: it takes about' "too rare values are said to be too rare"
run local plan -n 1000000 -d 8 -e 3 --protocol grr --emit text
cp "$out" "$work/emitted"
run local privacy --params "$work/emitted" --format csv
stdout_like '^one report,\(3\|2.99999\)' "emitted parameters are read back"
run local plan -n 1000 -d 10 -e 1 --protocol oue --emit c
stdout_like '^	.one = {UINT64_C(0x8000000000000000), false},$' "parameters for a device are integers"

run local privacy --params "$work/rappor" --reports 2 --format csv
stdout_like '^any number of reports of one value,7.78364059622[0-9]*$' "RAPPOR forever: 4 ln 7"
stdout_like '^a lifetime,unbounded$' "and a lifetime has no bound"

run local presets --format csv
check "published collections are listed" test "$(wc -l < "$out")" -gt 10
stdout_like '^chrome-uma,.*,rappor,5,2.04330249' "with their epsilon"
stdout_like '^apple-emoji,.*,cms,130,3.99999999' "rounded toward privacy"
cut -d, -f1 "$out" | tail -n +2 > "$work/presets"
while read -r preset; do
	"$SOTTO" local presets "$preset" > "$work/preset"
	check "$preset is read back" "$SOTTO" local privacy --params "$work/preset"
done < "$work/presets"
run local privacy --params "$data/google/params.csv" --format csv
stdout_like '^one report,' "params.csv of google/rappor has its epsilon stated"
printf 'protocol rappor\nf .5\np .25\nq .75\n' > "$work/unsized"
refuses 1 'sotto local privacy: parameters: rappor over strings needs width, hashes and groups; over numbers, size' \
	local privacy --params "$work/unsized"
refuses 1 'sotto local presets: there is no such preset; sotto local presets lists them' local presets chrome

# a device
head -c 32 /dev/zero > "$work/key"
run local encode --params "$work/memo" --key-file "$work/key" 3 3 3 3
check "a memoizing device repeats itself" test "$(sort -u "$out" | wc -l)" = 2
run local encode --params "$work/memo" --each-device 3 3 3 3 3 3 3 3 3 3 3 3
check "twelve devices do not" test "$(sort -u "$out" | wc -l)" -gt 3
refuses 1 'sotto local encode: this collection memoizes: give --key-file or --each-device' \
	local encode --params "$work/memo" 3
refuses 1 'sotto local encode: these are parameters of grr, not of oue' local encode --params "$work/grr" --proto oue 1
run local encode --params "$work/grr" --proto grr 1
status_is 0 "a protocol that is the file's is no error"
refuses 2 'sotto local plan: --protocol says whose parameters are printed; add --emit text, or leave it out to compare all protocols' \
	local plan -n 1000 -d 4 -e 1 --protocol grr
printf 'protocol grr\nvalues 4\n' > "$work/odd"
refuses 1 'sotto local encode: parameters: line 2 must be a name and its value, each name once: protocol, size, width, hashes, groups, grain, epsilon, second, gamma, f, p, q, truth, yes, memoize or salt' \
	local encode --params "$work/odd" 1
refuses 1 "sotto local collect: there is no collection in $work/nowhere; begin one with its parameters (--params)" \
	local collect --store "$work/nowhere" "$work/grr"
refuses 1 'sotto local encode: value number 1 is outside the domain of the collection' local encode --params "$work/grr" 4
refuses 1 'sotto local encode: value number 2 is not a number, and the collection is of numbers' \
	local encode --params "$work/grr" 1 x

# collect, once each
i=0
while [ $i -lt 6 ]; do
	yes $((i % 2 * 2)) | head -n 500 > "$in"
	"$SOTTO" local encode --params "$work/grr" --each-device --out batch < "$in" > "$work/batch$i"
	i=$((i + 1))
done
: > "$in"
run local collect --store "$work/store" --params "$work/grr" "$work/batch0" "$work/batch1" --format csv
status_is 0 "batches are collected"
stdout_like '^reports in the store,1000$' "and counted"
run local collect --store "$work/store" "$work"/batch? --snapshot "$work/all" --format csv
stdout_like '^batches known already,2$' "known batches are known"
stdout_like '^reports in the store,3000$' "and not counted again"
cat "$work"/batch? > "$in"
run local collect --store "$work/store" --compact --format csv -
stdout_like '^batches known already,6$' "a stream of batches on standard input"
run local collect --store "$work/store" "$work/batch1" --format csv
stdout_like '^batches known already,1$' "ids outlive compaction"
run local collect --store "$work/store" --verify
status_is 0 "the store is whole"
head -c 100 "$work/batch0" > "$work/torn"
run local collect --store "$work/store" "$work/torn" --format csv
status_is 1 "a torn batch makes the exit status 1"
stdout_like '^rejected: wrong length,1$' "and is counted with its reason"
refuses 1 "sotto local collect: the collection in $work/store has other parameters; use another directory" \
	local collect --store "$work/store" --params "$work/memo"

# merge: any order, never twice
for i in 0 1 2; do
	"$SOTTO" local collect --store "$work/store$i" --params "$work/grr" "$work/batch$i" --snapshot "$work/part$i" > "$out"
done
run local merge -o "$work/sum1" "$work/part0" "$work/part1" "$work/part2"
run local merge -o "$work/sum2" "$work/part2" "$work/part0" "$work/part1"
check "merging does not depend on the order" cmp "$work/sum1" "$work/sum2"
refuses 1 'sotto local merge: both aggregates hold the same batches; adding them would count reports twice' \
	local merge -o "$work/sum3" "$work/sum1" "$work/part1"

# one batch in two collectors: each counts it once, and together it counts twice
"$SOTTO" local collect --store "$work/east" --params "$work/grr" "$work/batch0" "$work/batch0" --snapshot "$work/east-all" > "$work/said"
"$SOTTO" local collect --store "$work/west" --params "$work/grr" "$work/batch0" --snapshot "$work/west-all" > "$work/said"
run local merge -o "$work/both" "$work/east-all" "$work/west-all"
status_is 0 "two collectors that were sent one batch are added"
run local decode --snapshot "$work/both"
stdout_like '^1000 reports' "and its 500 reports count twice: a batch is for one collector"

run local decode --snapshot "$work/all" --alpha 1e-9 --format csv
check "values that people hold are found, others are not" \
	test "$(cut -d, -f8 "$out" | tail -n +2 | tr '\n' ' ')" = "yes no yes no "
run local decode --snapshot "$work/all" --svg "$work/decoded.svg" --format json
check "estimates are drawn as bars with whiskers" \
	sh -c "test \$(grep -c '<rect x=' '$work/decoded.svg') = 4 && test \$(grep -c 'whisker. d=' '$work/decoded.svg') = 4"
refuses 1 'sotto local decode: could not write /nowhere/x.svg' local decode --snapshot "$work/all" --svg /nowhere/x.svg
run local decode --snapshot "$work/all" --format json
stdout_like '"correction": "bonferroni"' "JSON says how tests were corrected"

# The URL that a collector says it listens at; gives up after ten seconds.
url_of() {
	tries=0
	while ! grep -qs listening "$1" && [ $tries -lt 200 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	sed -n 's/^listening at //p' "$1"
}

# a collector over HTTP, killed and started again
"$SOTTO" local collect --store "$work/net" --params "$work/grr" --http 127.0.0.1:0 > "$work/listen1" &
pid=$!
url=$(url_of "$work/listen1")
cat > "$work/send.py" <<'PY'
import sys, urllib.error, urllib.request
for name in sys.argv[2:]:
    try:
        with urllib.request.urlopen(sys.argv[1], data=open(name, "rb").read()) as reply:
            print(reply.status)
    except urllib.error.HTTPError as problem:
        print(problem.code, problem.read().decode())
PY
/usr/bin/python3 "$work/send.py" "$url" "$work/batch0" "$work/batch1" "$work/batch0" > "$out" 2> "$err"
check "a new batch is answered by 202 and a known one by 200" test "$(tr '\n' ' ' < "$out")" = "202 202 200 "
printf 'no batch at all, but long enough to be sure of that' > "$work/junk"
/usr/bin/python3 "$work/send.py" "$url" "$work/junk" > "$out" 2> "$err"
stdout_like '^400 .*the batch was rejected: it is not a batch of reports' "junk is rejected with a reason"
kill -9 $pid
wait $pid 2>/dev/null
run local collect --store "$work/net" --format csv
stdout_like '^reports in the store,1000$' "kill -9 loses nothing that was acknowledged"
"$SOTTO" local collect --store "$work/net" --http 127.0.0.1:0 --snapshot "$work/netall" > "$work/listen2" &
pid=$!
url=$(url_of "$work/listen2")
/usr/bin/python3 "$work/send.py" "$url" "$work/batch1" "$work/batch2" > "$out" 2> "$err"
check "after it, known batches are known" test "$(tr '\n' ' ' < "$out")" = "200 202 "
run local collect --store "$work/net"
stderr_like 'another collector has' "two collectors do not share a store"
kill -TERM $pid
wait $pid
check "SIGTERM ends it in peace" test $? = 0
check "it says what it took" grep -q '^reports in the store  *1500$' "$work/listen2"
check "and writes the aggregate" test -s "$work/netall"
refuses 2 'sotto local collect: --tls-cert and --tls-key go with --http' \
	local collect --store "$work/net" --tls-cert "$work/junk"
refuses 1 'sotto local collect: an address is HOST:PORT, like 127.0.0.1:7654, with a port up to 65535, not nowhere' \
	local collect --store "$work/net" --http nowhere

# google/rappor files
run local decode --params "$data/google/params.csv" --counts "$data/google/counts.csv" \
	--map "$data/google/map.csv" --alpha 0.001 --format csv
status_is 0 "google/rappor files are decoded"
check "the four strings that clients hold are found" \
	test "$(grep ',yes,' "$out" | cut -d, -f1 | sort | tr '\n' ' ')" = "v1 v2 v3 v4 "
run local decode --params "$data/google/params.csv" --counts "$data/google/counts.csv" \
	--map "$data/google/map.csv" --format json
check "JSON is JSON with every field" /usr/bin/python3 -c "
import json, sys
d = json.load(open('$out'))
keys = {'string', 'estimate', 'standard_error', 'low', 'high', 'z', 'p_value', 'adjusted_p_value', 'significant', 'consistent'}
assert set(d['estimates'][0]) == keys and d['reports'] == 80000 and d['fit']['misfit_p'] > 1e-6
f = d['fit']
assert abs(f['explained_variance'] + f['missing_variance'] + f['noise_variance'] - 1) < 1e-9
assert d['alpha'] == 0.05 and d['method'] == 'regression' and d['target'] == 'sample' and d['candidates'] == 20
truth = {'v1': 40000, 'v2': 20000, 'v3': 12000, 'v4': 8000}
for e in d['estimates']:
    assert abs(e['estimate'] - truth.get(e['string'], 0)) < 5 * e['standard_error'], e
"
printf 'k,h,m,p,q,f\n16,2,8,.25,.75,1\n' > "$work/bad.csv"
refuses 1 'sotto local decode: params: with f = 1 or p = q nothing can be decoded' \
	local decode --params "$work/bad.csv" --counts "$data/google/counts.csv" --map "$data/google/map.csv"
refuses 2 'sotto local decode: give --snapshot, or --params, one of --counts and --reports, and --map or --candidates' \
	local decode
google() { # google OPTION...: decode the sample files
	run local decode --params "$data/google/params.csv" --counts "$data/google/counts.csv" "$@"
}
google --map "$data/google/map.csv" --bootstrap 200 --format json
check "the bootstrap agrees with theory" /usr/bin/python3 -c "
import json
d = json.load(open('$out'))
assert d['bootstrap_runs'] == 200 and .9 < d['bootstrap_over_theory'] < 1.1
assert all(.7 < e['bootstrap_error'] / e['standard_error'] < 1.4 for e in d['estimates'])
"
refuses 1 'sotto local decode: --bootstrap must be at least 200' local decode --params "$data/google/params.csv" \
	--counts "$data/google/counts.csv" --map "$data/google/map.csv" --bootstrap 10
google --map "$data/google/map.csv" --method reference --format csv
stdout_like '^v1,[0-9]*,[0-9]*,[0-9.]*,[0-9.]*,[0-9.]*,,yes,[0-9]*,$' "the reference floors, and has no p-value"
for wish in --selected --simultaneous '--alpha 0.01'; do
	refuses 1 'sotto local decode: the reference has 95 % intervals of each value by itself, from five fits; leave --alpha, --selected and --simultaneous out, or take another --method' \
		local decode --params "$data/google/params.csv" --counts "$data/google/counts.csv" --map "$data/google/map.csv" \
		--method reference $wish
done
google --map "$data/google/map.csv" --method constrained --format json
check "a constrained fit is of shares" /usr/bin/python3 -c "
import json
e = json.load(open('$out'))['estimates']
assert min(x['consistent'] for x in e) >= 0 and sum(x['consistent'] for x in e) <= 80000.1
"
for post in base-pos norm norm-mul norm-cut norm-sub power-law mle-apx; do
	google --map "$data/google/map.csv" --post $post --format json
	cp "$out" "$work/post-$post"
done
check "each way to make consistent values does what it says" /usr/bin/python3 -c "
import json
def read(p):
    return [(e['estimate'], e['consistent']) for e in json.load(open('$work/post-' + p))['estimates']]
base, norm = read('base-pos'), read('norm')
assert all(c == max(e, 0) for e, c in base)
assert abs(sum(c for _, c in norm) - 80000) < 1e-6 and len({round(c - e, 6) for e, c in norm}) == 1
mul = read('norm-mul')
assert abs(sum(c for _, c in mul) - 80000) < 1e-6 and min(c for _, c in mul) == 0
cut = read('norm-cut')
assert sum(c for _, c in cut) <= 80000 and all(c in (0, e) for e, c in cut)
for p in 'norm-sub', 'mle-apx':
    assert abs(sum(c for _, c in read(p)) - 80000) < 1e-3 and min(c for _, c in read(p)) == 0
assert all(0 <= c <= 80000 for _, c in read('power-law'))
"
count_found() { grep -c ',yes,' "$out"; }
google --map "$data/google/map.csv" --alpha 0.2 --correction none --format csv
none=$(count_found)
google --map "$data/google/map.csv" --alpha 0.2 --correction bh --format csv
bh=$(count_found)
google --map "$data/google/map.csv" --alpha 0.2 --correction by --format csv
by=$(count_found)
google --map "$data/google/map.csv" --alpha 0.2 --correction holm --format csv
holm=$(count_found)
google --map "$data/google/map.csv" --alpha 0.2 --correction bonferroni --format csv
bonferroni=$(count_found)
check "corrections decide: none >= bh >= by, holm >= bonferroni, none > bonferroni" test "$none" -ge "$bh" \
	-a "$bh" -ge "$by" -a "$holm" -ge "$bonferroni" -a "$none" -gt "$bonferroni"
google --map "$data/google/map.csv" --simultaneous --format csv
check "simultaneous intervals are wider" sh -c "awk -F, '/^v1,/ {exit !(\$5 - \$4 > 2 * 3.02 * \$3 - 1)}' '$out'"
google --map "$data/google/map.csv" --format json
cp "$out" "$work/plain.json"
google --map "$data/google/map.csv" --selected --format json
check "intervals of the significant are wider when they are selected, the others as they were" /usr/bin/python3 -c "
import json
plain, chosen = json.load(open('$work/plain.json')), json.load(open('$out'))
assert chosen['selected'] and not plain['selected']
share = sum(e['significant'] for e in plain['estimates']) / len(plain['estimates'])
assert 0 < share < 0.9
for p, c in zip(plain['estimates'], chosen['estimates']):
    ratio = (c['high'] - c['low']) / (p['high'] - p['low'])
    assert ratio > 1.05 if p['significant'] else abs(ratio - 1) < 1e-9, (p, c)
"
refuses 2 'sotto local decode: give --simultaneous or --selected, not both' local decode --params "$data/google/params.csv" \
	--counts "$data/google/counts.csv" --map "$data/google/map.csv" --simultaneous --selected
google --map "$data/google/map.csv" --target population --format csv
check "a population is less sure than a sample" sh -c "awk -F, '/^v1,/ {exit !(\$3 > 530)}' '$out'"
yes v | head -n 5 | nl -w1 -s '' | sed 's/\(.\)v/v\1/' > "$work/list"
google --candidates "$work/list" --mode google-py --format csv
check "candidates are hashed as the client did" test "$(grep ',yes,' "$out" | cut -d, -f1 | tr '\n' ' ')" = "v1 v2 v3 v4 "
printf 'k,h,m,p,q,f\n16,2,8,.25,.75,.45\n' > "$work/f45.csv"
run local decode --params "$work/f45.csv" --counts "$data/google/counts.csv" --map "$data/google/map.csv" --mode google-cpp
stderr_is 'note: google-cpp realises f, p and q as 0.4453125, 0.25 and 0.75' "what a client makes of f is used and said"
refuses 2 'sotto local decode: --candidates with --counts or --reports: give --mode' local decode \
	--params "$data/google/params.csv" --counts "$data/google/counts.csv" --candidates "$work/list"
# one bit, no map; more rows than cohorts only when asked; sizes that disagree; uneven cohorts
printf 'k,h,m,p,q,f\n1,1,2,.25,.75,.5\n' > "$work/one.csv"
printf '200,90\n300,130\n' > "$work/one_counts.csv"
run local decode --params "$work/one.csv" --counts "$work/one_counts.csv" --format csv
stdout_like '^TRUE,130,' "one bit is one debiased rate"
stdout_like '^FALSE,370,' "and its complement"
cat "$work/one_counts.csv" "$work/one_counts.csv" > "$work/four.csv"
refuses 1 'sotto local decode: counts: there are more rows than the 2 cohorts of params; if cohorts were numbered past that, fold them' \
	local decode --params "$work/one.csv" --counts "$work/four.csv"
run local decode --params "$work/one.csv" --counts "$work/four.csv" --fold --format csv
stdout_like '^TRUE,260,' "more rows are folded when asked"
printf '900,400\n100,40\n' > "$work/uneven.csv"
run local decode --params "$work/one.csv" --counts "$work/uneven.csv"
stderr_like '^warning: the cohorts differ in size by more than their mean' "uneven cohorts are noticed"
printf 'k,h,m,p,q,f\n16,3,8,.25,.75,.5\n' > "$work/h3.csv"
refuses 1 'sotto local decode: map: no line holds 3 cells for each of 8 cohorts' \
	local decode --params "$work/h3.csv" --counts "$data/google/counts.csv" --map "$data/google/map.csv"
printf 'k,h,m,p,q,f\n8,2,8,.25,.75,.5\n' > "$work/k8.csv"
refuses 1 'sotto local decode: counts: line 1 must hold the reports of a cohort and 8 counts that do not exceed them' \
	local decode --params "$work/k8.csv" --counts "$data/google/counts.csv" --map "$data/google/map.csv"
printf 'k,h,m,p,q,f\n16,2,4,.25,.75,.5\n' > "$work/m4.csv"
refuses 1 'sotto local decode: map: line 1 must hold 8 cells, 2 for each of 4 cohorts' \
	local decode --params "$work/m4.csv" --counts "$data/google/counts.csv" --fold --map "$data/google/map.csv"

# strings that nobody listed
printf 'protocol pem\nsize 32\ngrain 6\ngroups 4\nepsilon 4\n' > "$work/pem"
{ yes tea | head -n 3000; yes milk | head -n 2000; } > "$in"
"$SOTTO" local encode --params "$work/pem" --each-device --out batch < "$in" > "$work/batchp"
run local collect --store "$work/pemstore" --params "$work/pem" "$work/batchp" --snapshot "$work/pemsnap"
run local decode --snapshot "$work/pemsnap" --alpha 1e-9 --format csv
check "pem finds the words" test "$(tail -n +2 "$out" | cut -d, -f1 | sort | tr '\n' ' ')" = "milk tea "

# a sketch, with and without a dictionary
printf 'protocol cms\nwidth 16\ngroups 8\nepsilon 4\n' > "$work/cms"
{ yes tea | head -n 3000; yes milk | head -n 1000; } > "$in"
"$SOTTO" local encode --params "$work/cms" --each-device --out batch < "$in" > "$work/batchc"
: > "$in"
run local collect --store "$work/cmsstore" --params "$work/cms" "$work/batchc" --snapshot "$work/cmssnap"
printf 'tea\nmilk\nbeer\n' > "$work/drinks"
run local decode --snapshot "$work/cmssnap" --candidates "$work/drinks" --format csv
plain=$(awk -F, '/^tea/ { print int($3) }' "$out")
run local decode --snapshot "$work/cmssnap" --candidates "$work/drinks" --dictionary --format csv
check "a dictionary takes collisions out of a sketch" sh -c "awk -F, '/^tea/ {exit !(\$3 < $plain / 2 && \$2 > 3000 - 7 * \$3 && \$2 < 3000 + 7 * \$3)}' '$out'"
refuses 2 'sotto local decode: --dictionary is for cms with --candidates' local decode --snapshot "$work/all" --dictionary

# compatible clients
printf 'k,h,m,p,q,f\n16,2,64,.5,.75,.5\n' > "$work/py.csv"
printf secret > "$work/secret"
run local encode --mode google-py --params "$work/py.csv" --key-file "$work/secret" --cohort 0 --reveal abc
stdout_like '^,0,0010000001000000,1110000011101000,[01]\{16\}$' "google-py: the published Bloom filter and permanent response"
stderr_like 'realises f as 0.5' "and what f becomes is said"
run local encode --mode google-py --params "$work/py.csv" --key-file "$work/secret" --cohort 0 abc
stdout_like '^,0,,,[01]\{16\}$' "they stay on the device unless asked for"
printf 'k,h,m,p,q,f\n16,2,4,.25,.75,.25\n' > "$work/quarters.csv"
printf 'tea\nmilk\nbeer\n' > "$work/drinks"
for mode in google-py google-cpp google-cpp-vector google-java chromium; do
	{ yes tea | head -n 900; yes milk | head -n 300; } > "$in"
	run local encode --mode $mode --params "$work/quarters.csv" --each-device
	cp "$out" "$work/compat.csv"
	: > "$in"
	run local decode --mode $mode --params "$work/quarters.csv" --reports "$work/compat.csv" --candidates "$work/drinks" --alpha 1e-9 --format csv
	check "$mode: many devices are encoded and decoded" awk -F, '{ found[$1] = $8 } END { exit !(found["tea"] == "yes" && found["milk"] == "yes" && found["beer"] == "no") }' "$out"
done
sed 's/,.25$/,.1/' "$work/quarters.csv" > "$work/tenth.csv"
refuses 1 'sotto local encode: chromium needs k that is a multiple of 8 and at most 4096, h of at most 16, and f, p and q that are 0.25, 0.5 or 0.75' \
	local encode --mode chromium --params "$work/tenth.csv" --each-device tea
refuses 1 'sotto local decode: chromium needs k that is a multiple of 8 and at most 4096, h of at most 16, and f, p and q that are 0.25, 0.5 or 0.75' \
	local decode --mode chromium --params "$work/tenth.csv" --reports "$work/compat.csv" --candidates "$work/drinks"
refuses 1 'sotto local encode: google-java needs k of at most 4096, h of at most 8, m that is a power of 2 and at most 128, and a secret of at least 48 bytes' \
	local encode --mode google-java --params "$work/quarters.csv" --key-file "$work/secret" tea
: > "$work/empty"
refuses 1 'sotto local encode: the key file is empty: everybody could undo the permanent response' \
	local encode --mode google-cpp --params "$work/quarters.csv" --key-file "$work/empty" tea

# simulate and attack
run local simulate --params "$work/rappor" --values 5 --extra 5 --clients 300000 --fast --svg "$work/chart.svg" --format csv
status_is 0 "a simulation runs"
check "it draws a bar with a whisker and the truth of each value" \
	sh -c "test \$(grep -c '<rect x=' '$work/chart.svg') = 10 && test \$(grep -c 'whisker. d=' '$work/chart.svg') = 10 &&
	test \$(grep -c '#d55e00' '$work/chart.svg') = 11"
run local simulate --params "$work/grr" --values 4 --clients 5000 --runs 20 --svg "$work/chart.svg" --format csv
stdout_like '^covered,' "many runs are summed up"
check "the picture says that it shows one of them" grep -q 'intervals in the first of 20 runs<' "$work/chart.svg"
printf 'protocol flh\nsize 8\ngroups 16\nepsilon 4\n' > "$work/few-seeds"
covers_between() { # LEAST MOST: the share of intervals that hold, in what was printed
	awk -F, -v least="$1" -v most="$2" '$1 == "covered" { n++; ok = $2 >= least && $2 <= most } END { exit !(n == 1 && ok) }' "$out"
}
if [ "${SOTTO_VARIANT:-}" != asan ]; then # too many runs for it
	run local simulate --params "$work/few-seeds" --values 8 --clients 2000 --runs 500 --alpha 0.2 --format csv
	check "intervals with few seeds cover as stated over hash functions" covers_between 0.8 0.95
	run local simulate --params "$work/few-seeds" --values 8 --clients 2000 --runs 500 --alpha 0.2 --same-hashes --format csv
	check "with the same hash functions in all runs one sees how lucky they are" covers_between 0.76 0.85
fi
run local simulate --params "$work/few-seeds" --values 8 --clients 2000 --runs 2
stdout_like '^each run has its own hash functions: intervals hold over their choice$' "a simulation says over what its intervals hold"
run local simulate --params "$work/grr" --values 4 --clients 500 --runs 2
check "a protocol without hash functions does not speak of them" sh -c "! grep -q 'hash functions' '$out'"
seq 0 7 | "$SOTTO" local encode --params "$work/few-seeds" --each-device --out batch > "$work/few-batch"
"$SOTTO" local collect --store "$work/few-store" --params "$work/few-seeds" "$work/few-batch" --snapshot "$work/few-sum" > "$work/few.log"
run local decode --snapshot "$work/few-sum"
stdout_like '^collisions are part of the errors: intervals hold over the choice of the hash functions$' "and so does decode"
run local decode --snapshot "$work/few-sum" --format json
stdout_like '"over_hash_functions":  *true' "also in JSON"
refuses 2 'sotto local simulate: grr has no public hash functions: leave --same-hashes out' \
	local simulate --params "$work/grr" --values 4 --same-hashes
for found in 'pem:size 32\ngrain 8\ngroups 8\nepsilon 4\n' \
	'treehist:size 32\ngrain 8\nwidth 256\ngroups 64\nepsilon 4\nsecond 4\n' \
	'sfp:size 4\nhashes 2\ngrain 4\nwidth 256\ngroups 64\nepsilon 4\nsecond 4\n'; do
	finder=${found%%:*}
	printf "protocol $finder\n${found#*:}" > "$work/finder"
	run local simulate --params "$work/finder" --values 6 --clients 20000 --format csv
	check "a simulation of $finder finds the most frequent string, and its interval holds it loosely" \
		awk -F, '$1 == "v1" { n++; ok = $2 > 6000 && $3 / $2 > .7 && $3 / $2 < 1.3 } END { exit !(n == 1 && ok) }' "$out"
	run local simulate --params "$work/finder" --values 6 --clients 20000 --runs 2 --format csv
	check "the found and the missed of $finder are all that people hold" \
		awk -F, '$1 == "found" { n = $2 } $1 == "missed" { n += $2 } END { exit n != 6 }' "$out"
	refuses 2 "sotto local simulate: $finder finds the strings itself: leave --extra and --missing out" \
		local simulate --params "$work/finder" --values 6 --extra 3
done
refuses 1 'sotto local simulate: strings up to v1000 do not fit the size of the parameters: lower --values' \
	local simulate --params "$work/finder" --values 1000
run local attack --params "$work/grr" averaging --devices 200 --reports 100 --format csv
check "averaging beats answers drawn anew" test "$(sed -n 's/^"answers drawn anew, 100 reports",//p' "$out")" = 100
check "and not memoized ones" sh -c "awk -F, '/memoized, 100/ {exit !(\$3 < 99)}' '$out'"
refuses 2 'sotto local attack: the attack must be averaging, change, linkage or poison' \
	local attack --params "$work/grr" guess
for i in $(seq 20); do
	"$SOTTO" local attack --params "$work/rappor" linkage --devices 400 --format csv
done > "$out" 2>&1
check "what lasts links two reports" sh -c "awk -F, '/lasting/ {last += \$NF} /forget/ {gone += \$NF} END {exit !(last > 3 * gone)}' '$out'"
devices=80
[ "${SOTTO_VARIANT:-}" = asan ] && devices=16 # too few to say how often somebody is right
while IFS=: read -r name text; do
	printf "protocol $name\n$text" > "$work/attacked"
	ran=0
	for attack in averaging change linkage poison; do
		[ $attack = change ] && reports=20 || reports=400
		"$SOTTO" local attack --params "$work/attacked" $attack --devices $devices --reports $reports > "$work/attack-$attack" && ran=$((ran + 1))
	done
	check "$name: all attacks run" test $ran = 4
	[ $devices -lt 80 ] || check "$name: noise drawn anew averages out, memoized noise does not" sh -c "awk '/anew, 400/ {anew = \$NF}
		/memoized, 400/ {kept = \$NF} END {exit !(anew > kept)}' '$work/attack-averaging'"
	check "$name: the caption has the numbers of the run" sh -c "n=\$(awk '/anew, 400/ {print \$NF + 0}' '$work/attack-averaging')
		grep -q \"right for \$n % of the devices if answers are drawn anew\" '$work/attack-averaging'"
	check "$name: the caption has the changes that were found" sh -c "n=\$(awk '/memoized, value changed, 20/ {print \$NF + 0}' '$work/attack-change')
		grep -q \"found \$n % of the\" '$work/attack-change'"
done <<'EOF'
rr:truth 0.5\nyes 0.5\n
grr:size 8\nepsilon 1\n
sue:size 12\nepsilon 2\n
oue:size 12\nepsilon 2\n
olh:hashes 8\nepsilon 2\n
flh:hashes 8\ngroups 100\nepsilon 2\n
hr:size 12\nwidth 16\ngroups 1\nepsilon 2\n
ss:size 12\nhashes 3\nepsilon 2\n
rappor:width 32\nhashes 2\ngroups 16\nf .5\np .25\nq .75\n
cms:width 64\ngroups 64\nepsilon 2\n
hcms:width 64\ngroups 64\nepsilon 2\n
sfp:size 6\nwidth 64\nhashes 2\ngroups 8\nepsilon 2\nsecond 2\n
1bitmean:size 100\nepsilon 2\n
dbitflip:size 16\nhashes 8\nepsilon 2\n
pem:size 32\ngrain 4\ngroups 4\nhashes 8\nepsilon 2\n
treehist:size 32\ngrain 8\nwidth 64\ngroups 16\nepsilon 2\nsecond 2\n
EOF
run local simulate --params "$work/grr" --attack change --clients 50 --reports 10 --format csv
check "memoized answers show a change, and nothing else does" sh -c "awk -F, '/memoized, value kept/ {n++; bad += \$NF != 0}
	END {exit !(n == 2 && bad == 0)}' '$out'"
# its reports differ every time; on average they show which permanent bits are behind them
run local attack --params "$work/rappor" --devices 100 --reports 40 change --format csv
check "averages show that the value of a RAPPOR device changed" sh -c "awk -F, '/memoized, value changed, 40/ {found = \$NF}
	/memoized, value kept, 40/ {wrong = \$NF} END {exit !(found >= 90 && wrong <= 30)}' '$out'"
run local simulate --params "$work/grr" --attack poison --clients 500 --fakes 20 --format csv
check "a made-up user counts for (1 - q)/(p - q)" sh -c "awk -F, '/gain per/ {exit !(\$2 > 1.1 && \$2 < 1.22)}' '$out'"
run local simulate --params "$work/rappor" --values 20 --extra 4 --missing --clients 1000000 --fast --runs 10 --format csv
stdout_like '^found,18,' "candidates that end in 9 are left out on request"
stdout_like '^allocated,0.9' "and what was found is added up"
printf 'protocol 1bitmean\nsize 100\nepsilon 1\n' > "$work/mean"
refuses 2 'sotto local simulate: 1bitmean estimates one mean: leave --svg, --extra and --missing out' \
	local simulate --params "$work/mean" --values 50 --svg "$work/never.svg"
# two of these are the same once in sixty times, and eight never
for _ in 1 2 3 4 5 6 7 8; do
	run local simulate --params "$work/mean" --values 50 --seed 5 --format csv
	tail -n 1 "$out"
done > "$work/means"
check "without --fast, means are drawn with real randomness" test "$(sort -u "$work/means" | wc -l)" -gt 1
run local simulate --params "$work/mean" --values 50 --fast --alpha 0.5 --runs 400
check "as many intervals of means hold as --alpha says" \
	awk '/of the 50 % intervals hold/ { n++; ok = $1 > 40 && $1 < 60 } END { exit !(n == 1 && ok) }' "$out"
run local simulate --params "$work/mean" --values 50 --clients 100000 --dist unif --format csv
check "means are simulated too" sh -c "awk -F, 'NR == 2 {exit !(\$1 > 24 && \$1 < 25 && \$2 - \$1 < 7 * \$3 && \$1 - \$2 < 7 * \$3)}' '$out'"
printf 'protocol 1bitmean\nsize 1000\nepsilon 2\ngrain 100\nmemoize yes\ngamma 0.1\n' > "$work/walking"
run local privacy --params "$work/walking"
stdout_like 'vary, so a changed one proves nothing' "with gamma a changed answer proves nothing"
sed '/gamma/d' "$work/walking" > "$work/standing"
run local privacy --params "$work/standing"
stdout_like '^a changed answer shows that the value changed' "without it a changed answer is a changed value"
printf 'protocol sfp\nsize 6\nwidth 64\nhashes 2\ngroups 8\nepsilon 3\nsecond 3\n' > "$work/sfp-params"
"$SOTTO" local encode --params "$work/sfp-params" --each-device --out batch abcdef > "$work/sfp-batch"
"$SOTTO" local collect --params "$work/sfp-params" --store "$work/sfp-store" --snapshot "$work/sfp-all" "$work/sfp-batch" > "$work/sfp-said" 2>&1
echo abcdef > "$work/sfp-list"
refuses 2 'sotto local decode: sfp finds the strings itself: leave --candidates and --map out' \
	local decode --snapshot "$work/sfp-all" --candidates "$work/sfp-list"
for walk in ar1 sticky; do
	run local simulate --params "$work/walking" --walk $walk --rounds 3 --clients 5000 --format csv
	check "means of numbers that walk ($walk) are followed" sh -c \
		"test \$(wc -l < '$out') = 4 && awk -F, 'NR > 1 {d = \$3 - \$2; exit !(d * d < 64 * \$4 * \$4)}' '$out'"
done
refuses 1 'sotto local simulate: a walk is ar1 or sticky' local simulate --params "$work/walking" --walk away
printf 'protocol rappor\nwidth 16\nhashes 2\ngroups 8\nf .5\np .25\nq .75\n' > "$work/r8"

# counts made elsewhere
run local collect --import "$data/google/counts.csv" --params "$work/r8" --snapshot "$work/imported"
status_is 0 "counts.csv becomes an aggregate"
run local decode --snapshot "$work/imported" --map "$data/google/map.csv" --alpha 0.001 --format csv
check "that decodes as the file does" \
	test "$(grep ',yes,' "$out" | cut -d, -f1 | sort | tr '\n' ' ')" = "v1 v2 v3 v4 "
refuses 1 'sotto local merge: both aggregates hold the same batches; adding them would count reports twice' \
	local merge -o "$work/sum4" "$work/imported" "$work/imported"
refuses 2 'sotto local collect: --import takes --params and --snapshot, and no store or batches' \
	local collect --import "$data/google/counts.csv" --params "$work/r8"
refuses 2 'sotto local collect: --store is needed' local collect

# what shuffling does, and pictures
run local plan -n 1000000 -d 100 -e 1 --delta 1e-8
stdout_like 'the clones bound in closed form: 0.026775164' "a plan states the clones bound"
printf 'protocol grr\nsize 16\nepsilon 1\n' > "$work/grr1"
run local privacy --params "$work/grr1" --shuffle 1000000 --format csv
stdout_like 'numeric clone)",0.0061254' "and privacy the accountant's"
refuses 1 'sotto local privacy: cohorts are tags that survive shuffling: --shuffle needs groups 1' \
	local privacy --params "$work/rappor" --shuffle 1000
run local plan -n 1000 -d 10 -e 1 --reports 50 --memoize --svg "$work/plan.svg" --format csv
stdout_like '^oue,2,[0-9.]*,[0-9.]*,0.99999[0-9]*,0.99999[0-9]*,1,60,' "memoized answers cost once, and need state"
check "a plan is drawn, a panel for each figure" test "$(grep -c 'font-weight=.bold.>\(least frequency that is found\|epsilon of all reports of one value\|size of a report\)<' "$work/plan.svg")" = 3
check "lines are named at their ends" grep -q "<text [^>]*fill='#[0-9a-f]*'[^>]*>rappor<" "$work/plan.svg"
run local privacy --params "$work/r8" --svg "$work/privacy.svg"
check "the curve of epsilon is drawn" grep -q '</svg>' "$work/privacy.svg"
run local plan -n 1000 -d 10 -e 1 --protocol hr --emit c
{ cat "$out"; echo 'int main(void) { return sotto_client_params_check(&params); }'; } > "$work/device.c"
check "what a plan emits compiles" ${CC:-cc} -std=c11 -Wall -Werror -Iinclude -c "$work/device.c" -o "$work/device.o"
# sizes that do not fit: the message says which ones do
while read -r lines; do
	printf "protocol $lines" > "$work/sizes"
	run local params --to bytes "$work/sizes"
	stderr_like 'these sizes do not fit the protocol; [a-z]* is ' "${lines%%\\*}: sizes that fit are named"
done <<'END'
grr\nsize 1\nepsilon 1\n
oue\nsize 1\nepsilon 1\n
olh\nsize 1\nepsilon 1\n
hr\nsize 1\nepsilon 1\n
ss\nsize 4\nhashes 4\nepsilon 1\n
cms\nwidth 1\nepsilon 1\n
hcms\nwidth 48\ngroups 4\nepsilon 1\n
sfp\nsize 7\nwidth 64\nhashes 2\ngroups 8\nepsilon 2\nsecond 2\n
1bitmean\nsize 10\ngrain 3\nepsilon 1\n
dbitflip\nsize 4\nhashes 5\nepsilon 1\n
pem\nsize 16\nepsilon 2\n
treehist\nsize 16\nepsilon 1\nsecond 1\n
END
finish
