/* Admits users to sessions and writes the messages that they get. */
#include "server/work/work_admit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/session.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

enum { WORDS_CAP = 1 << 20, OPTION_MAX = 32 };

static const char closed[] = "the server cannot answer now; ask its owner to look at it";

enum sotto_status sotto_work_admit(struct sotto_session *s, const struct sotto_person *person,
				   struct sotto_error *err)
{
	struct sotto_rational share;
	enum sotto_status st = SOTTO_OK;

	sotto_rational_init(&share);
	if (person->share[0])
		st = sotto_rational_parse(&share, person->share, err);
	if (st == SOTTO_OK)
		st = sotto_session_admit(s, person->name, person->share[0] ? &share : NULL,
					 err);
	sotto_rational_release(&share);
	return st;
}

/* ---- words -------------------------------------------------------------------------------- */

/* Of what and where, which is for the owner: all up to " (line 1, character 2)". */
static size_t operand_length(const char *text)
{
	const char *place = strstr(text, " (line ");

	if (strncmp(text, " '", 2) != 0)
		return 0;
	return place ? (size_t)(place - text) : strlen(text);
}

/* What only the owner does, at another place. */
static const char bounds[] = "find bounds with sotto bounds",
		  ask_for_bounds[] = "ask the owner to find bounds";

static const struct {
	const char *option, *words[2]; /* by door */
} options[] = {
	{"epsilon", {"epsilon", "sotto.epsilon"}},
	{"delta", {"delta", "sotto.delta"}},
	{"error", {"error", "sotto.error"}},
	{"diagnostics", {"diagnostics", "sotto.diagnostics"}},
	{"mechanism", {"mechanism", "sotto.mechanism"}},
	{"fresh", {"\"fresh\": true", "SET sotto.fresh = on"}},
};

/* Letters and hyphens of the option that text begins with; 0: it begins with none. */
static size_t option_length(const char *text)
{
	size_t n = 2;

	if (text[0] != '-' || text[1] != '-' || !islower((unsigned char)text[2]))
		return 0;
	while (islower((unsigned char)text[n]) ||
	       (text[n] == '-' && islower((unsigned char)text[n + 1])))
		n++;
	return n;
}

static enum sotto_status
add_option(struct sotto_buffer *b, enum sotto_door door, const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (strlen(options[i].option) == n && memcmp(options[i].option, name, n) == 0)
			return sotto_buffer_append_text(b, options[i].words[door]);
	return sotto_buffer_append(b, name, n);
}

/* An option begins a word, so "a--b" in somebody's SQL is not one. */
static enum sotto_status
add_words(struct sotto_buffer *b, enum sotto_door door, const char *text)
{
	for (const char *c = text; *c;) {
		bool begins = c == text || !isalnum((unsigned char)c[-1]);
		bool is_bounds = strncmp(c, bounds, strlen(bounds)) == 0;
		size_t n = begins ? option_length(c) : 0;

		if (is_bounds) {
			SOTTO_TRY(sotto_buffer_append_text(b, ask_for_bounds));
			c += strlen(bounds);
			c += operand_length(c);
			continue;
		}
		if (n > 0)
			SOTTO_TRY(add_option(b, door, c + 2, n - 2));
		else
			SOTTO_TRY(sotto_buffer_append(b, c, 1));
		c += n > 0 ? n : 1;
	}
	return SOTTO_OK;
}

char *sotto_work_words(enum sotto_door door, const char *text)
{
	struct sotto_buffer b;
	char *out = NULL;

	sotto_buffer_init(&b, WORDS_CAP);
	if (add_words(&b, door, text) == SOTTO_OK)
		out = strdup(sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return out;
}

/* ---- failures ------------------------------------------------------------------------------ */

static void say(struct sotto_error *out, enum sotto_door door, const char *text)
{
	char *words = sotto_work_words(door, text);

	(void)snprintf(out->text, sizeof out->text, "%s", words ? words : closed);
	free(words);
}

/* Is the server at fault, not the question? */
static bool
is_ours(const struct sotto_asker *a, enum sotto_status status, const struct sotto_error *err)
{
	switch (status) {
	case SOTTO_EPARSE:
	case SOTTO_EINVAL:
	case SOTTO_ERANGE:
	case SOTTO_EOVERFLOW:
	case SOTTO_EREFUSED:
	case SOTTO_EBUDGET:
		/* A place in the policy is the owner's to look at. */
		return err && a->policy && strstr(err->text, a->policy);
	default:
		return true;
	}
}

void sotto_work_tell(const struct sotto_asker *a, enum sotto_status status,
		     const struct sotto_error *err, struct sotto_error *out)
{
	const char *text = err && err->text[0] ? err->text : sotto_status_text(status);

	/* After the charge everybody gets the same sentence already. */
	if (a->person->role != SOTTO_ROLE_OWNER && is_ours(a, status, err) &&
	    strcmp(text, SOTTO_CHARGED_SENTENCE) != 0)
		text = closed;
	say(out, a->door, text);
}

void sotto_work_tell_closed(const struct sotto_asker *a, const struct sotto_error *why,
			    struct sotto_error *out)
{
	sotto_work_tell(a, SOTTO_EIO, why, out);
}
