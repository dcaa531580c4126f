"""What one analyst gets from a server, word by word: noise, times and random numbers are masked.

    serve_alone.py URL PORT NAME KEY DATABASE [backwards]

Two runs must print the same, whatever other people asked before or between.
"""
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request

url, port, name, key, database = sys.argv[1:6]
questions = ["SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
             "SELECT ward, SUM(x) AS s FROM visits WHERE x > 1 GROUP BY ward",
             "SELECT COUNT(*) AS n FROM visits",
             "SELECT COUNT(*) AS n FROM visits WHERE x > 3"]

if sys.argv[6:] == ["backwards"]:
    questions.reverse()


def masked(value, member=None):
    """Rows, intervals, times and ports are noise, a clock or the system's; so is what limits lost."""
    if member in ("rows", "intervals") and isinstance(value, list):
        return len(value)
    if member in ("time", "made", "port"):
        return "one"
    if isinstance(value, dict):
        return {k: masked(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [masked(v) for v in value]
    if isinstance(value, str):
        return re.sub(r"[0-9.]+ %", "some %", value)
    return value


def ask(method, path, body=None):
    request = urllib.request.Request(url + path, method=method, headers={"Authorization": "Bearer " + key},
                                     data=json.dumps(body).encode() if body is not None else None)
    try:
        with urllib.request.urlopen(request) as reply:
            status, headers, text = reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as e:
        status, headers, text = e.code, e.headers, e.read()
    text = text.decode()
    shown = json.dumps(masked(json.loads(text))) if text.startswith(("{", "[")) else text
    noisy = ("date", "content-length") if path in ("/v1/query", "/v1/me") else ("date",)
    print(method, path, json.dumps(body), status,
          sorted((k.lower(), v) for k, v in headers.items() if k.lower() not in noisy), shown)


def look_around():
    for path in ("me", "tables", "budget", "history", "history?after=1", "history?after=3", "collections", "healthz",
                 "metrics", "policy", "users", "nowhere"):
        ask("GET", "/v1/" + path)


def psql(*statements):
    done = subprocess.run(["psql", "-X", "-A", "-t", "host=127.0.0.1 port=%s user=%s dbname=%s" % (port, name, database)]
                          + [a for s in statements for a in ("-c", s)],
                          env=dict(os.environ, PGPASSWORD=key), capture_output=True, text=True)
    rows = [re.sub(r"-?[0-9]+$", "N", line) if "|" in line or line.lstrip("-").isdigit() else line
            for line in done.stdout.splitlines()]
    print("psql", statements, done.returncode, rows, re.sub(r"[0-9.]+ %", "some %", done.stderr))


look_around()
for sql in questions:
    body = {"sql": sql, "epsilon": 1}
    ask("POST", "/v1/explain", body)
    ask("POST", "/v1/explain", dict(body, error=100))
    ask("POST", "/v1/query", body)
    ask("POST", "/v1/query", body)
    ask("POST", "/v1/explain", body)
    look_around()
ask("POST", "/v1/query", {"sql": questions[0], "epsilon": 1, "fresh": True})
ask("POST", "/v1/query", {"sql": questions[0], "epsilon": 10000})
ask("POST", "/v1/query", {"sql": "SELECT nothing FROM visits", "epsilon": 1})
ask("POST", "/v1/account", {"events": "laplace(epsilon=1)*3", "delta": 1e-6})
psql("SET sotto.epsilon = 2", "EXPLAIN " + questions[0], questions[0], questions[1] + " HAVING COUNT(*) > 0", "SHOW sotto.budget")
psql(r"\d", r"\dt+", r"\d+ visits", r"\du", r"\l")
psql("SELECT * FROM pg_stat_activity", "SELECT * FROM pg_class ORDER BY oid", "SELECT * FROM pg_roles", "SHOW ALL")
look_around()
