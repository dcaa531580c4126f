#!/bin/sh
# sotto query --spread and spread: in the policy: the same answer from many workers, one charge,
# and what happens when workers are lost, files change and versions differ.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

python3 - <<'PY'
with open("visits.csv", "w") as f:
    f.write("uid,city,age,cost\n")
    for i in range(6000):
        f.write("%d,%s,%d,%d.25\n" % (i * 7919 % 900, ["Bonn", "Ulm", "Linz", ""][i % 13 % 4], i * 31 % 111, i % 100))
    f.write(",Bonn,5,5\n")
PY
cat > sotto.yaml <<'Y'
ledger: ledger.db
log: owner.log
budget: { epsilon: 1e9, delta: 0.1 }
default: { epsilon: 900 }
diagnostics: 0
tables:
  visits:
    source: visits.csv
    unit: uid
    max_rows: 3
    max_groups: 2
    columns:
      city: { keys: [Bonn, Ulm, Linz] }
      age: { type: integer, bounds: [0, 110] }
      cost: { type: number, bounds: [0, 100], step: 0.01 }
  rows:
    source: visits.csv
    unit: row
    columns: { age: { type: integer, bounds: [0, 110] }, cost: { type: number, bounds: [0, 100] } }
Y
with() { cp sotto.yaml "$1.yaml" && printf '%s\n' "$2" >> "$1.yaml" && "$SOTTO" policy accept --policy "$1.yaml" > /dev/null 2>&1; }
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
sql="SELECT city, COUNT(*) AS n, COUNT(*) FILTER (WHERE age > 50) AS s, COUNT(DISTINCT age) AS d FROM visits GROUP BY city"

# ---- the same answer ------------------------------------------------------------------------

run query --format json "$sql"
cp "$out" one
same="json.load(open('one'))['rows'] == a['rows']"
run query --fresh --spread 3 --format json "$sql"
status_is 0 "a question is spread over three processes"
check "with the same answer, to the last unit where noise is nothing" json "$same"
run query --spread 2 --format json "$sql"
check "an answer is the same question, however it was computed" json "a['repeated']"
run query --fresh --spread 4 --format json "SELECT COUNT(*) AS n, COUNT(DISTINCT age) AS d FROM rows"
check "rows that are units are divided, too" json "a['rows'][0][0] == 6001 and a['rows'][0][1] == 111"
for limit in -Sn -n; do
	# shellcheck disable=SC3045 # every shell that is used has it
	(ulimit $limit 50 && exec "$SOTTO" query --fresh --spread 20 --format json "$sql") > "$out" 2> "$err"
	check "twenty workers where fifty files may be open (ulimit $limit)" json "$same"
done
run explain --spread 3 "$sql"
stdout_like 'workers *3 buckets of units, read by 3 processes of this machine (local)' "explain says how it will run"
stdout_like '3600 s\|1 h\|60 min' "with an hour of time"

# ---- what cannot be spread ------------------------------------------------------------------

before=$(releases sotto.yaml)
refuses 1 "sotto query: an aggregate over DISTINCT values, other than COUNT, cannot be spread over workers: ask without --spread" \
	query --spread 2 "SELECT SUM(DISTINCT age) FROM visits"
refuses 1 "sotto query: COUNT(DISTINCT ...) can be spread over workers only where the policy says which values there are: declare keys, or bounds of a whole number or a date, with at most 10,000,000 values; or ask without --spread" \
	query --spread 2 "SELECT COUNT(DISTINCT cost) FROM rows"
refuses 1 "sotto query: --spread must be at most 1000" query --spread 1001 "$sql"
refuses 1 "sotto query: --spread must be at least 1, not 0" query --spread 0 "$sql"
refuses 1 "sotto query: --spread must be at least 1, not -1" query --spread=-1 "$sql"
{ cat sotto.yaml && echo 'spread: { launcher: ray, buckets: 2 }'; } > wrong.yaml
refuses 1 "sotto query: wrong.yaml:$(wc -l < wrong.yaml): there is no such launcher; write local, ssh or spark" query --policy wrong.yaml "$sql"
for line in 'spread: { launcher: ssh, buckets: 2 }' 'spread: { launcher: spark, buckets: 2 }' 'spread: { launcher: local }'; do
	cp sotto.yaml wrong.yaml && echo "$line" >> wrong.yaml
	run query --policy wrong.yaml "$sql"
	status_is 1 "$line is refused"
	stderr_like 'wrong.yaml:2[0-9]: .*launcher\|wrong.yaml:2[0-9]: .*buckets' "with its line"
done
"$SOTTO" policy accept > /dev/null 2>&1
check "and none of that was charged" test "$(releases sotto.yaml)" = "$before"

# A Python without its own packages, as where nobody has installed pyspark; then with one, and no java.
mkdir bin packages packages/pyspark && : > packages/pyspark/__init__.py
printf '#!/bin/sh\nexec python3 -S "$@"\n' > bin/bare-python && chmod +x bin/bare-python
with spark "spread: { launcher: spark, master: 'spark://127.0.0.1:1', buckets: 2 }"
PYSPARK_DRIVER_PYTHON=$work/bin/bare-python
JAVA_HOME=$work/nowhere
export PYSPARK_DRIVER_PYTHON JAVA_HOME
before=$(releases spark.yaml)
(unset SPARK_HOME PYTHONPATH && "$SOTTO" query --policy spark.yaml --fresh "$sql") > "$out" 2> "$err"
stderr_like '^sotto query: launcher: spark cannot be used here: pyspark is not installed and SPARK_HOME is not set$' "Spark without pyspark is refused"
(SPARK_HOME=$work && export SPARK_HOME && unset PYTHONPATH && "$SOTTO" query --policy spark.yaml --fresh "$sql") > "$out" 2> "$err"
stderr_like '^sotto query: launcher: spark cannot be used here: pyspark is not installed, nor is it in the folder python of SPARK_HOME$' "so is a wrong SPARK_HOME"
(PYTHONPATH=$work/packages && export PYTHONPATH && "$SOTTO" query --policy spark.yaml --fresh "$sql") > "$out" 2> "$err"
stderr_like '^sotto query: launcher: spark cannot be used here: java is not in the folder bin of JAVA_HOME$' "and Spark without java"
check "before anything was charged" test "$(releases spark.yaml)" = "$before"
unset PYSPARK_DRIVER_PYTHON JAVA_HOME

# ---- by the policy, by ssh ------------------------------------------------------------------

with local 'spread: { launcher: local, buckets: 5 }'
run query --policy local.yaml --fresh --format json "$sql"
check "the policy's own workers give the same answer" json "$same"

cat > bin/ssh <<'S'
#!/bin/sh
# Runs the command here; the host `lost` is not there, and `away` goes in the middle.
while [ "$1" != -- ]; do shift; done
echo "$2" >> hosts
case $2 in
lost) exit 255 ;;
away) head -c 20 > /dev/null; exit 255 ;;
esac
shift 2 && exec "$@"
S
chmod +x bin/ssh
with ssh "spread: { launcher: ssh, hosts: [one, two], buckets: 4, program: $SOTTO }"
PATH=$work/bin:$PATH
run query --policy ssh.yaml --fresh --format json "$sql"
check "hosts that ssh reaches give the same answer" json "$same"
check "each of them had its buckets" sh -c "grep -c one hosts | grep -q 2 && grep -c two hosts | grep -q 2"
with lost "spread: { launcher: ssh, hosts: [one, lost, away], buckets: 4, program: $SOTTO }"
before=$(releases lost.yaml)
run query --policy lost.yaml --fresh --format json "$sql"
check "buckets of hosts that are lost go to others" json "$same"
check "with one charge" test "$(releases lost.yaml)" = $((before + 1))
check "and the owner is told" grep -q 'spread: [0-9]* workers started, [0-9]* lost' owner.log
with none "spread: { launcher: ssh, hosts: [lost], buckets: 2, program: $SOTTO }"
before=$(releases none.yaml)
run query --policy none.yaml --fresh "$sql"
status_is 1 "without any host there is no answer"
stderr_like '^sotto query: the query was charged but could not be answered; nothing about the data follows from this$' "in the one sentence"
check "charged once" test "$(releases none.yaml)" = $((before + 1))
check "and the owner is told why" grep -q 'spread failed: .*lost again and again' owner.log

# ---- workers that fail, files that change ----------------------------------------------------

# The engine of the coordinator has a socket as descriptor 3; the workers of buckets have not.
cat > bin/worker <<W
#!/bin/sh
if [ -S /proc/self/fd/3 ]; then exec "$SOTTO" "\$@"; fi
. $work/fault
exec "$SOTTO" "\$@"
W
chmod +x bin/worker
export SOTTO_WORKER="$work/bin/worker"
fault() { echo "$1" > fault; }
asks() { before=$(releases sotto.yaml); run query --fresh --spread 3 --format json "$sql"; }
charged() { check "$1" test "$(releases sotto.yaml)" = $((before + 1)); }

"$SOTTO" policy accept > /dev/null 2>&1
fault "if mkdir $work/first 2> /dev/null; then kill -9 \$\$; fi"
asks
check "a worker that is killed is started again: the same answer" json "$same"
charged "for one charge"

sealed=$(dirname "$(ls -d ./*/manifest.json ./.*/manifest.json 2> /dev/null | head -1)")
cp -r "$sealed" kept
fault "for f in $work/$sealed/*.parquet; do printf x >> \$f; done"
asks
status_is 1 "a file that changes after the charge: no answer"
charged "one charge"
check "the owner is told" grep -q "spread failed: .*found another file than the one that was sealed: $work/.*\.parquet" owner.log
rm -r "$sealed" && mv kept "$sealed"

fault "printf 'x' | cat > /dev/null; exit 3"
asks
status_is 1 "workers that always end: no answer"
charged "one charge"
# What is wrong with a host, the owner's log says.
fault "SOTTO_DUCKDB=/nowhere; export SOTTO_DUCKDB"
asks
charged "a host without the engine: one charge"
check "the owner is told" grep -q 'spread failed: .*the engine of a worker failed: libduckdb.so could not be loaded from /nowhere' owner.log
fault "ulimit -n 4"
asks
charged "workers that may open no file: one charge"
check "the owner is told" grep -q 'spread failed: .*the engine of a worker failed: it may open too few files' owner.log
fault "echo Welcome to this host"
asks
charged "a shell that says something first: one charge"
check "the owner is told" grep -q 'spread failed: .*a lost worker said: something else before its greeting; the shell that starts it must print nothing' owner.log
fault ":"
asks
check "and the next question is answered again" json "$same"

# Two coordinators at once: each has its own keys, and each charges once.
before=$(releases sotto.yaml)
"$SOTTO" query --fresh --spread 2 --format json "$sql" > earlier 2>&1 &
other=$!
"$SOTTO" query --fresh --spread 2 --format json "$sql" > later 2>&1
wait $other
for f in earlier later; do
	cp $f "$out"
	check "two questions at once: the $f has the same answer" json "$same"
done
check "for two charges" test "$(releases sotto.yaml)" = $((before + 2))

# ---- nothing is left behind, nothing tells -----------------------------------------------------

cat > bin/spy <<W
#!/bin/sh
if [ -S /proc/self/fd/3 ]; then exec "$SOTTO" "\$@"; fi
{ tr '\\0' '\\n' < /proc/\$\$/environ; echo "\$@"; } >> $work/seen
exec "$SOTTO" "\$@"
W
chmod +x bin/spy
SOTTO_WORKER="$work/bin/spy"
run query --fresh --spread 2 --format json "$sql"
check "a worker was looked at" test -s seen
check "neither its words nor its environment hold a key" sh -c "! grep -q 'ticket\|[0-9a-f]\{64\}' seen"
"$SOTTO" budget --format json > before
SOTTO_WORKER="$(dirname "$SOTTO")/sotto-worker"
run query --fresh --spread 2 "$sql"
status_is 1 "sotto-worker, which runs the engine alone, has no part in this"
stderr_like 'cannot work on buckets; let it name the program sotto' "and what to name instead is said"
run budget --format json
check "before anything is charged" cmp "$out" before
input 'sotto-ticket-1 nonsense\n'
SOTTO_WORKER=
refuses 1 "sotto worker: a worker is started by sotto itself, when a query needs the engine" worker
finish
