/*
 * Prints each sentence about a limit or a loss once, although the parts of a question often
 * share it; a star marks the first one about a loss if the answer is biased.
 */
#include "query/limits_print.h"

#include <string.h>

#include "show/printable.h"

static bool is_among(const char *const *sentences, size_t count, const char *sentence)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(sentences[i], sentence) == 0)
			return true;
	return false;
}

/* Each sentence once: the parts of a question, and its columns, often have the same limits. */
static bool limit_was_said(const struct sotto_answer *a, size_t part, size_t k)
{
	const struct sotto_limits *l = &a->limits[part];

	for (size_t i = 0; i < part; i++)
		if (is_among(a->limits[i].sentences, a->limits[i].sentence_count,
			     l->sentences[k]))
			return true;
	return is_among(l->sentences, k, l->sentences[k]);
}

static bool loss_was_said(const struct sotto_answer *a, size_t part, const char *sentence)
{
	for (size_t i = 0; i < part; i++)
		if (is_among(a->limits[i].loss.sentences, a->limits[i].loss.sentence_count,
			     sentence))
			return true;
	return false;
}

static void print(const char *before, const char *mark, const char *sentence, FILE *out)
{
	fprintf(out, "%s%s", before, mark);
	printable_print(sentence, out);
	fputc('\n', out);
}

void limits_print(const struct sotto_answer *a, const char *before, FILE *out)
{
	for (size_t i = 0; i < a->limits_count; i++)
		for (size_t k = 0; k < a->limits[i].sentence_count; k++)
			if (!limit_was_said(a, i, k))
				print(before, "", a->limits[i].sentences[k], out);
	for (size_t i = 0; i < a->limits_count; i++) {
		const struct sotto_loss *l = &a->limits[i].loss;
		size_t marked = l->share.low <= 0; /* the first that tells of a loss */

		for (size_t k = 0; k < l->sentence_count; k++)
			if (!loss_was_said(a, i, l->sentences[k]))
				print(before, l->biased && k == marked ? "* " : "",
				      l->sentences[k], out);
	}
}
