/*
 * Slopes of the polygon from corner to corner, from sums of positive terms; neighbours that fall the wrong way are pooled.
 */
#include "core/account/law/clone_groups/clone_hull.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/law/clone_groups/clone_rows.h"
#include "core/account/law/law.h"
#include "core/base/failure.h"

/* Steps (work.h) that an outcome takes. */
#define STEPS 25
/* Curves that are good to fewer digits are not used. */
#define ERROR_MAX 1e-6
/* Nothing that was left out may become more than this. */
#define LEFT_OUT_MAX 1e-16
/* Sizes are kept in few digits. */
#define ROUNDED (1 + 0x1p-20)
/* Where the curve's values are good to this, relative, corners so much above a rough hull are none of the true one. */
#define VALUE_ERROR 1e-7
#define NEARLY (1 + 1e-6)

/*
 * A corner of the polygon: e^loss - 1 and E; the curve there, and its fall to the next corner above; the sizes of the terms of both.
 */
struct corner {
	double excess, place, value, fall;
	float value_size, fall_size;
};

/*
 * Some segments of the polygon that are one of the hull: how far it falls, over what distance in E, and the corner where it ends; the largest size of
 * the terms of a slope, from its first segment on.
 */
struct block {
	double fall, width;
	float steep;
	uint32_t end;
};

struct hull {
	const struct sotto_clone_pair *pair;
	const struct sotto_clone_rows *rows;
	size_t people;
	struct corner *corners; /* rows->n of them */
	uint32_t *guessed,
		*near; /* numbers of those of a rough hull, growing, and of those that may be on the hull */
	size_t n_guessed, n_near;
	struct block *blocks;
	size_t n;
	double size; /* of all terms of the falls, relative to the curve, at its worst */
};

/* e^loss - 1 at v */
static double excess_of(const struct sotto_clone_pair *p, double v)
{
	return 2 * p->tau * v / ((1 - v) + p->gap * v);
}

/* (b^j - a^j)/(b - a), and the sum of these over j < k. */
static double powers(double a, double b, size_t k, double *lower)
{
	double h = 1, power = a;

	*lower = 0;
	for (size_t j = 1; j < k; j++) {
		*lower += h;
		h = b * h + power;
		power *= a;
	}
	return h;
}

/* The corner at number i, beyond which are q, and so much more under P. */
static void set_corner(struct hull *h, size_t i, double q, double more)
{
	struct corner *c = &h->corners[i];
	double sum = 0, power = 1;

	c->excess = excess_of(h->pair, h->rows->v[i]);
	for (size_t j = 0; j < h->people; j++) {
		sum += power;
		power *= 1 + c->excess;
	}
	c->place = power;
	c->value = (more - c->excess * q) * sum;
	c->value_size = (float)((more + c->excess * q) * sum);
}

/* All corners, the last first. */
static void measure(struct hull *h)
{
	const struct sotto_clone_rows *r = h->rows;
	struct sotto_sum q = {0, 0}, more = {0, 0};

	set_corner(h, r->n - 1, 0, 0);
	for (size_t i = r->n - 1; i > 0; i--) {
		struct corner *to = &h->corners[i], *from = to - 1;
		double one = r->mass[i] / (1 + to->excess), lower, power, width, straight, bent;

		sotto_sum_add(&q, one);
		sotto_sum_add(&more, one * to->excess);
		set_corner(h, i - 1, sotto_sum_total(&q), sotto_sum_total(&more));
		power = powers(1 + from->excess, 1 + to->excess, h->people, &lower);
		width = (to->excess - from->excess) * power;
		straight = sotto_sum_total(&q) * width;
		bent = sotto_sum_total(&more) * (lower / power) * width;
		from->fall = straight - bent;
		from->fall_size = (float)(straight + bent);
	}
}

/* Whether corner b lies on or above the line from a to c; a may be number NONE, for E = -1, where the curve counts as 1. */
#define NONE UINT32_MAX
static bool is_above(const struct hull *h, uint32_t a, uint32_t b, uint32_t c)
{
	const struct corner *y = &h->corners[b], *z = &h->corners[c];
	double x_at = a == NONE ? -1 : h->corners[a].place,
	       x = a == NONE ? 1 : h->corners[a].value;

	return (x - y->value) * (z->place - x_at) <= (x - z->value) * (y->place - x_at);
}

/* A hull by the curve's values alone, which are good to many digits but not to all. */
static void guess(struct hull *h)
{
	size_t n = 0;

	for (uint32_t i = 0; i < h->rows->n; i++) {
		if (h->corners[i].value >= 1)
			continue;
		while (n > 0 &&
		       is_above(h, n > 1 ? h->guessed[n - 2] : NONE, h->guessed[n - 1], i))
			n--;
		h->guessed[n++] = i;
	}
	h->n_guessed = n;
}

/* Whether the curve's value is good to many digits, where masses are good to error. */
static bool is_good(const struct corner *c, double error)
{
	return c->value_size * error <= VALUE_ERROR * c->value;
}

/* All corners that are not clearly above that hull. */
static void keep_near(struct hull *h, double error)
{
	double from_at = -1, from = 1;
	bool good = true;
	uint32_t i = 0;

	h->n_near = 0;
	for (size_t j = 0; j < h->n_guessed; j++) {
		const struct corner *to = &h->corners[h->guessed[j]];
		double to_at = to->place;

		for (; i <= h->guessed[j]; i++) {
			const struct corner *c = &h->corners[i];
			double part = (c->place - from_at) / (to_at - from_at);

			if (c == to || !good || !is_good(c, error) || !is_good(to, error) ||
			    c->value <= (from + (to->value - from) * part) * NEARLY)
				h->near[h->n_near++] = i;
		}
		from_at = to_at;
		from = to->value;
		good = is_good(to, error);
	}
}

/* From corner a to b: the sum of all falls between them, or the difference of the curve's values, whichever loses fewer digits. */
static double fall_between(const struct hull *h, size_t a, size_t b, double *size)
{
	const struct corner *from = &h->corners[a], *to = &h->corners[b];
	double sum = 0;

	*size = 0;
	for (size_t i = a; i < b; i++) {
		sum += h->corners[i].fall;
		*size += h->corners[i].fall_size;
	}
	if (*size <= from->value_size + to->value_size)
		return sum;
	*size = from->value_size + to->value_size;
	return from->value - to->value;
}

/*
 * The segments between the corners that are left, from the top down.  The first begins at E = -1, where the curve counts as 1.  Keeps track of what
 * roundings of the falls can do to the curve, relative to it.
 */
static void make_blocks(struct hull *h)
{
	const struct corner *first = &h->corners[h->near[0]];
	double all = 0, value = 0, size, steep = 0, width = first->place + 1;

	h->size = 1;
	h->n = h->n_near;
	for (size_t j = h->n_near - 1; j > 0; j--) {
		const struct corner *from = &h->corners[h->near[j - 1]],
				    *to = &h->corners[h->near[j]];
		double lower,
			apart = (to->excess - from->excess) *
				powers(1 + from->excess, 1 + to->excess, h->people, &lower),
			fall = fall_between(h, h->near[j - 1], h->near[j], &size);

		steep = fmax(steep, size / apart);
		h->blocks[j] = (struct block){fall, apart, (float)steep, h->near[j]};
		all += size;
		value += h->blocks[j].fall;
		h->size = value > 0 ? fmax(h->size, all / value) : INFINITY;
	}
	steep = fmax(steep, (1 + first->value_size) / width);
	h->blocks[0] = (struct block){1 - first->value, width, (float)steep, h->near[0]};
	h->size = fmax(h->size, all + 1 + first->value_size);
}

static double rate(const struct block *b)
{
	return b->fall / b->width;
}

/* Pools neighbours until each falls less than the one before. */
static void pool(struct hull *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		struct block b = h->blocks[i];

		for (; n > 0 && !(rate(&h->blocks[n - 1]) > rate(&b)); n--) {
			b.fall += h->blocks[n - 1].fall;
			b.width += h->blocks[n - 1].width;
			b.steep = h->blocks[n - 1].steep;
		}
		h->blocks[n++] = b;
	}
	h->n = n;
}

/* What the terms of a slope come to, relative to it, at the worst. */
static double worst_slope(const struct hull *h)
{
	double worst = 1;

	for (size_t i = 0; i < h->n; i++)
		worst = fmax(worst, h->blocks[i].steep / rate(&h->blocks[i]));
	return worst;
}

/* Corners with what the slope changes by, as P-mass. */
static enum sotto_status corners(const struct hull *h, struct sotto_clone_hull *out)
{
	double k = (double)h->people;

	out->n = h->n;
	out->loss = malloc(2 * h->n * sizeof *out->loss);
	if (!out->loss)
		return SOTTO_ENOMEM;
	out->mass = out->loss + h->n;
	for (size_t i = 0; i < h->n; i++) {
		const struct block *b = &h->blocks[i];
		double x = log1p(h->corners[b->end].excess),
		       after = i + 1 < h->n ? rate(b + 1) : 0;

		out->loss[i] = k * x;
		out->mass[i] = (rate(b) - after) * exp(k * x);
	}
	return SOTTO_OK;
}

static enum sotto_status make(struct hull *h, struct sotto_clone_hull *out)
{
	const struct sotto_clone_pair *p = h->pair;
	double reach = log1p(excess_of(p, h->rows->v[h->rows->n - 1])),
	       error = ROUNDED * (h->rows->error + SOTTO_U * (64 + 16 * (double)h->people +
							      (double)h->rows->n / 1024));

	measure(h);
	guess(h);
	keep_near(h, error);
	make_blocks(h);
	pool(h);
	*out = (struct sotto_clone_hull){.curve_error = error * h->size,
					 .slope_error = 2 * error * worst_slope(h),
					 .moved = SOTTO_U * (24 + 4 * p->epsilon0) *
						  (double)h->people * reach,
					 .left_out = 2 * h->rows->left_out};
	if (!(out->curve_error < ERROR_MAX && out->left_out < LEFT_OUT_MAX))
		return SOTTO_EREFUSED;
	return corners(h, out);
}

enum sotto_status sotto_clone_hull_of(const struct sotto_clone_pair *p, size_t people,
				      size_t most, struct sotto_work *work,
				      struct sotto_clone_hull *out)
{
	struct sotto_clone_rows rows;
	struct hull h = {.pair = p, .rows = &rows, .people = people};
	enum sotto_status st;

	SOTTO_TRY(sotto_clone_rows_of(p, (double)people, most, &rows));
	sotto_work_use(work, STEPS * (double)rows.n);
	h.corners = malloc(rows.n * sizeof *h.corners);
	h.blocks = malloc(rows.n * sizeof *h.blocks);
	h.guessed = malloc(2 * rows.n * sizeof *h.guessed);
	h.near = h.guessed + rows.n;
	st = h.corners && h.blocks && h.guessed ? make(&h, out) : SOTTO_ENOMEM;
	free(h.corners);
	free(h.blocks);
	free(h.guessed);
	free(rows.v);
	return st;
}
