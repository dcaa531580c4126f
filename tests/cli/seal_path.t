#!/bin/sh
# A row that finds its unit by a key of another table (via) belongs to one unit: sealing refuses keys that lead to several.
#
# Such a row counted once for each of them, 1000 times for 1000, and the noise was for one.  It is not the row of any of them alone, so no
# limit of a unit bounds it; and a person who writes somebody else's key into a record of their own would make that person's rows count twice.
#
# Seen to fail: without the check one record of visits was counted 1000 times with noise for 1.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
sealing=no
policy() { # policy NAME TYPE PROMISE
	cat > "$1.yaml" <<END
ledger: $1.db
budget: { epsilon: 100000 }
diagnostics: 0
tables:
  stays: { source: $1_stays.csv, unit: person, columns: { stay: { type: $2$3 }, person: { type: $2 } } }
  visits: { source: $1_visits.csv, unit: { column: person, via: visits.stay -> stays.stay }, columns: { stay: { type: $2 }, visit: {} } }
  items: { source: $1_items.csv, unit: { column: person, via: items.visit -> visits.visit } }
END
}
files() { # files NAME STAYS VISITS
	printf "person,stay\n$2" > "$1_stays.csv"
	printf "stay,visit\n$3" > "$1_visits.csv"
	printf 'visit,what\nv1,a\nv2,b\n' > "$1_items.csv"
}
counts() { # counts NAME TABLE N
	run query -p "$1.yaml" -e 100 --fresh --format csv "SELECT COUNT(*) FROM $2"
	check "$1: $2 has $3" grep -q "^$3," "$out"
}

policy shared integer ""
files shared "$(seq 1000 | sed 's/$/,5\\n/' | tr -d '\n')" '5,v1\n'
run seal -p shared.yaml
status_is 1 "a key with a thousand units is refused"
stdout_like 'stays.csv: rows of table visits find their unit by column stay, but records of several units have the same value there' "by its name"
stderr_like 'the path (via) out of it, or repair the records' "with what to do"
run query -p shared.yaml -e 100 "SELECT COUNT(*) FROM visits"
status_is 1 "and nothing is asked"
check "no copy is left behind" sh -c '! ls sotto-sealed/stays-*'

policy words text ""
files words 'ann,x\nbob,X\nann,x\n,x\nbob,\n' 'x,v1\nX,v2\nx,v1\n,v9\n'
run seal -p words.yaml
status_is 0 "a key may be there twice with one unit, with none, and in other letters"
run ledger create -p words.yaml
counts words visits 2
counts words items 2

# What a key was found to lead to is not what it leads to after the unit is another column.
policy other integer ""
files other '' '5,v1\n'
printf 'person,family,stay\n1,8,5\n1,9,5\n' > other_stays.csv
run seal -p other.yaml
status_is 0 "a key of one person with two families leads to that person"
run ledger create -p other.yaml
counts other visits 1
sed -i 's/unit: person/unit: family/; s/column: person/column: family/' other.yaml
owning=no
run policy accept -p other.yaml
refuses 1 "sotto query: other.yaml:6: rows of table visits find their unit by column stay of table stays, which was not checked when it was sealed; the data owner runs: sotto seal --policy other.yaml" \
	query -p other.yaml -e 100 "SELECT COUNT(*) FROM visits"
run seal -p other.yaml
status_is 1 "and not to one family, which sealing finds"
owning=yes

policy chain integer ", unique: true"
files chain '1,5\n2,6\n' '5,v1\n6,v1\n'
run seal -p chain.yaml
status_is 1 "a key in the middle of a path leads to one unit too"
stdout_like 'visits.csv: rows of table items find their unit by column visit' "it is named"
files chain '1,5\n2,6\n' '5,v1\n6,v2\n'
run seal -p chain.yaml
status_is 0 "and sealed when it does"
run ledger create -p chain.yaml
counts chain items 2

# A path that the policy has only now was never looked at.
sed '/^  visits:/d; /^  items:/d' words.yaml > later.yaml
sed -i 's/words_/later_/; s/words.db/later.db/' later.yaml
files later 'ann,x\nbob,x\n' 'x,v1\n'
run seal -p later.yaml
status_is 0 "a table to which no path leads may have a key twice"
sed 's/words/later/g' words.yaml > paths.yaml
run seal -p paths.yaml visits items
run ledger create -p paths.yaml
run query -p paths.yaml -e 1 "SELECT COUNT(*) FROM visits"
stderr_like 'rows of table visits find their unit by column stay of table stays, which was not checked when it was sealed; the data owner runs: sotto seal' "a path that is new is looked at before it is used"
finish
