# lib.sh - TAP for shell tests of the program
#
#	. "$(dirname "$0")/lib.sh"
#	run noise laplace -e 1 5          # sets $status; output in $out, $err (files)
#	status_is 0 "a count is published"
#	stdout_like '^-\{0,1\}[0-9]*$' "as a whole number"
#	finish
#
# run's standard input is empty unless `input TEXT` came before it.

SOTTO=${SOTTO:-$PWD/build/sotto}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out err=$work/err in=$work/in
: > "$in"
tests=0

# verdict STATUS NAME: a test that passes if STATUS is 0
verdict() {
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		printf "%s\n" "ok $tests - $2"
	else
		printf "%s\n" "not ok $tests - $2"
		sed 's/^/# stdout: /' "$out" | head -n 5
		sed 's/^/# stderr: /' "$err" | head -n 5
	fi
}

# verdicts FILE: a test for each line, which is a STATUS and a NAME
verdicts() {
	: > "$out"
	while read -r failed name; do
		verdict "$failed" "$name"
	done < "$1"
}

check() { # check NAME COMMAND...: passes if the command succeeds
	name=$1
	shift
	if "$@" > /dev/null 2>&1; then verdict 0 "$name"; else verdict 1 "$name"; fi
}

input() { printf "$@" > "$in"; }

# What the owner's part depends on: the files here and the policy, but not what is in a ledger.
files_now() {
	find . "$policy" \( -name out -o -name err -o -name in -o -name '*.db-*' \) -prune -o \
		\( -type d -o -name '*.db' \) -printf '%p\n' -o -printf '%p %s %T@ %C@\n' 2> /dev/null
}

# The owner's part of a question: what the policy names is sealed before it is asked, unless no file
# has changed since that was done for the same policy.
# A test of sealing itself sets `sealing=no`.
# A test of the ledger itself sets `owning=no`: otherwise there is one, and it has the policy.
seal_first() {
	case ${1:-} in query | explain | tables | shell | bounds | budget | ledger | release) ;; *) return 0 ;; esac
	policy=sotto.yaml command=$1
	while [ $# -gt 0 ]; do
		case $1 in -p | --policy) policy=${2:-} ;; --policy=*) policy=${1#*=} ;; esac
		shift
	done
	[ -f "$policy" ] || return 0
	owner="$PWD $policy ${sealing:-yes} ${owning:-yes} $([ "$command" = release ] || echo seals)"
	[ "$owner $(files_now)" = "${owner_before:-}" ] && return 0
	[ "${sealing:-yes}" = no ] || [ "$command" = release ] || "$SOTTO" seal --drop-malformed -p "$policy" > /dev/null 2>&1 || :
	[ "${owning:-yes}" = no ] || "$SOTTO" policy accept -p "$policy" > /dev/null 2>&1 ||
		"$SOTTO" ledger create -p "$policy" > /dev/null 2>&1 || :
	owner_before="$owner $(files_now)"
}

run() {
	status=0
	seal_first "$@"
	"$SOTTO" "$@" < "$in" > "$out" 2> "$err" || status=$?
	: > "$in"
}

status_is() { check "$2" test "$status" = "$1"; }
stdout_is() { check "$2" test "$(cat "$out")" = "$1"; }
stderr_is() { check "$2" test "$(cat "$err")" = "$1"; }
stdout_like() { check "$2" grep -q -- "$1" "$out"; }
stderr_like() { check "$2" grep -q -- "$1" "$err"; }

# refuses STATUS SENTENCE ARGUMENT...: that exit status, nothing on standard
# output, and exactly that line on standard error
refuses() {
	want=$1 sentence=$2
	shift 2
	run "$@"
	if [ "$status" = "$want" ] && [ ! -s "$out" ] && [ "$(cat "$err")" = "$sentence" ]; then
		verdict 0 "refused ($want): $*"
	else
		echo "# exit status $status, expected $want: $sentence"
		verdict 1 "refused ($want): $*"
	fi
}

# json EXPRESSION: true if it is, of a, what the last run printed
json() { python3 -c "import json, sys; a = json.load(open('$out')); sys.exit(0 if ($1) else 1)"; }

# releases [POLICY]: how many releases its ledger has
releases() {
	"$SOTTO" budget --policy "${1:-sotto.yaml}" --format json |
		python3 -c "import json, sys; print(json.load(sys.stdin)['releases'])"
}

# engine STATEMENT...: runs them in the embedded engine, to make files; fails if there is no engine
engine() { python3 -B "$here/engine_sql.py" "$SOTTO" "$@"; }

# True if linear programs can be solved: COIN-OR Clp is there, and sotto was built to use it.
has_solver() {
	! "$SOTTO" optimal --n 4 --graph cycle --epsilon 1 2>&1 >/dev/null | grep -q 'a linear program has to be solved'
}

finish() { echo "1..$tests"; }
