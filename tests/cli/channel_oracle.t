#!/bin/sh
# Exact epsilons, utilities, optima and derivations of random problems, against slow definitions in fractions.
. "$(dirname "$0")/lib.sh"
if ! has_solver; then
	echo "1..0 # SKIP COIN-OR Clp is not installed"
	exit 0
fi
cases=20
if [ -n "${SOTTO_LONG:-}" ]; then cases=400; fi
python3 "$(dirname "$0")/channel_oracle.py" "$SOTTO" "$work" $cases > "$out" 2> "$err"
verdict $? "$cases random problems: $(tail -n 1 "$out")"
finish
