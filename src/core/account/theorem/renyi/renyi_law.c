/*
 * Decides by kind; disjoint cells become one law whose cumulant is the largest of the cells' at
 * each order, and which claims nothing off the real line.
 */
#include "core/account/theorem/renyi/renyi_law.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/law_shuffle.h"
#include "core/base/failure.h"

/* What a law takes to begin with, for each of its terms (work.h). */
#define LAW_STEPS 60
/* An answer ends with one such value, whatever is left by then; it may not take more than this. */
#define UP_STEPS_MAX (0.5 * SOTTO_WORK_RENYI)

bool sotto_renyi_has_law(const struct sotto_event *e)
{
	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_GEOMETRIC:
	case SOTTO_EVENT_GAUSSIAN:
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return true;
	case SOTTO_EVENT_SAMPLED:
		return e->children[0]->count == 1 &&
		       e->children[0]->kind != SOTTO_EVENT_EXPONENTIAL &&
		       e->children[0]->kind != SOTTO_EVENT_LAPLACE &&
		       sotto_renyi_has_law(e->children[0]);
	default:
		return false;
	}
}

static bool has_infinite_losses(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_APPROX ||
	       (e->n_children > 0 && has_infinite_losses(e->children[0]));
}

/* Whoever is added or removed is in one cell, whose law is a loss distribution without infinite losses. */
static bool has_cells(const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	if (e->kind != SOTTO_EVENT_PARALLEL || neighbours == SOTTO_REPLACE)
		return false;
	for (size_t i = 0; i < e->n_children; i++)
		if (!sotto_renyi_has_law(e->children[i]) || has_infinite_losses(e->children[i]))
			return false;
	return e->n_children > 0;
}

bool sotto_renyi_has_real_law(const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	return has_cells(e, neighbours) ||
	       (e->kind == SOTTO_EVENT_SHUFFLE && sotto_law_shuffle_fits(e));
}

static double steps_of(const struct sotto_loss_measure *m, double s)
{
	double steps = 0;

	for (size_t i = 0; i < m->n; i++)
		steps += LAW_STEPS * sotto_law_terms(&m->laws[i], s);
	return steps;
}

enum sotto_status
sotto_renyi_measure_up(const struct sotto_loss_measure *m, double s, double *up)
{
	double sum = s * (s + 1) * m->mu2 / 2 * (1 + 16 * SOTTO_U), log_m, slack;

	if (m->work && steps_of(m, s) > UP_STEPS_MAX)
		return SOTTO_EREFUSED;
	for (size_t i = 0; i < m->n; i++) {
		const struct sotto_law *law = &m->laws[i];
		void *state = NULL;
		enum sotto_status st;

		sotto_work_use(m->work, LAW_STEPS * sotto_law_terms(law, s));
		st = law->class->begin(law, s, 1, &state, &log_m, &slack);
		if (state && law->class->end)
			law->class->end(state);
		SOTTO_TRY(st);
		sum += log_m + slack;
	}
	*up = isnan(sum) ? INFINITY : sum * (1 + SOTTO_U * (8 + (double)m->n));
	return SOTTO_OK;
}

/* ---- disjoint cells: of all cells the largest K at each order ---- */

static void cells_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double most[3] = {-INFINITY, 0, 0};

	for (uint64_t i = 0; i < law->n; i++) {
		double one[3];

		sotto_measure_cumulants(&law->cells[i], s, one);
		if (one[0] > most[0])
			for (int j = 0; j < 3; j++)
				most[j] = one[j];
	}
	for (int j = 0; j < 3; j++)
		k[j] += (double)law->count * most[j];
}

/* The cells charge their own work. */
static double cells_terms(const struct sotto_law *law, double s)
{
	(void)s;
	return (double)law->n;
}

static enum sotto_status cells_begin(const struct sotto_law *law, double c, double h,
				     void **state, double *log_m, double *slack)
{
	double most = 0;

	(void)h;
	*state = NULL;
	for (uint64_t i = 0; i < law->n; i++) {
		double up;

		SOTTO_TRY(sotto_renyi_measure_up(&law->cells[i], c, &up));
		most = fmax(most, up);
	}
	*log_m = (double)law->count * most;
	*slack = 2 * SOTTO_U * *log_m;
	return SOTTO_OK;
}

static void cells_apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	(void)law;
	(void)state;
	sotto_block_blur(b);
}

static void cells_release(struct sotto_law *law)
{
	for (uint64_t i = 0; i < law->n; i++)
		sotto_measure_release(&law->cells[i]);
	free(law->cells);
}

static const struct sotto_law_class cells_class = {
	.cumulants = cells_cumulants,
	.terms = cells_terms,
	.begin = cells_begin,
	.apply = cells_apply,
	.release = cells_release,
};

/* One cell more, its repetitions included. */
static enum sotto_status add_cell(struct sotto_law *law, const struct sotto_event *e,
				  const struct sotto_terms *among,
				  enum sotto_direction direction)
{
	struct sotto_terms one;
	enum sotto_status st;

	sotto_terms_init(&one, among->neighbours);
	one.work = among->work;
	st = sotto_terms_add(&one, e, 1);
	if (st == SOTTO_OK) {
		sotto_terms_sort(&one);
		st = sotto_measure_of(&law->cells[law->n], &one, direction);
	}
	if (st == SOTTO_OK)
		law->n++;
	sotto_terms_release(&one);
	return st;
}

static enum sotto_status init_cells(struct sotto_law *law, const struct sotto_event *e,
				    const struct sotto_terms *t, enum sotto_direction direction)
{
	law->class = &cells_class;
	law->cells = calloc(e->n_children, sizeof *law->cells);
	if (!law->cells)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < e->n_children; i++) {
		SOTTO_TRY(add_cell(law, e->children[i], t, direction));
		law->top = fmax(law->top, law->cells[i].top);
	}
	return SOTTO_OK;
}

static enum sotto_status
add_real_law(struct sotto_loss_measure *m, const struct sotto_term *term,
	     const struct sotto_terms *t, enum sotto_direction direction)
{
	struct sotto_law *law;

	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	if (term->event->kind == SOTTO_EVENT_PARALLEL) {
		law->class = &cells_class;
		m->n++;
		SOTTO_TRY(init_cells(law, term->event, t, direction));
		for (uint64_t i = 0; i < law->n; i++)
			sotto_measure_leave_out(m, law->cells[i].left_out, term->count);
	} else {
		law->class = &sotto_law_shuffle;
		m->n++;
		if (!sotto_work_take(m->work, sotto_law_shuffle_steps(term->event, t->n)))
			return SOTTO_EREFUSED;
		SOTTO_TRY(sotto_law_shuffle_init(law, term->event, t->n));
	}
	sotto_measure_raise_top(m, law->top, 0, term->count);
	return SOTTO_OK;
}

enum sotto_status sotto_renyi_add_real_laws(struct sotto_loss_measure *m,
					    const struct sotto_terms *t,
					    enum sotto_direction direction)
{
	for (size_t i = 0; i < t->n; i++)
		if (sotto_renyi_has_real_law(t->list[i].event, t->neighbours))
			SOTTO_TRY(add_real_law(m, &t->list[i], t, direction));
	return SOTTO_OK;
}
