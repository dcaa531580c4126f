/* Queries by name: total, detailed, attributes, groupings, and products of them. */
#include <string.h>

#include "census/plan/census_query.h"
#include "core/base/checked.h"
#include "core/base/failure.h"

size_t sotto_census_level_find(const struct sotto_census_plan *p, const char *name)
{
	for (size_t i = 0; i < p->level_count; i++)
		if (strcmp(p->levels[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

size_t sotto_census_category_find(const struct sotto_census_attribute *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->categories[i], name) == 0)
			return i;
	return SIZE_MAX;
}

static bool is_word(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

static enum sotto_status set_part(struct sotto_census_query *q, size_t i,
				  enum sotto_census_part part, const uint32_t *groups,
				  uint32_t count, struct sotto_error *err)
{
	if (q->parts[i] != SOTTO_CENSUS_SUMMED)
		return sotto_fail(err, SOTTO_EPARSE,
				  "the query %.100s uses one attribute twice", q->name);
	q->parts[i] = part;
	q->groups[i] = groups;
	q->group_count[i] = count;
	return SOTTO_OK;
}

static enum sotto_status add_factor(const struct sotto_census_plan *p,
				    struct sotto_census_query *q, const char *text,
				    size_t length, struct sotto_error *err)
{
	for (size_t i = 0; i < p->attribute_count; i++)
		if (is_word(p->attributes[i].name, text, length))
			return set_part(q, i, SOTTO_CENSUS_KEPT, NULL,
					(uint32_t)p->attributes[i].n, err);
	for (size_t g = 0; g < p->grouping_count; g++) {
		const struct sotto_census_grouping *grouping = &p->groupings[g];

		if (!is_word(grouping->name, text, length))
			continue;
		for (size_t i = 0; i < p->attribute_count; i++)
			if (grouping->groups[i])
				SOTTO_TRY(set_part(q, i, SOTTO_CENSUS_GROUPED,
						   grouping->groups[i],
						   grouping->group_count[i], err));
		return SOTTO_OK;
	}
	return sotto_fail(err, SOTTO_EPARSE,
			  "\"%.*s\" in the query %.100s is neither an attribute nor defined "
			  "under queries",
			  (int)(length < 60 ? length : 60), text, q->name);
}

static enum sotto_status
parse(const struct sotto_census_plan *p, struct sotto_census_query *q, struct sotto_error *err)
{
	const char *at = q->name;

	if (strcmp(at, "total") == 0)
		return SOTTO_OK;
	if (strcmp(at, "detailed") == 0) {
		for (size_t i = 0; i < p->attribute_count; i++)
			SOTTO_TRY(set_part(q, i, SOTTO_CENSUS_KEPT, NULL,
					   (uint32_t)p->attributes[i].n, err));
		return SOTTO_OK;
	}
	for (;;) {
		size_t length = strcspn(at, "*");

		SOTTO_TRY(add_factor(p, q, at, length, err));
		if (!at[length])
			return SOTTO_OK;
		at += length + 1;
	}
}

enum sotto_status sotto_census_query_find(struct sotto_census_plan *p, const char *name,
					  size_t *out, struct sotto_error *err)
{
	struct sotto_census_query q = {.name = sotto_arena_text(&p->arena, name), .cells = 1};
	struct sotto_census_query *added;

	for (size_t i = 0; i < p->query_count; i++)
		if (strcmp(p->queries[i].name, name) == 0) {
			*out = i;
			return SOTTO_OK;
		}
	if (!q.name)
		return SOTTO_ENOMEM;
	SOTTO_TRY(parse(p, &q, err));
	for (size_t i = 0; i < p->attribute_count; i++)
		if (q.parts[i] != SOTTO_CENSUS_SUMMED &&
		    !sotto_checked_mul_size(q.cells, q.group_count[i], &q.cells))
			return sotto_fail(err, SOTTO_EPARSE,
					  "the query %.100s has too many cells", name);
	added = SOTTO_PUSH(&p->arena, p->queries, p->query_count);
	if (!added)
		return SOTTO_ENOMEM;
	*added = q;
	*out = p->query_count - 1;
	return SOTTO_OK;
}

bool sotto_census_query_uses(const struct sotto_census_query *q, size_t attribute)
{
	return q->parts[attribute] != SOTTO_CENSUS_SUMMED;
}

size_t sotto_census_query_cell(const struct sotto_census_plan *p,
			       const struct sotto_census_query *q, const uint32_t *categories)
{
	size_t cell = 0;

	for (size_t i = 0; i < p->attribute_count; i++)
		if (q->parts[i] == SOTTO_CENSUS_KEPT)
			cell = cell * q->group_count[i] + categories[i];
		else if (q->parts[i] == SOTTO_CENSUS_GROUPED)
			cell = cell * q->group_count[i] + q->groups[i][categories[i]];
	return cell;
}
