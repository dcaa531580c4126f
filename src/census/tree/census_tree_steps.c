/*
 * Quickselect with the median of three, and insertion sort for a few; the part that holds the
 * k-th step is found first.
 */
#include "census/tree/census_tree_steps.h"

#include <math.h>
#include <stdbool.h>

enum { FEW = 12 }; /* so many steps are sorted by insertion */

/* lots: of the family's children, or NULL */
static bool
is_first(const struct sotto_tree_step *a, const struct sotto_tree_step *b, const uint64_t *lots)
{
	if (a->place != b->place)
		return a->place < b->place;
	if (lots && lots[a->child] != lots[b->child])
		return lots[a->child] < lots[b->child];
	return a->child < b->child;
}

static inline bool is_before(const struct sotto_tree_step *a, const struct sotto_tree_step *b,
			     const uint64_t *lots)
{
	return a->cost != b->cost ? a->cost < b->cost : is_first(a, b, lots);
}

static void swap(struct sotto_tree_step *a, struct sotto_tree_step *b)
{
	struct sotto_tree_step kept = *a;

	*a = *b;
	*b = kept;
}

static void sort_few(struct sotto_tree_step *a, size_t n, const uint64_t *lots)
{
	for (size_t i = 1; i < n; i++) {
		struct sotto_tree_step step = a[i];
		size_t j = i;

		for (; j > 0 && is_before(&step, &a[j - 1], lots); j--)
			a[j] = a[j - 1];
		a[j] = step;
	}
}

/* The middle one of three goes to the front. */
static void set_pivot(struct sotto_tree_step *a, size_t n, const uint64_t *lots)
{
	size_t low = n / 4, middle = n / 2, high = n - 1 - n / 4;

	if (is_before(&a[middle], &a[low], lots))
		swap(&a[middle], &a[low]);
	if (is_before(&a[high], &a[middle], lots))
		swap(&a[high], &a[middle]);
	if (is_before(&a[middle], &a[low], lots))
		swap(&a[middle], &a[low]);
	swap(&a[0], &a[middle]);
}

/* The k first of n steps come first (quickselect; no two steps are equal). */
static void select_first(struct sotto_tree_step *a, size_t n, size_t k, const uint64_t *lots)
{
	while (n > FEW && k > 0 && k < n) {
		size_t i = 1, j = n - 1;

		set_pivot(a, n, lots);
		for (;;) {
			while (i <= j && is_before(&a[i], &a[0], lots))
				i++;
			while (i <= j && is_before(&a[0], &a[j], lots))
				j--;
			if (i >= j)
				break;
			swap(&a[i++], &a[j--]);
		}
		swap(&a[0], &a[j]); /* j steps are before the pivot */
		if (k <= j) {
			n = j;
		} else {
			a += j + 1;
			n -= j + 1;
			k -= j + 1;
		}
	}
	if (k > 0 && k < n)
		sort_few(a, n, lots);
}

void sotto_tree_steps_part(struct sotto_tree_steps *s)
{
	double least[3], most[3];
	size_t i = 0;

	for (int part = 0; part < 3; part++) {
		size_t end = part < 2 ? s->ends[part] : s->n;
		double low = INFINITY, high = -INFINITY;

		for (; i < end; i++) {
			double cost = s->list[i].cost;

			low = cost < low ? cost : low;
			high = cost > high ? cost : high;
		}
		least[part] = low;
		most[part] = high;
	}
	if (fmax(most[0], most[1]) >= least[2])
		s->ends[1] = 0;
	if (most[0] >= fmin(least[1], least[2]))
		s->ends[0] = 0;
}

void sotto_tree_steps_select(struct sotto_tree_steps *s, size_t from, size_t k,
			     const uint64_t *lots)
{
	size_t start = from, end = s->n;

	for (int i = 1; i >= 0; i--) {
		if (s->ends[i] > k)
			end = s->ends[i];
		else if (s->ends[i] > start)
			start = s->ends[i];
	}
	if (end > start) /* else there may be no list */
		select_first(s->list + start, end - start, k - start, lots);
}
