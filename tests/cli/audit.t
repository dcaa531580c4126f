#!/bin/sh
# sotto audit: every mechanism and protocol has a record, honest ones are not accused, and the
# broken twins are found.  Alpha is 1e-9, so that a false alarm is not seen in a lifetime.
. "$(dirname "$0")/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)

# ---- the tables ----
run audit --list --format csv
status_is 0 "it lists what it audits"
cut -d, -f1 "$out" > "$work/audited"
check "every record says on which inputs, and what is looked at" \
	awk -F'"*,"*' 'NF < 3 || $2 == "" || $NF == "" { exit 1 }' "$out"
"$SOTTO" help --dump > "$work/dump"
# A mechanism that states to use no data has nothing to hide.
awk -F'\t' '$1 == "command" && $2 ~ /^sotto noise / { sub("sotto noise ", "", $2); print $2 }
	' "$work/dump" > "$work/mechanisms"
awk -F'\t' '$1 == "statement" && $3 == "privacy" && /no data/ { sub("sotto noise ", "", $2); print $2 }' "$work/dump" > "$work/dataless"
check "the table of sotto noise is read" test "$(wc -l < "$work/mechanisms")" -ge 15
while read -r name; do
	grep -qx "$name" "$work/dataless" || check "$name has a record" grep -qx "$name" "$work/audited"
done < "$work/mechanisms"
sed -n '/define SOTTO_CLIENT_PROTOCOLS/,/^enum/s/^	X([A-Z_]*, [0-9]*, "\(.*\)").*/\1/p' "$top/include/sotto/client.h" > "$work/protocols"
check "the list of protocols is read" test "$(wc -l < "$work/protocols")" -ge 16
while read -r name; do
	check "local $name has a record" grep -qx "local-$name" "$work/audited"
done < "$work/protocols"
check "no record stands twice" test -z "$(sort "$work/audited" | uniq -d)"

# ---- honest mechanisms ----
# what is proved of each is at most the claim and, where the audit is tight, most of it
run audit --trials 20000 --alpha 1e-9 --epsilon 2 --format csv
status_is 0 "nobody is accused"
check "all of them are in the table" test "$(cut -d, -f1 "$out" | tr '\n' ' ')" = "$(tr '\n' ' ' < "$work/audited")"
check "no more is proved than is claimed" awk -F, 'NR > 1 && $4 > $2 { exit 1 }' "$out"
proves() { # NAME SHARE
	check "of $1 a share of $2 is proved" awk -F, -v name="$1" -v share="$2" '$1 == name { exit !($4 >= share * $2) }' "$out"
}
for name in laplace geometric truncated-geometric truncated-laplace staircase randomized-response k-ary-response; do
	proves $name .6
done
for name in exponential permute-and-flip noisy-max local-grr local-oue local-hcms local-1bitmean local-treehist; do
	proves $name .4
done
proves gaussian .2
run audit laplace --trials 5000 --alpha 1e-9
status_is 0 "one alone"
stdout_like '^mechanism  *claimed epsilon  *delta  *proven at least  *verdict$' "in a table"
stdout_like '^laplace  *1.000  *0  *0.*  not broken$' "with its verdict"
stderr_like '^proven: up to 5000 runs on each of two inputs' "and what proven means"
stderr_like 'at most 1e-9' "at which confidence"
stderr_like '"not broken" is no proof' "and what is not"

# ---- broken twins ----
run audit --broken --list --format csv
cut -d, -f1 "$out" | sed 1d > "$work/twins"
run audit --broken --alpha 1e-9 --format csv
status_is 1 "broken claims are an error"
n=$(wc -l < "$work/twins")
stderr_is "sotto audit: $n of $n claims are broken" "that says how many"
while read -r name; do
	check "$name is found" grep -q "^$name,.*,broken\$" "$out"
done < "$work/twins"
check "textbook noise is not even close" awk -F, '$1 == "textbook-laplace" { exit !($4 > 5) }' "$out"

# ---- refusals ----
refuses 2 "sotto audit: there is no mechanism laplac; did you mean laplace?" audit laplac
refuses 2 "sotto audit: there is no mechanism xyzzyxyzzy; --list prints all" audit xyzzyxyzzy
refuses 2 "sotto audit: there is no mechanism laplace; --list prints all" audit --broken laplace
refuses 1 "sotto audit: --trials must be from 1000 to 10000000" audit --trials 999 laplace
refuses 1 "sotto audit: --trials must be from 1000 to 10000000" audit --trials 10000001 laplace
run audit --epsilon 100000 laplace
status_is 1 "an epsilon that a mechanism refuses"
stderr_like '^sotto audit: laplace: ' "is refused with its name"
refuses 1 "sotto audit: --alpha must be at least 1e-300" audit --alpha 1e-400 laplace
finish
