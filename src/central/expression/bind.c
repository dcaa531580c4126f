/*
 * Columns, and the dispatch to the other kinds of expressions.
 */
#include "central/expression/bind.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "central/expression/noisy_interval.h"
#include "central/expression/number/decimal.h"
#include "central/expression/work/row_work.h"
#include "core/base/failure.h"

/* ---- columns ------------------------------------------------------------------- */

const char *sotto_scope_without_quotes(const struct sotto_scope *scope, const char *word)
{
	const size_t length = strlen(word);

	for (size_t i = 0; length && i < scope->count; i++) {
		const char *name = scope->columns[i]->name;

		if (strncasecmp(name, word, length) == 0 && name[length] &&
		    !isalnum((unsigned char)name[length]) && name[length] != '_')
			return name;
	}
	return NULL;
}

/* Names in a question are cut after 63 bytes, as PostgreSQL cuts them, and not within a character. */
static bool is_cut(const struct sotto_scope *scope, const char *word)
{
	enum { LONGEST = 63, CHARACTER = 4 };
	const size_t length = strlen(word);

	for (size_t i = 0; length > LONGEST - CHARACTER && i < scope->count; i++) {
		const char *name = scope->columns[i]->name;

		if (strlen(name) > LONGEST && strncasecmp(name, word, length) == 0)
			return true;
	}
	return false;
}

static enum sotto_status unknown_column(struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	const char *meant = sotto_scope_without_quotes(b->scope, e->text);
	char list[240] = "";
	size_t n = 0;

	if (b->outer && sotto_scope_has(b->outer, e))
		return sotto_bind_refuse(b, e,
					 "the subquery reads %.40s of the outer query, which "
					 "is not supported here; join it in FROM "
					 "instead",
					 e->text);
	if (is_cut(b->scope, e->text))
		return sotto_bind_refuse(
			b, e,
			"the name of the column %.40s... is longer than the 63 bytes that a "
			"question can write; the owner can give it a shorter one, by names: in "
			"the policy or by a view",
			e->text);
	if (meant)
		return sotto_bind_refuse(b, e,
					 "there is no column %.40s; write \"%.80s\" in double "
					 "quotes, because its name is not a plain word",
					 e->text, meant);
	if (b->scope->count == 0)
		return sotto_bind_refuse(
			b, e, "there is no column %.40s, because no table is named in FROM",
			e->text);
	for (size_t i = 0; i < b->scope->count && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
				      b->scope->columns[i]->name);
	return sotto_bind_refuse(b, e, "there is no column %.40s%s%.40s; the columns are %s",
				 e->qualifier ? e->qualifier : "", e->qualifier ? "." : "",
				 e->text, list);
}

/* A list, a map or a structure; the fields of a structure are columns. */
static enum sotto_status refuse_type(struct sotto_binder *b, const struct sotto_scope *scope,
				     const struct sotto_sql_expr *e)
{
	size_t length = strlen(e->text), n = 0;
	char list[200] = "";

	for (size_t i = 0; i < scope->count && n < sizeof list; i++) {
		const char *name = scope->columns[i]->name;

		if (strncasecmp(name, e->text, length) == 0 && name[length] == '.' &&
		    scope->columns[i]->bound.type != SOTTO_TYPE_OTHER)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
					      name);
	}
	if (n > 0)
		return sotto_bind_refuse(b, e,
					 "the column %.40s holds structures; write one of its "
					 "fields: %s",
					 e->text, list);
	return sotto_bind_refuse(b, e,
				 "the column %.40s has a type that is not supported, like a "
				 "list or a map; ask about other columns",
				 e->text);
}

static enum sotto_status
bind_column(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const struct sotto_scope *scope = b->scope;
	struct sotto_scope_column *found = NULL;
	const struct sotto_scope_column **slot;
	bool is_field;

	if (b->correlated && !sotto_scope_has(scope, e))
		scope = b->correlated;
	for (size_t i = sotto_scope_first(scope, e->text); i < scope->count;
	     i = sotto_scope_after(scope, i)) {
		if (!sotto_scope_matches(scope->columns[i], e))
			continue;
		if (found)
			return sotto_bind_refuse(
				b, e,
				strcasecmp(found->table, scope->columns[i]->table) == 0
					? "two columns are called %.40s; name them with AS"
					: "the column %.40s is in two tables; write "
					  "table.column",
				e->text);
		found = scope->columns[i];
	}
	if (!found) {
		SOTTO_TRY(sotto_bind_field(b, e, out, &is_field));
		return is_field ? SOTTO_OK : unknown_column(b, e);
	}
	if (found->bound.type == SOTTO_TYPE_OTHER)
		return refuse_type(b, scope, e);
	*out = found->bound;
	if (scope != b->scope) { /* a place of the row around, not of the rows here */
		out->is_place = false;
		out->places = 0;
	}
	if (b->cut)
		out->whole = NULL;
	if (b->together)
		SOTTO_TRY(sotto_interval_stretch(b, out));
	if (b->grouped) /* its ends are not the same in all rows of a group */
		SOTTO_TRY(sotto_interval_of_group(b, out));
	out->columns = NULL;
	out->column_count = 0;
	slot = SOTTO_PUSH(b->arena, out->columns, out->column_count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = found;
	return SOTTO_OK;
}

/* ---- the whole ----------------------------------------------------------------- */

static enum sotto_status
bind_kind(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	switch (e->kind) {
	case SOTTO_SQL_NULL:
	case SOTTO_SQL_BOOL:
	case SOTTO_SQL_NUMBER:
	case SOTTO_SQL_TEXT:
		return sotto_bind_literal(b, e, out);
	case SOTTO_SQL_COLUMN:
		return bind_column(b, e, out);
	case SOTTO_SQL_OP:
		return sotto_bind_operator(b, e, out);
	case SOTTO_SQL_CASE:
		return sotto_bind_case(b, e, out);
	case SOTTO_SQL_IN:
		return e->select ? sotto_bind_subquery(b, e, out) : sotto_bind_in(b, e, out);
	case SOTTO_SQL_SCALAR:
	case SOTTO_SQL_EXISTS:
		return sotto_bind_subquery(b, e, out);
	case SOTTO_SQL_CAST:
		return sotto_bind_cast(b, e, out);
	case SOTTO_SQL_CALL:
		return sotto_bind_call(b, e, out);
	case SOTTO_SQL_STAR:
	case SOTTO_SQL_KEY:
	case SOTTO_SQL_VALUE:
		break;
	}
	return sotto_bind_refuse(b, e, "* stands for all columns and is not a value");
}

enum sotto_status
sotto_bind(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_loads below = {0}, *around = b->below;
	bool rough = b->rough;
	enum sotto_status st;

	b->below = &below;
	b->rough = false;
	st = bind_kind(b, e, out);
	b->below = around;
	SOTTO_TRY(st);
	if (!rough)
		SOTTO_TRY(sotto_decimal_settle(b, out));
	SOTTO_TRY(sotto_load_measure(b, e, &below, out));
	if (around || b->lazy || !b->planner || !b->err)
		return SOTTO_OK; /* a part of another, or only looked at */
	return sotto_load_count(b, e, out);
}

enum sotto_status sotto_bind_rough(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   struct sotto_bound *out)
{
	b->rough = true;
	return sotto_bind(b, e, out);
}

enum sotto_status sotto_bind_condition(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       struct sotto_bound *out)
{
	SOTTO_TRY(sotto_bind(b, e, out));
	SOTTO_TRY(sotto_bind_as(b, e, out, SOTTO_TYPE_BOOLEAN, &out->value));
	out->whole = NULL;
	return SOTTO_OK;
}
