#!/bin/sh
# The program that a worker runs: sotto-worker beside sotto if it is of the same build, else sotto itself.
. "$(dirname "$0")/lib.sh"

from=$(dirname "$SOTTO")
mkdir -p "$work/bin" "$work/lib/sotto"
cp "$SOTTO" "$work/bin/sotto"
cp "$from/sotto-worker" "$work/real-worker"
export SOTTO_DUCKDB="${SOTTO_DUCKDB:-$PWD/.cache/duckdb/libduckdb.so}"
[ -e "$SOTTO_DUCKDB" ] || unset SOTTO_DUCKDB
SOTTO=$work/bin/sotto

cd "$work" || exit 1
i=0
echo id,age > people.csv
while [ $i -lt 100 ]; do
	echo "$i,$((20 + i % 50))" >> people.csv
	i=$((i + 1))
done
cat > sotto.yaml <<'END'
ledger: ledger.db
budget: { epsilon: 1000 }
tables:
  people: { source: people.csv, unit: id, columns: { age: { bounds: [0, 100] } } }
END
run seal
run ledger create
ask() { run query --fresh -e 50 --format csv 'SELECT COUNT(*) AS n FROM people'; }
answered() {
	status_is 0 "$1"
	check "  and the answer is right" grep -qE '^(9[5-9]|10[0-5])' "$out"
}

# A program that says that it was called, and then is another one.
calls() { # calls FILE PROGRAM
	printf '#!/bin/sh\necho called >> "%s/called"\nexec "%s" "$@"\n' "$work" "$2" > "$1"
	chmod 755 "$1"
}

ask
answered "without sotto-worker, sotto itself runs the engine"

calls lib/sotto/sotto-worker "$work/real-worker"
ask
answered "sotto-worker in lib/sotto runs the engine"
check "it was called once for the question" test "$(wc -l < called)" = 1
rm -f called lib/sotto/sotto-worker

calls bin/sotto-worker "$work/real-worker"
ask
answered "so does one beside sotto"
check "it was called" test -s called

# The build that it says it is of: a version and a digest.
other=$(strings -n 12 real-worker 2> /dev/null | grep -oE '[0-9.]+ \([0-9a-f]{12}\)' | head -n 1)
[ -n "$other" ] || other=$(LC_ALL=C grep -aoE '[0-9.]+ \([0-9a-f]{12}\)' real-worker | head -n 1)
digest=${other##*\(}
digest=${digest%)}
check "it says which build it is of" test ${#digest} = 12
LC_ALL=C sed "s/($digest)/(000000000000)/" real-worker > other-worker
chmod 755 other-worker
rm -f called
calls bin/sotto-worker "$work/other-worker"
ask
answered "where it is of another build, sotto itself runs the engine"
check "after it was asked" test -s called

chmod 777 bin/sotto-worker
rm -f called
ask
answered "a file that anybody may write is passed over"
check "it was not called" test ! -e called

rm -f bin/sotto-worker
head -c 5000 real-worker > bin/sotto-worker
chmod 755 bin/sotto-worker
ask
answered "where it is half written, sotto itself runs the engine"
printf '#!/bin/sh\nkill -9 $$\n' > bin/sotto-worker
ask
answered "and where it dies"

rm -f called
calls elsewhere "$work/real-worker"
rm -f bin/sotto-worker
ln -s "$work/elsewhere" bin/sotto-worker
ask
answered "a link leads to it"
check "it was called" test -s called
if [ "$(id -u)" = 0 ]; then
	rm -f called
	chown -h 65534 bin/sotto-worker
	ask
	answered "somebody's link is passed over"
	check "it was not called" test ! -e called
fi
rm -f called bin/sotto-worker
calls bin/sotto-worker "$work/real-worker"
chmod 777 bin
ask
answered "so is a file in a folder where anybody may put others"
check "it was not called" test ! -e called
chmod 755 bin

calls bin/sotto-worker "$work/real-worker"
SOTTO_WORKER=$work/bin/sotto
export SOTTO_WORKER
ask
answered "the program that SOTTO_WORKER names is taken"
check "and no other" test ! -e called
finish
