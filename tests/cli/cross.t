#!/bin/sh
# Other machines, under qemu: the encoder on arm64 and on big-endian s390x says the same byte for
# byte, and the library and the whole program work on arm64.  In the long set; tools/setup-cross first.
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
/usr/bin/python3 tests/vectors/encoder.py make 800 21 > "$work/many"
check "the encoder builds here" build_client here gcc
for machine in aarch64 s390x; do
	check "it builds for $machine" build_client $machine $machine-linux-gnu-gcc
	check "$machine gives the recorded reports" "qemu-$machine" "$work/$machine/vectors"
	check "and those that a second encoder computes" "qemu-$machine" "$work/$machine/vectors" "$work/many"
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

# The library and the program, with DuckDB; its engine is a process of its own, under qemu too.
arm=$PWD/.cache/cross/arm64
cat > "$work/arm64" <<END
#!/bin/sh
program=\$1
shift
exec qemu-aarch64 -L /usr/aarch64-linux-gnu \
	-E LD_LIBRARY_PATH="$arm/usr/lib/aarch64-linux-gnu:$arm/lib/aarch64-linux-gnu:$arm/duckdb" "\$program" "\$@"
END
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$work/arm64" "$PWD/build/arm64/sotto" > "$work/sotto"
chmod +x "$work/arm64" "$work/sotto"
built=$(for name in $(cd tests && ls unit/local/test_*.c unit/local/client/test_*.c unit/core/number/test_*.c | sed 's/\.c$//'); do
	case $name in
	*/test_aggregate | */test_associate | */test_calibrated | */test_exp_enclosure) continue ;; # minutes under an emulator
	*/test_memo_time) continue ;; # reads the clock
	esac
	echo "build/arm64/tests/$name"
done)
check "arm64: the program and its tests build" make --no-print-directory -s -j"$(nproc)" VARIANT=arm64 all \
	$built build/arm64/tests/crash/test_collector
for test in $built build/arm64/tests/crash/test_collector; do
	check "arm64: ${test#build/arm64/tests/} holds" "$work/arm64" "$test"
done

# from the plan to the estimate, encoded there and decoded here, and the other way round
"$work/sotto" local plan -n 2000 -d 4 -e 2 --emit text > "$work/plan"
"$SOTTO" local plan -n 2000 -d 4 -e 2 --emit text > "$work/plan-here"
check "arm64 plans the same" cmp "$work/plan" "$work/plan-here"
yes 1 | head -n 2000 | "$work/sotto" local encode --params "$work/plan" --each-device --out batch > "$work/batch"
for side in here there; do
	program=$SOTTO
	[ $side = here ] || program=$work/sotto
	"$program" local collect --store "$work/store-$side" --params "$work/plan" "$work/batch" --snapshot "$work/sum-$side" > "$out"
	"$program" local decode --snapshot "$work/sum-$side" --format csv > "$work/decoded-$side"
done
check "both count the same batch to the same aggregate of reports" test "$(wc -l < "$work/decoded-here")" = 5
check "and estimate the same to the last digit" cmp "$work/decoded-here" "$work/decoded-there"

# a question to DuckDB
mkdir "$work/hospital"
cp examples/hospital/sotto.yaml "$work/hospital/"
make --no-print-directory -s build/examples/hospital/generate
build/examples/hospital/generate 500 1 "$work/hospital" > "$out"
ask() {
	(cd "$work/hospital" && export SOTTO_WORKER="$work/sotto" && "$work/sotto" seal --policy sotto.yaml &&
		"$work/sotto" ledger create --policy sotto.yaml &&
		"$work/sotto" query --policy sotto.yaml --epsilon 1 --format csv 'SELECT COUNT(*) AS people FROM patients')
}
check "arm64: a question is answered by DuckDB" ask
finish
