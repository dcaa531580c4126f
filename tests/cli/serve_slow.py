"""Opens 300 connections to the PostgreSQL port that send a byte now and then, then lets psql ask.

    serve_slow.py PORT NAME KEY DATABASE

Exits 0 if psql is answered while all of them still try.  No clock decides: places for guests
are fewer than 300, so that a server which keeps the slow ones has none left for psql, which
then gives up.
"""
import os
import socket
import subprocess
import sys

port, name, key, database = sys.argv[1:]
slow = []
for i in range(300):
    s = socket.create_connection(("127.0.0.1", int(port)))
    try:
        # A start-up message of 100 bytes, of which nine come.
        s.sendall(b"\0\0\0\x64\0\3\0\0u")
    except OSError:
        pass
    slow.append(s)
for i in range(3):
    for s in slow:
        try:
            s.sendall(b"x")
        except OSError:
            pass
    done = subprocess.run(["psql", "-X", "-A", "-t", "-c", "SHOW sotto.epsilon",
                           "host=127.0.0.1 port=%s user=%s dbname=%s connect_timeout=60" % (port, name, database)],
                          env=dict(os.environ, PGPASSWORD=key), capture_output=True, text=True)
    if done.returncode or done.stdout != "default\n":
        print(done.stderr)
        sys.exit(1)
