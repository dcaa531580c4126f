/* A part of which the outcomes are listed: discrete noise, repeated or sampled or not (law_pieces.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/law/outcomes/outcomes.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/base/failure.h"

/* More outcomes than this would have too many places where curves may cross. */
enum { LIST_MAX = SOTTO_OUTCOMES_MAX, LIST_MAX_OF_GROUP = 3072 };
_Static_assert(LIST_MAX + 2 <= SOTTO_PLACES, "all outcomes and two ends are places");
#define FAINT_MASS 1e-280
/* How far below its anchor a loss is at most. */
#define ANCHOR 1.0

struct sotto_part_list {
	double *loss, *mass; /* losses growing; one allocation: free loss */
	double *above_p,
		*above_yq; /* P-mass of this outcome and all above it, and Q-mass times e^loss; one more entry, for infinity */
	size_t n;
	double mass_error, error; /* relative: of a mass, and of sums of them */
	double units; /* rounding of sums */
	double total_error; /* of the mass of all, which is 1 */
	double loss_error; /* of a loss, absolute */
	double left_out, left_grown, infinite, missing; /* as in outcomes.h */
};

bool sotto_part_list_possible(const struct sotto_event *e)
{
	const struct sotto_event *noise = e;

	while (noise->kind == SOTTO_EVENT_SAMPLED && noise->children[0]->count >= 1)
		noise = noise->children[0];
	if (noise->kind == SOTTO_EVENT_LAPLACE || noise->kind == SOTTO_EVENT_SAMPLED)
		return false;
	return noise == e ? sotto_outcomes_plain_possible(e) : sotto_outcomes_possible(e);
}

/*
 * Q-masses are taken times e^(anchor), an anchor being a loss not much farther up: so none of them is too small for a double, and a sum is multiplied by
 * few rounded numbers.  Returns what it is wrong by, in units u.
 */
static double sum_from_top(struct sotto_part_list *l)
{
	struct sotto_sum p = {l->infinite, 0}, yq = {0};
	double anchor = l->n ? l->loss[l->n - 1] : 0, units = 16;

	l->above_p[l->n] = l->infinite;
	l->above_yq[l->n] = 0;
	for (size_t i = l->n; i-- > 0;) {
		double below = anchor - l->loss[i];

		if (below > ANCHOR) {
			yq = (struct sotto_sum){sotto_sum_total(&yq) * exp(-below), 0};
			anchor = l->loss[i];
			units += 6 + below;
			below = 0;
		}
		sotto_sum_add(&p, l->mass[i]);
		sotto_sum_add(&yq, l->mass[i] * exp(below));
		l->above_p[i] = sotto_sum_total(&p);
		l->above_yq[i] = sotto_sum_total(&yq) * exp(-below);
	}
	return units;
}

/* The first outcomes are left out as long as they are so rare that masses lose digits: P has no more there than what is counted. */
static size_t first_of(const struct sotto_outcomes *o, double *left_out)
{
	size_t i = 0;

	while (i + 1 < o->n && o->mass[i] < FAINT_MASS)
		i++;
	*left_out = (double)i * FAINT_MASS;
	return i;
}

static enum sotto_status
copy(struct sotto_part_list *l, const struct sotto_outcomes *o, size_t first)
{
	l->n = o->n - first;
	l->infinite = o->infinite;
	l->missing = o->missing;
	l->loss = malloc((4 * l->n + 2) * sizeof *l->loss);
	if (!l->loss)
		return SOTTO_ENOMEM;
	l->mass = l->loss + l->n;
	l->above_p = l->mass + l->n;
	l->above_yq = l->above_p + l->n + 1;
	for (size_t i = 0; i < l->n; i++) {
		l->loss[i] = o->loss[first + i];
		l->mass[i] = o->mass[first + i];
	}
	l->units = sum_from_top(l);
	return SOTTO_OK;
}

enum sotto_status sotto_part_list_of(const struct sotto_event *e,
				     enum sotto_direction direction, double people,
				     struct sotto_work *work, struct sotto_part_list **out)
{
	struct sotto_tame any = {1, INFINITY, people, false, 1};
	struct sotto_part_list *l;
	struct sotto_outcomes o;
	enum sotto_status st;
	double reach, faint = 0;
	size_t first;
	bool fits;

	SOTTO_TRY(sotto_outcomes_of(&o, e, direction, &any, work));
	fits = o.exact && o.n <= (people > 1 ? LIST_MAX_OF_GROUP : LIST_MAX) &&
	       o.infinite <= SOTTO_PIECES_INFINITE;
	first = people > 1 ? 0 : first_of(&o, &faint);
	l = fits ? calloc(1, sizeof *l) : NULL;
	st = !fits ? SOTTO_EREFUSED : l ? copy(l, &o, first) : SOTTO_ENOMEM;
	if (st != SOTTO_OK) {
		free(l);
		sotto_outcomes_release(&o);
		return st;
	}
	reach = fmax(fabs(o.loss[0]), fabs(o.loss[o.n - 1]));
	l->loss_error = o.loss_error * reach + o.loss_shift;
	l->mass_error = o.mass_error;
	l->error = o.mass_error + l->loss_error + SOTTO_U * l->units;
	l->left_out = o.left_out + faint;
	l->left_grown = o.left_grown;
	l->total_error = fabs(l->above_p[0] - 1) + l->left_out + 8 * SOTTO_U;
	sotto_outcomes_release(&o);
	*out = l;
	return SOTTO_OK;
}

void sotto_part_list_free(struct sotto_part_list *l)
{
	if (!l)
		return;
	free(l->loss);
	free(l);
}

/* The first outcome above epsilon. */
static size_t first_above(const struct sotto_part_list *l, double epsilon)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->loss[middle] > epsilon)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct sotto_part_tails sotto_part_list_tails(const struct sotto_part_list *l, double epsilon)
{
	size_t i = first_above(l, epsilon);
	struct sotto_part_tails t = {.p = l->above_p[i]};

	if (i < l->n)
		t.yq = l->above_yq[i] * exp(epsilon - l->loss[i]);
	t.delta = fmax(0, t.p - t.yq);
	t.p_error =
		fmin(l->mass_error * t.p, l->total_error + l->mass_error * fmax(0, 1 - t.p)) +
		8 * SOTTO_U * t.p;
	t.error = t.p_error + (l->error + 8 * SOTTO_U * fabs(epsilon)) * t.yq + 0x1p-1000;
	return t;
}

void sotto_part_list_range(const struct sotto_part_list *l, double *low, double *high)
{
	*low = l->loss[0];
	*high = l->loss[l->n - 1];
}

size_t sotto_part_list_points(const struct sotto_part_list *l, double from, double to,
			      struct sotto_part_point *out)
{
	size_t first = first_above(l, from), last = first_above(l, to);

	for (size_t i = first; out && i < last; i++)
		out[i - first] =
			(struct sotto_part_point){l->loss[i], log(l->mass[i]), 1, 0, 0};
	return last - first;
}

size_t
sotto_part_list_places(const struct sotto_part_list *l, double from, double to, double *out)
{
	size_t first = first_above(l, from), last = first_above(l, to), n = 0;

	if (isfinite(from))
		out[n++] = from;
	for (size_t i = first; i < last; i++)
		out[n++] = l->loss[i];
	if (isfinite(to) && (n == 0 || out[n - 1] < to))
		out[n++] = to;
	return n;
}

double sotto_part_list_log_m_up(const struct sotto_part_list *l, double c, double *slope)
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < l->n; i++)
		most = fmax(most, c * l->loss[i] + log(l->mass[i]));
	for (size_t i = 0; i < l->n; i++)
		sum += exp(c * l->loss[i] + log(l->mass[i]) - most);
	*slope = l->loss[l->n - 1];
	return (most + log(sum)) + 2 * (l->mass_error + c * l->loss_error) +
	       16 * SOTTO_U * (1 + fabs(most));
}

double sotto_part_list_spread(const struct sotto_part_list *l)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += l->mass[i] * l->loss[i] * l->loss[i];
	return sqrt(sum);
}

double sotto_part_list_error(const struct sotto_part_list *l)
{
	return l->mass_error;
}

double sotto_part_list_loss_error(const struct sotto_part_list *l)
{
	return l->loss_error;
}

double sotto_part_list_left_out(const struct sotto_part_list *l)
{
	return l->left_out;
}

double sotto_part_list_left_grown(const struct sotto_part_list *l)
{
	return l->left_grown;
}

double sotto_part_list_infinite(const struct sotto_part_list *l)
{
	return l->infinite;
}

double sotto_part_list_missing(const struct sotto_part_list *l)
{
	return l->missing;
}
