/*
 * The kinds of values: how each is made, read, checked and released.
 */
#include "frame/option.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "frame/suggest.h"

static void *place(const struct option *o, void *settings)
{
	return (char *)settings + o->offset;
}

/* A privacy parameter given twice is a mistake that must not be guessed about. */
static enum outcome given_twice(const struct option *o, struct sotto_error *err)
{
	return complaint_usage(err, "--%s was given twice", o->name);
}

static bool is_not_finite(const char *text)
{
	if (*text == '+' || *text == '-')
		text++;
	return strcasecmp(text, "nan") == 0 || strcasecmp(text, "inf") == 0 ||
	       strcasecmp(text, "infinity") == 0;
}

static const char *range_words(enum option_range range)
{
	switch (range) {
	case RANGE_POSITIVE:
		return "greater than 0";
	case RANGE_NOT_NEGATIVE:
		return "at least 0";
	case RANGE_INSIDE_UNIT:
		return "between 0 and 1";
	case RANGE_BELOW_ONE:
		return "at least 0 and less than 1";
	case RANGE_UNIT:
		return "at least 0 and at most 1";
	case RANGE_ANY:
		break;
	}
	return "a number";
}

static bool in_range(enum option_range range, const struct sotto_rational *x)
{
	int sign = sotto_rational_sign(x), above;
	struct sotto_rational one;

	sotto_rational_init(&one);
	sotto_rational_set_integer(&one, 1);
	above = sotto_rational_compare(x, &one);
	sotto_rational_release(&one);

	switch (range) {
	case RANGE_POSITIVE:
		return sign > 0;
	case RANGE_NOT_NEGATIVE:
		return sign >= 0;
	case RANGE_INSIDE_UNIT:
		return sign > 0 && above < 0;
	case RANGE_BELOW_ONE:
		return sign >= 0 && above < 0;
	case RANGE_UNIT:
		return sign >= 0 && above <= 0;
	case RANGE_ANY:
		break;
	}
	return true;
}

static enum outcome store_rational(const struct option *o, struct option_rational *to,
				   const char *text, struct sotto_error *err)
{
	struct sotto_error why = {""};

	if (to->given)
		return given_twice(o, err);
	if (is_not_finite(text))
		return complaint_refuse(err, "--%s must be %s and finite, not %.40s", o->name,
					range_words(o->range), text);
	if (sotto_rational_parse(&to->value, text, &why) != SOTTO_OK)
		return complaint_usage(err, "--%s: %s", o->name, why.text);
	if (!in_range(o->range, &to->value))
		return complaint_refuse(err, "--%s must be %s, not %.40s", o->name,
					range_words(o->range), text);
	to->text = text;
	to->given = true;
	return OUTCOME_DONE;
}

/* text is A:B */
static enum outcome store_interval(const struct option *o, struct option_interval *to,
				   const char *text, struct sotto_error *err)
{
	const char *colon = strchr(text, ':');
	char *low = memory_text("%.*s", (int)(colon - text), text);
	struct sotto_error why = {""};
	enum sotto_status st;

	if (to->given) {
		free(low);
		return given_twice(o, err);
	}
	st = sotto_rational_parse(&to->low, low, &why);
	if (st == SOTTO_OK)
		st = sotto_rational_parse(&to->high, colon + 1, &why);
	free(low);
	if (st != SOTTO_OK)
		return complaint_usage(err, "--%s: %s", o->name, why.text);
	if (sotto_rational_compare(&to->low, &to->high) > 0)
		return complaint_refuse(
			err, "--%s: the first number must not be above the second", o->name);
	to->given = true;
	return OUTCOME_DONE;
}

static enum outcome store_count(const struct option *o, struct option_count *to,
				const char *text, struct sotto_error *err)
{
	bool negative = text[0] == '-';
	const char *digits = text + negative;
	uint64_t value = 0;

	if (to->given)
		return given_twice(o, err);
	if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
		return complaint_usage(err, "--%s must be a whole number, not \"%.40s\"",
				       o->name, text);
	for (const char *c = digits; *c; c++)
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value) ||
		    value > INT64_MAX)
			return complaint_refuse(err, "--%s is too large: at most %lld", o->name,
						(long long)INT64_MAX);
	if ((negative && value) || (o->range == RANGE_POSITIVE && value == 0))
		return complaint_refuse(err, "--%s must be at least %d, not %.40s", o->name,
					o->range == RANGE_POSITIVE, text);
	*to = (struct option_count){.value = value, .given = true};
	return OUTCOME_DONE;
}

/* "table, csv or json" */
static char *list_choices(const char *const *choices)
{
	char *list = memory_copy_text(choices[0]);

	for (size_t i = 1; choices[i]; i++) {
		char *longer =
			memory_text("%s%s%s", list, choices[i + 1] ? ", " : " or ", choices[i]);

		free(list);
		list = longer;
	}
	return list;
}

static enum outcome
store_choice(const struct option *o, size_t *to, const char *text, struct sotto_error *err)
{
	enum outcome outcome;
	char *list;

	for (size_t i = 0; o->choices[i]; i++)
		if (strcmp(o->choices[i], text) == 0) {
			*to = i;
			return OUTCOME_DONE;
		}
	list = list_choices(o->choices);
	outcome = complaint_usage(err, "--%s must be %s, not \"%.40s\"", o->name, list, text);
	free(list);
	return outcome;
}

static enum outcome
store_text(const struct option *o, const char **to, const char *text, struct sotto_error *err)
{
	if (*to && *to != o->fallback)
		return given_twice(o, err);
	*to = text;
	return OUTCOME_DONE;
}

static enum outcome store_item(struct option_list *to, const char *text)
{
	to->items = memory_grow(to->items, to->count, sizeof *to->items);
	to->items[to->count++] = text;
	return OUTCOME_DONE;
}

enum outcome
option_store(const struct option *o, void *settings, const char *text, struct sotto_error *err)
{
	void *to = place(o, settings);

	switch (o->kind) {
	case OPTION_FLAG:
		*(bool *)to = true;
		return OUTCOME_DONE;
	case OPTION_TEXT:
		return store_text(o, to, text, err);
	case OPTION_RATIONAL:
		return store_rational(o, to, text, err);
	case OPTION_COUNT:
		return store_count(o, to, text, err);
	case OPTION_INTERVAL:
		return store_interval(o, to, text, err);
	case OPTION_CHOICE:
		return store_choice(o, to, text, err);
	case OPTION_LIST:
		return store_item(to, text);
	}
	return OUTCOME_USAGE;
}

/* Reads the fallback, and marks it as not given by the user. */
static void store_fallback(const struct option *o, void *settings)
{
	struct sotto_error ignored;
	void *to = place(o, settings);

	if (option_store(o, settings, o->fallback, &ignored) != OUTCOME_DONE)
		abort(); /* the table is wrong, not the user */
	if (o->kind == OPTION_RATIONAL)
		((struct option_rational *)to)->given = false;
	if (o->kind == OPTION_COUNT)
		((struct option_count *)to)->given = false;
}

void option_group_init(const struct option_group *group)
{
	for (const struct option *o = group->options; o && o->name; o++) {
		if (o->kind == OPTION_RATIONAL) {
			struct option_rational *r = place(o, group->settings);

			sotto_rational_init(&r->value);
		}
		if (o->kind == OPTION_INTERVAL) {
			struct option_interval *r = place(o, group->settings);

			sotto_rational_init(&r->low);
			sotto_rational_init(&r->high);
		}
		if (o->fallback)
			store_fallback(o, group->settings);
	}
}

void option_group_release(const struct option_group *group)
{
	for (const struct option *o = group->options; o && o->name; o++) {
		void *to = place(o, group->settings);

		if (o->kind == OPTION_RATIONAL)
			sotto_rational_release(&((struct option_rational *)to)->value);
		if (o->kind == OPTION_INTERVAL) {
			sotto_rational_release(&((struct option_interval *)to)->low);
			sotto_rational_release(&((struct option_interval *)to)->high);
		}
		if (o->kind == OPTION_LIST)
			free(((struct option_list *)to)->items);
	}
}

static bool was_given(const struct option *o, void *settings)
{
	void *to = place(o, settings);

	switch (o->kind) {
	case OPTION_TEXT:
		return *(const char **)to != NULL;
	case OPTION_RATIONAL:
		return ((struct option_rational *)to)->given;
	case OPTION_COUNT:
		return ((struct option_count *)to)->given;
	case OPTION_INTERVAL:
		return ((struct option_interval *)to)->given;
	case OPTION_LIST:
		return ((struct option_list *)to)->count > 0;
	case OPTION_FLAG:
	case OPTION_CHOICE:
		break;
	}
	return true; /* these always have a value */
}

enum outcome option_check(const struct option_group *group, struct sotto_error *err)
{
	for (const struct option *o = group->options; o && o->name; o++)
		if (o->required && !was_given(o, group->settings))
			return complaint_usage(err, "--%s %s is needed: %s", o->name,
					       o->argument, o->help);
	return OUTCOME_DONE;
}
