#include "query/limits_print.h"

#include <string.h>

/* Each sentence once: the parts of a question often have the same limits. */
static bool was_said(const struct sotto_answer *a, size_t part, const char *sentence)
{
	for (size_t i = 0; i < part; i++)
		for (size_t k = 0; k < a->limits[i].sentence_count; k++)
			if (strcmp(a->limits[i].sentences[k], sentence) == 0)
				return true;
	return false;
}

void limits_print(const struct sotto_answer *a, const char *before, FILE *out)
{
	for (size_t i = 0; i < a->limits_count; i++)
		for (size_t k = 0; k < a->limits[i].sentence_count; k++)
			if (!was_said(a, i, a->limits[i].sentences[k]))
				fprintf(out, "%s%s\n", before, a->limits[i].sentences[k]);
	for (size_t i = 0; i < a->limits_count; i++) {
		const struct sotto_loss *l = &a->limits[i].loss;
		size_t marked = l->share.low <= 0; /* the first that tells of a loss */

		for (size_t k = 0; k < l->sentence_count; k++)
			fprintf(out, "%s%s%s\n", before, l->biased && k == marked ? "* " : "",
				l->sentences[k]);
	}
}
