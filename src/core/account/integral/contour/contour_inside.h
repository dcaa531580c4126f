/*
 * contour_inside.h - inside of a contour, for contour.c, contour_nodes.c and contour_blocks.c
 */
#ifndef SOTTO_CONTOUR_INSIDE_H
#define SOTTO_CONTOUR_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/account/integral/contour/contour_kernel.h"
#include "core/account/integral/contour/contour_line.h"
#include "core/account/integral/contour/contour_scan.h"
#include "core/account/loss/measure/loss_measure.h"
#include "sotto/status.h"

/* How many nodes are kept, and in which blocks. */
enum { SOTTO_CONTOUR_CACHE = 13 << 14 };
/* And of laws that do not fall, with fewer digits. */
enum { SOTTO_CONTOUR_PACKED = 13 << 16 };

/* A block in whole numbers times a scale; each node is wrong by at most absolute. */
struct sotto_packed_block {
	uint64_t first;
	double absolute, scale;
	int32_t re[SOTTO_BLOCK], im[SOTTO_BLOCK];
};

/* All blocks that are left out weigh less than this relative to the first node. */
#define SOTTO_CONTOUR_FAINT 1e-14
/* Aliases of many laws are below exp(-this) of delta. */
#define SOTTO_CONTOUR_ROUGH_DIGITS 22
/* log of what may lie beyond the last node, relative to delta: almost nothing, and little. */
#define SOTTO_CONTOUR_NEARLY (-25)
#define SOTTO_CONTOUR_LITTLE (-19)

/* A law, and log of how small it is: at the last block that it was looked at for, or somewhere beyond the first nodes. */
struct sotto_fall {
	double log_size;
	size_t law;
};

struct sotto_contour {
	const struct sotto_loss_measure *m;
	double c, h, period; /* period = 2 pi/h of the aliases */
	uint64_t nodes; /* number 0 .. nodes - 1 */
	struct sotto_kernel kernel;
	double log_scale, scale_slack; /* K(c), and the rounding error in it */
	double loose; /* log of how much larger M(c) may be than what nodes are over */
	double log_delta; /* rough value at the prepared epsilon */
	void **state; /* one for each law */
	struct sotto_fall
		*falls; /* of many laws: those that fall most come first; NULL for few */
	double faded; /* nodes below this count as 0 */
	struct sotto_block *cache; /* the blocks that matter, or NULL if there are too many */
	size_t cached;
	struct sotto_packed_block *packed; /* more of them, or NULL (contour_packed.c) */
	size_t n_packed;
	unsigned char *alive; /* a bit for each block that may count; NULL if all may */
	double faint; /* what the others may add to a sum */
	double budget; /* and what they may weigh together */
	struct sotto_scan scan; /* which of the others need not be made; may be empty */
	double log_tail; /* bound of what lies beyond the last node, log of, before scaling */
	struct sotto_contour_line place;
	bool hopeless; /* nothing can be said */
	bool short_of_nodes; /* more nodes would give sharper bounds */
	double node_cost; /* rough number of steps for a node */
};

/* ---- contour.c ---- */

/* Returns how many steps (work.h) it takes to make a law ready for a line. */
double sotto_contour_begin_steps(const struct sotto_law *law, double c);

/* ---- contour_nodes.c ---- */

/* Returns how many steps (work.h) a bound on a law's fall takes. */
double sotto_contour_decay_steps(const struct sotto_law *law);

/* Returns log of a bound of |product of all M(c+iu)/M(c)| for every u from t to end. */
double sotto_contour_log_decay(const struct sotto_contour *k, double t, double end);

/* True if there are so many laws that each node is costly: epsilon to about 1e-7 is then enough. */
bool sotto_contour_is_rough(const struct sotto_loss_measure *m);

/*
 * Looks for nodes after which the integrand is negligible; false if there would be more than
 * `most`.
 */
bool sotto_contour_try_short(struct sotto_contour *k, double epsilon, double spacing,
			     double rough, uint64_t most);

/* Does the same for losses on a lattice, where one period suffices. */
bool sotto_contour_try_lattice(struct sotto_contour *k, double epsilon, uint64_t most);

/* True if there is a lattice that is not too fine. */
bool sotto_contour_has_lattice(const struct sotto_contour *k);

/* Returns log of the sum of all nodes, times h/pi, that delta stands for. */
double sotto_contour_log_sum_for(const struct sotto_contour *k, double epsilon);
/* What blocks that are left out may weigh, for a change of log delta by rest; and what rest is where epsilon need not be sharp. */
double sotto_contour_faint_budget(const struct sotto_contour *k, double epsilon, double rest);
double sotto_contour_rest(const struct sotto_contour *k, double epsilon);

/* Chooses smoothing with at most this many nodes. */
void sotto_contour_set_smooth(struct sotto_contour *k, double epsilon, uint64_t most);

/* Returns how many nodes the remaining work allows, at most `most`. */
uint64_t sotto_contour_affordable(const struct sotto_contour *k, uint64_t most);

/* Makes the period hold an even number of a lattice's points. */
void sotto_contour_fit_period(struct sotto_contour *k);

/*
 * Returns how many nodes a workload is worth without smoothing, and whether one of its laws is
 * slow.
 */
uint64_t sotto_contour_plain_nodes(const struct sotto_loss_measure *m, bool *slow);

/* ---- contour_blocks.c ---- */

/* Computes the product of all laws at the nodes of one block. */
void sotto_contour_fill_block(const struct sotto_contour *k, uint64_t first,
			      struct sotto_block *b);

/* Sorts many laws so that those that fall most come first.  Fails: SOTTO_ENOMEM. */
enum sotto_status sotto_contour_sort_laws(struct sotto_contour *k);

/* True if blocks that weigh little may be left out. */
bool sotto_contour_may_leave_out(const struct sotto_contour *k);

/* Returns how many blocks the nodes form. */
size_t sotto_contour_blocks(const struct sotto_contour *k);

/* Returns what a scan looks at. */
struct sotto_scan_line sotto_contour_scan_line(const struct sotto_contour *k);

/* Returns what is known about the weight of a block before it is computed. */
double sotto_contour_weight_before(const struct sotto_contour *k,
				   const struct sotto_scan_line *line, size_t i);

/* Keeps all blocks except faint ones; false if there is no room for them. */
bool sotto_contour_fill_cache(struct sotto_contour *k);

/* A block before any law, and what multiplying it by one takes (work.h). */
void sotto_contour_start_block(const struct sotto_contour *k, uint64_t first,
			       struct sotto_block *b);
double
sotto_contour_steps_of(const struct sotto_contour *k, size_t law, const struct sotto_block *b);

/* Returns what a block adds to either sum, at most; infinite if it must not be left out. */
double sotto_contour_weight_of(const struct sotto_contour *k, const struct sotto_block *b);

/* Of so many blocks in the cache those that are not faint. */
void sotto_contour_keep(struct sotto_contour *k, size_t blocks);

/* ---- contour_packed.c ---- */

/* Whether nodes are kept in this way. */
bool sotto_contour_is_packed(const struct sotto_contour *k);

/* After smoothing was chosen: finds the blocks that may count, or chooses again where these are too many.  Fails the same way. */
enum sotto_status sotto_contour_smooth_packed(struct sotto_contour *k, double epsilon);

/* Makes all nodes, and keeps them.  Fails: SOTTO_EREFUSED if no work is left; SOTTO_ENOMEM. */
enum sotto_status sotto_contour_fill_packed(struct sotto_contour *k);

/* Unpacks a block. */
void sotto_contour_unpack(const struct sotto_contour *k, size_t i, struct sotto_block *b);

/* ---- contour_by_law.c ---- */

/* Whether nodes are to be made law by law, and whether they are: if there is room for all of them. */
bool sotto_contour_wants_law_by_law(const struct sotto_contour *k);
bool sotto_contour_goes_by_law(const struct sotto_contour *k);

/* As sotto_contour_fill_cache.  Fails: SOTTO_EREFUSED if no work is left; SOTTO_ENOMEM. */
enum sotto_status sotto_contour_fill_by_law(struct sotto_contour *k);

#endif
