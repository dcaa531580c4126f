/*
 * The shape of a policy file, field by field.
 */
#include "plan/policy_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"

/* ---- columns ----------------------------------------------------------------- */

static enum sotto_status read_bounds(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_column *c = target;
	yaml_node_item_t *items;

	if (value->type != YAML_SEQUENCE_NODE ||
	    value->data.sequence.items.top - value->data.sequence.items.start != 2)
		return sotto_yaml_fail(y, value,
				       "bounds of %.40s must be two numbers: [lowest, "
				       "highest]",
				       c->name);
	items = value->data.sequence.items.start;
	SOTTO_TRY(sotto_yaml_number(y, yaml_document_get_node(&y->document, items[0]),
				    "a bound", &c->lo));
	SOTTO_TRY(sotto_yaml_number(y, yaml_document_get_node(&y->document, items[1]),
				    "a bound", &c->hi));
	if (sotto_rational_compare(c->lo, c->hi) > 0)
		return sotto_yaml_fail(y, value,
				       "the lower bound of %.40s is above the upper one; "
				       "write the smaller number first",
				       c->name);
	c->has_bounds = true;
	return SOTTO_OK;
}

static enum sotto_status read_step(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_column *c = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "step", &c->step));
	if (sotto_rational_sign(c->step) <= 0)
		return sotto_yaml_fail(y, value, "step must be above 0");
	return SOTTO_OK;
}

static enum sotto_status read_type(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_column *c = target;
	const char *word;

	SOTTO_TRY(sotto_yaml_text(y, value, "type", &word));
	c->type = sotto_sql_type_of_name(word);
	if (c->type == SOTTO_TYPE_OTHER)
		return sotto_yaml_fail(y, value,
				       "unknown type \"%.40s\"; the types are boolean, "
				       "integer, number, text, date and timestamp",
				       word);
	return SOTTO_OK;
}

static enum sotto_status read_nullable(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_truth(y, value, "nullable",
				&((struct sotto_policy_column *)target)->nullable);
}

static bool is_null(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return sotto_yaml_is_plain(node) &&
	       (strcmp(text, "null") == 0 || strcmp(text, "~") == 0);
}

static int compare_keys(const void *x, const void *y)
{
	const char *a = *(const char *const *)x, *b = *(const char *const *)y;

	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Sorted, so that long lists of keys do not take quadratic time. */
static enum sotto_status check_repeated_keys(struct sotto_yaml *y, yaml_node_t *value,
					     const struct sotto_policy_column *c)
{
	const char **sorted = sotto_arena_alloc(y->arena, c->key_count * sizeof *sorted);

	if (!sorted)
		return SOTTO_ENOMEM;
	memcpy(sorted, c->keys, c->key_count * sizeof *sorted);
	qsort(sorted, c->key_count, sizeof *sorted, compare_keys);
	for (size_t i = 1; i < c->key_count; i++)
		if (compare_keys(&sorted[i - 1], &sorted[i]) == 0)
			return sotto_yaml_fail(y, value,
					       "the key %.40s of %.40s is given twice",
					       sorted[i] ? sorted[i] : "null", c->name);
	return SOTTO_OK;
}

/* The type that one key suggests; quoted keys are text. */
static enum sotto_sql_type key_type(const yaml_node_t *node, const char *text)
{
	size_t digits = strspn(text + (*text == '-'), "0123456789");

	if (!sotto_yaml_is_plain(node))
		return SOTTO_TYPE_TEXT;
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		return SOTTO_TYPE_BOOLEAN;
	return digits > 0 && digits <= 18 && text[digits + (*text == '-')] == '\0'
		       ? SOTTO_TYPE_INTEGER
		       : SOTTO_TYPE_TEXT;
}

static enum sotto_status read_keys(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_column *c = target;
	enum sotto_sql_type type = SOTTO_TYPE_LOOSE, one;

	if (value->type != YAML_SEQUENCE_NODE ||
	    value->data.sequence.items.top == value->data.sequence.items.start)
		return sotto_yaml_fail(y, value, "keys of %.40s must be a list: [one, two]",
				       c->name);
	for (yaml_node_item_t *i = value->data.sequence.items.start;
	     i < value->data.sequence.items.top; i++) {
		yaml_node_t *node = yaml_document_get_node(&y->document, *i);
		const char *key = NULL, **slot;

		if (node->type != YAML_SCALAR_NODE || !is_null(node)) {
			SOTTO_TRY(sotto_yaml_text(y, node, "a key", &key));
			one = key_type(node, key);
			type = type == SOTTO_TYPE_LOOSE || type == one ? one : SOTTO_TYPE_TEXT;
		}
		slot = SOTTO_PUSH(y->arena, c->keys, c->key_count);
		if (!slot)
			return SOTTO_ENOMEM;
		*slot = key;
	}
	SOTTO_TRY(check_repeated_keys(y, value, c));
	c->has_keys = true;
	if (c->type == SOTTO_TYPE_LOOSE)
		c->type = type;
	return SOTTO_OK;
}

static const struct sotto_yaml_field column_fields[] = {
	{"type", read_type}, {"bounds", read_bounds},     {"step", read_step},
	{"keys", read_keys}, {"nullable", read_nullable}, {NULL, NULL},
};

static bool is_date(const char *s)
{
	unsigned year, month, day;

	return strlen(s) >= 10 && s[4] == '-' && s[7] == '-' &&
	       sscanf(s, "%4u-%2u-%2u", &year, &month, &day) == 3 && month >= 1 &&
	       month <= 12 && day >= 1 && day <= 31;
}

/* Exactly as sotto_rational_format writes it, so that equal numbers are equal texts. */
static bool is_written_number(const char *key, bool whole)
{
	struct sotto_rational r;
	char *written = NULL;
	bool fits;

	sotto_rational_init(&r);
	fits = sotto_rational_parse(&r, key, NULL) == SOTTO_OK &&
	       sotto_rational_format(&r, &written) == SOTTO_OK && strcmp(written, key) == 0 &&
	       (!whole || strpbrk(key, "./") == NULL);
	free(written);
	sotto_rational_release(&r);
	return fits;
}

/* A key must be a value of the column's type, in the one way it is written. */
static bool key_fits(enum sotto_sql_type type, const char *key)
{
	switch (type) {
	case SOTTO_TYPE_BOOLEAN:
		return strcmp(key, "true") == 0 || strcmp(key, "false") == 0;
	case SOTTO_TYPE_DATE:
		return strlen(key) == 10 && is_date(key);
	case SOTTO_TYPE_TIMESTAMP:
		return strlen(key) == 19 && is_date(key);
	case SOTTO_TYPE_INTEGER:
	case SOTTO_TYPE_NUMBER:
		return is_written_number(key, type == SOTTO_TYPE_INTEGER);
	default:
		return true;
	}
}

static enum sotto_status
check_keys(struct sotto_yaml *y, yaml_node_t *value, const struct sotto_policy_column *c)
{
	for (size_t i = 0; i < c->key_count; i++)
		if (c->keys[i] && !key_fits(c->type, c->keys[i]))
			return sotto_yaml_fail(
				y, value,
				"the key %.40s of %.40s is not written as a value of "
				"type %s is",
				c->keys[i], c->name, sotto_sql_type_word(c->type));
	return SOTTO_OK;
}

static enum sotto_status
check_column(struct sotto_yaml *y, yaml_node_t *value, struct sotto_policy_column *c)
{
	bool numeric = c->type == SOTTO_TYPE_LOOSE || c->type == SOTTO_TYPE_INTEGER ||
		       c->type == SOTTO_TYPE_NUMBER;

	if (c->step && !c->has_bounds)
		return sotto_yaml_fail(y, value, "%.40s has a step but no bounds", c->name);
	if (c->has_bounds && !numeric)
		return sotto_yaml_fail(y, value,
				       "%.40s has bounds, so its type must be integer or "
				       "number",
				       c->name);
	if (c->has_bounds && c->type == SOTTO_TYPE_LOOSE)
		c->type = SOTTO_TYPE_NUMBER;
	return check_keys(y, value, c);
}

static enum sotto_status read_column(struct sotto_yaml *y, const char *name, yaml_node_t *key,
				     yaml_node_t *value, void *target)
{
	struct sotto_policy_table *t = target;
	struct sotto_policy_column c = {.line = sotto_yaml_line(key), .nullable = true}, *slot;

	c.name = sotto_arena_text(y->arena, name);
	if (!c.name)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_yaml_fields(y, value, "a column", column_fields, &c));
	SOTTO_TRY(check_column(y, value, &c));
	slot = SOTTO_PUSH(y->arena, t->columns, t->column_count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = c;
	return SOTTO_OK;
}

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

static enum sotto_status read_public(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_truth(y, value, "public",
				&((struct sotto_policy_table *)target)->is_public);
}

static enum sotto_status read_unit(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_policy_read_unit(y, value, target);
}

static enum sotto_status read_max_groups(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_count(y, value, "max_groups",
				&((struct sotto_policy_table *)target)->max_groups);
}

static enum sotto_status read_max_rows(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_count(y, value, "max_rows",
				&((struct sotto_policy_table *)target)->max_rows);
}

static enum sotto_status read_columns(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_entries(y, value, "columns", read_column, target);
}

static const struct sotto_yaml_field table_fields[] = {
	{"source", read_source},         {"table", read_inner_table},
	{"public", read_public},         {"unit", read_unit},
	{"max_groups", read_max_groups}, {"max_rows", read_max_rows},
	{"columns", read_columns},       {NULL, NULL},
};

static enum sotto_status check_table(struct sotto_yaml *y, yaml_node_t *key, yaml_node_t *value,
				     struct sotto_policy_table *t)
{
	if (!t->source)
		return sotto_yaml_fail(y, key, "table %.40s has no source; write source: FILE",
				       t->name);
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
	if (t->unit_is_row)
		t->unit = NULL;
	t->max_groups = t->max_groups ? t->max_groups : 1;
	t->max_rows = t->max_rows ? t->max_rows : 1;
	return SOTTO_OK;
}

static enum sotto_status read_table(struct sotto_yaml *y, const char *name, yaml_node_t *key,
				    yaml_node_t *value, void *target)
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

/* ---- the policy ---------------------------------------------------------------- */

static enum sotto_status check_privacy(struct sotto_yaml *y, yaml_node_t *value,
				       const struct sotto_rational *epsilon,
				       const struct sotto_rational *delta)
{
	if (epsilon && sotto_rational_sign(epsilon) <= 0)
		return sotto_yaml_fail(y, value, "epsilon must be above 0");
	if (delta && (sotto_rational_sign(delta) < 0 || mpq_cmp_ui(delta->q, 1, 1) >= 0))
		return sotto_yaml_fail(y, value, "delta must be from 0 to below 1");
	return SOTTO_OK;
}

static enum sotto_status read_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "epsilon", &p->epsilon));
	return check_privacy(y, value, p->epsilon, NULL);
}

static enum sotto_status read_delta(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "delta", &p->delta));
	return check_privacy(y, value, NULL, p->delta);
}

static enum sotto_status read_analyst(struct sotto_yaml *y, const char *name, yaml_node_t *key,
				      yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;
	struct sotto_policy_analyst a = {.name = sotto_arena_text(y->arena, name)}, *slot;

	(void)key;
	SOTTO_TRY(sotto_yaml_number(y, value, "a share", &a.share));
	if (sotto_rational_sign(a.share) <= 0 || mpq_cmp_ui(a.share->q, 1, 1) > 0)
		return sotto_yaml_fail(
			y, value, "the share of %.40s must be above 0 and at most 1", name);
	slot = SOTTO_PUSH(y->arena, p->analysts, p->analyst_count);
	if (!slot || !a.name)
		return SOTTO_ENOMEM;
	*slot = a;
	return SOTTO_OK;
}

static enum sotto_status read_analysts(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_entries(y, value, "analysts", read_analyst, target);
}

/* "30 days": then the budget is per window, which the owner thereby states. */
static enum sotto_status read_renew(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	static const struct {
		const char *word;
		uint64_t seconds;
	} units[] = {{"hour", 3600}, {"day", 86400}, {"week", 604800}};
	struct sotto_policy *p = target;
	char word[8] = "", rest = '\0';
	unsigned count = 0;
	const char *text;

	SOTTO_TRY(sotto_yaml_text(y, value, "renew", &text));
	if (sscanf(text, "%6u %6[a-z] %c", &count, word, &rest) == 2 && count > 0)
		for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
			if (strncmp(word, units[i].word, strlen(units[i].word)) == 0) {
				p->window = count * units[i].seconds;
				return SOTTO_OK;
			}
	return sotto_yaml_fail(y, value,
			       "renew must be a time like \"30 days\", \"12 hours\" or "
			       "\"4 weeks\"");
}

static const struct sotto_yaml_field budget_fields[] = {{"epsilon", read_epsilon},
							{"delta", read_delta},
							{"analysts", read_analysts},
							{"renew", read_renew},
							{NULL, NULL}};

static enum sotto_status read_budget(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_fields(y, value, "the budget", budget_fields, p));
	if (!p->epsilon)
		return sotto_yaml_fail(y, value, "the budget needs an epsilon");
	return SOTTO_OK;
}

static enum sotto_status
read_default_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "epsilon", &p->default_epsilon));
	return check_privacy(y, value, p->default_epsilon, NULL);
}

static enum sotto_status
read_default_delta(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "delta", &p->default_delta));
	return check_privacy(y, value, NULL, p->default_delta);
}

static const struct sotto_yaml_field default_fields[] = {
	{"epsilon", read_default_epsilon}, {"delta", read_default_delta}, {NULL, NULL}};

static enum sotto_status read_default(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_fields(y, value, "the default", default_fields, target);
}

static enum sotto_status read_engine(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	const char *engine;

	(void)target;
	SOTTO_TRY(sotto_yaml_text(y, value, "engine", &engine));
	if (strcmp(engine, "duckdb") != 0)
		return sotto_yaml_fail(
			y, value, "unknown engine \"%.40s\"; write engine: duckdb", engine);
	return SOTTO_OK;
}

static enum sotto_status read_ledger(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "ledger", &((struct sotto_policy *)target)->ledger);
}

static enum sotto_status read_log(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "log", &((struct sotto_policy *)target)->log);
}

static enum sotto_status read_tables(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_entries(y, value, "tables", read_table, target);
}

static const struct sotto_yaml_field policy_fields[] = {
	{"engine", read_engine},
	{"ledger", read_ledger},
	{"budget", read_budget},
	{"default", read_default},
	{"log", read_log},
	{"tables", read_tables},
	{NULL, NULL},
};

enum sotto_status sotto_policy_read(struct sotto_yaml *y, struct sotto_policy *p)
{
	yaml_node_t *root = yaml_document_get_root_node(&y->document);

	SOTTO_TRY(sotto_yaml_fields(y, root, "the policy", policy_fields, p));
	if (!p->epsilon)
		return sotto_yaml_fail(y, root,
				       "the policy has no budget; write budget: "
				       "{epsilon: 1, delta: 1e-6}");
	if (p->table_count == 0)
		return sotto_yaml_fail(y, root, "the policy has no tables");
	return sotto_policy_link_units(y, p);
}
