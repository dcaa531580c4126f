/*
 * Reads the JSON key by key and refuses anything that it does not know; a query is a product of
 * names, each an attribute or a grouping.
 */
#include "census/exact/census_variance_shape.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census/exact/census_json_text.h"
#include "core/base/failure.h"

enum {
	CATEGORIES_MAX = 1000000,
	EXPLICIT_MAX = 64, /* product of the categories of grouped attributes */
};

void sotto_variance_shape_release(struct sotto_variance_shape *s)
{
	for (size_t g = 0; g < s->grouping_count; g++)
		for (size_t i = 0; i < SOTTO_VARIANCE_ATTRIBUTES_MAX; i++)
			free(s->groupings[g].groups[i]);
	for (size_t l = 0; s->levels && l < s->level_count; l++)
		for (size_t q = 0; q < s->levels[l].query_count; q++)
			mpq_clear(s->levels[l].queries[q].weight);
	free(s->levels);
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool find_attribute(const struct sotto_variance_shape *s, const char *name,
			   size_t length, size_t *out)
{
	for (size_t i = 0; i < s->attribute_count; i++)
		if (strlen(s->attributes[i].name) == length &&
		    memcmp(s->attributes[i].name, name, length) == 0) {
			*out = i;
			return true;
		}
	return false;
}

static enum sotto_status
read_attributes(struct sotto_variance_shape *s, json_t *list, struct sotto_error *err)
{
	static const char *const keys[] = {"name", "categories", NULL};

	if (!json_is_array(list) || json_array_size(list) == 0 ||
	    json_array_size(list) > SOTTO_VARIANCE_ATTRIBUTES_MAX)
		return sotto_fail(err, SOTTO_EPARSE,
				  "attributes must be a list of 1 to %d attributes",
				  SOTTO_VARIANCE_ATTRIBUTES_MAX);
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
			return sotto_fail(err, SOTTO_EPARSE, "%s: %.100s is given twice", path,
					  name);
		s->attributes[s->attribute_count++] =
			(struct sotto_variance_attribute){.name = name, .n = (unsigned long)n};
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

static enum sotto_status read_grouping(struct sotto_variance_shape *s, const char *name,
				       json_t *source, struct sotto_error *err)
{
	struct sotto_variance_grouping *g = &s->groupings[s->grouping_count];
	size_t i;
	char path[300];

	if (s->grouping_count == SOTTO_VARIANCE_GROUPINGS_MAX || !json_is_object(source) ||
	    json_object_size(source) == 0)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"groupings.%.100s must be an object of attributes (at most %d "
			"groupings)",
			name, SOTTO_VARIANCE_GROUPINGS_MAX);
	if (strchr(name, '*') || find_attribute(s, name, strlen(name), &i) ||
	    strcmp(name, "total") == 0 || strcmp(name, "detailed") == 0)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"groupings.%.100s: the name means something else; choose another",
			name);
	*g = (struct sotto_variance_grouping){.name = name};
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
read_groupings(struct sotto_variance_shape *s, json_t *source, struct sotto_error *err)
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

static enum sotto_status set_part(struct sotto_variance_query *q, size_t i,
				  enum sotto_variance_part part, const size_t *groups,
				  const char *path, struct sotto_error *err)
{
	if (q->parts[i] != SOTTO_VARIANCE_SUMMED)
		return sotto_fail(err, SOTTO_EPARSE, "%.300s names one attribute twice", path);
	q->parts[i] = part;
	q->groups[i] = groups;
	return SOTTO_OK;
}

/* One factor of "A*g2": an attribute or a grouping. */
static enum sotto_status add_factor(const struct sotto_variance_shape *s,
				    struct sotto_variance_query *q, const char *name,
				    size_t length, const char *path, struct sotto_error *err)
{
	size_t i;

	if (find_attribute(s, name, length, &i))
		return set_part(q, i, SOTTO_VARIANCE_KEPT, NULL, path, err);
	for (size_t g = 0; g < s->grouping_count; g++)
		if (strlen(s->groupings[g].name) == length &&
		    memcmp(s->groupings[g].name, name, length) == 0) {
			for (i = 0; i < s->attribute_count; i++)
				if (s->groupings[g].groups[i])
					SOTTO_TRY(set_part(q, i, SOTTO_VARIANCE_GROUPED,
							   s->groupings[g].groups[i], path,
							   err));
			return SOTTO_OK;
		}
	return sotto_fail(err, SOTTO_EPARSE,
			  "%.200s: \"%.*s\" is neither an attribute nor a "
			  "grouping",
			  path, (int)(length < 60 ? length : 60), name);
}

static enum sotto_status parse_query(const struct sotto_variance_shape *s,
				     struct sotto_variance_query *q, const char *path,
				     struct sotto_error *err)
{
	const char *at = q->name;

	for (size_t i = 0; strcmp(at, "detailed") == 0 && i < s->attribute_count; i++)
		q->parts[i] = SOTTO_VARIANCE_KEPT;
	while (strcmp(q->name, "total") != 0 && strcmp(q->name, "detailed") != 0) {
		size_t length = strcspn(at, "*");

		SOTTO_TRY(add_factor(s, q, at, length, path, err));
		if (!at[length])
			break;
		at += length + 1;
	}
	return SOTTO_OK;
}

static enum sotto_status
read_query(struct sotto_variance_shape *s, struct sotto_variance_level *level, const char *name,
	   const json_t *variance, const char *path, struct sotto_error *err)
{
	struct sotto_variance_query *q = &level->queries[level->query_count];

	if (level->query_count == SOTTO_VARIANCE_QUERIES_MAX)
		return sotto_fail(err, SOTTO_EPARSE, "%s: more than %d queries", path,
				  SOTTO_VARIANCE_QUERIES_MAX);
	*q = (struct sotto_variance_query){.name = name};
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
		mpq_mul_2exp(q->weight, q->weight, SOTTO_VARIANCE_LIMIT_BITS);
	}
	for (size_t i = 0; i < s->attribute_count; i++)
		s->attributes[i].is_explicit |= q->parts[i] == SOTTO_VARIANCE_GROUPED;
	return SOTTO_OK;
}

static enum sotto_status
read_level(struct sotto_variance_shape *s, size_t l, json_t *source, struct sotto_error *err)
{
	static const char *const keys[] = {"children", "queries", NULL};
	struct sotto_variance_level *level = &s->levels[l];
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

enum sotto_status
sotto_variance_shape_read(struct sotto_variance_shape *s, json_t *root, struct sotto_error *err)
{
	static const char *const keys[] = {"attributes", "groupings", "levels", NULL};
	json_t *levels;

	SOTTO_TRY(sotto_json_keys(root, "the input", keys, err));
	SOTTO_TRY(read_attributes(s, json_object_get(root, "attributes"), err));
	SOTTO_TRY(read_groupings(s, json_object_get(root, "groupings"), err));
	levels = json_object_get(root, "levels");
	if (!json_is_array(levels) || json_array_size(levels) == 0 ||
	    json_array_size(levels) > SOTTO_VARIANCE_LEVELS_MAX)
		return sotto_fail(err, SOTTO_EPARSE, "levels must be a list of 1 to %d levels",
				  SOTTO_VARIANCE_LEVELS_MAX);
	s->levels = calloc(json_array_size(levels), sizeof *s->levels);
	if (!s->levels)
		return SOTTO_ENOMEM;
	s->level_count = json_array_size(levels);
	for (size_t l = 0; l < s->level_count; l++)
		SOTTO_TRY(read_level(s, l, json_array_get(levels, l), err));
	s->dimension = 1;
	for (size_t i = 0; i < s->attribute_count && s->dimension <= EXPLICIT_MAX; i++)
		if (s->attributes[i].is_explicit)
			s->dimension *= s->attributes[i].n;
	if (s->dimension > EXPLICIT_MAX)
		return sotto_fail(err, SOTTO_EPARSE,
				  "grouped attributes have more than %d categories together",
				  EXPLICIT_MAX);
	return SOTTO_OK;
}
