/*
 * Texts that are made of noisy values: dates, and texts put together.
 */
#include "central/session/answer/evaluate.h"

#include <math.h>
#include <stdio.h>

#include "core/base/calendar.h"
#include "core/base/shortest.h"

static const struct sotto_value null_value = {.kind = SOTTO_VALUE_NULL};

enum { DAY = 86400, FIRST_DAY = -719162, LAST_DAY = 2932896, TEXT_MAX = 10000 };

static struct sotto_value of_text(const char *text)
{
	return text ? (struct sotto_value){.kind = SOTTO_VALUE_TEXT, .text = text} : null_value;
}

struct sotto_value
sotto_value_of_moment(struct sotto_arena *a, double x, enum sotto_sql_type type)
{
	double days = floor(type == SOTTO_TYPE_DATE ? x : x / DAY);
	char date[SOTTO_CALENDAR_TEXT];
	unsigned second;

	if (!a || !(days >= FIRST_DAY && days <= LAST_DAY))
		return null_value;
	sotto_calendar_format((int64_t)days, date);
	if (type == SOTTO_TYPE_DATE)
		return of_text(sotto_arena_text(a, date));
	second = (unsigned)floor(x - days * DAY);
	return of_text(sotto_arena_textf(a, "%s %02u:%02u:%02u", date, second / 3600,
					 second / 60 % 60, second % 60));
}

struct sotto_value sotto_value_of_day(struct sotto_arena *a, const struct sotto_value *x)
{
	return a ? of_text(sotto_arena_textf(a, "%.*s", SOTTO_CALENDAR_TEXT - 1, x->text))
		 : null_value;
}

static const char *text_of(struct sotto_arena *a, const struct sotto_value *x)
{
	char number[SOTTO_SHORTEST_SIZE];

	switch (x->kind) {
	case SOTTO_VALUE_TEXT:
		return x->text;
	case SOTTO_VALUE_BOOL:
		return x->integer ? "true" : "false";
	case SOTTO_VALUE_INTEGER:
		return sotto_arena_textf(a, "%lld", (long long)x->integer);
	case SOTTO_VALUE_NUMBER:
		sotto_shortest(x->number, number);
		return sotto_arena_text(a, number);
	case SOTTO_VALUE_NULL:
		break;
	}
	return "";
}

struct sotto_value
sotto_value_joined(struct sotto_arena *a, const struct sotto_value *values, size_t count)
{
	const char *all = "";

	for (size_t i = 0; a && all && i < count; i++) {
		const char *one = text_of(a, &values[i]);

		all = one ? sotto_arena_textf(a, "%s%.*s", all, TEXT_MAX, one) : NULL;
	}
	return a ? of_text(all) : null_value;
}
