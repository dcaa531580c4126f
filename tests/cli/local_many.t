#!/bin/sh
# Many collectors: two processes take batches at the same time, each into a store of its own; merge
# adds their aggregates, and one decode reads the sum.  100 million reports in the long set.
. "$(dirname "$0")/lib.sh"
reports=65536 batches=4
[ -z "${SOTTO_LONG:-}" ] || reports=1048576 batches=48

printf 'protocol grr\nsize 8\nepsilon 2\n' > "$work/params"
awk -v n=$reports 'BEGIN { for (i = 0; i < n; i++) print i % 5 % 3 }' |
	"$SOTTO" local encode --params "$work/params" --each-device --out batch > "$work/batch"
cat > "$work/copies.py" <<'PY'
# The batch again and again, under ids of their own: header checksums are made anew.
import sys
batch, first, count = open(sys.argv[1], "rb").read(), int(sys.argv[2]), int(sys.argv[3])

def crc(data):
    x = 0xffffffff
    for byte in data:
        x ^= byte
        for _ in range(8):
            x = x >> 1 ^ (0x82f63b78 if x & 1 else 0)
    return x ^ 0xffffffff

for i in range(first, first + count):
    head = batch[:12] + i.to_bytes(16, "little") + batch[28:168]
    sys.stdout.buffer.write(head + crc(head).to_bytes(4, "little") + batch[172:])
PY
collect() { # collect NAME FIRST: a process that takes its share of the batches from a stream
	/usr/bin/python3 "$work/copies.py" "$work/batch" "$2" $batches |
		"$SOTTO" local collect --store "$work/$1" --params "$work/params" --snapshot "$work/$1.sum" --format csv - > "$work/$1.log"
}
collect east 1000 &
east=$!
collect west 2000 &
west=$!
wait $east
check "the first of two processes takes its batches" test $? = 0
wait $west
check "the second too, at the same time" test $? = 0
for side in east west; do
	check "$side has $((reports * batches)) reports" grep -q "^reports in the store,$((reports * batches))\$" "$work/$side.log"
done
run local merge -o "$work/whole" "$work/east.sum" "$work/west.sum"
status_is 0 "their aggregates are added"
run local merge -o "$work/turned" "$work/west.sum" "$work/east.sum"
check "in any order, to the same bytes" cmp "$work/whole" "$work/turned"
check "an aggregate is small, however many reports it holds" test "$(stat -c %s "$work/whole")" -lt 4096
"$SOTTO" local collect --store "$work/one" --params "$work/params" "$work/batch" --snapshot "$work/one.sum" > "$work/log"
"$SOTTO" local decode --snapshot "$work/one.sum" --format json > "$work/one.json"
run local decode --snapshot "$work/whole" --format json
check "one decode of the sum counts every report once" /usr/bin/python3 -c "
import json
one, whole = json.load(open('$work/one.json')), json.load(open('$out'))
copies = 2 * $batches
assert one['reports'] == $reports and whole['reports'] == copies * $reports
for a, b in zip(one['estimates'], whole['estimates']):
    assert abs(copies * a['estimate'] - b['estimate']) <= 1e-9 * whole['reports'], (a, b)
"
cp "$work/east.sum" "$work/again.sum"
refuses 1 'sotto local merge: both aggregates hold the same batches; adding them would count reports twice' \
	local merge -o "$work/twice" "$work/whole" "$work/again.sum"
finish
