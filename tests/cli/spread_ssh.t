#!/bin/sh
# launcher: ssh with a real sshd on loopback: the same answer as one engine, by a login without questions;
# a host that is lost, one that nobody knows and a login that is refused lose workers, and nothing else.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

# ---- a server of our own -------------------------------------------------------------------

server=
for found in /usr/sbin/sshd "$root/.cache/ssh/usr/sbin/sshd"; do
	[ -x "$found" ] && server=$found && break
done
[ -n "$server" ] || skip "there is no sshd; tools/setup unpacks it"
command -v ssh > /dev/null && command -v ssh-keygen > /dev/null || skip "there is no ssh; install openssh-client"
SOTTO=$(realpath "$SOTTO")
user=$(id -un)
ssh-keygen -q -t ed25519 -N '' -f host_key && ssh-keygen -q -t ed25519 -N '' -f own_key && ssh-keygen -q -t ed25519 -N '' -f other_key || skip "ssh-keygen makes no keys"
cp own_key.pub authorized && chmod 600 authorized
cat > sshd_config <<C
ListenAddress 127.0.0.1
HostKey $work/host_key
PidFile none
AuthorizedKeysFile $work/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PermitUserEnvironment no
C
cat > serve.py <<'P'
"""Starts sshd on a free port that nobody else can take, and says which; ends with its standard input."""
import ctypes, os, socket, subprocess, sys
server, config = sys.argv[1:3]
with socket.socket() as s:
	s.bind(("127.0.0.1", 0))
	port = s.getsockname()[1]
words = [server, "-D", "-e", "-f", config, "-p", str(port)]
if os.getuid() == 0:
	# sshd wants a user sshd and a folder /run/sshd when root starts it: in a view of files of its own
	names = open("/etc/passwd").read()
	if "sshd:" not in names:
		names += "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n"
	open("passwd", "w").write(names)
	words = ["unshare", "--mount", "sh", "-c", "mount --bind \"$0\" /etc/passwd && mount -t tmpfs none /run && "
	         "mkdir /run/sshd && exec \"$@\"", os.path.abspath("passwd")] + words
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # what sshd leaves behind is waited for here
log = open("sshd.log", "w")
process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
print(port, flush=True)
sys.stdin.read()
process.terminate()
process.wait()
try:
	while True:
		os.wait()
except ChildProcessError:
	pass
P
mkfifo ends
python3 serve.py "$server" "$work/sshd_config" < ends > port 2> serve.err &
serving=$!
exec 7> ends
trap 'exec 7>&-; wait $serving; rm -rf "$work"' EXIT
tries=0
until [ -s port ] && ssh-keyscan -T 2 -p "$(cat port)" 127.0.0.1 > scanned 2> /dev/null && [ -s scanned ]; do
	tries=$((tries + 1))
	[ $tries -lt 60 ] || { sed 's/^/# /' sshd.log; skip "sshd does not start here"; }
	sleep 0.5
done
port=$(cat port)
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 host_key.pub)" > known
: > nobody
options() { # KEY KNOWN
	printf '[-F, none, -p, "%s", -l, "%s", -o, IdentitiesOnly=yes, -o, StrictHostKeyChecking=yes, -i, %s, -o, UserKnownHostsFile=%s]' \
		"$port" "$user" "$work/$1" "$work/$2"
}
ssh -F none -T -p "$port" -l "$user" -o BatchMode=yes -o IdentitiesOnly=yes -o UserKnownHostsFile="$work/known" -i own_key 127.0.0.1 true 2> login ||
	{ sed 's/^/# /' login sshd.log; skip "this user cannot log in through sshd"; }

# ---- questions ---------------------------------------------------------------------------------

python3 - <<'PY'
with open("visits.csv", "w") as f:
    f.write("uid,city,age\n")
    for i in range(3000):
        f.write("%d,%s,%d\n" % (i * 7919 % 500, ["Bonn", "Ulm", "Linz"][i % 13 % 3], i * 31 % 111))
PY
cat > sotto.yaml <<'Y'
ledger: ledger.db
log: owner.log
budget: { epsilon: 1e9, delta: 0.1 }
default: { epsilon: 900 }
diagnostics: 0
tables:
  visits:
    source: visits.csv
    unit: uid
    max_rows: 3
    columns: { city: { keys: [Bonn, Ulm, Linz] }, age: { type: integer, bounds: [0, 110] } }
Y
# What a login finds: a program that knows the engine's library, and notes that it was started by sshd.
cat > far-sotto <<W
#!/bin/sh
echo "\$SSH_CONNECTION" >> $work/started
$(env | sed -n "s/^\(SOTTO_DUCKDB\|LD_LIBRARY_PATH\)=\(.*\)/export \1='\2'/p")
if [ -s $work/fault ]; then . $work/fault; fi
exec $SOTTO "\$@"
W
chmod +x far-sotto
with() { # NAME HOSTS KEY KNOWN
	{ cat sotto.yaml && echo "spread: { launcher: ssh, hosts: [$2], buckets: 4, program: $work/far-sotto, options: $(options "$3" "$4") }"; } > "$1.yaml"
	"$SOTTO" policy accept --policy "$1.yaml" > /dev/null 2>&1
}
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
sql="SELECT city, COUNT(*) AS n, COUNT(DISTINCT age) AS d FROM visits GROUP BY city"
run query --format json "$sql"
cp "$out" one
same="json.load(open('one'))['rows'] == a['rows']"

with far "127.0.0.1, 127.0.0.1" own_key known
before=$(releases far.yaml)
run query --policy far.yaml --fresh --format json "$sql"
check "workers behind a real sshd give the answer of one engine" json "$same"
check "for one charge" test "$(releases far.yaml)" = $((before + 1))
check "all four were started by sshd, on loopback" test "$(grep -c '^127.0.0.1 .* 127.0.0.1 '"$port"'$' started)" = 4
check "nothing of it stands in the log of sshd" sh -c "! grep -q 'sotto-ticket\|[0-9a-f]\{64\}' sshd.log"

before=$(wc -l < started)
run layout --by uid --buckets 3 --slice 1000 --policy far.yaml visits.csv laid
stdout_like '^laid: 3000 rows in 9 files of 3 buckets' "a layout is written by workers behind sshd, too"
check "one for each slice" test "$(wc -l < started)" = $((before + 3))
run layout --check laid
status_is 0 "and each row lies in its bucket"

echo "if mkdir $work/once 2> /dev/null; then kill -9 \$PPID; exit 1; fi" > fault
before=$(releases far.yaml)
run query --policy far.yaml --fresh --format json "$sql"
check "a connection that breaks in the middle: the same answer" json "$same"
check "for one charge, again" test "$(releases far.yaml)" = $((before + 1))
check "and the owner is told" grep -q 'spread: [0-9]* workers started, [1-9][0-9]* lost' owner.log
: > fault

with half "127.0.0.1, 127.0.0.2" own_key known
before=$(releases half.yaml)
run query --policy half.yaml --fresh --format json "$sql"
check "a host that is not there loses its buckets to the other" json "$same"
check "still for one charge" test "$(releases half.yaml)" = $((before + 1))

fails() { # NAME HOSTS KEY KNOWN WORDS
	with "$1" "$2" "$3" "$4"
	before=$(releases "$1.yaml")
	run query --policy "$1.yaml" --fresh "$sql"
	stderr_like '^sotto query: the query was charged but could not be answered; nothing about the data follows from this$' "$1: no answer, in the one sentence"
	check "$1: charged once" test "$(releases "$1.yaml")" = $((before + 1))
	check "$1: the owner is told" sh -c "tail -2 owner.log | grep -q '$5'"
}
fails "stranger" "127.0.0.1" own_key nobody 'spread failed: 4 workers started, .*lost again and again.*Host key verification failed'
fails "refused" "127.0.0.1" other_key known 'spread failed: 4 workers started, .*lost again and again.*Permission denied'
finish
