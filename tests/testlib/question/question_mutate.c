/*
 * Breaks a query into words and drops one, puts another of its class in its place, swaps the
 * two, or puts in a word that often breaks queries.
 */
#include <stdio.h>
#include <string.h>

#include "testlib/question/question.h"

enum { WORDS_MAX = 2000 };

struct words {
	char text[QUESTION_MAX];
	struct {
		const char *start;
		int length;
	} at[WORDS_MAX];
	size_t count;
};

static const char word_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";

/* Words, and what stands between them. */
static void split_words(struct words *words, const char *text)
{
	const char *s = words->text;

	(void)snprintf(words->text, sizeof words->text, "%s", text);
	words->count = 0;
	while (*s && words->count < WORDS_MAX) {
		size_t n = strspn(s, word_letters);

		n = n ? n : strcspn(s, word_letters);
		words->at[words->count].start = s;
		words->at[words->count++].length = (int)n;
		s += n;
	}
}

enum word_class { WORD_COLUMN, WORD_NUMBER, WORD_FUNCTION, WORD_OTHER };

static enum word_class class_of(const struct words *words, size_t i)
{
	const char *s = words->at[i].start, *end = s + words->at[i].length;

	if (*s >= '0' && *s <= '9')
		return WORD_NUMBER;
	if (strspn(s, word_letters) == 0)
		return WORD_OTHER;
	if (memchr(s, '.', (size_t)(end - s)) || (*s == 'x' && s[1] >= '0' && s[1] <= '9'))
		return WORD_COLUMN;
	return *end == '(' ? WORD_FUNCTION : WORD_OTHER;
}

/* A word but the first, which is SELECT or WITH; mostly one that has others of its class. */
static size_t random_word(const struct words *words, struct world *w)
{
	for (;;) {
		size_t i = 1 + chance_below(&w->chance, (unsigned)words->count - 1);

		if (class_of(words, i) != WORD_OTHER || chance_in(&w->chance, 30))
			return i;
	}
}

static size_t word_like(const struct words *words, struct world *w, size_t i)
{
	for (unsigned tries = 0; tries < 200; tries++) {
		size_t other = random_word(words, w);

		if (class_of(words, other) == class_of(words, i))
			return other;
	}
	return i;
}

void question_mutate(struct question *q, struct world *w)
{
	static const char *const others[] = {"null", "t.uid",  "t.n0", "*",   "distinct", "(",
					     ")",    ",",      "1",    "'a'", "or",       "sum",
					     "-",    "::text", "t.s1", "0.5", "count",    "is",
					     "not",  "||",     "true"};
	static struct words words;
	size_t place, other;

	split_words(&words, q->text);
	place = random_word(&words, w);
	other = word_like(&words, w, place);
	switch (chance_below(&w->chance, 4)) {
	case 0: /* one word less */
		words.at[place].length = 0;
		break;
	case 1: /* one word as another */
		words.at[place] = words.at[other];
		break;
	case 2: { /* two words swapped */
		__typeof__(words.at[0]) kept = words.at[place];

		words.at[place] = words.at[other];
		words.at[other] = kept;
		break;
	}
	default:
		words.at[place].start = WORLD_PICK(w, others);
		words.at[place].length = (int)strlen(words.at[place].start);
		break;
	}
	q->text[0] = '\0';
	for (size_t i = 0, n = 0; i < words.count && n < QUESTION_MAX; i++)
		n += (size_t)snprintf(q->text + n, QUESTION_MAX - n, "%.*s ",
				      words.at[i].length, words.at[i].start);
}
