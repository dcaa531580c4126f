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
#include "core/base/failure.h"
#include "sotto/census.h"

enum {
	ATTRIBUTES_MAX = 10,
	CATEGORIES_MAX = 1000000,
	EXPLICIT_MAX = 64, /* product of the categories of grouped attributes */
	LEVELS_MAX = 16,
	QUERIES_MAX = 64,
	GROUPINGS_MAX = 32,
	OUTPUT_MAX = 1 << 26,
	LIMIT_BITS = 2048, /* an invariant is the limit of a variance 2^-LIMIT_BITS */
};

enum part { SUMMED, KEPT, GROUPED };

struct attribute {
	const char *name;
	unsigned long n;
	bool is_explicit;
};

/* What a query does with each attribute. */
struct query {
	enum part parts[ATTRIBUTES_MAX];
	const size_t *groups[ATTRIBUTES_MAX]; /* group of each category, where GROUPED */
	mpq_t weight;
	const char *name;
};

struct grouping {
	const char *name;
	size_t *groups[ATTRIBUTES_MAX]; /* NULL: not grouped */
};

struct level {
	unsigned long children; /* how many of this level a node above has */
	struct query queries[QUERIES_MAX];
	size_t query_count;
};

struct shape {
	struct attribute attributes[ATTRIBUTES_MAX];
	size_t attribute_count;
	struct grouping groupings[GROUPINGS_MAX];
	size_t grouping_count;
	struct level *levels;
	size_t level_count;
	size_t dimension; /* product of the explicit attributes' categories */
	bool has_invariants;
};

static void shape_release(struct shape *s)
{
	for (size_t g = 0; g < s->grouping_count; g++)
		for (size_t i = 0; i < ATTRIBUTES_MAX; i++)
			free(s->groupings[g].groups[i]);
	for (size_t l = 0; s->levels && l < s->level_count; l++)
		for (size_t q = 0; q < s->levels[l].query_count; q++)
			mpq_clear(s->levels[l].queries[q].weight);
	free(s->levels);
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool find_attribute(const struct shape *s, const char *name, size_t length, size_t *out)
{
	for (size_t i = 0; i < s->attribute_count; i++)
		if (strlen(s->attributes[i].name) == length &&
		    memcmp(s->attributes[i].name, name, length) == 0) {
			*out = i;
			return true;
		}
	return false;
}

static enum sotto_status read_attributes(struct shape *s, json_t *list, struct sotto_error *err)
{
	static const char *const keys[] = {"name", "categories", NULL};

	if (!json_is_array(list) || json_array_size(list) == 0 ||
	    json_array_size(list) > ATTRIBUTES_MAX)
		return sotto_fail(err, SOTTO_EPARSE,
				  "attributes must be a list of 1 to %d attributes",
				  ATTRIBUTES_MAX);
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *source = json_array_get(list, i);
		const char *name;
		json_int_t n;
		size_t other;
		char path[40];

		(void)snprintf(path, sizeof path, "attributes[%zu]", i);
		SOTTO_TRY(sotto_json_keys(source, path, keys, err));
		name = json_string_value(json_object_get(source, "name"));
		n = json_integer_value(json_object_get(source, "categories"));
		if (!name || !*name || strchr(name, '*') || strcmp(name, "total") == 0 ||
		    strcmp(name, "detailed") == 0 || strcmp(name, "cell") == 0)
			return sotto_fail(
				err, SOTTO_EPARSE,
				"%s: \"name\" must be a text other than total, detailed "
				"and cell, without *",
				path);
		if (n < 1 || n > CATEGORIES_MAX)
			return sotto_fail(
				err, SOTTO_EPARSE,
				"%s: \"categories\" must be a whole number from 1 to %d", path,
				CATEGORIES_MAX);
		if (find_attribute(s, name, strlen(name), &other))
			return sotto_fail(err, SOTTO_EPARSE, "%s: %.100s is there twice", path,
					  name);
		s->attributes[s->attribute_count++] =
			(struct attribute){.name = name, .n = (unsigned long)n};
	}
	return SOTTO_OK;
}

/* A list of groups must hold every category once: [[0], [1, 2]]. */
static enum sotto_status read_partition(json_t *list, size_t n, size_t *groups,
					const char *path, struct sotto_error *err)
{
	for (size_t i = 0; i < n; i++)
		groups[i] = SIZE_MAX;
	if (!json_is_array(list))
		return sotto_fail(err, SOTTO_EPARSE, "%s must be a list of groups", path);
	for (size_t g = 0; g < json_array_size(list); g++) {
		json_t *group = json_array_get(list, g);

		if (!json_is_array(group) || json_array_size(group) == 0)
			return sotto_fail(err, SOTTO_EPARSE,
					  "%s: each group must be a list of category numbers",
					  path);
		for (size_t k = 0; k < json_array_size(group); k++) {
			json_int_t at = json_integer_value(json_array_get(group, k));

			if (!json_is_integer(json_array_get(group, k)) || at < 0 ||
			    (size_t)at >= n)
				return sotto_fail(err, SOTTO_EPARSE,
						  "%s: categories are numbered 0 to %zu", path,
						  n - 1);
			if (groups[at] != SIZE_MAX)
				return sotto_fail(
					err, SOTTO_EPARSE,
					"%s: category %d is in two groups; groups must "
					"not overlap",
					path, (int)at);
			groups[at] = g;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (groups[i] == SIZE_MAX)
			return sotto_fail(err, SOTTO_EPARSE,
					  "%s: category %zu is in no group; a query must count "
					  "everybody once",
					  path, i);
	return SOTTO_OK;
}

static enum sotto_status
read_grouping(struct shape *s, const char *name, json_t *source, struct sotto_error *err)
{
	struct grouping *g = &s->groupings[s->grouping_count];
	size_t i;
	char path[300];

	if (s->grouping_count == GROUPINGS_MAX || !json_is_object(source) ||
	    json_object_size(source) == 0)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"groupings.%.100s must be an object of attributes (at most %d "
			"groupings)",
			name, GROUPINGS_MAX);
	if (strchr(name, '*') || find_attribute(s, name, strlen(name), &i) ||
	    strcmp(name, "total") == 0 || strcmp(name, "detailed") == 0)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"groupings.%.100s: the name means something else; choose another",
			name);
	*g = (struct grouping){.name = name};
	s->grouping_count++;
	for (void *at = json_object_iter(source); at; at = json_object_iter_next(source, at)) {
		const char *key = json_object_iter_key(at);

		(void)snprintf(path, sizeof path, "groupings.%.100s.%.100s", name, key);
		if (!find_attribute(s, key, strlen(key), &i))
			return sotto_fail(err, SOTTO_EPARSE, "%s: there is no such attribute",
					  path);
		g->groups[i] = malloc(s->attributes[i].n * sizeof *g->groups[i]);
		if (!g->groups[i])
			return SOTTO_ENOMEM;
		SOTTO_TRY(read_partition(json_object_iter_value(at), s->attributes[i].n,
					 g->groups[i], path, err));
	}
	return SOTTO_OK;
}

static enum sotto_status
read_groupings(struct shape *s, json_t *source, struct sotto_error *err)
{
	if (!source)
		return SOTTO_OK;
	if (!json_is_object(source))
		return sotto_fail(err, SOTTO_EPARSE, "groupings must be an object");
	for (void *at = json_object_iter(source); at; at = json_object_iter_next(source, at))
		SOTTO_TRY(read_grouping(s, json_object_iter_key(at), json_object_iter_value(at),
					err));
	return SOTTO_OK;
}

static enum sotto_status set_part(struct query *q, size_t i, enum part part,
				  const size_t *groups, const char *path,
				  struct sotto_error *err)
{
	if (q->parts[i] != SUMMED)
		return sotto_fail(err, SOTTO_EPARSE, "%.300s names one attribute twice", path);
	q->parts[i] = part;
	q->groups[i] = groups;
	return SOTTO_OK;
}

/* One factor of "A*g2": an attribute or a grouping. */
static enum sotto_status add_factor(const struct shape *s, struct query *q, const char *name,
				    size_t length, const char *path, struct sotto_error *err)
{
	size_t i;

	if (find_attribute(s, name, length, &i))
		return set_part(q, i, KEPT, NULL, path, err);
	for (size_t g = 0; g < s->grouping_count; g++)
		if (strlen(s->groupings[g].name) == length &&
		    memcmp(s->groupings[g].name, name, length) == 0) {
			for (i = 0; i < s->attribute_count; i++)
				if (s->groupings[g].groups[i])
					SOTTO_TRY(set_part(q, i, GROUPED,
							   s->groupings[g].groups[i], path,
							   err));
			return SOTTO_OK;
		}
	return sotto_fail(err, SOTTO_EPARSE,
			  "%.200s: \"%.*s\" is neither an attribute nor a "
			  "grouping",
			  path, (int)(length < 60 ? length : 60), name);
}

static enum sotto_status
parse_query(const struct shape *s, struct query *q, const char *path, struct sotto_error *err)
{
	const char *at = q->name;

	for (size_t i = 0; strcmp(at, "detailed") == 0 && i < s->attribute_count; i++)
		q->parts[i] = KEPT;
	while (strcmp(q->name, "total") != 0 && strcmp(q->name, "detailed") != 0) {
		size_t length = strcspn(at, "*");

		SOTTO_TRY(add_factor(s, q, at, length, path, err));
		if (!at[length])
			break;
		at += length + 1;
	}
	return SOTTO_OK;
}

static enum sotto_status read_query(struct shape *s, struct level *level, const char *name,
				    const json_t *variance, const char *path,
				    struct sotto_error *err)
{
	struct query *q = &level->queries[level->query_count];

	if (level->query_count == QUERIES_MAX)
		return sotto_fail(err, SOTTO_EPARSE, "%s: more than %d queries", path,
				  QUERIES_MAX);
	*q = (struct query){.name = name};
	mpq_init(q->weight);
	level->query_count++;
	SOTTO_TRY(parse_query(s, q, path, err));
	SOTTO_TRY(sotto_json_number(variance, path, q->weight, err));
	if (mpq_sgn(q->weight) < 0)
		return sotto_fail(err, SOTTO_EPARSE, "%.300s: a variance must not be negative",
				  path);
	if (mpq_sgn(q->weight) > 0) {
		mpq_inv(q->weight, q->weight);
	} else {
		s->has_invariants = true;
		mpq_set_ui(q->weight, 1, 1);
		mpq_mul_2exp(q->weight, q->weight, LIMIT_BITS);
	}
	for (size_t i = 0; i < s->attribute_count; i++)
		s->attributes[i].is_explicit |= q->parts[i] == GROUPED;
	return SOTTO_OK;
}

static enum sotto_status
read_level(struct shape *s, size_t l, json_t *source, struct sotto_error *err)
{
	static const char *const keys[] = {"children", "queries", NULL};
	struct level *level = &s->levels[l];
	json_t *queries;
	json_int_t children = 1;
	char path[300];

	(void)snprintf(path, sizeof path, "levels[%zu]", l);
	SOTTO_TRY(sotto_json_keys(source, path, keys, err));
	if (l > 0 || json_object_get(source, "children"))
		children = json_integer_value(json_object_get(source, "children"));
	if (children < 1 || (l == 0 && children != 1))
		return sotto_fail(err, SOTTO_EPARSE,
				  "%s: \"children\" must be a whole number from 1 on (1 or "
				  "missing at the first level)",
				  path);
	level->children = (unsigned long)children;
	queries = json_object_get(source, "queries");
	if (queries && !json_is_object(queries))
		return sotto_fail(err, SOTTO_EPARSE, "%s.queries must be an object", path);
	for (void *at = json_object_iter(queries); at;
	     at = json_object_iter_next(queries, at)) {
		(void)snprintf(path, sizeof path, "levels[%zu].queries.%.200s", l,
			       json_object_iter_key(at));
		SOTTO_TRY(read_query(s, level, json_object_iter_key(at),
				     json_object_iter_value(at), path, err));
	}
	return SOTTO_OK;
}

static enum sotto_status read_shape(struct shape *s, json_t *root, struct sotto_error *err)
{
	static const char *const keys[] = {"attributes", "groupings", "levels", NULL};
	json_t *levels;

	SOTTO_TRY(sotto_json_keys(root, "the input", keys, err));
	SOTTO_TRY(read_attributes(s, json_object_get(root, "attributes"), err));
	SOTTO_TRY(read_groupings(s, json_object_get(root, "groupings"), err));
	levels = json_object_get(root, "levels");
	if (!json_is_array(levels) || json_array_size(levels) == 0 ||
	    json_array_size(levels) > LEVELS_MAX)
		return sotto_fail(err, SOTTO_EPARSE, "levels must be a list of 1 to %d levels",
				  LEVELS_MAX);
	s->levels = calloc(json_array_size(levels), sizeof *s->levels);
	if (!s->levels)
		return SOTTO_ENOMEM;
	s->level_count = json_array_size(levels);
	for (size_t l = 0; l < s->level_count; l++)
		SOTTO_TRY(read_level(s, l, json_array_get(levels, l), err));
	s->dimension = 1;
	for (size_t i = 0; i < s->attribute_count; i++)
		if (s->attributes[i].is_explicit)
			s->dimension *= s->attributes[i].n;
	if (s->dimension > EXPLICIT_MAX)
		return sotto_fail(err, SOTTO_EPARSE,
				  "grouped attributes have more than %d categories together",
				  EXPLICIT_MAX);
	return SOTTO_OK;
}

/* ---- information --------------------------------------------------------------------------- */

/* Category of an explicit attribute in a place of the explicit axes. */
static size_t category(const struct shape *s, size_t place, size_t attribute)
{
	for (size_t i = s->attribute_count; i-- > attribute + 1;)
		if (s->attributes[i].is_explicit)
			place /= s->attributes[i].n;
	return place % s->attributes[attribute].n;
}

/* Do two places fall into one cell of the query? */
static bool agree(const struct shape *s, const struct query *q, size_t a, size_t b)
{
	for (size_t i = 0; i < s->attribute_count; i++) {
		size_t one, other;

		if (!s->attributes[i].is_explicit || q->parts[i] == SUMMED)
			continue;
		one = category(s, a, i);
		other = category(s, b, i);
		if (q->parts[i] == KEPT ? one != other
					: q->groups[i][one] != q->groups[i][other])
			return false;
	}
	return true;
}

/* P_T of a level: sum over the queries that keep all of T. */
static void add_level(const struct shape *s, const struct level *level, unsigned t,
		      struct sotto_rational_matrix *p)
{
	mpq_t weight, n;

	mpq_inits(weight, n, NULL);
	for (size_t j = 0; j < level->query_count; j++) {
		const struct query *q = &level->queries[j];
		bool covers = true;

		mpq_set(weight, q->weight);
		for (size_t i = 0; i < s->attribute_count; i++) {
			if (s->attributes[i].is_explicit)
				continue;
			if (q->parts[i] == KEPT)
				continue;
			covers &= !(t >> i & 1);
			mpq_set_ui(n, s->attributes[i].n, 1);
			mpq_mul(weight, weight, n);
		}
		for (size_t a = 0; covers && a < s->dimension; a++)
			for (size_t b = 0; b < s->dimension; b++)
				if (agree(s, q, a, b))
					mpq_add(sotto_rational_at(p, a, b),
						sotto_rational_at(p, a, b), weight);
	}
	mpq_clears(weight, n, NULL);
}

/*
 * Information on a node of each level in component T.  up[l] comes from the node and what
 * is below it, outer[l] from the node, its siblings and what is above; what is known in all
 * is outer[l] + up[l+1]/children.
 */
struct informations {
	struct sotto_rational_matrix up[LEVELS_MAX], outer[LEVELS_MAX];
};

static enum sotto_status informations_init(struct informations *m, const struct shape *s)
{
	memset(m, 0, sizeof *m);
	for (size_t l = 0; l < s->level_count; l++) {
		SOTTO_TRY(sotto_rational_matrix_init(&m->up[l], s->dimension, s->dimension));
		SOTTO_TRY(sotto_rational_matrix_init(&m->outer[l], s->dimension, s->dimension));
	}
	return SOTTO_OK;
}

static void informations_release(struct informations *m, const struct shape *s)
{
	for (size_t l = 0; l < s->level_count; l++) {
		sotto_rational_matrix_release(&m->up[l]);
		sotto_rational_matrix_release(&m->outer[l]);
	}
}

static enum sotto_status
informations_set(struct informations *m, const struct shape *s, unsigned t)
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

/* ---- variances ------------------------------------------------------------------------------ */

/* A marginal to report: what it does with each attribute, and its variance by place. */
struct marginal {
	struct query query;
	mpq_t *variances; /* one for each place of the explicit axes */
	bool *infinite;
};

/* f' I^- f, where f marks the places that agree with `place`.  False: not determined. */
static enum sotto_status functional(const struct shape *s, const struct query *q, size_t place,
				    const struct sotto_rational_matrix *information, mpq_t out,
				    bool *determined)
{
	struct sotto_rational_matrix a = {0}, f = {0};
	enum sotto_status st = sotto_rational_matrix_init(&a, s->dimension, s->dimension);

	if (st == SOTTO_OK)
		st = sotto_rational_matrix_init(&f, s->dimension, 1);
	if (st == SOTTO_OK) {
		sotto_rational_matrix_copy(&a, information);
		for (size_t i = 0; i < s->dimension; i++)
			mpq_set_ui(sotto_rational_at(&f, i, 0), agree(s, q, place, i), 1);
		*determined = sotto_rational_matrix_solve(&a, &f);
		mpq_set_ui(out, 0, 1);
		for (size_t i = 0; *determined && i < s->dimension; i++)
			if (agree(s, q, place, i))
				mpq_add(out, out, sotto_rational_at(&f, i, 0));
	}
	sotto_rational_matrix_release(&a);
	sotto_rational_matrix_release(&f);
	return st;
}

/* How much of component T one cell of the marginal holds; 0 if T is not within it. */
static void component_share(const struct shape *s, const struct query *q, unsigned t, mpq_t out)
{
	mpq_t n;

	mpq_init(n);
	mpq_set_ui(out, 1, 1);
	for (size_t i = 0; i < s->attribute_count; i++) {
		if (s->attributes[i].is_explicit)
			continue;
		if (t >> i & 1)
			mpq_set_ui(n, q->parts[i] == KEPT ? s->attributes[i].n - 1 : 0,
				   s->attributes[i].n);
		else if (q->parts[i] == KEPT)
			mpq_set_ui(n, 1, s->attributes[i].n);
		else
			mpq_set_ui(n, s->attributes[i].n, 1);
		mpq_canonicalize(n);
		mpq_mul(out, out, n);
	}
	mpq_clear(n);
}

static enum sotto_status add_component(const struct shape *s, struct marginal *m, unsigned t,
				       const struct sotto_rational_matrix *information)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t share, part;

	mpq_inits(share, part, NULL);
	component_share(s, &m->query, t, share);
	for (size_t i = 0; st == SOTTO_OK && mpq_sgn(share) > 0 && i < s->dimension; i++) {
		bool determined = false;

		st = functional(s, &m->query, i, information, part, &determined);
		mpq_mul(part, part, share);
		mpq_add(m->variances[i], m->variances[i], part);
		m->infinite[i] |= !determined;
	}
	mpq_clears(share, part, NULL);
	return st;
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
		if (i > 0 && mpz_sizeinbase(whole, 2) > LIMIT_BITS / 3)
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

static enum sotto_status put_variance(struct sotto_buffer *b, const struct shape *s,
				      struct marginal *m, size_t i, bool exact)
{
	if (m->infinite[i])
		return sotto_buffer_append_text(b, "null");
	if (s->has_invariants)
		take_limit(m->variances[i]);
	return sotto_json_put_number(b, m->variances[i], exact);
}

/* One number where all cells have the same variance, else one for each explicit category. */
static enum sotto_status
put_marginal(struct sotto_buffer *b, const struct shape *s, struct marginal *m, bool exact)
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
			repeated |= agree(s, &m->query, i, j);
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
measure_marginal(struct sotto_buffer *b, const struct shape *s, const struct query *q,
		 const struct sotto_rational_matrix *informations, bool exact)
{
	struct marginal m = {.query = *q,
			     .variances = malloc(s->dimension * sizeof *m.variances),
			     .infinite = calloc(s->dimension, sizeof *m.infinite)};
	enum sotto_status st = m.variances && m.infinite ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; m.variances && i < s->dimension; i++)
		mpq_init(m.variances[i]);
	for (unsigned t = 0; st == SOTTO_OK && t < 1u << s->attribute_count; t++)
		if (informations[t].cells)
			st = add_component(s, &m, t, &informations[t]);
	if (st == SOTTO_OK)
		st = put_marginal(b, s, &m, exact);
	for (size_t i = 0; m.variances && i < s->dimension; i++)
		mpq_clear(m.variances[i]);
	free(m.variances);
	free(m.infinite);
	return st;
}

static enum sotto_status put_name(struct sotto_buffer *b, const struct shape *s, unsigned kept)
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

/* The information of one level in every component T of the attributes that are not explicit. */
static enum sotto_status
level_informations(const struct shape *s, size_t level, struct sotto_rational_matrix *out)
{
	enum sotto_status st = SOTTO_OK;
	struct informations m;
	mpq_t share;

	mpq_init(share);
	for (unsigned t = 0; st == SOTTO_OK && t < 1u << s->attribute_count; t++) {
		bool regular = true;

		for (size_t i = 0; i < s->attribute_count; i++)
			regular &= !(t >> i & 1 && s->attributes[i].is_explicit);
		if (!regular)
			continue;
		st = informations_init(&m, s);
		if (st == SOTTO_OK)
			st = informations_set(&m, s, t);
		if (st == SOTTO_OK)
			st = sotto_rational_matrix_init(&out[t], s->dimension, s->dimension);
		if (st == SOTTO_OK) {
			sotto_rational_matrix_copy(&out[t], &m.outer[level]);
			if (level + 1 < s->level_count) {
				mpq_set_ui(share, 1, s->levels[level + 1].children);
				sotto_rational_matrix_add(&out[t], &m.up[level + 1], share);
			}
		}
		informations_release(&m, s);
	}
	mpq_clear(share);
	return st;
}

static enum sotto_status put_grouped(struct sotto_buffer *b, const struct shape *s,
				     const struct sotto_rational_matrix *informations,
				     bool exact)
{
	for (size_t l = 0; l < s->level_count; l++)
		for (size_t j = 0; j < s->levels[l].query_count; j++) {
			const struct query *q = &s->levels[l].queries[j];
			bool fresh = memchr(q->parts, GROUPED, sizeof q->parts) != NULL;

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
			SOTTO_TRY(measure_marginal(b, s, q, informations, exact));
		}
	return SOTTO_OK;
}

static enum sotto_status put_marginals(struct sotto_buffer *b, const struct shape *s,
				       const struct sotto_rational_matrix *informations,
				       bool exact)
{
	struct query q = {.name = NULL};

	SOTTO_TRY(sotto_buffer_append_text(b, "{"));
	for (unsigned kept = 0; kept < 1u << s->attribute_count; kept++) {
		for (size_t i = 0; i < s->attribute_count; i++)
			q.parts[i] = kept >> i & 1 ? KEPT : SUMMED;
		SOTTO_TRY(put_name(b, s, kept));
		SOTTO_TRY(measure_marginal(b, s, &q, informations, exact));
		SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	}
	SOTTO_TRY(sotto_buffer_append_text(b, "\"cell\": "));
	SOTTO_TRY(measure_marginal(b, s, &q, informations, exact));
	SOTTO_TRY(put_grouped(b, s, informations, exact));
	return sotto_buffer_append_text(b, "}");
}

static enum sotto_status
put_level(struct sotto_buffer *b, const struct shape *s, size_t level, bool exact)
{
	struct sotto_rational_matrix *informations =
		calloc((size_t)1 << s->attribute_count, sizeof *informations);
	enum sotto_status st =
		informations ? level_informations(s, level, informations) : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		st = put_marginals(b, s, informations, exact);
	for (size_t t = 0; informations && t < (size_t)1 << s->attribute_count; t++)
		sotto_rational_matrix_release(&informations[t]);
	free(informations);
	return st;
}

static enum sotto_status put_levels(struct sotto_buffer *b, const struct shape *s, bool exact)
{
	SOTTO_TRY(sotto_buffer_append_text(b, "{\"levels\": [\n"));
	for (size_t l = 0; l < s->level_count; l++) {
		SOTTO_TRY(put_level(b, s, l, exact));
		SOTTO_TRY(sotto_buffer_append_text(b, l + 1 < s->level_count ? ",\n" : "]}\n"));
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_census_variance(const char *json, bool exact, char **out, struct sotto_error *err)
{
	struct shape *s = calloc(1, sizeof *s);
	struct sotto_buffer b;
	json_t *root = NULL;
	enum sotto_status st = s ? sotto_json_load(json, &root, err) : SOTTO_ENOMEM;

	sotto_buffer_init(&b, OUTPUT_MAX);
	if (st == SOTTO_OK)
		st = read_shape(s, root, err);
	if (st == SOTTO_OK)
		st = put_levels(&b, s, exact);
	if (s)
		shape_release(s);
	free(s);
	json_decref(root);
	return sotto_json_finish(&b, st, out);
}
