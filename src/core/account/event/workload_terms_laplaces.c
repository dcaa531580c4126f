/*
 * A long list of epsilons becomes distinct ones with counts.  Few distinct ones are found with a
 * table, many by sorting.
 */
#include <stdlib.h>
#include <string.h>

#include "core/account/event/workload_terms.h"

enum { TABLE = 1 << 13, DISTINCT_MAX = TABLE / 2 };

struct entry {
	double epsilon; /* 0 if free */
	uint64_t count;
};

static int compare_entries(const void *a, const void *b)
{
	double x = ((const struct entry *)a)->epsilon, y = ((const struct entry *)b)->epsilon;

	return (x > y) - (x < y);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct entry *find(struct entry *table, double epsilon)
{
	uint64_t bits;
	size_t at;

	memcpy(&bits, &epsilon, sizeof bits);
	at = (size_t)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 51);
	while (table[at].epsilon != 0 && table[at].epsilon != epsilon)
		at = (at + 1) % TABLE;
	return &table[at];
}

/* The number of distinct epsilons, now at the front of the table in order; 0 if too many. */
static size_t tabulate(struct entry *table, const double *epsilon, size_t n)
{
	size_t distinct = 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct entry *e;

		if (epsilon[i] == 0)
			continue;
		e = find(table, epsilon[i]);
		if (e->epsilon == 0) {
			if (++distinct > DISTINCT_MAX)
				return 0;
			e->epsilon = epsilon[i];
		}
		e->count++;
	}
	for (size_t i = 0; i < TABLE; i++)
		if (table[i].epsilon != 0)
			table[kept++] = table[i];
	qsort(table, kept, sizeof *table, compare_entries);
	return kept;
}

static bool is_sorted(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i - 1] > x[i])
			return false;
	return true;
}

static enum sotto_status make_room(struct sotto_terms *t, size_t n)
{
	t->laplace = malloc(n * sizeof *t->laplace);
	t->laplace_count = malloc(n * sizeof *t->laplace_count);
	return t->laplace && t->laplace_count ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status sort_all(struct sotto_terms *t, const double *epsilon, size_t n)
{
	if (make_room(t, n) != SOTTO_OK)
		return SOTTO_ENOMEM;
	memcpy(t->laplace, epsilon, n * sizeof *t->laplace);
	if (!is_sorted(epsilon, n))
		qsort(t->laplace, n, sizeof *t->laplace, compare_doubles);
	for (size_t i = 0; i < n; i++) {
		if (t->laplace[i] == 0)
			continue;
		if (t->n_laplace && t->laplace[t->n_laplace - 1] == t->laplace[i]) {
			t->laplace_count[t->n_laplace - 1]++;
		} else {
			t->laplace[t->n_laplace] = t->laplace[i];
			t->laplace_count[t->n_laplace++] = 1;
		}
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_terms_add_laplaces(struct sotto_terms *t, const double *epsilon, size_t n)
{
	struct entry *table;
	size_t distinct;
	enum sotto_status st = SOTTO_OK;

	if (n == 0)
		return SOTTO_OK;
	table = calloc(TABLE, sizeof *table);
	if (!table)
		return SOTTO_ENOMEM;
	distinct = tabulate(table, epsilon, n);
	if (distinct == 0)
		st = sort_all(t, epsilon, n);
	else
		st = make_room(t, distinct);
	for (size_t i = 0; i < distinct && st == SOTTO_OK; i++) {
		t->laplace[i] = table[i].epsilon;
		t->laplace_count[i] = table[i].count;
		t->n_laplace = distinct;
	}
	free(table);
	return st;
}
