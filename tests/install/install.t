#!/bin/sh
# make install into an empty tree; a program that knows only pkg-config builds and
# runs against it, shared and static; make uninstall leaves nothing behind.
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
. tests/cli/lib.sh
tree=$work/tree
export PKG_CONFIG_PATH=$tree/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tree
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
: > "$out"

unset MAKEFLAGS MFLAGS
make install DESTDIR="$tree" PREFIX=/usr > "$out" 2> "$err"
verdict $? "make install succeeds"
check "the program runs where it was installed" "$tree/usr/bin/sotto" --version
if [ -e .cache/duckdb/libduckdb.so ]; then
	check "its engine is installed beside it" test -s "$tree/usr/lib/sotto/libduckdb.so"
	check "and the program that runs it" test -x "$tree/usr/lib/sotto/sotto-worker"
	cp examples/hospital/small/*.csv examples/hospital/small/sotto.yaml "$work"
	(cd "$work" && SOTTO_DUCKDB= && export SOTTO_DUCKDB && "$tree/usr/bin/sotto" seal && "$tree/usr/bin/sotto" ledger create &&
		"$tree/usr/bin/sotto" query --epsilon 1 'SELECT COUNT(*) AS n FROM patients') > "$out" 2> "$err"
	verdict $? "and the installed program asks it"
	# Away from the tree of the sources nothing but that copy can be found.
	mv "$tree/usr/lib/sotto" "$tree/usr/lib/away"
	! (cd "$work" && "$tree/usr/bin/sotto" query --epsilon 1 'SELECT COUNT(*) AS m FROM visits') > "$out" 2> "$err"
	verdict $? "which is the one that it finds"
	mv "$tree/usr/lib/away" "$tree/usr/lib/sotto"
fi
check "what shows exact values to tests is not installed" sh -c "! strings -a $tree/usr/bin/sotto $tree/usr/lib/libsotto.a $tree/usr/lib/libsotto.so.* | grep -q buckets_sum"
check "and is in the tests" sh -c "! [ -x build/tests/unit/central/session/test_spread_golden ] || nm build/tests/unit/central/session/test_spread_golden | grep -q buckets_sum"
check "the driver of Spark jobs is installed" test -s "$tree/usr/share/sotto/spark_driver.py"
check "manual pages are there" test -s "$tree/usr/share/man/man1/sotto.1"
check "no path of the build is in the pkg-config file" sh -c "! grep -q '$root' '$PKG_CONFIG_PATH/sotto.pc'"
check "pkg-config knows the version" test "$(pkg-config --modversion sotto)" = "$(cat VERSION)"

build() { # build NAME LIBS
	cc -std=c11 -Wall -Wextra -Werror examples/c/noisy_count.c $(pkg-config --cflags sotto) $2 -o "$work/$1" \
		> "$out" 2> "$err"
}
build shared "$(pkg-config --libs sotto)"
verdict $? "an example builds against the shared library"
LD_LIBRARY_PATH=$tree/usr/lib "$work/shared" > "$out" 2> "$err"
verdict $? "and runs"
stdout_like '^about [0-9]* patients (within 6, 19 times out of 20)$' "and answers"
build static "$(pkg-config --static --libs sotto | sed 's/-lsotto/-l:libsotto.a/')"
verdict $? "it builds against the static library"
"$work/static" > "$out" 2> "$err"
verdict $? "and runs without the shared one"

for example in budget adaptive; do
	cc -std=c11 -Wall -Wextra -Werror examples/c/$example.c $(pkg-config --cflags --libs sotto) -o "$work/$example" > "$out" 2> "$err"
	verdict $? "examples/c/$example.c builds"
done
for run in charged 'as before and free'; do
	LD_LIBRARY_PATH=$tree/usr/lib "$work/budget" "$work/example.db" > "$out" 2> "$err"
	verdict $? "the example of a ledger runs"
	stdout_like "^patients: about -\{0,1\}[0-9]*, $run\$" "its first count is $run"
	stdout_like '^smokers: refused, the share of alice' "and the second is refused"
done
LD_LIBRARY_PATH=$tree/usr/lib "$work/adaptive" > "$out" 2> "$err"
verdict $? "the example of a filter runs"
stdout_like '^3000 releases: epsilon at most 2\.37' "and prices many releases"

for header in "$tree"/usr/include/sotto/*.h; do
	echo "#include <sotto/$(basename "$header")>"
done > "$work/all.c"
cc -std=c11 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags sotto) "$work/all.c" > "$out" 2> "$err"
verdict $? "every installed header compiles with the installed ones alone"

cc -std=c11 -M $(pkg-config --cflags sotto) "$work/all.c" > "$out" 2> "$err"
check "none of them needs the headers of GMP" sh -c "! grep -q 'gmp\.h\|mpfr\.h' '$out'"

# An exact value cannot be read back: a noisy one compiles where it does not.
reads() { # reads EXPRESSION of an exact value x and a noisy value y
	printf '#include <sotto/sotto.h>\nlong long f(struct sotto_exact x, struct sotto_noisy y);\n' > "$work/read.c"
	printf 'long long f(struct sotto_exact x, struct sotto_noisy y) { (void)x; (void)y; return %s; }\n' "$1" >> "$work/read.c"
	cc -std=c11 -Werror -fsyntax-only $(pkg-config --cflags sotto) "$work/read.c" > "$out" 2> "$err"
}
reads y.value
verdict $? "a program reads a noisy value"
for expression in x.secret x.value '(long long)x' x 'x.hidden'; do
	! reads "$expression"
	verdict $? "an exact value is not read by $expression"
done

# C++ finds every function of the library under the name that it has in C.
{
	for header in "$tree"/usr/include/sotto/*.h; do
		echo "#include <sotto/$(basename "$header")>"
	done
	echo 'static void (*const all[])() = {'
	sed 's/.*/	reinterpret_cast<void (*)()>(\&&),/' tools/symbols.txt
	echo '};'
	echo 'int main() { return all[0] && all[sizeof all / sizeof *all - 1] ? 0 : 1; }'
} > "$work/all.cc"
c++ -std=c++17 -Wall -Wextra -Werror $(pkg-config --cflags sotto) "$work/all.cc" $(pkg-config --libs sotto) \
	-o "$work/all" > "$out" 2> "$err"
verdict $? "a C++ program builds against every function"
LD_LIBRARY_PATH=$tree/usr/lib "$work/all" > "$out" 2> "$err"
verdict $? "and runs"

make uninstall DESTDIR="$tree" PREFIX=/usr > "$out" 2> "$err"
verdict $? "make uninstall succeeds"
find "$tree" -type f -o -type l > "$out"
check "and leaves no file behind" test ! -s "$out"
finish
