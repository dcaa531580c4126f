/*
 * suggest.h - "did you mean": finds the nearest word of a list
 */
#ifndef SOTTO_SUGGEST_H
#define SOTTO_SUGGEST_H

#include <stddef.h>

/* The best word so far; start from {.typed = "..."}. */
struct suggestion {
	const char *typed;
	const char *word; /* NULL if no word is near */
	size_t distance;
};

/* Takes the word if it is nearer than those offered before. */
void suggest_offer(struct suggestion *s, const char *word);

#endif
