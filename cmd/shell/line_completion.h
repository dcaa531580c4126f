/*
 * line_completion.h - what the tab key adds: the matching words, and their common prefix
 */
#ifndef SOTTO_LINE_COMPLETION_H
#define SOTTO_LINE_COMPLETION_H

#include <stddef.h>
#include <stdio.h>

struct line_completion {
	const char *start; /* the typed part of the word: the end of the line; borrowed */
	char **words; /* that begin with it, each once */
	size_t count;
	/*
	 * The text to insert: what all words continue with, and a blank after the only word if it
	 * is not a function; or NULL.
	 */
	char *insert;
};

/* Starts a completion; line ends at the cursor and must outlive it. */
void line_completion_init(struct line_completion *c, const char *line);
void line_completion_release(struct line_completion *c);

/* A line_offer: takes the word if it matches; case is ignored. */
void line_completion_offer(void *completion, const char *word);

/* Prints the words below the line, in columns. */
void line_completion_list(const struct line_completion *c, FILE *out, unsigned width);

#endif
