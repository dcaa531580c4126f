/*
 * Can one channel be made from the output of another, M2 = M1 R?
 *
 * Yes is shown by R, checked in fractions.  No is shown by a gain for which M2 is worth
 * more than M1 under the uniform prior: if M2 = M1 R, no user can prefer M2, so one exact
 * comparison of two utilities is a proof.  The gain of the likeliest answer is tried first;
 * otherwise linear programs propose both.
 */
#include <math.h>
#include <stdlib.h>

#include "channel/matrix/channel_matrix.h"
#include "channel/optimal/program/channel_program.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

/* More variables than this are refused. */
enum { CELLS_MAX = 4096 };

struct pair {
	const struct sotto_matrix *from, *to;
};

static enum sotto_status entry(struct sotto_program *p, size_t column, const mpq_t value)
{
	return mpq_sgn(value) ? sotto_program_entry(p, column, value) : SOTTO_OK;
}

/* ---- R ------------------------------------------------------------------------------- */

/* For every y and w: sum over z of M1(y,z) R(z,w) = M2(y,w).  Row sums of R: 1. */
static enum sotto_status fill_remap(const struct pair *m, struct sotto_program *p)
{
	size_t outputs = m->from->columns, guesses = m->to->columns;
	enum sotto_status st = SOTTO_OK;
	mpq_t one;

	for (size_t i = 0; i < m->to->rows * guesses && st == SOTTO_OK; i++) {
		st = sotto_program_row(p, true);
		if (st == SOTTO_OK)
			mpq_set(p->right[p->rows - 1], m->to->cells[i]);
		for (size_t z = 0; z < outputs && st == SOTTO_OK; z++)
			st = entry(p, z * guesses + i % guesses,
				   sotto_matrix_at(m->from, i / guesses, z));
	}
	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	for (size_t i = 0; i < outputs * guesses && st == SOTTO_OK; i++) {
		if (i % guesses == 0) {
			st = sotto_program_row(p, true);
			if (st == SOTTO_OK)
				mpq_set(p->right[p->rows - 1], one);
		}
		if (st == SOTTO_OK)
			st = sotto_program_entry(p, i, one);
	}
	mpq_clear(one);
	return st;
}

static bool is_equal(const struct sotto_matrix *a, const struct sotto_matrix *b)
{
	bool equal = a->rows == b->rows && a->columns == b->columns;

	for (size_t i = 0; equal && i < a->rows * a->columns; i++)
		equal = mpq_equal(a->cells[i], b->cells[i]);
	return equal;
}

/* The vertex as a matrix, if it is stochastic and M1 R is M2. */
static enum sotto_status
accept_remap(const struct pair *m, const struct sotto_matrix *x, struct sotto_matrix **out)
{
	struct sotto_matrix *r, *product = NULL;
	enum sotto_status st;

	SOTTO_TRY(sotto_matrix_new(m->from->columns, m->to->columns, &r));
	for (size_t i = 0; i < r->rows * r->columns; i++)
		mpq_set(r->cells[i], x->cells[i]);
	st = sotto_matrix_product(m->from, r, &product);
	if (st == SOTTO_OK && (!sotto_matrix_is_stochastic(r) || !is_equal(product, m->to)))
		st = SOTTO_ESTATE;
	sotto_matrix_free(product);
	if (st == SOTTO_OK)
		*out = r;
	else
		sotto_matrix_free(r);
	return st;
}

/* SOTTO_ESTATE if there is none, or the solver did not find it. */
static enum sotto_status
find_remap(const struct pair *m, struct sotto_matrix **out, struct sotto_error *err)
{
	struct sotto_program_answer a;
	struct sotto_program *p;
	struct sotto_matrix *x;
	enum sotto_status st;

	SOTTO_TRY(sotto_program_new(m->from->columns * m->to->columns, &p));
	st = fill_remap(m, p);
	if (st == SOTTO_OK)
		st = sotto_program_solve(p, &a, err);
	if (st == SOTTO_OK) {
		st = sotto_program_exact(p, &a, &x);
		sotto_program_answer_release(&a);
		if (st == SOTTO_OK) {
			st = accept_remap(m, x, out);
			sotto_matrix_free(x);
		}
	}
	sotto_program_free(p);
	return st;
}

/* ---- a user who prefers M2 -------------------------------------------------------------- */

/*
 * Variables: gains g(w,y) in [0,1], then u(z), the best worth at output z of M1.  Maximize
 * sum of M2(y,w) g(w,y) less sum of u(z); u(z) >= sum over y of M1(y,z) g(w,y).
 */
static enum sotto_status fill_gain(const struct pair *m, struct sotto_program *p)
{
	size_t n = m->to->rows, guesses = m->to->columns, outputs = m->from->columns;
	enum sotto_status st = SOTTO_OK;
	mpq_t one, minus;

	mpq_inits(one, minus, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	mpq_set_si(minus, -1, 1);
	for (size_t i = 0; i < guesses * n; i++)
		mpq_set(p->objective[i], sotto_matrix_at(m->to, i % n, i / n));
	for (size_t z = 0; z < outputs; z++)
		mpq_set(p->objective[guesses * n + z], minus);
	for (size_t i = 0; i < outputs * guesses && st == SOTTO_OK; i++) {
		size_t z = i / guesses, w = i % guesses;

		st = sotto_program_row(p, false);
		for (size_t y = 0; y < n && st == SOTTO_OK; y++)
			st = entry(p, w * n + y, sotto_matrix_at(m->from, y, z));
		if (st == SOTTO_OK)
			st = sotto_program_entry(p, guesses * n + z, minus);
	}
	for (size_t i = 0; i < guesses * n && st == SOTTO_OK; i++) {
		st = sotto_program_row(p, false);
		if (st == SOTTO_OK)
			mpq_set(p->right[p->rows - 1], one);
		if (st == SOTTO_OK)
			st = sotto_program_entry(p, i, one);
	}
	mpq_clears(one, minus, (mpq_ptr)0);
	return st;
}

/* The exact utilities of both for this gain; *better if M2 has more. */
static enum sotto_status compare(const struct pair *m, const struct sotto_matrix *gain,
				 struct sotto_refinement *out, bool *better)
{
	struct sotto_matrix *prior;
	struct sotto_use first, second;
	enum sotto_status st;

	SOTTO_TRY(sotto_prior_named("uniform", m->to->rows, &prior, NULL));
	st = sotto_use_find(m->from, prior, gain, &first);
	if (st == SOTTO_OK) {
		st = sotto_use_find(m->to, prior, gain, &second);
		if (st == SOTTO_OK) {
			mpq_set(out->from.q, first.utility.q);
			mpq_set(out->to.q, second.utility.q);
			*better = mpq_cmp(second.utility.q, first.utility.q) > 0;
			sotto_use_release(&second);
		}
		sotto_use_release(&first);
	}
	sotto_matrix_free(prior);
	return st;
}

/* The user who wants the likeliest answer of each output of M2: often one who prefers M2. */
static enum sotto_status
try_likeliest(const struct pair *m, struct sotto_refinement *out, bool *better)
{
	struct sotto_matrix *gain;
	enum sotto_status st;

	*better = false;
	SOTTO_TRY(sotto_matrix_new(m->to->columns, m->to->rows, &gain));
	for (size_t w = 0; w < gain->rows; w++) {
		size_t best = 0;

		for (size_t y = 1; y < gain->columns; y++)
			if (mpq_cmp(sotto_matrix_at(m->to, y, w),
				    sotto_matrix_at(m->to, best, w)) > 0)
				best = y;
		mpq_set_ui(sotto_matrix_at(gain, w, best), 1, 1);
	}
	st = compare(m, gain, out, better);
	if (*better)
		out->gain = gain;
	else
		sotto_matrix_free(gain);
	return st;
}

/* Gains as simple fractions if these show it, else as the solver gave them. */
static enum sotto_status
try_gain(const struct pair *m, const double *x, struct sotto_refinement *out, bool *better)
{
	static const unsigned long denominators[] = {1, 2, 6, 12, 60, 1000, 0};
	size_t count = sizeof denominators / sizeof denominators[0];
	struct sotto_matrix *gain;
	enum sotto_status st = SOTTO_OK;

	*better = false;
	SOTTO_TRY(sotto_matrix_new(m->to->columns, m->to->rows, &gain));
	for (size_t k = 0; k < count && !*better && st == SOTTO_OK; k++) {
		unsigned long d = denominators[k];

		for (size_t i = 0; i < gain->rows * gain->columns; i++) {
			if (d == 0) {
				mpq_set_d(gain->cells[i], x[i]);
				continue;
			}
			mpq_set_si(gain->cells[i], lround(x[i] * (double)d), d);
			mpq_canonicalize(gain->cells[i]);
		}
		st = compare(m, gain, out, better);
	}
	if (*better)
		out->gain = gain;
	else
		sotto_matrix_free(gain);
	return st;
}

static enum sotto_status find_gain(const struct pair *m, struct sotto_refinement *out,
				   bool *found, struct sotto_error *err)
{
	struct sotto_program_answer a;
	struct sotto_program *p;
	enum sotto_status st;

	SOTTO_TRY(sotto_program_new(m->to->columns * m->to->rows + m->from->columns, &p));
	st = fill_gain(m, p);
	if (st == SOTTO_OK)
		st = sotto_program_solve(p, &a, err);
	if (st == SOTTO_OK) {
		st = try_gain(m, a.x, out, found);
		sotto_program_answer_release(&a);
	}
	sotto_program_free(p);
	return st;
}

/* ---- both -------------------------------------------------------------------------------- */

static enum sotto_status
decide(const struct pair *m, struct sotto_refinement *r, struct sotto_error *err)
{
	bool found = false;
	enum sotto_status st;

	SOTTO_TRY(try_likeliest(m, r, &found));
	if (!found)
		SOTTO_TRY(find_gain(m, r, &found, err));
	if (found)
		return SOTTO_OK;
	st = find_remap(m, &r->remap, err);
	r->derivable = st == SOTTO_OK;
	if (st == SOTTO_ESTATE)
		return sotto_fail(err, SOTTO_ESTATE,
				  "neither a remap nor a gain against it was found; the "
				  "matrices are too close to call for the solver");
	return st;
}

enum sotto_status sotto_refine(const struct sotto_matrix *from, const struct sotto_matrix *to,
			       struct sotto_refinement *out, struct sotto_error *err)
{
	const struct pair m = {from, to};
	struct sotto_refinement r = {.derivable = false};
	enum sotto_status st;

	if (!from || !to || !out || from->rows != to->rows ||
	    !sotto_matrix_is_stochastic(from) || !sotto_matrix_is_stochastic(to))
		return SOTTO_EINVAL;
	if (from->columns * to->columns > CELLS_MAX || to->rows * to->columns > CELLS_MAX)
		return sotto_fail(err, SOTTO_ERANGE,
				  "the matrices are too large to be compared: at most %d "
				  "cells, such as 64 by 64",
				  CELLS_MAX);
	sotto_rational_init(&r.from);
	sotto_rational_init(&r.to);
	st = decide(&m, &r, err);
	if (st == SOTTO_OK)
		*out = r;
	else
		sotto_refinement_release(&r);
	return st;
}

void sotto_refinement_release(struct sotto_refinement *r)
{
	if (!r)
		return;
	sotto_rational_release(&r->from);
	sotto_rational_release(&r->to);
	sotto_matrix_free(r->remap);
	sotto_matrix_free(r->gain);
	r->remap = r->gain = NULL;
}
