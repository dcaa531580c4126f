/*
 * Compares trees by form, field by field and then child by child, and never by where they stand
 * in the text; the order has no meaning but is total.
 */
#include "central/parse/syntax_tree.h"

#include <string.h>

struct sotto_sql_expr *
sotto_sql_expr_new(struct sotto_arena *a, enum sotto_sql_kind kind, int at)
{
	struct sotto_sql_expr *e = sotto_arena_alloc(a, sizeof *e);

	if (e) {
		e->kind = kind;
		e->at = at;
	}
	return e;
}

enum sotto_sql_op sotto_sql_op_mirrored(enum sotto_sql_op op)
{
	switch (op) {
	case SOTTO_SQL_LT:
		return SOTTO_SQL_GT;
	case SOTTO_SQL_LE:
		return SOTTO_SQL_GE;
	case SOTTO_SQL_GT:
		return SOTTO_SQL_LT;
	case SOTTO_SQL_GE:
		return SOTTO_SQL_LE;
	default:
		return op;
	}
}

enum sotto_sql_form sotto_sql_expr_form(const struct sotto_sql_expr *e)
{
	static const struct {
		const char *name;
		size_t count; /* of its arguments; 0: any */
		enum sotto_sql_form form;
	} all[] = {
		{"coalesce", 0, SOTTO_SQL_FORM_COALESCE},
		{"greatest", 0, SOTTO_SQL_FORM_GREATEST},
		{"least", 0, SOTTO_SQL_FORM_LEAST},
		{"nullif", 2, SOTTO_SQL_FORM_NULLIF},
		{"clip", 0, SOTTO_SQL_FORM_CLIP},
		{"concat", 0, SOTTO_SQL_FORM_CONCAT},
		{"concat_ws", 0, SOTTO_SQL_FORM_CONCAT_WS},
		{"timezone", 2, SOTTO_SQL_FORM_TIMEZONE},
	};

	if (e->kind != SOTTO_SQL_CALL)
		return SOTTO_SQL_FORM_NONE;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if ((all[i].count == 0 || all[i].count == e->count) &&
		    strcmp(e->text, all[i].name) == 0)
			return all[i].form;
	return SOTTO_SQL_FORM_NONE;
}

bool sotto_sql_expr_chooses(const struct sotto_sql_expr *e)
{
	switch (sotto_sql_expr_form(e)) {
	case SOTTO_SQL_FORM_COALESCE:
	case SOTTO_SQL_FORM_GREATEST:
	case SOTTO_SQL_FORM_LEAST:
	case SOTTO_SQL_FORM_NULLIF:
		return true;
	case SOTTO_SQL_FORM_NONE:
	case SOTTO_SQL_FORM_CLIP:
	case SOTTO_SQL_FORM_CONCAT:
	case SOTTO_SQL_FORM_CONCAT_WS:
	case SOTTO_SQL_FORM_TIMEZONE:
		break;
	}
	return false;
}

struct sotto_sql_expr *sotto_sql_op_new(struct sotto_arena *a, enum sotto_sql_op op,
					struct sotto_sql_expr *left,
					struct sotto_sql_expr *right)
{
	struct sotto_sql_expr *e = left ? sotto_sql_expr_new(a, SOTTO_SQL_OP, left->at) : NULL;

	if (!e)
		return NULL;
	e->op = op;
	e->count = right ? 2 : 1;
	e->args = sotto_arena_alloc(a, e->count * sizeof(struct sotto_sql_expr *));
	if (!e->args)
		return NULL;
	e->args[0] = left;
	if (right)
		e->args[1] = right;
	return e;
}

struct sotto_sql_expr *
sotto_sql_expr_copy(struct sotto_arena *a, const struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *copy = sotto_arena_alloc(a, sizeof *copy);

	if (!copy)
		return NULL;
	*copy = *e;
	copy->args = sotto_arena_alloc(a, (e->count + 1) * sizeof *copy->args);
	if (!copy->args)
		return NULL;
	for (size_t i = 0; i < e->count; i++)
		copy->args[i] = e->args[i];
	return copy;
}

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && strcmp(x, y) == 0);
}

bool sotto_sql_expr_equal(const struct sotto_sql_expr *x, const struct sotto_sql_expr *y)
{
	if (!x || !y)
		return x == y;
	if (x->kind != y->kind || x->op != y->op || x->type != y->type ||
	    x->zoned != y->zoned || x->truth != y->truth || x->distinct != y->distinct ||
	    x->over != y->over || x->within != y->within || x->descending != y->descending ||
	    x->index != y->index || x->count != y->count || x->select != y->select ||
	    x->window != y->window || !same_text(x->text, y->text) ||
	    !same_text(x->qualifier, y->qualifier) || !same_text(x->prefix, y->prefix) ||
	    !sotto_sql_expr_equal(x->filter, y->filter))
		return false;
	for (size_t i = 0; i < x->count; i++)
		if (!sotto_sql_expr_equal(x->args[i], y->args[i]))
			return false;
	return true;
}

static int compare_texts(const char *x, const char *y)
{
	if (!x || !y)
		return (x != NULL) - (y != NULL);
	return strcmp(x, y);
}

/* All that is not a tree, as numbers in one row. */
static int compare_numbers(const struct sotto_sql_expr *x, const struct sotto_sql_expr *y)
{
	const size_t a[] = {x->kind,    x->op,      x->type,       x->truth, x->distinct,
			    x->over,    x->within,  x->descending, x->index, x->count,
			    !x->select, !x->window, x->zoned};
	const size_t b[] = {y->kind,    y->op,      y->type,       y->truth, y->distinct,
			    y->over,    y->within,  y->descending, y->index, y->count,
			    !y->select, !y->window, y->zoned};

	for (size_t i = 0; i < sizeof a / sizeof a[0]; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

int sotto_sql_expr_compare(const struct sotto_sql_expr *x, const struct sotto_sql_expr *y)
{
	int order;

	if (!x || !y)
		return (x != NULL) - (y != NULL);
	order = compare_numbers(x, y);
	if (order == 0)
		order = compare_texts(x->text, y->text);
	if (order == 0)
		order = compare_texts(x->qualifier, y->qualifier);
	if (order == 0)
		order = compare_texts(x->prefix, y->prefix);
	if (order == 0)
		order = sotto_sql_expr_compare(x->filter, y->filter);
	for (size_t i = 0; order == 0 && i < x->count; i++)
		order = sotto_sql_expr_compare(x->args[i], y->args[i]);
	return order;
}

bool sotto_sql_expr_has_select(const struct sotto_sql_expr *e)
{
	if (e->select)
		return true;
	for (size_t i = 0; i < e->count; i++)
		if (sotto_sql_expr_has_select(e->args[i]))
			return true;
	return false;
}

double sotto_sql_expr_size(const struct sotto_sql_expr *e)
{
	double size = 1;

	if (e->size > 0)
		return e->size;
	for (size_t i = 0; i < e->count; i++)
		size += sotto_sql_expr_size(e->args[i]);
	return size;
}

struct sotto_sql_select *
sotto_sql_select_around(struct sotto_arena *a, struct sotto_sql_select *s)
{
	struct sotto_sql_select *outer = sotto_arena_alloc(a, sizeof *outer);
	struct sotto_sql_from *from = sotto_arena_alloc(a, sizeof *from);
	struct sotto_sql_output *all = sotto_arena_alloc(a, sizeof *all);

	if (!outer || !from || !all)
		return NULL;
	all->expr = sotto_sql_expr_new(a, SOTTO_SQL_STAR, s->at);
	*from = (struct sotto_sql_from){.kind = SOTTO_SQL_SUBQUERY, .at = s->at, .select = s};
	*outer = (struct sotto_sql_select){
		.at = s->at, .outputs = all, .output_count = 1, .from = from, .limit = -1};
	return all->expr ? outer : NULL;
}
