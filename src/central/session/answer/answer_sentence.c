/* All sentences of an answer in one list, the same for the program, the server and C. */
#include <string.h>

#include "sotto/query.h"

static const char about_the_noise[] =
	"intervals cover the noise only, not what the limits drop";

/* The i-th of all lists, one after the other; NULL past the last. */
static const char *listed(const struct sotto_answer *a, size_t i)
{
	bool limited = false;

	for (size_t k = 0; k < a->limits_count; k++) {
		const struct sotto_limits *l = &a->limits[k];

		limited = limited || l->sentence_count > 0;
		if (i < l->sentence_count)
			return l->sentences[i];
		i -= l->sentence_count;
		if (i < l->loss.sentence_count)
			return l->loss.sentences[i];
		i -= l->loss.sentence_count;
	}
	if (limited && i-- == 0)
		return about_the_noise;
	return i < a->note_count ? a->notes[i] : NULL;
}

/* The parts of a question often have the same limits. */
static bool was_said(const struct sotto_answer *a, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(listed(a, k), listed(a, i)) == 0)
			return true;
	return false;
}

const char *sotto_answer_sentence(const struct sotto_answer *a, size_t i)
{
	const char *sentence;

	if (!a)
		return NULL;
	for (size_t k = 0; (sentence = listed(a, k)); k++)
		if (!was_said(a, k) && i-- == 0)
			return sentence;
	return NULL;
}
