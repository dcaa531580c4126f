#!/bin/sh
# sotto ledger and budget: what they show, keep, repair and refuse.
. "$(dirname "$0")/lib.sh"
hospital=$(cd "$(dirname "$0")/../../examples/hospital/small" && pwd)
cp "$hospital"/*.csv "$work" && cd "$work" || exit 1
cat > sotto.yaml <<-'END'
	ledger: l.db
	budget: { epsilon: 4, delta: 1e-6, renew: 30 days }
	diagnostics: 0
	tables:
	  patients: { source: patients.csv, unit: patient_id, columns: { smoker: { keys: [true, false] } } }
END

# ---- amounts are decimals, on the safe side -------------------------------------------------------
run query -e 1/3 "SELECT COUNT(*) FROM patients"
stdout_like 'cost epsilon 0.333334; left epsilon 3.66666, ' "a cost is rounded up, what is left down"
run query -e 2/7 --format json "SELECT smoker, COUNT(*) FROM patients GROUP BY CUBE(smoker)"
check "JSON has a number on the safe side and the fraction beside it" json \
	"a['cost']['epsilon'] >= 2/7 and a['cost']['epsilon_exact'] == '2/7' and a['remaining']['epsilon_exact'] == '71/21' and a['remaining']['epsilon'] <= 71/21 and a['cost']['delta'] == 0"
for view in '' --history; do
	for format in table csv; do
		run budget $view --format $format
		check "no fraction in budget $view as $format" sh -c "! grep -v SELECT '$out' | grep /"
	done
done
run explain -e 1/7 "SELECT COUNT(*) FROM patients WHERE smoker"
stdout_like 'cost  *epsilon 0.142858, delta 0' "nor in explain"
stdout_like 'left afterwards  *epsilon 3.2380[0-9], delta 5e-7' "where what is left is rounded down"

# ---- history --------------------------------------------------------------------------------------
run budget --format json
check "a query of several parts is one entry with its parts" json \
	"len(a['history']) == 3 and [p['what'] for p in a['history'][2]['parts']] == ['part 1, grouped by smoker', 'part 2'] and 'parts' not in a['history'][1]"
check "and when the budget is renewed is said" json "a['renew'] == 30 * 86400 and a['renews'].endswith('T00:00:00Z') and a['clock_ahead'] == 0"
python3 -c "import sqlite3; d = sqlite3.connect('l.db'); d.execute('DELETE FROM answer WHERE number = 3'); d.commit()"
run budget --history
stdout_like '0.333334  *0  yes  *SELECT' "what was answered is marked"
stdout_like '0.285715  *0  no  *SELECT' "and what was charged but not answered"
stdout_like '^answered no: charged, but the query failed or was stopped$' "and the mark explained"
run query -e 1/3 "SELECT COUNT(*) FROM patients"
stdout_like 'the same answer as before, free' "a repeat is free"
check "and says nothing of the data" sh -c "! grep -q changed '$out'"
touch -d '2001-02-03' patients.csv
run query -e 1/3 "SELECT COUNT(*) FROM patients"
check "nor of a file that was only touched" sh -c "! grep -q changed '$out'"
tail -n 1 patients.csv | sed 's/^[0-9]*/999999/' >> patients.csv
run seal
run query -e 1/3 "SELECT COUNT(*) FROM patients"
stdout_like '^the data have changed since this answer was given (.*Z); --fresh asks again$' "until they change"
run query -e 1/3 --format json "SELECT COUNT(*) FROM patients"
check "which programs see" json "a['repeated'] and a['data_changed']"
run explain -e 1/3 --format json "SELECT COUNT(*) FROM patients"
check "before they ask" json "a['repeated'] and a['data_changed']"

# ---- verify, backup -------------------------------------------------------------------------------
run ledger verify
stdout_is "3 entries and 1 stored answers: the chain of hashes holds" "a ledger is verified"
run ledger backup copy.db
stdout_is "copied to copy.db, and checked" "and copied"
check "for its owner alone" test "$(stat -c %a copy.db)" = 600
refuses 1 "sotto ledger backup: copy.db already exists; a copy never overwrites a file" ledger backup copy.db
refuses 1 "sotto ledger repair-clock: the last entry is not later than this machine's clock: there is nothing to repair" ledger repair-clock
refuses 2 "sotto ledger: a command is needed; --help lists them" ledger

# ---- a clock that jumped ---------------------------------------------------------------------------
# An entry dated 2099, with the hash that belongs to it.
python3 - <<'END'
import hashlib, sqlite3, struct
part = lambda b: struct.pack('<Q', len(b)) + b
text = lambda t: part(t.encode())
number = lambda n: part(struct.pack('<Q', n))
d = sqlite3.connect('l.db')
n, last = d.execute('SELECT number, hash FROM head').fetchone()
row = (n + 1, 4070908800, 'ada', 'SELECT 1', bytes(32), 1, '4', '0', '4')
key = (number(row[0]), number(row[1]), text(row[2]), text(row[3]), part(row[4]), number(row[5]), text(row[6]), text(row[7]), text(row[8]))
new = hashlib.sha256(text('sotto ledger entry 2') + part(last) + b''.join(key) + number(0) + text('') + number(0)).digest()
d.execute('INSERT INTO entry VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 2, 0, ?, 0)', row + (new, ''))
d.execute('UPDATE head SET number = ?, hash = ?', (n + 1, new))
d.commit()
END
run budget
stdout_like '^renewed at 2099-01-' "a ledger in the future says when it is renewed"
stdout_like 'sotto ledger repair-clock$' "and what the owner can do"
run query -e 1 "SELECT COUNT(*) FROM patients WHERE smoker"
status_is 1 "its budget is that of the future"
stderr_like 'does not cover this release; it is renewed only at 2099-01-[0-9]*T00:00:00Z, because the last entry is dated 2099-01-01T00:00:00Z' "and the refusal says so"
run ledger repair-clock
stdout_like "^the ledger's clock was moved back from 2099-01-01T00:00:00Z to 20" "the owner moves it back"
run budget --format json
check "which is an entry and gives nothing back" json \
	"a['history'][-1]['kind'] == 'clock' and a['history'][-1]['analyst'] == 'owner' and a['remaining']['epsilon'] == 0 and a['clock_ahead'] == 0 and a['renews'] < '2099'"
run query -e 1 "SELECT COUNT(*) FROM patients WHERE smoker"
check "the refusal then names the next period" grep -q 'it is renewed at 20[2-8]' "$err"
run ledger verify
stdout_like '^5 entries and 1 stored answers' "the chain holds"

# ---- a policy behind a link -----------------------------------------------------------------------
mkdir there
sed 's/l.db/m.db/' sotto.yaml > there/real.yaml
ln -s there/real.yaml link.yaml && ln -s link.yaml chain.yaml
run bounds -p chain.yaml -e 1 --write age
status_is 0 "bounds are written through links"
check "which stay links" sh -c "test -L chain.yaml && test -L link.yaml"
check "to the file that now has the bounds" grep -q 'age: *{ *bounds:' there/real.yaml
check "and nothing is left beside them" test "$(ls there | tr '\n' ' ')" = 'real.yaml '

# ---- the rows of the history explain what the whole has spent ---------------------------------------
cat > two.yaml <<-'END'
	ledger: two.db
	budget: { epsilon: 10, delta: 1e-6, analysts: { ann: 0.5, bob: 0.5 } }
	diagnostics: 0
	tables:
	  patients: { source: patients.csv, unit: patient_id, max_groups: auto, max_rows: auto, columns: { smoker: { keys: [true, false] } } }
END
for who in ann bob; do run query -p two.yaml -e 0.5 --analyst $who "SELECT COUNT(*) FROM patients"; done
run query -p two.yaml -e 0.5 --analyst ann "SELECT smoker, COUNT(*) FROM patients GROUP BY smoker"
run query -p two.yaml -e 0.25 --analyst bob "SELECT smoker, COUNT(*) FROM patients GROUP BY smoker"
run budget -p two.yaml --history
stdout_like ' bob  *0.6  *0  shared ' "an answer of somebody else is marked"
stdout_like ' bob  *0.35  *0  partly shared ' "so are limits that somebody else has found"
stdout_like '^answered partly shared: another analyst had paid for finding the limits' "and both are explained"
run budget -p two.yaml --format json --history
check "the whole has spent all that is not shared" json \
	"abs(a['spent']['epsilon'] - sum({'release': e['epsilon'], 'partly shared': e.get('parts', [e])[0]['epsilon']}.get(e['kind'], 0) for e in a['history'])) < 1e-9 and a['spent']['epsilon'] < 1.46"

# ---- files that may not grow ---------------------------------------------------------------------------
# Seen to fail: the program died of the signal, without a word.
sed 's/two.db/narrow.db/; s/, analysts: .*} }/ }/' two.yaml > narrow.yaml
"$SOTTO" ledger create -p narrow.yaml > /dev/null
for blocks in 2 56 64 80 200 1000; do
	sh -c "ulimit -f $blocks; exec \"\$0\" query -p narrow.yaml -e 0.01 --delta 1e-9 --fresh 'SELECT COUNT(*) FROM patients'" "$SOTTO" > "$out" 2>&1
	check "a question is refused with a sentence where files may have $blocks blocks" grep -q '^sotto query: the ledger narrow.db could not be' "$out"
done
run budget -p narrow.yaml --format json
check "and nothing is spent" grep -q '"spent": {"epsilon": 0,' "$out"
finish
