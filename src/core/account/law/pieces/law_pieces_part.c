/* The parts that pieces are made of: tails, quadrature and bounds (law_pieces.md). */
#include <math.h>

#include "core/account/integral/legendre.h"
#include "core/account/law/pieces/law_pieces.h"

/* Gaussian parts are integrated up to here, in standard deviations. */
#define SIGMAS 12.0
/* P- or Q-mass beyond, rounded up. */
#define BEYOND 2e-33
/* Half-length of a panel, in standard deviations; and what the exponent may grow by above its middle. */
#define HALF_MAX 1.5
#define GROWTH 12.0
/* Height of the Bernstein ellipse with parameter 6, in half-lengths. */
#define HEIGHT (35.0 / 12)
#define SIDE (37.0 / 12)
/* How far log R may turn above a panel; see law_pieces.md. */
#define TURN 1.0
#define COS_TURN 0.54
/* However low the rate is, the scale of a sampled part is at least this part of what it was. */
#define LEAST_SHARE 0.1
/* A Laplace part's panels, as in law_slaplace.c. */
#define LAPLACE_HALF 0.25

/* log(1 - q + q e^x) */
static double mix(double q, double x)
{
	if (x > 600) /* 1 - q is lost beside q e^x */
		return x + log(q);
	return q < 0.5 ? log1p(q * expm1(x)) : log((1 - q) + q * exp(x));
}

/* The loss that x becomes by sampling. */
static double loss_of(const struct sotto_curve_part *p, double x)
{
	if (!p->sampled)
		return x;
	return p->direction == SOTTO_REMOVE ? mix(p->rate, x) : -mix(p->rate, -x);
}

/* x such that log(1 - q + q e^x) = y; -INFINITY below all of them. */
static double unmix(double q, double y)
{
	double odds = expm1(y) / q;

	if (y > 600)
		return y - log(q);
	return odds > -1 ? log1p(odds) : -INFINITY;
}

/* The loss before sampling that becomes epsilon. */
static double base_of(const struct sotto_curve_part *p, double epsilon)
{
	if (!p->sampled || isinf(epsilon))
		return epsilon;
	return p->direction == SOTTO_REMOVE ? unmix(p->rate, epsilon)
					    : -unmix(p->rate, -epsilon);
}

/* log of what sampling multiplies the P-mass at x by: q + (1-q) e^-x */
static double log_factor(const struct sotto_curve_part *p, double x)
{
	double q = p->rate;

	if (!p->sampled || p->direction == SOTTO_ADD)
		return 0;
	return x > 0 ? log(q + (1 - q) * exp(-x)) : log((1 - q) + q * exp(x)) - x;
}

static double upper_normal(double z)
{
	return 0.5 * erfc(z * M_SQRT1_2);
}

/* Masses above x before sampling, and what p is wrong by in units u. */
static void base_tails(const struct sotto_curve_part *p, double x, double *mass_p,
		       double *mass_q, double *units)
{
	if (p->laplace) {
		*mass_p = *mass_q = x < -p->a ? 1 : 0;
		if (x >= -p->a && x < p->a) {
			*mass_p = 1 - 0.5 * exp((x - p->a) / 2);
			*mass_q = 0.5 * exp(-(x + p->a) / 2);
		}
		*units = 64 * (1 + p->a);
	} else {
		double low = x / p->a - p->a / 2, high = x / p->a + p->a / 2, far;

		*mass_p = upper_normal(low);
		*mass_q = upper_normal(high);
		far = fmin(fmax(fabs(low), fabs(high)), 40);
		*units = 64 + 32 * far * far;
	}
}

struct sotto_part_tails sotto_part_tails(const struct sotto_curve_part *p, double epsilon)
{
	struct sotto_part_tails t;
	double units, q = p->rate, mass_p, mass_q;

	if (p->list)
		return sotto_part_list_tails(p->list, epsilon);
	base_tails(p, base_of(p, epsilon), &mass_p, &mass_q, &units);
	t.p = mass_p;
	t.q = mass_q;
	if (p->sampled && p->direction == SOTTO_REMOVE)
		t.p = q * mass_p + (1 - q) * mass_q;
	else if (p->sampled)
		t.q = (1 - q) * mass_p + q * mass_q;
	t.delta = fmax(0, t.p - exp(epsilon) * t.q);
	t.error = SOTTO_U * (units + 8 * fabs(epsilon)) * t.p +
		  (epsilon < 0 ? 64 * SOTTO_U : 0x1p-1000);
	return t;
}

/* Before sampling; the lower end holds all of Q too. */
static void base_range(const struct sotto_curve_part *p, double *low, double *high)
{
	*high = p->laplace ? p->a : p->a * (SIGMAS + p->a / 2);
	*low = -*high;
}

void sotto_part_range(const struct sotto_curve_part *p, double *low, double *high)
{
	if (p->list) {
		sotto_part_list_range(p->list, low, high);
		return;
	}
	base_range(p, low, high);
	*low = loss_of(p, *low);
	*high = loss_of(p, *high);
}

double sotto_part_tail(const struct sotto_curve_part *p, double c)
{
	double mu = p->a;

	if (p->laplace || p->list)
		return 0;
	return 2 * BEYOND +
	       exp(c * (c + 1) * mu * mu / 2) * upper_normal(SIGMAS - c * mu) * (1 + 1e-9);
}

double sotto_part_scale(const struct sotto_curve_part *p)
{
	double odds;

	if (p->list)
		return sotto_part_list_spread(p->list);
	if (!p->sampled ||
	    !p->laplace) /* Gaussian noise beyond its range would count at higher orders */
		return p->a;
	odds = p->rate / (1 - p->rate) * exp(p->a);
	return p->a * fmax(odds / (1 + odds), LEAST_SHARE);
}

double sotto_part_log_m_up(const struct sotto_curve_part *p, double c, double *slope)
{
	double x = p->laplace ? c * p->a : c * (c + 1) * p->a * p->a / 2;

	if (p->list)
		return sotto_part_list_log_m_up(p->list, c, slope);
	*slope = p->laplace ? p->a : (c + 0.5) * p->a * p->a;
	if (!p->sampled)
		return x;
	return x < 600 ? log1p(p->rate * expm1(x)) : x + log(p->rate);
}

/* |d log R/dx| at most, q e^x/(1 - q + q e^x) or the same of -x, over the cosine of TURN. */
static double steepness(const struct sotto_curve_part *p, double x)
{
	double odds = p->rate / (1 - p->rate) * exp(p->direction == SOTTO_REMOVE ? x : -x);

	return isfinite(odds) ? odds / (1 + odds) / COS_TURN : 1 / COS_TURN;
}

/* The same of Laplace noise, on all ellipses (law_slaplace.c). */
static double laplace_steepness(const struct sotto_curve_part *p)
{
	double odds = p->rate / (1 - p->rate) * exp(p->a + 17.0 / 32);

	return p->sampled && isfinite(odds) ? odds / (1 + 0.89 * odds) : 1 / 0.89;
}

/*
 * Half-length of the panel that starts at x, in x.  Its ellipse reaches 37/12 half-lengths to either side of the middle, and HEIGHT
 * up; the phase may grow by GROWTH there.
 */
static double
half_at(const struct sotto_curve_part *p, const struct sotto_part_reach *r, double x)
{
	double half = HALF_MAX * p->a;

	if (p->laplace)
		return fmin(LAPLACE_HALF, 2 / ((r->t + r->c) * laplace_steepness(p) + 1));
	if (!p->sampled)
		return fmin(half, GROWTH / HEIGHT / (r->t + 1e-300));
	half = fmin(half, TURN / HEIGHT);
	for (int i = 0; i < 100; i++, half *= 0.8) {
		double worst = p->direction == SOTTO_REMOVE ? x + SIDE * half + half
							    : x - SIDE * half + half,
		       steep = steepness(p, worst), high = half * HEIGHT;

		if (high * r->t * steep <= GROWTH &&
		    (p->direction == SOTTO_REMOVE ||
		     high * high * r->c * steep * COS_TURN <= TURN * TURN))
			break;
	}
	return half;
}

static const double log_root_2pi = 0.91893853320467274178;

/* log of the P-density at x before sampling */
static double log_density(const struct sotto_curve_part *p, double x)
{
	double z = x / p->a - p->a / 2;

	return p->laplace ? (x - p->a) / 2 - log(4) : -z * z / 2 - log_root_2pi - log(p->a);
}

static struct sotto_part_point
point_at(const struct sotto_curve_part *p, double x, double log_mass)
{
	return (struct sotto_part_point){loss_of(p, x), log_mass + log_factor(p, x)};
}

/* The two atoms of Laplace noise, where the losses before sampling lie in (start, end]. */
static size_t atoms_between(const struct sotto_curve_part *p, double start, double end,
			    struct sotto_part_point *out)
{
	size_t n = 0;

	if (!p->laplace)
		return 0; /* the same comparisons as in base_tails */
	if (start < p->a && p->a <= end) {
		if (out)
			out[n] = point_at(p, p->a, log(0.5));
		n++;
	}
	if (start < -p->a && -p->a <= end) {
		if (out)
			out[n] = point_at(p, -p->a, log(0.5) - p->a);
		n++;
	}
	return n;
}

size_t sotto_part_atoms(const struct sotto_curve_part *p, double from, double to)
{
	return p->list ? sotto_part_list_points(p->list, from, to, NULL)
		       : atoms_between(p, base_of(p, from), base_of(p, to), NULL);
}

size_t sotto_part_points(const struct sotto_curve_part *p, double from, double to,
			 const struct sotto_part_reach *reach, struct sotto_part_point *out)
{
	double low, high, start = base_of(p, from), end = base_of(p, to);
	double x[SOTTO_LEGENDRE], w[SOTTO_LEGENDRE];
	size_t n;

	if (p->list)
		return sotto_part_list_points(p->list, from, to, out);
	n = atoms_between(p, start, end, out);
	base_range(p, &low, &high);
	start = fmax(start, low);
	end = fmin(end, high);
	if (!(start < end))
		return n;
	while (start < end && n <= SOTTO_POINTS_MAX) {
		double half = fmin(half_at(p, reach, start), (end - start) / 2);

		sotto_legendre(start + half, half, x, w);
		for (int j = 0; out && j < SOTTO_LEGENDRE; j++)
			out[n + (size_t)j] =
				point_at(p, x[j], log(w[j]) + log_density(p, x[j]));
		n += SOTTO_LEGENDRE;
		start = half < (end - start) / 2 ? start + 2 * half : end;
	}
	return n;
}

double sotto_part_points_error(const struct sotto_curve_part *p, double c)
{
	double mu2 = p->a * p->a;

	if (p->list)
		return sotto_part_list_error(p->list) +
		       (c + 1) * sotto_part_list_loss_error(p->list);
	if (p->laplace)
		return 1e-15;
	return (p->sampled ? 6e-14 * sqrt(1 + c * mu2 / 4) : 2e-14) * (1 + p->a / 24);
}

/* The density of the loss at x before sampling, tilted by c: first falling, then rising. */
static double sampled_laplace_density(const struct sotto_curve_part *p, double x, double c)
{
	double rest = log_factor(p, x), loss = loss_of(p, x),
	       slope = steepness(p, x) * COS_TURN; /* of the loss in x */

	return exp(log_density(p, x) + rest + c * loss) / slope;
}

static double
sampled_laplace_variation(const struct sotto_curve_part *p, double from, double to, double c)
{
	double start = fmax(base_of(p, from), -p->a), end = fmin(base_of(p, to), p->a);

	if (!(start < end))
		return 0;
	return 2 * (sampled_laplace_density(p, start, c) + sampled_laplace_density(p, end, c));
}

double sotto_part_variation(const struct sotto_curve_part *p, double from, double to, double c)
{
	double end, mu2 = p->a * p->a;

	if (p->list)
		return 0;
	if (p->sampled && p->laplace)
		return sampled_laplace_variation(p, from, to, c);
	if (p->sampled)
		return 1.6 / (p->rate * p->a) * (exp(mu2) + exp(c * (c + 1) * mu2 / 2));
	if (!p->laplace) /* twice the mode of a normal density, tilted */
		return 0.8 / p->a * exp(c * (c + 1) * mu2 / 2);
	end = fmin(to, p->a);
	return end > from ? 0.5 * exp((end - p->a) / 2 + c * end) : 0;
}
