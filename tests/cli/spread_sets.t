#!/bin/sh
# What workers send.  COUNT(DISTINCT x): the different values that they send are those that the policy declares,
# and no others, however many and however long those in the rows are; where the declared ones of all groups
# could be too many for a worker's memory, the question is refused before it is charged.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
sealing=no owning=no
# Long texts that no policy declares: 200 MB of them. All whole numbers of 8 MiB of sets, twice.
if ! engine \
	"COPY (SELECT i AS uid, CASE WHEN i < 3 THEN chr((97 + i)::INTEGER) ELSE lpad(i::VARCHAR, 2000, 'x') END AS t, i AS n, DATE '2000-01-01' + (i % 9000)::INTEGER AS d
	       FROM range(100000) AS r(i)) TO 'long.parquet' (COMPRESSION zstd, ROW_GROUP_SIZE 2048)" \
	"COPY (SELECT i % 524288 AS n, i % 524288 // 2 AS h, i % 2 AS g FROM range(600000) AS r(i)) TO 'full.parquet'" \
	"COPY (SELECT i AS uid, 9223372036854775806 + (i % 2) AS w FROM range(100) AS r(i)) TO 'wide.parquet'" \
	"COPY (SELECT 'k' || lpad(i::VARCHAR, 99, '0') AS t FROM range(71089) AS r(i)) TO 'keys.parquet'"; then
	echo "1..0 # SKIP there is no library of DuckDB"
	exit 0
fi
cat > sotto.yaml <<Y
ledger: ledger.db
log: owner.log
budget: { epsilon: 1e12, delta: 0.1 }
default: { epsilon: 900 }
memory: 256MiB
diagnostics: 0
tables:
  long:
    source: long.parquet
    unit: uid
    columns:
      t: { keys: [a, b, z] }
      n: { type: integer, bounds: [100, 199] }
      d: { type: date, bounds: [2000-01-11, 2000-01-20] }
  fits:
    source: full.parquet
    unit: row
    columns:
      n: { type: integer, bounds: [0, 524287] }
      h: { type: integer, bounds: [0, 262143] }
      g: { type: integer, keys: [0, 1] }
  above:
    source: full.parquet
    unit: row
    columns:
      n: { type: integer, bounds: [0, 524288] }
      h: { type: integer, bounds: [0, 262144] }
      g: { type: integer, keys: [0, 1] }
  wide: { source: wide.parquet, unit: uid, columns: { w: { type: integer, keys: [9223372036854775806, 9223372036854775807] } } }
  texts: { source: long.parquet, unit: uid }
  open: { source: full.parquet, unit: row, columns: { h: { type: integer, bounds: [0, 99] }, g: { type: integer } } }
Y
"$SOTTO" seal > sealed 2>&1 && "$SOTTO" ledger create > /dev/null 2>&1 || { sed 's/^/# /' sealed; exit 1; }
numbers() { python3 -c "import json; print(json.load(open('$out'))['rows'])" 2> /dev/null; }
same() { # NAME NUMBERS SQL: one engine and two workers, with the noise of epsilon 900
	run query --fresh --format json "$3"
	check "$1" test "$(numbers | sed 's/, 0\]/]/g')" = "$2"
	one=$(numbers)
	run query --fresh --spread 2 --format json "$3"
	check "the same of workers" test -n "$one" -a "$one" = "$(numbers)"
}

# ---- nothing but what is declared ---------------------------------------------------------------

same "of values of a text the keys are counted" "$(python3 -c 'print([[2]])')" "SELECT COUNT(DISTINCT t) AS k FROM long"
run explain "SELECT COUNT(DISTINCT t) AS k FROM long"
stdout_like 'values of t that are not among its keys are not counted$' "which is said"
same "whole numbers outside their bounds count as the nearest" "$(python3 -c 'print([[100]])')" "SELECT COUNT(DISTINCT n) AS k FROM long"
run explain "SELECT COUNT(DISTINCT n) AS k FROM long"
stdout_like 'values of n outside 100 to 199 count as the nearest bound$' "which is said"
same "so do dates" "$(python3 -c 'print([[10]])')" "SELECT COUNT(DISTINCT d) AS k FROM long"
same "keys that are larger than the numbers of a partial are two" "$(python3 -c 'print([[2]])')" "SELECT COUNT(DISTINCT w) AS k FROM wide"
check "no worker was lost" test ! -s owner.log

# ---- how many that can be -------------------------------------------------------------------------

refusal="sotto query: COUNT(DISTINCT ...) could have a worker send more than 8 MiB of different values, by the keys and bounds of the policy: ask for fewer groups or columns at once, let memory: in the policy be larger, or ask without --spread"
same "as many as fit into the memory of a worker" "$(python3 -c 'print([[524288]])')" "SELECT COUNT(DISTINCT n) AS k FROM fits"
same "in two groups half of them each" "$(python3 -c 'print([[0, 262144], [1, 262144]])')" "SELECT g, COUNT(DISTINCT h) AS k FROM fits GROUP BY g ORDER BY g"
for sql in "SELECT COUNT(DISTINCT h) AS k, COUNT(DISTINCT h) FILTER (WHERE n >= 0) AS m FROM fits" "SELECT g, COUNT(DISTINCT h) AS k FROM fits GROUP BY CUBE (g)"; do
	run explain --spread 2 "$sql"
	status_is 0 "accepted: $sql"
done
before=$(releases)
refuses 1 "$refusal" query --spread 2 "SELECT COUNT(DISTINCT n) AS k FROM above"
refuses 1 "$refusal" query --spread 2 "SELECT g, COUNT(DISTINCT h) AS k FROM above GROUP BY g"
refuses 1 "$refusal" query --spread 2 "SELECT COUNT(DISTINCT h) AS k, COUNT(DISTINCT h) FILTER (WHERE n >= 0) AS m FROM above"
refuses 1 "$refusal" query --spread 2 "SELECT g, COUNT(DISTINCT h) AS k FROM above GROUP BY CUBE (g)"
refuses 1 "sotto explain${refusal#sotto query}" explain --spread 2 "SELECT COUNT(DISTINCT n) AS k FROM above"
refuses 1 "sotto query: COUNT(DISTINCT ...) can be spread over workers only where the policy says which groups there are: group by columns with keys, or with bounds of few whole numbers or days; or ask without --spread" \
	query --spread 2 "SELECT g, COUNT(DISTINCT h) AS k FROM open GROUP BY g"
check "and none of that was charged" test "$(releases)" = "$before"

# Keys of 100 characters: 118 bytes for each of 71,089 are as many as fit, with 106 to spare.
keys() { # MORE: a policy whose text has those keys, the last one with so many characters more
	sed "s/ledger.db/keys$1.db/; /^tables:/,\$d" sotto.yaml
	echo "tables:"
	echo "  long: { source: keys.parquet, unit: row, columns: { t: { keys: ["
	python3 -c "print(',\n'.join('k%099d' % i for i in range(71088)) + ',\nk%099d' % 71088 + '0' * $1)"
	echo "] } } }"
}
for p in 0 106 107; do
	keys $p > keys$p.yaml
	"$SOTTO" seal -p keys$p.yaml > /dev/null 2>&1 && "$SOTTO" ledger create -p keys$p.yaml > /dev/null 2>&1
done
run query -p keys0.yaml --spread 2 --format csv "SELECT COUNT(DISTINCT t) AS k FROM long"
stdout_like '^71089,' "all keys that fit"
run explain -p keys106.yaml --spread 2 "SELECT COUNT(DISTINCT t) AS k FROM long"
status_is 0 "up to the last byte"
refuses 1 "$refusal" query -p keys107.yaml --spread 2 "SELECT COUNT(DISTINCT t) AS k FROM long"
check "no worker was lost in all of that" test ! -s owner.log

# ---- what no policy bounds: the memory of a worker does, and nothing else ---------------------------

texts="SELECT t, COUNT(*) AS n FROM texts GROUP BY t"
before=$(releases)
run query --fresh --delta 1e-6 --spread 1 "$texts"
stderr_is "sotto query: the query was charged but could not be answered; nothing about the data follows from this" "200 MB of private keys, where a worker has 256 MiB in all: no answer"
check "for one charge" test "$(releases)" = $((before + 1))
check "the owner is told why, in one line" test "$(grep -c . owner.log)" = 2
check "  which names the worker's engine" grep -q 'spread failed: .*the engine of a worker failed: ' owner.log
if [ -n "${SOTTO_LONG:-}" ]; then
	engine "COPY (SELECT i AS uid, lpad(i::VARCHAR, 2000, 'x') AS t FROM range(560000) AS r(i)) TO 'long.parquet' (COMPRESSION zstd, ROW_GROUP_SIZE 2048)"
	sed "s/ledger.db/large.db/; /^memory/d; /^tables:/,\$d" sotto.yaml > large.yaml
	printf 'tables: { texts: { source: long.parquet, unit: uid } }\n' >> large.yaml
	"$SOTTO" seal -p large.yaml > /dev/null 2>&1 && "$SOTTO" ledger create -p large.yaml > /dev/null 2>&1
	run query -p large.yaml --delta 1e-6 --spread 1 "$texts"
	status_is 0 "a partial of more than 1 GiB"
	run query -p large.yaml --fresh --delta 1e-6 "$texts"
	status_is 0 "and an engine's reply"
fi
finish
