/*
 * (1) Whatever c, h and the number of nodes are, the two sides hold.
 * (2) Aliasing only adds; truncation and rounding are charged to both sides.
 * (3) With smoothing the two sides use different kernels, each a bound by convexity.
 */
#include "core/account/integral/contour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/contour_kernel.h"
#include "core/account/integral/contour_place.h"
#include "core/account/integral/contour_scan.h"
#include "core/base/failure.h"

enum {
	CACHE_MAX = 13 << 14,
	ROOM = CACHE_MAX / SOTTO_BLOCK + 2,
	SLOW_NODES = 1 << 12,
	NODES_MIN = 64,
	MANY_LAWS = 16, /* so many that each node is costly */
	OFTEN = 8, /* laws after which a block may have faded */
	SCANNED = 8 /* laws from which on a scan is worth it */
};

/* All blocks that are left out weigh less than this beside the first node. */
#define FAINT 1e-14
/* What a law does for each of its terms before the first node, and for a bound of its fall (work.h). */
#define BEGIN_STEPS 40
#define QUICK_STEPS 12
#define QUADRATURE_STEPS 180
#define DECAY_STEPS 40
/* Smoothing adds this part of the variance that cutting has added. */
#define GRAIN 0.25
/* Aliases are below exp(-DIGITS) of delta. */
#define DIGITS 38
#define ROUGH_DIGITS 22
/* log of what may lie beyond the last node, relative to delta: nearly nothing, and little. */
#define NEARLY (-25)
#define LITTLE (-19)
/* Of many laws a node is nothing once it is below this part of the whole sum. */
#define FADED_OF_MANY 1e-10

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
	free(k->order);
	free(k->cache);
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
static double begin_steps(const struct sotto_law *law, double c)
{
	double each = law->class == &sotto_law_points ? QUICK_STEPS
		      : law->loss && !law->of_many    ? BEGIN_STEPS
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

		if (!sotto_work_take(m->work, begin_steps(law, k->c)))
			return SOTTO_EREFUSED;
		SOTTO_TRY(law->class->begin(law, k->c, k->h, &k->state[i], &log_m, &slack));
		k->log_scale += log_m;
		k->scale_slack += slack + SOTTO_U * fabs(k->log_scale);
	}
	return SOTTO_OK;
}

/* Few atoms are looked at in pairs. */
static double decay_steps(const struct sotto_law *law)
{
	double n = (double)law->n;

	return DECAY_STEPS + (law->class == &sotto_law_atoms ? 4 * n * n : 0);
}

/* log of a bound of |product of all M(c+iu)/M(c)| for every u from t to end */
static double log_decay(const struct sotto_contour *k, double t, double end)
{
	double sum = -0.5 * k->m->mu2 * t * t * (1 - 0x1p-40);

	for (size_t i = 0; i < k->m->n; i++) {
		const struct sotto_law *law = &k->m->laws[i];

		if (!law->class->log_decay)
			continue;
		sotto_work_use(k->m->work, decay_steps(law));
		sum += fmin(0, law->class->log_decay(law, k->state[i], k->c, t, end));
	}
	return sum;
}

/*
 * Sum over nodes from t on of |f| h/pi.  The plain kernel falls as 1/t^2: at most
 * exp(decay)/(pi t).  The lattice kernel is at most (pi^2/4) exp((c+1) d) times that.
 */
static double log_tail(const struct sotto_contour *k, double t, double spacing)
{
	double end = spacing > 0 ? M_PI / spacing : INFINITY;
	double tail = log_decay(k, t, end) - log(M_PI * t);

	return spacing > 0 ? tail + log(M_PI * M_PI / 4) + (k->c + 1) * spacing : tail;
}

/*
 * The least number of nodes whose tail is below the tolerance (relative, log), or
 * 0 if more than most would be needed.
 */
static uint64_t enough_nodes(const struct sotto_contour *k, double epsilon, double tolerance,
			     double spacing, uint64_t most)
{
	double need = tolerance + k->log_delta - (k->log_scale - k->c * epsilon);
	uint64_t low = 8, high = 8;

	while (log_tail(k, k->h * (double)(high - 1), spacing) > need) {
		low = high;
		high *= 2;
		if (high > most)
			return 0;
	}
	while (high - low > 1 + low / 16) {
		uint64_t middle = low + (high - low) / 2;

		if (log_tail(k, k->h * (double)(middle - 1), spacing) > need)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static size_t count_laws(const struct sotto_loss_measure *m)
{
	size_t n = m->n;

	for (size_t i = 0; i < m->n; i++)
		n += m->laws[i].class == &sotto_law_laplace ? m->laws[i].n : 0;
	return n;
}

/* Of so many laws each node is costly: epsilon good to some 1e-7 is enough. */
static bool is_rough(const struct sotto_loss_measure *m)
{
	return count_laws(m) > MANY_LAWS;
}

/* Looks for nodes after which the integrand is negligible: to 1e-14, or at least to rough. */
static bool
try_short(struct sotto_contour *k, double epsilon, double spacing, double rough, uint64_t most)
{
	uint64_t n =
		enough_nodes(k, epsilon, is_rough(k->m) ? -ROUGH_DIGITS : -32, spacing, most);

	if (!n)
		n = enough_nodes(k, epsilon, rough, spacing, most);
	if (!n)
		return false;
	k->nodes = n;
	k->log_tail = log_tail(k, k->h * (double)(n - 1), spacing);
	return true;
}

/*
 * All losses on a lattice: one period of the integrand has everything, and often
 * its first part is enough.  False if that would be too many nodes.
 */
static bool try_lattice(struct sotto_contour *k, double epsilon, uint64_t most)
{
	double d = mpq_get_d(k->m->spacing);
	uint64_t half = (uint64_t)llround(k->period / (2 * d));

	sotto_kernel_lattice(&k->kernel, k->m, 2 * half);
	if (try_short(k, epsilon, d, NEARLY, most < half ? most : half))
		return true;
	if (half + 1 > most)
		return false;
	k->nodes = half + 1;
	k->log_tail = -INFINITY;
	return true;
}

static bool has_lattice(const struct sotto_contour *k)
{
	return k->m->lattice && k->m->mu2 == 0 && k->period / mpq_get_d(k->m->spacing) < 0x1p50;
}

/* How wide smoothing may make epsilon. */
static double width_for(const struct sotto_contour *k, double epsilon)
{
	double scale = epsilon + 1 / k->c;

	return is_rough(k->m) ? fmin(1e-6 * scale, fmax(4e-7, 4e-10 * scale)) : 1e-10 * scale;
}

/* log of the sum of all nodes, h/pi times, that delta stands for */
static double log_sum_for(const struct sotto_contour *k, double epsilon)
{
	return fmin(0, k->log_delta - (k->log_scale - k->c * epsilon));
}

/*
 * Smoothing: the width it adds is about (c+1) tau^2 in epsilon, the nodes needed reach/(tau h).  Where
 * epsilon need not be sharp, blocks may be left out until they add a fifth of that width, and beyond the reach
 * lies less than a hundredth.
 */
static void set_smooth(struct sotto_contour *k, double epsilon, uint64_t most)
{
	double width = fmax(width_for(k, epsilon), GRAIN * k->m->grain * (k->c + 1)),
	       want = sqrt(width / (k->c + 1)), tau, reach = SOTTO_KERNEL_REACH,
	       rest = fmin(width * k->c, 1e-3);

	k->budget = FAINT / (k->c * k->c);
	if (is_rough(k->m)) {
		double log_sum = log_sum_for(k, epsilon);

		k->budget = fmax(k->budget, 0.2 * rest * exp(log_sum) * M_PI / k->h);
		reach = fmin(reach, sqrt(2 * (-log_sum - log(0.01 * rest))));
	}
	tau = fmax(want, reach / (k->h * (double)most));
	k->short_of_nodes = tau > want;
	k->hopeless = !(tau > 0 && isfinite(tau));
	if (k->hopeless)
		return;
	k->nodes = (uint64_t)(reach / (k->h * tau)) + 2;
	sotto_kernel_smooth(&k->kernel, k->c, tau);
	k->log_tail = sotto_kernel_log_tail(&k->kernel, k->c, k->h * (double)(k->nodes - 1));
}

static void start_block(const struct sotto_contour *k, uint64_t first, struct sotto_block *b)
{
	double mu2 = k->m->mu2;

	b->c = k->c;
	b->h = k->h;
	b->first = first;
	b->n = SOTTO_BLOCK;
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = k->h * (double)(first + j);
		struct cx z = cx_exp(-0.5 * mu2 * t * t, t * (k->c + 0.5) * mu2);

		b->re[j] = z.re;
		b->im[j] = z.im;
		b->relative[j] = SOTTO_U * (4 + 8 * mu2 * t * (t + k->c + 1));
		b->absolute[j] = 0;
	}
}

/* Nodes that the work left allows; more than can be kept are made anew for each of a dozen values. */
static uint64_t affordable(const struct sotto_contour *k, uint64_t most)
{
	double n = k->m->work ? k->m->work->left / (2 * k->node_cost) : INFINITY;

	if (n > CACHE_MAX)
		n = fmax(n / 6, CACHE_MAX);
	return n < (double)most ? (uint64_t)fmax(n, NODES_MIN) : most;
}

static double steps_of(const struct sotto_contour *k, size_t i, const struct sotto_block *b)
{
	const struct sotto_law *law = &k->m->laws[i];

	if (law->class->steps)
		return law->class->steps(law, k->state[i], b);
	return SOTTO_BLOCK * sotto_law_steps(law);
}

static void fill_block(const struct sotto_contour *k, uint64_t first, struct sotto_block *b)
{
	start_block(k, first, b);
	sotto_work_use(k->m->work, SOTTO_BLOCK * (k->m->mu2 > 0 ? 25 : 12));
	for (size_t i = 0; i < k->m->n; i++) {
		size_t law = k->order ? k->order[i] : i;

		k->m->laws[law].class->apply(&k->m->laws[law], k->state[law], b);
		sotto_work_use(k->m->work, steps_of(k, law, b));
		if (i % OFTEN == OFTEN - 1 && sotto_block_fades(b, k->faded))
			break;
	}
}

/* A law, and a bound of it somewhere beyond the first nodes. */
struct fall {
	double log_size;
	size_t law;
};

static int compare_falls(const void *a, const void *b)
{
	const struct fall *x = a, *y = b;

	if (x->log_size != y->log_size)
		return x->log_size < y->log_size ? -1 : 1;
	return (x->law > y->law) - (x->law < y->law);
}

/* Far out a few laws that fall make a block nothing, and the others need not be looked at. */
static enum sotto_status sort_laws(struct sotto_contour *k)
{
	double t = 0.25 * k->h * (double)k->nodes;
	struct fall *falls;

	if (!is_rough(k->m))
		return SOTTO_OK;
	k->order = malloc(k->m->n * sizeof *k->order);
	falls = malloc(k->m->n * sizeof *falls);
	if (!k->order || !falls) {
		free(falls);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < k->m->n; i++) {
		const struct sotto_law *law = &k->m->laws[i];

		falls[i] = (struct fall){0, i};
		if (!law->class->log_decay)
			continue;
		sotto_work_use(k->m->work, decay_steps(law));
		falls[i].log_size = law->class->log_decay(law, k->state[i], k->c, t, INFINITY);
	}
	qsort(falls, k->m->n, sizeof *falls, compare_falls);
	for (size_t i = 0; i < k->m->n; i++)
		k->order[i] = falls[i].law;
	free(falls);
	return SOTTO_OK;
}

/*
 * What a block may add to either sum.  Both smooth kernels are at most 4 times the
 * plain one if (c+1) tau is small (contour.md).
 */
static double weigh_block(const struct sotto_contour *k, const struct sotto_block *b)
{
	double sum = 0;

	for (size_t j = 0; j < b->n; j++) {
		double t = b->h * (double)(b->first + j);

		sum += (cx_abs(cx_of(b->re[j], b->im[j])) * (1 + b->relative[j]) +
			b->absolute[j]) /
		       (t * t + k->c * k->c);
	}
	return 4 * sum;
}

static bool may_leave_out(const struct sotto_contour *k)
{
	return k->kernel.kind != SOTTO_KERNEL_LATTICE &&
	       (k->c + 1) * (k->c + 1) * k->kernel.tau * k->kernel.tau < 0.5;
}

static size_t count_blocks(const struct sotto_contour *k)
{
	return (k->nodes + SOTTO_BLOCK - 1) / SOTTO_BLOCK;
}

static struct sotto_scan_line line_of(const struct sotto_contour *k)
{
	return (struct sotto_scan_line){k->m, k->state, k->c, k->h, k->budget};
}

/* What is known of a block before it is made, and after. */
static double
weight_before(const struct sotto_contour *k, const struct sotto_scan_line *line, size_t i)
{
	return k->scan.bound && i > 0 ? sotto_scan_weight(&k->scan, line, i) : INFINITY;
}

static double weight_of(const struct sotto_contour *k, const struct sotto_block *b)
{
	return may_leave_out(k) ? weigh_block(k, b) : INFINITY;
}

/*
 * Keeps all blocks, apart from faint ones; false if there is no room for them.  Room is
 * taken for the most there can be: what is not written to costs no memory.
 */
static bool fill_cache(struct sotto_contour *k)
{
	size_t blocks = count_blocks(k), room = ROOM;
	struct sotto_scan_line line = line_of(k);
	double least = k->budget / (2 * (double)blocks);

	if (k->hopeless)
		return true;
	room = room < blocks ? room : blocks;
	k->cache = malloc(room * sizeof *k->cache);
	for (size_t i = 0; k->cache && i < blocks; i++) {
		double weight = weight_before(k, &line, i);
		bool leave = weight <= k->scan.cut;

		if (k->cached == room || sotto_work_is_spent(k->m->work))
			break;
		if (!leave) {
			fill_block(k, i * SOTTO_BLOCK, &k->cache[k->cached]);
			weight = weight_of(k, &k->cache[k->cached]);
			leave = weight < least;
		}
		if (leave)
			k->faint += weight;
		else
			k->cached++;
		if (i + 1 == blocks)
			return true;
	}
	free(k->cache);
	k->cache = NULL;
	k->cached = 0;
	k->faint = 0;
	return false;
}

/* Nodes of laws with very many atoms must be kept, even if that makes answers wider. */
static bool must_keep(const struct sotto_contour *k)
{
	for (size_t i = 0; i < k->m->n; i++)
		if (k->m->laws[i].class == &sotto_law_cloud)
			return true;
	return false;
}

/* The period must hold an even number of a lattice's points. */
static void fit_period(struct sotto_contour *k)
{
	if (has_lattice(k)) {
		double d = mpq_get_d(k->m->spacing);

		k->period = 2 * d * floor(k->period / (2 * d) + 1);
	}
}

/*
 * How many nodes a workload is good for without smoothing.  Far out a sampled Laplace law
 * takes more work at each node; it is better cut into cells then, as is a sampled Gaussian.
 */
static uint64_t plain_nodes(const struct sotto_loss_measure *m, bool *slow)
{
	uint64_t most = CACHE_MAX;

	*slow = false;
	for (size_t i = 0; i < m->n; i++) {
		if (m->laws[i].class == &sotto_law_sampled_laplace)
			most = SLOW_NODES;
		*slow |= m->laws[i].class == &sotto_law_sampled_gaussian ||
			 m->laws[i].class == &sotto_law_sampled_laplace;
	}
	return most;
}

/*
 * Smoothing with as many nodes as are wanted, of which those that matter are few; or else with
 * as many as the work allows.
 */
static enum sotto_status smooth(struct sotto_contour *k, double epsilon, uint64_t nodes)
{
	struct sotto_scan_line line;
	size_t alive = 0;

	set_smooth(k, epsilon, nodes);
	if (k->hopeless || k->m->n < SCANNED || !may_leave_out(k)) {
		set_smooth(k, epsilon, affordable(k, nodes));
		return SOTTO_OK;
	}
	line = line_of(k);
	SOTTO_TRY(sotto_scan_make(&k->scan, count_blocks(k), &line));
	for (size_t i = 0; i < count_blocks(k); i++)
		alive += !(weight_before(k, &line, i) <= k->scan.cut);
	if (alive * SOTTO_BLOCK <= affordable(k, CACHE_MAX))
		return SOTTO_OK;
	sotto_scan_release(&k->scan);
	set_smooth(k, epsilon, affordable(k, nodes));
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
	k->place.digits = is_rough(k->m) ? ROUGH_DIGITS : DIGITS;
	sotto_place_find(&k->place, steer, epsilon, log_delta);
	k->c = k->place.c;
	k->log_delta = k->place.log_delta;
	k->period = k->place.period;
	fit_period(k);
	k->h = 2 * M_PI / k->period;
	k->hopeless = !(k->h > 0 && isfinite(k->period) && isfinite(k->c * epsilon));
	if (k->hopeless) /* losses that pass the largest double */
		return SOTTO_OK;
	if (!sotto_work_take(k->m->work, 2e4))
		return SOTTO_EREFUSED;
	SOTTO_TRY(begin_laws(k));
	k->budget = FAINT / (k->c * k->c);
	k->faded = SOTTO_FADED;
	if (is_rough(k->m))
		k->faded = fmax(SOTTO_FADED,
				FADED_OF_MANY * fmin(1, k->c) * exp(log_sum_for(k, epsilon)));
	most = affordable(k, nodes);
	if (!(has_lattice(k) && try_lattice(k, epsilon, most))) {
		sotto_kernel_plain(&k->kernel);
		if (!try_short(k, epsilon, 0, NEARLY,
			       affordable(k, plain_nodes(k->m, &slow))) &&
		    !(!slow &&
		      try_short(k, epsilon, 0, LITTLE, most < CACHE_MAX ? most : CACHE_MAX))) {
			if (slow)
				k->hopeless = true;
			else
				SOTTO_TRY(smooth(k, epsilon, nodes));
		}
	}
	if (!k->hopeless)
		SOTTO_TRY(sort_laws(k));
	if (!fill_cache(k) && k->kernel.kind == SOTTO_KERNEL_SMOOTH && must_keep(k)) {
		set_smooth(k, epsilon, CACHE_MAX);
		(void)fill_cache(k);
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
	double slack = k->scale_slack + 4 * SOTTO_U * (fabs(k->log_scale) + k->c * epsilon) +
		       16 * SOTTO_U;
	double tail = exp(k->log_tail), step = k->h / M_PI;
	double high = step * (sotto_sum_total(&sums->high) + sums->error) + tail;
	double low = step * (sotto_sum_total(&sums->low) - sums->error) - tail -
		     exp(fmin(700, sotto_place_log_alias(&k->place, epsilon, k->period) -
					   exponent + slack)) *
			     k->kernel.alias_factor;

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
	if (!sotto_work_take(k->m->work, (double)k->cached * kernel_steps(&k->kernel)))
		return SOTTO_EREFUSED;
	sotto_kernel_begin(&k->kernel, epsilon, k->nodes, &sums);
	for (size_t i = 0; i < k->cached; i++)
		sotto_kernel_add(&k->kernel, &k->cache[i], &sums);
	for (uint64_t first = 0; first < k->nodes && !k->cached; first += SOTTO_BLOCK) {
		if (sotto_work_is_spent(k->m->work))
			return SOTTO_EREFUSED;
		sotto_work_use(k->m->work, kernel_steps(&k->kernel));
		fill_block(k, first, &scratch);
		sotto_kernel_add(&k->kernel, &scratch, &sums);
	}
	sums.error += k->faint;
	sotto_kernel_end(&sums);
	conclude(k, epsilon, &sums, log_low, log_high);
	return SOTTO_OK;
}
