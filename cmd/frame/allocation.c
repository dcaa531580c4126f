/*
 * Every allocation goes through one check that prints a sentence and exits; arrays double
 * whenever their count is a power of two, so that no capacity has to be stored.
 */
#include "frame/allocation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/outcome.h"

void memory_fail(void)
{
	fputs("sotto: out of memory\n", stderr);
	exit(OUTCOME_REFUSED);
}

static void *or_exit(void *block)
{
	if (!block)
		memory_fail();
	return block;
}

void *memory_new(size_t count, size_t size)
{
	return or_exit(calloc(count ? count : 1, size ? size : 1));
}

void *memory_resize(void *block, size_t count, size_t size)
{
	return or_exit(reallocarray(block, count ? count : 1, size));
}

char *memory_copy_text(const char *text)
{
	return or_exit(strdup(text));
}

char *memory_text(const char *format, ...)
{
	va_list args;
	char *text = NULL;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	return or_exit(n < 0 ? NULL : text);
}

void *memory_grow(void *items, size_t count, size_t size)
{
	if (count & (count - 1))
		return items;
	return memory_resize(items, count ? count * 2 : 1, size);
}
