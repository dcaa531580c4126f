#!/bin/sh
# No jump depends on a random byte, and no address but those of the list of ties:
# the noise core under valgrind, built by both compilers at -O2 and -O3 (two of
# these builds in the short set).
#
# Valgrind knows AVX2 but not AVX-512; for that the evidence is the argument in
# planes_block.md and the timing test (tests/ct/test_timing.c).
set -u
cd "$(dirname "$0")/../.."
command -v valgrind >/dev/null || { echo "1..0 # SKIP valgrind is not installed"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=0
failed=0

result() { # STATUS NAME
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests - $2"
	else
		echo "not ok $tests - $2"
		sed 's/^/# /' "$work/reports" | head -n 20
		failed=1
	fi
}

# Each report of valgrind as "jump FUNCTION" or "address FUNCTION", where it arose.
run() { # BUILD ARGUMENTS
	build=$1
	shift
	valgrind --read-inline-info=yes --error-limit=no --error-exitcode=0 \
		"build/ct/$build/tests/ct/ct_noise" "$@" >"$work/out" 2>"$work/log"
	status=$?
	awk '
		/Conditional jump/ { kind = "jump" }
		/Use of uninitialised value/ { kind = "address" }
		/Syscall param|Invalid (read|write)|points to uninit|Process terminating/ { print "other", $0 }
		kind != "" && / at 0x/ { print kind, $4; kind = "" }
	' "$work/log" | sort | uniq -c >"$work/reports"
	grep -q 'ERROR SUMMARY' "$work/log" || status=99
	return $status
}

silent() { # BUILD ARGUMENTS: no report at all
	run "$@" && ! [ -s "$work/reports" ]
}

addresses_only_in() { # FUNCTIONS BUILD ARGUMENTS
	functions=$1
	shift
	run "$@" && [ -s "$work/reports" ] &&
		! grep -vE " address ($functions)\$" "$work/reports" >/dev/null
}

laplace_list='heads_portable|compare_plane|block_add_dummies|block_settle_ties'
gauss_list='block_judge_groups|block_add_dummies|block_weigh_list|block_weigh_last|block_accept|block_draw|candidate_of|weigh|weigh_wide'

reports() { # REPORT BUILD ARGUMENTS: the control is seen
	want=$1
	shift
	run "$@" && grep -q " $want\$" "$work/reports"
}

builds="gcc-O3 clang-O2"
[ -n "${SOTTO_LONG:-}" ] && builds="gcc-O2 gcc-O3 clang-O2 clang-O3"

for build in $builds; do
	make --no-print-directory VARIANT=ct CT_CC=${build%-*} CT_OPT=-${build#*-} \
		"build/ct/$build/tests/ct/ct_noise" >"$work/reports" 2>&1
	result $? "$build: builds"
	for path in portable avx2; do
		if [ $path = avx2 ] && ! grep -qw avx2 /proc/cpuinfo; then
			continue
		fi
		silent $build core $path
		result $? "$build: single draws ($path) have no secret jump and no secret address"
		addresses_only_in "$laplace_list" $build block $path
		result $? "$build: bulk draws ($path) have no secret jump, secret addresses only in the list"
		addresses_only_in "$gauss_list" $build gauss-bulk $path
		result $? "$build: bulk Gaussian draws ($path) likewise"
	done
	silent $build gauss-single
	result $? "$build: single Gaussian draws have no secret jump and no secret address"
	silent $build coins
	result $? "$build: coins and uniform integers have no secret jump and no secret address"
	silent $build generator
	result $? "$build: from entropy through the cipher to strict noise nothing shows"
	reports 'jump branch_on_noise' $build planted-branch
	result $? "$build: a planted branch is seen"
	reports 'address run_planted_address' $build planted-address
	result $? "$build: a planted lookup is seen"
done
echo "1..$tests"
exit $failed
