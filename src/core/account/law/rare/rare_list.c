/*
 * Discrete Gaussian noise of a small sigma, and any list of a few atoms: the likeliest outcome is the usual one, and all others
 * stand beside it.
 */
#include "core/account/law/rare/rare_list.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/base/failure.h"

/* Discrete Gaussian noise with more outcomes than a few is not listed. */
#define VARIANCE_MAX 0.5
enum { SENSITIVITY_MAX = 16 };
/* What is not listed is below exp(-FAINT) of the usual outcome, and falls at least by e^2 from one outcome to the next. */
#define FAINT 80.0
#define LEFT_OUT 1e-34
/* An outcome that is nearer than this to the usual one counts as that; no loss is moved by more. */
#define STILL 1e-15
/* Of larger losses phases would have too few digits. */
#define LOSS_MAX 1e8

bool sotto_rare_takes(const struct sotto_law *law)
{
	if (law->class == &sotto_law_dgauss)
		return law->sigma_squared <= VARIANCE_MAX && law->n <= SENSITIVITY_MAX;
	if (law->class != &sotto_law_atoms)
		return false;
	for (size_t i = 0; i < law->n; i++)
		if (fabs(law->loss[i]) > LOSS_MAX)
			return false;
	return true;
}

void sotto_rare_free(struct sotto_rare *r)
{
	if (!r)
		return;
	free(r->laws);
	free(r->gap);
	free(r->log_ratio);
	free(r->by_gap);
	free(r->whose);
	free(r);
}

static enum sotto_status push_law(struct sotto_rare *r, struct sotto_rare_law **law)
{
	if (r->n == r->capacity) {
		size_t capacity = r->capacity ? 2 * r->capacity : 64;
		struct sotto_rare_law *grown = realloc(r->laws, capacity * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		r->laws = grown;
		r->capacity = capacity;
	}
	*law = &r->laws[r->n++];
	**law = (struct sotto_rare_law){.first = r->outcomes};
	return SOTTO_OK;
}

static enum sotto_status push_outcome(struct sotto_rare *r, double gap, double log_ratio)
{
	if (r->outcomes == r->room) {
		size_t room = r->room ? 2 * r->room : 256;
		double *gaps = realloc(r->gap, room * sizeof *gaps), *ratios;

		if (!gaps)
			return SOTTO_ENOMEM;
		r->gap = gaps;
		ratios = realloc(r->log_ratio, room * sizeof *ratios);
		if (!ratios)
			return SOTTO_ENOMEM;
		r->log_ratio = ratios;
		r->room = room;
	}
	r->gap[r->outcomes] = gap;
	r->log_ratio[r->outcomes++] = log_ratio;
	r->laws[r->n - 1].n++;
	return SOTTO_OK;
}

/* The usual outcome has this loss, good to error. */
static void
add_usual(struct sotto_rare *r, const struct sotto_rare_law *law, double loss, double error)
{
	double count = (double)law->count, all = count * loss;

	sotto_sum_add(&r->usual, all);
	r->usual_error += count * error + SOTTO_U * fabs(all);
	sotto_sum_add(&r->log_usual, count * law->log_mass);
	r->log_usual_error += count * (law->mass_error + SOTTO_U * fabs(law->log_mass));
}

/*
 * x = 0 is the usual outcome.  With v = sigma^2 that x = -k stands at the gap kD/v with ratio exp(-k^2/(2v)), at order s
 * exp(k (sD - k/2)/v) of it; k on the other side at -kD/v.  Losses and exponents are good to 3 u.
 */
static enum sotto_status add_dgauss(struct sotto_rare *r, const struct sotto_law *from)
{
	double v = from->sigma_squared, d = (double)from->n, rest = 0;
	struct sotto_rare_law *law;

	SOTTO_TRY(push_law(r, &law));
	law->count = from->count;
	for (double k = 1;; k++) {
		double log_ratio = -k * k / (2 * v),
		       high = k * (SOTTO_RARE_ORDER * d - k / 2) / v;

		if (k > 2 * SOTTO_RARE_ORDER * d && high < -FAINT)
			break;
		SOTTO_TRY(push_outcome(r, k * d / v, log_ratio));
		if (log_ratio >= -FAINT)
			SOTTO_TRY(push_outcome(r, -k * d / v, log_ratio));
		rest += 2 * exp(log_ratio);
	}
	law = &r->laws[r->n - 1];
	law->log_mass = -log1p(rest);
	law->mass_error = SOTTO_U * (16 + 4 * FAINT) * rest + LEFT_OUT;
	law->gap_error = 4 * SOTTO_U;
	law->left_out = LEFT_OUT;
	law->steepness = d * d / v;
	add_usual(r, law, d * d / (2 * v), 4 * SOTTO_U * d * d / (2 * v));
	return SOTTO_OK;
}

/* The likeliest outcome; *mass is that of all that are as good as it. */
static size_t find_usual(const struct sotto_law *law, double *mass)
{
	size_t usual = 0;

	for (size_t i = 0; i < law->n; i++)
		usual = law->mass[i] > law->mass[usual] ? i : usual;
	*mass = 0;
	for (size_t i = 0; i < law->n; i++)
		if (fabs(law->loss[i] - law->loss[usual]) < STILL)
			*mass += law->mass[i];
	return usual;
}

static enum sotto_status add_atoms(struct sotto_rare *r, const struct sotto_law *from)
{
	struct sotto_rare_law *law;
	double mass, loss = from->loss[find_usual(from, &mass)],
		     wrong = from->loss_error * fabs(loss) + from->loss_shift;

	SOTTO_TRY(push_law(r, &law));
	law->count = from->count;
	for (size_t i = 0; i < from->n; i++)
		if (!(fabs(from->loss[i] - loss) < STILL) && from->mass[i] > 0)
			SOTTO_TRY(push_outcome(r, from->loss[i] - loss,
					       log(from->mass[i]) - log(mass)));
	law = &r->laws[r->n - 1];
	law->log_mass = log(mass);
	law->mass_error =
		2 * from->mass_error + SOTTO_U * ((double)from->n + 4 * fabs(law->log_mass));
	law->ratio_error =
		4 * from->mass_error + SOTTO_U * (8 + (double)from->n - 4 * law->log_mass);
	law->gap_shift = 2 * wrong + 4 * SOTTO_U * fabs(loss);
	law->gap_error = from->loss_error + 4 * SOTTO_U;
	add_usual(r, law, loss, wrong + (law->n + 1 < from->n ? STILL : 0));
	return SOTTO_OK;
}

enum sotto_status sotto_rare_add(struct sotto_rare *r, const struct sotto_law *law)
{
	return law->class == &sotto_law_dgauss ? add_dgauss(r, law) : add_atoms(r, law);
}

/* An outcome, to be sorted by its gap. */
struct placed {
	double gap;
	size_t at;
};

static int compare(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->gap != y->gap)
		return x->gap < y->gap ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

enum sotto_status sotto_rare_sort(struct sotto_rare *r)
{
	struct placed *list = malloc((r->outcomes + 1) * sizeof *list);

	r->by_gap = malloc((r->outcomes + 1) * sizeof *r->by_gap);
	r->whose = malloc((r->outcomes + 1) * sizeof *r->whose);
	if (!list || !r->by_gap || !r->whose) {
		free(list);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < r->outcomes; i++)
		list[i] = (struct placed){r->gap[i], i};
	qsort(list, r->outcomes, sizeof *list, compare);
	for (size_t i = 0; i < r->outcomes; i++)
		r->by_gap[i] = list[i].at;
	for (size_t j = 0; j < r->n; j++)
		for (size_t i = 0; i < r->laws[j].n; i++)
			r->whose[r->laws[j].first + i] = (uint32_t)j;
	free(list);
	return SOTTO_OK;
}
