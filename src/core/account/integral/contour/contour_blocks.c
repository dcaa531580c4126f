/* The blocks of nodes of a contour: the product of all laws, and which blocks are kept. */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/contour/contour_inside.h"

enum {
	ROOM = SOTTO_CONTOUR_CACHE / SOTTO_BLOCK + 2,
	OFTEN = 8, /* laws after which a block may have faded */
	SORTED_FROM = 24 /* laws that a block takes for which a better order is looked for */
};

void sotto_contour_start_block(const struct sotto_contour *k, uint64_t first,
			       struct sotto_block *b)
{
	double mu2 = k->m->mu2;

	b->c = k->c;
	b->h = k->h;
	b->first = first;
	b->n = SOTTO_BLOCK;
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = k->h * (double)(first + j);
		struct cx z = cx_exp(-0.5 * mu2 * t * t, t * (k->c + 0.5) * mu2);

		b->re[j] = z.re;
		b->im[j] = z.im;
		b->relative[j] = SOTTO_U * (4 + 8 * mu2 * t * (t + k->c + 1));
		b->absolute[j] = 0;
	}
}

double
sotto_contour_steps_of(const struct sotto_contour *k, size_t i, const struct sotto_block *b)
{
	const struct sotto_law *law = &k->m->laws[i];

	if (law->class->steps)
		return law->class->steps(law, k->state[i], b);
	return SOTTO_BLOCK * sotto_law_steps(law);
}

static int compare_falls(const void *a, const void *b)
{
	const struct sotto_fall *x = a, *y = b;

	if (x->log_size != y->log_size)
		return x->log_size < y->log_size ? -1 : 1;
	return (x->law > y->law) - (x->law < y->law);
}

/* At the last node of a block. */
static double last_size(const struct sotto_block *b)
{
	return cx_abs(cx_of(b->re[b->n - 1], b->im[b->n - 1])) + b->absolute[b->n - 1];
}

static void multiply(const struct sotto_contour *k, size_t law, struct sotto_block *b)
{
	k->m->laws[law].class->apply(&k->m->laws[law], k->state[law], b);
	sotto_work_use(k->m->work, sotto_contour_steps_of(k, law, b));
}

/*
 * What a block may add to either sum.  Both smooth kernels are at most 4 times the
 * plain one if (c+1) tau is small (contour.md).
 */
static double weigh_block(const struct sotto_contour *k, const struct sotto_block *b)
{
	double sum = 0;

	for (size_t j = 0; j < b->n; j++) {
		double t = b->h * (double)(b->first + j);

		sum += (cx_abs(cx_of(b->re[j], b->im[j])) * (1 + b->relative[j]) +
			b->absolute[j]) /
		       (t * t + k->c * k->c);
	}
	return 4 * sum;
}

bool sotto_contour_may_leave_out(const struct sotto_contour *k)
{
	return k->kernel.kind != SOTTO_KERNEL_LATTICE &&
	       (k->c + 1) * (k->c + 1) * k->kernel.tau * k->kernel.tau < 0.5;
}

size_t sotto_contour_blocks(const struct sotto_contour *k)
{
	return (k->nodes + SOTTO_BLOCK - 1) / SOTTO_BLOCK;
}

/* What a block may weigh that is left out without looking further. */
static double least_weight(const struct sotto_contour *k)
{
	return k->budget / (2 * (double)sotto_contour_blocks(k));
}

double sotto_contour_weight_of(const struct sotto_contour *k, const struct sotto_block *b)
{
	return sotto_contour_may_leave_out(k) ? weigh_block(k, b) : INFINITY;
}

/* Whether no further law need be looked at: nodes are then 0, up to an error. */
static bool is_nothing(const struct sotto_contour *k, struct sotto_block *b)
{
	double most = sotto_contour_weight_of(k, b) < least_weight(k) ? INFINITY : k->faded;

	return sotto_block_fades(b, most);
}

/* Laws that make a block small come first in the next one, which is near as a rule. */
static void multiply_all_sorted(const struct sotto_contour *k, struct sotto_block *b)
{
	size_t i = 0;

	for (; i < k->m->n; i++) {
		double before = last_size(b), after;

		multiply(k, k->falls[i].law, b);
		after = last_size(b);
		if (after > 0)
			k->falls[i].log_size = log(after / before) /
					       sotto_contour_steps_of(k, k->falls[i].law, b);
		if (i % OFTEN == OFTEN - 1 && is_nothing(k, b))
			break;
	}
	if (i > SORTED_FROM)
		qsort(k->falls, k->m->n, sizeof *k->falls, compare_falls);
}

void sotto_contour_fill_block(const struct sotto_contour *k, uint64_t first,
			      struct sotto_block *b)
{
	sotto_contour_start_block(k, first, b);
	sotto_work_use(k->m->work, SOTTO_BLOCK * (k->m->mu2 > 0 ? 25 : 12));
	if (k->falls) {
		multiply_all_sorted(k, b);
		return;
	}
	for (size_t i = 0; i < k->m->n; i++) {
		multiply(k, i, b);
		if (i % OFTEN == OFTEN - 1 && sotto_block_fades(b, k->faded))
			break;
	}
}

/* Far out a few laws that fall make a block nothing, and the others need not be looked at. */
enum sotto_status sotto_contour_sort_laws(struct sotto_contour *k)
{
	double t = 0.25 * k->h * (double)k->nodes;

	if (!sotto_contour_is_rough(k->m))
		return SOTTO_OK;
	k->falls = malloc(k->m->n * sizeof *k->falls);
	if (!k->falls)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < k->m->n; i++) {
		const struct sotto_law *law = &k->m->laws[i];

		k->falls[i] = (struct sotto_fall){0, i};
		if (!law->class->log_decay)
			continue;
		sotto_work_use(k->m->work, sotto_contour_decay_steps(law));
		k->falls[i].log_size =
			law->class->log_decay(law, k->state[i], k->c, t, INFINITY);
	}
	qsort(k->falls, k->m->n, sizeof *k->falls, compare_falls);
	return SOTTO_OK;
}

struct sotto_scan_line sotto_contour_scan_line(const struct sotto_contour *k)
{
	return (struct sotto_scan_line){k->m, k->state, k->c, k->h, k->budget};
}

/* What is known of a block before it is made, and after. */
double sotto_contour_weight_before(const struct sotto_contour *k,
				   const struct sotto_scan_line *line, size_t i)
{
	return k->scan.bound && i > 0 ? sotto_scan_weight(&k->scan, line, i) : INFINITY;
}

void sotto_contour_keep(struct sotto_contour *k, size_t blocks)
{
	double least = least_weight(k);

	for (size_t i = 0; i < blocks; i++) {
		double weight = sotto_contour_weight_of(k, &k->cache[i]);

		if (weight < least)
			k->faint += weight;
		else
			k->cache[k->cached++] = k->cache[i];
	}
}

/*
 * Keeps all blocks, apart from faint ones; false if there is no room for them.  Room is
 * taken for the most there can be: what is not written to costs no memory.
 */
bool sotto_contour_fill_cache(struct sotto_contour *k)
{
	size_t blocks = sotto_contour_blocks(k), room = ROOM;
	struct sotto_scan_line line = sotto_contour_scan_line(k);
	double least = least_weight(k);

	if (k->hopeless)
		return true;
	room = room < blocks ? room : blocks;
	k->cache = malloc(room * sizeof *k->cache);
	for (size_t i = 0; k->cache && i < blocks; i++) {
		double weight = sotto_contour_weight_before(k, &line, i);
		bool leave = weight <= k->scan.cut;

		if (k->cached == room || sotto_work_is_spent(k->m->work))
			break;
		if (!leave) {
			sotto_contour_fill_block(k, i * SOTTO_BLOCK, &k->cache[k->cached]);
			weight = sotto_contour_weight_of(k, &k->cache[k->cached]);
			leave = weight < least;
		}
		if (leave)
			k->faint += weight;
		else
			k->cached++;
		if (i + 1 == blocks)
			return true;
	}
	free(k->cache);
	k->cache = NULL;
	k->cached = 0;
	k->faint = 0;
	return false;
}
