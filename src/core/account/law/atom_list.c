/*
 * Weights are exp of differences from the largest term, which cannot overflow; sums are
 * compensated, and every rounding is added to the error of the weights or of the phase.
 */
#include "core/account/law/atom_list.h"

#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"

/* From this count on first-order terms are taken out. */
enum { MANY = 64 };

enum sotto_status sotto_law_atoms_init(struct sotto_law *law, size_t n)
{
	double *all = calloc(2 * n + 1, sizeof *all);

	if (!all)
		return SOTTO_ENOMEM;
	law->class = n > SOTTO_FEW_ATOMS ? &sotto_law_cloud : &sotto_law_atoms;
	law->n = n;
	law->loss = all;
	law->mass = all + n;
	return SOTTO_OK;
}

void sotto_law_atoms_release(struct sotto_law *law)
{
	free(law->loss);
}

void sotto_atoms_release(struct sotto_atoms *a)
{
	free(a->weight);
}

double sotto_atoms_largest(const struct sotto_law *law, double s, double *size)
{
	double most = -INFINITY;

	*size = 0;
	for (size_t i = 0; i < law->n; i++) {
		double x = s * law->loss[i];

		*size = fmax(*size, x);
		most = fmax(most, x + M_LN2 * ilogb(law->mass[i]));
	}
	return most;
}

double sotto_atom_term(double mass, double x)
{
	double root = exp(0.5 * x);

	return mass * root * root;
}

/* log M(s); *size bounds its rounding error, in units u */
static double log_m_at(const struct sotto_law *law, double s, double *size)
{
	double exponent, most = sotto_atoms_largest(law, s, &exponent), first = s * law->mean,
			 excess;
	struct sotto_sum sum = {0}, second = {0};

	for (size_t i = 0; i < law->n; i++) {
		double x = s * law->loss[i];

		sotto_sum_add(&sum, sotto_atom_term(law->mass[i], x - most));
		sotto_sum_add(&second, law->mass[i] * sotto_exp2term(x));
	}
	excess = first + sotto_sum_total(&second);
	if (fabs(excess) < 0.5) {
		*size = 24 * (fabs(first) + sotto_sum_total(&second));
		return log1p(excess);
	}
	*size = 24 + 4 * (exponent + fabs(most));
	return most + log(sotto_sum_total(&sum));
}

void sotto_atoms_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double size, n = (double)law->count, most = sotto_atoms_largest(law, s, &size), sum = 0,
		     mean = 0, square = 0;

	for (size_t i = 0; i < law->n; i++) {
		double w = sotto_atom_term(law->mass[i], s * law->loss[i] - most);

		sum += w;
		mean += w * law->loss[i];
	}
	mean /= sum;
	for (size_t i = 0; i < law->n; i++) {
		double w = sotto_atom_term(law->mass[i], s * law->loss[i] - most) / sum;

		square += w * (law->loss[i] - mean) * (law->loss[i] - mean);
	}
	k[0] += n * log_m_at(law, s, &size);
	k[1] += n * mean;
	k[2] += n * square;
}

/*
 * Errors at each atom: of its weight (relative), and of its loss, which turns the
 * phase by t times as much; summation loses its number of terms, in u, of the whole.
 * Wrong masses that sum to 1 change M(c) by their part of |exp(c loss) - 1|.
 */
static void
bound_errors(struct sotto_atoms *a, const struct sotto_law *law, double c, double terms)
{
	double worst = 0, moved = 0;

	for (size_t i = 0; i < law->n; i++) {
		double l = fabs(law->loss[i]);
		double e = law->loss_shift + (law->loss_error + 8 * SOTTO_U) * l;

		worst = fmax(worst, law->mass_error + c * e);
		moved += a->weight[i] * -expm1(-c * l) * law->mass_error;
		if (law->loss[i] < 0)
			moved += law->mass[i] * -expm1(-c * l) * law->mass_error;
		a->eta1 += a->weight[i] * e;
		a->spread += a->weight[i] * l;
		a->reach = fmax(a->reach, l);
	}
	a->eta0 = 2 * (SOTTO_U * (24 + terms) + worst);
	a->slack += 2 * moved;
}

/* K'(c) = (K'(0) + sum of mass loss (exp(c loss) - 1))/M(c), all second order */
static double mean_at(const struct sotto_law *law, double c)
{
	struct sotto_sum sum = {.value = law->mean}, m = {.value = 1 + c * law->mean};

	for (size_t i = 0; i < law->n; i++) {
		sotto_sum_add(&sum, law->mass[i] * law->loss[i] * expm1(c * law->loss[i]));
		sotto_sum_add(&m, law->mass[i] * sotto_exp2term(c * law->loss[i]));
	}
	return sotto_sum_total(&sum) / sotto_sum_total(&m);
}

/* Products with smaller weights are subnormal numbers, which lose digits and take a hundred times as long. */
#define FAINT 0x1p-900

/* A faint weight is 0 and charged: exp(it loss) - 1 is at most t |loss| in size. */
static void drop_faint(struct sotto_atoms *a, const struct sotto_law *law)
{
	for (size_t i = 0; i < law->n; i++) {
		if (a->weight[i] >= FAINT)
			continue;
		a->weight[i] = 0;
		a->eta1 += FAINT * fabs(law->loss[i]);
	}
}

/* Room for weights, and the weights, which sum to 1; *log_m is K(c). */
static enum sotto_status
weigh(struct sotto_atoms *a, const struct sotto_law *law, double c, double *log_m)
{
	double exponent, most = sotto_atoms_largest(law, c, &exponent);
	struct sotto_sum sum = {0};

	*a = (struct sotto_atoms){.weight = malloc(law->n * sizeof *a->weight)};
	if (!a->weight)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < law->n; i++) {
		a->weight[i] = sotto_atom_term(law->mass[i], c * law->loss[i] - most);
		sotto_sum_add(&sum, a->weight[i]);
	}
	for (size_t i = 0; i < law->n; i++)
		a->weight[i] /= sotto_sum_total(&sum);
	drop_faint(a, law);
	*log_m = most + log(sotto_sum_total(&sum));
	a->slack = SOTTO_U * (24 + 4 * (exponent + fabs(most)) + 4 * fabs(*log_m));
	return SOTTO_OK;
}

enum sotto_status sotto_atoms_tilt_quickly(struct sotto_atoms *a, const struct sotto_law *law,
					   double c, double terms)
{
	double log_m;

	if (law->count >= MANY)
		return sotto_atoms_tilt(a, law, c, terms);
	if (weigh(a, law, c, &log_m) != SOTTO_OK)
		return SOTTO_ENOMEM;
	a->log_m = log_m;
	bound_errors(a, law, c, terms);
	return SOTTO_OK;
}

void sotto_atoms_cumulants_quickly(const struct sotto_law *law, double s, double k[3])
{
	double size, n = (double)law->count, most = sotto_atoms_largest(law, s, &size), sum = 0,
		     mean = 0, square = 0;

	for (size_t i = 0; i < law->n; i++) {
		double w = sotto_atom_term(law->mass[i], s * law->loss[i] - most),
		       x = law->loss[i] - law->mean;

		sum += w;
		mean += w * x;
		square += w * x * x;
	}
	mean /= sum;
	k[0] += n * (most + log(sum));
	k[1] += n * (law->mean + mean);
	k[2] += n * fmax(0, square / sum - mean * mean);
}

enum sotto_status
sotto_atoms_tilt(struct sotto_atoms *a, const struct sotto_law *law, double c, double terms)
{
	double size, log_m;

	if (weigh(a, law, c, &log_m) != SOTTO_OK)
		return SOTTO_ENOMEM;
	a->mean = mean_at(law, c);
	a->log_m = log_m_at(law, c, &size);
	a->slack = SOTTO_U * (size + 4 * fabs(a->log_m));
	bound_errors(a, law, c, terms);
	return SOTTO_OK;
}

bool sotto_atoms_are_small(const struct sotto_atoms *a, const struct sotto_law *law,
			   const struct sotto_block *b)
{
	return law->count >= MANY && b->h * (double)(b->first + SOTTO_BLOCK) * a->reach < 0.25;
}

double sotto_atoms_sum_small(const struct sotto_atoms *a, const struct sotto_law *law,
			     const struct sotto_block *b, double *dr, double *di)
{
	double t1 = b->h * (double)(b->first + SOTTO_BLOCK), x1 = t1 * a->reach;

	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = b->h * (double)(b->first + j);
		struct sotto_sum re = {0}, im = {.value = t * a->mean};

		for (size_t i = 0; i < law->n; i++) {
			double x = t * law->loss[i], half = sin(0.5 * x), y = x * x;

			sotto_sum_add(&re, -2 * a->weight[i] * half * half);
			/* sin x - x for |x| < 1/4 */
			sotto_sum_add(
				&im,
				-a->weight[i] * y * x / 6 *
					(1 -
					 y / 20 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110)))));
		}
		dr[j] = sotto_sum_total(&re);
		di[j] = sotto_sum_total(&im);
	}
	/* of i t K', which is of the size of t (c+1) spread^2, and of second-order terms */
	return a->eta0 * 4 * (x1 * x1 + t1 * fabs(a->mean)) + a->eta1 * t1 * x1;
}
