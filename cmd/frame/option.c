/*
 * Goes through the arguments once, from left to right: finds each option by name or letter in
 * the tables and hands its value to option_store; what looks like a number is an operand.
 */
#include "frame/option.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "frame/suggest.h"

struct parser {
	const struct option_group *groups;
	size_t group_count;
	const char *const *arguments;
	size_t count;
	size_t at; /* the next argument */
	struct operands *operands;
	struct sotto_error *err;
};

/* An option together with the settings that it writes. */
struct match {
	const struct option *option;
	void *settings;
};

static bool has_next(const struct option *o)
{
	return o && o->name;
}

static struct match find_name(const struct parser *p, const char *name, size_t length)
{
	for (size_t g = 0; g < p->group_count; g++)
		for (const struct option *o = p->groups[g].options; has_next(o); o++)
			if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
				return (struct match){o, p->groups[g].settings};
	return (struct match){NULL, NULL};
}

static struct match find_letter(const struct parser *p, char letter)
{
	for (size_t g = 0; g < p->group_count; g++)
		for (const struct option *o = p->groups[g].options; has_next(o); o++)
			if (o->letter == letter)
				return (struct match){o, p->groups[g].settings};
	return (struct match){NULL, NULL};
}

static enum outcome unknown_name(const struct parser *p, const char *name, size_t length)
{
	char *typed = memory_text("%.*s", (int)length, name);
	struct suggestion s = {.typed = typed};
	enum outcome outcome;

	for (size_t g = 0; g < p->group_count; g++)
		for (const struct option *o = p->groups[g].options; has_next(o); o++)
			suggest_offer(&s, o->name);
	if (s.word)
		outcome = complaint_usage(p->err, "unknown option --%s; did you mean --%s?",
					  typed, s.word);
	else
		outcome = complaint_usage(
			p->err, "unknown option --%s; --help lists the options", typed);
	free(typed);
	return outcome;
}

/* --csv --column x: a forgotten value, not a file called --column. */
static bool is_long_option(const char *argument)
{
	return strncmp(argument, "--", 2) == 0 && argument[2] != '\0';
}

/* "--range 0 10" is "--range 0:10". */
static enum outcome take_interval(struct parser *p, struct match m, const char *first)
{
	enum outcome outcome;
	char *both;

	if (strchr(first, ':'))
		return option_store(m.option, m.settings, first, p->err);
	if (p->at == p->count)
		return complaint_usage(p->err, "--%s needs two numbers (%s)", m.option->name,
				       m.option->argument);
	both = memory_text("%s:%s", first, p->arguments[p->at++]);
	outcome = option_store(m.option, m.settings, both, p->err);
	free(both);
	return outcome;
}

/* Stores the attached value, or the next argument if there is none. */
static enum outcome take_value(struct parser *p, struct match m, const char *attached)
{
	if (m.option->kind == OPTION_FLAG)
		return option_store(m.option, m.settings, NULL, p->err);
	if (!attached) {
		if (p->at == p->count || is_long_option(p->arguments[p->at]))
			return complaint_usage(p->err, "--%s needs a value (%s)",
					       m.option->name, m.option->argument);
		attached = p->arguments[p->at++];
	}
	if (m.option->kind == OPTION_INTERVAL)
		return take_interval(p, m, attached);
	return option_store(m.option, m.settings, attached, p->err);
}

static enum outcome parse_long(struct parser *p, const char *argument)
{
	const char *name = argument + 2, *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	struct match m = find_name(p, name, length);

	if (!m.option)
		return unknown_name(p, name, length);
	if (equals && m.option->kind == OPTION_FLAG)
		return complaint_usage(p->err, "--%s takes no value", m.option->name);
	return take_value(p, m, equals ? equals + 1 : NULL);
}

static enum outcome parse_letters(struct parser *p, const char *argument)
{
	enum outcome outcome = OUTCOME_DONE;

	for (const char *c = argument + 1; *c && outcome == OUTCOME_DONE; c++) {
		struct match m = find_letter(p, *c);

		if (!m.option)
			return complaint_usage(
				p->err, "unknown option -%c; --help lists the options", *c);
		if (m.option->kind != OPTION_FLAG)
			return take_value(p, m, c[1] ? c + 1 : NULL);
		outcome = take_value(p, m, NULL);
	}
	return outcome;
}

/* True for -3, -.5 or -1e9: an operand although it starts with a dash. */
static bool looks_like_number(const char *argument)
{
	const char *c = argument + 1;

	if (argument[0] != '-')
		return false;
	if (*c == '.')
		c++;
	return *c >= '0' && *c <= '9';
}

static void add_operand(struct operands *operands, const char *argument)
{
	operands->items =
		memory_grow(operands->items, operands->count, sizeof *operands->items);
	operands->items[operands->count++] = argument;
}

static enum outcome parse_argument(struct parser *p, bool *ended)
{
	const char *argument = p->arguments[p->at++];

	if (*ended || argument[0] != '-' || argument[1] == '\0' || looks_like_number(argument))
		add_operand(p->operands, argument);
	else if (strcmp(argument, "--") == 0)
		*ended = true;
	else if (argument[1] == '-')
		return parse_long(p, argument);
	else
		return parse_letters(p, argument);
	return OUTCOME_DONE;
}

enum outcome option_parse(const struct option_group *groups, size_t group_count,
			  const char *const *arguments, size_t count, struct operands *operands,
			  struct sotto_error *err)
{
	struct parser p = {groups, group_count, arguments, count, 0, operands, err};
	enum outcome outcome = OUTCOME_DONE;
	bool ended = false;

	*operands = (struct operands){0};
	while (outcome == OUTCOME_DONE && p.at < p.count)
		outcome = parse_argument(&p, &ended);
	return outcome;
}
