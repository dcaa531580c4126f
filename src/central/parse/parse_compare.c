/*
 * Operators and comparisons: =, BETWEEN, IN, LIKE, ANY, rows of values.  All of
 * them become comparisons of two values, put together with AND, OR and NOT.
 */
#include "central/parse/dialect/function_date.h"
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"
#include "central/parse/value/array_text.h"
#include "central/parse/value/json_path.h"

#include <string.h>

#include "central/parse/pattern/text_pattern.h"
#include "core/base/failure.h"

static int place(const json_t *body)
{
	return sotto_sql_node_int(body, "location", 0);
}

static const char *symbol_of(const json_t *body)
{
	return sotto_sql_node_last_name(json_object_get(body, "name"));
}

enum sotto_status sotto_sql_negated(struct sotto_sql_parser *p, bool negate,
				    struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	if (negate)
		e = sotto_sql_op_new(p->arena, SOTTO_SQL_NOT, e, NULL);
	SOTTO_SQL_NEED(e);
	*out = e;
	return SOTTO_OK;
}

/* With one argument or two: y may be NULL. */
static enum sotto_status make_call(struct sotto_sql_parser *p, const json_t *body,
				   const char *name, struct sotto_sql_expr *x,
				   struct sotto_sql_expr *y, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e = sotto_sql_parse_new(p, SOTTO_SQL_CALL, body);

	SOTTO_SQL_NEED(e);
	e->text = name;
	e->count = y ? 2 : 1;
	e->args = sotto_arena_alloc(p->arena, 2 * sizeof *e->args);
	SOTTO_SQL_NEED(e->args);
	e->args[0] = x;
	e->args[1] = y;
	*out = e;
	return SOTTO_OK;
}

/* ---- two values --------------------------------------------------------------------------- */

static const struct {
	const char *symbol;
	enum sotto_sql_op op;
	bool negate;
} operators[] = {
	{"+", SOTTO_SQL_ADD, false},      {"-", SOTTO_SQL_SUBTRACT, false},
	{"*", SOTTO_SQL_MULTIPLY, false}, {"/", SOTTO_SQL_DIVIDE, false},
	{"//", SOTTO_SQL_DIVIDE, false}, /* of DuckDB, which cuts whole numbers alone */
	{"%", SOTTO_SQL_MODULO, false},   {"||", SOTTO_SQL_CONCAT, false},
	{"=", SOTTO_SQL_EQ, false},       {"<>", SOTTO_SQL_NE, false},
	{"<", SOTTO_SQL_LT, false},       {"<=", SOTTO_SQL_LE, false},
	{">", SOTTO_SQL_GT, false},       {">=", SOTTO_SQL_GE, false},
	{"~~", SOTTO_SQL_LIKE, false},    {"!~~", SOTTO_SQL_LIKE, true},
	{"~~*", SOTTO_SQL_ILIKE, false},  {"!~~*", SOTTO_SQL_ILIKE, true},
};

/* Operators that are functions in other clothes. */
static const struct {
	const char *symbol, *function;
	bool negate;
} functions[] = {
	{"^", "power", false},
	{"~", "regexp_matches", false},
	{"!~", "regexp_matches", true},
	{"~*", "regexp_imatches", false},
	{"!~*", "regexp_imatches", true},
	{"&", "bitwise_and", false},
	{"|", "bitwise_or", false},
	{"#", "bitwise_xor", false},
};

static const struct {
	const char *symbol, *function;
} prefixes[] = {{"|/", "sqrt"}, {"||/", "cbrt"}, {"@", "abs"}};

static enum sotto_status refuse_operator(struct sotto_sql_parser *p, const json_t *body)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, place(body),
			      "the operator %.16s is not on the list of reviewed operators",
			      symbol_of(body));
}

static enum sotto_status
make_operator(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr *left,
	      struct sotto_sql_expr *right, struct sotto_sql_expr **out)
{
	const char *symbol = symbol_of(body);
	bool done;

	SOTTO_TRY(sotto_json_operator(p, symbol, left, right, out, &done));
	if (done)
		return SOTTO_OK;
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (strcmp(operators[i].symbol, symbol) == 0) {
			struct sotto_sql_expr *e =
				sotto_sql_op_new(p->arena, operators[i].op, left, right);

			SOTTO_SQL_NEED(e);
			SOTTO_TRY(sotto_sql_rewrite_interval(p, e));
			return sotto_sql_negated(p, operators[i].negate, e, out);
		}
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].symbol, symbol) == 0) {
			SOTTO_TRY(make_call(p, body, functions[i].function, left, right, out));
			return sotto_sql_negated(p, functions[i].negate, *out, out);
		}
	return refuse_operator(p, body);
}

static enum sotto_status make_prefix(struct sotto_sql_parser *p, const json_t *body,
				     struct sotto_sql_expr *x, struct sotto_sql_expr **out)
{
	const char *symbol = symbol_of(body);

	*out = x;
	if (strcmp(symbol, "+") == 0)
		return SOTTO_OK;
	if (strcmp(symbol, "-") == 0)
		return sotto_sql_negated(
			p, false, sotto_sql_op_new(p->arena, SOTTO_SQL_NEGATE, x, NULL), out);
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strcmp(prefixes[i].symbol, symbol) == 0)
			return make_call(p, body, prefixes[i].function, x, NULL, out);
	return refuse_operator(p, body);
}

/* LIKE x ESCAPE y: the parser calls like_escape(x, y), SIMILAR TO similar_to_escape(x). */
static enum sotto_status
read_escaped(struct sotto_sql_parser *p, struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	bool like = e->kind == SOTTO_SQL_CALL && strcmp(e->text, "like_escape") == 0;
	bool similar = e->kind == SOTTO_SQL_CALL && strcmp(e->text, "similar_to_escape") == 0;
	struct sotto_sql_expr *pattern;

	*out = e;
	if (!like && !similar)
		return SOTTO_OK;
	pattern = sotto_sql_expr_new(p->arena, SOTTO_SQL_TEXT, e->at);
	SOTTO_SQL_NEED(pattern);
	if (e->args[0]->kind != SOTTO_SQL_TEXT || e->count != 1 + (size_t)like ||
	    (like && (e->args[1]->kind != SOTTO_SQL_TEXT || strlen(e->args[1]->text) > 1)))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "a pattern must be written out in the query, and so must "
				      "the one character after ESCAPE");
	pattern->text =
		like ? sotto_sql_pattern_like(p->arena, e->args[0]->text, e->args[1]->text)
		     : sotto_sql_pattern_similar(p->arena, e->args[0]->text);
	SOTTO_SQL_NEED(pattern->text);
	*out = pattern;
	return SOTTO_OK;
}

/* ---- rows of values ----------------------------------------------------------------------- */

static const json_t *row_of(const json_t *node)
{
	return json_object_get(json_object_get(node, "RowExpr"), "args");
}

/* Two rows of values, equally long. */
struct rows {
	struct sotto_sql_expr **left, **right;
	size_t count;
};

/* Each of them is a term of a chain, which is walked as deep as it is long. */
enum { ELEMENTS_MAX = 1000 };

static enum sotto_status
check_elements(struct sotto_sql_parser *p, const json_t *body, size_t n)
{
	return n <= ELEMENTS_MAX
		       ? SOTTO_OK
		       : sotto_sql_fail(p->err, SOTTO_ERANGE, p->text, place(body),
					"rows and lists that are compared here have at most %d "
					"elements; ask for fewer at a time",
					ELEMENTS_MAX);
}

static enum sotto_status read_rows(struct sotto_sql_parser *p, const json_t *body,
				   const json_t *x, const json_t *y, struct rows *out)
{
	size_t others;

	SOTTO_TRY(sotto_sql_parse_list(p, x, &out->left, &out->count));
	SOTTO_TRY(sotto_sql_parse_list(p, y, &out->right, &others));
	if (out->count != others || others == 0)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, place(body),
				      "two rows of values that are compared must be equally "
				      "long");
	return SOTTO_OK;
}

/* (a, b) = (c, d) */
static enum sotto_status match_rows(struct sotto_sql_parser *p, const json_t *body,
				    const json_t *x, const json_t *y,
				    struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *all = NULL;
	struct rows r;

	SOTTO_TRY(read_rows(p, body, x, y, &r));
	SOTTO_TRY(check_elements(p, body, r.count));
	for (size_t i = 0; i < r.count; i++) {
		struct sotto_sql_expr *one =
			sotto_sql_op_new(p->arena, SOTTO_SQL_EQ, r.left[i], r.right[i]);

		all = all ? sotto_sql_op_new(p->arena, SOTTO_SQL_AND, all, one) : one;
		SOTTO_SQL_NEED(one && all);
	}
	*out = all;
	return SOTTO_OK;
}

/* (a, b) < (c, d) is a < c OR (a = c AND b < d): the first pair that differs decides. */
static enum sotto_status order_rows(struct sotto_sql_parser *p, const json_t *body,
				    enum sotto_sql_op op, struct sotto_sql_expr **out)
{
	enum sotto_sql_op strict = op == SOTTO_SQL_LE   ? SOTTO_SQL_LT
				   : op == SOTTO_SQL_GE ? SOTTO_SQL_GT
							: op;
	struct sotto_sql_expr *rest = NULL;
	struct rows r;

	SOTTO_TRY(read_rows(p, body, row_of(json_object_get(body, "lexpr")),
			    row_of(json_object_get(body, "rexpr")), &r));
	SOTTO_TRY(check_elements(p, body, r.count));
	for (size_t i = r.count; i-- > 0;) {
		struct sotto_sql_expr *one =
			sotto_sql_op_new(p->arena, rest ? strict : op, r.left[i], r.right[i]);

		if (rest) {
			rest = sotto_sql_op_new(
				p->arena, SOTTO_SQL_AND,
				sotto_sql_op_new(p->arena, SOTTO_SQL_EQ, r.left[i], r.right[i]),
				rest);
			one = sotto_sql_op_new(p->arena, SOTTO_SQL_OR, one, rest);
		}
		rest = one;
		SOTTO_SQL_NEED(rest);
	}
	*out = rest;
	return SOTTO_OK;
}

static enum sotto_status
parse_rows(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	const char *symbol = symbol_of(body);
	bool differ = strcmp(symbol, "<>") == 0;

	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (strcmp(operators[i].symbol, symbol) == 0 &&
		    operators[i].op >= SOTTO_SQL_LT && operators[i].op <= SOTTO_SQL_GE)
			return order_rows(p, body, operators[i].op, out);
	if (!differ && strcmp(symbol, "=") != 0)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, place(body),
				      "rows of values are compared by =, <>, <, <=, > and >= "
				      "only; compare the columns one by one");
	SOTTO_TRY(match_rows(p, body, row_of(json_object_get(body, "lexpr")),
			     row_of(json_object_get(body, "rexpr")), out));
	return sotto_sql_negated(p, differ, *out, out);
}

static enum sotto_status
parse_operator(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	const json_t *lexpr = json_object_get(body, "lexpr"),
		     *rexpr = json_object_get(body, "rexpr");
	struct sotto_sql_expr *left, *right;

	if (row_of(lexpr) && row_of(rexpr))
		return parse_rows(p, body, out);
	SOTTO_TRY(sotto_sql_parse_expr(p, rexpr, &right));
	if (!lexpr)
		return make_prefix(p, body, right, out);
	SOTTO_TRY(sotto_sql_parse_expr(p, lexpr, &left));
	SOTTO_TRY(read_escaped(p, right, &right));
	return make_operator(p, body, left, right, out);
}

/* ---- several values ----------------------------------------------------------------------- */

/* BETWEEN SYMMETRIC: the smaller end first. */
static enum sotto_status
sort_ends(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **ends)
{
	struct sotto_sql_expr *low, *high;

	SOTTO_TRY(make_call(p, body, "least", ends[0], ends[1], &low));
	SOTTO_TRY(make_call(p, body, "greatest", ends[0], ends[1], &high));
	ends[0] = low;
	ends[1] = high;
	return SOTTO_OK;
}

static enum sotto_status parse_between(struct sotto_sql_parser *p, const json_t *body,
				       const char *kind, struct sotto_sql_expr **out)
{
	const json_t *items = json_object_get(
		json_object_get(json_object_get(body, "rexpr"), "List"), "items");
	struct sotto_sql_expr *tested, **ends, *low, *high;
	size_t count;

	SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "lexpr"), &tested));
	SOTTO_TRY(sotto_sql_parse_list(p, items, &ends, &count));
	if (count != 2)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, place(body),
				      "BETWEEN takes two values");
	if (strstr(kind, "SYM"))
		SOTTO_TRY(sort_ends(p, body, ends));
	low = sotto_sql_op_new(p->arena, SOTTO_SQL_GE, tested, ends[0]);
	high = sotto_sql_op_new(p->arena, SOTTO_SQL_LE, tested, ends[1]);
	SOTTO_SQL_NEED(low && high);
	return sotto_sql_negated(p, strncmp(kind, "AEXPR_NOT_BETWEEN", 17) == 0,
				 sotto_sql_op_new(p->arena, SOTTO_SQL_AND, low, high), out);
}

/* (a, b) IN ((1, 2), (3, 4)) */
static enum sotto_status parse_rows_in(struct sotto_sql_parser *p, const json_t *body,
				       const json_t *items, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *any = NULL, *one;

	SOTTO_TRY(check_elements(p, body, json_array_size(items)));
	for (size_t i = 0; i < json_array_size(items); i++) {
		SOTTO_TRY(match_rows(p, body, row_of(json_object_get(body, "lexpr")),
				     row_of(json_array_get(items, i)), &one));
		any = any ? sotto_sql_op_new(p->arena, SOTTO_SQL_OR, any, one) : one;
		SOTTO_SQL_NEED(any);
	}
	*out = any;
	return SOTTO_OK;
}

static enum sotto_status
parse_in(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	const json_t *items = json_object_get(
		json_object_get(json_object_get(body, "rexpr"), "List"), "items");
	bool negate = strcmp(symbol_of(body), "<>") == 0;
	struct sotto_sql_expr *e = sotto_sql_parse_new(p, SOTTO_SQL_IN, body), **list;
	size_t count;

	SOTTO_SQL_NEED(e);
	if (row_of(json_object_get(body, "lexpr"))) {
		SOTTO_TRY(parse_rows_in(p, body, items, &e));
		return sotto_sql_negated(p, negate, e, out);
	}
	SOTTO_TRY(sotto_sql_parse_list(p, items, &list, &count));
	e->args = sotto_arena_alloc(p->arena, (count + 1) * sizeof *e->args);
	SOTTO_SQL_NEED(e->args);
	SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "lexpr"), &e->args[0]));
	memcpy(e->args + 1, list, count * sizeof *list);
	e->count = count + 1;
	return sotto_sql_negated(p, negate, e, out);
}

static enum sotto_status parse_elements(struct sotto_sql_parser *p, const json_t *body,
					struct sotto_sql_expr ***items, size_t *count)
{
	json_t *elements = sotto_sql_array_elements(json_object_get(body, "rexpr"));
	enum sotto_status st;

	if (json_array_size(elements) == 0)
		st = sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, place(body),
				    "ANY and ALL take a list of values written out, like "
				    "ANY (ARRAY[1, 2])");
	else
		st = sotto_sql_parse_list(p, elements, items, count);
	json_decref(elements);
	return st;
}

/* x > ANY (ARRAY[a, b]) is x > a OR x > b; ALL is AND. */
static enum sotto_status parse_each(struct sotto_sql_parser *p, const json_t *body, bool all,
				    struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *x, **items, *one, *sum = NULL;
	size_t count;

	if (strstr(symbol_of(body), "~~") && /* LIKE ANY ('a%') */
	    !json_object_get(json_object_get(body, "rexpr"), "A_ArrayExpr"))
		return parse_operator(p, body, out);
	SOTTO_TRY(parse_elements(p, body, &items, &count));
	SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "lexpr"), &x));
	SOTTO_TRY(check_elements(p, body, count));
	for (size_t i = 0; i < count; i++) {
		SOTTO_TRY(make_operator(p, body, x, items[i], &one));
		sum = sum ? sotto_sql_op_new(p->arena, all ? SOTTO_SQL_AND : SOTTO_SQL_OR, sum,
					     one)
			  : one;
		SOTTO_SQL_NEED(sum);
	}
	*out = sum;
	return SOTTO_OK;
}

static enum sotto_status parse_two(struct sotto_sql_parser *p, const json_t *body,
				   struct sotto_sql_expr **left, struct sotto_sql_expr **right)
{
	SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "lexpr"), left));
	return sotto_sql_parse_expr(p, json_object_get(body, "rexpr"), right);
}

enum sotto_status sotto_sql_parse_a_expr(struct sotto_sql_parser *p, const json_t *body,
					 struct sotto_sql_expr **out)
{
	const char *kind = sotto_sql_node_word(body, "kind");
	struct sotto_sql_expr *left, *right;

	if (strcmp(kind, "AEXPR_OP") == 0 || strcmp(kind, "AEXPR_LIKE") == 0 ||
	    strcmp(kind, "AEXPR_ILIKE") == 0 || strcmp(kind, "AEXPR_SIMILAR") == 0)
		return parse_operator(p, body, out);
	if (strcmp(kind, "AEXPR_IN") == 0)
		return parse_in(p, body, out);
	if (strcmp(kind, "AEXPR_OP_ANY") == 0 || strcmp(kind, "AEXPR_OP_ALL") == 0)
		return parse_each(p, body, kind[10] == 'L', out);
	if (strncmp(kind, "AEXPR_BETWEEN", 13) == 0 ||
	    strncmp(kind, "AEXPR_NOT_BETWEEN", 17) == 0)
		return parse_between(p, body, kind, out);
	SOTTO_TRY(parse_two(p, body, &left, &right));
	if (strcmp(kind, "AEXPR_NULLIF") == 0)
		return make_call(p, body, "nullif", left, right, out);
	return sotto_sql_negated(
		p, strcmp(kind, "AEXPR_NOT_DISTINCT") == 0,
		sotto_sql_op_new(p->arena, SOTTO_SQL_DISTINCT_FROM, left, right), out);
}
