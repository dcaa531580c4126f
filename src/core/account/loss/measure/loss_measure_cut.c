/* A measure above the truth, one below it, and a coarse one that steers (law_cells.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/cells/law_cells.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

/* Cells of a law, and of the measure that steers. */
enum { CELLS = 1 << 16, CELLS_MIN = 1 << 12, COARSE_CELLS = 256 };

/* Of many laws all share so many outcomes, each at most this many. */
enum { OUTCOMES = 1 << 18, OUTCOMES_MAX = 1 << 12 };
/* Far nodes fade beside so many laws; before that they count, and their number grows with the outcomes. */
enum { FADING_LAWS = 100 };
#define OUTCOMES_UNFADED 3e4
#define OUTCOMES_FADED 8e7

/* Of cells that all laws share none gets more. */
#define SHARE_MAX 4e4

/* A lower side that keeps less than the rest of this says nothing anyway, and its logarithm stays finite. */
#define MOST_LOST (1 - 0x1p-50)

static void note_infinite(struct sotto_loss_measure *m, double infinite, uint64_t count)
{
	mpfr_t mass;

	mpfr_init2(mass, 64);
	mpfr_set_d(mass, fmin(1, infinite), MPFR_RNDN);
	sotto_measure_add_infinite(m, mass, false, count);
	mpfr_clear(mass);
}

/* What a side loses: infinite losses above the truth, no losses at all below it. */
static void
note_lost(struct sotto_loss_measure *m, enum sotto_side side, double lost, uint64_t count)
{
	if (side == SOTTO_LOWER)
		m->log_kept += (double)count * log1p(-fmin(lost, MOST_LOST)) * (1 + 0x1p-40);
	else
		note_infinite(m, lost, count);
}

/* Outcomes a gap apart stand for losses between them: a twelfth of its square, on the mean. */
static double grain_of(const struct sotto_law *law)
{
	double sum = 0;

	for (size_t i = 1; i < law->n; i++) {
		double gap = law->loss[i] - law->loss[i - 1];

		sum += 0.5 * (law->mass[i - 1] + law->mass[i]) * gap * gap;
	}
	return sum / 12;
}

/* How coarse a side is: the mean loss, and what distances of outcomes stand for. */
struct coarseness {
	double mean, grain;
};

static enum sotto_status add_cells(struct sotto_loss_measure *m,
				   const struct sotto_cells *cells, enum sotto_side side,
				   uint64_t count, struct coarseness *out)
{
	struct sotto_law *law;
	double lost;

	*out = (struct coarseness){.mean = -INFINITY};

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, count, &law));
	SOTTO_TRY(sotto_cells_law(cells, side, law, &lost));
	note_lost(m, side, lost, count);
	if (side == SOTTO_LOWER)
		note_infinite(m, cells->infinite, count);
	if (law->n == 0) { /* all of it is infinite */
		law->class->release(law);
		return SOTTO_OK;
	}
	m->n++;
	*out = (struct coarseness){law->mean, grain_of(law)};
	sotto_measure_raise_top(m, law->top, law->mass[law->n - 1], count);
	return SOTTO_OK;
}

static enum sotto_status
add_coarse(struct sotto_loss_measure *m, const struct sotto_cells *cells, uint64_t count)
{
	struct coarseness ignored;
	struct sotto_cells coarse;
	enum sotto_status st;

	SOTTO_TRY(sotto_cells_merge(cells, cells->n / COARSE_CELLS + 1, &coarse));
	st = add_cells(m, &coarse, SOTTO_UPPER, count, &ignored);
	sotto_cells_release(&coarse);
	return st;
}

/*
 * What cutting has done to the variance: twice the integral of how far apart the two curves are, which is the difference of their means.  Distances
 * alone count outcomes that are truly apart too.
 */
static void add_grain(struct sotto_cut_measures *m, const struct coarseness *above,
		      const struct coarseness *below, uint64_t count)
{
	double apart = 2 * fmax(0, above->mean - below->mean);

	m->above.grain += (double)count * fmin(above->grain, apart);
	m->below.grain += (double)count * fmin(below->grain, apart);
}

static enum sotto_status add_cut(struct sotto_cut_measures *m, const struct sotto_term *term,
				 enum sotto_neighbours neighbours,
				 enum sotto_direction direction,
				 const struct sotto_cutting *cutting)
{
	struct coarseness above, below;
	struct sotto_cuts cuts;
	enum sotto_status st =
		sotto_cells_of(&cuts, term->event, neighbours, direction, cutting);

	if (st == SOTTO_OK)
		st = add_cells(&m->above, &cuts.above, SOTTO_UPPER, term->count, &above);
	if (st == SOTTO_OK)
		st = add_cells(&m->below,
			       cuts.below.at || cuts.below.loss ? &cuts.below : &cuts.above,
			       SOTTO_LOWER, term->count, &below);
	if (st == SOTTO_OK && cutting->of_many)
		add_grain(m, &above, &below, term->count);
	if (st == SOTTO_OK && !cutting->of_many)
		st = add_coarse(&m->coarse, &cuts.above, term->count);
	sotto_cells_release(&cuts.above);
	sotto_cells_release(&cuts.below);
	return st;
}

/* Of both measures that bound from above; below them it is nothing. */
static bool leave_out_tiny(struct sotto_cut_measures *m, const struct sotto_term *term)
{
	return sotto_measure_leave_out_tiny(&m->above, term->event, term->count) &&
	       sotto_measure_leave_out_tiny(&m->coarse, term->event, term->count);
}

/* How many of the cells that were left the last law has. */
static size_t used_by_last(const struct sotto_loss_measure *m, size_t left)
{
	size_t n = m->n ? m->laws[m->n - 1].n : 0;

	return n < left ? n : left;
}

/* The next law's part of the cells that are left for it and those after it. */
static size_t share_of(const struct sotto_cutting *cutting, size_t law, size_t left)
{
	double sum = 0;

	for (size_t i = law; i < cutting->laws; i++)
		sum += cutting->needs[i];
	return (size_t)fmin(SHARE_MAX, (double)left * cutting->needs[law] / sum);
}

size_t sotto_cutting_cells(size_t laws, bool of_many)
{
	double each = (double)laws + 1;
	size_t cells = CELLS;

	if (of_many) { /* nodes, too, grow with the outcomes */
		double most = each < FADING_LAWS ? OUTCOMES_UNFADED / each
						 : sqrt(OUTCOMES_FADED / each);

		return (size_t)fmin(fmin(OUTCOMES / each, OUTCOMES_MAX), most);
	}
	while (cells > CELLS_MIN && laws * cells > CELLS) /* all stay within memory */
		cells /= 2;
	return cells;
}

/*
 * Laws that were refused are cut as well, and share what each may have; what they need of a fine
 * cut is not known.
 */
static enum sotto_status share_cutting(const struct sotto_cutting *cutting,
				       const struct sotto_terms *t, const bool *is_cut,
				       struct sotto_cutting *shared)
{
	size_t laws = 0, cells;

	for (size_t i = 0; i < t->n; i++)
		laws += is_cut[i];
	*shared = *cutting;
	if (laws <= cutting->laws)
		return SOTTO_OK;
	if (cutting->needs || laws > SOTTO_CUT_LAWS_MAX)
		return SOTTO_EREFUSED;
	cells = sotto_cutting_cells(laws, cutting->of_many);
	shared->cells = cells < cutting->cells ? cells : cutting->cells;
	shared->laws = laws;
	return SOTTO_OK;
}

static enum sotto_status add_all_cut(struct sotto_cut_measures *m, const struct sotto_terms *t,
				     enum sotto_direction direction,
				     const struct sotto_cutting *cutting, bool *is_cut)
{
	struct sotto_cutting each;
	size_t laws, left, law = 0;

	SOTTO_TRY(sotto_measure_add_terms(&m->above, t, direction, cutting->extent, is_cut));
	SOTTO_TRY(sotto_measure_borrow(&m->below, &m->above));
	if (!cutting->of_many)
		SOTTO_TRY(sotto_measure_borrow(&m->coarse, &m->above));
	SOTTO_TRY(share_cutting(cutting, t, is_cut, &each));
	laws = each.laws;
	left = each.cells;
	for (size_t i = 0; i < t->n; i++) {
		if (!is_cut[i] || leave_out_tiny(m, &t->list[i]))
			continue;
		if (cutting->needs) {
			each.cells = share_of(cutting, law, left);
			each.laws = laws - law;
		}
		SOTTO_TRY(add_cut(m, &t->list[i], t->neighbours, direction, &each));
		left -= used_by_last(&m->above, left);
		law++;
	}
	SOTTO_TRY(sotto_measure_choose(&m->coarse));
	return sotto_measure_choose(&m->above);
}

enum sotto_status sotto_measure_cut(struct sotto_cut_measures *m, const struct sotto_terms *t,
				    enum sotto_direction direction,
				    const struct sotto_cutting *cutting)
{
	bool *is_cut = calloc(t->n + 1, sizeof *is_cut);
	enum sotto_status st = SOTTO_ENOMEM;

	sotto_measure_init(&m->above);
	sotto_measure_init(&m->below);
	sotto_measure_init(&m->coarse);
	m->above.work = m->below.work = m->coarse.work = t->work;
	m->above.rough = m->below.rough =
		cutting->needs; /* as sharp as outcomes are, and no sharper */
	if (is_cut)
		st = add_all_cut(m, t, direction, cutting, is_cut);
	free(is_cut);
	if (st != SOTTO_OK) {
		sotto_cut_measures_release(m);
		return st;
	}
	sotto_measure_settle(&m->above);
	sotto_measure_settle(&m->below);
	sotto_measure_settle(&m->coarse);
	return SOTTO_OK;
}

void sotto_cut_measures_release(struct sotto_cut_measures *m)
{
	sotto_measure_release(&m->below);
	sotto_measure_release(&m->coarse);
	sotto_measure_release(&m->above);
}
