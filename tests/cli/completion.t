#!/bin/sh
# sotto completion: bash offers every command and option that the program has, and no other.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
run completion csh
stderr_is "sotto completion: there are completions for bash, zsh and fish, not for csh" "other shells are told"
run completion bash
cp "$out" sotto.bash
check "bash takes it" bash -n sotto.bash
offers() { # WORD...: what bash offers for the last word
	bash -c '. ./sotto.bash; COMP_WORDS=(sotto "$@"); COMP_CWORD=$#; _sotto; printf "%s\n" "${COMPREPLY[@]}" | sort' bash "$@"
}
check "commands" test "$(offers led)" = ledger
check "below commands" test "$(offers ledger cr)" = create
check "their options" test "$(offers ledger create --ne)" = --neighbours
check "and the words of these" test "$(offers ledger create --neighbours r)" = replace-one
check "what stands between does not matter" test "$(offers query --policy x.yaml --fr)" = --fresh
check "no command is offered twice" test "$(offers query quer)" = ""
"$SOTTO" help --dump > dump
check "every option of every command is offered" python3 - "$SOTTO" <<'END'
import re, subprocess, sys
text = open("sotto.bash").read()
for command in ("query", "explain", "noise laplace", "local plan", "ledger create", "release", "serve"):
    shown = subprocess.run([sys.argv[1], *command.split(), "--help"], capture_output=True, text=True).stdout
    want = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", shown, re.M))
    line = re.search(r'^\t" %s"\) words="(.*)" ;;$' % command, text, re.M).group(1)
    if want != {w for w in line.split() if w.startswith("--")}:
        sys.exit(f"{command}: {want} {line}")
END
run completion zsh
stdout_like '^#compdef sotto$' "zsh has its own"
command -v zsh > /dev/null && check "which it takes" zsh -n "$out"
run completion fish
stdout_like "^complete -c sotto -n '__sotto_at \" ledger create\"' -l neighbours -r -f -a 'add-remove replace-one'" "and fish"
finish
