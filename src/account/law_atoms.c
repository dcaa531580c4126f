/*
 * A law with finitely many atoms: M(s) = sum of mass exp(s loss).
 *
 * With weights w = mass exp(c loss)/M(c), which sum to 1, M(s)/M(c) - 1 is the sum of
 * w (exp(i t loss) - 1).  Within a block the turns exp(i h loss j) - 1 come from a table.
 * For many events of tiny loss the linear part, i t K'(c), is taken out: K'(0) is known
 * to full precision (b), although its terms cancel.
 */
#include <stdlib.h>
#include <string.h>

#include "account/cx.h"
#include "account/law.h"

enum { MANY = 64 };

enum sotto_status sotto_law_atoms_init(struct sotto_law *law, size_t n)
{
	double *all = calloc(4 * n + 1, sizeof *all);

	if (!all)
		return SOTTO_ENOMEM;
	law->class = &sotto_law_atoms;
	law->n = n;
	law->loss = all;
	law->mass = all + n;
	law->loss_error = all + 2 * n;
	law->mass_error = all + 3 * n;
	return SOTTO_OK;
}

static void release(struct sotto_law *law)
{
	free(law->loss);
}

/* exp(x) - 1 - x, to a few units in the last place */
static double exp2term(double x)
{
	double sum = 0, term = 0.5 * x * x;

	if (fabs(x) > 0.25)
		return expm1(x) - x;
	for (int i = 3; i < 20; i++) {
		sum += term;
		term *= x / i;
	}
	return sum;
}

/* The largest exponent, and of s loss. */
static double largest(const struct sotto_law *law, double s)
{
	double most = -INFINITY;

	for (size_t i = 0; i < law->n; i++)
		most = fmax(most, s * law->loss[i]);
	return most;
}

/* log M(s); *size bounds its rounding error, in units u */
static double log_m_at(const struct sotto_law *law, double s, double *size)
{
	double most = largest(law, s), sum = 0, excess = s * law->b, rough = fabs(excess);

	for (size_t i = 0; i < law->n; i++) {
		double x = s * law->loss[i];

		sum += law->mass[i] * exp(x - most);
		excess += law->mass[i] * exp2term(x);
		rough += law->mass[i] * exp2term(x);
	}
	if (fabs(excess) < 0.5) {
		*size = 16 * rough;
		return log1p(excess);
	}
	*size = 16 + (double)law->n + 4 * fabs(most);
	return most + log(sum);
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double n = (double)law->count, most = largest(law, s), sum = 0, mean = 0, square = 0,
	       size;

	for (size_t i = 0; i < law->n; i++) {
		double w = law->mass[i] * exp(s * law->loss[i] - most);

		sum += w;
		mean += w * law->loss[i];
	}
	mean /= sum;
	for (size_t i = 0; i < law->n; i++) {
		double w = law->mass[i] * exp(s * law->loss[i] - most) / sum;

		square += w * (law->loss[i] - mean) * (law->loss[i] - mean);
	}
	k[0] += n * log_m_at(law, s, &size);
	k[1] += n * mean;
	k[2] += n * square;
}

struct state {
	double *weight; /* mass exp(c loss)/m */
	double *turn; /* exp(i h loss j) - 1: SOTTO_BLOCK real parts, then imaginary ones */
	double mean; /* K'(c) */
	double spread; /* sum of weight |loss| */
	double eta0, eta1; /* error eta0 min(1, t spread) + eta1 t */
	double reach; /* largest |loss| */
};

static void end(void *state)
{
	struct state *st = state;

	free(st->weight);
	free(st->turn);
	free(st);
}

static struct state *allocate(size_t n)
{
	struct state *st = calloc(1, sizeof *st);

	if (!st)
		return NULL;
	st->weight = malloc(n * sizeof *st->weight);
	st->turn = malloc(n * 2 * SOTTO_BLOCK * sizeof *st->turn);
	if (st->weight && st->turn)
		return st;
	end(st);
	return NULL;
}

static void tabulate(const struct sotto_law *law, double h, double *turn)
{
	for (size_t i = 0; i < law->n; i++)
		for (size_t j = 0; j < SOTTO_BLOCK; j++)
			sotto_turn(h * (double)j * law->loss[i], &turn[2 * SOTTO_BLOCK * i + j],
				   &turn[2 * SOTTO_BLOCK * i + SOTTO_BLOCK + j]);
}

/*
 * Errors at each atom: of its weight (relative), and of its loss, which turns the
 * phase by t times as much; summation loses n u of the whole.
 */
static void bound_errors(const struct sotto_law *law, double c, struct state *st)
{
	st->eta0 = SOTTO_U * 2 * (24 + (double)law->n);
	for (size_t i = 0; i < law->n; i++) {
		double l = fabs(law->loss[i]), e = law->loss_error[i] + 4 * SOTTO_U * l;

		st->eta0 = fmax(st->eta0, SOTTO_U * 2 * (24 + (double)law->n) +
						  2 * (law->mass_error[i] + c * e));
		st->eta1 += st->weight[i] * e;
		st->spread += st->weight[i] * l;
		st->reach = fmax(st->reach, l);
	}
}

/* K'(c) = (K'(0) + sum of mass loss (exp(c loss) - 1))/M(c), all second order */
static double mean_at(const struct sotto_law *law, double c)
{
	double sum = law->b, m = 1 + c * law->b;

	for (size_t i = 0; i < law->n; i++) {
		sum += law->mass[i] * law->loss[i] * expm1(c * law->loss[i]);
		m += law->mass[i] * exp2term(c * law->loss[i]);
	}
	return sum / m;
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	double most = largest(law, c), sum = 0, n = (double)law->count, size;
	struct state *st = allocate(law->n);

	if (!st)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < law->n; i++) {
		st->weight[i] = law->mass[i] * exp(c * law->loss[i] - most);
		sum += st->weight[i];
	}
	for (size_t i = 0; i < law->n; i++)
		st->weight[i] /= sum;
	tabulate(law, h, st->turn);
	bound_errors(law, c, st);
	st->mean = mean_at(law, c);
	*state = st;
	*log_m = n * log_m_at(law, c, &size);
	*slack = SOTTO_U * (n * size + 4 * fabs(*log_m));
	return SOTTO_OK;
}

/*
 * Two atoms next to each other, weights p and q a gap g apart, keep
 * |M(s)/M(c)| <= 1 - p - q + |p + q exp(i t g)|, which falls up to t = pi/g.
 */
static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double end_at)
{
	const struct state *st = state;
	double best = 0;

	(void)c;
	for (size_t i = 0; i < law->n && law->n <= 64; i++)
		for (size_t j = 0; j < i; j++) {
			double g = fabs(law->loss[i] - law->loss[j]), p = st->weight[i],
			       q = st->weight[j], half = sin(0.5 * t * g), lost;

			if (!(end_at * g <= M_PI * (1 + 1e-9)) || t * g > M_PI)
				continue;
			/* p + q - |p + q e^(itg)| = 4pq sin^2/(p + q + |...|) */
			lost = 4 * p * q * half * half;
			lost /= p + q + sqrt(fmax(0, (p + q) * (p + q) - lost));
			best = fmax(best, lost);
		}
	return (double)law->count * log1p(-best * (1 - 0x1p-40));
}

/* The sum of w (exp(i t loss) - 1 - i t loss), plus i t K'(c) */
static void sum_small(const struct sotto_law *law, const struct state *st,
		      const struct sotto_block *b, double *dr, double *di)
{
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = b->h * (double)(b->first + j);

		dr[j] = 0;
		di[j] = t * st->mean;
		for (size_t i = 0; i < law->n; i++) {
			double x = t * law->loss[i], half = sin(0.5 * x), cube = x * x * x;

			dr[j] -= 2 * st->weight[i] * half * half;
			/* sin x - x for |x| < 1/4 */
			di[j] -= st->weight[i] * cube / 6 *
				 (1 -
				  x * x / 20 *
					  (1 -
					   x * x / 42 * (1 - x * x / 72 * (1 - x * x / 110))));
		}
	}
}

static void sum_turns(const struct sotto_law *law, const struct state *st,
		      const struct sotto_block *b, double *dr, double *di)
{
	double t0 = b->h * (double)b->first;

	for (size_t i = 0; i < law->n; i++) {
		const double *tr = st->turn + 2 * SOTTO_BLOCK * i, *ti = tr + SOTTO_BLOCK;
		double r, m;

		sotto_turn(t0 * law->loss[i], &r, &m);
		for (size_t j = 0; j < SOTTO_BLOCK; j++) {
			dr[j] += st->weight[i] * (r + tr[j] + (r * tr[j] - m * ti[j]));
			di[j] += st->weight[i] * (m + ti[j] + (r * ti[j] + m * tr[j]));
		}
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	double t1 = b->h * (double)(b->first + SOTTO_BLOCK), eta;
	const struct state *st = state;
	double x = t1 * st->reach;

	if (law->count >= MANY && x < 0.25) {
		sum_small(law, st, b, dr, di);
		/* of i t K', which is of the size of t (c+1) spread^2, and of second-order terms */
		eta = st->eta0 * 4 * (x * x + t1 * fabs(st->mean)) + st->eta1 * t1 * x;
	} else {
		sum_turns(law, st, b, dr, di);
		eta = st->eta0 * fmin(1, t1 * st->spread) + st->eta1 * t1;
	}
	sotto_block_multiply(b, dr, di, eta, law->count);
}

const struct sotto_law_class sotto_law_atoms = {
	.cumulants = cumulants,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.end = end,
	.release = release,
};
