/*
 * A law with very many atoms: the first nodes are summed one by one, which keeps all
 * digits of M(s)/M(c) - 1 near 0, the others come in segments from one transform each.
 * Where it is one law of many only the first nodes count, and there is no room for transforms: then
 * all nodes are summed.
 */
#include <stdlib.h>

#include "core/account/integral/nonuniform.h"
#include "core/account/law/atom_list.h"
#include "core/base/failure.h"

enum { DIRECT = 4 * SOTTO_BLOCK, CHUNK = 256, FEW_ALIVE = 512 };

/* Weights below this share of 1/n are left out, all of them together at most this; of many laws more. */
#define FAINT 1e-20
#define FAINT_OF_MANY 1e-16

/* Steps that a transform takes (work.h). */
#define TRANSFORM 6e5

struct state {
	struct sotto_atoms atoms;
	struct sotto_nonuniform sums;
	bool ready; /* sums is initialised: there are enough atoms for a transform */
	size_t alive; /* atoms that are not left out */
	size_t *kept; /* which these are: of very many there may be few */
};

static void end(void *state)
{
	struct state *st = state;

	sotto_atoms_release(&st->atoms);
	if (st->ready)
		sotto_nonuniform_release(&st->sums);
	free(st->kept);
	free(st);
}

static bool is_one_of_many(const struct sotto_law *law)
{
	return law->class != &sotto_law_cloud;
}

static double faint(const struct sotto_law *law)
{
	return is_one_of_many(law) ? FAINT_OF_MANY : FAINT;
}

static enum sotto_status leave_out_faint(const struct sotto_law *law, struct state *st)
{
	double *weight = st->atoms.weight, least = faint(law) / (double)law->n;

	for (size_t i = 0; i < law->n; i++) {
		weight[i] = weight[i] < least ? 0 : weight[i];
		st->alive += weight[i] > 0;
	}
	st->kept = malloc((st->alive + 1) * sizeof *st->kept);
	if (!st->kept)
		return SOTTO_ENOMEM;
	for (size_t i = 0, n = 0; i < law->n; i++)
		if (weight[i] > 0)
			st->kept[n++] = i;
	return SOTTO_OK;
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct state *st = calloc(1, sizeof *st);

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	if (is_one_of_many(law))
		SOTTO_TRY(sotto_atoms_tilt_quickly(&st->atoms, law, c,
						   CHUNK + (double)law->n / CHUNK));
	else
		SOTTO_TRY(sotto_atoms_tilt(&st->atoms, law, c, CHUNK + (double)law->n / CHUNK));
	SOTTO_TRY(leave_out_faint(law, st));
	st->ready = st->alive > FEW_ALIVE && law->class == &sotto_law_cloud;
	if (st->ready)
		SOTTO_TRY(sotto_nonuniform_init(&st->sums, law->loss, law->n, h,
						SOTTO_NONUNIFORM_SHARP));
	*log_m = (double)law->count * st->atoms.log_m;
	*slack = (double)law->count * st->atoms.slack;
	return SOTTO_OK;
}

/* In chunks, so that rounding errors do not add up over all atoms. */
static void sum_directly(const struct sotto_law *law, const struct state *st,
			 const struct sotto_block *b, double *dr, double *di)
{
	for (size_t i = 0; i < st->alive; i += CHUNK) {
		double re[SOTTO_BLOCK] = {0}, im[SOTTO_BLOCK] = {0};

		for (size_t j = i; j < i + CHUNK && j < st->alive; j++)
			sotto_block_add_atom(b, law->loss[st->kept[j]],
					     st->atoms.weight[st->kept[j]], re, im);
		for (size_t j = 0; j < SOTTO_BLOCK; j++) {
			dr[j] += re[j];
			di[j] += im[j];
		}
	}
}

static void sum_by_segment(const struct sotto_law *law, struct state *st,
			   const struct sotto_block *b, double *dr, double *di)
{
	struct sotto_nonuniform *u = &st->sums;

	if (!u->made || b->first < u->first ||
	    b->first + SOTTO_BLOCK > u->first + SOTTO_SEGMENT)
		sotto_nonuniform_run(u, law->loss, st->atoms.weight, b->first);
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		struct cx z = u->sums[b->first - u->first + j];

		dr[j] = z.re - 1;
		di[j] = z.im;
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	double t1 = b->h * (double)(b->first + SOTTO_BLOCK), eta;
	struct state *st = state;

	if (sotto_atoms_are_small(&st->atoms, law, b)) {
		eta = sotto_atoms_sum_small(&st->atoms, law, b, dr, di);
	} else {
		eta = st->atoms.eta0 * fmin(1, t1 * st->atoms.spread) + st->atoms.eta1 * t1;
		if (b->first < DIRECT || !st->ready) {
			sum_directly(law, st, b, dr, di);
		} else {
			sum_by_segment(law, st, b, dr, di);
			eta += sotto_nonuniform_error(&st->sums);
		}
		eta += 2 * faint(law);
	}
	sotto_block_multiply(b, dr, di, eta, law->count);
}

/* Sums over all atoms at the first nodes, then a transform at the beginning of each segment. */
static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;
	double power = SOTTO_BLOCK * (2 + sotto_power_steps(law->count));

	if (sotto_atoms_are_small(&st->atoms, law, b))
		return power + 6.0 * SOTTO_BLOCK * (double)law->n;
	if (b->first < DIRECT || !st->ready)
		return power + 1.5 * SOTTO_BLOCK * (double)st->alive;
	return power + (b->first == st->sums.first ? TRANSFORM + 22.0 * (double)st->alive : 0);
}

/* Each atom, and the transform's table. */
static double terms(const struct sotto_law *law, double s)
{
	(void)s;
	return (double)law->n + (law->class == &sotto_law_cloud ? 2000 : 0);
}

/* The outcomes that are not left out, for all nodes: a transform is quicker than sums at a few of them. */
static enum sotto_status outcomes(const struct sotto_law *law, void *state, double c,
				  double last, double digits, struct sotto_law_outcomes *out)
{
	const struct state *st = state;

	(void)c;
	(void)digits;
	*out = (struct sotto_law_outcomes){
		.loss = malloc(2 * (st->alive + 1) * sizeof *out->loss),
		.n = st->alive,
		.error = st->atoms.eta0 + st->atoms.eta1 * last + 2 * faint(law),
		.from = 0,
		.to = last};
	if (!out->loss)
		return SOTTO_ENOMEM;
	out->weight = out->loss + out->n;
	for (size_t i = 0; i < st->alive; i++) {
		out->loss[i] = law->loss[st->kept[i]];
		out->weight[i] = st->atoms.weight[st->kept[i]];
	}
	return SOTTO_OK;
}

const struct sotto_law_class sotto_law_cloud = {
	.cumulants = sotto_atoms_cumulants,
	.begin = begin,
	.apply = apply,
	.steps = steps,
	.terms = terms,
	.end = end,
	.release = sotto_law_atoms_release,
};

const struct sotto_law_class sotto_law_points = {
	.cumulants = sotto_atoms_cumulants_quickly,
	.begin = begin,
	.apply = apply,
	.steps = steps,
	.terms = terms,
	.end = end,
	.release = sotto_law_atoms_release,
};

const struct sotto_law_class sotto_law_fine_points = {
	.cumulants = sotto_atoms_cumulants_quickly,
	.begin = begin,
	.apply = apply,
	.outcomes = outcomes,
	.steps = steps,
	.terms = terms,
	.end = end,
	.release = sotto_law_atoms_release,
};
