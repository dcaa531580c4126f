/*
 * (1) Whatever c, h and the number of nodes are, the two sides hold.
 * (2) Aliasing only adds; truncation and rounding are charged to both sides.
 * (3) With smoothing the two sides use different kernels, each a bound by convexity.
 */
#include "account/contour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/cx.h"
#include "account/kernel.h"
#include "base/failure.h"

enum { CACHE_MAX = 1 << 15, NODES_MIN = 64 };

struct sotto_contour {
	const struct sotto_measure *m;
	double c, h, period; /* period = 2 pi/h of the aliases */
	uint64_t nodes; /* number 0 .. nodes - 1 */
	struct sotto_kernel kernel;
	double log_scale, scale_slack; /* K(c), and the rounding error in it */
	double log_delta; /* rough value at the prepared epsilon */
	void **state; /* of each law */
	struct sotto_block *cache; /* all blocks, or NULL if there are too many */
	double log_tail; /* bound of what lies beyond the last node, log of, before scaling */
	double beyond[4], log_beyond[4]; /* c' > c and K(c') for the aliases above */
};

void sotto_contour_free(struct sotto_contour *k)
{
	if (!k)
		return;
	for (size_t i = 0; k->state && i < k->m->n; i++)
		if (k->m->laws[i].class->end && k->state[i])
			k->m->laws[i].class->end(k->state[i]);
	free(k->state);
	free(k->cache);
	sotto_kernel_release(&k->kernel);
	free(k);
}

double sotto_contour_slope(const struct sotto_contour *k)
{
	return -k->c;
}

/* Candidates for bounding delta(epsilon + jT), j >= 1, by exp(K(c') - c'(epsilon + jT)). */
static void look_beyond(struct sotto_contour *k, double curvature)
{
	double width = 1 / sqrt(curvature), cumulant[3];
	const double steps[4] = {2 * width, 6 * width, 0.5 * k->c, 2 * k->c};

	for (int i = 0; i < 4; i++) {
		k->beyond[i] = k->c + steps[i];
		sotto_measure_cumulants(k->m, k->beyond[i], cumulant);
		k->log_beyond[i] = cumulant[0] + 1e-9 * fabs(cumulant[0]);
	}
}

/* log(x/(1-x)) for x = exp(l), l < 0 */
static double log_geometric(double l)
{
	return l < -1e-9 ? l - log1p(-exp(l)) : INFINITY;
}

static double log_sum(double a, double b)
{
	double most = fmax(a, b);

	return isinf(most) ? most : most + log(exp(a - most) + exp(b - most));
}

/* log of the sum of all aliases at epsilon for this period */
static double log_alias(const struct sotto_contour *k, double epsilon, double period)
{
	double below = log_geometric(-k->c * period), above = INFINITY;

	if (epsilon + period >= k->m->top)
		above = -INFINITY;
	for (int i = 0; i < 4; i++)
		above = fmin(above, k->log_beyond[i] - k->beyond[i] * epsilon +
					    log_geometric((k->c - k->beyond[i]) * period));
	return log_sum(below, above);
}

/* The least period, to 15 %, whose aliases are below 2^-54 of delta. */
static double choose_period(const struct sotto_contour *k, double epsilon, double curvature)
{
	double period = 6 * sqrt(curvature);

	for (int i = 0; i < 400; i++, period *= 1.15)
		if (log_alias(k, epsilon, period) < k->log_delta - 38)
			break;
	return period;
}

static enum sotto_status begin_laws(struct sotto_contour *k)
{
	const struct sotto_measure *m = k->m;
	double log_m, slack, gauss = k->c * (k->c + 1) * m->mu2 / 2;

	k->log_scale = gauss;
	k->scale_slack = 8 * SOTTO_U * gauss;
	k->state = calloc(m->n + 1, sizeof *k->state);
	if (!k->state)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < m->n; i++) {
		const struct sotto_law *law = &m->laws[i];

		SOTTO_TRY(law->class->begin(law, k->c, k->h, &k->state[i], &log_m, &slack));
		k->log_scale += log_m;
		k->scale_slack += slack + SOTTO_U * fabs(k->log_scale);
	}
	return SOTTO_OK;
}

/* log of a bound of |product of all M(c+iu)/M(c)| for every u >= t */
static double log_decay(const struct sotto_contour *k, double t)
{
	double sum = -0.5 * k->m->mu2 * t * t * (1 - 0x1p-40);

	for (size_t i = 0; i < k->m->n; i++) {
		const struct sotto_law *law = &k->m->laws[i];

		if (law->class->log_decay)
			sum += fmin(0, law->class->log_decay(law, k->state[i], k->c, t));
	}
	return sum;
}

/* Sum over nodes from t on of |f| h/pi is at most exp(decay)/(pi t): f falls as 1/t^2. */
static double log_plain_tail(const struct sotto_contour *k, double t)
{
	return log_decay(k, t) - log(M_PI * t);
}

/*
 * The least number of nodes whose tail is below the tolerance (relative, log), or
 * 0 if more than most would be needed.
 */
static uint64_t
enough_nodes(const struct sotto_contour *k, double epsilon, double tolerance, uint64_t most)
{
	double need = tolerance + k->log_delta - (k->log_scale - k->c * epsilon);
	uint64_t low = 8, high = 8;

	while (log_plain_tail(k, k->h * (double)(high - 1)) > need) {
		low = high;
		high *= 2;
		if (high > most)
			return 0;
	}
	while (high - low > 1 + low / 16) {
		uint64_t middle = low + (high - low) / 2;

		if (log_plain_tail(k, k->h * (double)(middle - 1)) > need)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Tries the plain kernel: falls off by itself, to 2^-46 or at least to 1e-11. */
static bool try_plain(struct sotto_contour *k, double epsilon, uint64_t most)
{
	uint64_t n = enough_nodes(k, epsilon, -32, most);

	if (!n)
		n = enough_nodes(k, epsilon, -25, most);
	if (!n)
		return false;
	k->nodes = n;
	k->log_tail = log_plain_tail(k, k->h * (double)(n - 1));
	sotto_kernel_plain(&k->kernel);
	return true;
}

/* All losses on a lattice: one period of the integrand has everything. */
static bool fits_lattice(const struct sotto_contour *k, uint64_t most)
{
	return k->m->lattice && k->m->mu2 == 0 &&
	       k->period / mpq_get_d(k->m->spacing) < (double)most / 2;
}

static enum sotto_status set_lattice(struct sotto_contour *k)
{
	double d = mpq_get_d(k->m->spacing);
	uint64_t n = 2 * (uint64_t)(k->period / (2 * d) + 1);

	k->period = (double)n * d;
	k->h = 2 * M_PI / k->period;
	k->nodes = n / 2 + 1;
	k->log_tail = -INFINITY;
	sotto_kernel_lattice(&k->kernel, k->m, n);
	return begin_laws(k);
}

/*
 * Smoothing: the width it adds is about (c+1) tau^2 in epsilon, the nodes needed
 * SOTTO_KERNEL_REACH/(tau h).
 */
static void set_smooth(struct sotto_contour *k, double epsilon, uint64_t most)
{
	double want = sqrt(1e-11 * (epsilon + 1 / k->c) / (k->c + 1));
	double tau = fmax(want, SOTTO_KERNEL_REACH / (k->h * (double)most));

	k->nodes = (uint64_t)(SOTTO_KERNEL_REACH / (k->h * tau)) + 2;
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

static void fill_block(const struct sotto_contour *k, uint64_t first, struct sotto_block *b)
{
	start_block(k, first, b);
	for (size_t i = 0; i < k->m->n; i++)
		k->m->laws[i].class->apply(&k->m->laws[i], k->state[i], b);
}

static enum sotto_status fill_cache(struct sotto_contour *k)
{
	size_t blocks = (k->nodes + SOTTO_BLOCK - 1) / SOTTO_BLOCK;

	if (k->nodes > CACHE_MAX)
		return SOTTO_OK;
	k->cache = malloc(blocks * sizeof *k->cache);
	if (!k->cache)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < blocks; i++)
		fill_block(k, i * SOTTO_BLOCK, &k->cache[i]);
	return SOTTO_OK;
}

static enum sotto_status prepare(struct sotto_contour *k, double epsilon, uint64_t nodes)
{
	double curvature;

	k->c = sotto_saddle_point(k->m, epsilon, &k->log_delta, &curvature);
	look_beyond(k, curvature);
	k->period = choose_period(k, epsilon, curvature);
	k->h = 2 * M_PI / k->period;
	if (fits_lattice(k, nodes)) {
		SOTTO_TRY(set_lattice(k));
	} else {
		SOTTO_TRY(begin_laws(k));
		if (!try_plain(k, epsilon, nodes < CACHE_MAX ? nodes : CACHE_MAX))
			set_smooth(k, epsilon, nodes);
	}
	return fill_cache(k);
}

enum sotto_status sotto_contour_new(const struct sotto_measure *m, double epsilon,
				    uint64_t nodes, struct sotto_contour **out)
{
	struct sotto_contour *k = calloc(1, sizeof *k);
	enum sotto_status st;

	if (!k)
		return SOTTO_ENOMEM;
	k->m = m;
	sotto_kernel_init(&k->kernel);
	st = prepare(k, epsilon, nodes > NODES_MIN ? nodes : NODES_MIN);
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
	double high = step * (sums->high + sums->error) + tail;
	double low = step * (sums->low - sums->error) - tail -
		     exp(fmin(700, log_alias(k, epsilon, k->period) - exponent + slack)) *
			     k->kernel.alias_factor;

	*log_high = high > 0 ? exponent + slack + log(high) : -INFINITY;
	*log_low = low > 0 ? exponent - slack + log(low) : -INFINITY;
	*log_high = fmin(*log_high, 0);
}

enum sotto_status
sotto_contour_delta(struct sotto_contour *k, double epsilon, double *log_low, double *log_high)
{
	struct sotto_kernel_sums sums;
	struct sotto_block scratch;

	if (epsilon >= k->m->top) {
		*log_low = *log_high = -INFINITY;
		return SOTTO_OK;
	}
	sotto_kernel_begin(&k->kernel, epsilon, k->nodes, &sums);
	for (uint64_t first = 0; first < k->nodes; first += SOTTO_BLOCK) {
		const struct sotto_block *b = &scratch;

		if (k->cache)
			b = &k->cache[first / SOTTO_BLOCK];
		else
			fill_block(k, first, &scratch);
		sotto_kernel_add(&k->kernel, b, &sums);
	}
	sotto_kernel_end(&sums);
	conclude(k, epsilon, &sums, log_low, log_high);
	return SOTTO_OK;
}
