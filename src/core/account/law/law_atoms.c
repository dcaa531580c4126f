/*
 * A law with few atoms.  Within a block the turns exp(i h loss j) - 1 come from a table.  How it falls is told by pairs of the
 * heaviest.
 */
#include <stdlib.h>

#include "core/account/law/atom_list.h"
#include "core/base/failure.h"

struct state {
	struct sotto_atoms atoms;
	size_t heavy[SOTTO_DECAY_ATOMS], n_heavy; /* those of the largest weights */
	double *turn; /* exp(i h loss j) - 1: SOTTO_BLOCK real parts, then imaginary ones */
};

static void end(void *state)
{
	struct state *st = state;

	sotto_atoms_release(&st->atoms);
	free(st->turn);
	free(st);
}

static void tabulate(const struct sotto_law *law, double h, double *turn)
{
	for (size_t i = 0; i < law->n; i++)
		for (size_t j = 0; j < SOTTO_BLOCK; j++)
			sotto_turn(h * (double)j * law->loss[i], &turn[2 * SOTTO_BLOCK * i + j],
				   &turn[2 * SOTTO_BLOCK * i + SOTTO_BLOCK + j]);
}

/* Light atoms lose next to nothing as a pair, and all pairs of all atoms take longer than the nodes. */
static void find_heavy(const struct sotto_law *law, struct state *st)
{
	const double *weight = st->atoms.weight;

	for (size_t i = 0; i < law->n; i++) {
		size_t at = st->n_heavy;

		if (at == SOTTO_DECAY_ATOMS && !(weight[i] > weight[st->heavy[at - 1]]))
			continue;
		at -= at == SOTTO_DECAY_ATOMS;
		for (; at > 0 && weight[i] > weight[st->heavy[at - 1]]; at--)
			st->heavy[at] = st->heavy[at - 1];
		st->heavy[at] = i;
		st->n_heavy += st->n_heavy < SOTTO_DECAY_ATOMS;
	}
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct state *st = calloc(1, sizeof *st);

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	SOTTO_TRY(sotto_atoms_tilt(&st->atoms, law, c, (double)law->n));
	st->turn = malloc(law->n * 2 * SOTTO_BLOCK * sizeof *st->turn);
	if (!st->turn)
		return SOTTO_ENOMEM;
	tabulate(law, h, st->turn);
	find_heavy(law, st);
	*log_m = (double)law->count * st->atoms.log_m;
	*slack = (double)law->count * st->atoms.slack;
	return SOTTO_OK;
}

/*
 * Any two atoms, weights p and q a gap g apart, keep
 * |M(s)/M(c)| <= 1 - p - q + |p + q exp(i t g)|, which falls up to t = pi/g.
 */
static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double end_at)
{
	const struct state *st = state;
	double best = 0;

	(void)c;
	for (size_t i = 0; i < st->n_heavy; i++)
		for (size_t j = 0; j < i; j++) {
			size_t one = st->heavy[i], other = st->heavy[j];
			double g = fabs(law->loss[one] - law->loss[other]),
			       p = st->atoms.weight[one], q = st->atoms.weight[other], half,
			       lost;

			if (!(end_at * g <= M_PI * (1 + 1e-9)) || t * g > M_PI)
				continue;
			half = sin(0.5 * t * g);
			/* p + q - |p + q e^(itg)| = 4pq sin^2/(p + q + |...|) */
			lost = 4 * p * q * half * half;
			lost /= p + q + sqrt(fmax(0, (p + q) * (p + q) - lost));
			best = fmax(best, lost);
		}
	return (double)law->count * log1p(-best * (1 - 0x1p-40));
}

static size_t
heaviest(const struct sotto_law *law, void *state, double c, double *loss, double *weight)
{
	const struct state *st = state;

	(void)c;
	for (size_t i = 0; i < st->n_heavy; i++) {
		loss[i] = law->loss[st->heavy[i]];
		weight[i] = st->atoms.weight[st->heavy[i]] * fmax(0, 1 - st->atoms.eta0);
	}
	return st->n_heavy;
}

static void sum_turns(const struct sotto_law *law, const struct state *st,
		      const struct sotto_block *b, double *dr, double *di)
{
	double t0 = b->h * (double)b->first;

	for (size_t i = 0; i < law->n; i++) {
		const double *tr = st->turn + 2 * SOTTO_BLOCK * i, *ti = tr + SOTTO_BLOCK;
		double r, m;

		sotto_turn(t0 * law->loss[i], &r, &m);
		for (size_t j = 0; j < SOTTO_BLOCK; j++) {
			dr[j] += st->atoms.weight[i] * (r + tr[j] + (r * tr[j] - m * ti[j]));
			di[j] += st->atoms.weight[i] * (m + ti[j] + (r * ti[j] + m * tr[j]));
		}
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	double t1 = b->h * (double)(b->first + SOTTO_BLOCK), eta;
	const struct state *st = state;

	if (sotto_atoms_are_small(&st->atoms, law, b)) {
		eta = sotto_atoms_sum_small(&st->atoms, law, b, dr, di);
	} else {
		sum_turns(law, st, b, dr, di);
		eta = st->atoms.eta0 * fmin(1, t1 * st->atoms.spread) + st->atoms.eta1 * t1;
	}
	sotto_block_multiply(b, dr, di, eta, law->count);
}

const struct sotto_law_class sotto_law_atoms = {
	.cumulants = sotto_atoms_cumulants,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.heaviest = heaviest,
	.end = end,
	.release = sotto_law_atoms_release,
};
