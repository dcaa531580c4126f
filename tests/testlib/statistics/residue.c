/*
 * Gives a thread a stack of its own and searches it after the thread has ended, also with the
 * four bytes of each word reversed.
 */
#include "testlib/statistics/residue.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { STACK = 1 << 20 };

struct residue {
	uint8_t *stack;
	void (*f)(void *);
	void *context;
};

static void *run(void *residue)
{
	struct residue *r = residue;

	r->f(r->context);
	return NULL;
}

struct residue *residue_of(void (*f)(void *), void *context)
{
	struct residue *r = malloc(sizeof *r);
	pthread_attr_t attributes;
	pthread_t thread;

	if (!r)
		abort();
	*r = (struct residue){.stack = aligned_alloc(4096, STACK), .f = f, .context = context};
	if (!r->stack || pthread_attr_init(&attributes) != 0 ||
	    pthread_attr_setstack(&attributes, r->stack, STACK) != 0 ||
	    pthread_create(&thread, &attributes, run, r) != 0 ||
	    pthread_join(thread, NULL) != 0)
		abort();
	(void)pthread_attr_destroy(&attributes);
	return r;
}

/* The sanitizer guards what lay between variables; here all of it is read. */
__attribute__((no_sanitize("address"))) static bool
is_at(const uint8_t *at, const uint8_t *bytes, size_t n, size_t swap)
{
	size_t i = 0;

	while (i < n && at[i ^ swap] == bytes[i])
		i++;
	return i == n;
}

bool residue_has(const struct residue *r, const void *bytes, size_t n)
{
	for (size_t i = 0; i + n + 4 <= STACK; i++)
		if (is_at(r->stack + i, bytes, n, 0) || is_at(r->stack + i, bytes, n, 3))
			return true;
	return false;
}

void residue_free(struct residue *r)
{
	free(r->stack);
	free(r);
}
