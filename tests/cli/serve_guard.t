#!/bin/sh
# sotto serve against people who mean harm: what a broken server tells, other sites, slow connections.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/serve.sh"
here=$(cd "$(dirname "$0")" && pwd)
cp "$here/../../examples/hospital/small/patients.csv" "$work" && cd "$work" || exit 1
cat > sotto.yaml <<-'END'
	name: clinic
	ledger: l.db
	budget: { epsilon: 400, delta: 1e-6 }
	time: { pad: 10ms }
	tables:
	  patients: { source: patients.csv, unit: patient_id, columns: { smoker: { keys: [true, false] } } }
	  large: { source: large.csv, public: true, columns: { t: { max_text: 100000 } } }
END
# More than a connection keeps before it sends (64 MB).
python3 -c "
print('id,t')
for i in range(800): print('%d,%s' % (i, 'x' * 90000))" > large.csv
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
run user add alice
alice=$(cat "$out")
start_server
check "the policy's name is the database" test "$database" = clinic

# ---- words ----------------------------------------------------------------------------------------
ask "$alice" query -d '{"sql": "SELECT COUNT(*) FROM patients"}'
replied 422 'give epsilon, like 0.1, or error, or' "HTTP names members of the body"
ask "$alice" query -d '{"sql": "SELECT COUNT(*) FROM patients", "epsilon": 0.1}'
ask "$alice" explain -d '{"sql": "SELECT COUNT(*) FROM patients", "epsilon": 0.1}'
replied 200 'repeated, free; .*fresh.*: true pays for another' "also in an explanation"
psql_as alice "$alice" 'SELECT COUNT(*) FROM patients'
stderr_like 'give sotto.epsilon, like 0.1, or sotto.error, or' "and the wire protocol what SET sets"
for sql in 'SELECT COUNT(*) FROM patients' 'SELECT AVG(age) FROM patients' 'SELECT name, COUNT(*) FROM patients GROUP BY name' 'SELECT ANON_COUNT(*) FROM patients' 'SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) COUNT(*) FROM patients'; do
	ask "$alice" query -d "{\"sql\": \"$sql\"}"
	check "no option of the command line: $sql" sh -c "! grep -q -- '--' '$out'"
done

# ---- a server that cannot answer ------------------------------------------------------------------
# closed WHAT: alice hears the fixed sentence at both doors, and the owner the reason
closed() {
	for path in query explain; do
		ask "$alice" $path -d '{"sql": "SELECT COUNT(*) FROM patients WHERE smoker", "epsilon": 0.1}'
		check "$1: an analyst hears one sentence ($path)" grep -q '"title":"the server cannot answer now; ask its owner to look at it"' "$out"
		check "$1: which names no file ($path)" sh -c "! grep -Eq 'yaml|[.]db|csv|seal|policy' '$out'"
	done
	psql_as alice "$alice" 'SET sotto.epsilon = 0.1' 'SELECT COUNT(*) FROM patients WHERE smoker'
	stderr_is "ERROR:  the server cannot answer now; ask its owner to look at it" "$1: so does psql"
	ask "$owner" explain -d '{"sql": "SELECT COUNT(*) FROM patients WHERE smoker", "epsilon": 0.1}'
	check "$1: the owner hears why" sh -c "! grep -q 'ask its owner' '$out' && grep -Eq '$2' '$out'"
}
cp sotto.yaml good.yaml
mv sotto-sealed away
closed "the sealed data are gone" 'sotto seal|could not be read|damaged'
mv away sotto-sealed
echo '9999,Zoe,1,2000-01-01,true' >> patients.csv
closed "the data have changed" 'sotto seal'
cp "$here/../../examples/hospital/small/patients.csv" patients.csv
stop_server
"$SOTTO" seal > /dev/null
start_server
printf 'tables: [\n' > sotto.yaml
closed "the policy is broken" 'sotto.yaml'
cp good.yaml sotto.yaml
sed -i 's/epsilon: 400/epsilon: 500/' sotto.yaml
closed "the policy is not the accepted one" 'sotto policy accept'
cp good.yaml sotto.yaml

# ---- other sites ----------------------------------------------------------------------------------
host=${url#http://}
origin() { status=$(curl -s -o "$out" -w '%{http_code}' -H "Origin: $1" -d "{\"key\": \"$alice\"}" "$url/v1/login"); }
for site in https://evil.example "http://$host.evil.example" "http://evil.example/$host" null "http://127.0.0.1" "ftp://$host" "http://"; do
	origin "$site"
	replied 403 '"wrong-origin"' "a page of $site logs nobody in"
done
origin "http://$host"
replied 200 '"name":"alice"' "a page of ours does"
ask "$alice" query -H 'Origin: https://evil.example' -d '{"sql": "SELECT COUNT(*) FROM patients", "epsilon": 0.1}'
replied 403 '"wrong-origin"' "nor does it ask with a key"

# ---- large answers --------------------------------------------------------------------------------
psql_as alice "$alice" 'SELECT id, t FROM large ORDER BY id'
check "an answer of 72 MB arrives whole" test "$(wc -l < "$out") $(wc -c < "$out")" = "800 $((800 * 90002 + 2290))"
: > "$out"

# ---- slow connections -----------------------------------------------------------------------------
check "300 that drip do not keep an honest client out" python3 "$here/serve_slow.py" "$port" alice "$alice" clinic
if [ -n "${SOTTO_LONG:-}" ]; then # half a minute
	check "a request over HTTP that never ends is shut" timeout 300 python3 -c "
import socket, time
s = socket.create_connection(('127.0.0.1', ${url##*:}))
s.sendall(b'GET /v1/healthz HTTP/1.1\r\nHost: x\r\nX: ')
s.settimeout(1)
while True:
    try:
        s.sendall(b'y')
        if s.recv(100) == b'': break
    except TimeoutError: pass
    except OSError: break"
fi

# ---- no room for connections ----------------------------------------------------------------------
check "a server that can take no more connections waits for that" python3 -c "
import os, resource, socket, time
resource.prlimit($server, resource.RLIMIT_NOFILE, (64, 64))
def worked():
    f = open('/proc/$server/stat').read().rsplit(')', 1)[1].split()
    return (int(f[11]) + int(f[12])) / os.sysconf('SC_CLK_TCK')
guests = [socket.create_connection(('127.0.0.1', $port)) for _ in range(90)]
time.sleep(0.3)
before = worked()
time.sleep(1)
raise SystemExit(worked() - before > 0.4)"
finish
