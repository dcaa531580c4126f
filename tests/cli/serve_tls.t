#!/bin/sh
# sotto serve with a certificate: both doors speak TLS 1.2 or later, and nothing that came in clear counts.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/serve.sh"
here=$(cd "$(dirname "$0")" && pwd)
cp "$here/../../examples/hospital/small/patients.csv" "$work" && cd "$work" || exit 1
cat > sotto.yaml <<-'END'
	name: clinic
	ledger: l.db
	budget: { epsilon: 4, delta: 1e-6 }
	time: { pad: 10ms }
	tables:
	  patients: { source: patients.csv, unit: patient_id }
END
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
	-days 2 -keyout key.pem -out cert.pem > /dev/null 2>&1 || exit 1
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
alice=$("$SOTTO" user add alice 2> /dev/null)
start_server --tls-cert cert.pem --tls-key key.pem
check "the address says https" sh -c "case '$url' in https://*) ;; *) exit 1 ;; esac"
ask "$alice" me --cacert cert.pem
replied 200 '"alice"' "HTTP is encrypted with the certificate"
status=$(curl -s -o "$out" -w '%{http_code}' --cacert cert.pem -d "{\"key\": \"$alice\"}" -D headers "$url/v1/login")
check "a cookie goes over TLS alone" grep -Eiq '^set-cookie: sotto-[0-9]+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=[0-9]+; Secure.?$' headers
curl -s "http://${url#https://}/v1/healthz" > "$out" 2> "$err"
check "a request in clear is not answered" sh -c "! grep -q '200\|ok' '$out'"

# handshake VERSION PORT [-starttls postgres]
handshake() { v=$1 p=$2; shift 2; timeout 60 openssl s_client -connect "127.0.0.1:$p" "-$v" -cipher 'ALL:@SECLEVEL=0' "$@" < /dev/null > "$out" 2>&1; grep -q '^ *Protocol *: TLS\|^New, TLS' "$out" && ! grep -q 'Cipher is (NONE)' "$out"; }
check "TLS 1.2 is spoken over HTTP" handshake tls1_2 "${url##*:}"
check "and by PostgreSQL" handshake tls1_2 "$port" -starttls postgres
for old in tls1 tls1_1; do
	check "$old is not, over HTTP" sh -c "! (timeout 60 openssl s_client -connect '127.0.0.1:${url##*:}' -$old -cipher 'ALL:@SECLEVEL=0' < /dev/null 2>&1 | grep -q 'Cipher is [A-Z]')"
	check "nor by PostgreSQL: $old" sh -c "! (timeout 60 openssl s_client -starttls postgres -connect '127.0.0.1:$port' -$old -cipher 'ALL:@SECLEVEL=0' < /dev/null 2>&1 | grep -q 'Cipher is [A-Z]')"
done

PGSSLMODE=verify-full PGSSLROOTCERT=$work/cert.pem psql_as alice "$alice" 'SHOW sotto.epsilon'
stdout_is default "psql verifies the certificate"
python3 - "$port" > "$out" 2> "$err" <<'END'
import socket, ssl, struct, sys
wish = struct.pack("!ii", 8, 80877103)
start = struct.pack("!i", 3 << 16) + b"user\0alice\0database\0clinic\0\0"
start = struct.pack("!i", len(start) + 4) + start
context = ssl.create_default_context(cafile="cert.pem")
context.check_hostname = False

# What comes in clear behind the wish must not be read as if it had come encrypted.
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(wish + start)
assert s.recv(1) == b"S"
try:
    context.wrap_socket(s).recv(1)
    print("injected")
except (ssl.SSLError, OSError):
    print("refused")

# Within TLS there is no second one.
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(wish)
assert s.recv(1) == b"S"
t = context.wrap_socket(s)
t.sendall(wish)
print(t.recv(1).decode())
t.sendall(start)
print(t.recv(1).decode())

# Half a handshake is shut, and the server lives on.
for data in (b"\x16\x03\x01\x02\x00\x01", b"\x16\x03\x01\xff\xff" + b"x" * 70000, b"GET / HTTP/1.1\r\n\r\n"):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    s.sendall(wish)
    s.recv(1)
    try:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        while s.recv(4096): pass
    except OSError:
        pass
print("lives")
END
stdout_is 'refused
N
R
lives' "bytes in clear behind the wish for TLS, a second wish, and broken handshakes"
PGSSLMODE=require psql_as alice "$alice" 'SHOW sotto.epsilon'
stdout_is default "and the next client is served"
stop_server
refuses 1 "sotto serve: an address is HOST:PORT, like 127.0.0.1:7654, with a port up to 65535, not 127.0.0.1:99999" serve --http 127.0.0.1:99999 --pg 127.0.0.1:0
refuses 1 "sotto serve: TLS needs both a certificate and its key: --tls-cert FILE --tls-key FILE" serve --tls-cert cert.pem --http 127.0.0.1:0 --pg 127.0.0.1:0
refuses 1 "sotto serve: TLS needs both a certificate and its key: --tls-cert FILE --tls-key FILE" serve --tls-key key.pem --http 127.0.0.1:0 --pg 127.0.0.1:0
# Keys that anybody on the way can read are not secret; the owner is told, and may have a proxy.
started() { # started HTTP PG
	"$SOTTO" serve --http "$1" --pg "$2" > serve.log 2> "$err" &
	server=$!
	while kill -0 $server 2> /dev/null && ! grep -q '^stop with' serve.log; do sleep 0.05; done
}
started 0x7f.0.0.1:0 0x7f.0.0.1:0 # the loopback, in a spelling that is not taken for it
stderr_like 'keys and answers leave this machine unencrypted over HTTP' "a server that others can reach without TLS says so"
stderr_like "answers leave this machine unencrypted over PostgreSQL's protocol" "of both protocols"
stop_server
started 127.0.0.1:0 localhost:0
check "one that stays here does not" test ! -s "$err"
stop_server
finish
