/*
 * OVER (...): windows written out or by name, and their frames of rows.
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <string.h>

#include "core/base/failure.h"

enum { FRAME_ROWS_MAX = 1000000, NAMES_DEEP = 8 };

/* The parser's bits of a frame. */
enum {
	FRAME_ROWS = 0x4,
	FRAME_GROUPS = 0x8,
	FRAME_START_FAR = 0x20,
	FRAME_END_FAR = 0x100,
	FRAME_START_HERE = 0x200,
	FRAME_END_HERE = 0x400,
	FRAME_START_BEFORE = 0x800,
	FRAME_END_BEFORE = 0x1000,
	FRAME_START_AFTER = 0x2000,
	FRAME_END_AFTER = 0x4000,
	FRAME_EXCLUDE = 0x8000 | 0x10000 | 0x20000,
	FRAME_USUAL = 0x2 | FRAME_START_FAR | FRAME_END_HERE,
	FRAME_SAID = 0x1 | 0x10, /* it was written, with BETWEEN */
};

static enum sotto_status refuse(struct sotto_sql_parser *p, int at)
{
	return sotto_sql_fail(
		p->err, SOTTO_EREFUSED, p->text, at,
		"a window is written as OVER (PARTITION BY ... ORDER BY ...), and its rows as "
		"ROWS BETWEEN n PRECEDING AND m FOLLOWING with numbers written out");
}

const json_t *sotto_sql_window_find(const json_t *windows, const char *name)
{
	for (size_t i = 0; i < json_array_size(windows); i++) {
		const json_t *one = json_object_get(json_array_get(windows, i), "WindowDef");

		if (strcmp(sotto_sql_node_word(one, "name"), name) == 0)
			return one;
	}
	return NULL;
}

static enum sotto_status
parse_end(struct sotto_sql_parser *p, const json_t *node, bool before, int at, int64_t *out)
{
	const json_t *constant = json_object_get(node, "A_Const");
	long long n = -1;

	if (constant)
		SOTTO_TRY(sotto_sql_parse_integer(p, constant, &n));
	if (n < 0 || n > FRAME_ROWS_MAX)
		return refuse(p, at);
	*out = before ? -n : n;
	return SOTTO_OK;
}

static enum sotto_status
parse_frame(struct sotto_sql_parser *p, const json_t *over, int at, struct sotto_sql_frame *out)
{
	int bits = sotto_sql_node_int(over, "frameOptions", FRAME_USUAL);
	bool whole = bits & FRAME_START_FAR && bits & FRAME_END_FAR;

	if ((bits & ~FRAME_SAID) == FRAME_USUAL)
		return SOTTO_OK;
	*out = (struct sotto_sql_frame){.given = true,
					.from_far = bits & FRAME_START_FAR,
					.to_far = bits & FRAME_END_FAR};
	if (bits & FRAME_EXCLUDE || (!whole && !(bits & FRAME_ROWS)))
		return refuse(p, at);
	if (bits & (FRAME_START_BEFORE | FRAME_START_AFTER))
		SOTTO_TRY(parse_end(p, json_object_get(over, "startOffset"),
				    bits & FRAME_START_BEFORE, at, &out->from));
	else if (!(bits & (FRAME_START_FAR | FRAME_START_HERE)))
		return refuse(p, at);
	if (bits & (FRAME_END_BEFORE | FRAME_END_AFTER))
		return parse_end(p, json_object_get(over, "endOffset"), bits & FRAME_END_BEFORE,
				 at, &out->to);
	return bits & (FRAME_END_FAR | FRAME_END_HERE) ? SOTTO_OK : refuse(p, at);
}

/* A window that begins with the name of another one has its parts and order. */
static enum sotto_status parse_window(struct sotto_sql_parser *p, const json_t *over, int at,
				      int depth, struct sotto_sql_window *w)
{
	const char *base = sotto_sql_node_word(over, "refname");
	const json_t *named = sotto_sql_window_find(p->windows, base);

	if (*base && (!named || depth > NAMES_DEEP))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at,
				      "there is no window %.40s in WINDOW of this SELECT",
				      base);
	if (*base)
		SOTTO_TRY(parse_window(p, named, at, depth + 1, w));
	if (json_object_get(over, "partitionClause"))
		SOTTO_TRY(sotto_sql_parse_list(p, json_object_get(over, "partitionClause"),
					       &w->parts, &w->part_count));
	SOTTO_TRY(sotto_sql_parse_orders(p, json_object_get(over, "orderClause"), &w->orders,
					 &w->order_count));
	return parse_frame(p, over, at, &w->frame);
}

enum sotto_status
sotto_sql_parse_over(struct sotto_sql_parser *p, const json_t *over, struct sotto_sql_expr *e)
{
	struct sotto_sql_window *w = sotto_arena_alloc(p->arena, sizeof *w);
	const char *name = sotto_sql_node_word(over, "name");
	const json_t *named = sotto_sql_window_find(p->windows, name);

	SOTTO_SQL_NEED(w);
	if (*name && !named)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "there is no window %.40s in WINDOW of this SELECT",
				      name);
	SOTTO_TRY(parse_window(p, *name ? named : over, e->at, 0, w));
	e->over = true;
	e->window = w;
	return SOTTO_OK;
}
