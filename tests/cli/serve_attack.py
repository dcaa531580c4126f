"""Attacks on sotto serve by bytes that no honest client sends; prints "good NAME" or "bad NAME WHY".

    serve_attack.py HTTP_PORT PG_PORT OWNER_KEY ANALYST ANALYST_KEY DATABASE

In the environment, SOTTO is the program; here is the folder of the policy.
"""
import base64
import errno
import hashlib
import hmac
import json
import os
import re
import resource
import select
import socket
import struct
import subprocess
import sys
import time
import urllib.request

http_port, pg_port, owner, analyst, key, database = sys.argv[1:]


def verdict(name, why):
    print("bad %s: %s" % (name, why) if why else "good " + name)


# ---- HTTP ---------------------------------------------------------------------------------------------
def talk(port, data, wait=60):
    """All that comes back until the server closes, or says nothing for a while."""
    s = socket.create_connection(("127.0.0.1", int(port)))
    s.settimeout(wait)
    got = b""
    try:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        while piece := s.recv(65536):
            got += piece
    except OSError:
        pass
    s.close()
    return got


def statuses(data):
    return [int(x) for x in re.findall(rb"HTTP/1\.1 (\d{3}) ", talk(http_port, data))]


def request(head, body=b"", who=key, method="POST", path="/v1/explain", ends=True):
    """The connection ends with the reply, unless another request may follow."""
    lines = ["%s %s HTTP/1.1" % (method, path), "Host: x"] + (["Authorization: Bearer " + who] if who else []) + head
    lines += ["Connection: close"] if ends else []
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


hidden = b"GET /v1/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
both = b"0\r\n\r\n" + hidden
for name, head, body in (
        ("a length and chunks at once", ["Content-Length: %d" % len(both), "Transfer-Encoding: chunked"], both),
        ("chunks and a length at once", ["Transfer-Encoding: chunked", "Content-Length: %d" % len(both)], both),
        ("two lengths", ["Content-Length: 0", "Content-Length: %d" % len(hidden)], hidden),
        ("two lengths, the long one first", ["Content-Length: %d" % len(hidden), "Content-Length: 0"], hidden),
        ("a list of lengths", ["Content-Length: 0, %d" % len(hidden)], hidden),
        ("a length with a sign", ["Content-Length: +0"], hidden),
        ("a length in hexadecimal", ["Content-Length: 0x0"], hidden),
        ("a negative length", ["Content-Length: -1"], hidden),
        ("a length that overflows", ["Content-Length: 18446744073709551616"], hidden),
        ("a blank before the colon", ["Content-Length : %d" % len(hidden)], hidden),
        ("a blank in a name", ["Content-Length x: 0"], hidden),
        ("two hosts", ["Host: y"], hidden),
        ("an unknown coding", ["Transfer-Encoding: xchunked"], both),
        ("chunks under another coding", ["Transfer-Encoding: gzip, chunked"], both),
        ("a chunk with a wrong size", ["Transfer-Encoding: chunked"], b"-1\r\n\r\n" + hidden),
        ("a chunk in hexadecimal with 0x", ["Transfer-Encoding: chunked"], b"0x0\r\n\r\n" + hidden)):
    # It is refused, and the hidden request is never answered.  (libmicrohttpd says some refusals twice.)
    got = statuses(request(head, body, ends=False))
    verdict("no request is smuggled by " + name, "" if got and all(400 <= x < 600 for x in got) and 200 not in got else "replies %s" % got)

verdict("a request without a host is refused", "" if set(statuses(b"GET /v1/healthz HTTP/1.1\r\n\r\n")) == {400} else "taken")
for name, data in (("a header of a megabyte", request(["X: " + "y" * 1000000], method="GET", path="/v1/budget")),
                   ("ten thousand headers", request(["X%d: y" % i for i in range(10000)], method="GET", path="/v1/budget")),
                   ("a path of a megabyte", request([], method="GET", path="/v1/" + "y" * 1000000)),
                   ("a first line that never ends", b"GET " + b"/" * 1000000)):
    got = statuses(data)
    verdict("refused: " + name, "" if all(400 <= x < 500 for x in got) else "replies %s" % got)

for path in ("/v1//users", "/v1/./users", "/v1/x/../users", "/v1/%75sers%00", "/V1/users", "/v1/users/", "/v1/users?x", "/v1/users;x",
             "/v1/users%2f", "//v1/users", "/v1/metrics%20", "/v1/policy/"):
    got = statuses(request([], method="GET", path=path))
    verdict("an analyst does not reach %s" % path, "" if got and got[0] in (400, 401, 403, 404) else "replies %s" % got)
for method in ("HEAD", "OPTIONS", "TRACE", "PATCH", "DELETE", "CONNECT", "get"):
    got = statuses(request(["X-HTTP-Method-Override: GET"], method=method, path="/v1/users"))
    verdict("nor by the method %s" % method, "" if got and 400 <= got[0] < 500 else "replies %s" % got)

number, secret = re.match(r"sk_(\d+)_(.*)", key).groups()
for name, head in (
        ("no key", []), ("an empty one", ["Authorization: Bearer "]), ("the word alone", ["Authorization: Bearer"]),
        ("another scheme", ["Authorization: Basic " + key]), ("another's number", ["Authorization: Bearer sk_999_" + secret]),
        ("another end of the key", ["Authorization: Bearer " + key[:-1] + ("B" if key.endswith("A") else "A")]),
        ("another beginning", ["Authorization: Bearer sk_%s_%s%s" % (number, "B" if secret.startswith("A") else "A", secret[1:])]),
        ("an analyst's secret under the owner's number", ["Authorization: Bearer sk_%s_%s" % (owner.split("_")[1], secret)]),
        ("a key without its end", ["Authorization: Bearer " + key[:-1]]), ("a key and more", ["Authorization: Bearer " + key + "x"]),
        ("a negative number", ["Authorization: Bearer sk_-%s_%s" % (number, secret)]),
        ("a key as a cookie", ["Cookie: sotto=" + key]), ("a made-up cookie", ["Cookie: sotto=" + "0" * 64]),
        ("an empty cookie", ["Cookie: sotto="]), ("a long cookie", ["Cookie: sotto=" + "f" * 9000]),
        ("a made-up session", ["Authorization: Bearer " + "0" * 64, "Cookie: sotto-%s=%s" % (http_port, "0" * 64)])):
    got = statuses(request(head, who=None, method="GET", path="/v1/me"))
    verdict("nobody comes in by " + name, "" if got and got[0] in (401, 429) else "replies %s" % got)
    # A right key lets the address breathe again: this is not about guessing.
    statuses(request([], method="GET", path="/v1/me"))


# ---- sessions of browsers -------------------------------------------------------------------------------
def carried(cookie):
    return "Cookie: sotto-%s=%s" % (http_port, cookie)


def login(cookie, who=key):
    """The token that the page keeps, and the cookie."""
    body = json.dumps({"key": who}).encode()
    got = talk(http_port, request([carried(cookie), "Content-Length: %d" % len(body)], body, cookie, path="/v1/login"))
    return (re.search(rb'"session":"(\w+)"', got).group(1).decode(),
            re.search(rb"Set-Cookie: sotto-%s=(\w+)" % http_port.encode(), got).group(1).decode())


def knows(session):
    token, cookie = session
    return statuses(request([carried(cookie)] if cookie else [], who=token, method="GET", path="/v1/me")) == [200]


planted = "a" * 64
first, second = login(planted), login(planted)
verdict("a session that somebody planted is not the one that logs in",
        "" if planted not in first + second and not set(first) & set(second) and not knows((planted, planted)) else "fixed")
for name, half in (("the cookie alone", (None, first[1])), ("the token alone", (first[0], None)), ("the cookie twice", (first[1], first[1])),
                   ("a token beside another login's cookie", (first[0], second[1])), ("the token as a cookie", (None, first[0]))):
    verdict("nobody comes in by %s of a login" % name, "comes in" if knows(half) else "")
for _ in range(20):
    knows((planted, planted))
got = statuses(request([], who="sk_1_wrong", method="GET", path="/v1/me"))
verdict("a page that does not know yet that its login has ended is no guesser", "" if got == [401] else "replies %s" % got)
statuses(request([], method="GET", path="/v1/me"))
statuses(request([carried(first[1]), "Content-Length: 0"], who=first[0], path="/v1/logout"))
verdict("logging out ends this session and no other", "" if not knows(first) and knows(second) else "wrong")


# ---- the PostgreSQL protocol ----------------------------------------------------------------------------
def message(kind, body):
    return kind + struct.pack("!i", len(body) + 4) + body


def start_up(**settings):
    body = struct.pack("!i", 3 << 16) + b"".join(k.encode() + b"\0" + v.encode() + b"\0" for k, v in settings.items()) + b"\0"
    return struct.pack("!i", len(body) + 4) + body


def kinds(got):
    """Types of the messages that came back; b'?' where they make no sense."""
    out, at = b"", 0
    while at + 5 <= len(got):
        out += got[at:at + 1]
        length = struct.unpack("!i", got[at + 1:at + 5])[0]
        at += 1 + max(4, length)
    return out


begin = start_up(user=analyst, database=database)
query = message(b"Q", b"SELECT 1\0")


# ---- after authentication -----------------------------------------------------------------------------------------
def receive(s, count):
    got = b""
    while len(got) < count:
        piece = s.recv(count - len(got))
        if not piece:
            raise ConnectionError("closed")
        got += piece
    return got


def hear(s):
    kind, length = struct.unpack("!ci", receive(s, 5))
    return kind, receive(s, length - 4)


numbers = {}  # of connections, with which they are cancelled


def log_in(name=analyst, key=key):
    """A connection that has proved its name by SCRAM-SHA-256."""
    s = socket.create_connection(("127.0.0.1", int(pg_port)))
    s.settimeout(60)
    s.sendall(start_up(user=name, database=database))
    hear(s)
    bare = b"n=,r=" + base64.b64encode(os.urandom(18))
    s.sendall(message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", len(bare) + 3) + b"n,," + bare))
    challenge = hear(s)[1][4:]
    nonce, salt, rounds = re.match(rb"r=([^,]*),s=([^,]*),i=(\d+)", challenge).groups()
    salted = hashlib.pbkdf2_hmac("sha256", key.encode(), base64.b64decode(salt), int(rounds))
    client = hmac.digest(salted, b"Client Key", "sha256")
    end = b"c=biws,r=" + nonce
    sign = hmac.digest(hashlib.sha256(client).digest(), bare + b"," + challenge + b"," + end, "sha256")
    s.sendall(message(b"p", end + b",p=" + base64.b64encode(bytes(x ^ y for x, y in zip(client, sign)))))
    while (heard := hear(s))[0] != b"Z":
        if heard[0] == b"K":
            numbers[s] = heard[1]
    return s


def until_ready(s):
    """Kinds of messages up to ReadyForQuery."""
    out = b""
    while not out.endswith(b"Z"):
        out += hear(s)[0]
    return out


def text(*words):
    return b"".join(w.encode() + b"\0" for w in words)


def parse(name, sql, types=b"\0\0"):
    return message(b"P", text(name, sql) + types)


def bind(portal, statement, formats=b"\0\0", values=b"\0\0", results=b"\0\0"):
    return message(b"B", text(portal, statement) + formats + values + results)


def lives(name, data, errors=1):
    """So many errors, then the connection answers as before."""
    s = log_in()
    try:
        s.sendall(data + message(b"S", b""))
        got = until_ready(s)
        s.sendall(message(b"Q", text("SHOW sotto.epsilon")))
        after = until_ready(s)
        s.close()
        verdict("after authentication: " + name, "" if got.count(b"E") == errors and b"D" in after else "hears %r, then %r" % (got, after))
    except OSError as e:
        verdict("after authentication: " + name, "ends with %s" % e)


def ends(name, data):
    """Nothing is answered but an error; the server lives on."""
    s = log_in()
    try:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        got = b""
        while piece := s.recv(65536):
            got += piece
        s.close()
        verdict("after authentication: " + name, "" if set(kinds(got)) <= set(b"EZ") else "hears %r" % kinds(got))
    except OSError as e:
        verdict("after authentication: " + name, "" if isinstance(e, ConnectionError) or e.errno == errno.ENOTCONN else str(e))


one = struct.pack("!h", 1)
execute, describe = message(b"E", text("") + struct.pack("!i", 0)), message(b"D", b"P" + text(""))
for name, data, errors in (
        ("nothing but Sync", b"", 0),
        ("a function call", message(b"F", struct.pack("!ihhh", 1598, 0, 0, 0)), 1),
        ("COPY data that nobody asked for", message(b"d", b"1,2\n") + message(b"c", b"") + message(b"f", text("stop")), 1),
        ("COPY", parse("", "COPY patients TO STDOUT") + bind("", "") + execute, 1),
        ("COPY FROM a program", parse("", "COPY patients FROM PROGRAM 'id'") + bind("", "") + execute, 1),
        ("an unknown statement, then more", bind("", "none") + describe + execute + execute, 1),
        ("an unknown portal", message(b"E", text("none") + struct.pack("!i", 0)), 1),
        ("a describe of neither", message(b"D", b"X" + text("")), 1),
        ("a close of what is not there", message(b"C", b"S" + text("none")) + message(b"C", b"P" + text("none")), 0),
        ("two statements in one", parse("", "SELECT 1; SELECT 2") + bind("", "") + execute, 1),
        ("an empty statement", parse("", "") + bind("", "") + execute, 0),
        ("a negative limit of rows", parse("", "SELECT city FROM patients") + bind("", "") + message(b"E", text("") + struct.pack("!i", -1)), 1),
        ("more values than there are", parse("", "SHOW sotto.epsilon") + bind("", "", values=struct.pack("!h", 30000)), 1),
        ("a negative count of values", parse("", "SHOW sotto.epsilon") + bind("", "", values=struct.pack("!h", -1)), 1),
        ("a value of two gigabytes", parse("", "EXPLAIN SELECT COUNT(*) FROM patients WHERE age > $1")
         + bind("", "", values=one + struct.pack("!i", 2**31 - 1)), 1),
        ("a value of a negative length", parse("", "EXPLAIN SELECT COUNT(*) FROM patients WHERE age > $1")
         + bind("", "", values=one + struct.pack("!i", -7)), 1),
        ("an unknown format", parse("", "EXPLAIN SELECT COUNT(*) FROM patients WHERE age > $1")
         + bind("", "", one + struct.pack("!h", 9), one + struct.pack("!i", 1) + b"1"), 1),
        ("results in an unknown format", parse("", "SHOW sotto.epsilon") + bind("", "", results=one + struct.pack("!h", -3)), 1),
        ("a value that is SQL", parse("", "EXPLAIN SELECT COUNT(*) FROM patients WHERE city = $1")
         + bind("", "", values=one + struct.pack("!i", 25) + b"' OR 1=1; DROP TABLE x; --") + execute, 1),
        ("no name's end", message(b"P", b"x" * 100), 1),
        ("a half of a character", message(b"P", b"\0SELECT '\xff'\0\0\0") + bind("", "") + execute, 1)):
    lives(name, data, errors)
for name, data in (("a message of a gigabyte", b"Q" + struct.pack("!i", 1 << 30) + b"SELECT"),
                   ("one of a negative length", b"Q" + struct.pack("!i", -9) + b"SELECT"),
                   ("one that is shorter than its length", b"Q" + struct.pack("!i", 3)),
                   ("an unknown kind", message(b"\x7f", b"")), ("a start-up again", begin),
                   ("a second proof", message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", -1))),
                   ("a wish for TLS", struct.pack("!ii", 8, 80877103)), ("half of a message", b"Q\0\0")):
    ends(name, data)
run = bind("", "") + execute
for name, word in (("a name", "DEALLOCATE one"), ("a name in capitals", "deallocate prepare ONE;"), ("a name in quotes", 'DEALLOCATE "one"'), ("all", "DEALLOCATE ALL"),
                   ("what is there", "DISCARD ALL")):
    lives("DEALLOCATE of %s" % name, parse("one", "SELECT 1") + parse("", word) + run + bind("p", "one"), 1)
lives("DEALLOCATE of another name", parse("one", "SELECT 1") + parse("", 'DEALLOCATE "ONE"') + run + bind("p", "one"), 0)
lives("more statements than there may be, but not at once",
      b"".join(parse("s%d" % i, "SELECT 1") + parse("", "DEALLOCATE s%d" % i) + run for i in range(1100)), 0)
victim = log_in()
for number, secret in ((1, 0), (0, 0), (-1, -1), (2**31 - 1, 2**31 - 1)):
    talk(pg_port, struct.pack("!iiii", 16, 80877102, number, secret))
victim.sendall(message(b"Q", text("SHOW sotto.epsilon")))
verdict("a cancel with a guessed number reaches nobody", "" if b"D" in until_ready(victim) else "cancelled")
victim.sendall(message(b"Q", text(";".join(["SELECT count(*) FROM pg_type"] * 20000))))
while not select.select([victim], [], [], 0.2)[0]:  # it may come before the first statement
    talk(pg_port, struct.pack("!ii", 16, 80877102) + numbers[victim])
words = b""
while (heard := hear(victim))[0] != b"Z":
    words += heard[1] if heard[0] == b"E" else b""
verdict("a cancel ends the statements of a text that are still to come", "" if b"C57014\0" in words else "hears %r" % words)
victim.close()


# A stranger who names somebody does not keep that name out, at another address.
for _ in range(8):
    s = socket.create_connection(("127.0.0.1", int(pg_port)), source_address=("127.0.0.2", 0))
    s.settimeout(60)
    s.sendall(begin)
    if hear(s)[0] == b"E":
        break
    s.sendall(message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", -1)))
    hear(s)
    s.close()
try:
    log_in().close()
    verdict("wrong keys from one address do not keep the name out at another", "")
except Exception as e:
    verdict("wrong keys from one address do not keep the name out at another", "kept out: %s" % e)

# Replies leave although nobody syncs: the server does not keep them all.
s = log_in()
s.sendall(parse("wide", "SELECT " + ",".join("%d AS column_of_the_number_%d" % (i, i) for i in range(1000)))
          + message(b"D", b"S" + text("wide")) * 20)
try:
    verdict("replies are not kept until a Sync that never comes", "" if len(receive(s, 200000)) == 200000 else "few came")
except OSError as e:
    verdict("replies are not kept until a Sync that never comes", str(e))
s.close()


# ---- memory ------------------------------------------------------------------------------------------------
def refused_after(s, messages):
    """How many are taken until one is refused with SQLSTATE 53200; then the connection still answers."""
    for i, data in enumerate(messages):
        s.sendall(data + message(b"S", b""))
        words = b""
        while (heard := hear(s))[0] != b"Z":
            words += heard[1] if heard[0] == b"E" else b""
        if words:
            s.sendall(message(b"Q", text("SHOW sotto.epsilon")))
            return i if b"C53200\0" in words and b"D" in until_ready(s) else -1
    return -2


def peak():
    """The most memory that the server ever had, in bytes."""
    return 1024 * int(re.search(r"VmHWM:\s*(\d+)", open("/proc/%s/status" % os.environ["SERVER"]).read()).group(1))


most = (400 if os.environ.get("SOTTO_VARIANT", "release") == "release" else 4000) << 20  # the sanitizers take more
crowded = "SELECT " + ",".join(["1"] * 90000)
s = log_in()
s.sendall(message(b"Q", text(crowded)) + message(b"Q", text(crowded.replace("1", "1,1,1,1"))))
heard = [hear(s) for _ in range(4)]
verdict("a statement of very many parts is refused", "" if heard[0][0] == heard[2][0] == b"E" and b"too many parts" in heard[0][1]
        and b"200000 characters" in heard[2][1] else "hears %r" % heard)
s.close()
s = log_in()
for op in ("OR", "AND"):
    s.sendall(message(b"Q", text("EXPLAIN SELECT COUNT(*) FROM patients WHERE " + (" %s " % op).join("age <> %d" % i for i in range(9000)))))
    got = until_ready(s)
    verdict("thousands of terms of %s do not end the server" % op, "" if got == b"EZ" else "hears %r" % got)
for name, sql in (("a list of patterns", "city LIKE ANY (ARRAY[%s])" % ",".join("'a%d'" % i for i in range(8000))),
                  ("a row", "(%s) = (%s)" % (",".join(["age"] * 8000), ",".join(["1"] * 8000)))):
    s.sendall(message(b"Q", text("EXPLAIN SELECT COUNT(*) FROM patients WHERE " + sql)))
    verdict("nor do those of " + name, "" if until_ready(s) == b"EZ" else "it does")
s.close()
body = json.dumps({"sql": crowded, "epsilon": 1}).encode()
got = statuses(request(["Content-Length: %d" % len(body)], body))
verdict("over HTTP too, and takes little memory", "" if got == [400] and peak() < most else "replies %s, takes %d MiB" % (got, peak() >> 20))

greedy, long = log_in(), "SELECT '%s'" % ("x" * 1000000)
taken = refused_after(greedy, (parse("s%d" % i, long) for i in range(300)))
verdict("prepared statements of one user do not fill the memory", "" if 50 < taken < 200 else "%d were taken" % taken)
other = log_in()
taken = refused_after(other, [parse("", long)])
verdict("nor do those of another connection of that user", "" if taken == 0 else "%d were taken" % taken)
greedy.close()
for s in range(100):  # the server notices when it notices
    other.sendall(parse("", long) + message(b"S", b""))
    if b"E" not in until_ready(other):
        break
    time.sleep(0.1)
verdict("a connection that ends gives its memory back", "" if s < 99 else "it does not")
other.sendall(message(b"Q", text("BEGIN")))
until_ready(other)
rows = "SELECT a.setting || '%s' FROM pg_settings a, pg_settings b, pg_settings c" % ("x" * 5000)
taken = refused_after(other, (parse("", rows) + bind("p%d" % i, "") + message(b"E", text("p%d" % i) + struct.pack("!i", 1)) for i in range(50)))
verdict("nor do results that nobody fetches", "" if 2 < taken < 20 else "%d were taken" % taken)


# Seen to fail: the question was charged, and the refusal did not say so.
def spent():
    ask = urllib.request.Request("http://127.0.0.1:%s/v1/budget" % http_port, headers={"Authorization": "Bearer " + owner})
    return json.load(urllib.request.urlopen(ask))["spent"]["epsilon"]


before = spent()
for sql in ("SET sotto.epsilon = 0.01", "SELECT COUNT(*) FROM patients WHERE age > 33"):
    other.sendall(message(b"Q", text(sql)))
    got = until_ready(other)
verdict("a question without room for its result is refused before its charge", "" if b"E" in got and spent() == before
        else "hears %r, and %r is spent, not %r" % (got, spent(), before))
other.close()


# ---- keys that another process replaces or revokes while they are in use -----------------------------------
def sotto(*words):
    return subprocess.run([os.environ["SOTTO"], "user", *words], check=True, capture_output=True, text=True).stdout.strip()


for name, end in (("carol", "rotate"), ("dave", "revoke")):
    mine = sotto("add", name)
    page, session = login("", mine), log_in(name, mine)
    session.sendall(message(b"Q", text("SHOW sotto.budget")))
    before = knows(page) and b"D" in until_ready(session)
    sotto(end, name)
    verdict("%s logs browsers out" % end, "" if before and not knows(page) else "the login still works")
    session.sendall(message(b"Q", text("SHOW sotto.budget")))
    kind, words = hear(session)
    verdict("%s ends open sessions of PostgreSQL" % end,
            "" if kind == b"E" and b"C28000\0" in words and session.recv(1) == b"" else "hears %r" % words)


# ---- odd but whole requests of HTTP ------------------------------------------------------------------------
body = b'{"sql": "SELECT COUNT(*) FROM patients", "epsilon": 1}'
length = ["Content-Length: %d" % len(body)]
for name, data, wanted in (
        ("a body in chunks", request(["Transfer-Encoding: chunked"], b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)), [200]),
        ("chunks with an extension and a trailer", request(["Transfer-Encoding: chunked"], b"%x;x=y\r\n%s\r\n0\r\nX: y\r\n\r\n" % (len(body), body)), [200]),
        ("a wish to be told to go on", request(length + ["Expect: 100-continue"], body), [100, 200]),
        ("another wish", request(length + ["Expect: 200-ok"], body), None),
        ("an upgrade", request(length + ["Upgrade: websocket", "Connection: Upgrade"], body), None),
        ("two requests at once", request(length, body, ends=False) + request(length, body), [200, 200]),
        ("a good one after a wrong key", request([], method="GET", path="/v1/me", who="sk_1_x", ends=False)
         + request([], method="GET", path="/v1/me"), None),
        ("a body that is not whole", request(["Content-Length: 9999"], body), None),
        ("a whole address", request([], method="GET", path="http://elsewhere/v1/me"), None)):
    got = statuses(data)
    good = got == wanted if wanted else all(x in (100, 200, 400, 401, 404, 411, 413, 417, 429) for x in got)
    verdict("HTTP: " + name, "" if good else "replies %s" % got)
statuses(request([], method="GET", path="/v1/me"))

# Whoever opens connections and says nothing shuts nobody out, not even at the same address: seen to fail.
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
idle = []
try:
    for _ in range(1200 if most == resource.RLIM_INFINITY or most > 1400 else 0):
        idle.append(socket.create_connection(("127.0.0.1", int(http_port))))
except OSError:
    pass
got = statuses(request([], method="GET", path="/v1/me"))
verdict("HTTP: a thousand connections that say nothing", "" if got == [200] else "replies %s" % got)
for s in idle:
    s.close()


# ---- the PostgreSQL protocol before anybody is known: the last, since wrong keys slow the name down ----------
def stays_out(name, data):
    """Nothing but requests to authenticate (R) and errors (E) ever comes."""
    got = kinds(talk(pg_port, data))
    verdict("before authentication: " + name, "" if set(got) <= set(b"REN") else "hears %r" % got)


def refused_at_once(name, data):
    """An error is heard: more was announced than came, so the server did not wait for it."""
    got = kinds(talk(pg_port, data))
    verdict("before authentication: " + name, "" if got == b"RE" else "hears %r" % got)


refused_at_once("a proof of half a megabyte", begin + b"p" + struct.pack("!i", 500000))
for name, data in (("a query at once", query), ("a query after the start-up", begin + query),
                   ("a prepared statement", begin + message(b"P", b"\0SELECT 1\0\0\0") + message(b"S", b"")),
                   ("a password in clear", begin + message(b"p", key.encode() + b"\0") + query),
                   ("another mechanism", begin + message(b"p", b"PLAIN\0" + struct.pack("!i", 4) + b"\0a\0b") + query),
                   ("an empty proof", begin + message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", -1)) + message(b"p", b"") + query),
                   ("a proof without an exchange", begin + message(b"p", b"c=biws,r=x,p=" + b"A" * 43 + b"=") + query),
                   ("a proof of nothing", begin + message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", 18) + b"n,,n=,r=abcdefghij")
                    + message(b"p", b"c=biws,r=abcdefghij,p=" + b"A" * 43 + b"=") + query),
                   ("a start-up of no length", struct.pack("!i", 0)), ("one of a negative length", struct.pack("!i", -5) + b"x" * 50),
                   ("one of the least length", struct.pack("!i", -2**31) + b"x" * 50),
                   ("one of a gigabyte", struct.pack("!ii", 1 << 30, 3 << 16) + b"user\0"),
                   ("an old protocol", struct.pack("!ii", 8, 2 << 16)), ("twice a wish for TLS", struct.pack("!ii", 8, 80877103) * 2 + query),
                   ("a wish for GSS", struct.pack("!ii", 8, 80877104) + query),
                   ("no user", start_up(database=database) + query), ("a user that is nobody", start_up(user="nobody", database=database) + query),
                   ("a cancel with a guessed secret", struct.pack("!iiii", 16, 80877102, 1, 7)),
                   ("a replication connection", start_up(user=analyst, database=database, replication="true") + query)):
    stays_out(name, data)
