/*
 * The non-negative lasso with a free constant, along a falling penalty (Friedman,
 * Hastie, Tibshirani 2010): each fit starts from the one before, and between looks
 * at all columns only those in use are moved.
 */
#include "local/rappor/regression/lasso_path_bulk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "local/rappor/regression/regression.h"

#define STEPS 100
#define ROUNDS_MAX 200
#define SETTLED 1e-7

struct path {
	const struct sotto_columns *c;
	size_t rows;
	double penalty;
	double *x, *left; /* the fit, and what it leaves of y */
	double scale; /* of y: changes below a share of it are none */
};

/* The slope of the squared loss along a column. */
static double slope(const struct path *p, size_t s)
{
	double sum = 0;

	for (size_t i = p->c->start[s]; i < p->c->start[s + 1]; i++)
		sum += p->left[p->c->rows[i]];
	return sum;
}

static double move_column(struct path *p, size_t s)
{
	size_t n = p->c->start[s + 1] - p->c->start[s];
	double now, by;

	if (n == 0)
		return 0;
	now = fmax(p->x[s] + (slope(p, s) - p->penalty) / (double)n, 0);
	by = now - p->x[s];
	if (by == 0)
		return 0;
	for (size_t i = p->c->start[s]; i < p->c->start[s + 1]; i++)
		p->left[p->c->rows[i]] -= by;
	p->x[s] = now;
	return fabs(by);
}

static double move_constant(struct path *p)
{
	double mean = 0;

	for (size_t r = 0; r < p->rows; r++)
		mean += p->left[r] / (double)p->rows;
	for (size_t r = 0; r < p->rows; r++)
		p->left[r] -= mean;
	return fabs(mean);
}

static double sweep(struct path *p, bool all)
{
	double most = move_constant(p);

	for (size_t s = 0; s < p->c->count; s++)
		if (all || p->x[s] > 0)
			most = fmax(most, move_column(p, s));
	return most;
}

static void settle(struct path *p)
{
	for (int i = 0; i < ROUNDS_MAX && sweep(p, true) > SETTLED * p->scale; i++)
		for (int j = 0; j < ROUNDS_MAX && sweep(p, false) > SETTLED * p->scale; j++)
			;
}

/* Marks what is in the fit; returns how many there are. */
static size_t mark(const struct path *p, bool *keep)
{
	size_t n = 0;

	for (size_t s = 0; s < p->c->count; s++)
		n += keep[s] = p->x[s] > 0;
	return n;
}

enum sotto_status sotto_lasso_path(const struct sotto_columns *c, size_t rows, const double *y,
				   size_t most, bool *keep)
{
	struct path p = {.c = c,
			 .rows = rows,
			 .x = calloc(c->count + 1, sizeof(double)),
			 .left = malloc((rows + 1) * sizeof(double))};
	bool *next = calloc(c->count + 1, sizeof *next);
	enum sotto_status st = p.x && p.left && next ? SOTTO_OK : SOTTO_ENOMEM;
	double start = 0, fall = pow(rows < c->count ? 1e-2 : 1e-4, 1.0 / (STEPS - 1));

	memset(keep, 0, c->count * sizeof *keep);
	if (st == SOTTO_OK) {
		memcpy(p.left, y, rows * sizeof *y);
		(void)move_constant(&p);
		for (size_t r = 0; r < rows; r++)
			p.scale = fmax(p.scale, fabs(p.left[r]));
		for (size_t s = 0; s < c->count; s++)
			start = fmax(start, slope(&p, s));
	}
	p.penalty = start;
	for (int i = 0; st == SOTTO_OK && i < STEPS; i++, p.penalty *= fall) {
		settle(&p);
		if (mark(&p, next) > most)
			break;
		memcpy(keep, next, c->count * sizeof *keep);
	}
	free(p.x);
	free(p.left);
	free(next);
	return st;
}
