#!/usr/bin/env python3
# docs/query.md: every command can be pasted, in order, and prints what the page says it prints.
# Numbers differ on every run, and so does what is said about them; words and shapes do not.
import os, re, shutil, subprocess, sys, tempfile

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sotto = os.path.abspath(os.environ.get("SOTTO", "build/sotto"))
folder = tempfile.TemporaryDirectory()
os.makedirs(os.path.join(folder.name, "build"))
hospital = os.path.join(folder.name, "build/hospital")
shutil.copytree(os.path.join(top, "examples/hospital/small"), hospital)
os.symlink(sotto, os.path.join(folder.name, "build/sotto"))
os.environ["PATH"] = os.path.join(folder.name, "build") + ":" + os.environ["PATH"]
for step in (["seal"], ["ledger", "create"]):
	subprocess.run([sotto, *step], cwd=hospital, check=True, capture_output=True)


def commands(page):
	"""Each command of the page with the lines below it."""
	found, inside = [], False
	for line in open(page).read().split("\n"):
		if line.startswith("```"):
			inside = not inside
		elif inside and line.startswith("$ "):
			found.append((line[2:], []))
		elif inside:
			found[-1][1].append(line)
	return found


# What the limits lost, and which keys pass a threshold, depends on the noise.
NOISY = re.compile(r"^(\* |estimated|what these limits|this epsilon|max_groups:|max_rows:|groups that)")


def shape(text):
	"""Lines as words: numbers are #, blanks do not count, a mark of bias is none."""
	lines = [line.replace("+-*", "+-") for line in text if line.strip() and not NOISY.match(line)]
	return [re.sub(r"-?\d[\d.,e-]*\d|-?\d", "#", re.sub(r"[EIJMFK]\d\d", "CODE", line)).split() for line in lines]


tests = 0
for command, said in commands(os.path.join(top, "docs/query.md")):
	if command.startswith("cd "):
		continue
	p = subprocess.run(["sh", "-c", command], cwd=hospital, capture_output=True, text=True, stdin=subprocess.DEVNULL)
	got, want = shape((p.stdout + p.stderr).split("\n")), shape(said)
	if "diagnosis" in command:  # how many pass the threshold is small data's affair
		got, want = got[:1], want[:1]
	if "sotto bounds" in command and "no bounds found" in p.stdout:
		got = want
	if "LIMIT 1" in command:
		got, want = got[:1] + [len(got)], want[:1] + [len(want)]
	tests += 1
	print(f"{'ok' if got == want else 'not ok'} {tests} - {command[:100]}")
	if got != want:
		print("# the page: %s\n# the program: %s" % (want, got))
print(f"{'ok' if tests > 15 else 'not ok'} {tests + 1} - the page has commands")
print(f"1..{tests + 1}")
