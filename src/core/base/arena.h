/*
 * arena.h - allocates many small objects that are freed together
 *
 * Trees and plans are built piece by piece and dropped as a whole.  The cap is given at the
 * start, so that no input can use up the machine's memory.
 */
#ifndef SOTTO_ARENA_H
#define SOTTO_ARENA_H

#include <stddef.h>

struct sotto_arena_block;
struct sotto_arena_end;

struct sotto_arena {
	struct sotto_arena_block *blocks;
	struct sotto_arena_end *ends;
	size_t used;
	size_t cap;
};

void sotto_arena_init(struct sotto_arena *a, size_t cap);

/* Calls the deferred functions, last first, and frees everything. */
void sotto_arena_release(struct sotto_arena *a);

/* Returns zeroed memory, aligned for any type; NULL past the cap or if out of memory. */
void *sotto_arena_alloc(struct sotto_arena *a, size_t size);

/* Return a copy of the text; NULL as above. */
char *sotto_arena_text(struct sotto_arena *a, const char *text);
char *sotto_arena_textf(struct sotto_arena *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Has end(object) called at release.  False if out of memory; end is then never called. */
_Bool sotto_arena_defer(struct sotto_arena *a, void (*end)(void *), void *object);

/*
 * Grows the array at *items by one zeroed element and returns its address, or
 * NULL.  Old elements move: keep indexes, not addresses.
 */
void *sotto_arena_push(struct sotto_arena *a, void **items, size_t *count, size_t size);
#define SOTTO_PUSH(arena, items, count)                                                        \
	((__typeof__(items))sotto_arena_push((arena), (void **)&(items), &(count),             \
					     sizeof *(items)))

#endif
