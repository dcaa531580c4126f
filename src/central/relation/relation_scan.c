/*
 * Tables of the policy, with what is made of their columns once for each row.
 */
#include "central/relation/relation.h"

#include <string.h>
#include <strings.h>

#include "central/expression/bind.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/number/decimal.h"
#include "central/expression/work/row_work.h"
#include "core/base/failure.h"

static bool numeric(enum sotto_sql_type t)
{
	return t == SOTTO_TYPE_INTEGER || t == SOTTO_TYPE_NUMBER;
}

/* Is the column a text in its source, and of another type by the policy? */
static bool
is_read(const struct sotto_schema_column *source, const struct sotto_policy_column *declared)
{
	return (source->type == SOTTO_TYPE_LOOSE || source->type == SOTTO_TYPE_TEXT) &&
	       declared && declared->type != SOTTO_TYPE_LOOSE &&
	       declared->type != SOTTO_TYPE_TEXT;
}

static const struct sotto_expression *as_text(struct sotto_arena *a,
					      const struct sotto_schema_column *source,
					      const struct sotto_expression *native)
{
	return source->as_text
		       ? sotto_expression_cast(a, SOTTO_OP_CAST, native, SOTTO_TYPE_TEXT)
		       : native;
}

/* Bounds that are days fit timestamps as well, unless the policy says otherwise. */
static bool is_moment_with_days(const struct sotto_schema_column *source,
				const struct sotto_policy_column *declared)
{
	return source->type == SOTTO_TYPE_TIMESTAMP && declared->bounds_are_days &&
	       !declared->has_type;
}

/* The type that source and policy agree on. */
static enum sotto_status
column_type(struct sotto_planner *p, const struct sotto_schema_column *source,
	    const struct sotto_policy_column *declared, struct sotto_bound *out)
{
	enum sotto_sql_type want = declared ? declared->type : SOTTO_TYPE_LOOSE;

	out->type = source->type;
	out->is_double = source->is_double;
	if (want == SOTTO_TYPE_LOOSE || want == source->type ||
	    (numeric(want) && numeric(source->type)) || is_moment_with_days(source, declared))
		return SOTTO_OK;
	if (source->type != SOTTO_TYPE_LOOSE && source->type != SOTTO_TYPE_TEXT)
		return sotto_fail(p->err, SOTTO_EPARSE,
				  "%.160s:%zu: the column %.60s is %s in its source, not %s",
				  p->policy->path, declared->line, declared->name,
				  sotto_sql_type_word(source->type), sotto_sql_type_word(want));
	out->type = want;
	out->is_double = want == SOTTO_TYPE_NUMBER;
	return SOTTO_OK;
}

/* A DECIMAL of the source has so many digits after the point, any other number those of its step. */
static void set_scale(const struct sotto_schema_column *source,
		      const struct sotto_policy_column *declared, struct sotto_bound *out)
{
	if (out->type != SOTTO_TYPE_NUMBER)
		return;
	if (source->digits > 0) {
		out->is_decimal = source->scale <= SOTTO_SCALE_MAX;
		out->scale = source->scale;
		out->digits = source->digits;
	} else if (declared && declared->step) {
		out->is_decimal = sotto_decimal_digits(declared->step, &out->scale);
	}
}

/* One more than the longest of the public values, so that none is taken for another. */
static long long longest_key(const struct sotto_policy_column *declared)
{
	size_t most = 0;

	for (size_t i = 0; declared && declared->has_keys && i < declared->key_count; i++) {
		size_t n = declared->keys[i] ? strlen(declared->keys[i]) : 0;

		most = n > most ? n : most;
	}
	return (long long)most + 1;
}

/*
 * Of a text only so many characters count: what is done with one row must not take as
 * long as somebody likes to write.  0: it is not a text, or one of few values.
 */
static long long text_limit(const struct sotto_schema_table *t, size_t i)
{
	const struct sotto_schema_column *source = &t->columns[i];
	const struct sotto_policy_column *declared =
		sotto_policy_column_find(t->policy, source->name);
	bool text = source->type == SOTTO_TYPE_TEXT || source->type == SOTTO_TYPE_LOOSE;
	long long most;

	if (!text || source->as_text || is_read(source, declared))
		return 0;
	most = declared && declared->max_text ? declared->max_text
	       : t->policy->max_text          ? t->policy->max_text
					      : SOTTO_TEXT_DEFAULT;
	return most > longest_key(declared) ? most : longest_key(declared);
}

static const char *made_field(struct sotto_planner *p, const char *kind, size_t i)
{
	return sotto_arena_textf(p->arena, "sotto %s %zu", kind, i);
}

/* What is made of a column once for each row, and what that is called; NULL: nothing. */
static enum sotto_status made_of(struct sotto_planner *p, const struct sotto_schema_table *t,
				 size_t i, const struct sotto_expression **made,
				 const char **name)
{
	const struct sotto_schema_column *source = &t->columns[i];
	const struct sotto_policy_column *declared =
		sotto_policy_column_find(t->policy, source->name);
	const struct sotto_expression *text =
		sotto_expression_column(p->arena, NULL, source->name);
	long long most = text_limit(t, i);

	*name = NULL;
	if (is_read(source, declared)) {
		*name = made_field(p, "value", i);
		*made = sotto_bind_read(p->arena, as_text(p->arena, source, text),
					declared->type);
	} else if (most > 0) {
		*name = made_field(p, "text", i);
		*made = SOTTO_APPLY(p->arena, SOTTO_OP_CUT, text,
				    sotto_expression_whole(p->arena, most));
	} else {
		return SOTTO_OK;
	}
	return *name && *made ? SOTTO_OK : SOTTO_ENOMEM;
}

/*
 * The table with its texts cut, or read as what the policy says they are, beside them.
 * That is done below any join, so once for each row; and the engine leaves out what
 * nothing reads.
 */
enum sotto_status sotto_scan_rows(struct sotto_planner *p, const struct sotto_schema_table *t,
				  const char *alias, const struct sotto_rowset **out)
{
	struct sotto_arena *a = p->arena;
	const struct sotto_rowset *scan =
		sotto_rowset_scan(a, t->scan, !t->policy->is_public, NULL);
	struct sotto_rowset_select s = {0};

	SOTTO_NEED(sotto_rowset_output(a, &s, sotto_expression_word(a, SOTTO_OP_STAR), NULL) &&
		   sotto_rowset_from(a, &s, scan));
	for (size_t i = 0; i < t->column_count; i++) {
		const struct sotto_expression *made;
		const char *name;

		SOTTO_TRY(made_of(p, t, i, &made, &name));
		if (name)
			SOTTO_NEED(sotto_rowset_output(a, &s, made, name));
	}
	*out = s.output_count > 1 ? sotto_rowset_select(a, &s, alias)
				  : sotto_rowset_named(a, scan, alias);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* What is read of the column: itself, or what is made of it once for each row. */
static enum sotto_status set_value(struct sotto_planner *p, const struct sotto_schema_table *t,
				   size_t i, const struct sotto_expression *native,
				   struct sotto_scope_column *c)
{
	double most = (double)text_limit(t, i);
	const struct sotto_expression *made;
	const char *name;

	c->bound.value = as_text(p->arena, &t->columns[i], native);
	c->bound.load = (struct sotto_load){.nodes = 1, .work = 2};
	if (t->columns[i].as_text)
		c->bound.load.length = SOTTO_TEXT_DEFAULT;
	SOTTO_TRY(made_of(p, t, i, &made, &name));
	if (!name)
		return c->bound.value ? SOTTO_OK : SOTTO_ENOMEM;
	c->bound.load = (struct sotto_load){.nodes = 4, .work = 2};
	if (most > 0) {
		c->bound.load.once = 4 * most;
		c->bound.load.length = most;
		c->bound.whole = c->bound.value;
	} else {
		c->bound.load.once = sotto_load_reading(c->bound.type);
	}
	c->whole_field = c->field;
	c->field = name;
	c->bound.value = sotto_expression_made(
		p->arena, c->alias, c->field, sotto_load_making(&c->bound, c->bound.load.once));
	return c->bound.value ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status declared_domain(struct sotto_planner *p,
					 const struct sotto_schema_table *t,
					 const struct sotto_policy_column *declared,
					 const char *field, struct sotto_bound *out)
{
	if (declared && declared->has_keys)
		return sotto_domain_keys(p->arena, declared, &out->domain);
	if (t->policy->is_public && out->type != SOTTO_TYPE_OTHER)
		return sotto_domain_column(p->arena, field,
					   sotto_rowset_scan(p->arena, t->scan, false, NULL),
					   &out->domain);
	if (out->type == SOTTO_TYPE_BOOLEAN)
		return sotto_domain_boolean(p->arena, out->nullable, &out->domain);
	return SOTTO_OK;
}

static enum sotto_status add_column(struct sotto_planner *p, struct sotto_relation *r,
				    const char *table, const char *alias,
				    const struct sotto_schema_table *t, size_t i)
{
	const struct sotto_schema_column *source = &t->columns[i];
	const struct sotto_policy_column *declared =
		sotto_policy_column_find(t->policy, source->name);
	struct sotto_scope_column *c = sotto_arena_alloc(p->arena, sizeof *c);
	const struct sotto_expression *native;

	SOTTO_NEED(c);
	c->table = table;
	c->name = source->name;
	c->source = t->policy;
	c->field_name = source->name;
	c->alias = alias;
	c->field = source->name;
	native = sotto_expression_column(p->arena, alias, source->name);
	SOTTO_NEED(native);
	c->bound.nullable = !declared || declared->nullable;
	c->is_filled = !c->bound.nullable;
	SOTTO_TRY(column_type(p, source, declared, &c->bound));
	c->bound.moment = source->zoned ? SOTTO_MOMENT_ZONED : SOTTO_MOMENT_LOCAL;
	if (declared && declared->has_bounds) {
		c->bound.range = (struct sotto_value_range){declared->lo, declared->hi};
		c->bound.step = declared->step;
	}
	set_scale(source, declared, &c->bound);
	SOTTO_TRY(declared_domain(p, t, declared, c->field, &c->bound));
	SOTTO_TRY(set_value(p, t, i, native, c));
	if (t->policy->is_public && !(declared && declared->has_keys))
		c->rows = r->rows;
	if (t->policy->unit && strcasecmp(t->policy->unit, source->name) == 0) {
		c->bound.is_unit = true;
		r->unit = native;
		r->unit_column = source;
	}
	SOTTO_NEED(sotto_scope_add(p->arena, &r->scope, c));
	return SOTTO_OK;
}

/* A declared column that the source does not have is a mistake worth an error. */
static enum sotto_status
check_declared(struct sotto_planner *p, const struct sotto_schema_table *t)
{
	const struct sotto_policy_column *columns = t->policy->columns;
	bool *found = sotto_arena_alloc(p->arena, t->policy->column_count + 1);

	SOTTO_NEED(found);
	for (size_t i = 0; i < t->column_count; i++) {
		const struct sotto_policy_column *c =
			sotto_policy_column_find(t->policy, t->columns[i].name);

		if (c)
			found[c - columns] = true;
	}
	for (size_t i = 0; i < t->policy->column_count; i++)
		if (!found[i])
			return sotto_fail(
				p->err, SOTTO_EPARSE,
				"%.160s:%zu: the source of table %.60s has no column %.60s",
				p->policy->path, columns[i].line, t->policy->name,
				columns[i].name);
	return SOTTO_OK;
}

/* Two columns under one name: the source's own would be taken for the unit. */
static enum sotto_status
check_reserved(struct sotto_planner *p, const struct sotto_schema_table *t)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const char *name = t->columns[i].name;

		if (strcasecmp(name, "sotto row") == 0 || strcasecmp(name, "sotto unit") == 0 ||
		    strncasecmp(name, "sotto text ", 11) == 0 ||
		    strncasecmp(name, "sotto value ", 12) == 0)
			return sotto_fail(
				p->err, SOTTO_EPARSE,
				"%.160s:%zu: the source of table %.60s has a column %.60s, "
				"which is a name that sotto uses; rename it",
				p->policy->path, t->policy->line, t->policy->name, name);
	}
	return SOTTO_OK;
}

/* Each row with a number, which is its unit. */
static enum sotto_status number_rows(struct sotto_planner *p,
				     const struct sotto_schema_table *t,
				     struct sotto_relation *out)
{
	static const char name[] = "sotto row";
	struct sotto_arena *a = p->arena;
	struct sotto_rowset_select s = {0};
	const struct sotto_rowset *scan;

	SOTTO_TRY(sotto_scan_rows(p, t, NULL, &scan));
	SOTTO_NEED(sotto_rowset_output(a, &s, sotto_expression_word(a, SOTTO_OP_STAR), NULL) &&
		   sotto_rowset_output(a, &s,
				       sotto_expression_over(
					       a, sotto_expression_word(a, SOTTO_OP_ROW_NUMBER),
					       &(struct sotto_over){0}),
				       name) &&
		   sotto_rowset_from(a, &s, scan));
	out->unit = sotto_expression_column(a, out->alias, name);
	out->tree = sotto_rowset_select(a, &s, out->alias);
	return out->unit && out->tree ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_scan_bind(struct sotto_planner *p,
				  const struct sotto_policy_table *table, const char *name,
				  struct sotto_relation *out)
{
	const struct sotto_schema_table *t;
	const char *alias = sotto_planner_alias(p);

	SOTTO_NEED(alias);
	SOTTO_TRY(sotto_planner_schema(p, table, &t, p->err));
	SOTTO_TRY(check_declared(p, t));
	SOTTO_TRY(check_reserved(p, t));
	*out = (struct sotto_relation){.owner = table->is_public ? NULL : table};
	out->grain = out->owner;
	if (table->is_public)
		SOTTO_TRY(sotto_public_rows_new(p->arena, &out->rows));
	for (size_t i = 0; i < t->column_count; i++)
		SOTTO_TRY(add_column(p, out, name, alias, t, i));
	if (table->unit && !out->unit)
		return sotto_fail(
			p->err, SOTTO_EPARSE,
			"%.160s:%zu: the source of table %.60s has no column %.60s, which is "
			"its unit",
			p->policy->path, table->line, table->name, table->unit);
	SOTTO_TRY(sotto_unit_check_exact(p, t, out->unit_column));
	out->alias = alias;
	if (table->via)
		return sotto_unit_path_scan(p, t, out);
	if (table->unit_is_row && p->row_ids)
		return number_rows(p, t, out);
	SOTTO_TRY(sotto_scan_rows(p, t, alias, &out->tree));
	if (out->rows)
		out->rows->tree = out->tree;
	return SOTTO_OK;
}
