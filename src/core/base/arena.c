/*
 * Hands out pieces of blocks from the front; what needs more than memory to be released
 * registers a function, which is called before the blocks are freed.
 */
#include "core/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 16384, ALIGNMENT = _Alignof(max_align_t) };

struct sotto_arena_block {
	struct sotto_arena_block *next;
	size_t size, used;
	_Alignas(max_align_t) char bytes[];
};

struct sotto_arena_end {
	struct sotto_arena_end *next;
	void (*call)(void *);
	void *object;
};

void sotto_arena_init(struct sotto_arena *a, size_t cap)
{
	*a = (struct sotto_arena){.cap = cap};
}

void sotto_arena_release(struct sotto_arena *a)
{
	struct sotto_arena_block *next;

	for (struct sotto_arena_end *e = a->ends; e; e = e->next)
		e->call(e->object);
	for (struct sotto_arena_block *b = a->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct sotto_arena){.cap = a->cap};
}

static struct sotto_arena_block *add_block(struct sotto_arena *a, size_t size)
{
	size_t bytes = size > BLOCK_SIZE ? size : BLOCK_SIZE;
	struct sotto_arena_block *b = malloc(sizeof *b + bytes);

	if (!b)
		return NULL;
	b->size = bytes;
	b->used = 0;
	b->next = a->blocks;
	a->blocks = b;
	return b;
}

void *sotto_arena_alloc(struct sotto_arena *a, size_t size)
{
	struct sotto_arena_block *b = a->blocks;
	void *p;

	if (size > a->cap || a->used > a->cap - size)
		return NULL;
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!b || b->size - b->used < size)
		b = add_block(a, size);
	if (!b)
		return NULL;
	p = b->bytes + b->used;
	b->used += size;
	a->used += size;
	return memset(p, 0, size);
}

char *sotto_arena_text(struct sotto_arena *a, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = sotto_arena_alloc(a, n);

	return copy ? memcpy(copy, text, n) : NULL;
}

char *sotto_arena_textf(struct sotto_arena *a, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = n < 0 ? NULL : sotto_arena_alloc(a, (size_t)n + 1);
	if (!text)
		return NULL;
	va_start(args, format);
	(void)vsnprintf(text, (size_t)n + 1, format, args);
	va_end(args);
	return text;
}

_Bool sotto_arena_defer(struct sotto_arena *a, void (*end)(void *), void *object)
{
	struct sotto_arena_end *e = sotto_arena_alloc(a, sizeof *e);

	if (!e)
		return 0;
	*e = (struct sotto_arena_end){.next = a->ends, .call = end, .object = object};
	a->ends = e;
	return 1;
}

/* Arrays double at each power of two, so their capacity need not be stored. */
void *sotto_arena_push(struct sotto_arena *a, void **items, size_t *count, size_t size)
{
	size_t n = *count;

	if (n == 0 || (n & (n - 1)) == 0) {
		size_t bytes;
		void *grown;

		if (__builtin_mul_overflow(n ? 2 * n : 1, size, &bytes))
			return NULL;
		grown = sotto_arena_alloc(a, bytes);
		if (!grown)
			return NULL;
		if (n)
			memcpy(grown, *items, n * size);
		*items = grown;
	}
	*count = n + 1;
	return (char *)*items + n * size;
}
