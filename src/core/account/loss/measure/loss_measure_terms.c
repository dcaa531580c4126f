/* Building a measure from the terms of a workload. */
#include <math.h>

#include "core/account/integral/real.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/law/clone_groups/clone_group.h"
#include "core/account/law/clone_groups/law_clone_group.h"
#include "core/account/law/clones/law_clone_pair.h"
#include "core/account/law/group/law_group.h"
#include "core/account/law/outcomes/law_outcomes.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/law/sgauss_cumulants.h"
#include "core/account/loss/finite/finite_pair.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

enum { FEW_STEPS = 8 };

/* Laws in hardware arithmetic multiply a rate by small masses: below this digits get lost. */
#define RATE_MIN 1e-280

/* From so many distinct events on hardware arithmetic has to do. */
enum { MANY_TERMS = 16 };
/* And from so many on far nodes are nothing if each law falls a little. */
enum { HUNDREDS = 96 };

/* spacing becomes the greatest common divisor, offset grows by count times its own */
static void join_lattice(struct sotto_loss_measure *m, mpq_srcptr spacing, mpq_srcptr offset,
			 uint64_t count)
{
	mpz_t a, b;
	mpq_t shift;

	if (!m->lattice)
		return;
	mpz_inits(a, b, (mpz_ptr)0);
	mpq_init(shift);
	mpz_mul(a, mpq_numref(m->spacing), mpq_denref(spacing));
	mpz_mul(b, mpq_numref(spacing), mpq_denref(m->spacing));
	mpz_gcd(mpq_numref(shift), a, b);
	mpz_mul(mpq_denref(shift), mpq_denref(m->spacing), mpq_denref(spacing));
	mpq_canonicalize(shift);
	mpq_set(m->spacing, shift);
	mpq_set_ui(shift, count, 1);
	mpq_mul(shift, shift, offset);
	mpq_add(m->offset, m->offset, shift);
	mpq_clear(shift);
	mpz_clears(a, b, (mpz_ptr)0);
}

/* The lattice of an event's losses, where they have one with rational spacing. */
static bool lattice_of(const struct sotto_event *e, mpq_t spacing, mpq_t offset)
{
	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_EXPONENTIAL:
		mpq_set(offset, e->epsilon.q);
		mpq_mul_2exp(spacing, e->epsilon.q, 1);
		return true;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		mpq_set(offset, e->epsilon.q);
		mpq_set(spacing, e->epsilon.q);
		return !e->has_truth;
	case SOTTO_EVENT_GEOMETRIC:
		mpq_mul_2exp(spacing, e->step_epsilon.q, 1);
		mpq_set_ui(offset, e->sensitivity, 1);
		mpq_mul(offset, offset, e->step_epsilon.q);
		return true;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		mpq_set_ui(spacing, e->sensitivity, 1);
		mpq_div(spacing, spacing, e->sigma_squared.q);
		mpq_set_ui(offset, e->sensitivity, 2);
		mpq_canonicalize(offset);
		mpq_mul(offset, offset, spacing);
		return true;
	default:
		return false;
	}
}

static void
note_lattice(struct sotto_loss_measure *m, const struct sotto_event *e, uint64_t count)
{
	mpq_t spacing, offset;

	mpq_inits(spacing, offset, (mpq_ptr)0);
	if (lattice_of(e, spacing, offset))
		join_lattice(m, spacing, offset, count);
	else
		m->lattice = false;
	mpq_clears(spacing, offset, (mpq_ptr)0);
}

static enum sotto_status
add_law(struct sotto_loss_measure *m, const struct sotto_law_class *class,
	const struct sotto_event *e, uint64_t count, struct sotto_law **law)
{
	SOTTO_TRY(sotto_measure_push(m, count, law));
	m->n++;
	(*law)->class = class;
	(*law)->first = sotto_nearest_double(e->first.q);
	(*law)->n = e->whole;
	return SOTTO_OK;
}

static enum sotto_status
add_discrete_gaussian(struct sotto_loss_measure *m, const struct sotto_event *e, uint64_t count)
{
	struct sotto_law *law;

	SOTTO_TRY(add_law(m, &sotto_law_dgauss, e, count, &law));
	law->top = INFINITY;
	sotto_measure_raise_top(m, INFINITY, 0, count);
	return SOTTO_OK;
}

/* The infinite part of an approximate cost is rational: it may use up delta exactly. */
static enum sotto_status
add_approx(struct sotto_loss_measure *m, const struct sotto_event *e, uint64_t count)
{
	struct sotto_pair pair = {0};
	enum sotto_status st;
	mpfr_t delta;

	mpfr_init2(delta, REAL_BITS);
	mpfr_set_q(delta, e->delta.q, MPFR_RNDN);
	sotto_measure_add_infinite(m, delta, true, count);
	mpfr_clear(delta);
	if (mpq_cmp_ui(e->delta.q, 1, 1) == 0 || mpq_sgn(e->epsilon.q) == 0 ||
	    sotto_measure_leave_out_epsilon(m, e->epsilon.q, count))
		return SOTTO_OK;
	SOTTO_TRY(sotto_pair_of(&pair, e, SOTTO_REMOVE));
	for (size_t i = 0; i < pair.n; i++) {
		mpfr_ui_sub(pair.only_q, 1, pair.only_p, MPFR_RNDN);
		mpfr_div(pair.mass[i], pair.mass[i], pair.only_q, MPFR_RNDN);
	}
	mpfr_set_zero(pair.only_p, 1);
	st = sotto_measure_add_pair(m, &pair, count);
	sotto_pair_release(&pair);
	return st;
}

enum sotto_status sotto_measure_add_as_pair(struct sotto_loss_measure *m,
					    const struct sotto_event *e, uint64_t count,
					    enum sotto_direction direction)
{
	struct sotto_pair pair = {0};
	enum sotto_status st;

	if (sotto_work_is_spent(m->work))
		return SOTTO_EREFUSED;
	if (e->kind == SOTTO_EVENT_APPROX)
		return add_approx(m, e, count);
	SOTTO_TRY(sotto_pair_of(&pair, e, direction));
	sotto_work_use(m->work, SOTTO_PAIR_STEPS * (double)pair.n);
	st = sotto_measure_add_pair(m, &pair, count);
	sotto_pair_release(&pair);
	return st;
}

static enum sotto_status
add_geometric(struct sotto_loss_measure *m, const struct sotto_event *e, uint64_t count)
{
	struct sotto_law *law;
	mpq_t total;

	if (e->sensitivity < FEW_STEPS) /* a short sum is quicker than the closed form */
		return sotto_measure_add_as_pair(m, e, count, SOTTO_REMOVE);
	SOTTO_TRY(add_law(m, &sotto_law_geometric, e, count, &law));
	mpq_init(total);
	mpq_set_ui(total, e->sensitivity, 1);
	mpq_mul(total, total, e->step_epsilon.q);
	law->epsilon = sotto_nearest_double(total);
	law->top = sotto_ulps_up(law->epsilon, 1);
	sotto_measure_raise_top(m, law->epsilon, 1 / (1 + exp(-law->step_epsilon)), count);
	mpq_clear(total);
	return SOTTO_OK;
}

enum sotto_status sotto_measure_rate_up(mpq_srcptr rate, double *up)
{
	mpfr_t x;

	mpfr_init2(x, 53);
	mpfr_set_q(x, rate, MPFR_RNDU);
	*up = mpfr_get_d(x, MPFR_RNDU);
	mpfr_clear(x);
	return *up < RATE_MIN ? SOTTO_EREFUSED : SOTTO_OK;
}

/* The top of a sampled Laplace law is an atom. */
static enum sotto_status set_sampled_laplace(struct sotto_loss_measure *m,
					     struct sotto_law *law, uint64_t count,
					     enum sotto_direction direction)
{
	double e = law->noise_epsilon, q = law->rate, top, mass = 0.5;

	law->direction = direction;
	if (direction == SOTTO_REMOVE) {
		top = e < 600 ? log1p(q * expm1(e)) : e + log(q);
		mass *= q + (1 - q) * exp(-e);
	} else {
		top = -log1p(q * expm1(-e));
	}
	law->top = sotto_ulps_up(top, 8);
	sotto_measure_raise_top(m, sotto_ulps_up(top, 8), mass, count);
	m->top_low = sotto_ulps_down(m->top_low, 64);
	return SOTTO_OK;
}

static enum sotto_status add_sampled(struct sotto_loss_measure *m, const struct sotto_event *e,
				     uint64_t count, enum sotto_direction direction)
{
	const struct sotto_event *child = e->children[0];
	struct sotto_law *law;
	bool laplace = child->kind == SOTTO_EVENT_LAPLACE && child->count == 1;
	double rate;

	if (child->kind != SOTTO_EVENT_GAUSSIAN && !laplace)
		return sotto_measure_add_as_pair(m, e, count, direction);
	SOTTO_TRY(sotto_measure_rate_up(e->rate.q, &rate));
	SOTTO_TRY(add_law(m, laplace ? &sotto_law_sampled_laplace : &sotto_law_sampled_gaussian,
			  e, count, &law));
	law->rate = rate;
	if (laplace) {
		law->noise_epsilon = sotto_nearest_double(child->epsilon.q);
		return set_sampled_laplace(m, law, count, direction);
	}
	law->mu = sqrt(sotto_nearest_double(child->mu_squared.q));
	law->direction = direction;
	law->of_many = m->of_many;
	law->of_hundreds = m->of_hundreds;
	if (law->of_many)
		SOTTO_TRY(sotto_sgauss_list(law));
	law->top = INFINITY;
	if (direction == SOTTO_ADD)
		law->top = sotto_ulps_up(-log1p(-law->rate), 4);
	sotto_measure_raise_top(m, law->top, 0, count);
	return SOTTO_OK;
}

static enum sotto_status add_event(struct sotto_loss_measure *m, const struct sotto_event *e,
				   uint64_t count, enum sotto_direction direction)
{
	note_lattice(m, e, count);
	switch (e->kind) {
	case SOTTO_EVENT_LAPLACE: /* gathered by add_laplaces */
		return SOTTO_OK;
	case SOTTO_EVENT_GAUSSIAN: /* summed by add_gaussians */
		return SOTTO_OK;
	case SOTTO_EVENT_GEOMETRIC:
		return add_geometric(m, e, count);
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return add_discrete_gaussian(m, e, count);
	case SOTTO_EVENT_SAMPLED:
		return add_sampled(m, e, count, direction);
	default:
		return sotto_measure_add_as_pair(m, e, count, direction);
	}
}

/* All real Gaussian events are one: mu^2 adds. */
static void add_gaussians(struct sotto_loss_measure *m, const struct sotto_terms *t)
{
	mpq_t sum, part;

	mpq_inits(sum, part, (mpq_ptr)0);
	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].event->kind != SOTTO_EVENT_GAUSSIAN ||
		    sotto_event_is_tiny(t->list[i].event))
			continue;
		mpq_set_ui(part, t->list[i].count, 1);
		mpq_mul(part, part, t->list[i].event->mu_squared.q);
		mpq_add(sum, sum, part);
	}
	m->mu2 = sotto_nearest_double(sum);
	if (m->mu2 > 0)
		sotto_measure_raise_top(m, INFINITY, 0, 1);
	mpq_clears(sum, part, (mpq_ptr)0);
}

enum sotto_status
sotto_measure_add_parallel(struct sotto_loss_measure *m, const struct sotto_term *term,
			   enum sotto_neighbours neighbours, enum sotto_direction direction)
{
	struct sotto_pair pair = {0};
	enum sotto_status st;

	m->lattice = false;
	SOTTO_TRY(sotto_pair_of_cells(&pair, term->event, neighbours, direction, m->work));
	st = sotto_measure_add_pair(m, &pair, term->count);
	sotto_pair_release(&pair);
	return st;
}

/* What a law lacks: at infinity, or a bit less, and left out, at most. */
static void
set_apart(struct sotto_loss_measure *m, double infinite, double left_out, uint64_t count)
{
	mpfr_t one;

	mpfr_init2(one, 64);
	mpfr_set_d(one, infinite, MPFR_RNDD);
	sotto_measure_add_infinite(m, one, false, count);
	mpfr_set_d(one, left_out, MPFR_RNDU);
	sotto_measure_leave_out(m, one, count);
	mpfr_clear(one);
}

/* Disjoint cells of continuous noise, or of that and discrete noise.  No largest loss is known to be an atom. */
static enum sotto_status add_pieces(struct sotto_loss_measure *m, const struct sotto_term *term,
				    enum sotto_direction direction)
{
	struct sotto_law *law;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	SOTTO_TRY(sotto_law_pieces_of(law, term->event, direction, m->work));
	m->n++;
	set_apart(m, sotto_pieces_infinite(law->pieces), sotto_pieces_left_out(law->pieces),
		  term->count);
	m->has_pieces = true;
	m->log_steady += (double)term->count * sotto_pieces_log_steady(law->pieces);
	law->top = sotto_pieces_top(law->pieces);
	sotto_measure_raise_top(m, law->top, 0, term->count);
	return SOTTO_OK;
}

/* A group that has a law of its own; of few events it is cut finer than this pays for. */
static enum sotto_status add_group(struct sotto_loss_measure *m, const struct sotto_term *term,
				   enum sotto_direction direction)
{
	struct sotto_law *law;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	SOTTO_TRY(sotto_law_group_of(law, term->event, direction));
	m->n++;
	law->top = INFINITY;
	sotto_measure_raise_top(m, law->top, 0, term->count);
	return SOTTO_OK;
}

/* Shuffled reports that have a law of their own. */
static enum sotto_status add_clone_pair(struct sotto_loss_measure *m,
					const struct sotto_term *term, double scale,
					bool of_many)
{
	struct sotto_law *law;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	law->of_many = of_many;
	SOTTO_TRY(sotto_law_clone_pair_of(law, term->event, scale, m->work));
	m->n++;
	m->has_clones = true;
	sotto_measure_raise_top(m, law->top, 0, term->count);
	return SOTTO_OK;
}

/* A group in shuffled reports that has a law of its own. */
static enum sotto_status add_clone_group(struct sotto_loss_measure *m,
					 const struct sotto_term *term, double least_gain,
					 bool of_many)
{
	struct sotto_law *law;
	double left_out;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	law->of_many = of_many;
	SOTTO_TRY(sotto_law_clone_group_of(law, term->event, least_gain, m->work, &left_out));
	m->n++;
	m->has_clones = true;
	sotto_measure_raise_top(m, law->top, law->clone_group->top_mass, term->count);
	set_apart(m, 0, left_out, term->count);
	return SOTTO_OK;
}

/* Sampled noise whose outcomes are listed in hardware arithmetic. */
static enum sotto_status add_outcomes(struct sotto_loss_measure *m,
				      const struct sotto_term *term,
				      enum sotto_direction direction)
{
	struct sotto_law *law;
	struct sotto_outcomes_rest rest;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	SOTTO_TRY(sotto_law_outcomes_of(law, term->event, direction, m->work, &rest));
	m->n++;
	m->has_lists = true;
	sotto_measure_raise_top(m, law->top, 0, term->count);
	set_apart(m, rest.infinite, rest.left_out, term->count);
	return SOTTO_OK;
}

static bool has_listed_law(const struct sotto_terms *t, const struct sotto_term *term)
{
	return sotto_law_outcomes_possible(term->event, term->count) ||
	       sotto_pieces_possible(term->event, t->neighbours);
}

/* Pieces take longer, and lists are refused where they would be too long or a group's curve is not convex. */
static enum sotto_status
add_outcomes_or_pieces(struct sotto_loss_measure *m, const struct sotto_terms *t,
		       const struct sotto_term *term, enum sotto_direction direction)
{
	enum sotto_status st = SOTTO_EREFUSED;

	if (sotto_law_outcomes_possible(term->event, term->count))
		st = add_outcomes(m, term, direction);
	if (st == SOTTO_EREFUSED && sotto_pieces_possible(term->event, t->neighbours))
		st = add_pieces(m, term, direction);
	return st;
}

/* Of a few outcomes, so that a finite pair in high precision is soon made. */
static bool is_small_finite(const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (!is_small_finite(e->children[i]))
			return false;
	return e->kind != SOTTO_EVENT_LAPLACE && e->kind != SOTTO_EVENT_GAUSSIAN &&
	       e->kind != SOTTO_EVENT_DISCRETE_GAUSSIAN;
}

static enum sotto_status add_cells(struct sotto_loss_measure *m, const struct sotto_terms *t,
				   const struct sotto_term *term,
				   enum sotto_direction direction)
{
	if (t->n >= SOTTO_PIECES_TERMS && !is_small_finite(term->event) &&
	    sotto_pieces_possible(term->event, t->neighbours))
		return add_pieces(m, term, direction);
	return sotto_measure_add_parallel(m, term, t->neighbours, direction);
}

/* Whether other laws tell much about the size far out: all pieces are of listed outcomes, or most laws are none. */
static bool are_harmless(const struct sotto_loss_measure *m)
{
	bool listed = true;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (m->laws[i].class != &sotto_law_pieces)
			continue;
		n++;
		listed &= sotto_pieces_are_listed(m->laws[i].pieces);
	}
	return listed || 2 * n <= m->n;
}

/* Far nodes of many laws are bounded and not computed; of few they count, and too little may fall with t. */
static enum sotto_status settle_pieces(struct sotto_loss_measure *m, size_t terms)
{
	if (!m->has_pieces)
		return SOTTO_OK;
	if (terms < SOTTO_PIECES_MANY && !(m->of_many && are_harmless(m)))
		return m->mu2 == 0 && m->log_steady > SOTTO_PIECES_STEADY ? SOTTO_EREFUSED
									  : SOTTO_OK;
	for (size_t i = 0; i < m->n; i++)
		if (m->laws[i].class == &sotto_law_pieces)
			m->laws[i].of_many = true;
	m->has_lists = true;
	return SOTTO_OK;
}

enum sotto_status
sotto_measure_add_terms(struct sotto_loss_measure *m, const struct sotto_terms *t,
			enum sotto_direction direction, enum sotto_cut_extent extent)
{
	double scale = sotto_clone_pairs_scale(t), least_gain = sotto_clone_groups_limit(t);

	m->of_many = t->n > MANY_TERMS;
	m->of_hundreds = t->n > HUNDREDS;
	SOTTO_TRY(sotto_measure_add_laplaces(m, t));
	for (size_t i = 0; i < t->n; i++) {
		const struct sotto_term *term = &t->list[i];

		if (sotto_cells_need(term->event, t->neighbours, extent))
			continue;
		if (sotto_measure_leave_out_tiny(m, term->event, term->count))
			continue; /* also of the kinds that are gathered */
		if (term->event->kind == SOTTO_EVENT_PARALLEL)
			SOTTO_TRY(add_cells(m, t, term, direction));
		else if (sotto_clone_pair_is_used(term->event, t->n))
			SOTTO_TRY(add_clone_pair(m, term, scale, t->n > SOTTO_CLONE_PAIR_FEW));
		else if (t->n >= SOTTO_CLONE_GROUP_TERMS &&
			 sotto_clone_group_possible(term->event))
			SOTTO_TRY(add_clone_group(m, term, least_gain,
						  t->n > SOTTO_CLONE_PAIR_FEW));
		else if (m->of_many && sotto_group_possible(term->event))
			SOTTO_TRY(add_group(m, term, direction));
		else if (m->of_many && has_listed_law(t, term))
			SOTTO_TRY(add_outcomes_or_pieces(m, t, term, direction));
		else
			SOTTO_TRY(add_event(m, term->event, term->count, direction));
	}
	add_gaussians(m, t);
	return settle_pieces(m, t->n);
}

enum sotto_status sotto_measure_of(struct sotto_loss_measure *m, const struct sotto_terms *t,
				   enum sotto_direction direction)
{
	enum sotto_status st;

	sotto_measure_init(m);
	m->work = t->work;
	st = sotto_measure_add_terms(m, t, direction, SOTTO_CUT_NONE);
	if (st == SOTTO_OK)
		st = sotto_measure_choose(m);
	if (st != SOTTO_OK) {
		sotto_measure_release(m);
		return st;
	}
	sotto_measure_settle(m);
	return SOTTO_OK;
}
