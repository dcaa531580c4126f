/*
 * The text form of events:
 *
 *	event     := name "(" [ item { "," item } ] ")" [ "*" count ]
 *	item      := parameter "=" value | event
 *	value     := number | word | "?"
 *
 * Blanks may stand between tokens.  What a kind's parameters mean is in
 * event_parameters.c; this file only knows the shape.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/event.h"
#include "core/account/event/event_kind.h"
#include "core/account/event/event_parameters.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "sotto/account.h"

enum { WORD_MAX = 64, TEXT_MAX = 1 << 20, DEPTH_MAX = 16 };

struct scanner {
	const char *text;
	size_t at;
	const struct sotto_rational *unknown;
	const char *unknown_name; /* parameter for which "?" was written */
	struct sotto_error *err;
};

static enum sotto_status
parse_event(struct scanner *s, unsigned depth, struct sotto_event **out);

static enum sotto_status fail_at(struct scanner *s, const char *what)
{
	return sotto_fail(s->err, SOTTO_EPARSE, "%s at character %zu", what, s->at + 1);
}

static void skip_blanks(struct scanner *s)
{
	while (isspace((unsigned char)s->text[s->at]))
		s->at++;
}

static bool accept(struct scanner *s, char c)
{
	skip_blanks(s);
	if (s->text[s->at] != c)
		return false;
	s->at++;
	return true;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("._+-/", c));
}

/* A run of word characters: a name, a number or a keyword. */
static enum sotto_status scan_word(struct scanner *s, char *word, size_t size)
{
	size_t start, n = 0;

	skip_blanks(s);
	start = s->at;
	while (in_word(s->text[start + n]))
		n++;
	if (n == 0)
		return fail_at(s, "a name or a number is missing");
	if (n >= size)
		return fail_at(s, "a word is too long");
	memcpy(word, s->text + start, n);
	word[n] = '\0';
	s->at += n;
	return SOTTO_OK;
}

static enum sotto_status note_unknown(struct scanner *s, const char *name)
{
	if (!s->unknown)
		return fail_at(s,
			       "\"?\" is only allowed when a parameter is to be solved for,");
	if (s->unknown_name && strcmp(s->unknown_name, name) != 0)
		return fail_at(
			s, "only one kind of parameter can be unknown; a second \"?\" stands");
	s->unknown_name = name;
	return SOTTO_OK;
}

/* number := word | "?" */
static enum sotto_status
scan_number(struct scanner *s, const char *name, struct sotto_rational *value)
{
	struct sotto_error inner;
	enum sotto_status st;
	char word[4200];
	size_t start;

	if (accept(s, '?')) {
		SOTTO_TRY(note_unknown(s, name));
		sotto_rational_set(value, s->unknown);
		return SOTTO_OK;
	}
	skip_blanks(s);
	start = s->at;
	SOTTO_TRY(scan_word(s, word, sizeof word));
	st = sotto_rational_parse(value, word, &inner);
	if (st != SOTTO_OK)
		return sotto_fail(s->err, st, "%s: %s, at character %zu", name, inner.text,
				  start + 1);
	return SOTTO_OK;
}

static enum sotto_status
scan_value(struct scanner *s, const char *name, struct sotto_parameters *p)
{
	struct sotto_parameter *slot = sotto_parameters_slot(p, name);
	char word[WORD_MAX];

	if (!slot)
		return fail_at(s, "unknown parameter before the \"=\"");
	if (slot->given)
		return fail_at(s, "a parameter is given twice");
	if (slot == sotto_parameters_slot(p, "randomizer")) {
		SOTTO_TRY(scan_word(s, word, sizeof word));
		if (strcmp(word, "binary") != 0 && strcmp(word, "generic") != 0)
			return fail_at(s, "randomizer must be binary or generic;");
		p->binary = strcmp(word, "binary") == 0;
	} else {
		SOTTO_TRY(scan_number(s, slot->name, &slot->value));
	}
	slot->given = true;
	return SOTTO_OK;
}

static enum sotto_status scan_child(struct scanner *s, unsigned depth, struct sotto_event *e)
{
	struct sotto_event *child = NULL;
	enum sotto_status st = parse_event(s, depth + 1, &child);

	if (st == SOTTO_OK)
		st = sotto_event_adopt(e, child);
	if (st != SOTTO_OK)
		sotto_event_free(child);
	return st;
}

/* A number without a name is the epsilon of what has one, as everybody writes it. */
static bool begins_number(const char *word)
{
	return *word && strchr("0123456789.", *word) != NULL;
}

static bool is_bare_epsilon(const char *word, enum sotto_event_kind kind)
{
	return sotto_event_reads(kind, SOTTO_PARAMETER_EPSILON) && begins_number(word);
}

/*
 * item := parameter "=" value | number | event; told apart by what follows the name, and by
 * how it begins
 */
static enum sotto_status
scan_item(struct scanner *s, unsigned depth, struct sotto_parameters *p, struct sotto_event *e)
{
	size_t start;
	char word[WORD_MAX];

	skip_blanks(s);
	start = s->at;
	SOTTO_TRY(scan_word(s, word, sizeof word));
	if (accept(s, '='))
		return scan_value(s, word, p);
	s->at = start;
	if (is_bare_epsilon(word, e->kind))
		return scan_value(s, "epsilon", p);
	if (begins_number(word))
		return fail_at(s, "a parameter's name, like sigma= or rho=, is missing");
	return scan_child(s, depth, e);
}

static enum sotto_status
scan_items(struct scanner *s, unsigned depth, struct sotto_parameters *p, struct sotto_event *e)
{
	if (accept(s, ')'))
		return SOTTO_OK;
	do
		SOTTO_TRY(scan_item(s, depth, p, e));
	while (accept(s, ','));
	return accept(s, ')') ? SOTTO_OK : fail_at(s, "a \",\" or \")\" is missing");
}

static enum sotto_status scan_count(struct scanner *s, uint64_t *count)
{
	struct sotto_rational r;
	enum sotto_status st;
	size_t start;

	if (!accept(s, '*'))
		return SOTTO_OK;
	skip_blanks(s);
	start = s->at;
	sotto_rational_init(&r);
	st = scan_number(s, "count", &r);
	if (st == SOTTO_OK && !sotto_parameters_integer(&r, count))
		st = sotto_fail(s->err, SOTTO_EPARSE,
				"the count at character %zu must be an integer from 0 to "
				"2^53 = 9007199254740992",
				start + 1);
	sotto_rational_release(&r);
	return st;
}

static bool kind_named(const char *word, enum sotto_event_kind *kind)
{
	for (int k = 0; k <= SOTTO_EVENT_PARALLEL; k++) {
		*kind = (enum sotto_event_kind)k;
		if (strcmp(word, sotto_event_name(*kind)) == 0)
			return true;
	}
	return false;
}

static enum sotto_status fail_unnamed(const struct scanner *s, size_t at)
{
	char names[320] = "";
	size_t used = 0;

	for (int k = 0; k <= SOTTO_EVENT_PARALLEL && used < sizeof names; k++)
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
					 k ? ", " : "",
					 sotto_event_name((enum sotto_event_kind)k));
	return sotto_fail(s->err, SOTTO_EPARSE,
			  "there is no event of this name at character %zu; the events are %s",
			  at + 1, names);
}

static enum sotto_status parse_body(struct scanner *s, unsigned depth, struct sotto_event *e)
{
	struct sotto_error inner = {""};
	struct sotto_parameters p;
	enum sotto_status st;

	sotto_parameters_init(&p);
	st = scan_items(s, depth, &p, e);
	if (st == SOTTO_OK) {
		st = sotto_parameters_apply(&p, e, &inner);
		if (st == SOTTO_OK)
			st = sotto_event_check(e, &inner);
		if (st != SOTTO_OK)
			(void)sotto_fail(s->err, st, "%.400s, before character %zu", inner.text,
					 s->at + 1);
	}
	if (st == SOTTO_OK)
		st = scan_count(s, &e->count);
	sotto_parameters_release(&p);
	return st;
}

static enum sotto_status
parse_event(struct scanner *s, unsigned depth, struct sotto_event **out)
{
	enum sotto_event_kind kind;
	struct sotto_event *e;
	enum sotto_status st;
	char word[WORD_MAX];
	size_t start;

	if (depth > DEPTH_MAX)
		return fail_at(s, "events are nested too deep");
	skip_blanks(s);
	start = s->at;
	SOTTO_TRY(scan_word(s, word, sizeof word));
	if (!kind_named(word, &kind))
		return fail_unnamed(s, start);
	if (!accept(s, '('))
		return fail_at(s, "a \"(\" is missing");
	SOTTO_TRY(sotto_event_new(kind, &e));
	st = parse_body(s, depth, e);
	if (st != SOTTO_OK) {
		sotto_event_free(e);
		return st;
	}
	*out = e;
	return SOTTO_OK;
}

enum sotto_status sotto_event_parse(const char *text, const struct sotto_rational *unknown,
				    const char **name, struct sotto_event **out,
				    struct sotto_error *err)
{
	if (!text || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	unknown = sotto_rational_settled(unknown);

	struct scanner s = {.text = text, .unknown = unknown, .err = err};
	struct sotto_event *e;
	enum sotto_status st;

	if (strnlen(text, TEXT_MAX + 1) > TEXT_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "an event may have at most %d characters",
				  TEXT_MAX);
	SOTTO_TRY(parse_event(&s, 1, &e));
	skip_blanks(&s);
	if (s.text[s.at] != '\0') {
		st = fail_at(&s, "there is something after the event,");
		sotto_event_free(e);
		return st;
	}
	if (name)
		*name = s.unknown_name;
	*out = e;
	return SOTTO_OK;
}
