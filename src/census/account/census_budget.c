/*
 * The budget, exactly: rho_q = rho * level's fraction * query's fraction (privacy.md).
 *
 * Nodes of one level are disjoint, so a level costs once.  Under add/remove-one neighbours a
 * person changes one cell of each query by 1; under replace-one two cells, by +1 and -1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census/account/census_budget.h"
#include "census/account/census_noise_variance.h"
#include "census/plan/census_query.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

static enum sotto_status misplaced(const struct sotto_census_plan *p,
				   const struct sotto_census_share *s, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EPARSE,
			  "%.160s:%zu: there is no level %.100s in the hierarchy", p->path,
			  s->line, s->level);
}

static enum sotto_status check_sum(const struct sotto_census_plan *p, const mpq_t sum,
				   const char *what, struct sotto_error *err)
{
	char *text;
	enum sotto_status st;

	if (mpq_cmp_ui(sum, 1, 1) == 0)
		return SOTTO_OK;
	text = mpq_get_str(NULL, 10, sum);
	st = sotto_fail(err, SOTTO_EPARSE,
			"%.160s: the fractions %.100s add up to %.100s, not 1", p->path, what,
			text);
	free(text);
	return st;
}

static enum sotto_status set_levels(struct sotto_census_plan *p, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t sum;

	mpq_init(sum);
	for (size_t i = 0; st == SOTTO_OK && i < p->level_count; i++) {
		p->levels[i].fraction = sotto_arena_rational(&p->arena);
		if (!p->levels[i].fraction)
			st = SOTTO_ENOMEM;
	}
	for (size_t i = 0; st == SOTTO_OK && i < p->level_share_count; i++) {
		const struct sotto_census_share *s = &p->level_shares[i];
		size_t level = sotto_census_level_find(p, s->level);

		if (level == SIZE_MAX) {
			st = misplaced(p, s, err);
			break;
		}
		sotto_rational_set(p->levels[level].fraction, s->fraction);
		mpq_add(sum, sum, s->fraction->q);
	}
	if (st == SOTTO_OK)
		st = check_sum(p, sum, "of budget.levels", err);
	mpq_clear(sum);
	return st;
}

/* sigma^2 = D/(2 rho) with D = 1 or 2 the squared L2 sensitivity; b = D/epsilon. */
static enum sotto_status set_noise(const struct sotto_census_plan *p,
				   struct sotto_census_measure *m, struct sotto_arena *arena)
{
	m->cost = sotto_arena_rational(arena);
	m->scale = sotto_arena_rational(arena);
	if (!m->cost || !m->scale)
		return SOTTO_ENOMEM;
	mpq_set_ui(m->scale->q, p->replace_one ? 2 : 1, p->model == SOTTO_CENSUS_ZCDP ? 2 : 1);
	mpq_canonicalize(m->scale->q);
	return SOTTO_OK;
}

static enum sotto_status add_measure(struct sotto_census_plan *p,
				     const struct sotto_census_share *s, size_t level,
				     struct sotto_error *err)
{
	struct sotto_census_level *l = &p->levels[level];
	struct sotto_census_measure *m;
	struct sotto_error why = {""};
	size_t query;

	if (sotto_census_query_find(p, s->query, &query, &why) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EPARSE, "%.160s:%zu: %.300s", p->path, s->line,
				  why.text);
	if (l->measure_count == SOTTO_CENSUS_MEASURES_MAX)
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.160s:%zu: a level has more than %d queries", p->path,
				  s->line, SOTTO_CENSUS_MEASURES_MAX);
	m = SOTTO_PUSH(&p->arena, l->measures, l->measure_count);
	if (!m)
		return SOTTO_ENOMEM;
	m->query = query;
	m->fraction = s->fraction;
	SOTTO_TRY(set_noise(p, m, &p->arena));
	mpq_mul(m->cost->q, p->total->q, l->fraction->q);
	mpq_mul(m->cost->q, m->cost->q, s->fraction->q);
	mpq_div(m->scale->q, m->scale->q, m->cost->q);
	if (mpq_get_d(m->scale->q) > (p->model == SOTTO_CENSUS_ZCDP ? 0x1p60 : 0x1p30))
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.160s:%zu: so small a share makes noise of more than 2^30; "
				  "raise the budget, or write 0 to leave the query out",
				  p->path, s->line);
	m->variance = p->model == SOTTO_CENSUS_ZCDP ? sotto_census_gaussian_variance(m->scale)
						    : sotto_census_laplace_variance(m->scale);
	m->weight = m->variance > 1e-4 ? 1 / m->variance : 1e4;
	return SOTTO_OK;
}

/* Queries of a level without a budget are read, so that a typing error is found, and dropped. */
static enum sotto_status
set_level(struct sotto_census_plan *p, size_t level, struct sotto_error *err)
{
	const char *name = p->levels[level].name;
	enum sotto_status st = SOTTO_OK;
	char what[160];
	mpq_t sum;

	if (mpq_sgn(p->levels[level].fraction->q) == 0)
		return SOTTO_OK;
	mpq_init(sum);
	for (size_t i = 0; st == SOTTO_OK && i < p->query_share_count; i++) {
		const struct sotto_census_share *s = &p->query_shares[i];

		if (strcmp(s->level, name) != 0)
			continue;
		mpq_add(sum, sum, s->fraction->q);
		if (mpq_sgn(s->fraction->q) > 0)
			st = add_measure(p, s, level, err);
	}
	(void)snprintf(what, sizeof what, "of budget.queries.%.80s", name);
	if (st == SOTTO_OK)
		st = check_sum(p, sum, what, err);
	mpq_clear(sum);
	return st;
}

enum sotto_status sotto_census_budget_set(struct sotto_census_plan *p, struct sotto_error *err)
{
	if (!p->total)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"%.160s: the plan has no budget; write privacy: {model: zcdp, "
			"rho: ...} or {model: pure, epsilon: ...}",
			p->path);
	for (size_t i = 0; i < p->query_share_count; i++)
		if (sotto_census_level_find(p, p->query_shares[i].level) == SIZE_MAX)
			return misplaced(p, &p->query_shares[i], err);
	SOTTO_TRY(set_levels(p, err));
	for (size_t i = 0; i < p->level_count; i++)
		SOTTO_TRY(set_level(p, i, err));
	return SOTTO_OK;
}
