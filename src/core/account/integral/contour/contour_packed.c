/*
 * All nodes of a contour through a list of laws with few outcomes: so many nodes may count that those farther out are kept with fewer
 * digits, and so many may not that the list itself says first which (contour.md).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/contour/contour_inside.h"
#include "core/account/law/rare/rare_sweep.h"
#include "core/base/failure.h"

/* Blocks that are kept as they are, and blocks in all. */
enum { SHARP_BLOCKS = 512, BLOCKS_MAX = SOTTO_CONTOUR_PACKED / SOTTO_BLOCK + 2 };

/* Blocks for which the other laws are bounded together. */
enum { DECAY_BLOCKS = 64 };

/* So few are not looked at before they are made. */
enum { FEW_BLOCKS = 64 };

/* A float is good to this part of itself, or to this. */
#define FLOAT_ERROR 0x1p-23
#define FLOAT_LEAST 1e-44

bool sotto_contour_is_packed(const struct sotto_contour *k)
{
	return !k->hopeless && k->m->order_max > 0;
}

/* The parts of a node are no larger than the scale, and rounded to whole numbers of UNIT of it. */
#define UNIT 0x1p-30

static void pack(const struct sotto_block *b, struct sotto_packed_block *p)
{
	double most = 0x1p-900;

	*p = (struct sotto_packed_block){.first = b->first};
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		most = fmax(most, fmax(fabs(b->re[j]), fabs(b->im[j])));
	p->scale = most * UNIT;
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double size = cx_abs(cx_of(b->re[j], b->im[j]));

		p->re[j] = (int32_t)lrint(b->re[j] / p->scale);
		p->im[j] = (int32_t)lrint(b->im[j] / p->scale);
		p->absolute = fmax(p->absolute, b->absolute[j] + size * b->relative[j]);
	}
	p->absolute = (p->absolute + p->scale) * (1 + 8 * SOTTO_U);
}

void sotto_contour_unpack(const struct sotto_contour *k, size_t i, struct sotto_block *b)
{
	const struct sotto_packed_block *p = &k->packed[i];

	*b = (struct sotto_block){.c = k->c, .h = k->h, .first = p->first, .n = SOTTO_BLOCK};
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		b->re[j] = p->scale * p->re[j];
		b->im[j] = p->scale * p->im[j];
		b->absolute[j] = p->absolute;
	}
}

/* Of weights, by eighths of powers of 2. */
enum { BINS = 8 * 300 };
static int bin_of(float weight)
{
	int power;
	double part = frexp((double)weight, &power); /* from 1/2 on */

	if (!(weight < 1e37F))
		return BINS - 1;
	return (power + 150) * 8 + (int)((part - 0.5) * 16);
}

/* What a block may add to either sum, if its nodes are no larger than the bounds for strides of nodes. */
static double
weight_below(const struct sotto_contour *k, size_t block, uint64_t stride, const double *bound)
{
	double t = k->h * (double)block * SOTTO_BLOCK, sum = 0;

	for (size_t i = 0; i < SOTTO_BLOCK / stride; i++)
		sum += bound[i];
	return 4 * (double)stride * sum / (t * t + k->c * k->c) * (1 + 0x1p-40);
}

/* Goes through all blocks and bounds their weights; the first counts in any case. */
static enum sotto_status
sweep(const struct sotto_contour *k, struct sotto_rare_sweep *s, double *bound, float *weight)
{
	size_t blocks = sotto_contour_blocks(k), per = SOTTO_BLOCK / s->stride,
	       many = (SOTTO_SEGMENT - 1) / per;

	for (size_t from = 0; from < blocks; from += many) {
		double most = 1; /* of the other laws */

		if (!sotto_work_take(k->m->work, sotto_rare_sweep_steps(s)))
			return SOTTO_EREFUSED;
		sotto_rare_sweep_run(s, from * SOTTO_BLOCK, bound);
		for (size_t i = from; i < blocks && i < from + many; i++) {
			double w = weight_below(k, i, s->stride, bound + (i - from) * per);

			if ((i - from) % DECAY_BLOCKS == 0)
				most = exp(sotto_contour_log_decay(
					k, k->h * (double)(i * SOTTO_BLOCK), INFINITY));
			w *= most;

			weight[i] = (float)(w * (1 + FLOAT_ERROR) + FLOAT_LEAST);
		}
	}
	weight[0] = INFINITY;
	return SOTTO_OK;
}

/* The lightest blocks that together weigh no more than a part of the budget are faint; by powers of 2, of which a float has few. */
static size_t mark(struct sotto_contour *k, const float *weight)
{
	double sums[BINS] = {0}, sum = 0;
	size_t blocks = sotto_contour_blocks(k), alive = 0;
	int cut = 0;

	for (size_t i = 1; i < blocks; i++)
		sums[bin_of(weight[i])] += (double)weight[i];
	while (cut < BINS && sum + sums[cut] <= 0.25 * k->budget)
		sum += sums[cut++];
	k->faint = sum * (1 + 0x1p-20);
	for (size_t i = 0; i < blocks; i++) {
		if (i > 0 && bin_of(weight[i]) < cut)
			continue;
		k->alive[i / 8] |= (unsigned char)(1 << i % 8);
		alive++;
	}
	return alive;
}

/* Which blocks may count, and how many these are. */
static enum sotto_status find_alive(struct sotto_contour *k, size_t *alive)
{
	size_t blocks = sotto_contour_blocks(k);
	double *bound = malloc(SOTTO_SEGMENT * sizeof *bound);
	float *weight = malloc(blocks * sizeof *weight);
	struct sotto_rare_sweep s;
	enum sotto_status st = SOTTO_ENOMEM;

	*alive = blocks; /* if the list says nothing */
	k->alive = calloc(blocks / 8 + 1, 1);
	if (bound && weight && k->alive) {
		st = sotto_rare_sweep_init(&s, k->m->laws[0].rare, k->c, k->h);
		if (st == SOTTO_OK && s.list.n > 0) {
			st = sweep(k, &s, bound, weight);
			if (st == SOTTO_OK)
				*alive = mark(k, weight);
		} else if (st == SOTTO_OK) {
			memset(k->alive, 0xff, blocks / 8 + 1);
		}
		sotto_rare_sweep_release(&s);
	}
	free(weight);
	free(bound);
	return st;
}

enum sotto_status sotto_contour_smooth_packed(struct sotto_contour *k, double epsilon)
{
	size_t alive;

	if (sotto_contour_blocks(k) <= FEW_BLOCKS || !sotto_contour_may_leave_out(k))
		return SOTTO_OK;
	SOTTO_TRY(find_alive(k, &alive));
	if (alive <= BLOCKS_MAX)
		return SOTTO_OK;
	/* more than can be kept: smooth more */
	free(k->alive);
	k->alive = NULL;
	k->faint = 0;
	sotto_contour_set_smooth(k, epsilon, SOTTO_CONTOUR_PACKED);
	return SOTTO_OK;
}

static bool is_alive(const struct sotto_contour *k, size_t i)
{
	return !k->alive || k->alive[i / 8] & (1 << i % 8);
}

/* Makes a block, and keeps it unless it is faint. */
static enum sotto_status fill(struct sotto_contour *k, size_t i, double least)
{
	struct sotto_block b;
	double weight;

	if (k->cached + k->n_packed >= BLOCKS_MAX || sotto_work_is_spent(k->m->work))
		return SOTTO_EREFUSED;
	sotto_contour_fill_block(k, i * SOTTO_BLOCK, &b);
	weight = sotto_contour_weight_of(k, &b);
	if (weight < least)
		k->faint += weight;
	else if (k->cached < SHARP_BLOCKS)
		k->cache[k->cached++] = b;
	else
		pack(&b, &k->packed[k->n_packed++]);
	return SOTTO_OK;
}

enum sotto_status sotto_contour_fill_packed(struct sotto_contour *k)
{
	size_t blocks = sotto_contour_blocks(k);

	k->cache = malloc(SHARP_BLOCKS * sizeof *k->cache);
	k->packed = malloc(BLOCKS_MAX * sizeof *k->packed);
	if (!k->cache || !k->packed)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < blocks; i++)
		if (is_alive(k, i))
			SOTTO_TRY(fill(k, i, k->budget / (4 * (double)blocks)));
	return SOTTO_OK;
}
