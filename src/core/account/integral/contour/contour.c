/*
 * (1) Whatever c, h and the number of nodes are, the two sides hold.
 * (2) Aliasing only adds; truncation and rounding are charged to both sides.
 * (3) With smoothing the two sides use different kernels, each a bound by convexity.
 */
#include "core/account/integral/contour/contour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/integral/contour/contour_inside.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/law/rare/rare_atoms.h"
#include "core/base/failure.h"

enum {
	NODES_MIN = 64,
	SCANNED = 8, /* laws from which on a scan is worth it */
	SCANNED_BLOCKS = 4 /* and blocks */
};

/* What a law does for each of its terms before the first node (work.h). */
#define BEGIN_STEPS 40
#define QUICK_STEPS 12
#define QUADRATURE_STEPS 180
#define ATOMS_STEPS 120
/* Aliases are below exp(-DIGITS) of delta. */
#define DIGITS 38
/* With many laws a node counts as 0 once it is below this part of the whole sum. */
#define FADED_OF_MANY 1e-10

static void end_laws(struct sotto_contour *k)
{
	for (size_t i = 0; k->state && i < k->m->n; i++)
		if (k->m->laws[i].class->end && k->state[i])
			k->m->laws[i].class->end(k->state[i]);
	free(k->state);
	k->state = NULL;
}

void sotto_contour_free(struct sotto_contour *k)
{
	if (!k)
		return;
	end_laws(k);
	free(k->falls);
	free(k->cache);
	free(k->packed);
	free(k->alive);
	sotto_scan_release(&k->scan);
	sotto_kernel_release(&k->kernel);
	free(k);
}

bool sotto_contour_was_too_bold(const struct sotto_contour *k, double log_high)
{
	return !k->hopeless && log_high < k->log_delta - 3;
}

bool sotto_contour_wants_nodes(const struct sotto_contour *k)
{
	return k->kernel.kind == SOTTO_KERNEL_SMOOTH && k->short_of_nodes;
}

double sotto_contour_slope(const struct sotto_contour *k)
{
	return -k->c;
}

/* An integral's terms take more than atoms, and those of one law of many less. */
double sotto_contour_begin_steps(const struct sotto_law *law, double c)
{
	double each =
		law->class == &sotto_law_points || law->class == &sotto_law_fine_points ||
				law->class == &sotto_law_pieces /* which counts points itself */
			? QUICK_STEPS
			: law->of_hundreds             ? ATOMS_STEPS
			  : law->loss && !law->of_many ? BEGIN_STEPS
						       : QUADRATURE_STEPS;

	return 300 + each * sotto_law_terms(law, c);
}

static enum sotto_status begin_laws(struct sotto_contour *k)
{
	const struct sotto_loss_measure *m = k->m;
	double log_m, slack, gauss = k->c * (k->c + 1) * m->mu2 / 2;

	k->log_scale = gauss;
	k->scale_slack = 8 * SOTTO_U * gauss;
	k->state = calloc(m->n + 1, sizeof *k->state);
	if (!k->state)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < m->n; i++) {
		const struct sotto_law *law = &m->laws[i];

		if (!sotto_work_take(m->work, sotto_contour_begin_steps(law, k->c)))
			return SOTTO_EREFUSED;
		SOTTO_TRY(law->class->begin(law, k->c, k->h, &k->state[i], &log_m, &slack));
		k->log_scale += log_m;
		if (law->class->by_its_own) {
			k->loose += slack;
			slack = 8 * SOTTO_U * ((double)law->count + fabs(log_m));
		}
		k->scale_slack += slack + SOTTO_U * fabs(k->log_scale);
	}
	return SOTTO_OK;
}

/* Nodes of laws with very many atoms must be kept, even if that makes answers wider. */
static bool must_keep(const struct sotto_contour *k)
{
	for (size_t i = 0; i < k->m->n; i++)
		if (k->m->laws[i].class == &sotto_law_cloud)
			return true;
	return false;
}

/* Of many laws most blocks are nothing, which their heaviest outcomes tell: farther out laws may take more steps at each node. */
static enum sotto_status scan_plain(struct sotto_contour *k)
{
	struct sotto_scan_line line = sotto_contour_scan_line(k);

	if (k->kernel.kind != SOTTO_KERNEL_PLAIN || !sotto_contour_is_rough(k->m) ||
	    k->m->n < SCANNED || sotto_contour_blocks(k) < SCANNED_BLOCKS)
		return SOTTO_OK;
	return sotto_scan_make(&k->scan, sotto_contour_blocks(k), &line, false);
}

/*
 * Smoothing with as many nodes as are wanted, of which those that matter are few; or else with
 * as many as the work allows.
 */
static enum sotto_status smooth(struct sotto_contour *k, double epsilon, uint64_t nodes)
{
	struct sotto_scan_line line;
	size_t alive = 0;

	sotto_contour_set_smooth(k, epsilon, nodes);
	if (sotto_contour_is_packed(k))
		return sotto_contour_smooth_packed(k, epsilon);
	if (k->nodes > SOTTO_CONTOUR_CACHE && sotto_contour_wants_law_by_law(k))
		sotto_contour_set_smooth(k, epsilon, SOTTO_CONTOUR_CACHE - 4);
	if (sotto_contour_goes_by_law(k))
		return SOTTO_OK;
	if (k->hopeless || k->m->n < SCANNED || !sotto_contour_may_leave_out(k)) {
		sotto_contour_set_smooth(k, epsilon, sotto_contour_affordable(k, nodes));
		return SOTTO_OK;
	}
	line = sotto_contour_scan_line(k);
	SOTTO_TRY(sotto_scan_make(&k->scan, sotto_contour_blocks(k), &line, true));
	for (size_t i = 0; i < sotto_contour_blocks(k); i++)
		alive += !(sotto_contour_weight_before(k, &line, i) <= k->scan.cut);
	if (alive * SOTTO_BLOCK <= sotto_contour_affordable(k, SOTTO_CONTOUR_CACHE))
		return SOTTO_OK;
	sotto_scan_release(&k->scan);
	sotto_contour_set_smooth(k, epsilon, sotto_contour_affordable(k, nodes));
	return SOTTO_OK;
}

static enum sotto_status prepare(struct sotto_contour *k,
				 const struct sotto_loss_measure *steer, double epsilon,
				 double log_delta, uint64_t nodes)
{
	uint64_t most;
	bool slow;

	k->node_cost = sotto_measure_node_cost(k->m);
	k->place.top = k->m->top;
	k->place.digits = sotto_contour_is_rough(k->m) ? SOTTO_CONTOUR_ROUGH_DIGITS : DIGITS;
	sotto_contour_line_find(&k->place, steer, epsilon, log_delta);
	k->c = k->place.c;
	k->log_delta = k->place.log_delta;
	k->period = k->place.period;
	sotto_contour_fit_period(k);
	k->h = 2 * M_PI / k->period;
	k->hopeless = !(k->h > 0 && isfinite(k->period) && isfinite(k->c * epsilon));
	if (k->hopeless) /* losses that pass the largest double */
		return SOTTO_OK;
	if (!sotto_work_take(k->m->work, 2e4))
		return SOTTO_EREFUSED;
	SOTTO_TRY(begin_laws(k));
	k->budget = sotto_contour_faint_budget(k, epsilon, sotto_contour_rest(k, epsilon));
	k->faded = SOTTO_FADED;
	if (sotto_contour_is_rough(k->m))
		k->faded =
			fmax(SOTTO_FADED, FADED_OF_MANY * fmin(1, k->c) *
						  exp(sotto_contour_log_sum_for(k, epsilon)));
	most = sotto_contour_affordable(k, nodes);
	if (!(sotto_contour_has_lattice(k) && sotto_contour_try_lattice(k, epsilon, most))) {
		sotto_kernel_plain(&k->kernel);
		if (!sotto_contour_try_short(
			    k, epsilon, 0, SOTTO_CONTOUR_NEARLY,
			    sotto_contour_affordable(k,
						     sotto_contour_plain_nodes(k->m, &slow))) &&
		    !(!slow && sotto_contour_try_short(k, epsilon, 0, SOTTO_CONTOUR_LITTLE,
						       most < SOTTO_CONTOUR_CACHE
							       ? most
							       : SOTTO_CONTOUR_CACHE))) {
			if (slow)
				k->hopeless = true;
			else
				SOTTO_TRY(smooth(k, epsilon, nodes));
		}
	}
	if (!k->hopeless)
		SOTTO_TRY(scan_plain(k));
	if (!k->hopeless)
		SOTTO_TRY(sotto_contour_sort_laws(k));
	if (sotto_contour_is_packed(k))
		SOTTO_TRY(sotto_contour_fill_packed(k));
	else if (sotto_contour_goes_by_law(k))
		SOTTO_TRY(sotto_contour_fill_by_law(k));
	else if (!sotto_contour_fill_cache(k) && k->kernel.kind == SOTTO_KERNEL_SMOOTH &&
		 must_keep(k)) {
		sotto_contour_set_smooth(k, epsilon, SOTTO_CONTOUR_CACHE);
		(void)sotto_contour_fill_cache(k);
	}
	if (k->cached) /* all is there */
		end_laws(k);
	return SOTTO_OK;
}

enum sotto_status
sotto_contour_new(const struct sotto_loss_measure *m, const struct sotto_loss_measure *steer,
		  double epsilon, double log_delta, uint64_t nodes, struct sotto_contour **out)
{
	struct sotto_contour *k = calloc(1, sizeof *k);
	enum sotto_status st;

	if (!k)
		return SOTTO_ENOMEM;
	k->m = m;
	sotto_kernel_init(&k->kernel);
	st = prepare(k, steer, epsilon, log_delta, nodes > NODES_MIN ? nodes : NODES_MIN);
	if (st != SOTTO_OK) {
		sotto_contour_free(k);
		return st;
	}
	*out = k;
	return SOTTO_OK;
}

/* Turns the kernel's sums into bounds of log delta. */
static void conclude(const struct sotto_contour *k, double epsilon,
		     const struct sotto_kernel_sums *sums, double *log_low, double *log_high)
{
	double exponent = k->log_scale - k->c * epsilon;
	double slack = k->scale_slack +
		       4 * SOTTO_U * (fabs(k->log_scale) + k->c * fabs(epsilon)) + 16 * SOTTO_U;
	double tail = exp(k->log_tail + k->loose), step = k->h / M_PI;
	double high = step * (sotto_sum_total(&sums->high) + sums->error) + tail;
	double low = step * (sotto_sum_total(&sums->low) - sums->error) - tail -
		     exp(fmin(700, sotto_contour_line_log_alias(&k->place, epsilon, k->period) -
					   exponent + slack)) *
			     k->kernel.alias_factor;

	if (k->m->singles && k->kernel.kind == SOTTO_KERNEL_SMOOTH) {
		double above, below;

		sotto_rare_atoms_excess(k->m->singles, epsilon, k->kernel.tau, exponent + slack,
					&above, &below);
		high -= above;
		low += below;
	}
	/* a high side that is not positive is a failed one, and says nothing */
	*log_high = high > 0 ? fmin(0, exponent + slack + log(high)) : 0;
	*log_low = low > 0 ? exponent - slack + log(low) : -INFINITY;
}

/* For a block. */
static double kernel_steps(const struct sotto_kernel *k)
{
	static const double steps[] = {[SOTTO_KERNEL_PLAIN] = 10,
				       [SOTTO_KERNEL_LATTICE] = 40,
				       [SOTTO_KERNEL_SMOOTH] = 20};

	return SOTTO_BLOCK * steps[k->kind];
}

enum sotto_status
sotto_contour_delta(struct sotto_contour *k, double epsilon, double *log_low, double *log_high)
{
	struct sotto_kernel_sums sums;
	struct sotto_block scratch;

	*log_low = -INFINITY;
	*log_high = epsilon >= k->m->top ? -INFINITY : 0;
	if (k->hopeless || epsilon >= k->m->top)
		return SOTTO_OK;
	if (!sotto_work_take(k->m->work,
			     (double)(k->cached + k->n_packed) * kernel_steps(&k->kernel)))
		return SOTTO_EREFUSED;
	sotto_kernel_begin(&k->kernel, epsilon, k->nodes, &sums);
	for (size_t i = 0; i < k->cached; i++)
		sotto_kernel_add(&k->kernel, &k->cache[i], &sums);
	for (size_t i = 0; i < k->n_packed; i++) {
		sotto_contour_unpack(k, i, &scratch);
		sotto_kernel_add(&k->kernel, &scratch, &sums);
	}
	for (uint64_t first = 0; first < k->nodes && !k->cached; first += SOTTO_BLOCK) {
		if (sotto_work_is_spent(k->m->work))
			return SOTTO_EREFUSED;
		sotto_work_use(k->m->work, kernel_steps(&k->kernel));
		sotto_contour_fill_block(k, first, &scratch);
		sotto_kernel_add(&k->kernel, &scratch, &sums);
	}
	sums.error += k->faint * exp(k->loose);
	sotto_kernel_end(&sums);
	conclude(k, epsilon, &sums, log_low, log_high);
	return SOTTO_OK;
}
