#!/bin/sh
# tools/run-test: a run in which only LeakSanitizer's tracer failed is repeated, and no other;
# what a failing test printed is kept.
. "$(dirname "$0")/lib.sh"
tool=$(cd "$(dirname "$0")/../../tools" && pwd)/run-test
fatal='==7==LeakSanitizer has encountered a fatal error.'
leak='==7==ERROR: LeakSanitizer: detected memory leaks'

# program BODY: a test that counts its runs and knows where a sanitizer would write
program() {
	{
		echo '#!/bin/sh'
		echo 'echo x >> runs; n=$(grep -c x runs)'
		echo 'log=$(echo "$ASAN_OPTIONS" | sed "s/.*log_path=//").$$'
		echo "$1"
	} > test
	chmod +x test
	rm -f runs
	status=0
	rm -rf failures
	mkdir failures
	"$tool" failures ./test > "$out" 2> "$err" || status=$?
}
runs_are() { check "$2" test "$(grep -c x runs)" = "$1"; }
cd "$work" || exit 1

program 'echo "ok 1"'
status_is 0 "a test that passes passes"
runs_are 1 "in one run"
program "[ \$n = 2 ] && exit 0; echo '$fatal' > \$log; exit 23"
status_is 0 "a tracer that failed is given another chance"
runs_are 2 "one"
stdout_like '^# LeakSanitizer could not attach' "and it is said"
program "[ \$n = 2 ] && echo 'ok 1' && exit 0; echo '$fatal' > \$log; echo 'not ok 1'"
runs_are 2 "also if the test says so only by 'not ok'"
check "and leaves no failure behind" test -z "$(ls failures)"
program "case \$ASAN_OPTIONS in *detect_leaks=0*) exit 0;; esac; echo '$fatal' > \$log; exit 23"
status_is 0 "a tracer that fails twice is left out of the third run"
runs_are 3 "which is the last"
stdout_like 'runs without a search for leaks' "and it is said"
program "[ \$n = 3 ] && exit 5; echo '$fatal' > \$log; exit 23"
status_is 5 "a test that fails in the third run fails"
runs_are 3 "without another"
program "echo '$leak' > \$log; exit 23"
status_is 23 "a leak fails the test"
runs_are 1 "at once"
stderr_like 'detected memory leaks' "and is shown"
program "echo '$leak' > \$log"
status_is 1 "a leak in a process whose exit nobody looks at fails the test too"
runs_are 1 "at once"
program "printf '%s\n%s\n' '$fatal' '$leak' > \$log; exit 23"
runs_are 1 "a leak beside a tracer that failed is a leak"
program "echo '$fatal'; exit 1"
runs_are 1 "who only prints those words is not repeated"
program 'exit 3'
status_is 3 "a failing test fails"
runs_are 1 "without a second run"
check "and what it printed is kept" test "$(ls failures | wc -l)" = 1
program 'echo "not ok 1 - a wish"'
check "a failed check is kept" grep -q '^not ok 1 - a wish' failures/*
runs_are 1 "without a second run either"
finish
