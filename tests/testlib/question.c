#include "testlib/question.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SCOPE_MAX = 24 };

/* What may be written where a value is wanted. */
struct visible {
	char text[24];
	enum world_kind kind;
	bool is_unit;
};

struct writer {
	struct world *w;
	char *at, *end;
	struct visible scope[SCOPE_MAX];
	size_t scope_count;
	unsigned names;
};

static unsigned below(struct writer *q, unsigned n)
{
	return chance_below(&q->w->chance, n);
}

static void put(struct writer *q, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct writer *q, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(q->at, (size_t)(q->end - q->at), format, args);
	va_end(args);
	q->at = n < q->end - q->at ? q->at + n : q->end - 1;
}

/* ---- expressions ----------------------------------------------------------------------- */

static void value(struct writer *q, enum world_kind kind, int depth);

/*
 * A template: N, S, T, D stand for a number, text, truth value or day, C for a
 * written-out number; everything else stands for itself.
 */
static void fill(struct writer *q, const char *template, int depth)
{
	static const char *const numbers[] = {"0",   "1",     "-1", "2",    "7",
					      "0.5", "-3.25", "10", "1000", "1e30"};

	for (const char *s = template; *s; s++) {
		const char *kind = strchr("NSTD", *s);

		if (kind)
			value(q, (enum world_kind)(kind - "NSTD"), depth - 1);
		else if (*s == 'C')
			put(q, "%s", numbers[below(q, 10)]);
		else
			put(q, "%c", *s);
	}
}

static const char *const number_shapes[] = {
	"(- N)",
	"(N + N)",
	"(N - N)",
	"(N * N)",
	"(N / N)",
	"(N % N)",
	"abs(N)",
	"ceil(N)",
	"floor(N)",
	"trunc(N)",
	"round(N)",
	"round(N, 1)",
	"round(N, -1)",
	"sign(N)",
	"exp(N)",
	"ln(N)",
	"log10(N)",
	"log2(N)",
	"sqrt(N)",
	"power(N, 2)",
	"power(N, N)",
	"mod(N, N)",
	"clip(N, -5, 8)",
	"least(N, N)",
	"greatest(N, N, C)",
	"coalesce(N, N)",
	"nullif(N, C)",
	"case when T then N else N end",
	"case when T then N when T then C end",
	"cast(S as integer)",
	"cast(S as double precision)",
	"cast(T as integer)",
	"cast(N as integer)",
	"length(S)",
	"strpos(S, 'a')",
	"position('a' in S)",
	"width_bucket(N, 0, 10, 4)",
	"extract(month from D)",
	"extract(week from D)",
	"date_part('isoyear', D)",
	"date_part('dow', D)",
	"magnitude(N)",
	"(cast(D as date) - date '2024-03-01')",
};

static const char *const truth_shapes[] = {
	"(T and T)",
	"(T or T)",
	"(not T)",
	"(N < N)",
	"(N >= C)",
	"(N = C)",
	"(N <> N)",
	"(S = 'a')",
	"(S < S)",
	"(S like 'a%')",
	"(S ilike '%A_')",
	"(S in ('a', 'b', ''))",
	"(N in (1, 2, C))",
	"(N between C and 50)",
	"(S is null)",
	"(N is not null)",
	"(T is true)",
	"(T is not false)",
	"(T is unknown)",
	"(N is distinct from N)",
	"(S is not distinct from S)",
	"starts_with(S, 'a')",
	"(D >= '2024-03-01')",
	"(D < D)",
	"cast(N as boolean)",
	"cast(S as boolean)",
	"case when T then T else false end",
	"coalesce(T, true)",
	"(not (S in ('a', null)))",
};

static const char *const text_shapes[] = {
	"lower(S)",
	"upper(S)",
	"trim(S)",
	"reverse(S)",
	"left(S, 1)",
	"right(S, -1)",
	"substr(S, 1, 2)",
	"substring(S from 2)",
	"(S || S)",
	"(S || 'x')",
	"coalesce(S, 'none')",
	"nullif(S, 'a')",
	"case when T then 'a' else S end",
	"case when T then 'lo' when T then 'hi' end",
	"cast(N as text)",
	"cast(T as text)",
	"least(S, S)",
};

static const char *const day_shapes[] = {
	"date_trunc('month', D)",   "date_trunc('year', D)",     "date_trunc('hour', D)",
	"date_trunc('isoyear', D)", "cast(D as date)",           "cast(S as date)",
	"cast(S as timestamp)",     "coalesce(D, '2024-02-29')", "case when T then D end",
};

static const struct {
	const char *const *shapes;
	unsigned count;
	const char *literals[4];
} kinds[] = {
	[WORLD_NUMBER] = {number_shapes,
			  sizeof number_shapes / sizeof *number_shapes,
			  {"0", "3", "-2.5", "1000000"}},
	[WORLD_TEXT] = {text_shapes,
			sizeof text_shapes / sizeof *text_shapes,
			{"'a'", "''", "'12'", "'2024-01-01'"}},
	[WORLD_TRUTH] = {truth_shapes,
			 sizeof truth_shapes / sizeof *truth_shapes,
			 {"true", "false", "(1 = 1)", "true"}},
	[WORLD_DAY] = {day_shapes,
		       sizeof day_shapes / sizeof *day_shapes,
		       {"date '2024-02-29'", "timestamp '2024-12-31 10:00:00'",
			"date '1969-12-31'", "cast('9999-12-31' as date)"}},
};

static bool put_column(struct writer *q, enum world_kind kind)
{
	size_t start = below(q, SCOPE_MAX);

	for (size_t i = 0; i < q->scope_count; i++) {
		const struct visible *v = &q->scope[(start + i) % q->scope_count];

		if (v->kind == kind) {
			put(q, "%s", v->text);
			return true;
		}
	}
	return false;
}

static void value(struct writer *q, enum world_kind kind, int depth)
{
	if (depth > 0 && below(q, 3))
		fill(q, kinds[kind].shapes[below(q, kinds[kind].count)], depth);
	else if (below(q, 6) == 0 || !put_column(q, kind))
		put(q, "%s", kinds[kind].literals[below(q, 4)]);
}

/* ---- FROM -------------------------------------------------------------------------------- */

static void show(struct writer *q, const char *text, enum world_kind kind)
{
	if (q->scope_count == SCOPE_MAX)
		return;
	q->scope[q->scope_count] = (struct visible){.kind = kind};
	(void)snprintf(q->scope[q->scope_count].text, sizeof q->scope[0].text, "%s", text);
	q->scope_count++;
}

static void put_table(struct writer *q)
{
	char text[24];
	enum world_kind unit = strcmp(q->w->unit_type, "VARCHAR") == 0 ? WORLD_TEXT
			       : strcmp(q->w->unit_type, "DATE") == 0  ? WORLD_DAY
								       : WORLD_NUMBER;

	put(q, "t");
	q->scope_count = 0;
	show(q, "t.uid", unit);
	q->scope[0].is_unit = !q->w->row_unit;
	for (size_t i = 0; i < q->w->column_count; i++) {
		(void)snprintf(text, sizeof text, "t.%s", q->w->columns[i].name);
		show(q, text, q->w->columns[i].kind);
	}
}

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

	put(q, " from ");
	put_relation(q, depth - 1);
	if (below(q, 2)) {
		put(q, " where ");
		value(q, WORLD_TRUTH, 2);
	}
	middle = q->at;
	put(q, "select ");
	for (unsigned i = 0; i < count; i++) {
		put(q, i ? ", " : "");
		if (!plain)
			put(q, "%s", casts[wanted[i]]);
		if (below(q, 2) || !put_column(q, wanted[i]))
			value(q, wanted[i], 2);
		put(q, "%s as x%u", plain ? "" : casts_end[wanted[i]], first_name + i);
	}
	swap_parts(q, start, middle);
}

/* The inside of a subquery; returns the number in its alias. */
static unsigned put_inner(struct writer *q, int depth)
{
	enum world_kind wanted[5] = {WORLD_NUMBER, WORLD_TEXT, WORLD_TRUTH};
	unsigned count = 3 + below(q, 3), first = q->names;
	bool unite = below(q, 4) == 0, careless = below(q, 3) == 0;
	char text[24];

	for (unsigned i = 3; i < count; i++)
		wanted[i] = (enum world_kind)below(q, 4);
	q->names += count + 1;
	put_projection(q, depth, wanted, count, first, !unite || careless);
	if (unite) {
		put(q, " union all ");
		put_projection(q, depth, wanted, count, first, careless);
	}
	q->scope_count = 0;
	for (unsigned i = 0; i < count; i++) {
		(void)snprintf(text, sizeof text, "x%u", first + i);
		show(q, text, wanted[i]);
	}
	return first;
}

static void put_subquery(struct writer *q, int depth)
{
	unsigned name;

	put(q, "(");
	name = put_inner(q, depth);
	put(q, ") as r%u", name);
}

static void put_join(struct writer *q, int depth)
{
	static const char *const joins[] = {"join", "left join", "right join", "full join"};
	unsigned name = q->names++;
	char text[24];

	put_relation(q, depth - 1);
	if (below(q, 8) == 0) {
		put(q, " cross join pub as p%u", name);
	} else {
		put(q, " %s pub as p%u on ", joins[below(q, 4)], name);
		if (below(q, 3) == 0) {
			value(q, WORLD_TRUTH, 1);
		} else if (below(q, 2)) {
			put(q, "p%u.s1 = ", name);
			value(q, WORLD_TEXT, 1);
		} else {
			put(q, "p%u.w > ", name);
			value(q, WORLD_NUMBER, 0);
		}
	}
	(void)snprintf(text, sizeof text, "p%u.g", name);
	show(q, text, WORLD_TEXT);
	(void)snprintf(text, sizeof text, "p%u.w", name);
	show(q, text, WORLD_NUMBER);
}

static void put_relation(struct writer *q, int depth)
{
	unsigned choice = depth > 0 ? below(q, 6) : 5;

	if (choice == 0)
		put_subquery(q, depth);
	else if (choice <= 2)
		put_join(q, depth);
	else if (choice == 3) {
		put_table(q);
		put(q, " %s codes on codes.code = ", below(q, 2) ? "join" : "left join");
		value(q, below(q, 2) ? WORLD_TEXT : WORLD_NUMBER, 0);
		show(q, "codes.code", WORLD_TEXT);
		show(q, "codes.word", WORLD_TEXT);
	} else if (choice == 4) {
		put_table(q);
		put(q, " %s pub using (s1)", below(q, 2) ? "join" : "full join");
		for (size_t i = 0; i < q->scope_count; i++)
			if (strcmp(q->scope[i].text, "t.s1") == 0)
				(void)snprintf(q->scope[i].text, sizeof q->scope[i].text, "s1");
		show(q, "pub.g", WORLD_TEXT);
	} else {
		put_table(q);
	}
}

/* ---- SELECT -------------------------------------------------------------------------------- */

static void put_summand(struct writer *q)
{
	static const char *const clips[] = {
		"clip(N, 0, 10)", "clip(N, -7, -2)", "clip(N, -0.5, 99.25)",
		"case when T then 1 else 0 end", "coalesce(least(greatest(N, -9), 9), 0)"};

	if (below(q, 4) == 0) { /* always with bounds in a world */
		for (size_t i = 0; i < q->scope_count; i++)
			if (strcmp(q->scope[i].text, "t.n0") == 0) {
				put(q, "t.n0");
				return;
			}
	}
	if (below(q, 8) == 0 && put_column(q, WORLD_NUMBER))
		return;
	fill(q, clips[below(q, 5)], 3);
}

static void put_aggregate(struct writer *q)
{
	static const char *const sums[] = {"sum", "sum", "avg", "var_pop", "stddev_samp"};

	switch (below(q, 7)) {
	case 0:
		put(q, "count(*)");
		break;
	case 1:
		put(q, "count(");
		value(q, (enum world_kind)below(q, 4), 2);
		put(q, ")");
		break;
	case 2:
		put(q, "count(distinct ");
		if (below(q, 2) && q->scope_count && q->scope[0].is_unit)
			put(q, "t.uid");
		else
			value(q, (enum world_kind)below(q, 4), 1);
		put(q, ")");
		break;
	default:
		put(q, "%s(", sums[below(q, 5)]);
		put_summand(q);
		put(q, ")");
		break;
	}
	if (below(q, 6) == 0) {
		put(q, " filter (where ");
		value(q, WORLD_TRUTH, 1);
		put(q, ")");
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
	};

	if (below(q, 2) && put_column(q, (enum world_kind)below(q, 4)))
		return;
	fill(q, shapes[below(q, sizeof shapes / sizeof *shapes)], 2);
}

static void put_list(struct writer *q)
{
	for (unsigned i = 0, n = 1 + below(q, 3); i < n; i++) {
		put(q, i ? ", " : "");
		put_aggregate(q);
	}
}

static void put_clauses(struct writer *q)
{
	if (below(q, 2)) {
		put(q, " where ");
		value(q, WORLD_TRUTH, 2);
	}
	for (unsigned i = 0, n = below(q, 3); i < n; i++) {
		put(q, i ? ", " : " group by ");
		put_key(q);
	}
}

void question_make(struct question *out, struct world *w)
{
	struct writer q = {.w = w, .at = out->text, .end = out->text + QUESTION_MAX};
	char *start = q.at, *middle;
	unsigned name;

	if (below(&q, 5) == 0) {
		put(&q, "with r as (");
		name = put_inner(&q, 2);
		put(&q, ") ");
		start = q.at;
		put(&q, " from r as r%u", name);
	} else {
		put(&q, " from ");
		put_relation(&q, 2);
	}
	put_clauses(&q);
	middle = q.at;
	put(&q, "select ");
	put_list(&q);
	swap_parts(&q, start, middle);
}
