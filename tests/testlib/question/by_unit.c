/*
 * Templates of subqueries, windows and joins by the unit's column; after each the list of
 * visible columns is set anew.
 */
#include "testlib/question/by_unit.h"

#include <stdio.h>
#include <string.h>

void writer_show(struct writer *q, const char *text, enum world_kind kind)
{
	if (q->scope_count == WRITER_SCOPE_MAX)
		return;
	q->scope[q->scope_count] = (struct visible){.kind = kind};
	(void)snprintf(q->scope[q->scope_count].text, sizeof q->scope[0].text, "%s", text);
	q->scope_count++;
}

static enum world_kind unit_kind(const struct world *w)
{
	return strcmp(w->unit_type, "VARCHAR") == 0 ? WORLD_TEXT
	       : strcmp(w->unit_type, "DATE") == 0  ? WORLD_DAY
						    : WORLD_NUMBER;
}

static void show_columns(struct writer *q, const char *alias)
{
	char text[40];

	for (size_t i = 0; i < q->w->column_count; i++) {
		(void)snprintf(text, sizeof text, "%s.%s", alias, q->w->columns[i].sql);
		writer_show(q, text, q->w->columns[i].kind);
	}
}

void writer_table(struct writer *q)
{
	char text[40];

	writer_put(q, "t");
	q->scope_count = 0;
	q->public_name = 0;
	(void)snprintf(text, sizeof text, "t.%s", q->w->unit);
	writer_show(q, text, unit_kind(q->w));
	q->scope[0].is_unit = !q->w->row_unit;
	show_columns(q, "t");
}

/* The columns of the table are visible while the inside of a subquery is written. */
static void look_inside(struct writer *q)
{
	q->scope_count = 0;
	show_columns(q, "t");
	q->public_name = 0;
}

static void
look_outside(struct writer *q, unsigned name, const enum world_kind *kinds, unsigned count)
{
	char text[24];

	writer_put(q, ") as u%u", name);
	q->scope_count = 0;
	q->public_name = 0;
	for (unsigned i = 0; i < count; i++) {
		(void)snprintf(text, sizeof text, "u%u.v%u", name, i);
		writer_show(q, text, kinds[i]);
	}
}

static void put_where(struct writer *q)
{
	if (writer_below(q, 3))
		return;
	writer_put(q, " where ");
	writer_value(q, WORLD_TRUTH, 2);
}

static void put_groups(struct writer *q, unsigned name)
{
	static const enum world_kind kinds[] = {WORLD_NUMBER, WORLD_NUMBER, WORLD_NUMBER,
						WORLD_TEXT, WORLD_TRUTH};
	static const char *const numbers[] = {"count(*)",        "count(distinct S)",
					      "count(N)",        "count(*) filter (where T)",
					      "max(N) - min(N)", "2 * max(N)"};
	static const char *const sums[] = {"sum(clip(N, -3, 7))", "avg(clip(N, 0, 20))",
					   "sum(clip(N, -0.5, 9.25)) filter (where T)"};

	writer_put(q, "(select ");
	writer_fill(q, WORLD_PICK(q->w, numbers), 2);
	writer_put(q, " as v0, ");
	writer_fill(q, WORLD_PICK(q->w, sums), 2);
	writer_put(q, " as v1, ");
	writer_fill(q, WORLD_PICK(q->w, numbers), 2);
	writer_fill(q, " as v2, min(S) as v3, bool_or(T) as v4 from t", 2);
	put_where(q);
	writer_put(q, " group by t.%s", q->w->unit);
	if (writer_below(q, 3) == 0) {
		writer_put(q, ", ");
		writer_value(q, (enum world_kind)writer_below(q, 4), 2);
	}
	if (writer_below(q, 3) == 0)
		writer_fill(q, " having count(*) > 1 or max(N) > C", 2);
	look_outside(q, name, kinds, 5);
}

static void put_distinct(struct writer *q, unsigned name)
{
	static const enum world_kind kinds[] = {WORLD_NUMBER, WORLD_TEXT};

	writer_fill(q, "(select distinct N as v0, S as v1, ", 2);
	writer_put(q, "t.%s from t", q->w->unit);
	put_where(q);
	look_outside(q, name, kinds, 2);
}

/* The template with w as PARTITION BY the unit. */
static void put_over(struct writer *q, const char *template)
{
	const char *w = strstr(template, "(w") + 1;
	char text[160];

	(void)snprintf(text, sizeof text, "%.*s", (int)(w - template), template);
	writer_fill(q, text, 1);
	writer_put(q, "partition by t.%s", q->w->unit);
	writer_fill(q, w + 1, 1);
}

static void put_window(struct writer *q, unsigned name)
{
	static const enum world_kind kinds[] = {WORLD_NUMBER, WORLD_NUMBER, WORLD_NUMBER,
						WORLD_TEXT};
	static const char *const windows[] = {
		"row_number() over (w order by N)",
		"rank() over (w order by S desc)",
		"sum(clip(N, -3, 7)) over (w order by N)",
		"avg(clip(N, 0, 9)) over (w)",
		"lag(N) over (w order by S)",
		"lag(N, 1, 40) over (w order by S)",
		"lead(clip(N, -3, 7), 2, -50) over (w order by D)",
		"first_value(N) over (w order by D desc)",
		"count(*) over (w, S)",
		"max(N) over (w order by D)"};

	writer_put(q, "(select ");
	put_over(q, WORLD_PICK(q->w, windows));
	writer_put(q, " as v0, ");
	put_over(q, WORLD_PICK(q->w, windows));
	writer_fill(q, " as v1, N as v2, S as v3 from t", 2);
	put_where(q);
	if (writer_below(q, 3) == 0) {
		writer_put(q, " qualify ");
		put_over(q, WORLD_PICK(q->w, windows));
		writer_fill(q, " <= C", 1);
	}
	look_outside(q, name, kinds, 4);
}

/* The first row of each unit, or of each unit and another key. */
static void put_first(struct writer *q, unsigned name)
{
	static const enum world_kind kinds[] = {WORLD_NUMBER, WORLD_TEXT, WORLD_NUMBER};
	bool more = writer_below(q, 3) == 0;

	writer_put(q, "(select distinct on (t.%s%s) ", q->w->unit, more ? ", t.s1" : "");
	writer_fill(q, "N as v0, S as v1, ", 2);
	writer_fill(q, writer_below(q, 2) ? "v0 as v2 from t" : "N + 1 as v2 from t", 1);
	put_where(q);
	writer_put(q, " order by t.%s, %s", q->w->unit, more ? "t.s1, " : "");
	writer_fill(q, writer_below(q, 2) ? "N desc" : "D, S", 1);
	look_outside(q, name, kinds, 3);
}

/* Rows that have, or have not, another one of their unit. */
static void put_half_join(struct writer *q, unsigned name)
{
	static const char *const joins[] = {"semi join", "anti join", "left semi join",
					    "left anti join"};

	writer_table(q);
	writer_put(q, " %s t as b%u on b%u.%s = t.%s and b%u.n0 > ", joins[writer_below(q, 4)],
		   name, name, q->w->unit, q->w->unit, name);
	writer_value(q, WORLD_NUMBER, 1);
}

/* All columns of the table but the first. */
static void put_star(struct writer *q, unsigned name)
{
	char text[24];

	writer_put(q, "(select * exclude (n0) from t");
	put_where(q);
	writer_put(q, ") as o%u", name);
	(void)snprintf(text, sizeof text, "o%u", name);
	q->scope_count = 0;
	show_columns(q, text);
	for (size_t i = 0; i + 1 < q->scope_count; i++)
		q->scope[i] = q->scope[i + 1];
	q->scope_count -= q->scope_count > 0;
}

static void put_self_join(struct writer *q, unsigned name)
{
	static const char *const joins[] = {"join", "left join", "right join", "full join"};
	char text[24];

	writer_table(q);
	writer_put(q, " %s t as b%u on t.%s = b%u.%s", joins[writer_below(q, 4)], name,
		   q->w->unit, name, q->w->unit);
	(void)snprintf(text, sizeof text, "b%u", name);
	show_columns(q, text);
	if (writer_below(q, 2)) {
		writer_put(q, " and ");
		writer_value(q, WORLD_TRUTH, 2);
	}
	q->scope[0].is_unit = false; /* it may be NULL */
}

/* Two relations with one row for each unit: a full join may make two of it. */
static void put_pairs(struct writer *q, unsigned name)
{
	static const char *const joins[] = {"join", "left join", "full join", "full join"};
	const char *unit = q->w->unit;
	char text[40];

	writer_put(q, "(select t.%s as w, count(*) as c from t", unit);
	put_where(q);
	writer_put(q, " group by t.%s) as e%u %s (select t.%s as w, ", unit, name,
		   joins[writer_below(q, 4)], unit);
	writer_fill(q, "max(N) as c from t", 1);
	put_where(q);
	writer_put(q, " group by t.%s) as f%u on e%u.w = f%u.w", unit, name, name, name);
	q->scope_count = 0;
	q->public_name = 0;
	for (const char *side = "ef"; *side; side++) {
		(void)snprintf(text, sizeof text, "%c%u.c", *side, name);
		writer_show(q, text, WORLD_NUMBER);
	}
	if (writer_below(q, 3))
		writer_fill(q, " and N > C", 1);
}

void writer_by_unit(struct writer *q)
{
	unsigned name = ++q->names;

	look_inside(q);
	switch (q->focus == QUESTION_BY_UNIT   ? 4
		: q->focus == QUESTION_PAIRS   ? 3
		: q->focus == QUESTION_WINDOWS ? 1
		: q->focus == QUESTION_FIRST   ? 5 + (writer_below(q, 4) == 0)
					       : writer_below(q, 8)) {
	case 7:
		put_star(q, name);
		break;
	case 3:
		put_pairs(q, name);
		break;
	case 0:
		put_distinct(q, name);
		break;
	case 1:
		put_window(q, name);
		break;
	case 2:
		put_self_join(q, name);
		break;
	case 5:
		put_first(q, name);
		break;
	case 6:
		put_half_join(q, name);
		break;
	default:
		put_groups(q, name);
		break;
	}
}

bool writer_public_pair(struct writer *q)
{
	char text[24];

	(void)snprintf(text, sizeof text, "p%u.g", q->public_name);
	for (size_t i = 0; q->public_name && i < q->scope_count; i++)
		if (strcmp(q->scope[i].text, text) == 0) {
			writer_put(q, " group by p%u.g, p%u.w", q->public_name, q->public_name);
			return true;
		}
	return false;
}
