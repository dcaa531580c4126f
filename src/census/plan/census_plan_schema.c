/* The keys of a plan that describe tables: hierarchy, attributes, queries, structural_zeros. */
#include <stdio.h>
#include <string.h>

#include "census/plan/census_plan_read.h"
#include "census/plan/census_plan_item.h"
#include "census/plan/census_query.h"
#include "core/base/failure.h"

enum { CATEGORIES_MAX = 100000 };

/* ---- hierarchy ------------------------------------------------------------------------------ */

static enum sotto_status read_level_name(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "level", &((struct sotto_census_level *)target)->name);
}

static enum sotto_status
read_level_column(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "column",
			       &((struct sotto_census_level *)target)->column);
}

static enum sotto_status read_level(struct sotto_yaml *y, yaml_node_t *item, void *plan)
{
	static const struct sotto_yaml_field fields[] = {
		{"level", read_level_name}, {"column", read_level_column}, {NULL, NULL}};
	struct sotto_census_plan *p = plan;
	struct sotto_census_level level = {.name = NULL}, *added;

	SOTTO_TRY(sotto_yaml_fields(y, item, "a level", fields, &level));
	if (!level.name)
		return sotto_yaml_fail(y, item,
				       "a level needs a name: {level: State, column: st}");
	if (strchr(level.name, '/'))
		return sotto_yaml_fail(y, item, "a level's name must not hold a slash");
	if (p->level_count == 0 ? level.column != NULL : level.column == NULL)
		return sotto_yaml_fail(y, item,
				       "the first level is the whole and has no column; every "
				       "other level needs one");
	if (sotto_census_level_find(p, level.name) != SIZE_MAX)
		return sotto_yaml_fail(y, item, "the level %.60s is given twice", level.name);
	if (p->level_count == SOTTO_CENSUS_LEVELS_MAX - 1)
		return sotto_yaml_fail(y, item, "there are more than %d levels",
				       SOTTO_CENSUS_LEVELS_MAX - 1);
	added = SOTTO_PUSH(&p->arena, p->levels, p->level_count);
	if (!added)
		return SOTTO_ENOMEM;
	*added = level;
	return SOTTO_OK;
}

enum sotto_status
sotto_census_read_hierarchy(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_census_items(y, value, "hierarchy", read_level, plan);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static enum sotto_status
read_attribute_name(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "name",
			       &((struct sotto_census_attribute *)target)->name);
}

static enum sotto_status
read_attribute_column(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "column",
			       &((struct sotto_census_attribute *)target)->column);
}

static enum sotto_status read_category(struct sotto_yaml *y, yaml_node_t *item, void *target)
{
	struct sotto_census_attribute *a = target;
	const char *name, **added;

	SOTTO_TRY(sotto_yaml_text(y, item, "a category", &name));
	if (a->n < 1000 && sotto_census_category_find(a, name) != SIZE_MAX)
		return sotto_yaml_fail(y, item, "the category \"%.60s\" is given twice", name);
	added = SOTTO_PUSH(y->arena, a->categories, a->n);
	if (!added)
		return SOTTO_ENOMEM;
	*added = name;
	return SOTTO_OK;
}

/* A list of names, or a number of categories that are called 0, 1, 2, ... */
static enum sotto_status read_categories(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_census_attribute *a = target;
	int64_t n;

	if (value->type != YAML_SCALAR_NODE)
		return sotto_census_items(y, value, "categories", read_category, target);
	SOTTO_TRY(sotto_yaml_count(y, value, "categories", &n));
	if (n < 1 || n > CATEGORIES_MAX)
		return sotto_yaml_fail(y, value, "the number of categories is 1 to %d",
				       CATEGORIES_MAX);
	for (int64_t i = 0; i < n; i++) {
		const char **added = SOTTO_PUSH(y->arena, a->categories, a->n);

		if (!added)
			return SOTTO_ENOMEM;
		*added = sotto_arena_textf(y->arena, "%lld", (long long)i);
		if (!*added)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

static enum sotto_status read_attribute(struct sotto_yaml *y, yaml_node_t *item, void *plan)
{
	static const struct sotto_yaml_field fields[] = {{"name", read_attribute_name},
							 {"column", read_attribute_column},
							 {"categories", read_categories},
							 {NULL, NULL}};
	struct sotto_census_plan *p = plan;
	struct sotto_census_attribute a = {.name = NULL}, *added;

	SOTTO_TRY(sotto_yaml_fields(y, item, "an attribute", fields, &a));
	if (!a.name || a.n == 0)
		return sotto_yaml_fail(y, item, "an attribute needs a name and its categories");
	if (strchr(a.name, '*') || strcmp(a.name, "total") == 0 ||
	    strcmp(a.name, "detailed") == 0)
		return sotto_yaml_fail(
			y, item, "an attribute cannot be called total or detailed, nor hold *");
	for (size_t i = 0; i < p->attribute_count; i++)
		if (strcmp(p->attributes[i].name, a.name) == 0)
			return sotto_yaml_fail(y, item, "the attribute %.60s is given twice",
					       a.name);
	if (p->attribute_count == SOTTO_CENSUS_ATTRIBUTES_MAX)
		return sotto_yaml_fail(y, item, "there are more than %d attributes",
				       SOTTO_CENSUS_ATTRIBUTES_MAX);
	if (!a.column)
		a.column = a.name;
	added = SOTTO_PUSH(&p->arena, p->attributes, p->attribute_count);
	if (!added)
		return SOTTO_ENOMEM;
	*added = a;
	return SOTTO_OK;
}

enum sotto_status
sotto_census_read_attributes(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_census_items(y, value, "attributes", read_attribute, plan);
}

static size_t find_attribute(const struct sotto_census_plan *p, const char *name)
{
	for (size_t i = 0; i < p->attribute_count; i++)
		if (strcmp(p->attributes[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

/* ---- queries: named partitions ---------------------------------------------------------------- */

struct partition {
	const struct sotto_census_attribute *attribute;
	uint32_t *groups;
	uint32_t count;
};

static enum sotto_status read_member(struct sotto_yaml *y, yaml_node_t *item, void *target)
{
	struct partition *part = target;
	const char *name;
	size_t i;

	SOTTO_TRY(sotto_yaml_text(y, item, "a category", &name));
	i = sotto_census_category_find(part->attribute, name);
	if (i == SIZE_MAX)
		return sotto_yaml_fail(y, item, "%.60s has no category \"%.60s\"",
				       part->attribute->name, name);
	if (part->groups[i] != UINT32_MAX)
		return sotto_yaml_fail(
			y, item,
			"the category \"%.60s\" is in two groups; groups that overlap "
			"would count a person twice",
			name);
	part->groups[i] = part->count;
	return SOTTO_OK;
}

static enum sotto_status read_group(struct sotto_yaml *y, yaml_node_t *item, void *target)
{
	struct partition *part = target;

	SOTTO_TRY(sotto_census_items(y, item, "a group", read_member, part));
	if (item->data.sequence.items.top == item->data.sequence.items.start)
		return sotto_yaml_fail(y, item, "a group must not be empty");
	part->count++;
	return SOTTO_OK;
}

struct grouping_reader {
	struct sotto_census_plan *plan;
	struct sotto_census_grouping grouping;
};

static enum sotto_status read_partition(struct sotto_yaml *y, const char *name,
					yaml_node_t *key, yaml_node_t *value, void *target)
{
	struct grouping_reader *r = target;
	size_t at = find_attribute(r->plan, name);
	struct partition part;

	if (at == SIZE_MAX)
		return sotto_yaml_fail(y, key, "there is no attribute %.60s", name);
	part = (struct partition){.attribute = &r->plan->attributes[at]};
	part.groups =
		sotto_arena_alloc(&r->plan->arena, part.attribute->n * sizeof *part.groups);
	if (!part.groups)
		return SOTTO_ENOMEM;
	memset(part.groups, 0xff, part.attribute->n * sizeof *part.groups);
	SOTTO_TRY(sotto_census_items(y, value, "a partition", read_group, &part));
	for (size_t i = 0; i < part.attribute->n; i++)
		if (part.groups[i] == UINT32_MAX)
			return sotto_yaml_fail(
				y, value,
				"the category \"%.60s\" of %.60s is in no group; a "
				"query must count everybody exactly once",
				part.attribute->categories[i], name);
	r->grouping.groups[at] = part.groups;
	r->grouping.group_count[at] = part.count;
	return SOTTO_OK;
}

static enum sotto_status read_grouping(struct sotto_yaml *y, const char *name, yaml_node_t *key,
				       yaml_node_t *value, void *plan)
{
	struct grouping_reader r = {.plan = plan};
	struct sotto_census_grouping *added;

	if (strchr(name, '*') || strcmp(name, "total") == 0 || strcmp(name, "detailed") == 0 ||
	    find_attribute(r.plan, name) != SIZE_MAX)
		return sotto_yaml_fail(
			y, key, "the name %.60s means something else; choose another", name);
	r.grouping.name = sotto_arena_text(&r.plan->arena, name);
	if (!r.grouping.name)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_yaml_entries(y, value, "a query", read_partition, &r));
	added = SOTTO_PUSH(&r.plan->arena, r.plan->groupings, r.plan->grouping_count);
	if (!added)
		return SOTTO_ENOMEM;
	*added = r.grouping;
	return SOTTO_OK;
}

enum sotto_status
sotto_census_read_groupings(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_yaml_entries(y, value, "queries", read_grouping, plan);
}

/* ---- structural zeros -------------------------------------------------------------------------- */

struct zero_reader {
	struct sotto_census_plan *plan;
	struct sotto_census_zero *zero;
};

static enum sotto_status read_zero_part(struct sotto_yaml *y, const char *name,
					yaml_node_t *key, yaml_node_t *value, void *target)
{
	struct zero_reader *r = target;
	size_t at = find_attribute(r->plan, name), category;
	const char *text;

	if (at == SIZE_MAX)
		return sotto_yaml_fail(y, key, "there is no attribute %.60s", name);
	SOTTO_TRY(sotto_yaml_text(y, value, "a category", &text));
	category = sotto_census_category_find(&r->plan->attributes[at], text);
	if (category == SIZE_MAX)
		return sotto_yaml_fail(y, value, "%.60s has no category \"%.60s\"", name, text);
	r->zero->category[at] = (int32_t)category;
	return SOTTO_OK;
}

static enum sotto_status read_zero(struct sotto_yaml *y, yaml_node_t *item, void *plan)
{
	struct zero_reader r = {.plan = plan};

	r.zero = SOTTO_PUSH(&r.plan->arena, r.plan->zeros, r.plan->zero_count);
	if (!r.zero)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < SOTTO_CENSUS_ATTRIBUTES_MAX; i++)
		r.zero->category[i] = -1;
	return sotto_yaml_entries(y, item, "a structural zero", read_zero_part, &r);
}

enum sotto_status sotto_census_read_zeros(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_census_items(y, value, "structural_zeros", read_zero, plan);
}
