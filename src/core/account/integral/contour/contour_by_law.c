/*
 * All nodes of a contour, law by law: where laws are few none of them makes far nodes nothing, and each has so many outcomes that
 * transforms are to be made for one of them at a time (contour.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/contour/contour_inside.h"
#include "core/account/integral/nonuniform.h"
#include "core/base/failure.h"

/* Of more laws a few are enough to make far nodes nothing (contour_scan.h), unless these have outcomes that are likely. */
enum { LAWS_MAX = 64, FINE_LAWS_MAX = 320 };
/* Nodes that are made with all digits of outcomes that are good to these. */
enum { SHARP_SEGMENTS = 1 };
#define DIGITS 28
/* What an outcome takes to be listed (work.h). */
#define LIST_STEPS 60

bool sotto_contour_wants_law_by_law(const struct sotto_contour *k)
{
	if (k->hopeless || k->m->n > FINE_LAWS_MAX)
		return false;
	if (k->m->n > LAWS_MAX) /* unless they were cut finely */
		return k->m->laws[k->m->n - 1].class == &sotto_law_fine_points;
	for (size_t i = 0; i < k->m->n; i++)
		if (k->m->laws[i].class->outcomes)
			return true;
	return false;
}

bool sotto_contour_goes_by_law(const struct sotto_contour *k)
{
	return k->nodes <= SOTTO_CONTOUR_CACHE && sotto_contour_wants_law_by_law(k);
}

/* A block that has faded, and need not be multiplied by further laws. */
static bool is_nothing(const struct sotto_contour *k, const struct sotto_block *b)
{
	for (size_t j = 0; j < b->n; j++)
		if (b->re[j] != 0 || b->im[j] != 0 || !(b->absolute[j] <= k->faded))
			return false;
	return true;
}

/* Of so many blocks how many there are up to the last that is something. */
static size_t count_alive(const struct sotto_contour *k, const struct sotto_block *b, size_t n)
{
	while (n > 0 && is_nothing(k, &b[n - 1]))
		n--;
	return n;
}

/* Multiplies a block by the sums of a transform, each of which is wrong by at most eta. */
static void
multiply(const struct sotto_law *law, const struct cx *sums, double eta, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK], di[SOTTO_BLOCK];

	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		dr[j] = sums[j].re - 1;
		di[j] = sums[j].im;
	}
	sotto_block_multiply(b, dr, di, eta, law->count);
}

/* Blocks by the outcomes of a law, a segment at a time; the first segments are sharp: nodes weigh less and less. */
static enum sotto_status multiply_segments(struct sotto_contour *k, const struct sotto_law *law,
					   const struct sotto_law_outcomes *o, size_t first,
					   size_t last, enum sotto_nonuniform_care care)
{
	size_t many = SOTTO_SEGMENT / SOTTO_BLOCK;
	double far = 16 * SOTTO_U * k->h * (double)(last * SOTTO_BLOCK), reach = 0;
	struct sotto_nonuniform u;
	enum sotto_status st = sotto_nonuniform_init(&u, o->loss, o->n, k->h, care);

	for (size_t i = 0; i < o->n; i++)
		reach = fmax(reach, fabs(o->loss[i]));
	for (size_t i = first; st == SOTTO_OK && i < last; i += many) {
		size_t n = last - i < many ? last - i : many;
		double eta = o->error + 1.1 * sotto_nonuniform_error(&u) + far * reach;

		if (count_alive(k, &k->cache[i], n) == 0)
			continue;
		if (!sotto_work_take(k->m->work, sotto_nonuniform_steps(&u)))
			st = SOTTO_EREFUSED;
		else
			sotto_nonuniform_run(&u, o->loss, o->weight, i * SOTTO_BLOCK);
		for (size_t j = 0; st == SOTTO_OK && j < n; j++) {
			multiply(law, &u.sums[j * SOTTO_BLOCK], eta, &k->cache[i + j]);
			(void)sotto_block_fades(&k->cache[i + j], k->faded);
		}
	}
	sotto_nonuniform_release(&u);
	return st;
}

static enum sotto_status multiply_far(struct sotto_contour *k, const struct sotto_law *law,
				      const struct sotto_law_outcomes *o, size_t first,
				      size_t last)
{
	size_t middle = first + SHARP_SEGMENTS * (SOTTO_SEGMENT / SOTTO_BLOCK);

	middle = middle < last ? middle : last;
	SOTTO_TRY(multiply_segments(k, law, o, first, middle, SOTTO_NONUNIFORM_SHARP));
	return multiply_segments(k, law, o, middle, last, SOTTO_NONUNIFORM_ROUGH);
}

/* Blocks by the law itself. */
static enum sotto_status
multiply_near(struct sotto_contour *k, size_t i, size_t first, size_t last)
{
	const struct sotto_law *law = &k->m->laws[i];

	for (size_t j = first; j < last; j++) {
		if (is_nothing(k, &k->cache[j]))
			continue;
		if (sotto_work_is_spent(k->m->work))
			return SOTTO_EREFUSED;
		law->class->apply(law, k->state[i], &k->cache[j]);
		sotto_work_use(k->m->work, sotto_contour_steps_of(k, i, &k->cache[j]));
		(void)sotto_block_fades(&k->cache[j], k->faded);
	}
	return SOTTO_OK;
}

/* How many whole blocks, of some, end before t. */
static size_t blocks_before(const struct sotto_contour *k, size_t blocks, double t)
{
	return (size_t)fmin((double)blocks, t / (k->h * SOTTO_BLOCK));
}

/* All blocks, by outcomes where these are better than the law itself. */
static enum sotto_status multiply_all(struct sotto_contour *k, size_t i)
{
	const struct sotto_law *law = &k->m->laws[i];
	size_t blocks = count_alive(k, k->cache, sotto_contour_blocks(k)), near = blocks,
	       far = blocks;
	double last = k->h * (double)(blocks * SOTTO_BLOCK);
	struct sotto_law_outcomes o = {0};
	enum sotto_status st = SOTTO_EREFUSED;

	if (law->class->outcomes)
		st = law->class->outcomes(law, k->state[i], k->c, last, DIGITS, &o);
	if (st != SOTTO_OK && st != SOTTO_EREFUSED)
		return st;
	if (st == SOTTO_OK) {
		sotto_work_use(k->m->work, LIST_STEPS * (double)o.n);
		near = blocks_before(k, blocks, o.from);
		far = blocks_before(k, blocks, fmax(o.from, o.to));
	}
	st = multiply_near(k, i, 0, near);
	if (st == SOTTO_OK && near < far)
		st = multiply_far(k, law, &o, near, far);
	if (st == SOTTO_OK)
		st = multiply_near(k, i, far, blocks);
	free(o.loss);
	return st;
}

/* A law, and the variance of its loss on the line. */
struct wide {
	double variance;
	size_t law;
};

static int compare(const void *a, const void *b)
{
	const struct wide *x = a, *y = b;

	if (x->variance != y->variance)
		return x->variance > y->variance ? -1 : 1;
	return (x->law > y->law) - (x->law < y->law);
}

/* The widest laws, which make most nodes nothing and have the fewest outcomes, come first. */
static void sort_laws(const struct sotto_contour *k, struct wide order[LAWS_MAX])
{
	for (size_t i = 0; i < k->m->n; i++) {
		double cumulant[3] = {0};

		sotto_measure_add_cumulants(k->m, i, k->c, cumulant);
		order[i] = (struct wide){cumulant[2], i};
	}
	qsort(order, k->m->n, sizeof *order, compare);
}

enum sotto_status sotto_contour_fill_by_law(struct sotto_contour *k)
{
	size_t blocks = sotto_contour_blocks(k);
	struct wide order[LAWS_MAX];

	k->cache = malloc(blocks * sizeof *k->cache);
	if (!k->cache)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < blocks; i++)
		sotto_contour_start_block(k, i * SOTTO_BLOCK, &k->cache[i]);
	sotto_work_use(k->m->work, 12 * (double)(blocks * SOTTO_BLOCK));
	sort_laws(k, order);
	for (size_t i = 0; i < k->m->n; i++)
		SOTTO_TRY(multiply_all(k, order[i].law));
	sotto_contour_keep(k, blocks);
	return SOTTO_OK;
}
