/*
 * Sums of three masses from the top tell the curve at any loss.  All formulas are derived in between.md.
 */
#include "core/account/law/between/laplace_beside.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/law/law.h"
#include "core/base/failure.h"

/* Masses of a list beyond which its outcomes are faint. */
#define FAINT 1e-15
/* How far from a kink points are. */
#define KINK 0x1p-38
/* What a value may be wrong by, in units u of the mass above. */
#define UNITS 64

enum sotto_status sotto_tails_of(const struct sotto_mirrored *m, struct sotto_tails *t)
{
	struct sotto_sum p = {0, 0}, q = {0, 0}, h = {0, 0};
	size_t n = 2 * m->n;

	*t = (struct sotto_tails){.loss = malloc((4 * n + 3) * sizeof *t->loss), .n = n};
	if (!t->loss)
		return SOTTO_ENOMEM;
	t->p = t->loss + n;
	t->q = t->p + n + 1;
	t->h = t->q + n + 1;
	t->p[n] = t->q[n] = t->h[n] = 0;
	for (size_t i = n; i-- > 0;) {
		size_t j = i >= m->n ? i - m->n : m->n - 1 - i;
		double w = i >= m->n ? m->w[j] : -m->w[j];

		sotto_sum_add(&p, m->mass[j] * (1 + w));
		sotto_sum_add(&q, m->mass[j] * (1 - w));
		sotto_sum_add(&h, m->mass[j] * sqrt((1 - w) * (1 + w)));
		t->loss[i] = i >= m->n ? log1p(2 * w / (1 - w)) : 0;
		t->p[i] = sotto_sum_total(&p);
		t->q[i] = sotto_sum_total(&q);
		t->h[i] = sotto_sum_total(&h);
	}
	for (size_t i = 0; i < m->n; i++)
		t->loss[m->n - 1 - i] = -t->loss[m->n + i];
	return SOTTO_OK;
}

/* The curve at a loss, the Q-mass above, and what the curve may be wrong by. */
struct value {
	double f, q, error;
};

/* first and second: the first outcomes above x - epsilon and x + epsilon; they move up with x. */
static struct value
value_at(const struct sotto_tails *t, double epsilon, double x, size_t *first, size_t *second)
{
	double inside, mean;
	struct value v;

	while (*first < t->n && t->loss[*first] <= x - epsilon)
		++*first;
	while (*second < t->n && t->loss[*second] <= x + epsilon)
		++*second;
	inside = t->p[*first] - t->p[*second];
	mean = t->h[*first] - t->h[*second];
	v.f = (t->p[*second] - exp(x) * t->q[*second]) +
	      (inside - exp(0.5 * (x - epsilon)) * mean);
	v.q = t->q[*second] + 0.5 * exp(-0.5 * (x + epsilon)) * mean;
	v.error = UNITS * SOTTO_U * (1 + x + epsilon) * t->p[*first];
	return v;
}

static double top_of(const struct sotto_tails *t, double epsilon)
{
	return t->loss[t->n - 1] + epsilon;
}

/* How far from 0 the losses of the list are that are not faint. */
static double reach_of(const struct sotto_tails *t)
{
	size_t i = t->n - 1;

	while (i > 0 && t->p[i] < FAINT)
		i--;
	return fabs(t->loss[i]);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts, and leaves out what is there twice. */
static void settle(struct sotto_loss_grid *g)
{
	size_t n = 0;

	qsort(g->x, g->n, sizeof *g->x, compare);
	for (size_t i = 0; i < g->n; i++)
		if (n == 0 || g->x[i] > g->x[n - 1] * (1 + 0x1p-40))
			g->x[n++] = g->x[i];
	g->n = n;
}

static void add_evenly(struct sotto_loss_grid *g, double from, double to, size_t n)
{
	for (size_t i = 0; i <= n; i++)
		g->x[g->n++] = fmax(0, from + (to - from) * ((double)i / (double)n));
}

enum sotto_status sotto_laplace_grid(const struct sotto_tails *t, double epsilon, size_t n,
				     struct sotto_loss_grid *out)
{
	double reach = reach_of(t);

	*out = (struct sotto_loss_grid){.x = malloc((n + 4) * sizeof *out->x)};
	if (!out->x)
		return SOTTO_ENOMEM;
	add_evenly(out, 0, top_of(t, epsilon), n / 2);
	add_evenly(out, epsilon - reach, epsilon + reach, n / 2);
	settle(out);
	return SOTTO_OK;
}

/* Points in a stretch, where the shares of the stretches say how many. */
static void add_shared(struct sotto_loss_grid *g, const struct sotto_loss_grid *rough,
		       const double *share, double all, size_t n)
{
	for (size_t i = 0; i + 1 < rough->n; i++) {
		size_t more = (size_t)(share[i] / all * (double)n);

		for (size_t j = 0; j < more; j++)
			g->x[g->n++] = rough->x[i] + (rough->x[i + 1] - rough->x[i]) *
							     (((double)j + 0.5) / (double)more);
	}
}

/* Few outcomes are kinks where the noise has its own, and get a point on either side. */
static void add_kinks(struct sotto_loss_grid *g, const struct sotto_tails *t, double epsilon,
		      double from, double to)
{
	for (size_t i = 0; i < t->n; i++)
		for (int side = -1; side <= 1; side += 2) {
			double x = t->loss[i] + side * epsilon, near = KINK * (1 + x);

			if (!(x - near > from && x < to))
				continue;
			g->x[g->n++] = x - near;
			g->x[g->n++] = x + near;
		}
}

/* The cube root of what a stretch bends the curve times the square of its length. */
static double share_between(const struct sotto_tails *t, double epsilon, double from, double to,
			    size_t *first, size_t *second)
{
	size_t i, j;
	struct value a = value_at(t, epsilon, from, first, second), b;

	i = *first;
	j = *second;
	b = value_at(t, epsilon, to, &i, &j);
	return cbrt(fmax(0, (a.f + exp(from) * a.q) - (b.f + exp(to) * b.q)) * (to - from) *
		    (to - from));
}

enum sotto_status sotto_laplace_regrid(const struct sotto_tails *t, double epsilon,
				       const struct sotto_loss_grid *rough, double from,
				       double to, size_t n, struct sotto_loss_grid *out)
{
	double *share = calloc(rough->n, sizeof *share), sum = 0;
	size_t first = 0, second = 0;

	if (!share)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i + 1 < rough->n; i++) {
		double one = share_between(t, epsilon, rough->x[i], rough->x[i + 1], &first,
					   &second);

		share[i] = rough->x[i + 1] < from || rough->x[i] > to ? 0 : one;
		sum += share[i];
	}
	*out = (struct sotto_loss_grid){
		.x = malloc((rough->n + 2 * n + 4 * t->n + 4) * sizeof *out->x)};
	if (out->x) {
		if (t->n <= n)
			add_kinks(out, t, epsilon, 0, to);
		for (size_t i = 0; i < rough->n; i++)
			out->x[out->n++] = rough->x[i];
		if (sum > 0)
			add_shared(out, rough, share, sum, n);
		settle(out);
	}
	free(share);
	return out->x ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Where the lines that touch the curve at two losses meet, or lower. */
static void add_meeting(struct sotto_points *p, double x, const struct value *a, double to,
			const struct value *b)
{
	double y = exp(x), width = y * expm1(to - x), at = width, low = a->f - a->error,
	       high = b->f - b->error;

	if (a->q > b->q)
		at = fmin(width, fmax(0, (low - high - b->q * width) / (a->q - b->q)));
	p->x[p->n] = fmin(to, fmax(x, x + log1p(at / y)));
	p->value[p->n++] =
		fmax(0, fmin(low - a->q * at, high + b->q * (width - at)) * (1 - 0x1p-44));
}

enum sotto_status sotto_laplace_points(const struct sotto_tails *t, double epsilon,
				       const struct sotto_loss_grid *grid, bool above,
				       struct sotto_points *out)
{
	struct value last = {0, 0, 0};
	size_t first = 0, second = 0;
	double top = top_of(t, epsilon);

	*out = (struct sotto_points){.x = malloc(2 * (grid->n + 3) * sizeof *out->x)};
	if (!out->x)
		return SOTTO_ENOMEM;
	out->value = out->x + grid->n + 3;
	for (size_t i = 0; i < grid->n; i++) {
		double x = grid->x[i];
		struct value v = value_at(t, epsilon, x, &first, &second);

		if (x >= top)
			v = (struct value){0, 0, 0};
		if (above || i == 0) {
			out->x[out->n] = x;
			out->value[out->n++] = fmax(0, above ? v.f + v.error : v.f - v.error);
		} else {
			add_meeting(out, grid->x[i - 1], &last, x, &v);
		}
		last = v;
	}
	return SOTTO_OK;
}
