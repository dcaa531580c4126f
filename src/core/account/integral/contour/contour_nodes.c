/* How many nodes a contour needs: after which the integrand is negligible, or what smoothing leaves. */
#include <math.h>

#include "core/account/integral/contour/contour_inside.h"

enum {
	SLOW_NODES = 1 << 12,
	NODES_MIN = 64,
	MANY_LAWS = 16 /* so many that each node is costly */
};

/* What a bound of a law's fall takes (work.h). */
#define DECAY_STEPS 40
/* Smoothing adds this part of the variance that cutting has added. */
#define GRAIN 0.25

/* A few atoms are looked at in pairs. */
double sotto_contour_decay_steps(const struct sotto_law *law)
{
	double n = fmin((double)law->n, SOTTO_DECAY_ATOMS);

	return DECAY_STEPS + (law->class == &sotto_law_atoms ? 4 * n * n : 0);
}

double sotto_contour_log_decay(const struct sotto_contour *k, double t, double end)
{
	double sum = -0.5 * k->m->mu2 * t * t * (1 - 0x1p-40);

	for (size_t i = 0; i < k->m->n; i++) {
		const struct sotto_law *law = &k->m->laws[i];

		if (!law->class->log_decay)
			continue;
		sotto_work_use(k->m->work, sotto_contour_decay_steps(law));
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
	double tail = sotto_contour_log_decay(k, t, end) - log(M_PI * t);

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
bool sotto_contour_is_rough(const struct sotto_loss_measure *m)
{
	return m->rough || m->has_clones || count_laws(m) > MANY_LAWS;
}

/* Looks for nodes after which the integrand is negligible: to 1e-14, or at least to rough. */
bool sotto_contour_try_short(struct sotto_contour *k, double epsilon, double spacing,
			     double rough, uint64_t most)
{
	uint64_t n = enough_nodes(
		k, epsilon, sotto_contour_is_rough(k->m) ? -SOTTO_CONTOUR_ROUGH_DIGITS : -32,
		spacing, most);

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
bool sotto_contour_try_lattice(struct sotto_contour *k, double epsilon, uint64_t most)
{
	double d = mpq_get_d(k->m->spacing);
	uint64_t half = (uint64_t)llround(k->period / (2 * d));

	sotto_kernel_lattice(&k->kernel, k->m, 2 * half);
	if (sotto_contour_try_short(k, epsilon, d, SOTTO_CONTOUR_NEARLY,
				    most < half ? most : half))
		return true;
	if (half + 1 > most)
		return false;
	k->nodes = half + 1;
	k->log_tail = -INFINITY;
	return true;
}

bool sotto_contour_has_lattice(const struct sotto_contour *k)
{
	return k->m->lattice && k->m->mu2 == 0 && k->period / mpq_get_d(k->m->spacing) < 0x1p50;
}

/* How wide smoothing may make epsilon. */
static double width_for(const struct sotto_contour *k, double epsilon)
{
	double scale = epsilon + k->m->shift + 1 / k->c;

	return sotto_contour_is_rough(k->m) ? fmin(1e-6 * scale, 4e-7) : 1e-10 * scale;
}

/* log of the sum of all nodes, h/pi times, that delta stands for */
double sotto_contour_log_sum_for(const struct sotto_contour *k, double epsilon)
{
	return fmin(0, k->log_delta - (k->log_scale - k->c * epsilon));
}

/* What blocks that are left out may weigh: where epsilon need not be sharp, a fifth of the width that it may have. */
double sotto_contour_faint_budget(const struct sotto_contour *k, double epsilon, double rest)
{
	double budget = SOTTO_CONTOUR_FAINT / (k->c * k->c);

	if (!sotto_contour_is_rough(k->m))
		return budget;
	return fmax(budget,
		    0.2 * rest * exp(sotto_contour_log_sum_for(k, epsilon)) * M_PI / k->h);
}

/* log delta may change by this where epsilon may by its width. */
double sotto_contour_rest(const struct sotto_contour *k, double epsilon)
{
	return fmin(width_for(k, epsilon) * fmax(k->c, k->m->steepness), 1e-3);
}

/*
 * Smoothing: the width it adds is about (steep+1) tau^2 in epsilon, the nodes needed reach/(tau h), where log delta falls by steep a unit: by c at the
 * saddle point, and by more where the line is below it.  Where epsilon need not be sharp, blocks may be left out until they add a fifth of that
 * width, and beyond the reach lies less than a hundredth.
 */
void sotto_contour_set_smooth(struct sotto_contour *k, double epsilon, uint64_t most)
{
	double steep = fmax(k->c, k->m->steepness),
	       width = fmax(width_for(k, epsilon), GRAIN * k->m->grain * (steep + 1)),
	       want = sqrt(width / (steep + 1)), tau, reach = SOTTO_KERNEL_REACH,
	       rest = fmin(width * steep, 1e-3);

	k->budget = sotto_contour_faint_budget(k, epsilon, rest);
	if (sotto_contour_is_rough(k->m))
		reach = fmin(reach, sqrt(2 * (-sotto_contour_log_sum_for(k, epsilon) -
					      log(0.01 * rest))));
	tau = fmax(want, reach / (k->h * (double)most));
	k->short_of_nodes = tau > want;
	k->hopeless = !(tau > 0 && isfinite(tau));
	if (k->hopeless)
		return;
	k->nodes = (uint64_t)(reach / (k->h * tau)) + 2;
	sotto_kernel_smooth(&k->kernel, k->c, tau);
	k->log_tail = sotto_kernel_log_tail(&k->kernel, k->c, k->h * (double)(k->nodes - 1));
}

/* Nodes that the work left allows; more than can be kept are made anew for each of a dozen values. */
uint64_t sotto_contour_affordable(const struct sotto_contour *k, uint64_t most)
{
	double n = k->m->work ? k->m->work->left / (2 * k->node_cost) : INFINITY;

	if (n > SOTTO_CONTOUR_CACHE)
		n = fmax(n / 6, SOTTO_CONTOUR_CACHE);
	return n < (double)most ? (uint64_t)fmax(n, NODES_MIN) : most;
}

/* The period must hold an even number of a lattice's points. */
void sotto_contour_fit_period(struct sotto_contour *k)
{
	if (sotto_contour_has_lattice(k)) {
		double d = mpq_get_d(k->m->spacing);

		k->period = 2 * d * floor(k->period / (2 * d) + 1);
	}
}

/*
 * How many nodes a workload is good for without smoothing.  Far out a sampled Laplace law
 * takes more work at each node; it is better cut into cells then, as is a sampled Gaussian.
 */
uint64_t sotto_contour_plain_nodes(const struct sotto_loss_measure *m, bool *slow)
{
	uint64_t most = SOTTO_CONTOUR_CACHE;

	*slow = false;
	for (size_t i = 0; i < m->n && !m->patient && !m->of_hundreds; i++) {
		if (m->laws[i].class == &sotto_law_sampled_laplace)
			most = SLOW_NODES;
		*slow |= m->laws[i].class == &sotto_law_sampled_gaussian ||
			 m->laws[i].class == &sotto_law_sampled_laplace;
	}
	return most;
}
