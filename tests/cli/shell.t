#!/bin/sh
# sotto shell: questions from a pipe and from a person, prices, and Ctrl-C at any moment.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
hospital=$(cd "$here/../../examples/hospital/small" && pwd)
cp "$hospital"/*.csv "$hospital/sotto.yaml" "$work" && cd "$work" || exit 1
export SOTTO_HISTORY=$work/history LC_ALL=C
spent() { "$SOTTO" budget --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["spent"]["epsilon"])'; }

# From a pipe.
input 'SELECT COUNT(*) -- no; end\nFROM patients\nWHERE sex = %s;\nSELECT 1 AS a, 2 AS b;' "';F'"
run shell --epsilon 0.1 --format csv
status_is 0 "questions come from a pipe"
check "a semicolon in a quote or a comment ends nothing" test "$(grep -c '^[0-9-]' "$out")" = 2
check "no prompt is printed there" sh -c "! grep -q 'sotto>' '$out'"
input '/* ; */ SELECT /* /* ; */ */ $x$;$x$ AS a; ;; SELECT 2 AS b'
run shell --format csv
check "nested comments and dollar quotes; empty questions are none; the last may lack its end" test "$(grep -c '^;$' "$out")$(grep -c '^2$' "$out")" = 11
input '\\epsilon 0.1\nSELECT COUNT(*) FROM nowhere;\nSELECT COUNT(*) FROM visits;\n'
run shell
status_is 1 "a refusal is told at the end"
stderr_like 'there is no table nowhere' "in its words"
stdout_like '^count' "and what follows is asked all the same"
input '\\epsilon 0\n\\epsilon 0.25\n\\format xml\n\\price maybe\n\\buget\n\\explain\n\\svg\n'
run shell
stdout_like '^epsilon is 0.25$' "settings are said"
stderr_like '.epsilon must be greater than 0, not 0' "an epsilon of 0 is refused as on the command line"
stderr_like 'format is table, csv or json' "a wrong format"
stderr_like 'write .price on or .price off' "a wrong switch"
stderr_like 'there is no command \\buget; did you mean \\budget?' "a word that is nearly right"
stderr_like 'nothing was asked yet; write \\explain and the SQL' "nothing to explain"
stderr_like 'svg needs a file' "a picture needs a file"
input '\\epsilon 0.2\n\\epsilon 0.3\n\\epsilon 0\n\\epsilon\n\\epsilon default\n\\delta 1e-6\n\\delta 1e-7\n'
run shell --epsilon 0.1
stdout_like '^epsilon is 0.3$' "a setting takes the place of the one before it"
check "one that is refused does not" test "$(grep -c '^epsilon is 0.3$' "$out")" = 2
stdout_like '^epsilon is the policy' "the default takes its place too"
stdout_like '^delta is 0.0000001$' "likewise delta"
input '\\price on\n\\epsilon 0.1\n\\chart on\n\\svg cities.svg\nSELECT sex, COUNT(*) AS n FROM patients GROUP BY sex;\n\\explain\n\\preview\n\\tables cities\n\\budget\n'
run shell
status_is 0 "prices, charts, explanations, previews, tables and budget"
stdout_like '^price: epsilon 0.1, afterwards left epsilon 3.7; n +- 30$' "the price comes first"
stdout_like '^n by sex$' "a chart"
stdout_like '^F  *[#|-].* [0-9][0-9]*$' "of bars"
check "and a picture" grep -q '</svg>' cities.svg
stdout_like '^Who is protected' "the last question is explained"
stdout_like '^MADE-UP ROWS' "and previewed"
stdout_like '^cities: public' "tables"
stdout_like '^all ' "the budget"
input '\\q\nSELECT COUNT(*) FROM patients;\n'
run shell --epsilon 0.1
check "nothing is asked after the end" test ! -s "$out"
python3 -c 'print("SELECT " + "1 +" * 400000 + "1;\nSELECT 7 AS seven;")' > "$in"
run shell --format csv
stderr_like 'the SQL is too long' "a question has an end"

# From a person.
before=$(spent)
cat > script <<'END'
expect End a question with a semicolon.*sotto> 
send SEL\t
expect SEL.*ECT
send COU\t*) from pat\t
expect COU.*NT\(\*\) from pat.*ient
send \x03
expect \^C\s*sotto> 
send SELECT COUNT(*)\n
expect \.\.\.> 
send from patients;\n
expect price: epsilon 0.1, .*ask it\? \[y/N\] 
send n\n
expect sotto> 
send \x1b[A
expect SELECT COUNT\(\*\) from patients;
send \n
expect ask it\? \[y/N\] 
send \x03
expect \^C\s*sotto> 
send visits.da\t\t
expect visits.days.*sotto> visits.day
send \x03
expect \^C\s*sotto> 
send \\pri\t off\n
expect price is off.*sotto> 
send \\q\n
end
END
check "completion, several lines, history, and a question that is not agreed to" python3 "$here/talk.py" script "$SOTTO" shell --price --epsilon 0.1
check "which costs nothing" test "$before" = "$(spent)"
check "nobody else reads the history" test "$(stat -c %a history)" = 600
check "it holds whole questions" grep -q 'SELECT' history

# leaving
cat > script <<'END'
expect sotto> 
send SELECT COUNT(*)\n
expect \.\.\.> 
send \\q\n
end
END
check "\\q leaves within a question" python3 "$here/talk.py" script "$SOTTO" shell
for word in exit 'QUIT;' ' quit '; do
	printf 'expect sotto> \nsend %s\\n\nend\n' "$word" > script
	check "so does $word at the prompt" python3 "$here/talk.py" script "$SOTTO" shell
done

# what the program calls --epsilon is \epsilon here
printf 'SELECT COUNT(*) FROM patients;\n\\epsilon 0.0000001\nSELECT COUNT(*) FROM patients;\n' > questions
"$SOTTO" shell < questions > "$out" 2> "$err"
stderr_like 'give a larger \\epsilon' "refusals name the commands of the shell"
check "and no option of the program" test "$(grep -c -e '--epsilon' "$err")" = 0
small='SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward;'
printf '%s\n' '\diagnostics' "$small" '\diagnostics 2 %' '\diagnostics 2,5' '\diagnostics 0' "$small" '\diagnostics default' > questions
"$SOTTO" shell --epsilon 0.001 < questions > "$out" 2> "$err"
stdout_like 'a larger \\epsilon shows it, \\diagnostics 0 spends nothing on it$' "so do answers"
check "as they are followed" test "$(grep -c 'spends nothing on it' "$out")" = 1
stdout_like '^diagnostics is 0.02 of epsilon$' "a share of epsilon for estimates is set"
stderr_like '.diagnostics must be a share like 5% or 0.05' "or refused"
check "and taken back" test "$(tail -n 1 "$out")" = "diagnostics is the policy's default"
printf '%s\n' "$small" > questions
"$SOTTO" shell --epsilon 0.001 --diagnostics 0 < questions > "$out" 2> "$err"
check "it is an option too" test "$(grep -c -e 'spends nothing on it' -e '^surgery' "$out")" = 1

# Ctrl-C while a question runs: it was charged, so its answer is given.  The pad keeps it running.
printf 'time: { pad: 2s }\n' >> sotto.yaml
"$SOTTO" policy accept > /dev/null
cat > script <<'END'
expect sotto> 
send SELECT COUNT(*) FROM visits WHERE days > 2;\n
expect asking
send \x03
expect may be charged already
expect count.*cost epsilon 0.1
expect sotto> 
send \\q\n
end
END
check "Ctrl-C does not lose an answer that was paid for" python3 "$here/talk.py" script "$SOTTO" shell --epsilon 0.1
run budget --format json
check "it is in the ledger, answered" python3 -c "import json; h = json.load(open('$out'))['history']; assert all(e['answered'] for e in h if e['kind'] == 'release')"
if [ -e /dev/full ]; then
	# Seen to fail: all three were charged, and nothing said so.
	before=$(spent)
	status=0
	printf 'SELECT COUNT(*) FROM visits WHERE cost > %s;\n' 1 2 3 | "$SOTTO" shell --epsilon 0.01 > /dev/full 2> "$err" || status=$?
	status_is 1 "answers on a full disk are a failure"
	stderr_like 'sotto shell: the results could not be written; they may have been charged: asking the same again, without --fresh, is free then' "which says what they cost"
	check "after the first nothing more is asked" test "$(spent)" = "$(python3 -c "print(round($before + 0.01, 6))")"
fi
finish
