/*
 * line_completion.h - what the tab key adds: the words that fit, and their common prefix
 */
#ifndef SOTTO_LINE_COMPLETION_H
#define SOTTO_LINE_COMPLETION_H

#include <stddef.h>
#include <stdio.h>

struct line_completion {
	const char *start; /* what was typed of the word: the end of the line; borrowed */
	char **words; /* that begin with it, each once */
	size_t count;
	char *insert; /* what all of them go on with, and a blank after a word that is the only
			 one and no function; or NULL */
};

/* line ends at the cursor, and lives as long as this. */
void line_completion_init(struct line_completion *c, const char *line);
void line_completion_release(struct line_completion *c);

/* A line_offer: takes the word if it fits; upper and lower case do not matter. */
void line_completion_offer(void *completion, const char *word);

/* Prints the words below the line, in columns. */
void line_completion_list(const struct line_completion *c, FILE *out, unsigned width);

#endif
