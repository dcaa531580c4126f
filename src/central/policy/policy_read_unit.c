/*
 * Who is protected: `unit: COLUMN`, `unit: row`, or a unit that another table
 * has, reached by a foreign key:
 *
 *	unit: { column: patient_id, via: visits.patient_id -> patients.patient_id }
 *
 * Tables that reach the same table are about the same units, and may be joined
 * and united on them.
 */
#include "central/policy/policy_read.h"

#include <string.h>
#include <strings.h>

#include "core/base/failure.h"

static enum sotto_status read_column(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "unit", &((struct sotto_policy_table *)target)->unit);
}

/* "table.column": cuts the text in two.  A name may contain blanks, but not begin or end with one. */
static bool cut_name(char *text, const char **table, const char **column)
{
	char *dot = strrchr(text, '.'), *end = text + strlen(text);

	text += strspn(text, " \t");
	if (!dot || dot <= text)
		return false;
	while (end > dot && strchr(" \t", end[-1]))
		*--end = '\0';
	*dot = '\0';
	*table = text;
	*column = dot + 1 + strspn(dot + 1, " \t");
	return **column != '\0';
}

static enum sotto_status read_via(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_table *t = target;
	const char *text, *own = NULL;
	char *from, *arrow;

	SOTTO_TRY(sotto_yaml_text(y, value, "via", &text));
	from = sotto_arena_text(y->arena, text);
	if (!from)
		return SOTTO_ENOMEM;
	arrow = strstr(from, "->");
	if (arrow)
		*arrow = '\0';
	if (!arrow || !cut_name(from, &own, &t->via_column) ||
	    !cut_name(arrow + 2, &t->via_table, &t->via_key) || strcasecmp(own, t->name) != 0)
		return sotto_yaml_fail(
			y, value,
			"a path to the unit is written like via: %.40s.patient_id "
			"-> patients.patient_id",
			t->name);
	return SOTTO_OK;
}

static const struct sotto_yaml_field unit_fields[] = {
	{"column", read_column}, {"via", read_via}, {NULL, NULL}};

/* `row` is a word, not a column, unless it is given as {column: row}. */
enum sotto_status
sotto_policy_read_unit(struct sotto_yaml *y, yaml_node_t *value, struct sotto_policy_table *t)
{
	if (value->type == YAML_MAPPING_NODE) {
		SOTTO_TRY(sotto_yaml_fields(y, value, "a unit", unit_fields, t));
		if (!t->unit)
			return sotto_yaml_fail(y, value, "a unit needs a column");
		return SOTTO_OK;
	}
	SOTTO_TRY(read_column(y, value, t));
	t->unit_is_row = strcmp(t->unit, "row") == 0;
	return SOTTO_OK;
}

/* ---- paths, once all tables are known ----------------------------------------------------- */

static enum sotto_status
refuse(struct sotto_yaml *y, const struct sotto_policy_table *t, const char *why)
{
	return sotto_fail(y->err, SOTTO_EPARSE, "%.160s:%zu: the unit of table %.40s %s",
			  y->path, t->line, t->name, why);
}

static enum sotto_status link_table(struct sotto_yaml *y, struct sotto_policy *p,
				    struct sotto_policy_table *t, size_t steps)
{
	struct sotto_policy_table *to = NULL;

	if (!t->via_table || t->root) {
		t->root = t->root ? t->root : t;
		return SOTTO_OK;
	}
	for (size_t i = 0; i < p->table_count; i++)
		if (strcasecmp(p->tables[i].name, t->via_table) == 0)
			to = &p->tables[i];
	if (!to || to == t || steps > p->table_count)
		return refuse(y, t,
			      "is reached over a table that is not there, or in a circle");
	if (to->is_public || to->unit_is_row)
		return refuse(y, t, "must be a column of the table that the path leads to");
	SOTTO_TRY(link_table(y, p, to, steps + 1));
	if (strcasecmp(t->unit, to->root->unit) != 0)
		return sotto_fail(
			y->err, SOTTO_EPARSE,
			"%.160s:%zu: the path of table %.40s leads to the unit %.60s of "
			"table %.40s: write column: %.60s",
			y->path, t->line, t->name, to->root->unit, to->root->name,
			to->root->unit);
	t->root = to->root;
	if (to->unit && strcasecmp(t->via_key, to->unit) == 0) {
		t->unit = t->via_column; /* the key is the unit: no look-up is needed */
		return SOTTO_OK;
	}
	t->unit = NULL;
	t->via = to;
	return SOTTO_OK;
}

enum sotto_status sotto_policy_link_units(struct sotto_yaml *y, struct sotto_policy *p)
{
	for (size_t i = 0; i < p->table_count; i++)
		SOTTO_TRY(link_table(y, p, &p->tables[i], 0));
	return SOTTO_OK;
}
