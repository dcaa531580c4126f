"""Load on sotto serve: analysts who race for the last epsilon, and kill -9 under load.

    serve_load.py race URL OWNER_KEY ANALYSTS
    serve_load.py crash SOTTO CYCLES          in a folder with a policy, a ledger and batches
"""
import http.client
import json
import os
import random
import re
import signal
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
    price = before["left"]["epsilon"] / 20
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
    def __init__(self, sotto):
        self.process = subprocess.Popen([sotto, "serve", "--http", "127.0.0.1:0", "--pg", "127.0.0.1:0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.owner = None
        for line in self.process.stdout:
            if line.startswith("console and API"):
                self.address = urllib.parse.urlparse(line.split()[-1]).netloc
            if line.startswith("owner's key"):
                self.owner = line.split()[-1]
            if line.startswith("stop with"):
                break
        if not self.address:
            fail("the server did not start")


def crash(sotto, cycles):
    """No acknowledged charge or batch is lost, and no answer is without a charge."""
    choose = random.Random(7)
    batches = [open(f, "rb").read() for f in sorted(os.listdir(".")) if re.match(r"batch\d+$", f)]
    answers, counted, number, owner = {}, set(), 0, None
    for cycle in range(cycles + 1):
        server = Server(sotto)
        owner = owner or server.owner
        # What was acknowledged before is still there.
        for question, rows in answers.items():
            reply = ask(server.address, "POST", "query", owner, json.loads(question))
            if not reply or reply[0] != 200 or not reply[1]["repeated"] or reply[1]["rows"] != rows:
                fail("an acknowledged answer was lost: %s" % (reply,))
        for i in counted:
            reply = ask(server.address, "POST", "collections/colours/reports", owner, batches[i])
            if not reply or reply[1].get("verdict") != "duplicate":
                fail("an acknowledged batch was lost: %s" % (reply,))
        if cycle == cycles:
            budget = ask(server.address, "GET", "budget", owner)[1]
            if budget["releases"] < len(answers) or budget["left"]["epsilon"] < 0:
                fail("%d acknowledged, %s" % (len(answers), budget))
            server.process.terminate()
            if server.process.wait() != 0:
                fail("SIGTERM did not end it in good order")
            break
        new, acknowledged = {}, [threading.Event(), threading.Event()]

        def question(i):
            asked = {"sql": "SELECT COUNT(*) FROM patients WHERE age > %d.5" % (number + i), "epsilon": 0.001}
            reply = ask(server.address, "POST", "query", owner, asked)
            if reply and reply[0] == 200:
                new[json.dumps(asked)] = reply[1]["rows"]
                acknowledged[0].set()

        def batch(i):
            k = (number + i) % len(batches)
            reply = ask(server.address, "POST", "collections/colours/reports", owner, batches[k])
            if reply and reply[0] in (200, 202):
                counted.add(k)
                acknowledged[1].set()

        threads = [threading.Thread(target=f, args=(i,)) for i in range(3) for f in (question, batch)]
        for t in threads:
            t.start()
        # Killed as soon as the first answer, or the first batch, is acknowledged, or at any moment.
        if cycle % 3 < 2:
            acknowledged[cycle % 3].wait(60)
        time.sleep(choose.uniform(0, 0.05 if cycle % 3 < 2 else 0.3))
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        for t in threads:
            t.join()
        number += 3
        # The last ones are enough to ask again.
        answers = dict(list((answers | new).items())[-20:])
    print("good")


if sys.argv[1] == "race":
    race(sys.argv[2], sys.argv[3], int(sys.argv[4]))
else:
    crash(sys.argv[2], int(sys.argv[3]))
