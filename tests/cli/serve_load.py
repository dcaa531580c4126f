"""Load on sotto serve: analysts who race for the last epsilon, and kill -9 under load.

    serve_load.py race URL OWNER_KEY ANALYSTS
    serve_load.py crash SOTTO CYCLES          in a folder with a policy, a ledger and the parameters grr
"""
import collections
import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.parse


def ask(address, method, path, key, data=None, kind="application/json"):
    """Status and body; None if no whole reply came."""
    try:
        c = http.client.HTTPConnection(address, timeout=120)
        body = data if isinstance(data, bytes) or data is None else json.dumps(data)
        c.request(method, "/v1/" + path, body, {"Authorization": "Bearer " + key, "Content-Type": kind})
        reply = c.getresponse()
        text = reply.read()
        c.close()
        return reply.status, json.loads(text)
    except (OSError, http.client.HTTPException, ValueError):
        return None


def fail(text):
    print("failed:", text)
    sys.exit(1)


def in_parallel(work, count):
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def race(url, owner, count):
    """Everybody asks another question for a twentieth of what is left, all at once."""
    address = urllib.parse.urlparse(url).netloc
    keys = []
    for i in range(count):
        keys.append(ask(address, "POST", "users", owner, {"name": "racer%d" % i})[1]["key"])
    before = ask(address, "GET", "budget", owner)[1]
    # A hair less than a twentieth, so that twenty fit however the number is written; 21 do not.
    price = round(before["left"]["epsilon"] / 20 - 1e-6, 9)
    replies = [None] * count

    def one(i):
        question = {"sql": "SELECT COUNT(*) FROM patients WHERE age > %d" % i, "epsilon": price}
        while True:
            replies[i] = ask(address, "POST", "query", keys[i], question)
            if replies[i] and replies[i][0] == 503:
                time.sleep(0.05)
                continue
            return

    in_parallel(one, count)
    answered = [r for r in replies if r and r[0] == 200]
    refused = [r for r in replies if r and r[0] == 402]
    after = ask(address, "GET", "budget", owner)[1]
    spent = after["spent"]["epsilon"] - before["spent"]["epsilon"]
    if len(answered) + len(refused) != count:
        fail("replies: %s" % sorted({r and r[0] for r in replies}, key=str))
    if len(answered) != 20:
        fail("%d were answered, not 20" % len(answered))
    if abs(spent - 20 * price) > 1e-9 or after["left"]["epsilon"] < 0:
        fail("spent %s, left %s" % (spent, after["left"]))
    if any(abs(r[1]["cost"]["epsilon"] - price) > 1e-12 or r[1]["repeated"] for r in answered):
        fail("an answer has another price")
    print("good")


class Server:
    """A server of this folder; `kill_after` seconds from its start, in the middle of that."""

    def __init__(self, sotto, kill_after=None):
        self.begin = time.monotonic()
        self.process = subprocess.Popen([sotto, "serve", "--http", "127.0.0.1:0", "--pg", "127.0.0.1:0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.owner = None
        if kill_after is not None:
            time.sleep(kill_after)
            self.kill()
        for line in self.process.stdout:
            if line.startswith("console and API"):
                self.address = urllib.parse.urlparse(line.split()[-1]).netloc
            if line.startswith("owner's key"):
                self.owner = line.split()[-1]
            if line.startswith("stop with"):
                break
        self.seconds = time.monotonic() - self.begin
        if not self.address and kill_after is None:
            fail("the server did not start")

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


def head():
    """The number of the ledger's last entry, as another process sees it."""
    with sqlite3.connect("file:l.db?mode=ro", uri=True, timeout=60) as db:
        return db.execute("SELECT number FROM head").fetchone()[0]


class Load:
    """Questions and batches that nobody sent before, and what was acknowledged of them."""

    def __init__(self, sotto, address, owner, cycle):
        self.address, self.owner = address, owner
        self.answers, self.batches, self.users = {}, [], []
        self.answered, self.counted, self.charged = threading.Event(), threading.Event(), threading.Event()
        self.stopped, self.before = False, head()
        self.threads = [threading.Thread(target=self.question, args=(cycle * 3 + i,)) for i in range(3)]
        self.threads += [threading.Thread(target=self.batch, args=(make_batch(sotto),)) for i in range(3)]
        self.threads += [threading.Thread(target=self.user, args=("user%d" % cycle,)),
                         threading.Thread(target=self.look)]
        for t in self.threads:
            t.start()

    def question(self, i):
        asked = {"sql": "SELECT COUNT(*) FROM patients WHERE age > %d.5" % i, "epsilon": 0.001}
        reply = ask(self.address, "POST", "query", self.owner, asked)
        if reply and reply[0] == 200:
            self.answers[json.dumps(asked)] = reply[1]["rows"]
            self.answered.set()

    def batch(self, data):
        reply = ask(self.address, "POST", "collections/colours/reports", self.owner, data)
        if reply and reply[0] in (200, 202):
            self.batches.append(data)
            self.counted.set()

    def user(self, name):
        reply = ask(self.address, "POST", "users", self.owner, {"name": name})
        if reply and reply[0] in (200, 201):
            self.users.append(reply[1]["key"])

    def look(self):
        """Sees the moment at which a charge is on the disk and its answer is not."""
        while not self.stopped and head() == self.before:
            time.sleep(0.001)
        self.charged.set()

    def end(self):
        self.stopped = True
        for t in self.threads:
            t.join()


def make_batch(sotto):
    encode = [sotto, "local", "encode", "--params", "grr", "--each-device", "--out", "batch"]
    return subprocess.run(encode, input=b"1\n" * 20, stdout=subprocess.PIPE, check=True).stdout


# When the server is killed.
PHASES = ("start", "any moment", "charge", "answer", "batch", "SIGTERM")


def strike(phase, server, load, choose):
    event = {"charge": load.charged, "answer": load.answered, "batch": load.counted}.get(phase)
    if event:
        event.wait(60)
        time.sleep(choose.uniform(0, 0.02))
    elif phase == "SIGTERM":
        time.sleep(choose.uniform(0, 0.1))
        server.process.terminate()
        time.sleep(choose.uniform(0, 0.05))
    else:
        time.sleep(choose.uniform(0, 0.3))
    server.kill()


class Acknowledged:
    """Everything that the server ever acknowledged; the last of it is asked for again each time."""

    def __init__(self):
        self.answers, self.batches, self.users = {}, [], []

    def add(self, load):
        self.answers.update(load.answers)
        self.batches += load.batches
        self.users += load.users

    def check(self, server, owner, last):
        for question, rows in list(self.answers.items())[-last:]:
            reply = ask(server.address, "POST", "query", owner, json.loads(question))
            if not reply or reply[0] != 200 or not reply[1]["repeated"] or reply[1]["rows"] != rows:
                fail("an acknowledged answer was lost: %s" % (reply,))
        for data in self.batches[-last:]:
            reply = ask(server.address, "POST", "collections/colours/reports", owner, data)
            if not reply or reply[1].get("verdict") != "duplicate":
                fail("an acknowledged batch was lost: %s" % (reply,))
        for key in self.users[-last:]:
            reply = ask(server.address, "GET", "me", key)
            if not reply or reply[0] != 200:
                fail("an acknowledged key was lost: %s" % (reply,))

    def check_history(self, server, owner):
        """Every question is charged once, those that were acknowledged with an answer."""
        entries, after = [], 0
        while True:
            page = ask(server.address, "GET", "history?after=%d" % after, owner)[1]
            entries += page["entries"]
            if not page["more"]:
                break
            after = page["entries"][-1]["number"]
        charged = collections.Counter(e["query"] for e in entries if e["cost"]["epsilon"] > 0)
        answered = {e["query"] for e in entries if e["answered"]}
        if charged and max(charged.values()) > 1:
            fail("charged twice: %s" % charged.most_common(1))
        lost = [q for q in self.answers if json.loads(q)["sql"] not in answered]
        if lost:
            fail("answered without a charge: %s" % lost[0])
        return len(entries)


def crash(sotto, cycles):
    """No acknowledged charge, batch or key is lost, and no answer is without a charge."""
    choose = random.Random(7)
    owner, known, starts = None, Acknowledged(), []
    first = Server(sotto)
    owner = first.owner
    first.kill()
    for cycle in range(cycles):
        phase = PHASES[cycle % len(PHASES)]
        if phase == "start":
            Server(sotto, choose.uniform(0, 0.15))
            continue
        server = Server(sotto)
        starts.append(server.seconds)
        known.check(server, owner, 6)
        load = Load(sotto, server.address, owner, cycle)
        strike(phase, server, load, choose)
        load.end()
        known.add(load)
    server = Server(sotto)
    known.check(server, owner, len(known.answers) + len(known.batches))
    entries = known.check_history(server, owner)
    server.process.terminate()
    if server.process.wait() != 0:
        fail("SIGTERM did not end it in good order")
    starts.sort()
    print("%d cycles: %d answers, %d batches and %d keys acknowledged, %d entries; "
          "start: median %.3f s, longest %.3f s" %
          (cycles, len(known.answers), len(known.batches), len(known.users), entries,
           starts[len(starts) // 2], starts[-1]))
    print("good")


if sys.argv[1] == "race":
    race(sys.argv[2], sys.argv[3], int(sys.argv[4]))
else:
    crash(sys.argv[2], int(sys.argv[3]))
