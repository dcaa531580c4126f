/*
 * Binomial masses of each row by recurrence from its middle, divided by their sum; the rows are sorted into buckets, and
 * these by insertion.
 */
#include "core/account/law/clone_groups/clone_rows.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clones/clone_rule.h"
#include "core/account/law/law.h"
#include "core/account/law/law_clones.h"
#include "core/base/failure.h"

/* -log of what rows outside the window weigh, and what an outcome that is left out weighs, about. */
#define DIGITS 48.0
#define FAINT 1e-25

/* What is being listed. */
struct making {
	const struct sotto_clone_pair *pair;
	double k, faint; /* masses that may be left out */
	double factor; /* k y^(k-1) at the largest loss */
	size_t room;
	struct sotto_clone_rows *out;
};

static double largest_factor(const struct sotto_clone_pair *p, double k)
{
	return k * exp((k - 1) * p->epsilon0);
}

static struct sotto_clone_order order_of(double k)
{
	return (struct sotto_clone_order){k - 1, 0, DIGITS};
}

double sotto_clone_rows_estimate(const struct sotto_clone_pair *p, double k)
{
	struct sotto_clone_order order = order_of(k);
	double few, most, n, reach;

	sotto_clone_window(p, &order, &few, &most);
	n = 0.5 * (few + most) + 1;
	reach = sqrt(-2 * log(FAINT) + 2 * log(largest_factor(p, k)));
	return (most - few + 1) * fmin(n / 2 + 1, 0.4 * reach * sqrt(n));
}

/* The outcomes of n reports, whose mass is given; what follows the last is at most n/2 times as much. */
static enum sotto_status add_row(struct making *m, double n, double mass)
{
	struct sotto_clone_rows *out = m->out;
	size_t first = out->n;
	double d = fmod(n, 2), x = 0.5 * (n + d), one = 1, sum = 0;

	for (; x <= n; x++, d += 2) {
		double half = d > 0 ? 1 : 0.5;

		if (!(mass * one > m->faint)) {
			out->left_out += mass * one * (n + 2) * m->factor;
			break;
		}
		if (out->n == m->room)
			return SOTTO_EREFUSED;
		out->v[out->n] = d / n;
		out->mass[out->n++] = half * mass * one * (1 + m->pair->tau * d / n);
		sum += 2 * half * one;
		one *= (n - x) / (x + 1);
	}
	for (size_t i = first; i < out->n; i++)
		out->mass[i] /= sum;
	out->error = fmax(out->error, SOTTO_U * (32 + 8 * (double)(out->n - first)));
	return SOTTO_OK;
}

/* What rows outside the window add, with fewer clones and with more. */
static double outside(const struct making *m, double few, double most)
{
	const struct sotto_clone_pair *p = m->pair;
	double sum = sotto_clone_outside(p, m->k - 1, few, p->users);

	if (most < p->users)
		sum += 2 * exp(sotto_clone_log_given_up(p, m->k - 1, most + 2) -
			       sotto_clone_deviance(p, most + 1));
	return m->k * sum;
}

static enum sotto_status add_rows(struct making *m)
{
	const struct sotto_clone_pair *p = m->pair;
	struct sotto_clone_order order = order_of(m->k);
	struct sotto_clones s = {.users = p->users, .p = p->p};
	enum sotto_status st = SOTTO_OK;
	double away;

	sotto_clone_window(p, &order, &s.low, &s.high);
	while (s.high < p->users &&
	       sotto_clone_deviance(p, s.high + 1) <
		       DIGITS + sotto_clone_log_given_up(p, m->k - 1, s.high + 2))
		s.high++;
	if (!(s.high - s.low < (double)m->room))
		return SOTTO_EREFUSED;
	s.count = (size_t)(s.high - s.low) + 1;
	SOTTO_TRY(sotto_clones_weigh(&s));
	for (size_t i = 0; st == SOTTO_OK && i < s.count; i++)
		st = add_row(m, s.low + (double)i + 1, s.mass[i]);
	free(s.mass);
	m->out->left_out += outside(m, s.low, s.high);
	away = fmax(p->clones - s.low, s.high - p->clones);
	m->out->error += SOTTO_U * (64 + 8 * (double)s.count +
				    (4 + 2 * p->epsilon0) * (away + 2) / p->rest);
	return st;
}

/* Into the order of their bucket; next[b] is where bucket b begins, and then where it ends. */
static void fill_buckets(const struct sotto_clone_rows *from, struct sotto_clone_rows *to,
			 double scale, size_t *next)
{
	size_t sum = 0;

	for (size_t i = 0; i < from->n; i++)
		next[(size_t)(from->v[i] * scale)]++;
	for (size_t b = 0; b < from->n; b++) {
		size_t count = next[b];

		next[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < from->n; i++) {
		size_t place = next[(size_t)(from->v[i] * scale)]++;

		to->v[place] = from->v[i];
		to->mass[place] = from->mass[i];
	}
}

/* Sorts what is nearly sorted, and unites equal places. */
static void insert_all(struct sotto_clone_rows *r)
{
	size_t n = 0;

	for (size_t i = 1; i < r->n; i++) {
		double v = r->v[i], mass = r->mass[i];
		size_t j = i;

		for (; j > 0 && r->v[j - 1] > v; j--) {
			r->v[j] = r->v[j - 1];
			r->mass[j] = r->mass[j - 1];
		}
		r->v[j] = v;
		r->mass[j] = mass;
	}
	for (size_t i = 1; i < r->n; i++) {
		if (r->v[i] > r->v[n]) {
			n++;
			r->v[n] = r->v[i];
			r->mass[n] = r->mass[i];
		} else {
			r->mass[n] += r->mass[i];
		}
	}
	r->n = r->n ? n + 1 : 0;
}

static enum sotto_status sort(struct sotto_clone_rows *r)
{
	struct sotto_clone_rows sorted = *r;
	size_t *next = calloc(r->n + 1, sizeof *next);
	double top = 0;

	sorted.v = malloc((2 * r->n + 1) * sizeof *sorted.v);
	if (!next || !sorted.v) {
		free(next);
		free(sorted.v);
		return SOTTO_ENOMEM;
	}
	sorted.mass = sorted.v + r->n;
	for (size_t i = 0; i < r->n; i++)
		top = fmax(top, r->v[i]);
	fill_buckets(r, &sorted, top > 0 ? 0.999 * (double)r->n / top : 0, next);
	free(next);
	free(r->v);
	insert_all(&sorted);
	*r = sorted;
	return SOTTO_OK;
}

enum sotto_status sotto_clone_rows_of(const struct sotto_clone_pair *p, double k, size_t most,
				      struct sotto_clone_rows *out)
{
	struct making m = {.pair = p,
			   .k = k,
			   .factor = largest_factor(p, k),
			   .faint = FAINT / largest_factor(p, k),
			   .room = most,
			   .out = out};
	enum sotto_status st;

	*out = (struct sotto_clone_rows){.v = malloc(2 * most * sizeof *out->v)};
	if (!out->v)
		return SOTTO_ENOMEM;
	out->mass = out->v + most;
	st = add_rows(&m);
	if (st == SOTTO_OK)
		st = sort(out);
	if (st != SOTTO_OK)
		free(out->v);
	return st;
}
