/* Sums of draws by squaring and multiplying, and Chernoff's bounds of their tails (nested.md). */
#include "core/account/law/outcomes/ratio_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

/* What sums over one draw may be wrong by, and more. */
#define MARGIN 1e-6
/* Products of two lists, and steps (work.h) for each. */
#define PRODUCTS_MAX 2e7
#define PRODUCT_STEPS 0.25

void sotto_ratio_tails_of(struct sotto_ratio_tails *t, const struct sotto_ratios *r,
			  const struct sotto_nested_line *line)
{
	double sum = 0, mean = 0, square = 0, most, least,
	       power = line->direction == SOTTO_REMOVE ? line->order + 1 : 1;

	for (size_t i = 0; i < r->n; i++) {
		sum += r->mass[i];
		mean += r->mass[i] * r->x[i];
		square += r->mass[i] * r->x[i] * r->x[i];
	}
	t->sizes = 1;
	t->mean = mean / sum;
	t->spread = sqrt(fmax(square / sum - t->mean * t->mean, 0)) + 1e-12;
	/* a rule's places beyond its ends fall only up to this order */
	most = r->rule.step > 0 ? (-r->rule.low - r->rule.step - 1) / r->rule.mu
				: power + 20 / t->spread;
	most = fmax(most, power);
	least = fmin(most, fmax(1, 1 / (sqrt(line->draws) * t->spread)));
	for (int i = 0; i < SOTTO_RATIO_ORDERS; i++) {
		double s = i == 0 ? power
				  : least * pow(most / least,
						(double)(i - 1) / (SOTTO_RATIO_ORDERS - 2)),
		       all = 0, last = r->x[r->n - 1];

		for (size_t j = 0; j < r->n; j++)
			all += r->mass[j] * exp(s * (r->x[j] - last));
		t->order[i] = s;
		t->own_mean[i] = log(all + sotto_ratio_beyond(r, s) * exp(-s * last)) +
				 s * last + MARGIN;
		t->log_mean[i] = t->own_mean[i];
	}
}

void sotto_ratio_tails_add_list(struct sotto_ratio_tails *t,
				const struct sotto_gathered_list *l)
{
	double sizes = 0;

	for (size_t j = 0; j < l->n; j++)
		sizes += fabs(l->mass[j]);
	t->sizes = fmax(1, sizes) * (1 + MARGIN * MARGIN);
	for (int i = 0; i < SOTTO_RATIO_ORDERS; i++) {
		double s = t->order[i], all = 0, last = l->loss[l->n - 1];

		for (size_t j = 0; j < l->n; j++)
			all += fabs(l->mass[j]) * exp(s * (l->loss[j] - last));
		t->log_mean[i] = fmax(t->own_mean[i], log(all) + s * last + MARGIN);
	}
}

double sotto_ratio_tail(const struct sotto_nested_line *line, const struct sotto_ratio_tails *t,
			double low, double high)
{
	bool removed = line->direction == SOTTO_REMOVE;
	double least = INFINITY, power = line->order + 1,
	       flat = -line->order * log1p(-line->rate), weight[2] = {flat, flat};

	if (!(low > 0))
		return INFINITY;
	if (removed) {
		weight[0] = power * sotto_ratio_mixed(line->rate, low);
		weight[1] =
			isfinite(high) ? power * sotto_ratio_mixed(line->rate, high) : INFINITY;
	}
	for (int i = 0; i < SOTTO_RATIO_ORDERS; i++) { /* from this power on all falls */
		double most = removed && t->order[i] < power ? weight[1] : weight[0];

		least = fmin(least, most + line->draws * t->log_mean[i] - t->order[i] * low);
	}
	return least;
}

void sotto_ratio_keep(struct sotto_ratio_sums *s, size_t first, size_t last)
{
	s->mass += first;
	s->base += (double)first;
	s->n = last - first;
}

static enum sotto_status
multiply(struct sotto_ratio_sums *a, const struct sotto_ratio_sums *b, struct sotto_work *work)
{
	size_t n = a->n + b->n - 1;
	double *product;

	if (n > SOTTO_OUTCOMES_MAX || (double)a->n * (double)b->n > PRODUCTS_MAX)
		return SOTTO_EREFUSED;
	if (!sotto_work_take(work, PRODUCT_STEPS * (double)a->n * (double)b->n))
		return SOTTO_EREFUSED;
	product = calloc(n, sizeof *product);
	if (!product)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			product[i + j] += a->mass[i] * b->mass[j];
	a->rounding += b->rounding + SOTTO_U * (2 + (double)(a->n < b->n ? a->n : b->n));
	a->base += b->base;
	a->draws += b->draws;
	a->n = n;
	free(a->storage);
	a->mass = a->storage = product;
	return SOTTO_OK;
}

static enum sotto_status copy(struct sotto_ratio_sums *out, const struct sotto_ratio_sums *s)
{
	*out = *s;
	out->mass = out->storage = malloc(s->n * sizeof *out->mass);
	if (!out->mass)
		return SOTTO_ENOMEM;
	memcpy(out->mass, s->mass, s->n * sizeof *out->mass);
	return SOTTO_OK;
}

enum sotto_status
sotto_ratio_sums_power(struct sotto_ratio_sums *out, struct sotto_ratio_sums *one,
		       const struct sotto_nested_line *line, const struct sotto_ratio_tails *t,
		       sotto_ratio_trim *trim, double most, struct sotto_work *work,
		       double *ends)
{
	uint64_t draws = (uint64_t)line->draws, bit = 1;
	enum sotto_status st = copy(out, one);

	while (2 * bit <= draws)
		bit *= 2;
	for (bit /= 2; st == SOTTO_OK && bit > 0; bit /= 2) {
		struct sotto_ratio_sums same = *out;

		st = multiply(out, &same, work);
		if (st == SOTTO_OK && draws & bit)
			st = multiply(out, one, work);
		if (st == SOTTO_OK)
			*ends += trim(out, line, t, most);
	}
	free(one->storage);
	if (st != SOTTO_OK)
		free(out->storage);
	return st;
}
