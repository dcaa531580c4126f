/* Noise that is added to a number: the value is 0, or moved by the whole sensitivity. */
#include "audit/audit_subject.h"

#include "sotto/noise.h"

enum {
	COARSE = 1,
	FINE = 64,
	STAIR = 3
}; /* steps of the grid that one unit can move a value */

enum sotto_status
audit_claim_take(struct audit_claim *claim, enum sotto_status st, struct sotto_cost *cost)
{
	if (st == SOTTO_OK)
		*claim = (struct audit_claim){sotto_rational_double_up(&cost->epsilon),
					      sotto_rational_double_up(&cost->delta)};
	sotto_cost_release(cost);
	return st;
}

static struct sotto_exact value(unsigned side, int64_t sensitivity)
{
	return sotto_exact_of(side ? sensitivity : 0);
}

/* ---- Laplace, on a fine grid and on the whole numbers ---- */

static enum sotto_status
open_laplace(const struct audit_terms *terms, int64_t sensitivity, struct audit_case *out)
{
	struct sotto_laplace *m = NULL;
	struct sotto_cost cost;
	enum sotto_status st = sotto_laplace_new(terms->epsilon, sensitivity, &m);

	out->mechanism = m;
	sotto_cost_init(&cost);
	if (st == SOTTO_OK)
		st = sotto_laplace_cost(m, sensitivity, &cost);
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status
laplace_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	(void)err;
	return open_laplace(terms, FINE, out);
}

static enum sotto_status
geometric_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	(void)err;
	return open_laplace(terms, COARSE, out);
}

static enum sotto_status
laplace_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy y = {0};
	enum sotto_status st = sotto_laplace_publish(mechanism, rng, value(side, FINE), &y);

	*outcome = y.value;
	return st;
}

static enum sotto_status
geometric_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy y = {0};
	enum sotto_status st = sotto_laplace_publish(mechanism, rng, value(side, COARSE), &y);

	*outcome = y.value;
	return st;
}

static void laplace_close(void *mechanism)
{
	sotto_laplace_free(mechanism);
}

/* ---- Gaussian: the claim is the epsilon and delta that it was calibrated for ---- */

static enum sotto_status
gaussian_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	struct sotto_gaussian *m = NULL;
	struct sotto_rational sigma2;
	enum sotto_status st;

	(void)err;
	sotto_rational_init(&sigma2);
	st = sotto_gaussian_calibrate_up(terms->epsilon, terms->delta, FINE, 1, &sigma2);
	if (st == SOTTO_OK)
		st = sotto_gaussian_new(&sigma2, &m);
	sotto_rational_release(&sigma2);
	out->mechanism = m;
	out->claim = (struct audit_claim){sotto_rational_double_up(terms->epsilon),
					  sotto_rational_double_up(terms->delta)};
	return st;
}

static enum sotto_status
gaussian_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy y = {0};
	enum sotto_status st = sotto_gaussian_publish(mechanism, rng, value(side, FINE), &y);

	*outcome = y.value;
	return st;
}

static void gaussian_close(void *mechanism)
{
	sotto_gaussian_free(mechanism);
}

/* ---- results that are clamped to a range ---- */

static enum sotto_status open_truncated(const struct audit_terms *terms, int64_t sensitivity,
					struct audit_case *out, struct sotto_error *err)
{
	const struct sotto_range range = {0, 3 * sensitivity};
	struct sotto_truncated *m = NULL;
	struct sotto_cost cost;
	enum sotto_status st = sotto_truncated_new(terms->epsilon, sensitivity, range, &m, err);

	out->mechanism = m;
	sotto_cost_init(&cost);
	if (st == SOTTO_OK)
		st = sotto_truncated_cost(m, &cost);
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status truncated_geometric_open(const struct audit_terms *terms,
						  struct audit_case *out,
						  struct sotto_error *err)
{
	return open_truncated(terms, COARSE, out, err);
}

static enum sotto_status truncated_laplace_open(const struct audit_terms *terms,
						struct audit_case *out, struct sotto_error *err)
{
	return open_truncated(terms, FINE, out, err);
}

static enum sotto_status
truncated_geometric_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy y = {0};
	enum sotto_status st = sotto_truncated_publish(mechanism, rng, value(side, COARSE), &y);

	*outcome = y.value;
	return st;
}

static enum sotto_status
truncated_laplace_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy y = {0};
	enum sotto_status st = sotto_truncated_publish(mechanism, rng, value(side, FINE), &y);

	*outcome = y.value;
	return st;
}

static void truncated_close(void *mechanism)
{
	sotto_truncated_free(mechanism);
}

/* ---- staircase ---- */

static enum sotto_status
staircase_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	struct sotto_staircase *m = NULL;
	struct sotto_cost cost;
	enum sotto_status st = sotto_staircase_new(terms->epsilon, STAIR, 0, &m, err);

	out->mechanism = m;
	sotto_cost_init(&cost);
	if (st == SOTTO_OK)
		st = sotto_staircase_cost(m, &cost);
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status
staircase_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy y = {0};
	enum sotto_status st = sotto_staircase_publish(mechanism, rng, value(side, STAIR), &y);

	*outcome = y.value;
	return st;
}

static void staircase_close(void *mechanism)
{
	sotto_staircase_free(mechanism);
}

const struct audit_subject audit_additive[] = {
	{.name = "laplace",
	 .inputs = "0, or 1 in steps of 1/64",
	 .outcome = "the noisy number",
	 .open = laplace_open,
	 .run = laplace_run,
	 .close = laplace_close},
	{.name = "geometric",
	 .inputs = "0, or 1",
	 .outcome = "the noisy number",
	 .open = geometric_open,
	 .run = geometric_run,
	 .close = laplace_close},
	{.name = "gaussian",
	 .inputs = "0, or 1 in steps of 1/64",
	 .outcome = "the noisy number",
	 .open = gaussian_open,
	 .run = gaussian_run,
	 .close = gaussian_close},
	{.name = "truncated-geometric",
	 .inputs = "0, or 1, between 0 and 3",
	 .outcome = "the noisy number",
	 .open = truncated_geometric_open,
	 .run = truncated_geometric_run,
	 .close = truncated_close},
	{.name = "truncated-laplace",
	 .inputs = "0, or 1 in steps of 1/64, between 0 and 3",
	 .outcome = "the noisy number",
	 .open = truncated_laplace_open,
	 .run = truncated_laplace_run,
	 .close = truncated_close},
	{.name = "staircase",
	 .inputs = "0, or 3, with sensitivity 3",
	 .outcome = "the noisy number",
	 .open = staircase_open,
	 .run = staircase_run,
	 .close = staircase_close},
	{.name = NULL}};
