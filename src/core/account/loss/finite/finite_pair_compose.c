/* Finite pairs one after the other (rounding: finite_pair_cells.md). */
#include <stdlib.h>

#include "core/account/loss/finite/finite_pair.h"
#include "core/base/failure.h"

/* Losses that differ by less than 2^-SAME of the larger are one; sums that cancel farther than 2^-CANCELLED are refused. */
enum { CANCELLED = 90, SAME = 140 };
/* What an outcome of two takes (work.h) until it is sorted. */
#define PRODUCT_STEPS 300
/* Groups have fewer digits, of which repetitions lose more. */
enum { GROUPS_MAX = 8 };
#define N MPFR_RNDN

/* Outcomes without mass, which are left over from cells before, go. */
void sotto_pair_drop_empty(struct sotto_pair *p)
{
	for (size_t i = 0; i < p->n;) {
		if (!mpfr_zero_p(p->mass[i])) {
			i++;
			continue;
		}
		p->n--;
		mpfr_swap(p->mass[i], p->mass[p->n]);
		mpfr_swap(p->loss[i], p->loss[p->n]);
		mpfr_clears(p->mass[p->n], p->loss[p->n], (mpfr_ptr)0);
	}
}

/* a + b, or 0 where that is what it is within rounding; false if it cannot be told. */
static bool add_losses(mpfr_t sum, const mpfr_t a, const mpfr_t b)
{
	mpfr_exp_t scale;

	mpfr_add(sum, a, b, N);
	if (mpfr_zero_p(sum) || mpfr_zero_p(a) || mpfr_zero_p(b))
		return true;
	scale = mpfr_get_exp(a) > mpfr_get_exp(b) ? mpfr_get_exp(a) : mpfr_get_exp(b);
	if (mpfr_get_exp(sum) > scale - CANCELLED)
		return true;
	if (mpfr_get_exp(sum) > scale - SAME)
		return false;
	mpfr_set_zero(sum, 1);
	return true;
}

/* p becomes p and one, one after the other. */
enum sotto_status
sotto_pair_compose(struct sotto_pair *p, const struct sotto_pair *one, struct sotto_work *work)
{
	struct sotto_pair both = {0};
	bool known = true;
	mpfr_t rest;

	if (p->n * one->n > SOTTO_PAIR_SMALL)
		return SOTTO_EREFUSED;
	if (!sotto_work_take(work, PRODUCT_STEPS * (double)(p->n * one->n)))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_pair_init(&both, p->n * one->n));
	for (size_t i = 0; i < both.n; i++) {
		known &= add_losses(both.loss[i], p->loss[i / one->n], one->loss[i % one->n]);
		mpfr_mul(both.mass[i], p->mass[i / one->n], one->mass[i % one->n], N);
	}
	if (!known) {
		sotto_pair_release(&both);
		return SOTTO_EREFUSED;
	}
	mpfr_init2(rest, SOTTO_PAIR_BITS);
	mpfr_ui_sub(rest, 1, p->only_p, N);
	mpfr_fma(both.only_p, rest, one->only_p, p->only_p, N);
	mpfr_ui_sub(rest, 1, p->only_q, N);
	mpfr_fma(both.only_q, rest, one->only_q, p->only_q, N);
	mpfr_add(both.left_out, p->left_out, one->left_out, MPFR_RNDU);
	mpfr_clear(rest);
	sotto_pair_release(p);
	*p = both;
	return SOTTO_OK;
}

struct outcome {
	mpfr_ptr loss, mass;
};

static int compare_outcomes(const void *a, const void *b)
{
	const struct outcome *x = a, *y = b;

	return mpfr_cmp(x->loss, y->loss);
}

static bool is_same(const mpfr_t a, const mpfr_t b)
{
	mpfr_exp_t scale;
	bool same;
	mpfr_t gap;

	if (mpfr_equal_p(a, b))
		return true;
	if (mpfr_zero_p(a) || mpfr_zero_p(b))
		return false;
	scale = mpfr_get_exp(a) > mpfr_get_exp(b) ? mpfr_get_exp(a) : mpfr_get_exp(b);
	mpfr_init2(gap, SOTTO_PAIR_BITS);
	mpfr_sub(gap, a, b, N);
	same = mpfr_zero_p(gap) || mpfr_get_exp(gap) < scale - SAME;
	mpfr_clear(gap);
	return same;
}

/* Outcomes of the same loss become one. */
static enum sotto_status merge(struct sotto_pair *p)
{
	struct outcome *list = malloc(p->n * sizeof *list + 1);

	if (!list)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		list[i] = (struct outcome){p->loss[i], p->mass[i]};
	qsort(list, p->n, sizeof *list, compare_outcomes);
	for (size_t i = 0; i + 1 < p->n; i++) {
		if (!is_same(list[i].loss, list[i + 1].loss))
			continue;
		mpfr_add(list[i + 1].mass, list[i + 1].mass, list[i].mass, N);
		mpfr_set_zero(list[i].mass, 1);
	}
	free(list);
	sotto_pair_drop_empty(p);
	return SOTTO_OK;
}

enum sotto_status sotto_pair_of_repeated(struct sotto_pair *p, const struct sotto_event *e,
					 enum sotto_direction direction,
					 struct sotto_work *work)
{
	struct sotto_pair one = {0};
	enum sotto_status st = SOTTO_OK;

	if (e->count > (sotto_pair_has_group(e) ? GROUPS_MAX : SOTTO_PAIR_SMALL))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_pair_of(p, e, direction, work));
	if (e->count == 1)
		return SOTTO_OK;
	st = sotto_pair_of(&one, e, direction, work);
	for (uint64_t i = 1; i < e->count && st == SOTTO_OK; i++) {
		st = sotto_pair_compose(p, &one, work);
		if (st == SOTTO_OK)
			st = merge(p);
	}
	if (one.loss)
		sotto_pair_release(&one);
	if (st != SOTTO_OK)
		sotto_pair_release(p);
	return st;
}
