/* Which events need cells, and the cells of an event. */
#include <math.h>

#include "core/account/law/between/law_between.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/law/clone_groups/law_clone_group.h"
#include "core/account/law/clones/law_clone_cells.h"
#include "core/account/law/clones/law_clone_pair.h"
#include "core/account/law/couples/couples.h"
#include "core/account/law/group/law_group.h"
#include "core/account/law/outcomes/law_outcomes.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/loss/finite/finite_pair.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

enum { EVEN_CELLS = 1 << 10, EVEN_CELLS_MIN = 1 << 6 };
#define EVEN_NODES 2e6
/* Disjoint cells that have a law of their own beside so few events have it always. */
enum { FEW = 16 };

/* Sampled events that a measure holds without cells. */
static bool has_own_law(const struct sotto_event *e)
{
	const struct sotto_event *child = e->n_children ? e->children[0] : NULL;

	if (e->kind != SOTTO_EVENT_SAMPLED)
		return false;
	switch (child->kind) {
	case SOTTO_EVENT_GAUSSIAN:
		return true;
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return child->count == 1;
	default:
		return sotto_law_outcomes_possible(e, 1) || sotto_pair_is_small(e);
	}
}

bool sotto_cells_need(const struct sotto_event *e, enum sotto_neighbours neighbours,
		      enum sotto_cut_extent extent)
{
	switch (e->kind) {
	case SOTTO_EVENT_PARALLEL:
		return extent == SOTTO_CUT_ALL ||
		       (extent == SOTTO_CUT_LAWLESS && !sotto_pieces_possible(e, neighbours) &&
			!sotto_clone_cells_possible(e, neighbours) &&
			!(sotto_couples_possible(e, neighbours) &&
			  sotto_couples_terms(e) <= FEW));
	case SOTTO_EVENT_GROUP:
		return extent == SOTTO_CUT_ALL ||
		       (extent == SOTTO_CUT_LAWLESS && !sotto_group_possible(e) &&
			!sotto_clone_group_possible(e) &&
			!sotto_law_between_possible(e, neighbours) &&
			!sotto_law_outcomes_possible(e, 1) && !sotto_pair_is_small(e) &&
			!sotto_pieces_possible(e, neighbours));
	case SOTTO_EVENT_SHUFFLE:
		return extent == SOTTO_CUT_ALL ||
		       (extent == SOTTO_CUT_LAWLESS && !sotto_clone_pair_possible(e));
	case SOTTO_EVENT_SAMPLED:
		return extent == SOTTO_CUT_ALL ||
		       (extent == SOTTO_CUT_LAWLESS && !has_own_law(e));
	default:
		return false;
	}
}

static bool contains(const struct sotto_event *e, enum sotto_event_kind kind)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (contains(e->children[i], kind))
			return true;
	return e->kind == kind;
}

bool sotto_cells_possible(const struct sotto_terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (contains(t->list[i].event, SOTTO_EVENT_ZCDP))
			return false;
	return true;
}

bool sotto_cells_are_even(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_SAMPLED && e->children[0]->kind == SOTTO_EVENT_LAPLACE &&
	       e->children[0]->count == 1;
}

/*
 * Of many laws in cells of equal size each has fewer, unless it is known how many it needs.  The atoms of sampled Laplace laws make every node count, of which there are
 * about as many for each law as it has cells: so their number falls with the root of the laws.
 */
static struct sotto_cutting even_cutting(const struct sotto_cutting *cutting, bool has_atoms)
{
	struct sotto_cutting even = *cutting;
	size_t most = EVEN_CELLS;

	if (cutting->all_even && cutting->needs)
		return even;
	if (has_atoms)
		most = (size_t)fmax(EVEN_CELLS_MIN, sqrt(EVEN_NODES / (double)cutting->laws));
	if (cutting->of_many && even.cells > most)
		even.cells = most;
	return even;
}

static enum sotto_status sampled_gaussian(struct sotto_cuts *c, const struct sotto_event *e,
					  enum sotto_direction direction,
					  const struct sotto_cutting *cutting)
{
	double rate, mu = sqrt(mpq_get_d(e->children[0]->mu_squared.q));

	SOTTO_TRY(sotto_measure_rate_up(e->rate.q, &rate));
	return sotto_cells_sampled_gaussian(&c->above, mu, rate, direction, cutting);
}

static enum sotto_status sampled_laplace(struct sotto_cuts *c, const struct sotto_event *e,
					 enum sotto_direction direction,
					 const struct sotto_cutting *cutting)
{
	double rate, epsilon = mpq_get_d(e->children[0]->epsilon.q);

	SOTTO_TRY(sotto_measure_rate_up(e->rate.q, &rate));
	return sotto_cells_sampled_laplace(&c->above, epsilon, rate, direction, cutting);
}

enum sotto_status sotto_cells_of(struct sotto_cuts *c, const struct sotto_event *e,
				 enum sotto_neighbours neighbours,
				 enum sotto_direction direction,
				 const struct sotto_cutting *cutting)
{
	const struct sotto_event *child = e->n_children ? e->children[0] : NULL;
	struct sotto_cutting even =
		even_cutting(cutting, child && child->kind == SOTTO_EVENT_LAPLACE);

	*c = (struct sotto_cuts){.above = {.at = NULL}};
	if (e->kind == SOTTO_EVENT_SHUFFLE)
		return sotto_cells_shuffle(c, e, &even);
	if (e->kind == SOTTO_EVENT_SAMPLED && child->kind == SOTTO_EVENT_GAUSSIAN)
		return sampled_gaussian(c, e, direction, &even);
	if (sotto_cells_are_even(e))
		return sampled_laplace(c, e, direction, &even);
	return sotto_cells_curve(c, e, neighbours, direction, cutting);
}
