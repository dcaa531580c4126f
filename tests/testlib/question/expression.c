/*
 * Templates in which N, S, T, D and C stand for subexpressions of a type; every function of the
 * product's list is drawn too, so that a new one is tested at once.
 */
#include "testlib/question/expression.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "central/expression/row_function.h"

unsigned writer_below(struct writer *q, unsigned n)
{
	return chance_below(&q->w->chance, n);
}

void writer_put(struct writer *q, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(q->at, (size_t)(q->end - q->at), format, args);
	va_end(args);
	q->at = n < q->end - q->at ? q->at + n : q->end - 1;
}

void writer_fill(struct writer *q, const char *template, int depth)
{
	static const char *const numbers[] = {"0",   "1",     "-1", "2",    "7",
					      "0.5", "-3.25", "10", "1000", "1e30"};

	for (const char *s = template; *s; s++) {
		const char *kind = strchr("NSTD", *s);

		if (kind)
			writer_value(q, (enum world_kind)(kind - "NSTD"), depth - 1);
		else if (*s == 'C')
			writer_put(q, "%s", numbers[writer_below(q, 10)]);
		else
			writer_put(q, "%c", *s);
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
	"date_diff('day', D, D)",
	"date_diff('month', D, D)",
	"extract(epoch from D - cast(D as timestamp))",
	"(extract(epoch from D - cast(D as timestamp)) / 86400)",
	"(floor(extract(year from D) / 10) * 10)",
	"timestampdiff(hour, D, D)",
	"datediff(D, D)",
	"octet_length(S)",
	"cast(N as numeric(6, 1))",
	"cast(S ->> 'a' as integer)",
	"cast(S #>> '{a,0}' as integer)",
	"extract(hour from D at time zone 'Asia/Kolkata')",
	"extract(dayofyear from D)",
	"decode(N, 1, N, null, C, N)",
	"nvl2(S, N, C)",
	"zeroifnull(N)",
	"safe_divide(N, N)",
	"div0(N, N)",
	"(cast(N as bigint) + 9007199254740993)",
	"(cast(N as bigint) - cast(N as bigint))",
	"(cast(N as bigint) * cast(N as bigint))",
	"(cast(N as bigint) / cast(N as bigint))",
	"mod(cast(N as bigint), cast(N as bigint))",
	"(- cast(N as bigint))",
	"(cast(N as bigint) & cast(N as bigint))",
	"coalesce(cast(N as bigint), 9223372036854775807)",
	"(- (-9223372036854775808))",
	"cast(N as numeric(38, 10))",
	"iff(T, N, C)",
	"ifnull(N, C)",
	"(select avg(clip(i.n0, 0, 9)) from t as i where i.s1 = S)",
	"(select sum(clip(i.n0, -7, -2)) from t as i)",
};

static const char *const truth_shapes[] = {
	"(S similar to '%(a|b)_')",
	"(S ~ '^[a-c].*$')",
	"(S !~* '(A|1)+')",
	"(S not like all ('a%', '_'))",
	"((S, N) in (('a', 1), ('b', C)))",
	"((S, N) > ('a', C))",
	"((N, S, T) <= (N, 'b', false))",
	"((length(S) = 1 and T) or (T and length(S) = 1))",
	"(N > any (array[1, 2]))",
	"(cast(N as bigint) / cast(N as bigint) = -1)",
	"(N > (select avg(clip(i.n0, -5, 9)) from t as i))",
	"(N <= (select count(*) from t as i where i.s1 = S))",
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
	"(S in (select s1 from pub))",
	"(N not in (select w from pub where w > 3))",
	"(N > (select max(w) from pub))",
	"exists (select 1 from pub where g = 'a')",
	"(N < 2.5)",
	"(9223372036854775807.5 > N)",
	"(N <> 18446744073709551616)",
	"(N in (1.5, 3, -9223372036854775808.25))",
	"(N is distinct from 0.5)",
	"(D at time zone 'America/Sao_Paulo' < '2024-06-01')",
	"(S like any ('a%', '%b'))",
	"(cast(D as timestamp) - cast(D as timestamp) > interval '3 days')",
	"(N between symmetric C and C)",
};

static const char *const text_shapes[] = {
	"(S ->> 'a')",
	"decode(S, 'a', 'x', null, 'none', S)",
	"date_format(D, 'yyyy-MM')",
	"(S #>> '{a,b}')",
	"('{\"a\": {\"b\": ' || N || '}}' #>> '{a,b}')",
	"('{\"a\": [1, ' || N || ', null]}' -> 'a' ->> 1)",
	"json_extract('[' || S || ']', '$[0]')",
	"cast(S as varchar(2))",
	"cast(N as text)",
	"cast(N % 2 as text)",
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
	"concat(S, N, D, T)",
	"concat_ws('-', S, N)",
	"regexp_replace(S, '[a-c]+', 'x', 'g')",
	"regexp_replace(S, '^(.)(.*)$', '\\2-\\1\\1')",
	"regexp_replace(S, '([a-c])|(.)', '<\\1\\2>', 'g')",
};

static const char *const day_shapes[] = {
	"last_day(D)",
	"make_date(2024, cast(N as integer), 31)",
	"cast(cast(D as date) || ' 10:30:00+02' as timestamp)",
	"cast(S as timestamp)",
	"(D at time zone 'gmt')",
	"(D at time zone 'Europe/Berlin')",
	"(cast(D as timestamptz) at time zone 'America/New_York')",
	"(cast(D as timestamp) at time zone 'Pacific/Apia')",
	"date_trunc('day', D, 'Asia/Tokyo')",
	"date(D, 'Australia/Lord_Howe')",
	"(D + interval '3 months')",
	"(cast(D as date) - 40)",
	"(cast(D as date) + cast(N as integer))",
	"(D - interval '90 minutes')",
	"date_trunc('month', D)",
	"date_trunc('year', D)",
	"date_trunc('hour', D)",
	"date_trunc('isoyear', D)",
	"trunc(D, 'month')",
	"tostartofhour(D)",
	"cast(D as date)",
	"cast(S as date)",
	"cast(S as timestamp)",
	"coalesce(D, '2024-02-29')",
	"case when T then D end",
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

/* ---- functions of the list --------------------------------------------------------------- */

static bool gives_kind(const struct sotto_function *f, enum world_kind kind)
{
	switch (f->type) {
	case SOTTO_TYPE_TEXT:
		return kind == WORLD_TEXT;
	case SOTTO_TYPE_BOOLEAN:
		return kind == WORLD_TRUTH;
	case SOTTO_TYPE_DATE:
	case SOTTO_TYPE_TIMESTAMP:
		return kind == WORLD_DAY;
	default:
		return kind == WORLD_NUMBER;
	}
}

/* What is written out in a call, by the letters of row_function.h. */
static const char *written_out(struct writer *q, char letter)
{
	static const char *const texts[] = {"''", "'a'", "'1'", "'é'"};
	static const char *const patterns[] = {"'^a'", "'(a|é){2,3}$'", "'[^a-z]\\d?'", "''"};
	static const char *const formats[] = {"'%Y-%m'", "'%G %V %j'", "'%-d %% %p'", "'é'"};
	static const char *const paths[] = {"'$.a'", "'$[0]'", "'$.\"a b\"[3].c'", "'$.a.b'"};
	static const char *const zones[] = {"'Europe/Berlin'", "'Pacific/Kiritimati'",
					    "'Africa/Monrovia'", "'gmt'"};
	static const char *const parts[] = {"'year'", "'dow'", "'week'", "'epoch'"};
	static const char *const widths[] = {"interval '15 minutes'", "interval '2 days'",
					     "'7 months'", "interval '3 hours'"};
	static const char *const readings[] = {"'%Y%m%d'", "'%Y-%m-%d'", "'%d.%m.%Y %H:%M'",
					       "'%S'"};
	static const char *const origins[] = {"'2000-01-01'", "date '1999-12-31'",
					      "timestamp '2020-02-29 12:34:56'",
					      "'0001-01-01'"};
	static const char *const wholes[] = {"0", "2", "-3", "1000000"};
	static const struct {
		char letter;
		const char *const *list;
	} letters[] = {{'l', texts},  {'r', texts},    {'p', patterns}, {'f', formats},
		       {'j', paths},  {'z', zones},    {'w', parts},    {'i', wholes},
		       {'v', widths}, {'x', readings}, {'o', origins}};

	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (letters[i].letter == letter)
			return letters[i].list[writer_below(q, 4)];
	return NULL;
}

static void put_call(struct writer *q, const struct sotto_function *f, int depth)
{
	static const char values[] = "nbtd";
	static const enum world_kind wanted[] = {WORLD_NUMBER, WORLD_NUMBER, WORLD_TEXT,
						 WORLD_DAY};
	bool buckets = strcmp(f->name, "width_bucket") == 0;

	writer_put(q, "\"%s\"(", f->name);
	for (size_t i = 0; f->args[i]; i++) {
		char letter = (char)(f->args[i] | 0x20);
		const char *value = strchr(values, letter);

		writer_put(q, i ? ", " : "");
		if (buckets && i > 0)
			writer_put(q, "%zu", 3 * i * i);
		else if (value)
			writer_value(q, wanted[value - values], depth - 1);
		else
			writer_put(q, "%s", written_out(q, letter));
	}
	writer_put(q, ")");
}

/* Any function of the list that gives the kind: one that is added is drawn from then on. */
static void put_function(struct writer *q, enum world_kind kind, int depth)
{
	const struct sotto_function *f;
	unsigned count = 0, chosen;

	for (size_t i = 0; (f = sotto_function_at(i)) != NULL; i++)
		count += gives_kind(f, kind);
	chosen = writer_below(q, count);
	for (size_t i = 0; (f = sotto_function_at(i)) != NULL; i++)
		if (gives_kind(f, kind) && chosen-- == 0) {
			put_call(q, f, depth);
			return;
		}
}

/* A field of a structure is a column with dots in its name: half of the time without quotes. */
static void put_name(struct writer *q, const char *name)
{
	const char *field = strstr(name, "\"f.");

	if (field && writer_below(q, 2))
		writer_put(q, "%.*s%.*s", (int)(field - name), name,
			   (int)strcspn(field + 1, "\""), field + 1);
	else
		writer_put(q, "%s", name);
}

bool writer_column(struct writer *q, enum world_kind kind)
{
	size_t start = writer_below(q, WRITER_SCOPE_MAX);

	for (size_t i = 0; i < q->scope_count; i++) {
		const struct visible *v = &q->scope[(start + i) % q->scope_count];

		if (v->kind == kind) {
			put_name(q, v->text);
			return true;
		}
	}
	return false;
}

void writer_value(struct writer *q, enum world_kind kind, int depth)
{
	if (depth > 0 && writer_below(q, 4) == 0)
		put_function(q, kind, depth);
	else if (depth > 0 && writer_below(q, 3))
		writer_fill(q, kinds[kind].shapes[writer_below(q, kinds[kind].count)], depth);
	else if (writer_below(q, 6) == 0 || !writer_column(q, kind))
		writer_put(q, "%s", kinds[kind].literals[writer_below(q, 4)]);
	else if (kind == WORLD_TEXT && writer_below(q, 12) == 0)
		writer_put(q, ".a"); /* a field of JSON, or nothing */
}
