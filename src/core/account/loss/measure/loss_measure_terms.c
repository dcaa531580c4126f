/* Building a measure from the terms of a workload. */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/law/between/between_polygons.h"
#include "core/account/law/between/law_between.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/law/clone_groups/clone_group.h"
#include "core/account/law/clone_groups/law_clone_group.h"
#include "core/account/law/clones/law_clone_cells.h"
#include "core/account/law/clones/law_clone_pair.h"
#include "core/account/law/couples/couples.h"
#include "core/account/law/group/law_group.h"
#include "core/account/law/outcomes/law_outcomes.h"
#include "core/account/law/outcomes/wanted_line.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/law/sgauss_cumulants.h"
#include "core/account/loss/finite/finite_pair.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/* From so many distinct events on hardware arithmetic has to do. */
enum { MANY_TERMS = 16 };
/* K of pieces is summed up to so many times the order that is wanted. */
#define HIGHER 3.0
/* And from so many on far nodes are nothing if each law falls a little. */
enum { HUNDREDS = 96 };

void sotto_measure_add_gaussians(struct sotto_loss_measure *m, const struct sotto_terms *t)
{
	mpq_t sum;

	mpq_init(sum);
	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].event->kind != SOTTO_EVENT_GAUSSIAN ||
		    sotto_event_is_tiny(t->list[i].event))
			continue;
		sotto_real_add_up(sum, t->list[i].event->mu_squared.q, t->list[i].count);
	}
	m->mu2 = sotto_nearest_double(sum);
	if (m->mu2 > 0)
		sotto_measure_raise_top(m, INFINITY, 0, 1);
	mpq_clear(sum);
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
				    enum sotto_direction direction,
				    const struct sotto_wanted_line *wanted)
{
	struct sotto_law *law;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	if (isfinite(wanted->order) && !wanted->few) { /* of few laws far nodes count */
		law->listed_reach = HIGHER * wanted->order;
		law->wanted_far = wanted->far;
	}
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

/* Shuffled reports in disjoint cells: the two worst are composed. */
static enum sotto_status add_clone_cells(struct sotto_loss_measure *m,
					 const struct sotto_term *term, double scale,
					 bool of_many)
{
	struct sotto_law *law;

	m->lattice = false;
	for (int i = 0; i < 2; i++) {
		SOTTO_TRY(sotto_measure_push(m, term->count, &law));
		law->of_many = of_many;
		SOTTO_TRY(sotto_law_clone_cell_of(law, term->event, i == 1, scale, m->work));
		m->n++;
		sotto_measure_raise_top(m, law->top, 0, term->count);
	}
	m->has_clones = true;
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

/* An event of which the curve is known to lie between two polygons. */
static enum sotto_status add_between(struct sotto_loss_measure *m,
				     const struct sotto_term *term,
				     const struct sotto_between_share *share, bool of_many)
{
	struct sotto_law *law;
	double left_out;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	law->of_many = of_many;
	SOTTO_TRY(sotto_law_between_of(law, term->event, share, m->work, &left_out));
	m->n++;
	m->has_clones = true;
	sotto_measure_raise_top(m, law->top, 0, term->count);
	set_apart(m, 0, left_out, term->count);
	return SOTTO_OK;
}

/* Sampled noise whose outcomes are listed in hardware arithmetic. */
static enum sotto_status
add_outcomes(struct sotto_loss_measure *m, const struct sotto_term *term,
	     enum sotto_direction direction, const struct sotto_wanted_line *wanted)
{
	struct sotto_law *law;
	struct sotto_outcomes_rest rest;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	SOTTO_TRY(sotto_law_outcomes_of(law, term->event, direction, wanted, m->work, &rest));
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

static bool has_any_listed_law(const struct sotto_terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (has_listed_law(t, &t->list[i]))
			return true;
	return false;
}

/* Pieces take longer, and lists are refused where they would be too long or a group's curve is not convex. */
static enum sotto_status
add_outcomes_or_pieces(struct sotto_loss_measure *m, const struct sotto_terms *t,
		       const struct sotto_term *term, enum sotto_direction direction,
		       const struct sotto_wanted_line *wanted)
{
	enum sotto_status st = SOTTO_EREFUSED;

	if (sotto_law_outcomes_possible(term->event, term->count))
		st = add_outcomes(m, term, direction, wanted);
	if (st == SOTTO_EREFUSED && sotto_pieces_possible(term->event, t->neighbours))
		st = add_pieces(m, term, direction, wanted);
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
				   enum sotto_direction direction,
				   const struct sotto_wanted_line *wanted)
{
	if ((m->patient || t->n >= SOTTO_PIECES_TERMS) && !is_small_finite(term->event) &&
	    sotto_pieces_possible(term->event, t->neighbours))
		return add_pieces(m, term, direction, wanted);
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

/* Limits of laws that depend on all terms. */
struct limits {
	double clone_scale, least_gain;
	struct sotto_between_share between; /* of laws that lie between two polygons */
	struct sotto_couples_share
		couples; /* of disjoint cells that cost what their largest couple does */
	struct sotto_wanted_line wanted;
};

/* Whether the curve of an event is only known to lie between two polygons. */
static bool
is_between(const struct sotto_terms *t, const struct sotto_term *term, double least_gain)
{
	return t->n >= SOTTO_LAW_BETWEEN_TERMS &&
	       sotto_law_between_possible(term->event, t->neighbours) &&
	       !sotto_clone_group_is_taken(term->event, least_gain);
}

/* What each of these may take. */
static enum sotto_status share_between(const struct sotto_terms *t, struct limits *limits)
{
	struct sotto_between_need *needs = malloc((t->n + 1) * sizeof *needs);
	size_t n = 0;

	if (!needs)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		if (is_between(t, &t->list[i], limits->least_gain))
			needs[n++] = sotto_between_need_of(t->list[i].event);
	limits->between = sotto_between_share_of(needs, n);
	free(needs);
	return SOTTO_OK;
}

/* A law of its own may be refused where it would take too many points. */
static enum sotto_status
add_clone_group_or_between(struct sotto_loss_measure *m, const struct sotto_terms *t,
			   const struct sotto_term *term, const struct limits *limits)
{
	bool beside_many = t->n > SOTTO_CLONE_PAIR_FEW;
	enum sotto_status st = add_clone_group(m, term, limits->least_gain, beside_many);

	if (st == SOTTO_EREFUSED && !sotto_work_is_spent(m->work) &&
	    sotto_law_between_possible(term->event, t->neighbours))
		st = add_between(m, term, &limits->between, beside_many);
	return st;
}

static enum sotto_status add_term(struct sotto_loss_measure *m, const struct sotto_terms *t,
				  const struct sotto_term *term, enum sotto_direction direction,
				  const struct limits *limits)
{
	bool beside_many = t->n > SOTTO_CLONE_PAIR_FEW;

	if (t->n >= SOTTO_CLONE_CELLS_TERMS &&
	    sotto_clone_cells_possible(term->event, t->neighbours))
		return add_clone_cells(m, term, limits->clone_scale, beside_many);
	if (sotto_measure_is_couples(t, term->event))
		return sotto_measure_add_couples(m, t, term, direction, &limits->couples,
						 limits->clone_scale);
	if (term->event->kind == SOTTO_EVENT_PARALLEL)
		return add_cells(m, t, term, direction, &limits->wanted);
	if (sotto_clone_pair_is_used(term->event, t->n))
		return add_clone_pair(m, term, limits->clone_scale, beside_many);
	if (is_between(t, term, limits->least_gain))
		return add_between(m, term, &limits->between, beside_many);
	if (t->n >= SOTTO_CLONE_GROUP_TERMS && sotto_clone_group_possible(term->event))
		return add_clone_group_or_between(m, t, term, limits);
	if (m->of_many && sotto_group_possible(term->event))
		return add_group(m, term, direction);
	if (m->of_many && has_listed_law(t, term))
		return add_outcomes_or_pieces(m, t, term, direction, &limits->wanted);
	return sotto_measure_add_event(m, term->event, term->count, direction);
}

/* Takes back the laws of an event that was refused.  None is refused after masses were set apart for it. */
static void take_back(struct sotto_loss_measure *m, size_t n)
{
	for (; m->n > n; m->n--)
		if (m->laws[m->n - 1].class->release)
			m->laws[m->n - 1].class->release(&m->laws[m->n - 1]);
}

/* Whether an event whose law was refused can be cut instead. */
static bool may_be_cut(const struct sotto_loss_measure *m, const struct sotto_terms *t,
		       const struct sotto_term *term)
{
	return !sotto_work_is_spent(m->work) &&
	       sotto_cells_need(term->event, t->neighbours, SOTTO_CUT_ALL);
}

enum sotto_status sotto_measure_add_terms(struct sotto_loss_measure *m,
					  const struct sotto_terms *t,
					  enum sotto_direction direction,
					  enum sotto_cut_extent extent, bool *is_cut)
{
	struct limits limits = {sotto_clone_pairs_scale(t),
				sotto_clone_groups_limit(t),
				{.cells = 0},
				sotto_measure_share_couples(t),
				{INFINITY, INFINITY, false}};

	m->of_many = m->patient || t->n > MANY_TERMS;
	SOTTO_TRY(share_between(t, &limits));
	limits.wanted = sotto_wanted_line_of(t, m->of_many && has_any_listed_law(t));
	m->of_hundreds = t->n > HUNDREDS;
	SOTTO_TRY(sotto_measure_add_laplaces(m, t));
	for (size_t i = 0; i < t->n; i++) {
		const struct sotto_term *term = &t->list[i];
		size_t before = m->n;
		enum sotto_status st;

		if (is_cut)
			is_cut[i] = sotto_cells_need(term->event, t->neighbours, extent);
		if (is_cut && is_cut[i])
			continue;
		if (sotto_measure_leave_out_tiny(m, term->event, term->count))
			continue; /* also of the kinds that are gathered */
		st = add_term(m, t, term, direction, &limits);
		if (st == SOTTO_EREFUSED && extent == SOTTO_CUT_LAWLESS &&
		    may_be_cut(m, t, term)) {
			take_back(m, before);
			is_cut[i] = true;
			continue;
		}
		SOTTO_TRY(st);
	}
	sotto_measure_add_gaussians(m, t);
	return settle_pieces(m, t->n);
}

static enum sotto_status measure_of(struct sotto_loss_measure *m, const struct sotto_terms *t,
				    enum sotto_direction direction, bool patient)
{
	struct sotto_terms settled;
	enum sotto_status st;

	sotto_measure_init(m);
	m->work = t->work;
	m->patient = patient;
	st = sotto_measure_settle_couples(m, t, &settled);
	if (st == SOTTO_OK) {
		st = sotto_measure_add_terms(m, &settled, direction, SOTTO_CUT_NONE, NULL);
		free(settled.list);
	}
	if (st == SOTTO_OK)
		st = sotto_measure_choose(m);
	if (st != SOTTO_OK) {
		sotto_measure_release(m);
		return st;
	}
	sotto_measure_settle(m);
	return SOTTO_OK;
}

enum sotto_status sotto_measure_of(struct sotto_loss_measure *m, const struct sotto_terms *t,
				   enum sotto_direction direction)
{
	return measure_of(m, t, direction, false);
}

enum sotto_status sotto_measure_of_patient(struct sotto_loss_measure *m,
					   const struct sotto_terms *t,
					   enum sotto_direction direction)
{
	return measure_of(m, t, direction, true);
}
