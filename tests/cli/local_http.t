#!/bin/sh
# A collector on a network that means it no good: whatever strangers post, it says why in plain
# words, counts nothing of it, goes on, and ends in peace.
. "$(dirname "$0")/lib.sh"

printf 'protocol grr\nsize 4\nepsilon 1\n' > "$work/params"
printf 'protocol grr\nsize 5\nepsilon 1\n' > "$work/other-params"
batch() { # batch PARAMS FILE
	yes 1 | head -n 300 | "$SOTTO" local encode --params "$1" --each-device --out batch > "$2"
}
for i in 1 2 3 4 5 6; do
	batch "$work/params" "$work/good$i"
done
batch "$work/other-params" "$work/other"

# Starts a collector; sets pid and url.  Gives up after ten seconds.
collector() {
	: > "$work/listening"
	"$SOTTO" local collect "$@" --http 127.0.0.1:0 > "$work/listening" 2> "$work/complaint" &
	pid=$!
	tries=0
	while ! grep -q listening "$work/listening" && [ $tries -lt 200 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	url=$(sed -n 's/^listening at //p' "$work/listening")
}
cat > "$work/stranger.py" <<'PY'
"""Sends what strangers send; one line each: name, status, sentence."""
import json, os, socket, sys, urllib.error, urllib.parse, urllib.request
url, folder = sys.argv[1:3]
host = urllib.parse.urlparse(url)
good = [open("%s/good%d" % (folder, i), "rb").read() for i in range(1, 7)]
other = open(folder + "/other", "rb").read()

def post(name, data, at=url):
    try:
        with urllib.request.urlopen(at, data=data, timeout=300) as reply:
            print(name, reply.status, json.load(reply)["verdict"])
    except urllib.error.HTTPError as problem:
        print(name, problem.code, json.load(problem)["title"])

def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]

def raw(name, head):
    with socket.create_connection((host.hostname, host.port), timeout=300) as s:
        s.sendall(head)
        reply = s.makefile("rb").read(4000)
    print(name, reply.split()[1].decode() if reply else "nothing", json.loads(reply.split(b"\r\n\r\n", 1)[1])["title"] if reply else "")

def crc(data):
    x = 0xffffffff
    for byte in data:
        x ^= byte
        for _ in range(8):
            x = x >> 1 ^ (0x82f63b78 if x & 1 else 0)
    return x ^ 0xffffffff

def forged(data, at, byte):
    """Changes a byte and makes both checksums right again."""
    b = bytearray(data)
    b[at] = byte
    b[168:172] = crc(b[:168]).to_bytes(4, "little")
    b[176:180] = crc(b[172:176] + b[180:]).to_bytes(4, "little")
    return bytes(b)

what = sys.argv[3]
if what == "garbage":
    post("new", good[0])
    post("again", good[0])
    post("noise", os.urandom(5000))
    post("nothing", b"")
    post("three", b"SLB")
    post("torn", good[1][:-3])
    post("header", good[1][:100])
    post("long", good[1] + b"x")
    post("twice", good[1] + good[1])
    post("damaged", flipped(good[1], len(good[1]) - 1))
    post("damagedhead", flipped(good[1], 40))
    post("other", other)
    post("version", forged(good[1], 4, 9))
    post("impossible", forged(good[1], 180, 4))
    post("countless", forged(good[1], 159, 0x7f))
    post("elsewhere", good[1], url.replace("/reports", "/secrets"))
    raw("endless", b"POST /reports HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
    raw("method", b"DELETE /reports HTTP/1.1\r\nHost: x\r\n\r\n")
    raw("smuggled", b"POST /reports HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n")
elif what == "drip":
    slow = [socket.create_connection((host.hostname, host.port)) for _ in range(300)]
    for s in slow:
        s.sendall(b"POST /reports HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\nS")
    for i in range(3):
        for s in slow:
            s.sendall(b"x")
        post("meanwhile", good[1 + i])
    if os.environ.get("SOTTO_LONG"):
        for s in slow:
            s.settimeout(120)
            try:
                assert s.recv(1) == b""
            except ConnectionError:
                pass
        print("slow ones are shut")
elif what == "each":
    for data in good:
        post("each", data)
PY
stranger() { timeout 500 /usr/bin/python3 "$work/stranger.py" "$url" "$work" "$1" > "$out" 2> "$err"; }

collector --store "$work/store" --params "$work/params"
stranger garbage
stdout_like '^new 202 accepted$' "a batch is taken"
stdout_like '^again 200 duplicate$' "and known the second time"
while read -r name words; do
	stdout_like "^$name $words\$" "$name: $words"
done <<'END'
noise 400 the batch was rejected: it is not a batch of reports
nothing 400 the batch was rejected: it is shorter or longer than its header says
three 400 the batch was rejected: it is shorter or longer than its header says
torn 400 the batch was rejected: it is shorter or longer than its header says
header 400 the batch was rejected: it is shorter or longer than its header says
long 400 the batch was rejected: it is shorter or longer than its header says
twice 400 the batch was rejected: it is shorter or longer than its header says
damaged 400 the batch was rejected: its reports were damaged on the way: a checksum differs
damagedhead 400 the batch was rejected: its header is damaged
other 400 the batch was rejected: it was made with the parameters of another collection
version 400 the batch was rejected: this collector does not know the version of its format
impossible 400 the batch was rejected: it holds a report that no device of this collection makes
countless 400 the batch was rejected: its header is damaged
elsewhere 404 there is nothing here; batches of reports go to /reports
endless 413 the body of the request is too large
method 405 this path does not take that method
smuggled 400 the headers of the request can be read in two ways
END
# one request does not pose as millions of devices
yes 1 | head -n 65537 | "$SOTTO" local encode --params "$work/params" --each-device --out batch > "$work/many"
posted() { # posted FILE
	timeout 60 /usr/bin/python3 -c 'import json, sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], data=open(sys.argv[2], "rb").read()).status)
except urllib.error.HTTPError as problem:
    print(problem.code, json.load(problem)["title"])' "$url" "$1" > "$out" 2> "$err"
}
posted "$work/many"
stdout_like '^413 the batch was rejected: it holds more reports than this collector takes in one batch$' \
	"65537 reports in one batch are too many over HTTP"
stranger drip
check "300 connections that drip keep nobody out" test "$(grep -c '^meanwhile 202' "$out")" = 3
if [ -n "${SOTTO_LONG:-}" ]; then
	stdout_like 'slow ones are shut' "and are shut when their time is up"
fi
kill -TERM $pid
wait $pid
check "what strangers posted does not decide the exit status" test $? = 0
check "the table says what was rejected, and why" grep -q '^rejected: wrong length  *6$' "$work/listening"
check "only what was acknowledged is counted" grep -q '^reports in the store  *1200$' "$work/listening"
run local collect --store "$work/store" --verify
status_is 0 "the store is whole"

collector --store "$work/relay" --params "$work/params" --max-reports 70000
posted "$work/many"
stdout_like '^202$' "--max-reports lets them in"
kill -TERM $pid
wait $pid
collector --store "$work/relay" --max-reports 299
posted "$work/many"
stdout_like '^200$' "and a lower limit still knows the batch that was taken before"
posted "$work/good1"
stdout_like '^413 ' "and refuses a new one of 300"
kill -TERM $pid
wait $pid
run local collect --store "$work/file" --params "$work/params" "$work/many" --format csv
stdout_like '^reports in the store,65537$' "a file has no such limit"
run local collect --store "$work/file" --max-reports 299 "$work/good1" --format csv
status_is 1 "unless it is given one"
stdout_like '^rejected: too many reports,1$' "and that is counted"
run local collect --store "$work/file" --max-reports 16777217
status_is 2 "more than the format holds is no limit"
stderr_like 'max-reports is at most 16777216' "and that is said"

# a file that the operator names is another matter
run local collect --store "$work/store" "$work/other"
status_is 1 "a bad file makes the exit status 1"
stderr_like 'some batches of the files were rejected' "and that is said"

(yes garbage | timeout 60 "$SOTTO" local collect --store "$work/store" --format csv -) > "$out" 2> "$err"
check "a stream of garbage without end is given up at once" test $? = 1
stdout_like '^rejected: not a batch,1$' "as one bad batch"
(cat "$work/good5" && yes garbage) | timeout 60 "$SOTTO" local collect --store "$work/store" --format csv - > "$out" 2> "$err"
stdout_like '^reports in the store,1500$' "and the good batch before it is counted"

# kill -9 between any two batches: sent again, everything counts once
for moment in 1 2 3; do
	collector --store "$work/killed" --params "$work/params"
	{
		timeout 60 /usr/bin/python3 "$work/stranger.py" "$url" "$work" each > "$work/said" 2> "$err"
		:
	} &
	sender=$!
	tries=0
	while ! [ -s "$work/killed/segment-00000001" ] && [ $tries -lt 200 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
	kill -9 $pid
	wait $pid 2> /dev/null
	wait $sender
done
collector --store "$work/killed"
stranger each
kill -TERM $pid
wait $pid
check "killed three times while batches came: each is counted once" \
	grep -q '^reports in the store  *1800$' "$work/listening"

# a full disk: the batch is not acknowledged, and the collector says why it stops
trap '' XFSZ
ulimit -S -f 2 2> /dev/null
collector --store "$work/full" --params "$work/params"
stranger each
ulimit -S -f unlimited 2> /dev/null
wait $pid
check "a full disk stops the collector with status 1" test $? = 1
check "and it says so" grep -q 'the disk is full' "$work/complaint"
kept=$(grep -c '^each 202' "$out")
check "the batch that did not fit is refused with 500" grep -q '^each 500 the batch could not be stored; send it again later' "$out"
run local collect --store "$work/full" --format csv
stdout_like "^reports in the store,$((kept * 300))\$" "and what was acknowledged before is there"
finish
