#!/bin/sh
# What a person sees on a terminal: what is waited for, that work goes on, and nothing left over.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
hospital=$(cd "$here/../../examples/hospital/small" && pwd)
cp "$hospital"/*.csv "$hospital/sotto.yaml" "$work" && cd "$work" || exit 1
printf 'time: { pad: 2s }\n' >> sotto.yaml # answers of private rows take at least two seconds
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
talk() { # talk NAME ARGUMENT...: the script is in the file of that name
	name=$1
	shift
	check "$name" python3 "$here/talk.py" script "$SOTTO" "$@"
}

cat > script <<'END'
expect waiting for SQL: type it, then press Ctrl-D; or give it in quotes after the command
send SELECT COUNT(*) FROM cities\n
send \x04
expect count.*20.*exact and free
end
END
talk "query without SQL says what it waits for, and reads it" query
talk "so it does with --file -" query --file -
sed 's/expect count.*/expect exact and free/' script > explain && mv explain script
talk "and so does explain" explain
run query -e 0.1 SELECT COUNT\(x\) FROM patients
status_is 2 "SQL without quotes is not SQL"
stderr_is 'sotto query: the SQL came in 4 words; put the SQL in quotes, like "SELECT COUNT(*) FROM t"' "which is recognised"
run explain -e 0.1 SELECT 1
stderr_like 'put the SQL in quotes' "by explain too"
input 'SELECT COUNT(*) FROM cities'
run query
check "nothing is said where nobody types" test ! -s "$err"

# A second without an answer is a long time.
cat > script <<'END'
expect asking  [1-9] s
expect \r\x1b\[K
expect count.*cost epsilon 0.1
end
END
talk "a question that takes longer shows the seconds, and removes them" query -e 0.1 "SELECT COUNT(*) FROM patients"
sed 's/asking/looking for bounds/; s/expect count.*/expect income: .*cost epsilon 0.3/' script > bounds && mv bounds script
talk "bounds as well" bounds income -e 0.3
"$SOTTO" local plan -n 1000000 -d 4 -e 3 --protocol grr --emit text > grr
# Far more than can be done in a second on any machine: it is interrupted once the bar is there.
cat > script <<'END'
expect simulating
send \x03
end
END
talk "and simulations" local simulate --params grr --values 4 --clients 100000 --runs 100000
"$SOTTO" query -e 0.1 "SELECT COUNT(*) FROM visits" > "$out" 2> "$err"
check "nothing is drawn into a file" test ! -s "$err"
finish
