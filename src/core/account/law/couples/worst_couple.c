/* Compares cells one by one, each between two polygons of its own (couples.md). */
#include "core/account/law/couples/worst_couple.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/event/event.h"
#include "core/account/law/couples/cell_lattice.h"
#include "core/account/law/couples/couple_curve.h"
#include "core/account/law/couples/couples.h"
#include "core/base/failure.h"

/* Places of a cell from 0 to its largest loss, and outcomes of shuffled reports that are looked at. */
enum { PLACES = 128, LIST_PLACES = 600 };
#define OUTCOMES 4e3
/* What values and losses may be wrong by (couples.md). */
#define WRONG 0x1p-36
/* What may be left out of an event: shuffled reports alone come to some 10^-18. */
#define NOTHING 5e-17
/* Steps (work.h) of a cell, and of a comparison. */
#define CELL_STEPS 2e4
#define STEPS 4e4

/* A cell between two polygons, but for what is left out. */
struct cell {
	const struct sotto_event *event;
	size_t child;
	struct sotto_couple_curve above, below;
	double left_out, wrong;
};

static void release(struct cell *cells, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(cells[i].above.place);
		free(cells[i].below.place);
	}
}

static enum sotto_status draw(struct cell *cell, const struct sotto_couple_cell *c)
{
	struct sotto_cell_lattice l;
	double place[PLACES + 4];
	enum sotto_status st;

	SOTTO_TRY(sotto_cell_lattice_of(c, c->top / PLACES, &l));
	for (size_t j = 0; j <= l.n; j++)
		place[j] = exp((double)j * l.d);
	st = sotto_couple_curve_above(l.above, l.n, place, &cell->above);
	if (st == SOTTO_OK)
		st = sotto_couple_curve_below(l.below, l.n, 1, &cell->below);
	cell->left_out = l.left_out;
	cell->wrong = l.wrong + WRONG * (1 + c->top);
	free(l.above);
	if (st == SOTTO_OK) { /* losses, too, may be wrong */
		sotto_couple_curve_move(&cell->above, cell->wrong);
		sotto_couple_curve_move(&cell->below, -cell->wrong);
	}
	return st;
}

static enum sotto_status
make_cell(struct cell *cell, const struct sotto_event *e, size_t child, struct sotto_work *work)
{
	struct sotto_couple_cell c;
	enum sotto_status st;

	cell->event = e->children[child];
	cell->child = child;
	sotto_work_use(work, CELL_STEPS);
	st = sotto_couple_cell_of(cell->event, LIST_PLACES, OUTCOMES, work, &c);
	if (st == SOTTO_OK)
		st = draw(cell, &c);
	sotto_couple_cell_release(&c);
	return st;
}

/* The largest at E = 1 first: no other two can cost more everywhere. */
static int compare(const void *a, const void *b)
{
	double x = ((const struct cell *)a)->below.value[0],
	       y = ((const struct cell *)b)->below.value[0];

	return (x < y) - (x > y);
}

/*
 * The most that one cell is above another, anywhere: both polygons are straight between corners, and on the other side of E = 1 what one is above the other is E times
 * what it is at 1/E.
 */
static double most_above(const struct cell *one, const struct cell *other)
{
	struct sotto_couple_curve c[2] = {one->above, other->below};
	double most = 0;

	c[0].next = c[1].next = 0;
	for (double place = 1; isfinite(place); place = sotto_couple_curves_next(c, 2)) {
		double high = sotto_couple_curve_value(&c[0], place),
		       low = sotto_couple_curve_value(&c[1], place);

		most = fmax(most, high * (1 + one->wrong) - low * (1 - other->wrong));
	}
	return most;
}

/* What all cells but the first two are above one of these, at most. */
static double lack_of(const struct cell *cells, size_t n, size_t which, struct sotto_work *work)
{
	double most = 0;

	for (size_t i = 2; i < n; i++) {
		if (sotto_event_dominates(cells[which].event, cells[i].event))
			continue;
		sotto_work_use(work, STEPS);
		most = fmax(most, cells[i].left_out + most_above(&cells[i], &cells[which]));
	}
	return most;
}

enum sotto_status sotto_worst_couple_of(const struct sotto_event *e, struct sotto_work *work,
					struct sotto_worst_couple *out)
{
	struct cell cells[SOTTO_COUPLE_CELLS] = {0};
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < e->n_children; i++)
		st = make_cell(&cells[i], e, i, work);
	if (st == SOTTO_OK) {
		qsort(cells, e->n_children, sizeof *cells, compare);
		*out = (struct sotto_worst_couple){
			cells[0].child, cells[1].child,
			lack_of(cells, e->n_children, 0, work) +
				lack_of(cells, e->n_children, 1, work)};
		st = out->left_out < NOTHING ? SOTTO_OK : SOTTO_EREFUSED;
	}
	release(cells, e->n_children);
	return st;
}
