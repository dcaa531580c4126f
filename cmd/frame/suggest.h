/*
 * suggest.h - "did you mean": the nearest word of a list
 */
#ifndef SOTTO_SUGGEST_H
#define SOTTO_SUGGEST_H

#include <stddef.h>

/* The best word so far; start from {.typed = "..."}. */
struct suggestion {
	const char *typed;
	const char *word; /* NULL if nothing is near */
	size_t distance;
};

/* Takes word if it is nearer than what was offered before it. */
void suggest_offer(struct suggestion *s, const char *word);

#endif
