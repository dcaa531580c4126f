/*
 * Alternating directions (Boyd et al. 2011, the form of Stellato et al. 2020): z is
 * (x, sum x, X x) held inside its bounds, x solves a fixed positive system, and a
 * multiplier per bound pulls the two together.
 */
#include "local/rappor/regression/constrained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/rappor/regression/cholesky.h"

#define ITERATIONS_MAX 5000
/* The penalty is looked at after 30 rounds, then three times as many, and so on. */
#define BALANCE_FIRST 30
#define BALANCE_EARLY 100 /* until here it may change by little */
#define GAP_MAX 1e-8
#define OVER 1.6 /* over-relaxation */
#define STEADY 1e-9 /* keeps the system positive where columns repeat */

struct state {
	const struct sotto_constrained *c;
	size_t n, bounds;
	double penalty;
	double *system; /* the factor */
	bool *dropped;
	double *x, *solved;
	double *z, *applied, *multiplier, *scratch; /* per bound: n, then 1, then rows */
};

static void state_release(struct state *s)
{
	free(s->system);
	free(s->dropped);
	free(s->x);
	free(s->solved);
	free(s->z);
	free(s->applied);
	free(s->multiplier);
	free(s->scratch);
}

static enum sotto_status state_make(struct state *s, const struct sotto_constrained *c)
{
	size_t n = c->columns->count, bounds = n + 1 + c->rows;

	*s = (struct state){.c = c,
			    .n = n,
			    .bounds = bounds,
			    .system = malloc((n * n + 1) * sizeof(double)),
			    .dropped = calloc(n + 1, sizeof(bool)),
			    .x = calloc(n + 1, sizeof(double)),
			    .solved = calloc(n + 1, sizeof(double)),
			    .z = calloc(bounds, sizeof(double)),
			    .applied = calloc(bounds, sizeof(double)),
			    .multiplier = calloc(bounds, sizeof(double)),
			    .scratch = calloc(bounds, sizeof(double))};
	return s->system && s->dropped && s->x && s->solved && s->z && s->applied &&
			       s->multiplier && s->scratch
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

/* X'(W + penalty)X + penalty (I + 11') + a little. */
static enum sotto_status factor(struct state *s)
{
	for (size_t r = 0; r < s->c->rows; r++)
		s->scratch[r] = s->c->weight[r] + s->penalty;
	SOTTO_TRY(sotto_gram(s->c->columns, s->c->rows, s->scratch, false, s->system));
	for (size_t i = 0; i < s->n; i++) {
		for (size_t j = 0; j <= i; j++)
			s->system[i * s->n + j] += s->penalty;
		s->system[i * s->n + i] += s->penalty + STEADY;
	}
	memset(s->dropped, 0, s->n * sizeof *s->dropped);
	sotto_cholesky_factor(s->system, s->n, s->dropped);
	return SOTTO_OK;
}

/* (x, sum x, X x) */
static void apply(const struct state *s, const double *x, double *out)
{
	out[s->n] = 0;
	for (size_t i = 0; i < s->n; i++) {
		out[i] = x[i];
		out[s->n] += x[i];
	}
	sotto_columns_apply(s->c->columns, s->c->rows, x, out + s->n + 1);
}

static double bounded(const struct state *s, size_t i, double v)
{
	if (i < s->n)
		return fmax(v, 0);
	if (s->c->is_plain)
		return v;
	return fmin(v, i == s->n ? 1 : s->c->cap[i - s->n - 1]);
}

/* solved = the x for the present z and multipliers */
static void solve_x(struct state *s)
{
	double *rows = s->scratch + s->n + 1,
	       sum = s->penalty * s->z[s->n] - s->multiplier[s->n];

	for (size_t r = 0; r < s->c->rows; r++) {
		size_t i = s->n + 1 + r;

		rows[r] =
			s->c->weight[r] * s->c->y[r] + s->penalty * s->z[i] - s->multiplier[i];
	}
	sotto_columns_apply_transposed(s->c->columns, rows, s->solved);
	for (size_t i = 0; i < s->n; i++)
		s->solved[i] +=
			STEADY * s->x[i] + s->penalty * s->z[i] - s->multiplier[i] + sum;
	sotto_cholesky_solve(s->system, s->n, s->dropped, s->solved);
}

/* One round; *primal is how far z is from its x, *dual how far z moved, scaled alike. */
static void round_of(struct state *s, double *primal, double *dual)
{
	*primal = *dual = 0;
	solve_x(s);
	apply(s, s->solved, s->applied);
	for (size_t i = 0; i < s->n; i++)
		s->x[i] = OVER * s->solved[i] + (1 - OVER) * s->x[i];
	for (size_t i = 0; i < s->bounds; i++) {
		double relaxed = OVER * s->applied[i] + (1 - OVER) * s->z[i];
		double next = bounded(s, i, relaxed + s->multiplier[i] / s->penalty);

		s->multiplier[i] += s->penalty * (relaxed - next);
		*primal = fmax(*primal, fabs(s->applied[i] - next));
		*dual = fmax(*dual, fabs(next - s->z[i]));
		s->z[i] = next;
	}
}

enum sotto_status sotto_constrained_solve(const struct sotto_constrained *c, double *x)
{
	struct state s;
	enum sotto_status st = state_make(&s, c);
	double primal = 1, dual = 1, heaviest = 0;
	int balance = BALANCE_FIRST;

	for (size_t r = 0; r < c->rows; r++)
		heaviest += c->weight[r] / (double)c->rows;
	s.penalty = 5 * heaviest;
	if (st == SOTTO_OK)
		st = factor(&s);
	for (int i = 1; st == SOTTO_OK && i <= ITERATIONS_MAX && fmax(primal, dual) > GAP_MAX;
	     i++) {
		double ratio, limit = i < BALANCE_EARLY ? 2 : 5;

		round_of(&s, &primal, &dual);
		ratio = sqrt(primal / fmax(dual, 1e-300));
		if (i < balance)
			continue;
		balance *= 3; /* seldom, as another penalty means another factor */
		if (ratio > limit || ratio < 1 / limit) {
			s.penalty *= fmin(fmax(ratio, .1), 10);
			st = factor(&s);
		}
	}
	for (size_t i = 0; st == SOTTO_OK && i < s.n; i++)
		x[i] = s.z[i];
	state_release(&s);
	return st;
}
