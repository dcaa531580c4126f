#!/usr/bin/env python3
# Every package from npm that a lock file names runs on the Node.js of Debian 12, and is named without a host.
import json, os, re

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
DEBIAN = (18, 20, 4)
tests = 0


def verdict(name, why):
	global tests
	tests += 1
	print(f"{'not ok' if why else 'ok'} {tests} - {name}" + (f"\n# {why}" if why else ""))


def version(text):
	return tuple(int(x) for x in (text.split(".") + ["0", "0"])[:3])


def meets(node, part):
	"""One comparison of a range: >=18, ^16.20.1, 18.x, *."""
	sign, number = re.fullmatch(r"\s*(>=|>|<=|<|\^|~|=|)\s*v?(\d*(?:\.\d+)*)[x*.]*\s*", part).groups()
	if not number:
		return True
	want, parts = version(number), number.count(".") + 1
	if sign in (">=", ">", "<=", "<"):
		return {">=": node >= want, ">": node > want, "<=": node <= want, "<": node < want}[sign]
	exact = 1 if sign == "^" else min(parts, 2) if sign == "~" else parts
	return node >= want and node[:exact] == want[:exact]


def accepts(engines, node):
	return any(all(meets(node, p) for p in re.findall(r"(?:>=|>|<=|<|\^|~|=)?\s*v?[\d.x*]+", way)) for way in engines.split("||"))


known = {">=18": True, ">=20": False, "^12.20.0 || ^14.13.1 || >=16": True, "^18.18": True, "^18.21.0 || >=20": False, "18.x": True, "*": True,
         ">= 16.0.0": True, ">=14 <18": False, "~18.20.1": True, "16": False}
verdict("ranges are read as npm reads them", [r for r, want in known.items() if accepts(r, DEBIAN) != want])
for lock in ("web/package-lock.json", "tests/clients/package-lock.json"):
	with open(lock, encoding="utf-8") as f:
		packages = json.load(f)["packages"]
	named = {path: p.get("engines", {}).get("node", "*") for path, p in packages.items()}
	verdict(f"{lock}: all run on Debian's Node.js",
	        "too new: " + ", ".join(f"{p} wants {n}" for p, n in named.items() if not accepts(n, DEBIAN))
	        if not all(accepts(n, DEBIAN) for n in named.values()) else "")
	verdict(f"{lock}: no host is named", [p for p, entry in packages.items() if "resolved" in entry])
print(f"1..{tests}")
raise SystemExit
