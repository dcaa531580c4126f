#include "testlib/by_unit.h"

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
	char text[24];

	for (size_t i = 0; i < q->w->column_count; i++) {
		(void)snprintf(text, sizeof text, "%s.%s", alias, q->w->columns[i].name);
		writer_show(q, text, q->w->columns[i].kind);
	}
}

void writer_table(struct writer *q)
{
	writer_put(q, "t");
	q->scope_count = 0;
	q->public_name = 0;
	writer_show(q, "t.uid", unit_kind(q->w));
	q->scope[0].is_unit = !q->w->row_unit;
	show_columns(q, "t");
}

/* The columns of the table are visible while the inside of a subquery is written. */
static void look_inside(struct writer *q)
{
	q->scope_count = 0;
	show_columns(q, "t");
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
	writer_put(q, " group by t.uid");
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

	writer_fill(q, "(select distinct N as v0, S as v1, t.uid from t", 2);
	put_where(q);
	look_outside(q, name, kinds, 2);
}

static void put_window(struct writer *q, unsigned name)
{
	static const enum world_kind kinds[] = {WORLD_NUMBER, WORLD_NUMBER, WORLD_NUMBER,
						WORLD_TEXT};
	static const char *const windows[] = {
		"row_number() over (partition by t.uid order by N)",
		"rank() over (partition by t.uid order by S desc)",
		"sum(clip(N, -3, 7)) over (partition by t.uid order by N)",
		"avg(clip(N, 0, 9)) over (partition by t.uid)",
		"lag(N) over (partition by t.uid order by S)",
		"count(*) over (partition by S, t.uid)",
		"max(N) over (partition by t.uid order by D)"};

	writer_put(q, "(select ");
	writer_fill(q, WORLD_PICK(q->w, windows), 2);
	writer_put(q, " as v0, ");
	writer_fill(q, WORLD_PICK(q->w, windows), 1);
	writer_fill(q, " as v1, N as v2, S as v3 from t", 2);
	put_where(q);
	look_outside(q, name, kinds, 4);
}

static void put_self_join(struct writer *q, unsigned name)
{
	static const char *const joins[] = {"join", "left join", "right join", "full join"};
	char text[24];

	writer_table(q);
	writer_put(q, " %s t as b%u on t.uid = b%u.uid", joins[writer_below(q, 4)], name, name);
	(void)snprintf(text, sizeof text, "b%u", name);
	show_columns(q, text);
	if (writer_below(q, 2)) {
		writer_put(q, " and ");
		writer_value(q, WORLD_TRUTH, 2);
	}
	q->scope[0].is_unit = false; /* it may be NULL */
}

void writer_by_unit(struct writer *q)
{
	unsigned name = ++q->names;

	look_inside(q);
	switch (writer_below(q, 4)) {
	case 0:
		put_distinct(q, name);
		break;
	case 1:
		put_window(q, name);
		break;
	case 2:
		put_self_join(q, name);
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
