#!/bin/sh
# tools/layers: one breach of each rule is planted in a copy of the sources, and found.
. "$(dirname "$0")/lib.sh"
[ "${SOTTO_VARIANT:-}" = asan ] && { echo "1..0 # SKIP nothing here is compiled"; exit 0; }
cd "$(dirname "$0")/../.." || exit 1
tree=$work/tree
mkdir "$tree"
here=$PWD
{ tools/files src cmd include python/src examples fuzz bench tests tools && tools/files | grep '[.]md$'; } | sort -u | tar -cf - -T - | tar -xf - -C "$tree" || exit 1
cd "$tree" || exit 1
git init -q . && git add -A || exit 1

layers() { # layers CHECK...: sets $status
	status=0
	tools/layers "$@" > "$out" 2> "$err" || status=$?
}
# finds NAME CHECK PATTERN: the check fails and says so; what was planted is taken away again
finds() {
	layers "$2"
	grep -Eq "$3" "$out" && test "$status" = 1
	verdict $? "$1"
	git clean -qfd && git checkout -q .
}
# header FILE LINE...: a header with an opening comment and these lines
header() {
	mkdir -p "$(dirname "$1")"
	file=$1
	shift
	{
		printf '/* planted.h - a file that a test has planted */\n#pragma once\n'
		printf '%s\n' "$@"
	} > "$file"
}

layers
status_is 0 "the tree as it is keeps every rule"

header src/core/base/planted.h '#include "core/number/grid.h"'
finds "a layer that includes a later one" arrows 'core/base may not include core/number/grid.h'
header src/stray/planted.h '#include "core/base/buffer.h"'
finds "a folder that no layer has" arrows 'its folder is not in the list'
header cmd/show/planted.h '#include "core/base/buffer.h"'
finds "the program that looks inside the library" arrows 'may use public headers only'
header include/sotto/planted.h '#include "core/base/buffer.h"'
finds "a public header that includes an internal one" arrows 'may include public headers only'
header include/sotto/planted.h '#include <gmp.h>'
finds "a public header that needs the header of GMP" arrows 'gmp.h'

header src/core/base/planted_a.h '#include "core/base/planted_b.h"'
header src/core/base/planted_b.h '#include "core/base/planted_a.h"'
finds "two headers that include each other" headers 'in a circle: planted_a planted_b'
header src/core/base/planted_a.h
header src/core/base/planted_b.h '#include "core/base/planted_a.h"'
printf '/* a */\n#include "core/base/planted_b.h"\n' > src/core/base/planted_a.c
finds "two files in a circle through a source file" circles 'in a circle: planted_a planted_b'
header src/core/base/planted_a.h
header src/core/base/planted_b.h
header src/core/base/planted_c.h
printf '/* a */\n#include "core/base/planted_b.h"\n' > src/core/base/planted_a.c
printf '/* b */\n#include "core/base/planted_c.h"\n' > src/core/base/planted_b.c
printf '/* c */\n#include "core/base/planted_a.h"\n' > src/core/base/planted_c.c
finds "three files in a circle" circles 'in a circle: planted_a planted_b planted_c'

header src/server/buffer.h
finds "a file name that is used twice" names 'src/server/buffer.h: the name stands again in src/core/base/buffer.h'
header src/server/planted.h 'struct sotto_buffer {' '	int n;' '};'
finds "the tag of a struct that is defined twice" tags 'the tag sotto_buffer is defined again'
header src/server/planted.h 'enum sotto_status {' '	PLANTED' '};'
finds "the tag of an enum that is defined twice" tags 'the tag sotto_status is defined again'

header src/core/base/planted.h 'int sotto_planted_one(int x);' 'int sotto_planted_two(const char *text,' '		      int n);'
printf '/* a */\nint sotto_planted_one(int x)\n{\n\treturn x;\n}\n' > src/core/base/stranger.c
finds "a function that is declared in another file's header" homes 'sotto_planted_one is declared in src/core/base/planted.h'
header src/core/base/planted.h 'int sotto_planted_two(const char *text,' '		      int n);'
printf '/* a */\nint\nsotto_planted_two(const char *text,\n\t\t  int n)\n{\n\treturn text ? n : 0;\n}\n' > src/core/base/stranger.c
finds "also one whose signature takes several lines" homes 'sotto_planted_two is declared in src/core/base/planted.h'
header src/core/base/planted.h 'int sotto_planted_one(int x);'
printf '/* a */\nint sotto_planted_one(int x)\n{\n\treturn x;\n}\n' > src/core/base/planted_more.c
layers homes
status_is 0 "a function may be declared in the header of its family"
git clean -qfd

header src/core/base/planted.h 'void sotto_planted_init(int *x);' 'void sotto_planted_free(int *x);'
finds "_init that ends with _free" ends 'sotto_planted_init ends with sotto_planted_free; it is release'
printf '/* a */\nconst char *const planted = "SELECT x FROM t";\n' > src/central/relation/planted.c
finds "engine SQL outside of emit/" sql 'engine SQL is written in emit/ only'
printf '/* a */\nconst char *const planted = "SELECT x FROM t";\n' > src/central/session/planted.c
finds "engine SQL in the session" sql 'src/central/session/planted.c: engine SQL is written in emit/ only'
for folder in src/core/base cmd/show bench tests/testlib fuzz; do
	printf 'int planted;\n' > $folder/planted.c
	finds "a file of $folder without an opening comment" openings "^$folder/planted.c: it does not open with a comment"
done
printf '#pragma once\n' > src/core/base/planted.h
finds "a header without one" openings '^src/core/base/planted.h: it does not open with a comment'
header src/core/base/planted.h
printf '#include "core/base/planted.h"\n' > src/core/base/planted.c
finds "a file that leaves it to its header" openings '^src/core/base/planted.c: it does not open with a comment'
printf '/* */\nint planted;\n' > src/core/base/planted.c
finds "an opening without words" openings '^src/core/base/planted.c: it does not open with a comment'
header src/core/base/planted.h
printf '/* A file that a test has planted. */\n' > src/core/base/planted.c
finds "a file that opens with the words of its header" openings '^src/core/base/planted.c: it opens with the words of'
printf '/* a, argued in planted.md */\n' > src/core/base/planted.c
finds "a comment that names a text that is not there" links 'it names planted.md'
printf '`core/base/planted.c` has it.\n' > src/core/base/planted.md
finds "a text that names a source file that is not there" links 'it names core/base/planted.c'
header include/sotto/planted.h 'SOTTO_API int sotto_planted(void);'
finds "an exported function that nobody calls" callers 'sotto_planted is exported, but neither'

header src/core/base/planted.h 'int sotto_planted(void);'
printf '/* a */\n#include "core/base/planted.h"\nint sotto_planted(void)\n{\n\treturn 1;\n}\n' > src/core/base/planted.c
finds "a function of the library that only tests call" used 'nothing in src/ or cmd/ calls sotto_planted$'

for what in $(sed -n 's/^CHECKS//p;/^          "/p' tools/layers | grep -o '"[a-z]*":' | tr -d '":'); do
	grep -q "^finds .* $what '" "$here/tests/cli/layers.t"
	verdict $? "the rule \"$what\" has a breach above"
done
check "all rules were seen" test "$tests" -ge 38
finish
