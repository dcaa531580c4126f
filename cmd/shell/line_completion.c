/*
 * The word being completed reaches back from the cursor to the first character that no name
 * has; what is inserted is the longest prefix that all fitting words share.
 */
#include "shell/line_completion.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frame/allocation.h"

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || strchr("_.\\", c) || (unsigned char)c >= 0x80;
}

void line_completion_init(struct line_completion *c, const char *line)
{
	const char *start = line + strlen(line);

	while (start > line && is_part(start[-1]))
		start--;
	*c = (struct line_completion){.start = start};
}

void line_completion_release(struct line_completion *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->words[i]);
	free(c->words);
	free(c->insert);
	*c = (struct line_completion){0};
}

/* Keywords are offered in upper case; whoever types in lower case gets them so. */
static void match_case(char *word, const char *typed)
{
	bool lower = false;

	for (const char *t = typed; *t; t++) {
		if (isupper((unsigned char)*t))
			return;
		lower |= islower((unsigned char)*t) != 0;
	}
	for (char *w = word; lower && *w; w++)
		*w = (char)tolower((unsigned char)*w);
}

static bool is_keyword(const char *word)
{
	for (; *word; word++)
		if (!isupper((unsigned char)*word) && !strchr("_ (", *word))
			return false;
	return true;
}

/* What all the words go on with behind what was typed. */
static void find_insert(struct line_completion *c)
{
	size_t typed = strlen(c->start), common = strlen(c->words[0]);
	bool only = c->count == 1 && c->words[0][common - 1] != '(';

	for (size_t i = 1; i < c->count; i++)
		for (size_t k = typed; k < common; k++)
			if (c->words[i][k] != c->words[0][k])
				common = k;
	free(c->insert);
	c->insert = memory_text("%.*s%s", (int)(common - typed), c->words[0] + typed,
				only ? " " : "");
}

void line_completion_offer(void *completion, const char *word)
{
	struct line_completion *c = completion;
	char *copy;

	if (strncasecmp(word, c->start, strlen(c->start)) != 0)
		return;
	for (size_t i = 0; i < c->count; i++)
		if (strcasecmp(c->words[i], word) == 0)
			return;
	copy = memory_copy_text(word);
	if (is_keyword(word))
		match_case(copy, c->start);
	c->words = memory_grow(c->words, c->count, sizeof *c->words);
	c->words[c->count++] = copy;
	find_insert(c);
}

static int compare(const void *x, const void *y)
{
	return strcasecmp(*(char *const *)x, *(char *const *)y);
}

void line_completion_list(const struct line_completion *c, FILE *out, unsigned width)
{
	size_t widest = 1, columns;

	qsort(c->words, c->count, sizeof *c->words, compare);
	for (size_t i = 0; i < c->count; i++)
		if (strlen(c->words[i]) + 2 > widest)
			widest = strlen(c->words[i]) + 2;
	columns = width > widest ? width / widest : 1;
	for (size_t i = 0; i < c->count; i++)
		fprintf(out, "%s%-*s", i % columns == 0 ? "\n" : "", (int)widest, c->words[i]);
	fputc('\n', out);
	fflush(out);
}
