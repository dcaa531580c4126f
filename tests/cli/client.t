#!/bin/sh
# The encoder for devices: needs nothing, is small, and says the same as WebAssembly.
set -u
cd "$(dirname "$0")/../.."
b=$(dirname "${SOTTO:-build/sotto}")
n=0
check() { # check NAME COMMAND...
	name=$1
	shift
	n=$((n + 1))
	if "$@" >"$work/said" 2>&1; then echo "ok $n - $name"; else
		echo "not ok $n - $name"
		sed 's/^/# /' "$work/said"
	fi
	rm -f "$work/said"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Everything undefined in one object is defined in another.
nothing_undefined() {
	nm -g "$b/libsotto-client.a" | awk 'NF == 2 && $1 == "U" {need[$2]} NF == 3 {have[$3]}
		END {for (s in need) if (!(s in have) && s != "_GLOBAL_OFFSET_TABLE_") {print s; bad = 1}; exit bad}'
}
one_protocol_fits_ten_kib() {
	for f in $(find src/local/client -name '*.c' ! -name wasm.c); do
		gcc -std=c11 -Os -ffreestanding -fno-builtin -fno-stack-protector -ffunction-sections \
			-fno-asynchronous-unwind-tables -DSOTTO_CLIENT_ONLY=SOTTO_CLIENT_RAPPOR \
			-Iinclude -Isrc -c "$f" -o "$work/$(basename "$f").o" || return 1
	done
	ld -r --gc-sections -e sotto_client_encode -u sotto_client_init -u sotto_client_encode \
		-o "$work/one.o" "$work"/*.c.o || return 1
	size "$work/one.o"
	[ "$(size "$work/one.o" | awk 'NR == 2 {print $1}')" -le 10240 ]
}
no_function_has_a_big_frame() {
	for f in src/local/client/encode*.c src/local/client/state.c src/local/client/primitive/[sw]*.c \
		src/local/client/primitive/chacha.c src/local/client/params.c; do
		gcc -std=c11 -Os -ffreestanding -fno-stack-protector -fstack-usage -Iinclude -Isrc \
			-c "$f" -o "$work/$(basename "$f").o" || return 1
	done
	awk '$2 > 400 {print; bad = 1} END {exit bad}' "$work"/*.su
}
cost() { # cost calls|stack
	gcc -std=gnu11 -Os -fno-stack-protector -Iinclude -o "$work/cost" tests/cli/client_cost.c \
		-Wl,--wrap=sotto_sha256_end,--wrap=sotto_hmac_init,--wrap=sotto_chacha_block \
		"$b/libsotto-client.a" && "$work/cost" "$1"
}
thumb() {
	for f in $(find src/local/client -name '*.c' ! -path '*/freestanding/*'); do
		clang --target=thumbv7m-none-eabi -std=c11 -Os -ffreestanding -nostdlib -Wall -Werror \
			-Iinclude -Isrc -c "$f" -o "$work/t.o" || return 1
		nm -u "$work/t.o" 2>/dev/null | grep -v -e sotto_ -e __aeabi_mem -e ' mem' && return 1
	done
	return 0
}
small_wasm() { [ "$(stat -c %s "$b/sotto-client.wasm")" -le 16384 ]; }
wasm() { node tests/cli/client_wasm.js "$b/sotto-client.wasm" "$1"; }
second() { /usr/bin/python3 tests/vectors/encoder.py "$@"; }
one_wrong_digit_is_noticed() {
	awk 'NR == 200 { $6 = "f" (substr($6, 1, 1) == "f" ? "0" : "f") substr($6, 3) } { print }' "$work/many" > "$work/wrong"
	! second check "$work/wrong" && ! "$b/tests/unit/local/client/test_vectors" "$work/wrong" && ! wasm "$work/wrong"
}

if [ "${SOTTO_VARIANT:-release}" != release ]; then
	echo "1..0 # SKIP device builds are tested in the release build"
	exit 0
fi
check "the archive has no undefined symbol" nothing_undefined
check "one protocol takes at most 10 KiB of text" one_protocol_fits_ten_kib
check "no function takes more than 400 bytes of stack" no_function_has_a_big_frame
check "a RAPPOR report of 32 bits takes one hash, one HMAC and at most two cipher blocks" cost calls
check "encoding takes at most 1 KiB of stack, whatever the protocol" cost stack
check "it compiles for a Thumb-2 microcontroller and calls nothing but memory functions" thumb
check "the WebAssembly module is at most 16 KiB" small_wasm
check "WebAssembly gives the recorded reports" wasm tests/vectors/client.txt
check "a second encoder, in Python, gives the recorded reports" second check tests/vectors/client.txt
second make 800 20 > "$work/many"
check "C gives the reports that it computes for 800 other devices" \
	"$b/tests/unit/local/client/test_vectors" "$work/many"
check "and so does WebAssembly" wasm "$work/many"
check "one wrong digit is noticed by all three" one_wrong_digit_is_noticed
echo "1..$n"
