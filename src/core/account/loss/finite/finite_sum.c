/*
 * Lists tilted masses of all sums by multinomial recurrences, or by convolution where the
 * losses lie on a lattice; all terms are positive, so that relative errors stay small.
 */
#include "core/account/loss/finite/finite_sum.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/law/atom_list.h"
#include "core/base/failure.h"

#define LEFT_MAX (1u << 18)
#define RIGHT_MAX (1u << 17)
#define QUICK_MAX 64
/* Draws times atoms, up to which the sums of a lattice's losses are convolved. */
#define EVEN_MAX 4096.0
/* What an atom takes for each draw that may fall on it (work.h). */
#define SPREAD_STEPS 15
/* No law of more atoms is summed over all of its outcomes. */
#define ATOMS_MAX 65536.0

struct point {
	double loss, mass; /* tilted mass */
};

struct list {
	struct point *at;
	size_t n, capacity;
};

struct sotto_finite_sum {
	double tilt;
	double log_scale; /* K(tilt) */
	double log_slack; /* relative error of all masses and of the scale */
	double shift; /* bound of the error of any sum of losses */
	struct list left, right; /* right is in descending order */
	double *excess, *rest; /* of the right list, see accumulate() */
	struct sotto_work *work;
};

double sotto_exact_sums(double atoms, double count, bool even)
{
	double size = 1;

	if (!(atoms <= ATOMS_MAX))
		return INFINITY;
	if (even && atoms > 3 && atoms * count <= EVEN_MAX)
		return (atoms - 1) * count + 1;
	for (double i = 1; i < atoms && size < 1e18; i++)
		size *= (count + i) / i;
	return size;
}

/*
 * True if the losses are as far apart as those of a lattice, to some ulps: then *off is how far they
 * lie from it at most, and *step from one to the next.
 */
static bool is_even(const struct sotto_law *law, double *step, double *off)
{
	double reach = fmax(fabs(law->loss[0]), fabs(law->loss[law->n - 1]));

	*off = 0;
	if (law->n <= 3)
		return false;
	*step = (law->loss[law->n - 1] - law->loss[0]) / (double)(law->n - 1);
	for (size_t i = 0; i < law->n; i++)
		*off = fmax(*off, fabs(law->loss[i] - (law->loss[0] + (double)i * *step)));
	*off += 4 * SOTTO_U * reach;
	return *off <= 16 * SOTTO_U * reach;
}

/* Different sums of losses, or more. */
static double outcomes(const struct sotto_law *law)
{
	double step, off;

	return sotto_exact_sums((double)law->n, (double)law->count, is_even(law, &step, &off));
}

/* Puts each law, largest first, into the smaller group; false if a group is too large. */
static bool split(const struct sotto_loss_measure *m, bool *to_left)
{
	double left = 1, right = 1;
	bool done[64] = {false};

	if (m->n > 64)
		return false;
	for (size_t round = 0; round < m->n; round++) {
		size_t best = 0;
		double most = -1;

		for (size_t i = 0; i < m->n; i++)
			if (!done[i] && outcomes(&m->laws[i]) > most) {
				most = outcomes(&m->laws[i]);
				best = i;
			}
		done[best] = true;
		to_left[best] = left * most <= LEFT_MAX && (left <= 2 * right || right > 1);
		if (to_left[best] && right * most <= RIGHT_MAX && right < left)
			to_left[best] = false;
		if (to_left[best])
			left *= most;
		else
			right *= most;
	}
	return left <= LEFT_MAX && right <= RIGHT_MAX;
}

static bool are_few_atoms(const struct sotto_loss_measure *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->laws[i].class != &sotto_law_atoms &&
		    m->laws[i].class != &sotto_law_cloud)
			return false;
	return m->n > 0 && m->mu2 == 0;
}

bool sotto_exact_fits(const struct sotto_loss_measure *m)
{
	bool to_left[64];

	return are_few_atoms(m) && split(m, to_left);
}

bool sotto_exact_is_quick(const struct sotto_loss_measure *m)
{
	double all = 1;

	if (!are_few_atoms(m))
		return false;
	for (size_t i = 0; i < m->n && all <= QUICK_MAX; i++)
		all *= outcomes(&m->laws[i]);
	return all <= QUICK_MAX;
}

/*
 * Masses of how many of k draws fall on an atom of mass one, and not on others of mass rest, by
 * recurrence away from the mode, where nothing underflows that is not negligible; they are then
 * divided by their sum.  A probability would have no digits left for what is rare.
 */
static void binomial(uint64_t k, double one, double rest, double *mass)
{
	double p = rest > 0 ? one / (one + rest) : 1, sum = 0;
	double up = rest > 0 ? one / rest : 0, down = one > 0 ? rest / one : 0;
	uint64_t mode = (uint64_t)fmin((double)k, floor(((double)k + 1) * p));

	mass[mode] = 1;
	for (uint64_t j = mode; j > 0; j--)
		mass[j - 1] = mass[j] * ((double)j / (double)(k - j + 1) * down);
	for (uint64_t j = mode; j < k; j++)
		mass[j + 1] = mass[j] * ((double)(k - j) / (double)(j + 1) * up);
	for (uint64_t j = 0; j <= k; j++)
		sum += mass[j];
	for (uint64_t j = 0; j <= k; j++)
		mass[j] /= sum;
}

static enum sotto_status push(struct list *l, double loss, double mass)
{
	if (l->n == l->capacity) {
		size_t capacity = l->capacity ? 2 * l->capacity : 64;
		struct point *grown = realloc(l->at, capacity * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		l->at = grown;
		l->capacity = capacity;
	}
	l->at[l->n++] = (struct point){loss, mass};
	return SOTTO_OK;
}

/* A law, its tilted masses, and the sum of each and all after it. */
struct draws {
	const struct sotto_law *law;
	double *tilted, *rest;
	struct sotto_work *work;
};

/* All ways to spread k draws over atoms first .. n-1, one atom after another. */
static enum sotto_status
spread(const struct draws *d, size_t first, uint64_t k, struct point so_far, struct list *out)
{
	const struct sotto_law *law = d->law;
	double *mass;
	enum sotto_status st = SOTTO_OK;

	if (k == 0)
		return push(out, so_far.loss, so_far.mass);
	if (first + 1 == law->n)
		return push(out, so_far.loss + (double)k * law->loss[first], so_far.mass);
	sotto_work_use(d->work, SPREAD_STEPS * (double)(k + 4));
	mass = malloc((k + 1) * sizeof *mass);
	if (!mass)
		return SOTTO_ENOMEM;
	binomial(k, d->tilted[first], d->rest[first + 1], mass);
	for (uint64_t j = 0; j <= k && st == SOTTO_OK; j++)
		st = spread(d, first + 1, k - j,
			    (struct point){so_far.loss + (double)j * law->loss[first],
					   so_far.mass * mass[j]},
			    out);
	free(mass);
	return st;
}

/* The sums of k draws from a lattice: one draw after another, in positive terms. */
static enum sotto_status
convolve(const struct draws *d, double sum, double step, struct list *out)
{
	const struct sotto_law *law = d->law;
	size_t n = law->n, most = (n - 1) * law->count + 1, size = 1;
	double *mass = calloc(most, sizeof *mass);
	enum sotto_status st = SOTTO_OK;

	if (!mass)
		return SOTTO_ENOMEM;
	sotto_work_use(d->work, 0.5 * (double)n * (double)most * (double)law->count);
	mass[0] = 1;
	for (uint64_t draw = 0; draw < law->count; draw++) {
		size += n - 1;
		for (size_t j = size; j-- > 0;) {
			double all = 0;

			for (size_t i = j >= size - n + 1 ? j - (size - n) : 0; i < n && i <= j;
			     i++)
				all += mass[j - i] * (d->tilted[i] / sum);
			mass[j] = all;
		}
	}
	for (size_t j = 0; j < most && st == SOTTO_OK; j++)
		st = push(out, (double)law->count * law->loss[0] + (double)j * step, mass[j]);
	free(mass);
	return st;
}

/*
 * The tilted masses of one draw, the largest of which is about 1, so that those that are no
 * doubles are lost beside 1 and not beside less.  Returns their sum, and adds the law's part
 * to scale and errors.
 */
static double tilt(struct sotto_finite_sum *x, const struct draws *d)
{
	const struct sotto_law *law = d->law;
	double size, most = sotto_atoms_largest(law, x->tilt, &size), farthest = 0;
	double sum = 0, reach = 0, error = 0, k = (double)law->count;

	for (size_t i = 0; i < law->n; i++) {
		double away = x->tilt * law->loss[i] - most;

		d->tilted[i] = sotto_atom_term(law->mass[i], away);
		sum += d->tilted[i];
		reach = fmax(reach, fabs(law->loss[i]));
		error = fmax(error, law->loss_error * fabs(law->loss[i]) + law->loss_shift);
		if (d->tilted[i] > 0)
			farthest = fmax(farthest, fabs(away));
	}
	d->rest[law->n - 1] = d->tilted[law->n - 1];
	for (size_t i = law->n - 1; i-- > 0;)
		d->rest[i] = d->tilted[i] + d->rest[i + 1];
	x->log_scale += k * (most + log(sum));
	x->log_slack += k * (law->mass_error + x->tilt * error +
			     SOTTO_U * (8 + 6 * (double)law->n + 4 * (fabs(most) + farthest) +
					2 * fabs(log(sum))));
	x->shift += k * (error + SOTTO_U * 4 * reach);
	return sum;
}

/* The sums of one law's draws, tilted. */
static enum sotto_status
list_law(struct sotto_finite_sum *x, const struct sotto_law *law, struct list *out)
{
	double *tilted = malloc(2 * law->n * sizeof *tilted), k = (double)law->count, sum, step,
	       off;
	struct draws d = {law, tilted, tilted + law->n, x->work};
	enum sotto_status st;

	if (!tilted)
		return SOTTO_ENOMEM;
	sum = tilt(x, &d);
	if (is_even(law, &step, &off) && (double)law->n * k <= EVEN_MAX) {
		x->shift += k * off;
		x->log_slack += k * (x->tilt * off + SOTTO_U * (4 * (double)law->n + 8));
		st = convolve(&d, sum, step, out);
	} else {
		st = spread(&d, 0, law->count, (struct point){0, 1}, out);
	}
	free(tilted);
	return st;
}

/* Replaces l by all sums of an element of l and one of other. */
static enum sotto_status join(struct list *l, const struct list *other)
{
	struct list joined = {0};

	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < other->n; j++)
			if (push(&joined, l->at[i].loss + other->at[j].loss,
				 l->at[i].mass * other->at[j].mass) != SOTTO_OK) {
				free(joined.at);
				return SOTTO_ENOMEM;
			}
	free(l->at);
	*l = joined;
	return SOTTO_OK;
}

static enum sotto_status
make_lists(struct sotto_finite_sum *x, const struct sotto_loss_measure *m)
{
	bool to_left[64];

	if (!split(m, to_left))
		return SOTTO_ERANGE;
	SOTTO_TRY(push(&x->left, 0, 1));
	SOTTO_TRY(push(&x->right, 0, 1));
	for (size_t i = 0; i < m->n; i++) {
		struct list one = {0};
		enum sotto_status st = list_law(x, &m->laws[i], &one);

		if (st == SOTTO_OK)
			st = join(to_left[i] ? &x->left : &x->right, &one);
		free(one.at);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

static int descending(const void *a, const void *b)
{
	double x = ((const struct point *)a)->loss, y = ((const struct point *)b)->loss;

	return (x < y) - (x > y);
}

/*
 * With g the distance from an outcome down to right[j]:
 *	excess[j] = sum over outcomes above of mass exp(-tilt g) (1 - exp(-g)),
 *	rest[j]   = sum of mass exp(-(tilt+1) g),
 * both by a recurrence of positive terms.
 */
static void accumulate(struct sotto_finite_sum *x)
{
	double excess = 0, rest = 0;

	for (size_t j = 0; j < x->right.n; j++) {
		double gap = j ? x->right.at[j - 1].loss - x->right.at[j].loss : 0;
		double fall = exp(-x->tilt * gap);

		excess = fall * (excess - rest * expm1(-gap));
		rest = fall * exp(-gap) * rest + x->right.at[j].mass;
		x->excess[j] = excess;
		x->rest[j] = rest;
	}
}

void sotto_finite_sum_free(struct sotto_finite_sum *x)
{
	if (!x)
		return;
	free(x->left.at);
	free(x->right.at);
	free(x->excess);
	free(x->rest);
	free(x);
}

static enum sotto_status build(struct sotto_finite_sum *x, const struct sotto_loss_measure *m)
{
	if (sotto_work_is_spent(m->work))
		return SOTTO_EREFUSED;
	x->work = m->work;
	SOTTO_TRY(make_lists(x, m));
	x->excess = malloc(x->right.n * sizeof *x->excess);
	x->rest = malloc(x->right.n * sizeof *x->rest);
	if (!x->excess || !x->rest)
		return SOTTO_ENOMEM;
	sotto_work_use(m->work, 150 * ((double)x->left.n + (double)x->right.n));
	qsort(x->left.at, x->left.n, sizeof *x->left.at, descending);
	qsort(x->right.at, x->right.n, sizeof *x->right.at, descending);
	accumulate(x);
	/* each step of a recurrence or sum loses a few u, the tilt's exponents u of theirs */
	x->log_slack +=
		SOTTO_U *
		(16 * ((double)x->right.n + (double)x->left.n) +
		 4 * x->tilt * fabs(x->right.at[0].loss - x->right.at[x->right.n - 1].loss));
	x->shift *= 1 + 0x1p-20;
	return SOTTO_OK;
}

enum sotto_status sotto_finite_sum_new(const struct sotto_loss_measure *m, double tilt,
				       struct sotto_finite_sum **out)
{
	struct sotto_finite_sum *x = calloc(1, sizeof *x);
	enum sotto_status st;

	if (!x)
		return SOTTO_ENOMEM;
	x->tilt = tilt;
	st = build(x, m);
	if (st != SOTTO_OK) {
		sotto_finite_sum_free(x);
		return st;
	}
	*out = x;
	return SOTTO_OK;
}

/* Sum over all pairs above epsilon of mass exp(-tilt g) (1 - exp(-g)). */
static double walk(const struct sotto_finite_sum *x, double epsilon)
{
	double sum = 0;
	size_t j = x->right.n;

	/* as the left loss falls, fewer right ones reach epsilon */
	for (size_t i = 0; i < x->left.n; i++) {
		double level = epsilon - x->left.at[i].loss, gap;

		while (j > 0 && x->right.at[j - 1].loss <= level)
			j--;
		if (j == 0)
			break;
		gap = x->right.at[j - 1].loss - level;
		sum += x->left.at[i].mass * exp(-x->tilt * gap) *
		       (x->excess[j - 1] - x->rest[j - 1] * expm1(-gap));
	}
	return sum;
}

void sotto_finite_sum_delta(const struct sotto_finite_sum *x, double epsilon, double *log_low,
			    double *log_high)
{
	double shift = x->shift + 4 * SOTTO_U * epsilon;
	/* each outcome is a product of some thousand factors at most, and may lose 2^-1074 in each */
	double lost = ((double)x->left.n + 1) * ((double)x->right.n + 1) * 0x1p-1060;
	double high = walk(x, epsilon - shift) + lost, low = walk(x, epsilon + shift) - lost;
	double exponent = x->log_scale - x->tilt * epsilon;
	double slack = x->log_slack + x->tilt * shift +
		       8 * SOTTO_U * (fabs(x->log_scale) + x->tilt * epsilon + 8);

	sotto_work_use(x->work, 30 * (double)x->left.n + 4 * (double)x->right.n);
	*log_high = fmin(0, exponent + slack + log(high));
	*log_low = low > 0 ? exponent - slack + log(low) : -INFINITY;
}
