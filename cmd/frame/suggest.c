/*
 * Measures words by the optimal string alignment distance, and accepts one mistake and one more
 * for each four letters; a word that begins with what was typed is one mistake away.
 */
#include "frame/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 32 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Insertions, deletions, changes and swaps of neighbours that turn a into b
 * (the optimal string alignment distance).
 */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[3][WORD_MAX + 1], *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= m; j++)
		last[j] = before[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *spare = before;

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]),
				       least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[m];
}

void suggest_offer(struct suggestion *s, const char *word)
{
	size_t n = strlen(s->typed), m = strlen(word), d;
	bool starts = n >= 2 && n < m && strncmp(s->typed, word, n) == 0;

	if (n == 0 || n > WORD_MAX || m > WORD_MAX)
		return;
	d = starts ? 1 : distance(s->typed, n, word, m);
	if (!starts && d > 1 + least(n, m) / 4)
		return;
	if (s->word && d >= s->distance)
		return;
	s->word = word;
	s->distance = d;
}
