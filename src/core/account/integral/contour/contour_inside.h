/*
 * contour_inside.h - a contour as its files see it: contour.c, contour_nodes.c and contour_blocks.c
 */
#ifndef SOTTO_CONTOUR_INSIDE_H
#define SOTTO_CONTOUR_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/account/integral/contour/contour_kernel.h"
#include "core/account/integral/contour/contour_place.h"
#include "core/account/integral/contour/contour_scan.h"
#include "core/account/loss/measure/loss_measure.h"
#include "sotto/status.h"

/* Nodes that are kept, and blocks of them. */
enum { SOTTO_CONTOUR_CACHE = 13 << 14 };

/* All blocks that are left out weigh less than this beside the first node. */
#define SOTTO_CONTOUR_FAINT 1e-14
/* Aliases of many laws are below exp(-this) of delta. */
#define SOTTO_CONTOUR_ROUGH_DIGITS 22
/* log of what may lie beyond the last node, relative to delta: nearly nothing, and little. */
#define SOTTO_CONTOUR_NEARLY (-25)
#define SOTTO_CONTOUR_LITTLE (-19)

struct sotto_contour {
	const struct sotto_loss_measure *m;
	double c, h, period; /* period = 2 pi/h of the aliases */
	uint64_t nodes; /* number 0 .. nodes - 1 */
	struct sotto_kernel kernel;
	double log_scale, scale_slack; /* K(c), and the rounding error in it */
	double log_delta; /* rough value at the prepared epsilon */
	void **state; /* of each law */
	size_t *order; /* of many laws: those that fall most come first; NULL for few */
	double faded; /* nodes below this are nothing */
	struct sotto_block *cache; /* the blocks that count, or NULL if there are too many */
	size_t cached;
	double faint; /* what the others may add to a sum */
	double budget; /* and what they may weigh together */
	struct sotto_scan scan; /* which of the others need not be made; may be empty */
	double log_tail; /* bound of what lies beyond the last node, log of, before scaling */
	struct sotto_place place;
	bool hopeless; /* nothing can be said */
	bool short_of_nodes; /* more of them would make the sides sharper */
	double node_cost; /* steps that a node takes, roughly */
};

/* ---- contour_nodes.c ---- */

/* What a bound of a law's fall takes (work.h). */
double sotto_contour_decay_steps(const struct sotto_law *law);

/* Of so many laws each node is costly: epsilon good to some 1e-7 is enough. */
bool sotto_contour_is_rough(const struct sotto_loss_measure *m);

/* Looks for nodes after which the integrand is negligible; false if there would be more than most. */
bool sotto_contour_try_short(struct sotto_contour *k, double epsilon, double spacing,
			     double rough, uint64_t most);

/* The same for losses on a lattice, of which one period is everything. */
bool sotto_contour_try_lattice(struct sotto_contour *k, double epsilon, uint64_t most);

/* Whether there is a lattice, and one that is not too fine. */
bool sotto_contour_has_lattice(const struct sotto_contour *k);

/* log of the sum of all nodes, h/pi times, that delta stands for. */
double sotto_contour_log_sum_for(const struct sotto_contour *k, double epsilon);

/* Smoothing with at most the given number of nodes. */
void sotto_contour_set_smooth(struct sotto_contour *k, double epsilon, uint64_t most);

/* Nodes that the work left allows. */
uint64_t sotto_contour_affordable(const struct sotto_contour *k, uint64_t most);

/* The period must hold an even number of a lattice's points. */
void sotto_contour_fit_period(struct sotto_contour *k);

/* How many nodes a workload is good for without smoothing, and whether one of its laws is slow. */
uint64_t sotto_contour_plain_nodes(const struct sotto_loss_measure *m, bool *slow);

/* ---- contour_blocks.c ---- */

/* The product of all laws at the nodes of one block. */
void sotto_contour_fill_block(const struct sotto_contour *k, uint64_t first,
			      struct sotto_block *b);

/* Of many laws those that fall most come first.  Fails: SOTTO_ENOMEM. */
enum sotto_status sotto_contour_sort_laws(struct sotto_contour *k);

/* Whether blocks that weigh little may be left out. */
bool sotto_contour_may_leave_out(const struct sotto_contour *k);

/* How many blocks the nodes make. */
size_t sotto_contour_blocks(const struct sotto_contour *k);

/* What a scan looks at. */
struct sotto_scan_line sotto_contour_scan_line(const struct sotto_contour *k);

/* What is known of a block before it is made. */
double sotto_contour_weight_before(const struct sotto_contour *k,
				   const struct sotto_scan_line *line, size_t i);

/* Keeps all blocks, apart from faint ones; false if there is no room for them. */
bool sotto_contour_fill_cache(struct sotto_contour *k);

/* A block before any law, and what multiplying it by one takes (work.h). */
void sotto_contour_start_block(const struct sotto_contour *k, uint64_t first,
			       struct sotto_block *b);
double
sotto_contour_steps_of(const struct sotto_contour *k, size_t law, const struct sotto_block *b);

/* Of so many blocks in the cache those that are not faint. */
void sotto_contour_keep(struct sotto_contour *k, size_t blocks);

/* ---- contour_by_law.c ---- */

/* Whether nodes are made law by law. */
bool sotto_contour_goes_by_law(const struct sotto_contour *k);

/* As sotto_contour_fill_cache.  Fails: SOTTO_EREFUSED if no work is left; SOTTO_ENOMEM. */
enum sotto_status sotto_contour_fill_by_law(struct sotto_contour *k);

#endif
