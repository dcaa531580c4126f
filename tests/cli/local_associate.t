#!/bin/sh
# sotto local associate, ngrams, em: reports of several variables per user.
. "$(dirname "$0")/lib.sh"

cat > "$work/make.py" <<'PY'
# Clients as google/rappor's Python ones hash: bit i is MD5(cohort || value)[i] mod k.
import hashlib, random, struct, sys
random.seed(5)
d = sys.argv[1] + '/'
h, m = 2, 16
def positions(value, cohort, k):
    digest = hashlib.md5(struct.pack('>I', cohort) + value.encode()).digest()
    return [digest[i] % k for i in range(h)]
def report(bits, k, p, q):
    return ''.join('1' if random.random() < (q if b in bits else p) else '0' for b in range(k - 1, -1, -1))
def write_map(name, values, k):
    with open(d + name, 'w') as out:
        for v in values:
            cells = [c * k + b + 1 for c in range(m) for b in positions(v, c, k)]
            out.write(v + ',' + ','.join(map(str, cells)) + '\n')
open(d + 'p.csv', 'w').write('k,h,m,p,q,f\n8,2,16,0.2,0.8,0\n')
open(d + 'schema.csv', 'w').write('metric, var, var_type, params\nhome,browser,string,p\nhome,flag,boolean,p\n'
    'home,os,string,p\nother,browser,string,p\n')
write_map('browser.csv', ['firefox', 'chrome', 'safari'], 8)
write_map('os.csv', ['linux', 'mac'], 8)
joint = {('firefox', 'linux'): .3, ('firefox', 'mac'): .1, ('chrome', 'linux'): .2, ('chrome', 'mac'): .2, ('safari', 'mac'): .2}
with open(d + 'reports.csv', 'w') as out:
    out.write('client,cohort,browser,flag,os\n')
    for i in range(12000):
        browser, system = random.choices(list(joint), list(joint.values()))[0]
        c = random.randrange(m)
        flag = random.random() < (.8 if browser == 'firefox' else .2)
        out.write(f"{i},{c},{report(positions(browser, c, 8), 8, .2, .8)},"
            f"{report([0] if flag else [], 1, .2, .8)},{report(positions(system, c, 8), 8, .2, .8)}\n")
open(d + 'n.csv', 'w').write('k,h,m,p,q,f\n16,2,16,0.1,0.9,0\n')
with open(d + 'ngrams.csv', 'w') as out:
    out.write('client,cohort,left,right,first,second\n')
    for i in range(12000):
        word = random.choices(['abcdea', 'bacabd', 'ddabce'], [.5, .3, .2])[0]
        c = random.randrange(m)
        l, r = random.choice([(0, 1), (0, 2), (1, 2)])
        parts = [report(positions(word[2 * x:2 * x + 2], c, 16), 16, .1, .9) for x in (l, r)]
        out.write(f'{i},{c},{l},{r},{parts[0]},{parts[1]}\n')
rows = [[.9, .1], [.8, .2], [.1, .9], [.7, .3]]
open(d + 'em.in', 'wb').write(b'ne \0' + struct.pack('<I', 4) + b'es \0' + struct.pack('<I', 2) + b'dat\0'
    + b''.join(struct.pack('<dd', *r) for r in rows))
PY
/usr/bin/python3 "$work/make.py" "$work"

associate() {
	run local associate --schema "$work/schema.csv" --params-dir "$work" --metric home --reports "$work/reports.csv" "$@"
}
associate --var browser --var flag --map browser="$work/browser.csv" --format json
status_is 0 "two variables are associated"
check "shares are those of the people, within their errors" /usr/bin/python3 -c "
import json
d = json.load(open('$out'))
truth = {('firefox', 'TRUE'): .32, ('firefox', 'FALSE'): .08, ('chrome', 'TRUE'): .08, ('chrome', 'FALSE'): .32,
    ('safari', 'TRUE'): .04, ('safari', 'FALSE'): .16}
cells = {(c['browser'], c['flag']): c for c in d['cells']}
assert len(cells) == 8 and d['reports'] == 12000 and d['independence_p'] < 1e-9 and d['degrees'] == 3
for key, c in cells.items():
    assert abs(c['share'] - truth.get(key, 0)) < 5 * c['standard_error'] + .02, c
assert abs(sum(c['share'] for c in cells.values()) - 1) < 1e-6
"
associate --var browser --var flag --var os --map browser="$work/browser.csv" --map os="$work/os.csv" --no-other --format csv
check "three variables have every combination" test "$(tail -n +2 "$out" | wc -l)" = 12
stdout_like '^browser,flag,os,share,standard_error,low,high$' "named as the variables are"
associate --var browser --var flag --map browser="$work/browser.csv" --iterations 2 --format json
stderr_is 'note: shares and test have not converged after 2 iterations; allow more with --iterations' "a limit that is reached is said"
stdout_like '"settled": false' "in JSON too"
refuses 2 'sotto local associate: give --var two or three times' \
	local associate --schema "$work/schema.csv" --params-dir "$work" --metric home --reports "$work/reports.csv" --var os
refuses 2 'sotto local associate: browser is of strings: give --map browser=FILE' local associate \
	--schema "$work/schema.csv" --params-dir "$work" --metric home --reports "$work/reports.csv" --var browser --var flag
refuses 1 'sotto local associate: schema: metric home has no variable colour' local associate \
	--schema "$work/schema.csv" --params-dir "$work" --metric home --reports "$work/reports.csv" --var colour --var flag
sed '3s/,[01]*,/,01,/' "$work/reports.csv" > "$work/short.csv"
refuses 1 'sotto local associate: reports: line 3 does not fit the header and the parameters' local associate \
	--schema "$work/schema.csv" --params-dir "$work" --metric home --reports "$work/short.csv" --var browser --var flag \
	--map browser="$work/browser.csv"

run local ngrams --params "$work/n.csv" --mode google-py --reports "$work/ngrams.csv" --alphabet abcde \
	--graph "$work/graph" --format csv
check "three strings come out of pairs of n-grams" test "$(tail -n +2 "$out" | sort | tr '\n' ' ')" = "abcdea bacabd ddabce "
check "the graph is written" test "$(head -n 3 "$work/graph" | tr '\n' ';')" = "num_partitions 3;ngram_size 2;edge 0.ab 1.cd;"
run local ngrams --from-graph "$work/graph" --format csv
check "and read" test "$(tail -n +2 "$out" | sort | tr '\n' ' ')" = "abcdea bacabd ddabce "
run local ngrams --params "$work/n.csv" --mode google-py --reports "$work/ngrams.csv" --alphabet abcde --threshold 0.4 --format csv
check "a threshold on shares cuts rarer strings" test "$(tail -n +2 "$out" | tr '\n' ' ')" = "abcdea "
run local ngrams --params "$work/n.csv" --mode google-py --reports "$work/ngrams.csv" --alphabet abcde --iterations 1 --format csv
stderr_is 'note: the shares of 3 pairs of positions have not converged; allow more with --iterations' \
	"shares of pairs that are not final are said"
printf 'num_partitions 3\nngram_size 2\nedge 1.ab 0.cd\n' > "$work/backwards"
refuses 1 'sotto local ngrams: graph: line 3 is not edge <part>.<gram> <part>.<gram>' local ngrams --from-graph "$work/backwards"
refuses 2 'sotto local ngrams: give --params, --mode and --reports, or --from-graph' local ngrams
printf 'k,h,m,p,q,f\n16,2,16,0.1,0.9,0.999\n' > "$work/nearly.csv"
refuses 1 'sotto local ngrams: google-py realises f, p and q as 1, 0.1 and 0.9, with which nothing can be decoded' \
	local ngrams --params "$work/nearly.csv" --mode google-py --reports "$work/ngrams.csv" --alphabet abcde

# the whole way: strings that nobody listed, then their counts
{ yes abcdea | head -n 5000; yes bacabd | head -n 3000; yes ddabce | head -n 2000; } > "$in"
run local encode --mode google-py --params "$work/n.csv" --each-device --ngrams 2 --positions 3
check "each device sends two n-grams and the string" sh -c \
	"head -n 2 '$out' | tail -n 1 | grep -Eq '^,[0-9]+,[01],[12],[01]{16},[01]{16},[01]{16}\$'"
cp "$out" "$work/pairs.csv"
run local ngrams --params "$work/n.csv" --mode google-py --reports "$work/pairs.csv" --alphabet abcde --alpha 1e-6 --format csv
tail -n +2 "$out" > "$work/found"
check "the strings are found" test "$(sort "$work/found" | tr '\n' ' ')" = "abcdea bacabd ddabce "
{ echo client,cohort,bloom,prr,irr; tail -n +2 "$work/pairs.csv" | awk -F, '{ print $1 "," $2 ",,," $7 }'; } > "$work/whole.csv"
run local decode --params "$work/n.csv" --reports "$work/whole.csv" --candidates "$work/found" --mode google-py --format csv
check "and counted on the reports of whole strings" awk -F, '
	{ t["abcdea"] = 5000; t["bacabd"] = 3000; t["ddabce"] = 2000 }
	NR > 1 { d = $2 - t[$1]; if (d * d > 49 * $3 * $3 || $8 != "yes") bad = 1; n++ }
	END { exit bad || n != 3 }' "$out"
refuses 2 'sotto local encode: --ngrams needs --each-device: a device draws its positions once' \
	local encode --mode google-py --params "$work/n.csv" --key-file "$work/n.csv" --cohort 0 --ngrams 2 abcdea
run local encode --mode google-py --params "$work/n.csv" --each-device --ngrams 2 abc
stderr_like '^sotto local encode: a value must be 3 n-grams (at least 2) of 2 characters$' "a string of another length is refused"

run local em --iterations 1 "$work/em.in" "$work/em.out"
stderr_is 'note: not converged after 1 iterations; allow more with --iterations' "the bare step says so too"
run local em "$work/em.in" "$work/em.out"
check "the EM step speaks the binary files of google/rappor" /usr/bin/python3 -c "
import struct
b = open('$work/em.out', 'rb').read()
assert b[:4] == b'emi\0' and b[8:12] == b'pij\0' and len(b) == 28
n, = struct.unpack('<I', b[4:8])
p, q = struct.unpack('<dd', b[12:])
rows = [[.9, .1], [.8, .2], [.1, .9], [.7, .3]]
x = [.5, .5]
for i in range(n):
    y = [sum(x[c] * r[c] / (x[0] * r[0] + x[1] * r[1]) for r in rows) / 4 for c in range(2)]
    x = y
assert abs(p - x[0]) < 1e-12 and abs(p + q - 1) < 1e-12 and 1 < n < 1000
"
printf 'ne \0\1' > "$work/bad.in"
refuses 1 "sotto local em: $work/bad.in is not the input of an EM step" local em "$work/bad.in" "$work/em.out"
finish
