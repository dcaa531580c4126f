/* The density of a part and the panels that integrate it: points, atoms, places, and what falls with t (law_pieces.md). */
#include <math.h>

#include "core/account/integral/legendre.h"
#include "core/account/law/pieces/laplace_fold.h"
#include "core/account/law/pieces/law_pieces_part.h"
#include "core/account/law/pieces/law_pieces_people.h"

/* Half-length of a panel, in standard deviations; and what the exponent may grow by above its middle. */
#define HALF_MAX 1.5
#define GROWTH 12.0
/* Height of the Bernstein ellipse with parameter 6, in half-lengths. */
#define HEIGHT (35.0 / 12)
#define SIDE (37.0 / 12)
/* The same for a group, with all that grows. */
#define GROUP_GROWTH 24.0
/* How far log R may turn above a panel; see law_pieces.md. */
#define TURN 1.0
#define COS_TURN 0.54
/* Places in each stretch on which the density is smooth; losses nearer than this, relative, are one. */
enum { PLACES = 24 };
#define PLACES_APART 1e-13
/* A Laplace part's panels (law_pieces.md). */
#define LAPLACE_HALF 0.25

/* |d log R/dx| at most, q e^x/(1 - q + q e^x) or the same of -x, over the cosine of TURN. */
static double steepness(const struct sotto_curve_part *p, double x)
{
	double odds = p->rate / (1 - p->rate) * exp(p->direction == SOTTO_REMOVE ? x : -x);

	return isfinite(odds) ? odds / (1 + odds) / COS_TURN : 1 / COS_TURN;
}

/* The same of Laplace noise, on all ellipses (law_pieces.md). */
static double laplace_steepness(const struct sotto_curve_part *p)
{
	double odds = p->rate / (1 - p->rate) * exp(sotto_part_reach(p) + 17.0 / 32);

	return p->sampled && isfinite(odds) ? odds / (1 + 0.89 * odds) : 1 / 0.89;
}

/*
 * Half-length of the panel that starts at x, in x.  Its ellipse reaches 37/12 half-lengths to either side of the middle, and HEIGHT
 * up; the phase may grow by GROWTH there.
 */
/*
 * The same of Gaussian noise in a group: within five half-lengths of the panel's points nothing there grows by more than e^24: a normal density or its tails
 * by the largest |z| + 1 for each standard deviation, e^(sx) by |s| times that of x.
 */
static double
group_half_at(const struct sotto_curve_part *p, const struct sotto_part_reach *r, double x)
{
	double half = fmin(1, TURN / HEIGHT / p->a);

	for (int i = 0; i < 100; i++, half *= 0.8) {
		double z = fabs(x / p->a - p->a / 2) + p->a + 6 * half + 1,
		       worst = x + (p->direction == SOTTO_REMOVE ? 6 : -6) * half * p->a,
		       steep = p->sampled ? steepness(p, worst) : 1;

		if (5 * half * (z + (r->c + r->t + 2 * r->people) * p->a * steep) <=
		    GROUP_GROWTH)
			break;
	}
	return half * p->a;
}

static double
half_at(const struct sotto_curve_part *p, const struct sotto_part_reach *r, double x)
{
	double half = HALF_MAX * p->a;

	if (r->people > 1 && !p->laplace)
		return group_half_at(p, r, x);
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

	if (p->fold)
		return (x - sotto_part_reach(p)) / 2 +
		       log(sotto_laplace_fold_polynomial(p->fold, x));
	return p->laplace ? (x - p->a) / 2 - log(4) : -z * z / 2 - log_root_2pi - log(p->a);
}

/* d loss/dx at x before sampling */
static double slope_at(const struct sotto_curve_part *p, double x)
{
	return p->sampled ? steepness(p, x) * COS_TURN : 1;
}

/* A stretch of x before sampling with this P-mass; an atom has none. */
static struct sotto_part_point point_at(const struct sotto_curve_part *p, double x,
					double log_mass, double stretch, double people)
{
	double z = fabs(x / p->a - p->a / 2);
	struct sotto_part_point at = {sotto_part_loss_of(p, x),
				      log_mass + sotto_part_log_factor(p, x), 1,
				      p->laplace ? 0 : p->a * (z + p->a / 2),
				      16 * (z + 1) * (fabs(x / p->a) + p->a + z)};
	struct sotto_part_tails t;

	if (people == 1)
		return at;
	t = sotto_part_tails_at(p, x, at.loss);
	at.log_mass = log(sotto_group_mass(&t, at.loss, at.log_mass, stretch * slope_at(p, x),
					   people, &at.swell));
	at.loss *= people;
	return at;
}

double sotto_part_density(const struct sotto_curve_part *p, double loss)
{
	double x = sotto_part_base_of(p, loss);

	return exp(log_density(p, x) + sotto_part_log_factor(p, x)) / slope_at(p, x);
}

/*
 * Sampling changes it by at most 2 for each unit before sampling; e^(x/2) of Laplace noise has no extremum between the ends, a normal density no least value; a
 * polynomial is near the line between its values.
 */
void sotto_part_change(const struct sotto_curve_part *p, double from, double to, double *down,
		       double *up)
{
	double start = sotto_part_base_of(p, from), end = sotto_part_base_of(p, to),
	       steep = p->sampled ? 2 : 0;

	*down = *up = exp(steep * (end - start) / 2);
	if (p->fold) {
		double u = (end - start) / p->a;

		*down *= exp((end - start) / 2) / fmax(1e-9, 1 - p->fold->bend * u * u);
		*up *= exp((end - start) / 2) * (1 + p->fold->bend * u * u);
	} else if (!p->laplace)
		*up *= exp(fmax(fabs(start / p->a - p->a / 2), fabs(end / p->a - p->a / 2)) /
			   p->a * (end - start) / 2);
	*down = 1 / *down;
}

double sotto_part_middle(const struct sotto_curve_part *p, double from, double to)
{
	return sotto_part_loss_of(
		p, 0.5 * (sotto_part_base_of(p, from) + sotto_part_base_of(p, to)));
}

/* The atoms of Laplace noise, where the losses before sampling lie in (start, end]: the same comparisons as in base_tails. */
static size_t atoms_between(const struct sotto_curve_part *p, double start, double end,
			    double people, struct sotto_part_point *out)
{
	size_t n = 0, atoms = !p->laplace ? 0 : p->fold ? p->fold->n + 1 : 2;

	for (size_t j = 0; j < atoms; j++) {
		double place = p->fold ? sotto_laplace_fold_place(p->fold, j)
			       : j     ? -p->a
				       : p->a;

		if (!(start < place && place <= end))
			continue;
		if (out)
			out[n] = point_at(p, place,
					  p->fold ? log(p->fold->atom[j])
						  : log(0.5) - (j ? p->a : 0),
					  0, people);
		n++;
	}
	return n;
}

double sotto_part_steady(const struct sotto_curve_part *p, double from, double to)
{
	struct sotto_part_point atoms[SOTTO_FOLD_MAX + 1];
	double sum = 0;
	size_t n;

	if (p->sampled || p->list)
		return sotto_part_tails(p, from).p - sotto_part_tails(p, to).p;
	n = atoms_between(p, from, to, 1, atoms);
	for (size_t i = 0; i < n; i++)
		sum += exp(atoms[i].log_mass);
	return sum;
}

size_t sotto_part_atoms(const struct sotto_curve_part *p, double from, double to)
{
	return p->list ? sotto_part_list_points(p->list, from, to, NULL)
		       : atoms_between(p, sotto_part_base_of(p, from),
				       sotto_part_base_of(p, to), 1, NULL);
}

/* Where the polynomial of several draws ends, after start. */
static double stretch_end(const struct sotto_curve_part *p, double start, double end)
{
	if (!p->fold)
		return end;
	for (size_t j = p->fold->n + 1; j-- > 0;) {
		double place = sotto_laplace_fold_place(p->fold, j);

		if (place > start)
			return fmin(place, end);
	}
	return end;
}

/* One place more, if it is farther than rounding may move it. */
static size_t add_place(double loss, double to, double *out, size_t n)
{
	if (n < SOTTO_PLACES && loss <= to &&
	    (n == 0 || loss > out[n - 1] + PLACES_APART * (fabs(loss) + fabs(out[n - 1]))))
		out[n++] = loss;
	return n;
}

/* Above the last atom, whatever rounding did to its place. */
static double beyond(double loss)
{
	return loss + 1e-14 * fabs(loss);
}

size_t sotto_part_places(const struct sotto_curve_part *p, double from, double to, double *out)
{
	double low, high, start, end;
	size_t n = 0;

	if (p->list)
		return sotto_part_list_places(p->list, from, to, out);
	sotto_part_base_range(p, &low, &high);
	start = fmax(sotto_part_base_of(p, from), low);
	end = fmin(sotto_part_base_of(p, to), high);
	if (isfinite(from))
		n = add_place(from, to, out, n);
	n = add_place(fmax(from, sotto_part_loss_of(p, start)), to, out, n);
	while (start < end) {
		double stop = p->laplace && !p->fold ? end : stretch_end(p, start, end);

		for (int i = 1; i < PLACES; i++)
			n = add_place(
				sotto_part_loss_of(p, start + (stop - start) * i / PLACES), to,
				out, n);
		n = add_place(stop < high ? sotto_part_loss_of(p, stop)
					  : beyond(sotto_part_loss_of(p, stop)),
			      to, out, n);
		start = stop;
	}
	return isfinite(to) ? add_place(to, to, out, n) : n;
}

size_t sotto_part_points(const struct sotto_curve_part *p, double from, double to,
			 const struct sotto_part_reach *reach, struct sotto_part_point *out)
{
	double low, high, start = sotto_part_base_of(p, from), end = sotto_part_base_of(p, to);
	double x[SOTTO_LEGENDRE], w[SOTTO_LEGENDRE];
	size_t n;

	if (p->list)
		return sotto_part_list_points(p->list, from, to, out);
	n = atoms_between(p, start, end, reach->people, out);
	sotto_part_base_range(p, &low, &high);
	start = fmax(start, low);
	end = fmin(end, high);
	if (!(start < end))
		return n;
	while (start < end && n <= SOTTO_POINTS_MAX) {
		double stop = stretch_end(p, start, end),
		       half = fmin(half_at(p, reach, start), (stop - start) / 2);

		sotto_legendre(start + half, half, x, w);
		for (int j = 0; out && j < SOTTO_LEGENDRE; j++)
			out[n + (size_t)j] = point_at(p, x[j], log(w[j]) + log_density(p, x[j]),
						      w[j], reach->people);
		n += SOTTO_LEGENDRE;
		start = half < (stop - start) / 2 ? start + 2 * half : stop;
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
		return p->fold ? 1e-15 * p->fold->growth : 1e-15;
	return (p->sampled ? 6e-14 * sqrt(1 + c * mu2 / 4) : 2e-14) *
	       (1 + (p->a / 2 + p->farther) / SOTTO_PART_SIGMAS);
}

/* Several draws: what the polynomials, each from a jump to the next, make the bound of a density without them larger by. */
static double folds_variation(const struct sotto_curve_part *p)
{
	return (double)p->fold->n * (p->fold->most + p->fold->variation);
}

/* The density of the loss at x before sampling, tilted by c: first falling, then rising.  Of several draws without the polynomials. */
static double sampled_laplace_density(const struct sotto_curve_part *p, double x, double c)
{
	double rest = sotto_part_log_factor(p, x), loss = sotto_part_loss_of(p, x),
	       slope = steepness(p, x) * COS_TURN, /* of the loss in x */
		here = p->fold ? (x - sotto_part_reach(p)) / 2 : log_density(p, x);

	return exp(here + rest + c * loss) / slope;
}

static double
sampled_laplace_variation(const struct sotto_curve_part *p, double from, double to, double c)
{
	double reach = sotto_part_reach(p), start = fmax(sotto_part_base_of(p, from), -reach),
	       end = fmin(sotto_part_base_of(p, to), reach);

	if (!(start < end))
		return 0;
	return (p->fold ? 4 * folds_variation(p) : 2) *
	       (sampled_laplace_density(p, start, c) + sampled_laplace_density(p, end, c));
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
	end = fmin(to, sotto_part_reach(p));
	if (!(end > from))
		return 0;
	return (p->fold ? 2 * folds_variation(p) : 0.5) *
	       exp((end - sotto_part_reach(p)) / 2 + c * end);
}
