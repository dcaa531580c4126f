#!/bin/sh
# sotto noise with --step: the stated error covers noise and rounding.  For random parameters
# and values anywhere between two grid points the probability of a larger error is added up from
# the law of the noise, and is at most 1 - confidence.
. "$(dirname "$0")/lib.sh"

cat > "$work/exceeds.py" <<'PYTHON'
"""python3 exceeds.py SOTTO COMMAND SEED: parameters for which the stated error is exceeded too often."""
import json, math, random, subprocess, sys
from fractions import Fraction

sotto, command, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(seed)

def laplace(rate):
	a = math.exp(-rate)
	return lambda z: (1 - a) / (1 + a) * a ** abs(z)

def gaussian(sigma2):
	weight = lambda z: math.exp(-z * z / (2 * sigma2))
	reach = int(60 * math.sqrt(sigma2)) + 2
	total = sum(weight(z) for z in range(-reach, reach + 1))
	return lambda z: weight(z) / total

def staircase(epsilon, d, tread):
	b = math.exp(-epsilon)
	weight = lambda z: b ** (abs(z) // d + (abs(z) % d >= tread))
	total = 2 * (tread + b * (d - tread)) / (1 - b) - 1
	return lambda z: weight(z) / total

def law(epsilon, said):
	steps = said['sensitivity_steps']
	if command == 'staircase':
		return staircase(epsilon, steps, int(said['scale_steps']))
	if command == 'gaussian':
		return gaussian(float(Fraction(said['sigma2_steps'])))
	return laplace(epsilon / steps)

def run(*arguments):
	done = subprocess.run([sotto, 'noise', command, *arguments, '--format', 'json'],
	                      capture_output=True, text=True)
	if done.returncode:
		sys.exit(done.stderr)
	return json.loads(done.stdout, parse_float=str)

def miss(p, step, error, offset):
	"""P[|Z step + offset| > error], exactly where the comparison is made in fractions."""
	near, z = 0.0, 0
	while z * step <= error + step:
		for signed in {z, -z}:
			if abs(signed * step + offset) <= error:
				near += p(signed)
		z += 1
	return 1 - near

bad = 0
for _ in range(12):
	epsilon = Fraction(random.randint(1, 60), 10)
	step = Fraction(random.choice(['0.1', '0.5', '1', '3', '10']))
	wide = Fraction(random.randint(1, 12))
	confidence = Fraction(random.choice(['0.5', '0.9', '0.95', '0.99']))
	arguments = ['-e', str(float(epsilon)), '-s', str(wide), '-g', str(float(step)), '--confidence',
	             str(float(confidence))]
	if command == 'gaussian':
		arguments += ['-d', '1e-5']
	if command.startswith('truncated'):
		arguments += ['--range', '-120000', '120000']
	said = run(*arguments, '7.03')
	p = law(float(epsilon), said)
	error = Fraction(said['accuracy']['error'])
	for k in range(-8, 9):
		if miss(p, step, error, step * Fraction(k, 16)) > 1 - float(confidence) + 1e-9:
			print(command, *arguments, 'states', float(error))
			bad += 1
			break
sys.exit(bad > 0)
PYTHON

for command in laplace geometric gaussian staircase truncated-geometric truncated-laplace; do
	python3 "$work/exceeds.py" "$SOTTO" $command 1 > "$out" 2> "$err"
	verdict $? "$command: the stated error holds for values between grid points"
done

run noise laplace -e 3.7 -s 1 -g 10 1004
stderr_like 'the value is not off by more than 5$' "1004 on tens may come out as 1000"
run noise laplace -e 3 2
stderr_like 'the value is not off by more than 1$' "whole numbers are not rounded"
run noise laplace --error 15 -s 1 -g 10 1004
stderr_like 'the value is not off by more than 15$' "an error that is wanted includes rounding"
refuses 1 'sotto noise laplace: --error must be at least half of --step, because values are rounded by up to that much' noise laplace --error 4.9 -s 1 -g 10 1004
run noise above-threshold -e 1 -t 0 --queries 1 -g 10 3
cp "$err" "$work/on_grid"
run noise above-threshold -e 1 -s 1 -t 0 --queries 1 3
error_of() { sed -n 's/.*every one further than \([0-9.]*\) .*/\1/p' "$1"; }
check "a stream's error includes rounding: ten times that of one whole step, plus 5" \
	awk -v a="$(error_of "$work/on_grid")" -v b="$(error_of "$err")" \
	'BEGIN { d = a - 10 * b - 5; exit !(a > 0 && d > -0.01 && d < 0.01) }'
run noise noisy-max -e 1 --top 2 10 20 30
stderr_like 'each chosen score is within [0-9.]* of the one that belongs in its place$' "the second is not near the best"
finish
