import json, subprocess, sys

sotto = sys.argv[1]
CONFIDENCES = ["1e-300", "1e-17", "0.5", "0.95", "0.99999999999999", "0.9999999999999999", "0." + 20 * "9", "0." + 300 * "9"]
FORMS = ["laplace -e 1 3", "gaussian -e 1 -d 1e-5 3", "truncated-laplace -e 1 --range 0 10 3", "staircase -e 1 3",
         "exponential -e 1 1 2 3", "permute-and-flip -e 1 3 4", "noisy-max -e 1 1 2 3", "above-threshold -e 1 -t 3 4",
         "sparse -e 1 -t 3 -g 0.5 4", "numeric-sparse -e 1 -t 3 4", "bounds -e 40 " + 400 * "5 ", "accuracy -e 1",
         "randomized-response --estimate -e 1 30 40"]


def stated(form, confidence):
	"""The widths that are stated, or the refusal."""
	r = subprocess.run([sotto, "noise", *form.split(), "--confidence", confidence, "--format", "json"], capture_output=True, text=True)
	if r.returncode:
		return r.stderr.strip()
	v = json.loads(r.stdout)
	if "rows" in v:
		return [w for a in v["rows"] for w in (a["count"] - a["low"], a["high"] - a["count"])]
	a = v["mechanisms"][0] if "mechanisms" in v else v["accuracy"]
	return [a["outside"] if "outside" in a else a["error"]]


for form in FORMS:
	last = None
	for c in CONFIDENCES:
		now = stated(form, c)
		if isinstance(now, str):
			print(form[:30], c[:30], now)
			continue
		if min(now) < 0 or (last and any(n < l for n, l in zip(now, last))):
			print(form[:30], c[:30], "says", now, "after", last)
		last = now
