/*
 * Poisson-sampled Gaussian noise, mu = sensitivity/sigma, rate q.  With z standard
 * normal under Q and R(z) = 1 - q + q exp(mu z - mu^2/2) the likelihood ratio,
 *
 *	remove:  M(s) = E R^(s+1),      add:  M(s) = E R^(-s).
 *
 * The trapezoid rule along Im z = a (-a for "add") turns either into a law with complex
 * atoms, whose error does not depend on t and whose terms fall with t (sample.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/integral/complex.h"
#include "core/account/law/law_sgauss.h"
#include "core/account/law/sgauss_block.h"
#include "core/account/law/sgauss_cumulants.h"
#include "core/account/law/sgauss_rule.h"
#include "core/account/law/sgauss_told.h"

/* Terms below this are left out and charged: of one law, which may happen many times, and of one of hundreds. */
#define FAINT 0x1p-80
#define FAINT_OF_HUNDREDS 0x1p-62

static void release(struct sotto_law *law)
{
	free(law->loss);
}

/* Atoms are made for the first node, the ladder for the first question about far ones: M(c) needs neither. */
struct state {
	struct sotto_ladder ladder; /* first, for sotto_ladder_decay */
	struct sotto_sgauss_rule rule;
	double c, k[3]; /* of one event */
	bool has_atoms, has_ladder;
	struct sotto_sgauss_atoms atoms;
	double eta0, eta1; /* error eta0 + eta1 t */
	double slack; /* what K may be wrong by */
	double spread; /* sum of |weight| |loss| */
};

static void end(void *state)
{
	struct state *st = state;

	sotto_sgauss_atoms_release(&st->atoms);
	free(st);
}

static struct state *allocate(const struct sotto_law *law, const struct sotto_sgauss_rule *r)
{
	struct state *st = calloc(1, sizeof *st);

	if (!st)
		return NULL;
	st->rule = *r;
	if (sotto_sgauss_atoms_init(&st->atoms, r->n,
				    law->of_hundreds ? FAINT_OF_HUNDREDS : FAINT) != SOTTO_OK) {
		free(st);
		return NULL;
	}
	return st;
}

/* The exponent of a weight loses u z^2 and c+1 times the error of the loss. */
static void make_atoms(const struct sotto_law *law, struct state *st)
{
	const struct sotto_sgauss_rule *r = &st->rule;
	struct sotto_sgauss_atoms *a = &st->atoms;
	double c = st->c, log_m = st->k[0];

	if (st->has_atoms)
		return;
	st->has_atoms = true;
	st->eta0 = SOTTO_U * (48 + (double)r->n / 8) + sotto_sgauss_error(law);
	for (size_t i = 0; i < r->n; i++) {
		double x = r->low + (double)i * r->step, size, e;
		struct cx loss, w;

		sotto_sgauss_atom(law, c, x, r->shift, &loss, &w);
		size = exp(w.re - SOTTO_LOG_ROOT_2PI - log_m) * r->step;
		a->size[i] = size;
		a->lr[i] = loss.re;
		a->li[i] = fmax(0, loss.im);
		a->wr[i] = size * cos(w.im);
		a->wi[i] = size * sin(w.im);
		e = sotto_sgauss_loss_error(
			law, x, law->direction == SOTTO_ADD ? cx_scale(loss, -1) : loss);
		a->wrong[i] = SOTTO_U * (2 * x * x + 8) + (c + 1) * e;
		st->eta0 += size * a->wrong[i];
		st->eta1 += size * (e + 2 * SOTTO_U * cx_abs(loss));
		st->spread += size * (fabs(loss.re) + fabs(loss.im));
	}
}

/* What a term of the rule weighs, and how fast it falls with t. */
struct fall {
	double size, rate;
};

/* The terms of the rule with one shift that still count, and a bound of those that do not. */
struct falls {
	struct fall *terms;
	size_t n;
	double gone, error;
};

/*
 * The sum of all |terms| at t bounds |M| for all larger t, each term falling.  The rule
 * with a smaller shift falls more slowly but starts lower.  Terms that have become nothing are
 * not looked at again.
 */
static double bound_at(struct falls *f, double t)
{
	double sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		double size = f->terms[i].size * exp(-t * f->terms[i].rate);

		sum += size;
		if (size > 1e-20)
			f->terms[kept++] = f->terms[i];
		else
			f->gone += size;
	}
	f->n = kept;
	return (sum + f->gone) * (1 + 0x1p-30) + f->error;
}

static void list_falls(const struct sotto_law *law, double c, double log_m, double shift,
		       const struct sotto_sgauss_rule *r, struct fall *terms)
{
	for (size_t i = 0; i < r->n; i++) {
		struct cx loss, w;

		sotto_sgauss_atom(law, c, r->low + (double)i * r->step, shift, &loss, &w);
		terms[i].size = exp(w.re - SOTTO_LOG_ROOT_2PI - log_m) * r->step;
		terms[i].rate = loss.im;
	}
}

/* High powers need the smallest shift too. */
enum { SHIFTS = 3, MANY = 64 };

/* Without memory nothing is claimed. */
static void climb(const struct sotto_law *law, struct state *st)
{
	const struct sotto_sgauss_rule *r = &st->rule;
	struct fall *terms = malloc(SHIFTS * r->n * sizeof *terms);
	struct falls falls[SHIFTS];
	double t = 0.5 / (sqrt(st->k[2]) + 1e-300);
	int shifts = law->count < MANY ? SHIFTS - 1 : SHIFTS;
	int last = shifts - 1; /* the shift that was best; a larger one will be */

	if (!terms)
		return;
	make_atoms(law, st);
	for (int i = 0; i < shifts; i++) {
		falls[i] = (struct falls){terms + (size_t)i * r->n, r->n, 0,
					  sotto_sgauss_error(law)};
		if (i > 0)
			list_falls(law, st->c, st->k[0], ldexp(r->shift, -i), r,
				   falls[i].terms);
	}
	for (size_t i = 0; i < r->n; i++) /* the rule itself */
		terms[i] = (struct fall){st->atoms.size[i], st->atoms.li[i]};
	for (int i = 0; i < 80 && st->ladder.n < SOTTO_RUNGS; i++, t *= 2) {
		double bound = bound_at(&falls[last], t);

		for (double next; last > 0; last--, bound = next) {
			next = bound_at(&falls[last - 1], t);
			if (!(next < bound))
				break;
		}
		if (st->ladder.n > 0)
			bound = fmin(bound, st->ladder.bound[st->ladder.n - 1]);
		bound = fmin(bound, 1);
		if (st->ladder.n == 0 && bound > 0.85)
			continue;
		if (st->ladder.n == 0)
			st->ladder.first = t;
		st->ladder.bound[st->ladder.n++] = bound;
		if ((double)law->count * log(bound) < -60)
			break;
	}
	free(terms);
}

static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double end_of_line)
{
	struct state *st = state;

	if (!st->has_ladder && sotto_sgauss_is_told(law, st->c))
		sotto_sgauss_told_ladder(law, st->c, st->k[0], &st->ladder);
	if (!st->has_ladder && st->ladder.n == 0 && st->rule.n > 0)
		climb(law, st);
	st->has_ladder = true;
	return sotto_ladder_decay(law, state, c, t, end_of_line);
}

/*
 * K(c) from the atoms, whose sum at t = 0 is M(c) as well, up to the error of the rule: beside hundreds of others some u of 1 are enough, and
 * the sum on the real line is spared.
 */
static void make_atoms_and_k(const struct sotto_law *law, struct state *st)
{
	struct sotto_sum sum = {0};
	double part;

	sotto_sgauss_told_cumulants(law, st->c, st->k);
	make_atoms(law, st);
	for (size_t i = 0; i < st->rule.n; i++)
		sotto_sum_add(&sum, st->atoms.wr[i]);
	part = sotto_sum_total(&sum); /* of the bound that K was taken for */
	st->k[0] += log(part);
	for (size_t i = 0; i < st->rule.n; i++) {
		st->atoms.wr[i] /= part;
		st->atoms.wi[i] /= part;
		st->atoms.size[i] /= part;
	}
	st->eta0 /= part;
	st->eta1 /= part;
	st->spread /= part;
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct sotto_sgauss_rule r = sotto_sgauss_rule_for(law, c, sotto_sgauss_digits(law));
	struct state *st = allocate(law, &r);
	double n = (double)law->count, size;

	(void)h;
	if (!st)
		return SOTTO_ENOMEM;
	st->c = c;
	if (sotto_sgauss_is_told(law, c) && r.n > 0) {
		make_atoms_and_k(law, st);
		size = 4 * st->eta0 / SOTTO_U;
	} else {
		sotto_sgauss_one_cumulants(law, c, sotto_sgauss_digits(law), st->k, &size);
	}
	*state = st;
	*log_m = n * st->k[0];
	st->slack = SOTTO_U * (size + 4 * fabs(st->k[0])) + sotto_sgauss_error(law);
	*slack = SOTTO_U * (n * size + 4 * fabs(*log_m)) + n * sotto_sgauss_error(law);
	return SOTTO_OK;
}

enum sotto_status
sotto_sgauss_points_for(const struct sotto_law *law, double c, struct sotto_sgauss_points *out)
{
	struct sotto_sgauss_rule r = sotto_sgauss_rule_for(law, c, sotto_sgauss_digits(law));

	if (r.n == 0)
		return SOTTO_EREFUSED;
	*out = (struct sotto_sgauss_points){malloc(r.n * sizeof *out->at), r.n,
					    sotto_sgauss_error(law)};
	if (!out->at)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r.n; i++) {
		double x = r.low + (double)i * r.step;
		struct sotto_sgauss_point *p = &out->at[i];

		sotto_sgauss_atom(law, 0, x, r.shift, &p->loss, &p->log_mass);
		p->log_mass.re += log(r.step) - SOTTO_LOG_ROOT_2PI;
		p->loss_error = sotto_sgauss_loss_error(
			law, x, law->direction == SOTTO_ADD ? cx_scale(p->loss, -1) : p->loss);
		p->mass_error = SOTTO_U * (2 * x * x + 16) + p->loss_error;
	}
	return SOTTO_OK;
}

/* Each turn is the square of the last. */
void sotto_sgauss_turns(const struct sotto_block *b, struct cx l, double *xr, double *xi)
{
	double t0 = b->h * (double)b->first;
	struct cx x = cx_expm1(-t0 * l.im, t0 * l.re), s = cx_expm1(-b->h * l.im, b->h * l.re);

	xr[0] = x.re;
	xi[0] = x.im;
	for (size_t k = 1; k < SOTTO_BLOCK; k *= 2) {
		for (size_t j = 0; j < k; j++) {
			xr[j + k] = xr[j] + s.re + (xr[j] * s.re - xi[j] * s.im);
			xi[j + k] = xi[j] + s.im + (xr[j] * s.im + xi[j] * s.re);
		}
		s = cx_add(cx_scale(s, 2), cx_mul(s, s));
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, error;
	double t = b->h * (double)(b->first + SOTTO_BLOCK);
	struct state *st = state;

	if (st->rule.n == 0) {
		sotto_block_blur(b);
		return;
	}
	make_atoms(law, st);
	error = sotto_sgauss_atoms_add(&st->atoms, b, dr, di);
	sotto_block_multiply(b, dr, di,
			     error + 1.01 * st->slack * fmin(2, t * st->spread) + st->eta1 * t +
				     sotto_sgauss_error(law),
			     law->count);
}

/* A term is a complex atom. */
static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;

	return sotto_sgauss_atoms_steps(&st->atoms, b) +
	       (double)b->n * sotto_power_steps(law->count);
}

const struct sotto_law_class sotto_law_sampled_gaussian = {
	.cumulants = sotto_sgauss_cumulants,
	.terms = sotto_sgauss_terms,
	.steps = steps,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.end = end,
	.release = release,
};
