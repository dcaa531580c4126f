#!/bin/sh
# Where sotto needs a file that it can read twice, a pipe is refused at once: nobody writes into it, and sotto would wait for ever.  What
# is read once from beginning to end may be a pipe.
#
# Seen to fail: sotto serve waited for a pipe that is called its key; init waited for a pipe that is called a DuckDB, Parquet or JSON file, every command for one that is called a
# policy (sotto serve could then not be stopped but by kill -9), and a question for one that is called a witness.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
sealing=no owning=no
soon() { # soon COMMAND...: run, but not for ever
	timeout -k 5 20 "$SOTTO" "$@" <"$in" >"$out" 2>"$err"
	status=$?
}
mkdir folder
printf 'id,x\n1,2\n2,3\n' >people.csv
printf 'id,x\n1,2\n' >cities.csv
run init --unit id --header people.csv
for end in csv csv.gz json ndjson parquet duckdb; do
	mkfifo pipe.$end
	for pipe in pipe.$end folder/pipe.$end; do
		[ -e $pipe ] || ln -s ../pipe.$end $pipe
		soon init --unit id --columns id,x $pipe -p new.yaml
		check "init: $pipe is refused" test $status = 1
		soon init --unit id $pipe -p new.yaml
		check "init: $pipe is refused without names" test $status = 1
		soon init --unit id people.csv --public $pipe -p new.yaml
		check "init: $pipe is refused as a public file" test $status = 1
		printf '%s\n' 'ledger: new.db' 'budget: { epsilon: 1 }' 'tables:' "  t: { source: $pipe, unit: id, columns: { x: {} } }" >pipe.yaml
		soon seal -p pipe.yaml
		check "seal: $pipe is refused" test $status = 1
		printf '%s\n' 'ledger: new.db' 'budget: { epsilon: 1 }' 'tables:' "  t: { source: $pipe, public: true }" >pipe.yaml
		soon seal -p pipe.yaml
		check "seal: $pipe is refused as a public file" test $status = 1
	done
done
check "nothing is left of it" sh -c '! ls new.*'

mkfifo policy ledger witness sql
for policy in policy folder /dev/zero; do
	for command in "query -e 1 SELECT" "explain -e 1 SELECT" tables budget seal "ledger create" "policy accept" "user list" serve shell; do
		soon ${command%% *} $(case $command in *\ *) echo "${command#* }" ;; esac) -p $policy
		check "$command: a policy that is not a file is refused: $policy" grep -q "must be a file, not a folder, pipe or device" "$err"
	done
done
run query -p sotto.yaml -e 0.01 "SELECT COUNT(*) FROM people"
status_is 0 "a policy that is a file is read"
ln -s sotto.yaml link.yaml
run query -p link.yaml -e 0.01 "SELECT COUNT(*) FROM people"
status_is 0 "so is one at the end of a link"

for what in 'ledger: ledger' 'ledger-witness: witness'; do
	sed "/^${what%%:*}:/d" sotto.yaml >other.yaml
	printf '%s\n' "$what" >>other.yaml
	soon query -p other.yaml -e 0.01 "SELECT COUNT(*) FROM people"
	check "no question waits for a pipe as ${what%%:*}" test $status = 1
done

mkfifo key.pem
echo >cert.pem
for pair in "cert.pem key.pem" "key.pem cert.pem"; do
	soon serve -p sotto.yaml --http 127.0.0.1:0 --pg 127.0.0.1:0 --tls-cert ${pair% *} --tls-key ${pair#* }
	check "nor does a server wait for its key: $pair" grep -q "key.pem could not be read; it must be a file" "$err"
done

# What is documented to be read once may come through a pipe.
(sleep 0.2; echo "SELECT COUNT(*) FROM people") >sql &
soon query -p sotto.yaml -e 0.01 --file sql
check "a question may come through a pipe" test $status = 0
(sleep 0.2; printf 'n\n1\n2\n') >pipe.csv &
soon noise laplace -e 1 -s 1 --csv pipe.csv --column n
check "so may numbers" test $status = 0
wait
finish
