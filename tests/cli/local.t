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
check "one protocol is best" test "$(grep -c '[0-9],best$' "$out")" = 1
run local plan -n 1000 -d 10 -e 1 --min-freq 0.001
stdout_like 'are not found: it takes about' "too rare values are said to be too rare"
run local plan -n 1000000 -d 8 -e 3 --protocol grr --emit-params
cp "$out" "$work/emitted"
run local privacy --params "$work/emitted" --format csv
stdout_like '^one report,\(3\|2.99999\)' "emitted parameters are read back"
run local plan -n 1000 -d 10 -e 1 --protocol oue --emit-c
stdout_like '^	.one = {UINT64_C(0x8000000000000000), false},$' "parameters for a device are integers"

run local privacy --params "$work/rappor" --reports 2 --format csv
stdout_like '^any number of reports of one value,7.78364059622[0-9]*$' "RAPPOR forever: 4 ln 7"
stdout_like '^a lifetime,unbounded$' "and a lifetime has no bound"

# a device
head -c 32 /dev/zero > "$work/key"
run local encode --params "$work/memo" --key-file "$work/key" 3 3 3 3
check "a memoizing device repeats itself" test "$(sort -u "$out" | wc -l)" = 2
run local encode --params "$work/memo" --each-device 3 3 3 3 3 3 3 3
check "eight devices do not" test "$(sort -u "$out" | wc -l)" -gt 3
refuses 1 'sotto local encode: this collection memoizes: give --key-file or --each-device' \
	local encode --params "$work/memo" 3
refuses 1 'sotto local encode: value 1 is outside the domain' local encode --params "$work/grr" 4
refuses 1 'sotto local encode: value 2 is not a number, and the collection is of numbers' \
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
stdout_like '^rejected: short,1$' "and is counted with its reason"
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

run local decode --snapshot "$work/all" --format csv
check "values that people hold are found, others are not" \
	test "$(cut -d, -f8 "$out" | tail -n +2 | tr '\n' ' ')" = "yes no yes no "
run local decode --snapshot "$work/all" --format json
stdout_like '"correction": "bonferroni"' "JSON says how tests were corrected"

# The port that a collector says it listens on; gives up after ten seconds.
port_of() {
	tries=0
	while ! grep -qs listening "$1" && [ $tries -lt 200 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	sed 's/.*://' "$1"
}

# a loopback collector, many senders, killed and started again
n=1
"$SOTTO" local collect --store "$work/net" --params "$work/grr" --listen 0 > "$work/listen$n" &
pid=$!
port=$(port_of "$work/listen$n")
cat > "$work/send.py" <<'PY'
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
for name in sys.argv[2:]:
    s.sendall(open(name, "rb").read())
s.shutdown(socket.SHUT_WR)
answer = b""
while True:
    piece = s.recv(4096)
    if not piece:
        break
    answer += piece
sys.stdout.write(answer.decode())
PY
/usr/bin/python3 "$work/send.py" "$port" "$work/batch0" "$work/batch1" "$work/batch0" > "$out" 2> "$err"
check "each batch is answered" test "$(tr '\n' ' ' < "$out")" = "accepted accepted duplicate "
printf 'no batch at all, but long enough to be sure of that' > "$work/junk"
/usr/bin/python3 "$work/send.py" "$port" "$work/junk" > "$out" 2> "$err"
check "junk is rejected" test "$(cat "$out")" = "rejected magic"
kill -9 $pid
wait $pid 2>/dev/null
run local collect --store "$work/net" --format csv
stdout_like '^reports in the store,1000$' "kill -9 loses nothing that was acknowledged"
n=2
"$SOTTO" local collect --store "$work/net" --listen 0 > "$work/listen$n" &
pid=$!
port=$(port_of "$work/listen$n")
/usr/bin/python3 "$work/send.py" "$port" "$work/batch1" "$work/batch2" > "$out" 2> "$err"
check "after it, known batches are known" test "$(tr '\n' ' ' < "$out")" = "duplicate accepted "
kill -TERM $pid
wait $pid
check "SIGTERM ends it in peace" test $? = 0

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
keys = {'string', 'estimate', 'standard_error', 'low', 'high', 'z', 'p_value', 'significant', 'consistent'}
assert set(d['estimates'][0]) == keys and d['reports'] == 80000 and d['fit']['misfit_p'] > 1e-6
truth = {'v1': 40000, 'v2': 20000, 'v3': 12000, 'v4': 8000}
for e in d['estimates']:
    assert abs(e['estimate'] - truth.get(e['string'], 0)) < 5 * e['standard_error'], e
"
printf 'k,h,m,p,q,f\n16,2,8,.25,.75,1\n' > "$work/bad.csv"
refuses 1 'sotto local decode: params: with f = 1 or p = q nothing can be decoded' \
	local decode --params "$work/bad.csv" --counts "$data/google/counts.csv" --map "$data/google/map.csv"
refuses 2 'sotto local decode: give --snapshot, or --params, --map and one of --counts and --reports' local decode

# compatible clients
printf 'k,h,m,p,q,f\n16,2,64,.5,.75,.5\n' > "$work/py.csv"
printf secret > "$work/secret"
run local encode --mode google-py --params "$work/py.csv" --key-file "$work/secret" --cohort 0 --reveal abc
stdout_like '^,0,0010000001000000,1110000011101000,[01]\{16\}$' "google-py: the published Bloom filter and permanent response"
stderr_like 'realises f as 0.5' "and what f becomes is said"
run local encode --mode google-py --params "$work/py.csv" --key-file "$work/secret" --cohort 0 abc
stdout_like '^,0,,,[01]\{16\}$' "they stay on the device unless asked for"

# simulate and attack
run local simulate --params "$work/rappor" --values 5 --extra 5 --clients 300000 --fast --svg "$work/chart.svg" --format csv
status_is 0 "a simulation runs"
check "it draws" grep -q '</svg>' "$work/chart.svg"
run local simulate --params "$work/grr" --values 4 --clients 5000 --runs 20 --format csv
stdout_like '^covered,' "many runs are summed up"
run local attack --params "$work/grr" averaging --devices 50 --reports 100 --format csv
check "averaging beats fresh answers" test "$(sed -n 's/^"fresh answers, 100 reports",//p' "$out")" = 100
check "and not memoized ones" sh -c "awk -F, '/memoized, 100/ {exit !(\$3 < 99)}' '$out'"
refuses 2 'sotto local attack: the attack must be averaging, change or poison' \
	local attack --params "$work/grr" guess
finish
