#!/bin/sh
# Help, version, usage errors: what every command has.
. "$(dirname "$0")/lib.sh"

run --version
status_is 0 "--version succeeds"
stdout_is "sotto $(cat "$(dirname "$0")/../../VERSION")" "--version prints name and version"

run --help
status_is 0 "--help succeeds"
stdout_like '^usage: sotto COMMAND' "--help shows the usage"
stdout_like '^  noise  *apply one mechanism' "--help lists the commands"

for form in 'help noise laplace' 'noise laplace --help' 'noise laplace -h' 'noise laplace -e 1 --help'; do
	run $form
	status_is 0 "sotto $form succeeds"
	stdout_like '^sotto noise laplace - ' "sotto $form explains the command"
	stdout_like '^  -e, --epsilon E  *privacy parameter' "sotto $form lists the options"
	stdout_like 'table, csv or json (default table)' "sotto $form lists choices and default"
done
run help
stdout_like '^commands:' "sotto help alone is sotto --help"
run help --dump
stdout_like "^option	sotto noise laplace	--epsilon	-e	E	" "the dump is for tools"
sed -n 's/^command	sotto \([^	]*\).*/\1/p' "$out" > "$work/commands"
# What stands between the usage and the lists of options and commands is written to be read.
while read -r command; do
	"$SOTTO" $command --help < /dev/null | awk -v c="$command" '/^(options|commands):/ { exit } /^$/ { parts++ } parts > 1 && length > 80 { print c ": " $0 }'
done < "$work/commands" > "$work/wide"
check "no description of a command is wider than a terminal" sh -c "[ $(wc -l < "$work/commands") -gt 50 ] && ! [ -s "$work/wide" ]"

refuses 2 'sotto: a command is needed; --help lists them'
refuses 2 'sotto: there is no command nois; did you mean noise?' nois
refuses 2 'sotto: there is no command xyzzy; --help lists them' xyzzy --epsilon 1
refuses 2 'sotto: unknown option --versoin; did you mean --version?' --versoin
refuses 2 'sotto noise: a command is needed; --help lists them' noise
refuses 2 'sotto noise: there is no command laplac; did you mean laplace?' noise laplac
refuses 2 'sotto help: there is no command sotto foo; sotto help lists them' help foo bar
refuses 2 'sotto noise laplace: unknown option --epsilom; did you mean --epsilon?' noise laplace --epsilom 1 5
refuses 2 'sotto noise laplace: unknown option -x; --help lists the options' noise laplace -x
refuses 2 'sotto noise laplace: --epsilon needs a value (E)' noise laplace --epsilon
refuses 2 'sotto noise laplace: --format must be table, csv or json, not "xml"' noise laplace --format xml
refuses 2 'sotto noise laplace: --quiet takes no value' noise laplace --quiet=1
refuses 2 'sotto noise laplace: --epsilon was given twice' noise laplace -e 1 --epsilon 2 5

if [ -e /dev/full ]; then
	status=0
	"$SOTTO" --help > /dev/full 2> "$err" || status=$?
	status_is 1 "a full disk is a failure"
	stderr_is 'sotto: the results could not be written' "and is said"
fi

run --help
check "no escape sequence without a terminal" sh -c "! grep -q $(printf '\033') '$out'"
finish
