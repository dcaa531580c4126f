"""Talks to a program on a terminal of its own.

    python3 talk.py SCRIPT PROGRAM [ARGUMENT]...

Each line of the script is "send TEXT" (with \\n, \\t, \\x03 ... as in Python) or "expect
REGEX", which waits for it behind what was expected last, or "end", which waits for the end of
the program.  Fails with what was seen if the program says something else.  The last line of
standard output is the program's exit status.
"""
import os, pty, re, select, signal, sys

PATIENCE = 120  # seconds, for a machine that does much else


def main():
    script = open(sys.argv[1]).read().splitlines()
    pid, fd = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored in what a shell runs in the background
        os.environ.update(TERM="xterm", LANG="C.UTF-8", LC_ALL="C.UTF-8")
        os.execvp(sys.argv[2], sys.argv[2:])
    seen, at, ended, number = "", 0, False, 0

    def more():
        nonlocal seen, ended
        ready, _, _ = select.select([fd], [], [], PATIENCE)
        if not ready:
            sys.exit(f"line {number}: nothing came any more; seen: {seen[at:]!r}")
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        ended = not data
        seen += data.decode(errors="replace")

    for number, step in enumerate(script, 1):
        word, _, rest = step.partition(" ")
        if word == "send":
            os.write(fd, rest.encode().decode("unicode_escape").encode("latin-1"))
        elif word == "expect":
            while not (found := re.compile(rest, re.S).search(seen, at)):
                if ended:
                    sys.exit(f"line {number}: no {rest!r} in {seen[at:]!r}")
                more()
            at = found.end()
        elif word == "end":
            while not ended:
                more()
    while not ended:
        more()
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()
