/*
 * Compares all outputs of each pair of neighbours; the epsilon at a given delta comes from the
 * outputs sorted by ratio, whose partial sums give the convex curve piece by piece.
 */
#include "channel/verify/channel_verify.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

/* Nothing seen yet: epsilon 0. */
static void reset(struct sotto_verdict *v)
{
	v->infinite = false;
	v->witness = (struct sotto_witness){0, 0, 0};
	v->epsilon_down = v->epsilon_up = 0;
	mpq_set_ui(v->ratio.q, 1, 1);
	mpq_set_ui(v->length.q, 1, 1);
}

void sotto_verdict_init(struct sotto_verdict *v)
{
	if (!v)
		return;
	sotto_rational_init(&v->ratio);
	sotto_rational_init(&v->length);
	reset(v);
}

void sotto_verdict_release(struct sotto_verdict *v)
{
	if (!v)
		return;
	sotto_rational_release(&v->ratio);
	sotto_rational_release(&v->length);
}

/* ---- comparing ratios with lengths --------------------------------------------------- */

static void log_over(mpfr_t out, const mpq_t ratio, const mpq_t length, mpfr_rnd_t side)
{
	mpfr_set_q(out, ratio, side);
	mpfr_log(out, out, side);
	mpfr_div_q(out, out, length, side);
}

/* ln x / a > ln y / b.  Equal lengths are compared exactly, others to 256 bits. */
static bool is_greater(const mpq_t x, const mpq_t a, const mpq_t y, const mpq_t b)
{
	mpfr_t first, second;
	bool greater;

	if (mpq_equal(a, b))
		return mpq_cmp(x, y) > 0;
	mpfr_inits2(256, first, second, (mpfr_ptr)0);
	log_over(first, x, a, MPFR_RNDD);
	log_over(second, y, b, MPFR_RNDU);
	greater = mpfr_greater_p(first, second);
	mpfr_clears(first, second, (mpfr_ptr)0);
	return greater;
}

/* Both sides of ln(ratio)/length as doubles. */
static void set_bounds(struct sotto_verdict *v)
{
	mpfr_t x;

	if (v->infinite) {
		v->epsilon_down = v->epsilon_up = INFINITY;
		return;
	}
	mpfr_init2(x, 200);
	log_over(x, v->ratio.q, v->length.q, MPFR_RNDD);
	v->epsilon_down = mpfr_get_d(x, MPFR_RNDD);
	log_over(x, v->ratio.q, v->length.q, MPFR_RNDU);
	v->epsilon_up = mpfr_get_d(x, MPFR_RNDU);
	mpfr_clear(x);
}

static void set_infinite(struct sotto_verdict *v, size_t row, size_t neighbour, size_t column)
{
	v->infinite = true;
	mpq_set_ui(v->ratio.q, 0, 1);
	v->witness = (struct sotto_witness){row, neighbour, column};
}

/* The largest ratio of row y over its neighbour into v, if it is worse than what v holds. */
static void look_at_pair(const struct sotto_matrix *m, size_t y, size_t neighbour,
			 const mpq_t length, struct sotto_verdict *v, mpq_t ratio)
{
	for (size_t z = 0; z < m->columns && !v->infinite; z++) {
		mpq_srcptr p = sotto_matrix_at(m, y, z), q = sotto_matrix_at(m, neighbour, z);

		if (mpq_sgn(p) == 0)
			continue;
		if (mpq_sgn(q) == 0) {
			set_infinite(v, y, neighbour, z);
			return;
		}
		if (mpq_cmp(p, q) <= 0)
			continue;
		mpq_div(ratio, p, q);
		if (!is_greater(ratio, length, v->ratio.q, v->length.q))
			continue;
		mpq_set(v->ratio.q, ratio);
		mpq_set(v->length.q, length);
		v->witness = (struct sotto_witness){y, neighbour, z};
	}
}

enum sotto_status sotto_verify_epsilon(const struct sotto_matrix *channel,
				       const struct sotto_graph *graph,
				       struct sotto_verdict *out)
{
	mpq_t ratio;

	if (!channel || !graph || !out || channel->rows != graph->nodes)
		return SOTTO_EINVAL;
	reset(out);
	mpq_init(ratio);
	for (size_t i = 0; i < graph->edge_count && !out->infinite; i++) {
		const struct sotto_edge *e = &graph->edges[i];

		look_at_pair(channel, e->from, e->to, e->length, out, ratio);
		look_at_pair(channel, e->to, e->from, e->length, out, ratio);
	}
	mpq_clear(ratio);
	set_bounds(out);
	return SOTTO_OK;
}

static bool pair_is_private(const struct sotto_matrix *m, size_t y, size_t neighbour,
			    const mpq_t length, const struct sotto_eps *eps, mpq_t worst)
{
	struct sotto_verdict v;
	bool fine;

	sotto_verdict_init(&v);
	mpq_set_ui(v.length.q, 1, 1);
	look_at_pair(m, y, neighbour, v.length.q, &v, worst);
	fine = !v.infinite && sotto_eps_compare(eps, length, v.ratio.q) <= 0;
	sotto_verdict_release(&v);
	return fine;
}

bool sotto_channel_is_private(const struct sotto_matrix *channel,
			      const struct sotto_graph *graph, const struct sotto_eps *eps)
{
	bool fine = true;
	mpq_t ratio;

	mpq_init(ratio);
	for (size_t i = 0; i < graph->edge_count && fine; i++) {
		const struct sotto_edge *e = &graph->edges[i];

		fine = pair_is_private(channel, e->from, e->to, e->length, eps, ratio) &&
		       pair_is_private(channel, e->to, e->from, e->length, eps, ratio);
	}
	mpq_clear(ratio);
	return fine;
}

/* ---- delta ------------------------------------------------------------------------------ */

/* One output of a pair of rows: it counts while t is below p/q. */
struct term {
	mpq_t p, q;
};

static int larger_ratio_first(const void *x, const void *y)
{
	const struct term *a = x, *b = y;
	mpq_t left, right;
	int sign;

	if (mpq_sgn(a->q) == 0 || mpq_sgn(b->q) == 0)
		return (mpq_sgn(a->q) != 0) - (mpq_sgn(b->q) != 0);
	mpq_inits(left, right, (mpq_ptr)0);
	mpq_mul(left, a->p, b->q);
	mpq_mul(right, b->p, a->q);
	sign = mpq_cmp(right, left);
	mpq_clears(left, right, (mpq_ptr)0);
	return sign;
}

/* The sum of max(0, p - t q) of a pair of rows */
static void
pair_delta(const struct sotto_matrix *m, size_t y, size_t neighbour, const mpq_t t, mpq_t delta)
{
	mpq_t excess;

	mpq_init(excess);
	mpq_set_ui(delta, 0, 1);
	for (size_t z = 0; z < m->columns; z++) {
		mpq_mul(excess, t, sotto_matrix_at(m, neighbour, z));
		mpq_sub(excess, sotto_matrix_at(m, y, z), excess);
		if (mpq_sgn(excess) > 0)
			mpq_add(delta, delta, excess);
	}
	mpq_clear(excess);
}

enum sotto_status
sotto_verify_delta(const struct sotto_matrix *channel, const struct sotto_graph *graph,
		   const struct sotto_rational *factor, struct sotto_rational *out)
{
	mpq_t one, delta;

	if (!channel || !graph || !factor || !out || channel->rows != graph->nodes)
		return SOTTO_EINVAL;
	mpq_inits(one, delta, (mpq_ptr)0);
	for (size_t i = 0; i < graph->edge_count; i++)
		for (int way = 0; way < 2; way++) {
			const struct sotto_edge *e = &graph->edges[i];

			pair_delta(channel, way ? e->to : e->from, way ? e->from : e->to,
				   factor->q, one);
			if (mpq_cmp(one, delta) > 0)
				mpq_set(delta, one);
		}
	mpq_set(out->q, delta);
	mpq_clears(one, delta, (mpq_ptr)0);
	return SOTTO_OK;
}

/*
 * delta(t) = P - t Q over the outputs whose ratio is above t, convex and falling in t.  Going
 * from the largest ratio down, the sums P and Q of the outputs so far give delta on the
 * piece below that ratio; the first piece on which it reaches delta has the answer.
 */
static void factor_of_terms(struct term *terms, size_t count, const mpq_t delta, mpq_t t)
{
	mpq_t p, q, candidate, next;
	bool found = false;

	mpq_inits(p, q, candidate, next, (mpq_ptr)0);
	for (size_t i = 0; i < count && !found; i++) {
		mpq_add(p, p, terms[i].p);
		mpq_add(q, q, terms[i].q);
		if (mpq_sgn(q) == 0)
			continue;
		mpq_sub(candidate, p, delta);
		mpq_div(candidate, candidate, q);
		if (i + 1 < count) {
			mpq_div(next, terms[i + 1].p, terms[i + 1].q);
			found = mpq_cmp(candidate, next) >= 0;
		} else {
			found = true;
		}
	}
	if (mpq_sgn(q) == 0) /* all of it is impossible for the neighbour */
		mpq_set_ui(t, mpq_cmp(p, delta) > 0 ? 0 : 1, 1);
	else
		mpq_set(t, candidate);
	if (mpq_sgn(t) != 0 && mpq_cmp_ui(t, 1, 1) < 0)
		mpq_set_ui(t, 1, 1);
	mpq_clears(p, q, candidate, next, (mpq_ptr)0);
}

/* The least t >= 1 at which the pair's delta is met; 0 if there is none. */
static void find_factor(const struct sotto_matrix *channel, size_t y, size_t neighbour,
			const mpq_t delta, mpq_t t)
{
	struct term *terms = calloc(channel->columns, sizeof *terms);
	size_t count = 0;
	mpq_t impossible;

	if (!terms) {
		mpq_set_ui(t, 0, 1); /* no statement: never too small */
		return;
	}
	mpq_init(impossible);
	for (size_t z = 0; z < channel->columns; z++) {
		mpq_srcptr p = sotto_matrix_at(channel, y, z);

		if (mpq_sgn(p) == 0)
			continue;
		mpq_inits(terms[count].p, terms[count].q, (mpq_ptr)0);
		mpq_set(terms[count].p, p);
		mpq_set(terms[count].q, sotto_matrix_at(channel, neighbour, z));
		if (mpq_sgn(terms[count].q) == 0)
			mpq_add(impossible, impossible, p);
		count++;
	}
	qsort(terms, count, sizeof *terms, larger_ratio_first);
	if (mpq_cmp(impossible, delta) > 0)
		mpq_set_ui(t, 0, 1);
	else
		factor_of_terms(terms, count, delta, t);
	for (size_t i = 0; i < count; i++)
		mpq_clears(terms[i].p, terms[i].q, (mpq_ptr)0);
	mpq_clear(impossible);
	free(terms);
}

static bool is_private_delta(const struct sotto_matrix *channel,
			     const struct sotto_graph *graph, const struct sotto_eps *eps,
			     const mpq_t delta)
{
	bool fine = true;
	mpq_t t;

	mpq_init(t);
	for (size_t i = 0; i < 2 * graph->edge_count && fine; i++) {
		const struct sotto_edge *e = &graph->edges[i / 2];

		find_factor(channel, i % 2 ? e->to : e->from, i % 2 ? e->from : e->to, delta,
			    t);
		fine = mpq_sgn(t) != 0 && sotto_eps_compare(eps, e->length, t) <= 0;
	}
	mpq_clear(t);
	return fine;
}

enum sotto_status
sotto_verify_private(const struct sotto_matrix *channel, const struct sotto_graph *graph,
		     const struct sotto_eps *eps, const struct sotto_rational *delta, bool *out)
{
	if (!channel || !graph || !eps || !out || channel->rows != graph->nodes ||
	    (delta && mpq_sgn(delta->q) < 0))
		return SOTTO_EINVAL;
	*out = delta ? is_private_delta(channel, graph, eps, delta->q)
		     : sotto_channel_is_private(channel, graph, eps);
	return SOTTO_OK;
}

enum sotto_status
sotto_verify_epsilon_at(const struct sotto_matrix *channel, const struct sotto_graph *graph,
			const struct sotto_rational *delta, struct sotto_verdict *out)
{
	mpq_t t;

	if (!channel || !graph || !delta || !out || channel->rows != graph->nodes ||
	    mpq_sgn(delta->q) < 0)
		return SOTTO_EINVAL;
	reset(out);
	mpq_init(t);
	for (size_t i = 0; i < 2 * graph->edge_count && !out->infinite; i++) {
		const struct sotto_edge *e = &graph->edges[i / 2];
		size_t y = i % 2 ? e->to : e->from, neighbour = i % 2 ? e->from : e->to;

		find_factor(channel, y, neighbour, delta->q, t);
		if (mpq_sgn(t) == 0) {
			set_infinite(out, y, neighbour, 0);
		} else if (is_greater(t, e->length, out->ratio.q, out->length.q)) {
			mpq_set(out->ratio.q, t);
			mpq_set(out->length.q, e->length);
			out->witness = (struct sotto_witness){y, neighbour, 0};
		}
	}
	mpq_clear(t);
	set_bounds(out);
	return SOTTO_OK;
}
