/* Sorts the cells by their scale. */
#include "core/account/law/clones/law_clone_cells.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/event/event.h"
#include "core/account/law/clones/clone_pair.h"
#include "core/account/law/clones/law_clone_pair.h"
#include "core/base/failure.h"

/* More cells are not compared. */
enum { CELLS_MAX = 16 };

struct cell {
	const struct sotto_event *event;
	struct sotto_clone_pair pair;
};

bool sotto_clone_cells_possible(const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	if (e->kind != SOTTO_EVENT_PARALLEL || neighbours != SOTTO_REPLACE ||
	    e->n_children < 3 || e->n_children > CELLS_MAX)
		return false;
	for (size_t i = 0; i < e->n_children; i++)
		if (e->children[i]->kind != SOTTO_EVENT_SHUFFLE || e->children[i]->count != 1 ||
		    !sotto_clone_pair_possible(e->children[i]))
			return false;
	return true;
}

static int compare_scales(const void *a, const void *b)
{
	double x = sotto_clone_scale(&((const struct cell *)a)->pair),
	       y = sotto_clone_scale(&((const struct cell *)b)->pair);

	return x > y ? -1 : x < y ? 1 : 0;
}

/* The widest first. */
static void sort(const struct sotto_event *e, struct cell *cells)
{
	for (size_t i = 0; i < e->n_children; i++) {
		cells[i].event = e->children[i];
		(void)sotto_clone_pair_of(e->children[i], &cells[i].pair);
	}
	qsort(cells, e->n_children, sizeof *cells, compare_scales);
}

/* The sum of squares of the scales of the two widest. */
static double square_of_cells(const struct sotto_event *e)
{
	struct cell cells[CELLS_MAX];
	double one, other;

	sort(e, cells);
	one = sotto_clone_scale(&cells[0].pair);
	other = sotto_clone_scale(&cells[1].pair);
	return one * one + other * other;
}

double sotto_clone_pairs_scale(const struct sotto_terms *t)
{
	struct sotto_clone_pair pair;
	double sum = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct sotto_event *e = t->list[i].event;
		double count = (double)t->list[i].count;

		if (sotto_clone_pair_of(e, &pair))
			sum += count * pow(sotto_clone_scale(&pair), 2);
		else if (sotto_clone_cells_possible(e, t->neighbours))
			sum += count * square_of_cells(e);
	}
	return sqrt(sum);
}

/* Whether a cell is none of the others, because the form of the worst tells that it is nowhere above. */
static bool is_below(const struct cell *cell, const struct cell *worst)
{
	return sotto_event_dominates(worst->event, cell->event);
}

enum sotto_status sotto_law_clone_cell_of(struct sotto_law *law, const struct sotto_event *e,
					  bool second, double scale, struct sotto_work *work)
{
	struct cell cells[CELLS_MAX];
	struct sotto_clone_pair others[CELLS_MAX];
	size_t n = 0;
	enum sotto_status st;

	sort(e, cells);
	for (size_t i = 2; i < e->n_children; i++)
		if (!is_below(&cells[i], &cells[second]))
			others[n++] = cells[i].pair;
	SOTTO_TRY(sotto_law_clone_pair_of(law, cells[second].event, scale, work));
	st = n > 0 ? sotto_law_clone_pair_raise(law, others, n) : SOTTO_OK;
	if (st != SOTTO_OK)
		law->class->release(law);
	return st;
}
