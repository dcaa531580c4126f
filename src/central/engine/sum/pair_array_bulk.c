/*
 * States by number (pair_array.h), in pages that are made when the first of them is needed: the
 * kernel gives all memory of a page at once, which takes a fifth of the time of giving it piece
 * by piece.  All sums are of whole numbers, so the order in which arrays are put together does not
 * matter.
 */
#include "central/engine/sum/pair_array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 8192, FIRST_PAGES = 64 }; /* states; pages */

struct sotto_pair_array {
	char **pages; /* NULL: nobody of it has a row */
	size_t count; /* of pages that there could be */
	size_t values, bytes; /* of a state */
};

struct sotto_pair_array *sotto_pair_array_new(size_t values)
{
	struct sotto_pair_array *a = calloc(1, sizeof *a);

	if (a) {
		a->values = values;
		a->bytes = sizeof(struct sotto_pair_state) + values * sizeof(int64_t);
	}
	return a;
}

void sotto_pair_array_free(struct sotto_pair_array *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->count; i++)
		if (a->pages[i])
			(void)munmap(a->pages[i], PAGE * a->bytes);
	free(a->pages);
	free(a);
}

static bool grow(struct sotto_pair_array *a, size_t page)
{
	size_t count = a->count ? a->count : FIRST_PAGES;
	char **pages;

	while (count <= page)
		count *= 2;
	pages = realloc(a->pages, count * sizeof *pages);
	if (!pages)
		return false;
	memset(pages + a->count, 0, (count - a->count) * sizeof *pages);
	a->pages = pages;
	a->count = count;
	return true;
}

static bool add_page(struct sotto_pair_array *a, size_t page)
{
	void *made;

	if (page >= a->count && !grow(a, page))
		return false;
	made = mmap(NULL, PAGE * a->bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (made == MAP_FAILED)
		return false;
	a->pages[page] = made;
	return true;
}

/* NULL without memory. */
static inline char *page_of(struct sotto_pair_array *a, size_t page)
{
	if ((page >= a->count || !a->pages[page]) && !add_page(a, page))
		return NULL;
	return a->pages[page];
}

static struct sotto_pair_state *
state_at(const struct sotto_pair_array *a, const char *page, size_t i)
{
	return (struct sotto_pair_state *)(void *)((uintptr_t)page + i * a->bytes);
}

bool sotto_pair_array_find(struct sotto_pair_array *a, const int64_t *numbers, size_t count,
			   duckdb_aggregate_state *states)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t n = (uint64_t)numbers[i];
		const char *page = numbers[i] >= 0 ? page_of(a, n / PAGE) : NULL;

		if (!page)
			return false;
		states[i] = (duckdb_aggregate_state)state_at(a, page, n % PAGE);
	}
	return true;
}

/* ---- all units ------------------------------------------------------------------------------ */

bool sotto_pair_array_take(struct sotto_pair_array *to, struct sotto_pair_array *from)
{
	if (from->count > to->count && !grow(to, from->count - 1))
		return false;
	for (size_t i = 0; i < from->count; i++) {
		if (!to->pages[i]) {
			to->pages[i] = from->pages[i];
			from->pages[i] = NULL;
			continue;
		}
		for (size_t j = 0; from->pages[i] && j < PAGE; j++)
			sotto_pair_add(state_at(to, to->pages[i], j),
				       state_at(from, from->pages[i], j), to->values);
	}
	sotto_pair_array_free(from);
	return true;
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static void add_unit(const struct sotto_sum_task *task, const struct sotto_pair_state *s,
		     struct sotto_pair_totals *out)
{
	int64_t n = (int64_t)sotto_pair_rows(s), read = sotto_pair_read(task, s);

	out->units++;
	out->rows += least(n, task->keep);
	out->clipped += (s->head & SOTTO_PAIR_CLIPPED) != 0;
	out->of_rows += read > task->keep;
	out->lost += read > task->keep ? least(read - task->keep, task->lose) : 0;
	out->kept += least(read, task->keep);
	for (size_t i = 0; i < task->value_count; i++) {
		int64_t x = sotto_pair_kept(task, s, i);

		out->values[i] += x;
		out->with[i] += x > 0;
	}
}

/* A state with head 0 is nobody's: tasks are numbered from 1 on. */
void sotto_pair_array_totals(const struct sotto_pair_array *a,
			     const struct sotto_sum_task *task, struct sotto_pair_totals *out)
{
	*out = (struct sotto_pair_totals){0};
	for (size_t i = 0; i < a->count; i++)
		for (size_t j = 0; a->pages[i] && j < PAGE; j++) {
			const struct sotto_pair_state *s = state_at(a, a->pages[i], j);

			if (s->head != 0)
				add_unit(task, s, out);
		}
}
