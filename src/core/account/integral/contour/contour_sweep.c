/*
 * How small the product of very many laws is, from pairs of likely outcomes of each: one list for all laws, which a transform sums at every few
 * nodes (contour.md).
 */
#include "core/account/integral/contour/contour_sweep.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/rare/rare_sweep.h"
#include "core/base/failure.h"

/* Laws that make it worth while; fewer are looked at one by one, each of which then tells more. */
enum { LAWS_MIN = 64 };
/* What a pair takes until it is in the list (work.h). */
#define PAIR_STEPS 3
/* Phases of a law's outcomes that are wrong by more are not taken; the sweep itself allows for ten times as much. */
#define PHASE_ERROR 1e-7

/* What the phase of an outcome may be wrong by at the last node. */
static double
phase_error(const struct sotto_law *law, const double *loss, size_t n, double last)
{
	double reach = 0;

	for (size_t i = 0; i < n; i++)
		reach = fmax(reach, fabs(loss[i]));
	return 2 * last * (law->loss_error * reach + law->loss_shift);
}

static enum sotto_status add_laws(struct sotto_rare_sweep *s, size_t blocks,
				  const struct sotto_scan_line *line, bool *is_swept)
{
	double last = line->h * (double)(blocks * SOTTO_BLOCK);

	for (size_t i = 0; i < line->m->n; i++) {
		const struct sotto_law *law = &line->m->laws[i];
		double loss[SOTTO_DECAY_ATOMS], weight[SOTTO_DECAY_ATOMS];
		enum sotto_status st;
		size_t n;

		if (!law->class->heaviest)
			continue;
		n = law->class->heaviest(law, line->state[i], line->c, loss, weight);
		if (n < 2 || phase_error(law, loss, n, last) > PHASE_ERROR)
			continue;
		sotto_work_use(line->m->work, PAIR_STEPS * (double)(n * n));
		st = sotto_rare_sweep_add(s, loss, weight, n, (double)law->count);
		if (st == SOTTO_ENOMEM)
			return st;
		is_swept[i] = true;
		if (st != SOTTO_OK) /* the list is long enough */
			break;
	}
	return SOTTO_OK;
}

static size_t count(const bool *is_swept, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += is_swept[i];
	return sum;
}

/* The bounds of the scan from one node to another, which are multiplied once: one here is for a stride of nodes, longer or shorter. */
static void
lower(double *bound, uint64_t from, uint64_t to, uint64_t stride, const double *swept)
{
	for (uint64_t node = from; node < to; node += SOTTO_SCAN_NODES) {
		double most = 0;

		for (uint64_t at = node; at < node + SOTTO_SCAN_NODES; at += stride)
			most = fmax(most, swept[(at - from) / stride]);
		bound[node / SOTTO_SCAN_NODES] *= most;
	}
}

static enum sotto_status sweep(double *bound, size_t blocks, const struct sotto_scan_line *line,
			       struct sotto_rare_sweep *s)
{
	uint64_t many = (SOTTO_SEGMENT - 1) * s->stride / SOTTO_BLOCK * SOTTO_BLOCK,
		 all = blocks * SOTTO_BLOCK;
	double *swept = malloc(SOTTO_SEGMENT * sizeof *swept);

	if (!swept)
		return SOTTO_ENOMEM;
	for (uint64_t from = 0; from < all; from += many) {
		sotto_work_use(line->m->work, sotto_rare_sweep_steps(s));
		sotto_rare_sweep_run(s, from, swept);
		lower(bound, from, from + many < all ? from + many : all, s->stride, swept);
	}
	free(swept);
	return SOTTO_OK;
}

enum sotto_status sotto_scan_sweep(double *bound, size_t blocks,
				   const struct sotto_scan_line *line, bool *is_swept)
{
	struct sotto_rare_sweep s;
	enum sotto_status st;

	if (line->m->n < LAWS_MIN)
		return SOTTO_OK;
	sotto_rare_sweep_begin(&s, line->h);
	st = add_laws(&s, blocks, line, is_swept);
	if (st == SOTTO_OK && count(is_swept, line->m->n) < LAWS_MIN) {
		for (size_t i = 0; i < line->m->n; i++)
			is_swept[i] = false;
		sotto_rare_sweep_release(&s);
		return SOTTO_OK;
	}
	if (st == SOTTO_OK)
		st = sotto_rare_sweep_settle(&s);
	if (st == SOTTO_OK && s.ready)
		st = sweep(bound, blocks, line, &s);
	sotto_rare_sweep_release(&s);
	return st;
}
