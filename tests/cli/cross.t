#!/bin/sh
# Other machines, under qemu: the encoder on arm64 and on big-endian s390x says the same byte for
# byte, and the library's unit tests hold on arm64.  In the long set; tools/setup-cross first.
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.." || exit 1
if [ -z "${SOTTO_LONG:-}" ]; then
	echo "1..0 # SKIP other machines are tried in the long set"
	exit 0
fi
if ! command -v qemu-aarch64 > /dev/null || ! command -v s390x-linux-gnu-gcc > /dev/null; then
	echo "1..0 # SKIP cross compilers or qemu are missing; tools/setup-cross installs both"
	exit 0
fi

# build_client MACHINE COMPILER...: the encoder, its recorded vectors and a device for that machine
build_client() {
	machine=$1
	shift
	mkdir -p "$work/$machine"
	for f in $(find src/local/client -name '*.c' ! -path '*/freestanding/*'); do
		"$@" -std=c11 -O2 -ffreestanding -Iinclude -Isrc -c "$f" -o "$work/$machine/$(basename "$f").o" || return 1
	done
	"$@" -std=gnu11 -O2 -D_GNU_SOURCE -Iinclude -Isrc -Itests -static -o "$work/$machine/vectors" \
		tests/unit/local/client/test_vectors.c tests/testlib/tap.c "$work/$machine"/*.o -lm &&
		"$@" -std=gnu11 -O2 -Iinclude -static -o "$work/$machine/device" tests/cli/cross_device.c "$work/$machine"/*.o
}
check "the encoder builds here" build_client here gcc
for machine in aarch64 s390x; do
	check "it builds for $machine" build_client $machine $machine-linux-gnu-gcc
	check "$machine gives the recorded reports" "qemu-$machine" "$work/$machine/vectors"
done
while read -r name lines; do
	printf "protocol $name\n$lines" > "$work/params"
	"$SOTTO" local params --to bytes "$work/params" > "$work/params.bytes"
	"$work/here/device" < "$work/params.bytes" > "$work/want"
	check "a device of $name keeps and sends something" test "$(wc -l < "$work/want")" = 3
	for machine in aarch64 s390x; do
		qemu-$machine "$work/$machine/device" < "$work/params.bytes" > "$work/got" 2> "$err"
		check "the same on $machine" cmp "$work/want" "$work/got"
	done
done <<'END'
grr size 300\nepsilon 1\nmemoize yes\n
oue size 40\nepsilon 1\n
olh size 40\nepsilon 1\n
hr size 40\nepsilon 1\n
cms width 64\ngroups 300\nepsilon 2\n
rappor width 48\nhashes 3\ngroups 16\nf .3\np .2\nq .7\n
sfp size 6\nwidth 64\nhashes 2\ngroups 8\nepsilon 2\nsecond 2\n
END

# the library: what runs in reasonable time under an emulator
if [ ! -e .cache/cross/arm64/done ]; then
	finish
	exit 0
fi
libraries=$PWD/.cache/cross/arm64/usr/lib/aarch64-linux-gnu
for test in unit/local/test_protocols unit/local/test_check unit/local/test_bitsum unit/local/test_scatter \
	unit/local/test_estimate unit/local/test_rappor unit/local/client/test_law unit/local/client/test_batch \
	unit/core/number/test_rational unit/core/random/test_dlaplace_cache crash/test_collector; do
	[ -e "tests/$test.c" ] || continue
	check "arm64: $test builds" make --no-print-directory -s VARIANT=arm64 "build/arm64/tests/$test"
	check "arm64: $test holds" qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$libraries" "build/arm64/tests/$test"
done
finish
