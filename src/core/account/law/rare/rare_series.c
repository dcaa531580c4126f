/*
 * Powers of the sum are multiplied out, outcome by outcome: the term with a_1, ..., a_n outcomes of each kind, p in all, has the
 * coefficient (-1)^(p+1) (p-1)!/(a_1! ... a_n!).  Small terms are left out, and what they are together is what the kept ones lack.
 */
#include "core/account/law/rare/rare_series.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/law.h"
#include "core/base/failure.h"

/* A list that is longer is refused. */
enum { TERMS_MAX = 1 << 18 };

void sotto_rare_series_release(struct sotto_rare_series *s)
{
	free(s->gap);
	free(s->weight);
}

enum sotto_status sotto_rare_series_push(struct sotto_rare_series *s, double gap, double weight)
{
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 1024;
		double *gaps, *weights;

		if (room > TERMS_MAX)
			return SOTTO_EREFUSED;
		gaps = realloc(s->gap, room * sizeof *gaps);
		if (!gaps)
			return SOTTO_ENOMEM;
		s->gap = gaps;
		weights = realloc(s->weight, room * sizeof *weights);
		if (!weights)
			return SOTTO_ENOMEM;
		s->weight = weights;
		s->room = room;
	}
	s->gap[s->n] = gap;
	s->weight[s->n++] = weight;
	sotto_sum_add(&s->sum, weight);
	s->size += fabs(weight) * (1 + 0x1p-40);
	return SOTTO_OK;
}

/* What is multiplied out, and the sizes of the terms kept so far. */
struct product {
	const double *gap, *weight;
	size_t n;
	double count;
	double kept;
	double terms; /* how many */
};

/* A term: p outcomes in all, the size of its coefficient times weights, and its gap. */
struct term {
	double p, size, gap;
};

/* All terms with at least one more outcome of kind `from` or later. */
static enum sotto_status
extend(struct sotto_rare_series *s, struct product *x, size_t from, struct term t)
{
	for (size_t i = from; i < x->n; i++) {
		struct term next = t;

		for (double a = 1;; a++) {
			/* (p-1)!/a! w^a, from one outcome to the next; the first of all has 0!/1! */
			next.size *= x->weight[i] * (next.p > 0 ? next.p : 1) / a;
			next.gap += x->gap[i];
			next.p++;
			if (!(next.size * x->count > s->least))
				break;
			x->kept += next.size;
			if (++x->terms > (double)s->most)
				return SOTTO_EREFUSED;
			SOTTO_TRY(sotto_rare_series_push(s, next.gap,
							 (fmod(next.p, 2) == 1 ? 1 : -1) *
								 x->count * next.size));
			SOTTO_TRY(extend(s, x, i + 1, next));
		}
	}
	return SOTTO_OK;
}

enum sotto_status sotto_rare_series_add(struct sotto_rare_series *s, const double *gap,
					const double *weight, size_t n, double sum,
					double count)
{
	struct product x = {gap, weight, n, count, 0, 0};
	struct sotto_rare_series before = *s;
	enum sotto_status st = extend(s, &x, 0, (struct term){0, 1, 0});

	if (st == SOTTO_EREFUSED) { /* as it was */
		s->n = before.n;
		s->sum = before.sum;
		s->size = before.size;
	}
	SOTTO_TRY(st);
	/* rounding of a term of p outcomes is some p u of it, and p w^p sums to w/(1-w)^2 */
	s->left_out +=
		count * (fmax(0, -log1p(-sum) - x.kept) + (64 + x.terms) * SOTTO_U * sum);
	return SOTTO_OK;
}
