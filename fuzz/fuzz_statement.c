/* Statements of the shell: the same come out however the text is cut into lines as it is typed. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/statement.h"

/* All statements, each followed by a NUL that fwrite keeps. */
static char *take_all(const char *text, bool eagerly, size_t *length)
{
	struct statement s;
	char *out = NULL, *one, *copy = strdup(text);
	FILE *f = open_memstream(&out, length);

	if (!copy || !f)
		abort();
	statement_init(&s);
	for (char *line = copy, *end; line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		if (!statement_add(&s, line))
			abort();
		while (eagerly && (one = statement_take(&s))) {
			fwrite(one, 1, strlen(one) + 1, f);
			free(one);
		}
	}
	while ((one = statement_take(&s))) {
		fwrite(one, 1, strlen(one) + 1, f);
		free(one);
	}
	if ((one = statement_take_rest(&s)))
		fwrite(one, 1, strlen(one) + 1, f);
	free(one);
	statement_release(&s);
	fclose(f);
	free(copy);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t early_length, late_length;
	char *text, *early, *late;

	if (size > 1 << 16)
		return 0;
	text = calloc(size + 1, 1);
	if (!text)
		abort();
	memcpy(text, data, size);
	early = take_all(text, true, &early_length);
	late = take_all(text, false, &late_length);
	if (early_length != late_length || memcmp(early, late, early_length) != 0)
		abort();
	free(early);
	free(late);
	free(text);
	return 0;
}
