/*
 * The columns of a policy: types, bounds, steps and public keys.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/policy/policy_read.h"
#include "core/base/arena_rational.h"
#include "core/base/calendar.h"
#include "core/base/failure.h"

static bool is_date(const char *s)
{
	unsigned year, month, day;

	return strlen(s) >= 10 && s[4] == '-' && s[7] == '-' &&
	       sscanf(s, "%4u-%2u-%2u", &year, &month, &day) == 3 && month >= 1 &&
	       month <= 12 && day >= 1 && day <= 31;
}

/* A number, or a date as the number of its day. */
static enum sotto_status
read_bound(struct sotto_yaml *y, yaml_node_t *value, bool *is_day, struct sotto_rational **out)
{
	const char *text =
		value->type == YAML_SCALAR_NODE ? (const char *)value->data.scalar.value : "";
	int64_t days;

	*is_day = sotto_calendar_parse(text, &days);
	if (!*is_day && strlen(text) > 10 && is_date(text))
		return sotto_yaml_fail(
			y, value,
			"a bound that is a date has no time of day; write the day "
			"alone, like %.10s: all of it is within the bounds",
			text);
	*out = sotto_arena_rational(y->arena);
	if (!*out)
		return SOTTO_ENOMEM;
	if (*is_day)
		mpq_set_si((*out)->q, days, 1);
	else if (sotto_rational_parse(*out, text, NULL) != SOTTO_OK)
		return sotto_yaml_fail(y, value,
				       "a bound must be a number, written like 0.5, 1e-6 or "
				       "1/3, or a date, written like 2024-01-31");
	return SOTTO_OK;
}

static enum sotto_status read_bounds(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy_column *c = target;
	yaml_node_item_t *items;
	bool is_day;

	if (value->type != YAML_SEQUENCE_NODE ||
	    value->data.sequence.items.top - value->data.sequence.items.start != 2)
		return sotto_yaml_fail(y, value,
				       "bounds of %.40s must be two numbers or two dates: "
				       "[lowest, highest]",
				       c->name);
	items = value->data.sequence.items.start;
	SOTTO_TRY(read_bound(y, yaml_document_get_node(&y->document, items[0]),
			     &c->bounds_are_days, &c->lo));
	SOTTO_TRY(
		read_bound(y, yaml_document_get_node(&y->document, items[1]), &is_day, &c->hi));
	if (is_day != c->bounds_are_days)
		return sotto_yaml_fail(
			y, value, "one bound of %.40s is a date and the other is not", c->name);
	if (sotto_rational_compare(c->lo, c->hi) > 0)
		return sotto_yaml_fail(y, value,
				       "the lower bound of %.40s is above the upper one; "
				       "write the smaller one first",
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
	c->has_type = true;
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
	struct sotto_policy_column *c = target;
	bool nullable;

	SOTTO_TRY(sotto_yaml_truth(y, value, "nullable", &nullable));
	c->promises_filled = !nullable;
	return SOTTO_OK;
}

static enum sotto_status read_unique(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_truth(y, value, "unique",
				&((struct sotto_policy_column *)target)->promises_unique);
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

static enum sotto_status read_max_text(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_policy_max_text(y, value,
				     &((struct sotto_policy_column *)target)->max_text);
}

static const struct sotto_yaml_field column_fields[] = {
	{"type", read_type},         {"bounds", read_bounds},
	{"step", read_step},         {"keys", read_keys},
	{"nullable", read_nullable}, {"unique", read_unique},
	{"max_text", read_max_text}, {NULL, NULL},
};

/* Most keys are: long lists of them need no big numbers. */
static bool is_short_integer(const char *key)
{
	const char *digits = key + (*key == '-');
	size_t n = strspn(digits, "0123456789");

	return n > 0 && n <= 18 && digits[n] == '\0' &&
	       (*digits != '0' || strcmp(key, "0") == 0);
}

/* Exactly as sotto_rational_format writes it, so that equal numbers are equal texts. */
static bool is_written_number(const char *key, bool whole)
{
	struct sotto_rational r;
	char *written = NULL;
	bool fits;

	if (whole && is_short_integer(key))
		return true;
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
			return sotto_yaml_fail(y, value,
					       "the key %.40s of %.40s is not written the way "
					       "values of type %s are",
					       c->keys[i], c->name,
					       sotto_sql_type_word(c->type));
	return SOTTO_OK;
}

/* Bounds say what a column is, if nothing else does. */
static enum sotto_status
check_bounds(struct sotto_yaml *y, yaml_node_t *value, struct sotto_policy_column *c)
{
	enum sotto_sql_type usual = c->bounds_are_days ? SOTTO_TYPE_DATE : SOTTO_TYPE_NUMBER;
	enum sotto_sql_type other =
		c->bounds_are_days ? SOTTO_TYPE_TIMESTAMP : SOTTO_TYPE_INTEGER;

	if (c->type == SOTTO_TYPE_LOOSE)
		c->type = usual;
	if (c->type != usual && c->type != other)
		return sotto_yaml_fail(y, value,
				       "%.40s has bounds that are %s, so its type must be %s "
				       "or %s",
				       c->name, c->bounds_are_days ? "dates" : "numbers",
				       sotto_sql_type_word(usual), sotto_sql_type_word(other));
	if (c->step && c->bounds_are_days)
		return sotto_yaml_fail(y, value,
				       "%.40s has dates, whose step is a day; leave step out",
				       c->name);
	return SOTTO_OK;
}

static enum sotto_status
check_column(struct sotto_yaml *y, yaml_node_t *value, struct sotto_policy_column *c)
{
	if (c->step && !c->has_bounds)
		return sotto_yaml_fail(y, value, "%.40s has a step but no bounds", c->name);
	if (c->has_bounds)
		SOTTO_TRY(check_bounds(y, value, c));
	return check_keys(y, value, c);
}

enum sotto_status sotto_policy_read_column(struct sotto_yaml *y, const char *name,
					   yaml_node_t *key, yaml_node_t *value, void *target)
{
	struct sotto_policy_table *t = target;
	struct sotto_policy_column c = {.line = sotto_yaml_line(key)}, *slot;

	c.name = sotto_arena_text(y->arena, name);
	if (!c.name)
		return SOTTO_ENOMEM;
	if (!sotto_yaml_is_plain(value) || value->data.scalar.length > 0)
		SOTTO_TRY(sotto_yaml_fields(y, value, "a column", column_fields, &c));
	SOTTO_TRY(check_column(y, value, &c));
	slot = SOTTO_PUSH(y->arena, t->columns, t->column_count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = c;
	return sotto_name_index_add(y->arena, &t->column_names, c.name) ? SOTTO_OK
									: SOTTO_ENOMEM;
}
