/*
 * Two passes for one component: up, where children add their information by the harmonic rule,
 * and down, where a parent's is combined with that of the siblings.
 */
#include "census/exact/census_variance_information.h"

#include <string.h>

#include "core/base/failure.h"

/* Category of an explicit attribute in a place of the explicit axes. */
static size_t category(const struct sotto_variance_shape *s, size_t place, size_t attribute)
{
	for (size_t i = s->attribute_count; i-- > attribute + 1;)
		if (s->attributes[i].is_explicit)
			place /= s->attributes[i].n;
	return place % s->attributes[attribute].n;
}

bool sotto_variance_agree(const struct sotto_variance_shape *s,
			  const struct sotto_variance_query *q, size_t a, size_t b)
{
	for (size_t i = 0; i < s->attribute_count; i++) {
		size_t one, other;

		if (!s->attributes[i].is_explicit || q->parts[i] == SOTTO_VARIANCE_SUMMED)
			continue;
		one = category(s, a, i);
		other = category(s, b, i);
		if (q->parts[i] == SOTTO_VARIANCE_KEPT
			    ? one != other
			    : q->groups[i][one] != q->groups[i][other])
			return false;
	}
	return true;
}

/* P_T of a level: sum over the queries that keep all of T. */
static void add_level(const struct sotto_variance_shape *s,
		      const struct sotto_variance_level *level, unsigned t,
		      struct sotto_rational_matrix *p)
{
	mpq_t weight, n;

	mpq_inits(weight, n, NULL);
	for (size_t j = 0; j < level->query_count; j++) {
		const struct sotto_variance_query *q = &level->queries[j];
		bool covers = true;

		mpq_set(weight, q->weight);
		for (size_t i = 0; i < s->attribute_count; i++) {
			if (s->attributes[i].is_explicit)
				continue;
			if (q->parts[i] == SOTTO_VARIANCE_KEPT)
				continue;
			covers &= !(t >> i & 1);
			mpq_set_ui(n, s->attributes[i].n, 1);
			mpq_mul(weight, weight, n);
		}
		for (size_t a = 0; covers && a < s->dimension; a++)
			for (size_t b = 0; b < s->dimension; b++)
				if (sotto_variance_agree(s, q, a, b))
					mpq_add(sotto_rational_at(p, a, b),
						sotto_rational_at(p, a, b), weight);
	}
	mpq_clears(weight, n, NULL);
}

enum sotto_status sotto_variance_informations_init(struct sotto_variance_informations *m,
						   const struct sotto_variance_shape *s)
{
	memset(m, 0, sizeof *m);
	for (size_t l = 0; l < s->level_count; l++) {
		SOTTO_TRY(sotto_rational_matrix_init(&m->up[l], s->dimension, s->dimension));
		SOTTO_TRY(sotto_rational_matrix_init(&m->outer[l], s->dimension, s->dimension));
	}
	return SOTTO_OK;
}

void sotto_variance_informations_release(struct sotto_variance_informations *m,
					 const struct sotto_variance_shape *s)
{
	for (size_t l = 0; l < s->level_count; l++) {
		sotto_rational_matrix_release(&m->up[l]);
		sotto_rational_matrix_release(&m->outer[l]);
	}
}

enum sotto_status sotto_variance_informations_set(struct sotto_variance_informations *m,
						  const struct sotto_variance_shape *s,
						  unsigned t)
{
	enum sotto_status st = SOTTO_OK;
	struct sotto_rational_matrix siblings = {0};
	mpq_t share;

	mpq_init(share);
	for (size_t l = s->level_count; l-- > 0;) {
		add_level(s, &s->levels[l], t, &m->up[l]);
		if (l + 1 < s->level_count) {
			mpq_set_ui(share, 1, s->levels[l + 1].children);
			sotto_rational_matrix_add(&m->up[l], &m->up[l + 1], share);
		}
	}
	add_level(s, &s->levels[0], t, &m->outer[0]);
	st = sotto_rational_matrix_init(&siblings, s->dimension, s->dimension);
	for (size_t l = 1; st == SOTTO_OK && l < s->level_count; l++) {
		unsigned long others = s->levels[l].children - 1;

		sotto_rational_matrix_copy(&m->outer[l], &m->outer[l - 1]);
		if (others > 0) {
			sotto_rational_matrix_release(&siblings);
			st = sotto_rational_matrix_init(&siblings, s->dimension, s->dimension);
			mpq_set_ui(share, 1, others);
			if (st == SOTTO_OK) {
				sotto_rational_matrix_add(&siblings, &m->up[l], share);
				st = sotto_rational_matrix_parallel(&m->outer[l], &siblings);
			}
		}
		if (st == SOTTO_OK)
			add_level(s, &s->levels[l], t, &m->outer[l]);
	}
	sotto_rational_matrix_release(&siblings);
	mpq_clear(share);
	return st;
}
