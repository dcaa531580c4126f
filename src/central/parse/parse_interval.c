/*
 * INTERVAL '3 months', INTERVAL '3' MONTH: a call of interval(3, 'month').  Several parts are
 * counted in the smallest unit of them: '1 day 6 hours' is 30 hours.
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

/* How PostgreSQL's parser writes the unit behind the text. */
static const struct {
	const char *unit;
	int mask;
} units[] = {
	{"month", 2},     {"year", 4},      {"day", 8},  {"hour", 1024},
	{"minute", 2048}, {"second", 4096}, {"week", 0},
};

static const char *unit_by_mask(int mask)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (mask && units[i].mask == mask)
			return units[i].unit;
	return NULL;
}

/* The unit that the text begins with, and in *rest what follows it; NULL: it is none. */
static const char *unit_before(const char *text, const char **rest)
{
	text += strspn(text, " ");
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		size_t n = strlen(units[i].unit);
		const char *end = text + n;

		if (strncmp(text, units[i].unit, n) != 0)
			continue;
		end += *end == 's';
		*rest = end + strspn(end, " ");
		if (**rest == '\0' || *rest > end)
			return units[i].unit;
	}
	return NULL;
}

static const char *unit_by_name(const char *text)
{
	const char *rest = "", *unit = unit_before(text, &rest);

	return *rest ? NULL : unit;
}

/* Of units that are whole numbers of smaller ones: months, or seconds; 0: neither. */
static long size_of(const char *unit, bool *months)
{
	static const struct {
		const char *unit;
		long size;
		bool months;
	} sizes[] = {{"year", 12, true},    {"month", 1, true},    {"week", 604800, false},
		     {"day", 86400, false}, {"hour", 3600, false}, {"minute", 60, false},
		     {"second", 1, false}};

	for (size_t i = 0; unit && i < sizeof sizes / sizeof sizes[0]; i++)
		if (strcmp(sizes[i].unit, unit) == 0) {
			*months = sizes[i].months;
			return sizes[i].size;
		}
	return 0;
}

enum { AMOUNT_MAX = 100000 };

/* '1 day 6 hours': in *n of the smallest unit of its parts, which is returned; NULL: something else. */
static const char *read_parts(const char *text, long *n)
{
	const char *smallest = NULL, *unit;
	long long sum = 0, least = 0;
	bool months = false, other = false;

	while (*text) {
		char *end;
		long amount = strtol(text, &end, 10), size;

		unit = end == text || labs(amount) > AMOUNT_MAX ? NULL
								: unit_before(end, &text);
		size = size_of(unit, &other);
		if (size == 0 || (smallest && other != months))
			return NULL;
		months = other;
		sum += (long long)amount * size;
		if (!smallest || size < least) {
			smallest = unit;
			least = size;
		}
	}
	if (!smallest || sum / least > AMOUNT_MAX || sum / least < -AMOUNT_MAX)
		return NULL;
	*n = (long)(sum / least);
	return smallest;
}

static enum sotto_status new_interval(struct sotto_sql_parser *p, int at, long n,
				      const char *unit, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, SOTTO_SQL_CALL, at);

	SOTTO_SQL_NEED(e);
	if (!unit || labs(n) > AMOUNT_MAX)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at,
				      "an interval is written like INTERVAL '3 months' or '1 "
				      "day 6 hours', with "
				      "numbers up to 100000 and units of year and month, or of "
				      "week, day, hour, "
				      "minute and second");
	e->text = SOTTO_SQL_INTERVAL;
	e->count = 2;
	e->args = sotto_arena_alloc(p->arena, 2 * sizeof *e->args);
	SOTTO_SQL_NEED(e->args);
	for (int i = 0; i < 2; i++) {
		e->args[i] =
			sotto_sql_expr_new(p->arena, i ? SOTTO_SQL_TEXT : SOTTO_SQL_NUMBER, at);
		SOTTO_SQL_NEED(e->args[i]);
	}
	e->args[0]->text = sotto_arena_textf(p->arena, "%ld", n);
	e->args[1]->text = unit;
	SOTTO_SQL_NEED(e->args[0]->text);
	*out = e;
	return SOTTO_OK;
}

/* A quarter is three months; a unit may be written in any letters. */
enum sotto_status sotto_sql_new_interval(struct sotto_sql_parser *p, int at, long n,
					 const char *unit, struct sotto_sql_expr **out)
{
	char small[16] = "";

	for (size_t i = 0; unit[i] && i + 1 < sizeof small; i++)
		small[i] = (char)tolower((unsigned char)unit[i]);
	if (strcmp(small, "quarter") == 0 && labs(n) <= AMOUNT_MAX)
		return new_interval(p, at, 3 * n, "month", out);
	return new_interval(p, at, n, unit_by_name(small), out);
}

enum sotto_status sotto_sql_parse_interval(struct sotto_sql_parser *p, const json_t *body,
					   struct sotto_sql_expr **out)
{
	const json_t *name = json_object_get(body, "typeName");
	const json_t *mod = json_array_get(json_object_get(name, "typmods"), 0);
	const char *text = sotto_sql_node_word(
		json_object_get(json_object_get(json_object_get(body, "arg"), "A_Const"),
				"sval"),
		"sval");
	long long mask = 0;
	const char *unit;
	char *end;
	long n = strtol(text, &end, 10);

	if (mod)
		SOTTO_TRY(sotto_sql_parse_integer(p, json_object_get(mod, "A_Const"), &mask));
	unit = mod && !*end ? unit_by_mask((int)mask) : mod ? NULL : unit_by_name(end);
	if (!mod && !unit)
		unit = read_parts(text + strspn(text, " "), &n);
	return new_interval(p, sotto_sql_node_int(name, "location", 0), n,
			    end == text ? NULL : unit, out);
}
