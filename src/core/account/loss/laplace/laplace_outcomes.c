/*
 * Begins with one outcome of weight 1 and draws one term after another; count equal draws
 * become count + 1 outcomes with binomial weights.
 */
#include "core/account/loss/laplace/laplace_outcomes.h"

#include <stdlib.h>

#include "core/account/loss/finite/finite_pair.h"
#include "core/base/failure.h"

void sotto_laplace_outcomes_release(struct sotto_laplace_outcomes *l)
{
	for (size_t i = 0; i < l->n; i++)
		mpfr_clears(l->at[i].shift, l->at[i].weight, (mpfr_ptr)0);
	free(l->at);
	*l = (struct sotto_laplace_outcomes){0};
}

static struct sotto_laplace_outcome *push(struct sotto_laplace_outcomes *l, mpfr_prec_t bits)
{
	struct sotto_laplace_outcome *o;

	if (l->n == l->capacity) {
		size_t capacity = l->capacity ? 2 * l->capacity : 32;
		struct sotto_laplace_outcome *grown = realloc(l->at, capacity * sizeof *grown);

		if (!grown)
			return NULL;
		l->at = grown;
		l->capacity = capacity;
	}
	o = &l->at[l->n++];
	mpfr_inits2(bits, o->shift, o->weight, (mpfr_ptr)0);
	return o;
}

/* A law of two outcomes drawn count times: shift up, or down with factor times the weight. */
struct two_way {
	mpfr_t up, down, keep, factor;
	bool counts; /* down draws are counted: a Laplace event */
};

static void init_two_way(struct two_way *w, mpfr_prec_t bits)
{
	mpfr_inits2(bits, w->up, w->down, w->keep, w->factor, (mpfr_ptr)0);
}

static void release_two_way(struct two_way *w)
{
	mpfr_clears(w->up, w->down, w->keep, w->factor, (mpfr_ptr)0);
}

/* from times all ways to draw count times: weight C(count, a) keep^(count-a) factor^a */
static enum sotto_status draw(struct sotto_laplace_outcomes *to,
			      const struct sotto_laplace_outcome *from, const struct two_way *w,
			      uint64_t count, mpfr_prec_t bits)
{
	enum sotto_status st = SOTTO_OK;
	mpfr_t t;
	mpz_t choose;

	mpfr_init2(t, bits);
	mpz_init(choose);
	for (uint64_t a = 0; a <= count && st == SOTTO_OK; a++) {
		struct sotto_laplace_outcome *o = push(to, bits);

		if (!o) {
			st = SOTTO_ENOMEM;
			break;
		}
		o->down = from->down + (w->counts ? (unsigned)a : 0);
		mpfr_mul_ui(t, w->up, count - a, MPFR_RNDN);
		mpfr_add(o->shift, from->shift, t, MPFR_RNDN);
		mpfr_mul_ui(t, w->down, a, MPFR_RNDN);
		mpfr_add(o->shift, o->shift, t, MPFR_RNDN);
		mpz_bin_uiui(choose, count, a);
		mpfr_mul_z(o->weight, from->weight, choose, MPFR_RNDN);
		mpfr_pow_ui(t, w->keep, count - a, MPFR_RNDN);
		mpfr_mul(o->weight, o->weight, t, MPFR_RNDN);
		mpfr_pow_ui(t, w->factor, a, MPFR_RNDN);
		mpfr_mul(o->weight, o->weight, t, MPFR_RNDN);
	}
	mpz_clear(choose);
	mpfr_clear(t);
	return st;
}

static enum sotto_status draw_all(struct sotto_laplace_outcomes *l, const struct two_way *w,
				  uint64_t count, mpfr_prec_t bits)
{
	struct sotto_laplace_outcomes next = {0};

	for (size_t i = 0; i < l->n; i++) {
		enum sotto_status st = draw(&next, &l->at[i], w, count, bits);

		if (st != SOTTO_OK) {
			sotto_laplace_outcomes_release(&next);
			return st;
		}
	}
	sotto_laplace_outcomes_release(l);
	*l = next;
	return SOTTO_OK;
}

/* shift e, or -e with weight exp(-e) */
static enum sotto_status draw_laplace(struct sotto_laplace_outcomes *l, mpq_srcptr epsilon,
				      uint64_t count, mpfr_prec_t bits)
{
	struct two_way w = {.counts = true};
	enum sotto_status st;

	init_two_way(&w, bits);
	mpfr_set_q(w.up, epsilon, MPFR_RNDN);
	mpfr_neg(w.down, w.up, MPFR_RNDN);
	mpfr_set_ui(w.keep, 1, MPFR_RNDN);
	mpfr_exp(w.factor, w.down, MPFR_RNDN);
	st = draw_all(l, &w, count, bits);
	release_two_way(&w);
	return st;
}

static enum sotto_status copy(struct sotto_laplace_outcomes *to,
			      const struct sotto_laplace_outcome *from, mpfr_prec_t bits)
{
	struct sotto_laplace_outcome *o = push(to, bits);

	if (!o)
		return SOTTO_ENOMEM;
	o->down = from->down;
	mpfr_set(o->shift, from->shift, MPFR_RNDN);
	mpfr_set(o->weight, from->weight, MPFR_RNDN);
	return SOTTO_OK;
}

/*
 * A finite law with n outcomes is drawn one outcome at a time: a of the count draws
 * give outcome i, the others go on to outcome i+1, until there are none left.
 */
static enum sotto_status
spread(struct sotto_laplace_outcomes *to, const struct sotto_laplace_outcome *from,
       const struct sotto_pair *pair, size_t i, uint64_t count, mpfr_prec_t bits)
{
	struct two_way w = {.counts = false};
	struct sotto_laplace_outcomes one = {0};
	enum sotto_status st;

	if (count == 0)
		return copy(to, from, bits);
	init_two_way(&w, bits);
	mpfr_set(w.up, pair->loss[i], MPFR_RNDN);
	mpfr_set(w.keep, pair->mass[i], MPFR_RNDN);
	mpfr_set_zero(w.down, 1);
	mpfr_set_ui(w.factor, 1, MPFR_RNDN);
	if (i + 2 == pair->n) { /* the last two outcomes share what is left */
		mpfr_set(w.down, pair->loss[i + 1], MPFR_RNDN);
		mpfr_set(w.factor, pair->mass[i + 1], MPFR_RNDN);
		st = draw(to, from, &w, count, bits);
	} else {
		st = draw(&one, from, &w, count, bits);
		for (uint64_t a = 0; a < one.n && st == SOTTO_OK; a++)
			st = spread(to, &one.at[a], pair, i + 1, a, bits);
	}
	sotto_laplace_outcomes_release(&one);
	release_two_way(&w);
	return st;
}

static enum sotto_status
draw_finite(struct sotto_laplace_outcomes *l, const struct sotto_event *e, uint64_t count,
	    enum sotto_direction direction, mpfr_prec_t bits, struct sotto_work *work)
{
	struct sotto_pair pair = {0};
	struct sotto_laplace_outcomes next = {0};
	enum sotto_status st;
	mpfr_t finite;

	SOTTO_TRY(sotto_pair_of(&pair, e, direction, work));
	mpfr_init2(finite, SOTTO_PAIR_BITS);
	mpfr_ui_sub(finite, 1, pair.only_p, MPFR_RNDN);
	for (size_t i = 0; i < pair.n; i++)
		mpfr_div(pair.mass[i], pair.mass[i], finite, MPFR_RNDN);
	st = mpfr_zero_p(finite) ? SOTTO_EREFUSED : SOTTO_OK;
	for (size_t i = 0; i < l->n && st == SOTTO_OK; i++)
		st = spread(&next, &l->at[i], &pair, 0, count, bits);
	mpfr_clear(finite);
	sotto_pair_release(&pair);
	if (st != SOTTO_OK) {
		sotto_laplace_outcomes_release(&next);
		return st;
	}
	sotto_laplace_outcomes_release(l);
	*l = next;
	return SOTTO_OK;
}

static enum sotto_status
draw_term(struct sotto_laplace_outcomes *l, const struct sotto_term *term,
	  enum sotto_direction direction, mpfr_prec_t bits, struct sotto_work *work)
{
	if (term->event->kind == SOTTO_EVENT_LAPLACE)
		return draw_laplace(l, term->event->epsilon.q, term->count, bits);
	if (term->event->kind == SOTTO_EVENT_APPROX && mpq_sgn(term->event->epsilon.q) == 0)
		return SOTTO_OK;
	return draw_finite(l, term->event, term->count, direction, bits, work);
}

enum sotto_status sotto_laplace_outcomes_list(struct sotto_laplace_outcomes *l,
					      const struct sotto_terms *t,
					      enum sotto_direction direction, mpfr_prec_t bits)
{
	struct sotto_laplace_outcome *first = push(l, bits);
	enum sotto_status st = SOTTO_OK;
	mpq_t epsilon;

	if (!first)
		return SOTTO_ENOMEM;
	first->down = 0;
	mpfr_set_zero(first->shift, 1);
	mpfr_set_ui(first->weight, 1, MPFR_RNDN);
	for (size_t i = 0; i < t->n; i++)
		SOTTO_TRY(draw_term(l, &t->list[i], direction, bits, t->work));
	mpq_init(epsilon);
	for (size_t i = 0; i < t->n_laplace && st == SOTTO_OK; i++) {
		mpq_set_d(epsilon, t->laplace[i]);
		st = draw_laplace(l, epsilon, t->laplace_count[i], bits);
	}
	mpq_clear(epsilon);
	return st;
}
