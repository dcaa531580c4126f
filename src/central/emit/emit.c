/*
 * Walks down the tree and appends to one buffer; an operation is a template whose $ signs stand
 * for its arguments, and tables that are read are noted on the way.
 */
#include "central/emit/emit.h"

#include <string.h>

#include "central/emit/expression_weight.h"
#include "central/policy/schema.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum { MOST = 16 << 20 }; /* bytes of one query */

#define ADD_TEXT(text) SOTTO_TRY(sotto_buffer_append_text(&e->buffer, text))

void sotto_emitter_init(struct sotto_emitter *e, struct sotto_arena *a)
{
	*e = (struct sotto_emitter){.arena = a};
	sotto_buffer_init(&e->buffer, MOST);
}

void sotto_emitter_release(struct sotto_emitter *e)
{
	sotto_buffer_release(&e->buffer);
}

enum sotto_status sotto_emitter_finish(struct sotto_emitter *e, struct sotto_emitted *out)
{
	const char *sql = sotto_arena_text(e->arena, sotto_buffer_text(&e->buffer));

	if (!sql)
		return SOTTO_ENOMEM;
	*out = (struct sotto_emitted){.sql = sql,
				      .scans = e->scans,
				      .scan_count = e->scan_count,
				      .reads_private = e->reads_private,
				      .reads_parts = e->reads_parts};
	return SOTTO_OK;
}

/* ---- tokens -------------------------------------------------------------------------------- */

/* k0, t12: no word of SQL. */
static bool is_bare(const char *name)
{
	return name[0] >= 'a' && name[0] <= 'z' &&
	       strspn(name + 1, "0123456789") == strlen(name + 1);
}

static enum sotto_status add_name(struct sotto_emitter *e, const char *name)
{
	return is_bare(name) ? sotto_buffer_append_text(&e->buffer, name)
			     : sotto_sql_append_quoted(&e->buffer, name, '"');
}

static enum sotto_status add_name_of(struct sotto_emitter *e, const struct sotto_expression *x)
{
	if (x->of.column.alias) {
		SOTTO_TRY(add_name(e, x->of.column.alias));
		ADD_TEXT(".");
	}
	return x->of.column.name ? add_name(e, x->of.column.name)
				 : sotto_buffer_append_text(&e->buffer, "*");
}

/*
 * Of a file whose values are in a dictionary the engine has a function of the dictionary alone, as
 * long as it is short (sensitivity.md, 8c): the one row whose value is new there would decide on the
 * work with all others.  So what takes long has its values from a function that is called for each
 * row, and that is not moved to where the dictionary is.
 */
static enum sotto_status add_column(struct sotto_emitter *e, const struct sotto_expression *x)
{
	const char *name = x->of.column.name;
	bool is_text = name && strncmp(name, "sotto text ", 11) == 0;

	if (!e->is_heavy || !name || !e->has_each)
		return add_name_of(e, x);
	ADD_TEXT(is_text ? "sotto_each(" : "CASE WHEN sotto_row() THEN ");
	SOTTO_TRY(add_name_of(e, x));
	return sotto_buffer_append_text(&e->buffer, is_text ? ")" : " END");
}

/* ---- expressions --------------------------------------------------------------------------- */

static enum sotto_status
add_arguments(struct sotto_emitter *e, const struct sotto_expression *x, const char *mark)
{
	for (size_t i = 0; i < x->count; i++) {
		if (i)
			ADD_TEXT(mark);
		SOTTO_TRY(sotto_emit_expression(e, x->args[i]));
	}
	return SOTTO_OK;
}

/* What stands behind a $ in a template. */
static enum sotto_status
add_token(struct sotto_emitter *e, const struct sotto_expression *x, char token)
{
	switch (token) {
	case ',':
		return add_arguments(e, x, ", ");
	case '|':
		return add_arguments(e, x, " OR ");
	case '_':
		return add_arguments(e, x, " ");
	case 'T':
		return sotto_buffer_append_text(&e->buffer, sotto_sql_type_engine(x->of.cast));
	case 'q':
		return sotto_emit_query(e, x->of.query);
	case 'c':
		return add_column(e, x);
	case 's':
		return sotto_sql_append_quoted(&e->buffer, x->of.literal, '\'');
	case 'w':
		return sotto_buffer_append_text(&e->buffer, x->of.literal);
	default:
		return sotto_emit_expression(e, x->args[token - '1']);
	}
}

/* A cut that takes less time, where the engine has a function for it (engine/sum/text_cut.h). */
static const struct sotto_operation *
operation_here(const struct sotto_emitter *e, const struct sotto_expression *x)
{
	return e->has_each && x->operation == sotto_operation(SOTTO_OP_CUT)
		       ? sotto_operation(SOTTO_OP_CUT_HERE)
		       : x->operation;
}

static enum sotto_status
fill_template(struct sotto_emitter *e, const struct sotto_expression *x)
{
	const char *s = operation_here(e, x)->template;

	while (*s) {
		size_t n = strcspn(s, "$");

		SOTTO_TRY(sotto_buffer_append(&e->buffer, s, n));
		s += n;
		if (!*s)
			break;
		SOTTO_TRY(add_token(e, x, s[1]));
		s += 2;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_emit_expression(struct sotto_emitter *e, const struct sotto_expression *x)
{
	bool before = e->is_heavy;
	enum sotto_status st;

	if (x->operation->form == SOTTO_OPERATION_QUERY || sotto_expression_is_tie(x))
		e->is_heavy = false;
	else if (!before && sotto_expression_is_heavy(x)) {
		e->finds_heavy = e->finds_heavy || sotto_expression_reads_column(x);
		e->is_heavy = !e->is_grouped;
	}
	st = fill_template(e, x);
	e->is_heavy = before;
	return st;
}

/* ---- relations ----------------------------------------------------------------------------- */

static enum sotto_status note_scan(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	const char **slot;

	e->reads_private = e->reads_private || r->of.scan.is_private;
	for (size_t i = 0; i < e->scan_count; i++)
		if (strcmp(e->scans[i], r->of.scan.table) == 0)
			return SOTTO_OK;
	slot = SOTTO_PUSH(e->arena, e->scans, e->scan_count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = r->of.scan.table;
	return SOTTO_OK;
}

static enum sotto_status add_values(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	ADD_TEXT("(VALUES ");
	for (size_t i = 0; i < r->of.values.count; i++) {
		ADD_TEXT(i ? ", (" : "(");
		SOTTO_TRY(sotto_emit_expression(e, r->of.values.list[i]));
		ADD_TEXT(")");
	}
	ADD_TEXT(") AS ");
	SOTTO_TRY(add_name(e, r->alias));
	ADD_TEXT("(");
	SOTTO_TRY(add_name(e, r->of.values.column));
	return sotto_buffer_append_text(&e->buffer, ")");
}

static enum sotto_status add_join(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	static const char *const words[] = {" JOIN ", " LEFT JOIN ", " RIGHT JOIN ",
					    " FULL JOIN "};

	ADD_TEXT("(");
	SOTTO_TRY(sotto_emit_from(e, r->of.join.left));
	ADD_TEXT(words[r->of.join.how]);
	SOTTO_TRY(sotto_emit_from(e, r->of.join.right));
	ADD_TEXT(" ON ");
	SOTTO_TRY(sotto_emit_expression(e, r->of.join.on));
	return sotto_buffer_append_text(&e->buffer, ")");
}

/* What lies row by row has a view of its own (session_source_view.c). */
static enum sotto_status add_scan(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	const char *name = strchr(r->of.scan.table, '.');

	SOTTO_TRY(note_scan(e, r));
	if (!e->is_row_by_row || !r->of.scan.is_private || !name)
		return sotto_buffer_append_text(&e->buffer, r->of.scan.table);
	ADD_TEXT(SOTTO_SCHEMA_EACH);
	return sotto_buffer_append_text(&e->buffer, name);
}

/* Without the alias. */
static enum sotto_status add_source(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	switch (r->kind) {
	case SOTTO_ROWSET_SCAN:
		return add_scan(e, r);
	case SOTTO_ROWSET_PART:
		e->reads_parts = true;
		return sotto_buffer_appendf(&e->buffer, "\"sotto part %zu\"", r->of.part);
	case SOTTO_ROWSET_RANGE:
		return sotto_buffer_appendf(&e->buffer, "range(%lld, %lld)",
					    (long long)r->of.range.lo,
					    (long long)r->of.range.end);
	case SOTTO_ROWSET_HELD:
		return sotto_buffer_appendf(&e->buffer, "e%zu", r->of.held);
	case SOTTO_ROWSET_JOIN:
		return add_join(e, r);
	case SOTTO_ROWSET_VALUES:
	case SOTTO_ROWSET_SET:
	case SOTTO_ROWSET_SELECT:
		break;
	}
	ADD_TEXT("(");
	SOTTO_TRY(sotto_emit_query(e, r));
	return sotto_buffer_append_text(&e->buffer, ")");
}

enum sotto_status sotto_emit_from(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	if (r->kind == SOTTO_ROWSET_VALUES)
		return add_values(e, r);
	SOTTO_TRY(add_source(e, r));
	if (!r->alias)
		return SOTTO_OK;
	ADD_TEXT(" AS ");
	return add_name(e, r->alias);
}

static enum sotto_status
add_outputs(struct sotto_emitter *e, const struct sotto_rowset_select *s)
{
	for (size_t i = 0; i < s->output_count; i++) {
		if (i)
			ADD_TEXT(", ");
		SOTTO_TRY(sotto_emit_expression(e, s->outputs[i].value));
		if (!s->outputs[i].name)
			continue;
		ADD_TEXT(" AS ");
		SOTTO_TRY(add_name(e, s->outputs[i].name));
	}
	return SOTTO_OK;
}

static enum sotto_status
add_clause(struct sotto_emitter *e, const char *word, const struct sotto_expression *x)
{
	if (!x)
		return SOTTO_OK;
	ADD_TEXT(word);
	return sotto_emit_expression(e, x);
}

/* GROUP BY expressions, which outputs repeat; places of outputs are numbers. */
static bool names_groups(const struct sotto_expression *groups)
{
	for (size_t i = 0; groups && i < groups->count; i++)
		if (groups->args[i]->operation->form != SOTTO_OPERATION_LITERAL)
			return true;
	return groups && groups->count == 0;
}

static enum sotto_status add_rows(struct sotto_emitter *e, const struct sotto_rowset_select *s)
{
	for (size_t i = 0; i < s->from_count; i++) {
		ADD_TEXT(i ? ", " : " FROM ");
		SOTTO_TRY(sotto_emit_from(e, s->from[i]));
	}
	return add_clause(e, " WHERE ", s->where);
}

static enum sotto_status
add_clauses(struct sotto_emitter *e, const struct sotto_rowset_select *s)
{
	bool is_grouped = names_groups(s->groups);

	ADD_TEXT("SELECT ");
	ADD_TEXT(s->distinct ? "DISTINCT " : s->replace ? "* REPLACE (" : "");
	e->is_grouped = is_grouped;
	SOTTO_TRY(add_outputs(e, s));
	ADD_TEXT(s->replace ? ")" : "");
	e->is_grouped = false;
	SOTTO_TRY(add_rows(e, s));
	e->is_grouped = is_grouped;
	SOTTO_TRY(add_clause(e, " GROUP BY ", s->groups));
	SOTTO_TRY(add_clause(e, " HAVING ", s->having));
	SOTTO_TRY(add_clause(e, " QUALIFY ", s->qualify));
	SOTTO_TRY(add_clause(e, " ORDER BY ", s->orders));
	SOTTO_TRY(add_clause(e, " LIMIT ", s->limit));
	return add_clause(e, " OFFSET ", s->offset);
}

static enum sotto_status
add_select(struct sotto_emitter *e, const struct sotto_rowset_select *s)
{
	bool before = e->is_grouped;
	enum sotto_status st = add_clauses(e, s);

	e->is_grouped = before;
	return st;
}

/* In brackets, because INTERSECT goes before the others. */
static enum sotto_status add_arm(struct sotto_emitter *e, const struct sotto_rowset *arm)
{
	if (arm->kind != SOTTO_ROWSET_SET)
		return sotto_emit_query(e, arm);
	ADD_TEXT("SELECT * FROM ");
	return sotto_emit_from(e, arm);
}

static bool same_set(const struct sotto_rowset *x, const struct sotto_rowset *y)
{
	return x->kind == SOTTO_ROWSET_SET && x->of.both.how == y->of.both.how &&
	       x->of.both.all == y->of.both.all;
}

static enum sotto_status add_set(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	static const char *const words[] = {[SOTTO_SQL_UNION] = " UNION ",
					    [SOTTO_SQL_INTERSECT] = " INTERSECT ",
					    [SOTTO_SQL_EXCEPT] = " EXCEPT "};

	if (same_set(r->of.both.first, r))
		SOTTO_TRY(sotto_emit_query(e, r->of.both.first));
	else
		SOTTO_TRY(add_arm(e, r->of.both.first));
	ADD_TEXT(words[r->of.both.how]);
	if (r->of.both.all)
		ADD_TEXT("ALL ");
	return add_arm(e, r->of.both.second);
}

enum sotto_status sotto_emit_query(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	if (r->kind == SOTTO_ROWSET_SELECT)
		return add_select(e, &r->of.select);
	if (r->kind == SOTTO_ROWSET_SET)
		return add_set(e, r);
	ADD_TEXT("SELECT * FROM ");
	return sotto_emit_from(e, r);
}

enum sotto_status
sotto_emit(struct sotto_arena *a, const struct sotto_rowset *query, struct sotto_emitted *out)
{
	struct sotto_emitter e;
	enum sotto_status st;

	sotto_emitter_init(&e, a);
	st = sotto_emit_query(&e, query);
	if (st == SOTTO_OK)
		st = sotto_emitter_finish(&e, out);
	sotto_emitter_release(&e);
	return st;
}
