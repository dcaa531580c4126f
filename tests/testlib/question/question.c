/*
 * Writes FROM first, because the list of outputs needs to know what is visible, and moves the
 * text into its place afterwards.
 */
#include "testlib/question/question.h"

#include <stdio.h>
#include <string.h>

#include "testlib/question/beside.h"
#include "testlib/question/by_unit.h"
#include "testlib/question/linked.h"

/* ---- FROM -------------------------------------------------------------------------------- */

static void put_relation(struct writer *q, int depth);

/* Swaps what lies between start and middle with what follows up to the end. */
static void swap_parts(struct writer *q, char *start, char *middle)
{
	char moved[QUESTION_MAX];
	size_t first = (size_t)(middle - start), second = (size_t)(q->at - middle);

	memcpy(moved, start, first);
	memmove(start, middle, second);
	memcpy(start + second, moved, first);
}

/*
 * SELECT ... AS x1, ... FROM ... WHERE ...: FROM is made first, the list needs to
 * know it.  Unless it is plain, each output is cast to one type of its kind.
 */
static void put_projection(struct writer *q, int depth, const enum world_kind *wanted,
			   unsigned count, unsigned first_name, bool plain)
{
	static const char *const casts[] = {"cast(", "(", "", "cast("};
	static const char *const casts_end[] = {" as double precision)", " || '')", "",
						" as date)"};
	char *start = q->at, *middle;

	writer_put(q, " from ");
	put_relation(q, depth - 1);
	if (writer_below(q, 2)) {
		writer_put(q, " where ");
		writer_value(q, WORLD_TRUTH, 2);
	}
	middle = q->at;
	writer_put(q, "select ");
	for (unsigned i = 0; i < count; i++) {
		writer_put(q, i ? ", " : "");
		if (!plain)
			writer_put(q, "%s", casts[wanted[i]]);
		if (writer_below(q, 2) || !writer_column(q, wanted[i]))
			writer_value(q, wanted[i], 2);
		writer_put(q, "%s as x%u", plain ? "" : casts_end[wanted[i]], first_name + i);
	}
	swap_parts(q, start, middle);
}

/* The inside of a subquery; returns the number in its alias. */
static unsigned put_inner(struct writer *q, int depth)
{
	enum world_kind wanted[5] = {WORLD_NUMBER, WORLD_TEXT, WORLD_TRUTH};
	unsigned count = 3 + writer_below(q, 3), first = q->names;
	bool unite = writer_below(q, 4) == 0, careless = writer_below(q, 3) == 0;
	char text[24];

	for (unsigned i = 3; i < count; i++)
		wanted[i] = (enum world_kind)writer_below(q, 4);
	q->names += count + 1;
	put_projection(q, depth, wanted, count, first, !unite || careless);
	if (unite) {
		writer_put(q, " union all ");
		put_projection(q, depth, wanted, count, first, careless);
	}
	q->scope_count = 0;
	for (unsigned i = 0; i < count; i++) {
		(void)snprintf(text, sizeof text, "x%u", first + i);
		writer_show(q, text, wanted[i]);
	}
	return first;
}

static void put_subquery(struct writer *q, int depth)
{
	unsigned name;

	writer_put(q, "(");
	name = put_inner(q, depth);
	writer_put(q, ") as r%u", name);
}

static void put_join(struct writer *q, int depth)
{
	static const char *const joins[] = {"join", "left join", "right join", "full join"};
	unsigned name = ++q->names;
	char text[24];

	put_relation(q, depth - 1);
	if (writer_below(q, 8) == 0) {
		writer_put(q, " cross join pub as p%u", name);
	} else {
		writer_put(q, " %s pub as p%u on ", joins[writer_below(q, 4)], name);
		if (writer_below(q, 3) == 0) {
			writer_value(q, WORLD_TRUTH, 1);
		} else if (writer_below(q, 2)) {
			writer_put(q, "p%u.s1 = ", name);
			writer_value(q, WORLD_TEXT, 1);
		} else {
			writer_put(q, "p%u.w > ", name);
			writer_value(q, WORLD_NUMBER, 0);
		}
	}
	(void)snprintf(text, sizeof text, "p%u.g", name);
	writer_show(q, text, WORLD_TEXT);
	(void)snprintf(text, sizeof text, "p%u.w", name);
	writer_show(q, text, WORLD_NUMBER);
	q->public_name = name;
}

static bool is_by_unit(const struct writer *q)
{
	return q->focus == QUESTION_BY_UNIT || q->focus == QUESTION_PAIRS ||
	       q->focus == QUESTION_WINDOWS || q->focus == QUESTION_FIRST;
}

static void put_relation(struct writer *q, int depth)
{
	unsigned choice = depth > 0 ? writer_below(q, 9) : 9;

	if ((q->focus == QUESTION_LINKED || q->focus == QUESTION_UNITED || choice == 5) &&
	    q->w->link != WORLD_ALONE) {
		writer_linked(q);
		return;
	}
	if ((choice >= 6 || is_by_unit(q)) && !q->w->row_unit) {
		writer_by_unit(q);
		return;
	}
	if (writer_below(q, 6) == 0)
		writer_beside(q);
	else if (choice == 0)
		put_subquery(q, depth);
	else if (choice <= 2)
		put_join(q, depth);
	else if (choice == 3) {
		writer_table(q);
		writer_put(q, " %s codes on codes.code = ",
			   writer_below(q, 2) ? "join" : "left join");
		writer_value(q, writer_below(q, 2) ? WORLD_TEXT : WORLD_NUMBER, 0);
		writer_show(q, "codes.code", WORLD_TEXT);
		writer_show(q, "codes.word", WORLD_TEXT);
	} else if (choice == 4) {
		writer_table(q);
		writer_put(q, " %s pub using (s1)", writer_below(q, 2) ? "join" : "full join");
		for (size_t i = 0; i < q->scope_count; i++)
			if (strcmp(q->scope[i].text, "t.s1") == 0)
				(void)snprintf(q->scope[i].text, sizeof q->scope[i].text, "s1");
		writer_show(q, "pub.g", WORLD_TEXT);
	} else {
		writer_table(q);
	}
}

/* ---- SELECT -------------------------------------------------------------------------------- */

static void put_summand(struct writer *q)
{
	static const char *const clips[] = {
		"clip(N, 0, 10)", "clip(N, -7, -2)", "clip(N, -0.5, 99.25)",
		"case when T then 1 else 0 end", "coalesce(least(greatest(N, -9), 9), 0)"};

	if (writer_below(q, 4) == 0) { /* always with bounds in a world */
		for (size_t i = 0; i < q->scope_count; i++)
			if (strcmp(q->scope[i].text, "t.n0") == 0) {
				writer_put(q, "t.n0");
				return;
			}
	}
	if (writer_below(q, 8) == 0 && writer_column(q, WORLD_NUMBER))
		return;
	writer_fill(q, clips[writer_below(q, 5)], 3);
}

/* Quantiles and modes, in their spellings. */
static void put_choice(struct writer *q)
{
	static const char *const before[] = {"median(",
					     "min(",
					     "max(distinct ",
					     "percentile_cont(0.25) within group (order by ",
					     "percentile_disc(0.9) within group (order by ",
					     "quantile_cont("};
	static const char *const modes[] = {"mode() within group (order by T)",
					    "mode(case when T then 'x' when T then 'y' end)",
					    "mode(width_bucket(N, 0, 40, 3))"};
	unsigned form = writer_below(q, 7);

	if (form == 6) {
		writer_fill(q, modes[writer_below(q, 3)], 2);
		return;
	}
	writer_put(q, "%s", before[form]);
	put_summand(q);
	writer_put(q, form == 5 ? ", 0.5)" : form == 3 && writer_below(q, 2) ? " desc)" : ")");
}

/* Quantiles and modes alone, or aggregates over different values alone. */
static void put_focused(struct writer *q)
{
	if (q->focus == QUESTION_PICKS) {
		put_choice(q);
		return;
	}
	if (writer_below(q, 2)) {
		writer_fill(q, "count(distinct N)", 2);
		return;
	}
	writer_put(q, writer_below(q, 2) ? "sum(distinct " : "avg(distinct ");
	put_summand(q);
	writer_put(q, ")");
}

static void put_aggregate(struct writer *q)
{
	static const char *const sums[] = {"sum", "sum", "avg", "var_pop", "stddev_samp"};

	if (q->focus == QUESTION_PICKS || q->focus == QUESTION_DISTINCT) {
		put_focused(q);
		return;
	}
	switch (writer_below(q, 10)) {
	case 9:
		writer_fill(q, "corr(clip(N, -3, 7), clip(N, 0, 20))", 2);
		break;
	case 7:
	case 8:
		put_choice(q);
		break;
	case 0:
		writer_put(q, "count(*)");
		break;
	case 1:
		writer_put(q, "count(");
		writer_value(q, (enum world_kind)writer_below(q, 4), 2);
		writer_put(q, ")");
		break;
	case 2:
		writer_put(q, "count(distinct ");
		if (writer_below(q, 2) && q->scope_count && q->scope[0].is_unit)
			writer_put(q, "%s", q->scope[0].text);
		else
			writer_value(q, (enum world_kind)writer_below(q, 4), 1);
		writer_put(q, ")");
		break;
	default:
		writer_put(q, "%s(%s", sums[writer_below(q, 5)],
			   writer_below(q, 6) ? "" : "distinct ");
		put_summand(q);
		writer_put(q, ")");
		break;
	}
	if (writer_below(q, 6) == 0) {
		writer_put(q, " filter (where ");
		writer_value(q, WORLD_TRUTH, 1);
		writer_put(q, ")");
	}
}

static void put_key(struct writer *q)
{
	static const char *const shapes[] = {
		"case when T then 'x' when T then 'y' else 'z' end",
		"case when T then true when T then 'true' when T then 't' else false end",
		"case when T then 1 when T then 1.0 when T then 2 else 1e0 end",
		"width_bucket(N, 0, 40, 3)",
		"extract(quarter from D)",
		"extract(hour from D)",
		"T",
		"(N > C)",
		"(N % 3)",
		"date_trunc('month', D)",
		"upper(S)",
		"(S = 'a')",
		"cast(N as text)",
		"(S || (N % 2))",
		"date_diff('month', D, D)",
		"to_char(D, 'MM')",
		"(S ->> 'a')",
	};

	if (writer_below(q, 2) && writer_column(q, (enum world_kind)writer_below(q, 4)))
		return;
	writer_fill(q, shapes[writer_below(q, sizeof shapes / sizeof *shapes)], 2);
}

/* A noisy value beside the groups, or one for the key of each. */
static void put_shown(struct writer *q)
{
	static const char *const alone[] = {
		", (select avg(clip(i.n0, 0, 9)) from t as i) - count(*)",
		", (select x from (select count(*) as x from t) as i)"};
	static const char *const of_group[] = {
		", count(*) / (select count(*) from t as i where i.s1 = t.s1)",
		", (select sum(clip(i.n0, -3, 7)) from t as i where i.s1 = t.s1 and i.n0 > 1)"};

	writer_put(q, "%s",
		   q->by_text && writer_below(q, 3) ? WORLD_PICK(q->w, of_group)
						    : WORLD_PICK(q->w, alone));
}

static void put_list(struct writer *q)
{
	for (unsigned i = 0; i < q->keys; i++) { /* of GROUP BY ALL */
		put_key(q);
		writer_put(q, ", ");
	}
	for (unsigned i = 0, n = 1 + writer_below(q, 3); i < n; i++) {
		writer_put(q, i ? ", " : "");
		put_aggregate(q);
		if (writer_below(q, 8) == 0) /* its name in another output */
			writer_put(q, " as y%u, abs(y%u) + 1", i, i);
	}
	if (q->by_text || writer_below(q, 40) == 0)
		put_shown(q);
	if (q->focus == QUESTION_SETS && writer_below(q, 3) == 0)
		writer_put(q, ", rank() over (order by count(*))");
}

/* Two keys under all their names, in several sets. */
static void put_sets(struct writer *q)
{
	static const char *const shapes[] = {" group by rollup (1, 2)", " group by cube (1, 2)",
					     " group by grouping sets ((1), (2, 1), ())",
					     " group by 1, rollup (2)"};
	char keys[2][QUESTION_MAX / 4];
	char *start = q->at;

	for (int i = 0; i < 2; i++) {
		put_key(q);
		(void)snprintf(keys[i], sizeof keys[i], "%s", start);
		q->at = start;
	}
	for (const char *s = WORLD_PICK(q->w, shapes); *s; s++)
		if (*s == '1' || *s == '2')
			writer_put(q, "%s", keys[*s - '1']);
		else
			writer_put(q, "%c", *s);
}

/* A condition on other rows of the same unit. */
static void put_own_rows(struct writer *q)
{
	const char *unit = q->w->unit;

	if (writer_below(q, 2)) {
		writer_put(q, "t.%s %s (select i.%s from t as i where i.s1 > 'a')", unit,
			   writer_below(q, 2) ? "in" : "not in", unit);
	} else {
		writer_put(q, "exists (select 1 from t as i where i.%s = t.%s and i.n0 < ",
			   unit, unit);
		writer_value(q, WORLD_NUMBER, 1);
		writer_put(q, ")");
	}
}

/* A condition on what another question over the same people answers. */
static void put_lookup(struct writer *q)
{
	static const char *const shapes[] = {
		"N < (select sum(clip(i.n0, -3, 7)) from t as i)",
		"N > (select count(*) from t as i where i.s1 = S)",
		"N = (select max(clip(i.n0, 0, 9)) from t as i where i.n0 % 3 = N % 3)",
		"coalesce(N > (select avg(clip(i.n0, 0, 9)) from t as i where i.s1 > 'a'), T)",
	};

	writer_fill(q, WORLD_PICK(q->w, shapes), 1);
}

/* The first groups; what is listed goes to key. */
static void put_first_groups(struct writer *q, char *key, size_t size)
{
	if (writer_below(q, 2)) {
		writer_put(q, " where ");
		writer_value(q, WORLD_TRUTH, 2);
	}
	writer_top(q, key, size);
}

/* Groups that a subquery among the outputs may be about. */
static bool put_text_key(struct writer *q)
{
	for (size_t i = 0; i < q->scope_count; i++)
		q->by_text = q->by_text || strcmp(q->scope[i].text, "t.s1") == 0;
	q->by_text = q->by_text && writer_below(q, q->focus == QUESTION_LOOKUPS ? 4 : 20) == 0;
	if (q->by_text)
		writer_put(q, " group by t.s1");
	return q->by_text;
}

static void put_clauses(struct writer *q)
{
	bool unit = q->scope_count && q->scope[0].is_unit && writer_below(q, 3) == 0;

	if (q->focus == QUESTION_LOOKUPS) {
		writer_put(q, " where ");
		put_lookup(q);
	} else if (unit || writer_below(q, 2)) {
		writer_put(q, " where ");
		writer_value(q, WORLD_TRUTH, 2);
	}
	if (unit) {
		writer_put(q, " and ");
		put_own_rows(q);
	}
	if (q->focus == QUESTION_SETS || writer_below(q, 12) == 0) {
		put_sets(q);
		return;
	}
	if (put_text_key(q))
		return;
	if (writer_below(q, 8) == 0 && writer_public_pair(q))
		return;
	if (writer_below(q, 10) == 0) {
		writer_put(q, " group by all");
		q->keys = writer_below(q, 3);
		return;
	}
	for (unsigned i = 0, n = writer_below(q, 3) + (q->focus == QUESTION_PAIRS); i < n;
	     i++) {
		writer_put(q, i ? ", " : " group by ");
		put_key(q);
	}
}

/* A condition over windows after the groups, or something around what is finished. */
static void put_around(struct writer *q, struct question *out)
{
	static const struct {
		const char *before, *after;
	} around[] = {
		{"select max(z), count(*) from (", ") as f(z)"},
		{"with f(z) as (", ") select z from f union select z from f"},
		{"with f(z) as (", ") select z from f except all select 1"},
		{"with f(z) as (", ") select z from f intersect select z from f"},
		{"select distinct z from (", ") as f(z) qualify count(*) over () > 0"},
		{"select * exclude (z) from (select z, 1 as one from (", ") as f(z)) as e"},
		{"select ntile(3) over (order by z) from (", ") as f(z)"},
		{"select sum(z) over (order by z rows between 1 preceding and current row) "
		 "from (",
		 ") as f(z)"},
	};
	char text[QUESTION_MAX];
	unsigned i = writer_below(q, sizeof around / sizeof *around);

	if (writer_below(q, 20) == 0)
		writer_put(q, " qualify row_number() over (order by count(*)) <= 3");
	if (writer_below(q, 8))
		return;
	(void)snprintf(text, sizeof text, "%s", out->text);
	(void)snprintf(out->text, sizeof out->text, "%s%.15800s%s", around[i].before, text,
		       around[i].after);
}

void question_make(struct question *out, struct world *w, enum question_focus focus)
{
	struct writer q = {
		.w = w, .focus = focus, .at = out->text, .end = out->text + QUESTION_MAX};
	char *start = q.at, *middle, key[QUESTION_MAX / 4] = "";
	unsigned name;

	if (focus == QUESTION_ANY && writer_below(&q, 5) == 0) {
		writer_put(&q, "with r as (");
		name = put_inner(&q, 2);
		writer_put(&q, ") ");
		start = q.at;
		writer_put(&q, " from r as r%u", name);
	} else {
		writer_put(&q, " from ");
		put_relation(&q, 2);
	}
	if (focus == QUESTION_TOP)
		put_first_groups(&q, key, sizeof key);
	else
		put_clauses(&q);
	middle = q.at;
	writer_put(&q, "select %s", key);
	if (focus != QUESTION_TOP)
		put_list(&q);
	swap_parts(&q, start, middle);
	put_around(&q, out);
}
