/* All Laplace events of a workload as one law of a measure. */
#include <stdlib.h>

#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

static size_t count_laplaces(const struct sotto_terms *t)
{
	size_t n = t->n_laplace;

	for (size_t i = 0; i < t->n; i++)
		n += t->list[i].event->kind == SOTTO_EVENT_LAPLACE;
	return n;
}

struct entry {
	double epsilon;
	uint64_t count;
};

static int compare_entries(const void *a, const void *b)
{
	double x = ((const struct entry *)a)->epsilon, y = ((const struct entry *)b)->epsilon;

	return (x > y) - (x < y);
}

/* The epsilons that are not tiny, ascending; equal doubles stay separate entries, which is harmless. */
static size_t collect_laplaces(const struct sotto_terms *t, struct entry *list)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].event->kind == SOTTO_EVENT_LAPLACE &&
		    !sotto_event_is_tiny(t->list[i].event))
			list[n++] = (struct entry){
				sotto_nearest_double(t->list[i].event->epsilon.q),
				t->list[i].count};
	for (size_t i = 0; i < t->n_laplace; i++)
		if (t->laplace[i] >= SOTTO_TINY)
			list[n++] = (struct entry){t->laplace[i], t->laplace_count[i]};
	if (t->n_laplace < n)
		qsort(list, n, sizeof *list, compare_entries);
	return n;
}

/* Those of the long list; the loop over events leaves out its own. */
static void leave_out_tiny_laplaces(struct sotto_loss_measure *m, const struct sotto_terms *t)
{
	mpfr_t epsilon;

	mpfr_init2(epsilon, 64);
	for (size_t i = 0; i < t->n_laplace; i++) {
		if (t->laplace[i] >= SOTTO_TINY)
			continue;
		mpfr_set_d(epsilon, t->laplace[i], MPFR_RNDU);
		sotto_measure_leave_out(m, epsilon, t->laplace_count[i]);
	}
	mpfr_clear(epsilon);
}

/* One law of them all. */
static enum sotto_status
push_laplaces(struct sotto_loss_measure *m, const struct entry *list, size_t n)
{
	struct sotto_law *law;

	SOTTO_TRY(sotto_measure_push(m, 1, &law));
	law->class = &sotto_law_laplace;
	law->n = n;
	law->loss = malloc(n * sizeof *law->loss);
	law->counts = malloc(n * sizeof *law->counts);
	m->n++;
	if (!law->loss || !law->counts)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		law->loss[i] = list[i].epsilon;
		law->counts[i] = list[i].count;
		sotto_measure_raise_top(m, law->loss[i], 0.5, law->counts[i]);
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_measure_add_laplaces(struct sotto_loss_measure *m, const struct sotto_terms *t)
{
	size_t n = count_laplaces(t);
	enum sotto_status st = SOTTO_OK;
	struct entry *list;

	if (n == 0)
		return SOTTO_OK;
	m->lattice = false;
	list = malloc(n * sizeof *list);
	if (!list)
		return SOTTO_ENOMEM;
	leave_out_tiny_laplaces(m, t);
	n = collect_laplaces(t, list);
	if (n > 0)
		st = push_laplaces(m, list, n);
	free(list);
	return st;
}
