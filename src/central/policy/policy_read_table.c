/*
 * A table of a policy file, field by field.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "central/policy/policy_read.h"
#include "core/base/failure.h"

/* ---- tables ------------------------------------------------------------------ */

static enum sotto_status read_source(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "source",
			       &((struct sotto_policy_table *)target)->source);
}

static enum sotto_status
read_inner_table(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "table",
			       &((struct sotto_policy_table *)target)->table);
}

static enum sotto_status
read_inner_schema(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "schema",
			       &((struct sotto_policy_table *)target)->schema);
}

static enum sotto_status read_public(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_truth(y, value, "public",
				&((struct sotto_policy_table *)target)->is_public);
}

static enum sotto_status read_unit(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_policy_read_unit(y, value, target);
}

static bool is_auto(const yaml_node_t *value)
{
	return sotto_yaml_is_plain(value) &&
	       strcmp((const char *)value->data.scalar.value, "auto") == 0;
}

static enum sotto_status read_max_groups(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_table *t = target;

	t->finds_groups = is_auto(value);
	t->max_groups = 1;
	return t->finds_groups ? SOTTO_OK
			       : sotto_yaml_count(y, value, "max_groups", &t->max_groups);
}

static enum sotto_status read_max_rows(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_table *t = target;

	t->finds_rows = is_auto(value);
	t->max_rows = 1;
	return t->finds_rows ? SOTTO_OK : sotto_yaml_count(y, value, "max_rows", &t->max_rows);
}

enum sotto_status sotto_policy_read_names(struct sotto_yaml *y, yaml_node_t *value,
					  const char *what, sotto_yaml_entry_fn each,
					  void *target)
{
	yaml_node_t *first, *second;

	SOTTO_TRY(sotto_yaml_entries(y, value, what, each, target));
	SOTTO_TRY(sotto_yaml_find_repeated(y, value, true, &first, &second));
	if (!second)
		return SOTTO_OK;
	return sotto_yaml_fail(
		y, second,
		"there are two %s %.40s; names in SQL do not differ by upper and "
		"lower case",
		what, (const char *)second->data.scalar.value);
}

/* Nothing after the colon means no columns: a starter policy looks like that. */
static enum sotto_status read_columns(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	if (sotto_yaml_is_plain(value) && value->data.scalar.length == 0)
		return SOTTO_OK;
	return sotto_policy_read_names(y, value, "columns", sotto_policy_read_column, target);
}

enum sotto_status sotto_policy_max_text(struct sotto_yaml *y, yaml_node_t *value, int64_t *out)
{
	SOTTO_TRY(sotto_yaml_count(y, value, "max_text", out));
	if (*out > SOTTO_TEXT_MAX)
		return sotto_yaml_fail(y, value, "max_text is at most %d characters",
				       SOTTO_TEXT_MAX);
	return SOTTO_OK;
}

static enum sotto_status read_max_text(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_policy_max_text(y, value,
				     &((struct sotto_policy_table *)target)->max_text);
}

static enum sotto_status read_rows(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_count(y, value, "rows", &((struct sotto_policy_table *)target)->rows);
}

/* ---- how a text is read ------------------------------------------------------------------ */

static enum sotto_status read_header(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	bool header = true;

	SOTTO_TRY(sotto_yaml_truth(y, value, "header", &header));
	((struct sotto_policy_table *)target)->has_no_header = !header;
	return SOTTO_OK;
}

static enum sotto_status read_delimiter(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_table *t = target;

	SOTTO_TRY(sotto_yaml_text(y, value, "delimiter", &t->delimiter));
	if (strlen(t->delimiter) != 1 || !strchr(",;|\t:", *t->delimiter))
		return sotto_yaml_fail(
			y, value,
			"delimiter must be one of \",\", \";\", \"|\", \":\" and "
			"\"\\t\"");
	return SOTTO_OK;
}

static enum sotto_status
read_column_names(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_table *t = target;

	if (value->type != YAML_SEQUENCE_NODE)
		return sotto_yaml_fail(y, value, "names must be a list like [id, age, city]");
	for (yaml_node_item_t *i = value->data.sequence.items.start;
	     i < value->data.sequence.items.top; i++) {
		yaml_node_t *item = yaml_document_get_node(&y->document, *i);
		const char *name, **slot;

		SOTTO_TRY(sotto_yaml_text(y, item, "a name", &name));
		for (size_t k = 0; k < t->name_count; k++)
			if (strcasecmp(t->names[k], name) == 0)
				return sotto_yaml_fail(y, item, "the name %.40s is given twice",
						       name);
		slot = SOTTO_PUSH(y->arena, t->names, t->name_count);
		if (!slot)
			return SOTTO_ENOMEM;
		*slot = name;
	}
	return SOTTO_OK;
}

static const struct sotto_yaml_field table_fields[] = {
	{"source", read_source},       {"table", read_inner_table},
	{"schema", read_inner_schema}, {"public", read_public},
	{"unit", read_unit},           {"max_groups", read_max_groups},
	{"max_rows", read_max_rows},   {"max_text", read_max_text},
	{"columns", read_columns},     {"header", read_header},
	{"names", read_column_names},  {"delimiter", read_delimiter},
	{"rows", read_rows},           {NULL, NULL},
};

static enum sotto_status check_table(struct sotto_yaml *y, yaml_node_t *key, yaml_node_t *value,
				     struct sotto_policy_table *t)
{
	if (t->is_public && (t->unit || t->max_groups || t->max_rows))
		return sotto_yaml_fail(y, value,
				       "table %.40s is public, so it has no unit and no "
				       "limits",
				       t->name);
	if (!t->is_public && !t->unit)
		return sotto_yaml_fail(y, key,
				       "table %.40s says neither unit: COLUMN (who is "
				       "protected), unit: row, nor public: true",
				       t->name);
	if (t->has_no_header && !t->names)
		return sotto_yaml_fail(y, value,
				       "table %.40s has no header, so its columns need names; "
				       "write names: [id, age, city]",
				       t->name);
	if (t->schema) {
		t->inner = sotto_arena_textf(y->arena, "%s.%s", t->schema,
					     t->table ? t->table : t->name);
		if (!t->inner)
			return SOTTO_ENOMEM;
	}
	if (t->unit_is_row && (t->finds_groups || t->finds_rows))
		return sotto_yaml_fail(y, value,
				       "each row of table %.40s is a unit, so there is nothing "
				       "to find: leave max_groups and max_rows out",
				       t->name);
	if (t->unit_is_row)
		t->unit = NULL;
	t->max_groups = t->max_groups ? t->max_groups : 1;
	t->max_rows = t->max_rows ? t->max_rows : 1;
	t->max_text = t->max_text ? t->max_text : SOTTO_TEXT_DEFAULT;
	return SOTTO_OK;
}

enum sotto_status sotto_policy_read_table(struct sotto_yaml *y, const char *name,
					  yaml_node_t *key, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;
	struct sotto_policy_table t = {.line = sotto_yaml_line(key)}, *slot;

	t.name = sotto_arena_text(y->arena, name);
	if (!t.name)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_yaml_fields(y, value, "a table", table_fields, &t));
	SOTTO_TRY(check_table(y, key, value, &t));
	slot = SOTTO_PUSH(y->arena, p->tables, p->table_count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = t;
	return SOTTO_OK;
}
