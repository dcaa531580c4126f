#!/bin/sh
# No jump depends on a random byte or on a secret, and no address but those named
# here: the noise core and every mechanism under valgrind, built by both compilers at
# -O2 and -O3 (gcc at -O3 in the short set).  And for the build that ships:
# the same random bytes take the same number of instructions whatever the data are.
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
		"build/ct/$build/tests/ct/$program" "$@" >"$work/out" 2>"$work/log"
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

program=ct_noise

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

builds=gcc-O3
[ -n "${SOTTO_LONG:-}" ] && builds="gcc-O2 gcc-O3 clang-O2 clang-O3"

for build in $builds; do
	make --no-print-directory VARIANT=ct CT_CC=${build%-*} CT_OPT=-${build#*-} \
		"build/ct/$build/tests/ct/ct_noise" "build/ct/$build/tests/ct/ct_select" \
		>"$work/reports" 2>&1
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

	program=ct_select
	silent $build secret $(build/ct/$build/tests/ct/ct_select names |
		grep -vxE 'planted-branch|rank-tree|bounds-count')
	result $? "$build: mechanisms have no secret jump and no secret address"
	addresses_only_in count_below $build secret rank-tree
	result $? "$build: the rank tree has no secret jump, secret addresses only in its search"
	addresses_only_in sotto_bounds_count $build secret bounds-count
	result $? "$build: counting for bounds has no secret jump, one of 129 counters as address"
	reports 'jump run_planted' $build secret planted-branch
	result $? "$build: a planted branch on a score is seen"
	program=ct_noise
done

# Mechanisms whose count differs between two data sets on one tape.  Tapes 0 and 1 warm up.
uneven() {
	mkdir "$work/counts" &&
		valgrind --tool=callgrind --callgrind-out-file="$work/counts/dump" \
			build/tests/ct/ct_select count >"$work/out" 2>"$work/log" || return 1
	cat "$work"/counts/dump.* | awk '
		/^desc: Trigger: Client Request:/ { name = $5; tape = $6 }
		/^summary:/ && tape > 1 {
			key = name " " tape
			if (key in steps && steps[key] != $2) uneven[name] = 1
			steps[key] = $2
			seen[name]++
		}
		END { for (name in seen) print name, seen[name], name in uneven ? "uneven" : "even" }
	' | sort >"$work/reports"
}

make --no-print-directory build/tests/ct/ct_select >"$work/reports" 2>&1
result $? "release: builds"
uneven
result $? "release: instructions are counted"
for name in $(build/tests/ct/ct_select names); do
	case $name in
	rank-tree) continue ;; # its steps follow noisy counts, which are as good as published
	planted-branch)
		grep -q "^$name 14 uneven\$" "$work/reports"
		result $? "release: a planted branch on a score takes other numbers of steps"
		continue
		;;
	esac
	grep -q "^$name 14 even\$" "$work/reports"
	result $? "release: $name takes as many steps on one data set as on another"
done
echo "1..$tests"
exit $failed
