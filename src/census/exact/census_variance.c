/*
 * sotto_census_variance: the variance of every marginal after least squares, for a tree whose
 * nodes of a level are all alike.  Exact rationals; formulas in marginals.md.
 *
 * Attributes that some query groups are kept explicit, as D x D matrices; the others are
 * decoupled into components T, one matrix for each.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "census/exact/census_json_text.h"
#include "census/exact/census_rational_matrix.h"
#include "census/exact/census_variance_information.h"
#include "census/exact/census_variance_shape.h"
#include "core/base/failure.h"
#include "sotto/census.h"

enum { OUTPUT_MAX = 1 << 26 };

/* ---- variances ------------------------------------------------------------------------------ */

/* A marginal to report: what it does with each attribute, and its variance by place. */
struct marginal {
	struct sotto_variance_query query;
	mpq_t *variances; /* one for each place of the explicit axes */
	bool *infinite;
	bool *marked; /* work: the places of one cell */
};

/* How much of component T one cell of the marginal holds; 0 if T is not within it. */
static void component_share(const struct sotto_variance_shape *s,
			    const struct sotto_variance_query *q, unsigned t, mpq_t out)
{
	mpq_t n;

	mpq_init(n);
	mpq_set_ui(out, 1, 1);
	for (size_t i = 0; i < s->attribute_count; i++) {
		if (s->attributes[i].is_explicit)
			continue;
		if (t >> i & 1)
			mpq_set_ui(n,
				   q->parts[i] == SOTTO_VARIANCE_KEPT ? s->attributes[i].n - 1
								      : 0,
				   s->attributes[i].n);
		else if (q->parts[i] == SOTTO_VARIANCE_KEPT)
			mpq_set_ui(n, 1, s->attributes[i].n);
		else
			mpq_set_ui(n, s->attributes[i].n, 1);
		mpq_canonicalize(n);
		mpq_mul(out, out, n);
	}
	mpq_clear(n);
}

/* The first place that is in the same cell of the marginal: all of them have one variance. */
static size_t first_alike(const struct sotto_variance_shape *s,
			  const struct sotto_variance_query *q, size_t place)
{
	size_t first = 0;

	while (!sotto_variance_agree(s, q, place, first))
		first++;
	return first;
}

/* Adds what component T has to the variance of each cell of the marginal. */
static void add_component(const struct sotto_variance_shape *s, struct marginal *m, unsigned t,
			  const struct sotto_rational_inverse *known)
{
	mpq_t share, part;

	mpq_inits(share, part, NULL);
	component_share(s, &m->query, t, share);
	for (size_t i = 0; mpq_sgn(share) > 0 && i < s->dimension; i++) {
		if (first_alike(s, &m->query, i) < i)
			continue;
		for (size_t j = 0; j < s->dimension; j++)
			m->marked[j] = sotto_variance_agree(s, &m->query, i, j);
		m->infinite[i] |= !sotto_rational_inverse_form(known, m->marked, part);
		mpq_mul(part, part, share);
		mpq_add(m->variances[i], m->variances[i], part);
	}
	mpq_clears(share, part, NULL);
}

/* The exact limit that an invariant's tiny variance stands for: the simplest fraction near x. */
static void take_limit(mpq_t x)
{
	mpz_t n, d, whole, h, k, h1, k1, t;

	mpz_inits(n, d, whole, h, k, h1, k1, t, NULL);
	mpz_set(n, mpq_numref(x));
	mpz_set(d, mpq_denref(x));
	mpz_set_ui(h1, 1); /* convergents h/k */
	mpz_set_ui(k, 1);
	for (size_t i = 0; mpz_sgn(d) != 0; i++) {
		mpz_fdiv_qr(whole, t, n, d);
		if (i > 0 && mpz_sizeinbase(whole, 2) > SOTTO_VARIANCE_LIMIT_BITS / 3)
			break;
		mpz_swap(n, d);
		mpz_swap(d, t);
		mpz_set(t, h1);
		mpz_addmul(h, whole, h1);
		mpz_set(h1, h);
		mpz_set(h, t);
		mpz_set(t, k1);
		mpz_addmul(k, whole, k1);
		mpz_set(k1, k);
		mpz_set(k, t);
	}
	mpz_set(mpq_numref(x), h1);
	mpz_set(mpq_denref(x), k1);
	mpq_canonicalize(x);
	mpz_clears(n, d, whole, h, k, h1, k1, t, NULL);
}

static enum sotto_status put_variance(struct sotto_buffer *b,
				      const struct sotto_variance_shape *s, struct marginal *m,
				      size_t i, bool exact)
{
	if (m->infinite[i])
		return sotto_buffer_append_text(b, "null");
	if (s->has_invariants)
		take_limit(m->variances[i]);
	return sotto_json_put_number(b, m->variances[i], exact);
}

/* One number where all cells have the same variance, else one for each explicit category. */
static enum sotto_status put_marginal(struct sotto_buffer *b,
				      const struct sotto_variance_shape *s, struct marginal *m,
				      bool exact)
{
	bool same = true, first = true;

	for (size_t i = 1; i < s->dimension; i++)
		same &= m->infinite[i] == m->infinite[0] &&
			(m->infinite[0] || mpq_equal(m->variances[i], m->variances[0]));
	if (same)
		return put_variance(b, s, m, 0, exact);
	SOTTO_TRY(sotto_buffer_append_text(b, "["));
	for (size_t i = 0; i < s->dimension; i++) {
		bool repeated = false;

		for (size_t j = 0; j < i; j++)
			repeated |= sotto_variance_agree(s, &m->query, i, j);
		if (repeated)
			continue;
		if (!first)
			SOTTO_TRY(sotto_buffer_append_text(b, ", "));
		first = false;
		SOTTO_TRY(put_variance(b, s, m, i, exact));
	}
	return sotto_buffer_append_text(b, "]");
}

static enum sotto_status
measure_marginal(struct sotto_buffer *b, const struct sotto_variance_shape *s,
		 const struct sotto_variance_query *q,
		 const struct sotto_rational_inverse *known, bool exact)
{
	struct marginal m = {.query = *q,
			     .variances = malloc(s->dimension * sizeof *m.variances),
			     .infinite = calloc(2 * s->dimension, sizeof *m.infinite)};
	enum sotto_status st = m.variances && m.infinite ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; m.variances && i < s->dimension; i++)
		mpq_init(m.variances[i]);
	m.marked = m.infinite ? m.infinite + s->dimension : NULL;
	for (unsigned t = 0; st == SOTTO_OK && t < 1u << s->attribute_count; t++)
		if (known[t].where)
			add_component(s, &m, t, &known[t]);
	for (size_t i = 0; st == SOTTO_OK && i < s->dimension; i++) {
		size_t first = first_alike(s, q, i);

		mpq_set(m.variances[i], m.variances[first]);
		m.infinite[i] = m.infinite[first];
	}
	if (st == SOTTO_OK)
		st = put_marginal(b, s, &m, exact);
	for (size_t i = 0; m.variances && i < s->dimension; i++)
		mpq_clear(m.variances[i]);
	free(m.variances);
	free(m.infinite);
	return st;
}

static enum sotto_status
put_name(struct sotto_buffer *b, const struct sotto_variance_shape *s, unsigned kept)
{
	char name[1024] = "";
	size_t n = 0;

	for (size_t i = 0; i < s->attribute_count && n < sizeof name; i++)
		if (kept >> i & 1)
			n += (size_t)snprintf(name + n, sizeof name - n, "%s%s", n ? "*" : "",
					      s->attributes[i].name);
	SOTTO_TRY(sotto_json_put_text(b, n ? name : "total"));
	return sotto_buffer_append_text(b, ": ");
}

/* The information of one level in component T. */
static void level_information(const struct sotto_variance_shape *s, size_t level,
			      const struct sotto_variance_informations *m,
			      struct sotto_rational_matrix *out)
{
	mpq_t share;

	sotto_rational_matrix_copy(out, &m->outer[level]);
	if (level + 1 == s->level_count)
		return;
	mpq_init(share);
	mpq_set_ui(share, 1, s->levels[level + 1].children);
	sotto_rational_matrix_add(out, &m->up[level + 1], share);
	mpq_clear(share);
}

/* What is known of a node of each level, in component T; by level, then by T. */
static enum sotto_status know_component(const struct sotto_variance_shape *s, unsigned t,
					struct sotto_rational_inverse *known)
{
	struct sotto_variance_informations m;
	struct sotto_rational_matrix information = {0};
	enum sotto_status st = sotto_variance_informations_init(&m, s);

	if (st == SOTTO_OK)
		st = sotto_variance_informations_set(&m, s, t);
	if (st == SOTTO_OK)
		st = sotto_rational_matrix_init(&information, s->dimension, s->dimension);
	for (size_t l = 0; st == SOTTO_OK && l < s->level_count; l++) {
		level_information(s, l, &m, &information);
		st = sotto_rational_inverse_init(&known[(l << s->attribute_count) + t],
						 &information);
	}
	sotto_rational_matrix_release(&information);
	sotto_variance_informations_release(&m, s);
	return st;
}

/* Component T is one of the attributes that are not explicit. */
static enum sotto_status
know_all(const struct sotto_variance_shape *s, struct sotto_rational_inverse *known)
{
	for (unsigned t = 0; t < 1u << s->attribute_count; t++) {
		bool regular = true;

		for (size_t i = 0; i < s->attribute_count; i++)
			regular &= !(t >> i & 1 && s->attributes[i].is_explicit);
		if (regular)
			SOTTO_TRY(know_component(s, t, known));
	}
	return SOTTO_OK;
}

static enum sotto_status put_grouped(struct sotto_buffer *b,
				     const struct sotto_variance_shape *s,
				     const struct sotto_rational_inverse *known, bool exact)
{
	for (size_t l = 0; l < s->level_count; l++)
		for (size_t j = 0; j < s->levels[l].query_count; j++) {
			const struct sotto_variance_query *q = &s->levels[l].queries[j];
			bool fresh = memchr(q->parts, SOTTO_VARIANCE_GROUPED,
					    sizeof q->parts) != NULL;

			for (size_t k = 0; k <= l; k++)
				for (size_t i = 0; i < (k < l ? s->levels[k].query_count : j);
				     i++)
					fresh &= strcmp(s->levels[k].queries[i].name,
							q->name) != 0;
			if (!fresh)
				continue;
			SOTTO_TRY(sotto_buffer_append_text(b, ", "));
			SOTTO_TRY(sotto_json_put_text(b, q->name));
			SOTTO_TRY(sotto_buffer_append_text(b, ": "));
			SOTTO_TRY(measure_marginal(b, s, q, known, exact));
		}
	return SOTTO_OK;
}

static enum sotto_status put_marginals(struct sotto_buffer *b,
				       const struct sotto_variance_shape *s,
				       const struct sotto_rational_inverse *known, bool exact)
{
	struct sotto_variance_query q = {.name = NULL};

	SOTTO_TRY(sotto_buffer_append_text(b, "{"));
	for (unsigned kept = 0; kept < 1u << s->attribute_count; kept++) {
		for (size_t i = 0; i < s->attribute_count; i++)
			q.parts[i] =
				kept >> i & 1 ? SOTTO_VARIANCE_KEPT : SOTTO_VARIANCE_SUMMED;
		SOTTO_TRY(put_name(b, s, kept));
		SOTTO_TRY(measure_marginal(b, s, &q, known, exact));
		SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	}
	SOTTO_TRY(sotto_buffer_append_text(b, "\"cell\": "));
	SOTTO_TRY(measure_marginal(b, s, &q, known, exact));
	SOTTO_TRY(put_grouped(b, s, known, exact));
	return sotto_buffer_append_text(b, "}");
}

static enum sotto_status
put_levels(struct sotto_buffer *b, const struct sotto_variance_shape *s, bool exact)
{
	size_t n = s->level_count << s->attribute_count;
	struct sotto_rational_inverse *known = calloc(n, sizeof *known);
	enum sotto_status st = known ? know_all(s, known) : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(b, "{\"levels\": [\n");
	for (size_t l = 0; st == SOTTO_OK && l < s->level_count; l++) {
		st = put_marginals(b, s, known + (l << s->attribute_count), exact);
		if (st == SOTTO_OK)
			st = sotto_buffer_append_text(b,
						      l + 1 < s->level_count ? ",\n" : "]}\n");
	}
	for (size_t i = 0; known && i < n; i++)
		sotto_rational_inverse_release(&known[i]);
	free(known);
	return st;
}

enum sotto_status
sotto_census_variance(const char *json, bool exact, char **out, struct sotto_error *err)
{
	struct sotto_variance_shape *s = calloc(1, sizeof *s);
	struct sotto_buffer b;
	json_t *root = NULL;
	enum sotto_status st = s ? sotto_json_load(json, &root, err) : SOTTO_ENOMEM;

	sotto_buffer_init(&b, OUTPUT_MAX);
	if (st == SOTTO_OK)
		st = sotto_variance_shape_read(s, root, err);
	if (st == SOTTO_OK)
		st = put_levels(&b, s, exact);
	if (s)
		sotto_variance_shape_release(s);
	free(s);
	json_decref(root);
	return sotto_json_finish(&b, st, out);
}
