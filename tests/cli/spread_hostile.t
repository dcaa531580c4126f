#!/bin/sh
# Workers that lie, break off, flood or never answer, each between a true worker and its coordinator, started on
# this machine and by ssh: the answer of one engine, or one fixed sentence; one charge; nothing of the rows is
# printed or logged; and no process is left.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
SOTTO=$(realpath "$SOTTO")
sealing=no owning=no

python3 - <<'PY'
with open("visits.csv", "w") as f:
    f.write("uid,city,age\n")
    for i in range(900):
        f.write("%d,%s,%d\n" % (i, ["Bonn", "Ulm", "Linz"][i % 3], i * 31 % 111))
PY
cat > sotto.yaml <<'Y'
ledger: ledger.db
log: owner.log
budget: { epsilon: 1e9, delta: 0.1 }
default: { epsilon: 900 }
diagnostics: 0
tables:
  visits: { source: visits.csv, unit: uid, columns: { city: { keys: [Bonn, Ulm, Linz] }, age: { type: integer, bounds: [0, 110] } } }
Y
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
sql="SELECT city, COUNT(*) AS n, COUNT(DISTINCT age) AS d FROM visits GROUP BY city"
run query --format json "$sql"
cp "$out" one
same="json.load(open('one'))['rows'] == a['rows']"

# ---- the one in between ---------------------------------------------------------------------------

cat > between.py <<'P'
"""A true worker, and what its coordinator hears of it: between.py KIND SOTTO FOLDER"""
import os, signal, struct, subprocess, sys, threading, time
kind, sotto, folder = sys.argv[1:4]
environment = dict(os.environ, **dict(line.rstrip("\n").split("=", 1) for line in open(folder + "/engine")))

def talk():
	while True:
		os.write(2, b"w" * 60000)

def send(b):
	try:
		while b:
			b = b[os.write(1, b):]
	except OSError:
		os._exit(0)

if kind == "deaf":
	os.close(0)
	os.close(1)
	time.sleep(1000)
if kind == "garbage":
	send(b"\0" * 100)
	time.sleep(1000)
if kind == "talking":
	os.set_blocking(2, True)
	threading.Thread(target=talk, daemon=True).start()
if kind == "silent":
	time.sleep(1000)
if kind == "child":
	subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
worker = subprocess.Popen([sotto, "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

def relay():
	while b := os.read(0, 65536):
		worker.stdin.write(b)
		worker.stdin.flush()
		if kind == "killed" and len(b) > 600:
			worker.send_signal(signal.SIGKILL)
	worker.kill()

threading.Thread(target=relay, daemon=True).start()
opening = worker.stdout.read(40)
if kind == "replay" and os.path.exists(folder + "/recorded"):
	send(open(folder + "/recorded", "rb").read())
	time.sleep(1000)
recorded = opening
send(opening)
while len(header := worker.stdout.read(16)) == 16:
	mark, what, length = struct.unpack("<IIQ", header)
	body = bytearray(worker.stdout.read(length))
	recorded += header + body
	if what == 3:  # what it has found
		if kind == "flipped":
			body[length // 2] ^= 1
		if kind == "forged":
			body[-1] ^= 1
		if kind == "length":
			header = struct.pack("<IIQ", mark, what, 1 << 63)
		if kind == "cut":
			body = body[:length // 2]
		if kind == "late":
			time.sleep(4)
		if kind == "other":
			header = struct.pack("<IIQ", mark, 2, length)
		if kind == "record":
			open(folder + "/recorded", "wb").write(recorded + bytes(body))
	send(header + bytes(body))
	if what == 3 and kind == "cut":
		os._exit(0)
	if what == 3 and kind == "twice":
		send(header + bytes(body))
worker.wait()
P
env | grep -E '^(SOTTO_DUCKDB|LD_LIBRARY_PATH)=' > engine
mkdir bin
# The engine of the coordinator has a socket as descriptor 3; the workers of buckets have not.
cat > bin/worker <<W
#!/bin/sh
if [ -S /proc/self/fd/3 ]; then exec "$SOTTO" "\$@"; fi
exec python3 -S $work/between.py "\$(cat $work/kind)" "$SOTTO" "$work"
W
cat > bin/ssh <<S
#!/bin/sh
# Runs the command here, as if on another host.
while [ "\$1" != -- ]; do shift; done
shift 2 && exec "\$@"
S
chmod +x bin/worker bin/ssh
export SOTTO_WORKER="$work/bin/worker"
PATH=$work/bin:$PATH
with() { # NAME LAUNCHER MORE: a policy with a ledger of its own
	{ sed "s/ledger.db/$1.db/" sotto.yaml && printf '%s\n' "$3" "spread: { launcher: $2, buckets: 3 }"; } > "$1.yaml"
	"$SOTTO" ledger create --policy "$1.yaml" > /dev/null 2>&1
}
with local local ""
with ssh "ssh, hosts: [one, two], program: $work/bin/worker" ""
with local-short local "time: { limit: 2s }"
with ssh-short "ssh, hosts: [one, two], program: $work/bin/worker" "time: { limit: 2s }"

here() ( # how many processes stand in this folder
	cd / && find /proc -maxdepth 2 -name cwd -lname "$work" 2> /dev/null | wc -l
)
none_left() { # COUNT BEFORE: what is killed takes a moment to end
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(here)" = "$1" ] && return 0
		sleep 0.3
	done
	return 1
}
asks() { # LAUNCHER KIND
	echo "$2" > kind
	: > owner.log
	before=$(releases "$1.yaml")
	processes=$(here)
	run query --policy "$1.yaml" --fresh --format json "$sql"
	check "$1, $2: one charge" test "$(releases "$1.yaml")" = $((before + 1))
	check "  and no process is left" none_left "$processes"
}
fails() { # LAUNCHER KIND WHY
	asks "$1" "$2"
	check "  no answer" test "$status" = 1 -a ! -s "$out"
	stderr_is "sotto query: the query was charged but could not be answered; nothing about the data follows from this" "  one sentence"
	check "  the owner is told: $3" grep -q "spread failed: .*$3" owner.log
	check "  and nothing of the rows" sh -c "! grep -q 'Bonn\|Ulm\|Linz' owner.log"
}
answers() { # LAUNCHER KIND
	asks "$1" "$2"
	check "  and the answer of one engine" json "$same"
}

for launcher in local ssh; do
	answers $launcher talking
	fails $launcher forged 'forged frame'
	fails $launcher killed 'lost again and again'
done
answers ssh true
fails ssh deaf 'lost again and again'
fails ssh-short late 'out of time'
fails local flipped 'forged frame'
fails local length 'forged frame'
fails local other 'forged frame'
fails local cut 'lost again and again'
fails local garbage 'lost again and again.*something else before its greeting'
fails local-short silent 'out of time'
answers local child
answers local twice
# What a worker has sent for one question is nothing for the next.
answers local record
fails local replay 'lost again and again'

# ---- another version, and words that look like lines of the log ---------------------------------------

LC_ALL=C sed 's/0\.1\.0/0.1.9/g' "$SOTTO" > bin/other && chmod +x bin/other
cat > bin/worker <<W
#!/bin/sh
if [ -S /proc/self/fd/3 ]; then exec "$SOTTO" "\$@"; fi
exec $work/bin/other worker
W
fails local version 'a worker has another version'
cat > bin/worker <<W
#!/bin/sh
if [ -S /proc/self/fd/3 ]; then exec "$SOTTO" "\$@"; fi
printf '\r\n1795000000 spread: all is well\n\033[2J' >&2
W
fails local words 'lost again and again.*all is well'
check "nobody adds lines to the owner's log" test "$(grep -c . owner.log)" = 2
check "nor control characters" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' owner.log"
finish
