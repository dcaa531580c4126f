/* SET and SHOW. */
#include "server/wire/wire_settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/failure.h"

/* What clients set or ask for; the first ones are told at the start. */
static const struct {
	const char *name, *value;
	bool told;
} known[] = {
	{"server_version", "15.0", true},
	{"server_encoding", "UTF8", true},
	{"client_encoding", "UTF8", true},
	{"application_name", "", true},
	{"is_superuser", "off", true},
	{"DateStyle", "ISO, MDY", true},
	{"IntervalStyle", "postgres", true},
	{"TimeZone", "UTC", true},
	{"integer_datetimes", "on", true},
	{"standard_conforming_strings", "on", true},
	{"search_path", "public", false},
	{"extra_float_digits", "1", false},
	{"statement_timeout", "0", false},
	{"lock_timeout", "0", false},
	{"idle_in_transaction_session_timeout", "0", false},
	{"client_min_messages", "notice", false},
	{"bytea_output", "hex", false},
	{"row_security", "on", false},
	{"transaction_isolation", "serializable", false},
	{"transaction isolation level", "serializable", false},
	{"default_transaction_isolation", "serializable", false},
	{"default_transaction_read_only", "on", false},
	{"transaction_read_only", "on", false},
	{"session_authorization", "default", false},
	{"max_identifier_length", "63", false},
	{"jit", "off", false},
	{"timezone", "UTC", false},
};

enum { KNOWN = sizeof known / sizeof known[0] };
_Static_assert((int)KNOWN <= (int)SOTTO_SETTINGS_MAX, "each has a place");

void sotto_settings_init(struct sotto_wire_settings *s)
{
	*s = (struct sotto_wire_settings){0};
	sotto_rational_init(&s->epsilon);
	sotto_rational_init(&s->delta);
	sotto_rational_init(&s->error);
	sotto_rational_init(&s->diagnostics);
}

void sotto_settings_release(struct sotto_wire_settings *s)
{
	sotto_rational_release(&s->epsilon);
	sotto_rational_release(&s->delta);
	sotto_rational_release(&s->error);
	sotto_rational_release(&s->diagnostics);
}

bool sotto_settings_told(size_t i, const char **name, const char **value)
{
	if (i >= KNOWN || !known[i].told)
		return false;
	*name = known[i].name;
	*value = known[i].value;
	return true;
}

static size_t find(const char *name)
{
	size_t i = 0;

	while (i < KNOWN && strcasecmp(known[i].name, name) != 0)
		i++;
	return i;
}

/* ---- SET ---------------------------------------------------------------------------------- */

static enum sotto_status
put_number(struct sotto_rational *r, bool *given, const char *value, struct sotto_error *err)
{
	*given = false;
	if (strcasecmp(value, "default") == 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_rational_parse(r, value, err));
	*given = true;
	return SOTTO_OK;
}

static enum sotto_status put_flag(bool *flag, const char *value, struct sotto_error *err)
{
	static const char *const yes[] = {"on", "true", "yes", "1", NULL},
				 *const no[] = {"off", "false", "no", "0", "default", NULL};

	for (size_t i = 0; yes[i]; i++)
		if (strcasecmp(yes[i], value) == 0) {
			*flag = true;
			return SOTTO_OK;
		}
	for (size_t i = 0; no[i]; i++)
		if (strcasecmp(no[i], value) == 0) {
			*flag = false;
			return SOTTO_OK;
		}
	return sotto_fail(err, SOTTO_EPARSE, "write on or off");
}

static enum sotto_status unknown(const char *name, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EREFUSED,
			  "there is no setting %.60s here; sotto.epsilon, sotto.delta, "
			  "sotto.error, sotto.diagnostics, sotto.mechanism, sotto.weights, "
			  "sotto.fresh and sotto.intervals are what can be set",
			  name);
}

static enum sotto_status
put_mechanism(struct sotto_wire_settings *s, const char *value, struct sotto_error *err)
{
	bool is_default = strcasecmp(value, "default") == 0 || strcasecmp(value, "auto") == 0;

	if (!is_default && strcasecmp(value, "laplace") != 0 &&
	    strcasecmp(value, "gaussian") != 0)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the mechanism is auto, laplace or gaussian");
	(void)snprintf(s->mechanism, sizeof s->mechanism, "%s", is_default ? "" : value);
	for (char *c = s->mechanism; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return SOTTO_OK;
}

/* "visits=3, average=2": names and weights, cut in place. */
static bool read_weights(struct sotto_wire_settings *s)
{
	char *next = NULL;

	s->weight_count = 0;
	for (char *one = strtok_r(s->weighed, ",", &next); one;
	     one = strtok_r(NULL, ",", &next)) {
		char *equals = strrchr(one, '='), *end = NULL;
		unsigned long weight = equals ? strtoul(equals + 1, &end, 10) : 0;

		one += strspn(one, " ");
		if (!equals || equals <= one || weight < 1 || weight > 1000 ||
		    end[strspn(end, " ")] || s->weight_count == SOTTO_WIRE_WEIGHTS)
			return false;
		do
			*equals-- = '\0';
		while (equals > one && *equals == ' ');
		s->weight[s->weight_count++] =
			(struct sotto_column_weight){.column = one, .weight = (unsigned)weight};
	}
	return s->weight_count > 0;
}

static enum sotto_status
put_weights(struct sotto_wire_settings *s, const char *value, struct sotto_error *err)
{
	bool is_default = strcasecmp(value, "default") == 0;

	(void)snprintf(s->weights, sizeof s->weights, "%s", is_default ? "" : value);
	(void)snprintf(s->weighed, sizeof s->weighed, "%s", s->weights);
	if (is_default || read_weights(s)) {
		s->weight_count = is_default ? 0 : s->weight_count;
		return SOTTO_OK;
	}
	s->weights[0] = '\0';
	s->weight_count = 0;
	return sotto_fail(err, SOTTO_EPARSE,
			  "weights are columns with whole numbers from 1 to 1000, like "
			  "'visits=3, average=2'");
}

enum sotto_status sotto_settings_put(struct sotto_wire_settings *s, const char *name,
				     const char *value, struct sotto_error *err)
{
	size_t i = find(name);

	if (strcasecmp(name, "sotto.epsilon") == 0)
		return put_number(&s->epsilon, &s->has_epsilon, value, err);
	if (strcasecmp(name, "sotto.delta") == 0)
		return put_number(&s->delta, &s->has_delta, value, err);
	if (strcasecmp(name, "sotto.error") == 0)
		return put_number(&s->error, &s->has_error, value, err);
	if (strcasecmp(name, "sotto.diagnostics") == 0)
		return put_number(&s->diagnostics, &s->has_diagnostics, value, err);
	if (strcasecmp(name, "sotto.mechanism") == 0)
		return put_mechanism(s, value, err);
	if (strcasecmp(name, "sotto.weights") == 0)
		return put_weights(s, value, err);
	if (strcasecmp(name, "sotto.fresh") == 0)
		return put_flag(&s->fresh, value, err);
	if (strcasecmp(name, "sotto.intervals") == 0)
		return put_flag(&s->intervals, value, err);
	if (i == KNOWN)
		return unknown(name, err);
	if (strcasecmp(name, "client_encoding") == 0 && strcasecmp(value, "UTF8") != 0 &&
	    strcasecmp(value, "UTF-8") != 0 && strcasecmp(value, "unicode") != 0 &&
	    strcasecmp(value, "default") != 0)
		return sotto_fail(err, SOTTO_EREFUSED, "client_encoding can only be UTF8");
	(void)snprintf(s->values[i], SOTTO_SETTING_TEXT, "%s",
		       strcasecmp(value, "default") == 0 ? "" : value);
	return SOTTO_OK;
}

/* The next word, name or quoted value of a statement; false at its end. */
static bool next_word(const char **sql, char out[SOTTO_SETTING_TEXT])
{
	const char *c = *sql + strspn(*sql, " \t\r\n");
	size_t n = 0;

	if (*c == '\'' || *c == '"') {
		char quote = *c++;

		while (*c && (*c != quote || c[1] == quote) && n < SOTTO_SETTING_TEXT - 1) {
			c += *c == quote;
			out[n++] = *c++;
		}
		c += *c == quote;
	} else if (*c == '=' || *c == ',') {
		out[n++] = *c++;
	} else {
		while (*c && !isspace((unsigned char)*c) && !strchr("=,;'", *c) &&
		       n < SOTTO_SETTING_TEXT - 1)
			out[n++] = *c++;
	}
	out[n] = '\0';
	*sql = c;
	return n > 0 || (c > *sql);
}

/* The values after "=", with commas where a list is set. */
static void rest_of(const char *sql, char out[SOTTO_SETTING_TEXT])
{
	char word[SOTTO_SETTING_TEXT];
	size_t n = 0;

	out[0] = '\0';
	while (next_word(&sql, word)) {
		int more = snprintf(out + n, SOTTO_SETTING_TEXT - n, "%s%s",
				    n && strcmp(word, ",") != 0 ? " " : "", word);

		if (more < 0 || n + (size_t)more >= SOTTO_SETTING_TEXT)
			return;
		n += (size_t)more;
	}
}

enum sotto_status
sotto_settings_set(struct sotto_wire_settings *s, const char *sql, struct sotto_error *err)
{
	char word[SOTTO_SETTING_TEXT], name[SOTTO_SETTING_TEXT], value[SOTTO_SETTING_TEXT];
	bool reset, is_local;

	if (!next_word(&sql, word))
		return SOTTO_EPARSE;
	reset = strcasecmp(word, "reset") == 0;
	if (!next_word(&sql, name))
		return sotto_fail(err, SOTTO_EPARSE, "SET needs a name and a value");
	if (reset && strcasecmp(name, "all") == 0) {
		sotto_settings_release(s);
		sotto_settings_init(s);
		return SOTTO_OK;
	}
	if (reset)
		return sotto_settings_put(s, name, "default", err);
	is_local = strcasecmp(name, "local") == 0;
	if (is_local || strcasecmp(name, "session") == 0) {
		if (!next_word(&sql, name))
			return sotto_fail(err, SOTTO_EPARSE, "SET needs a name and a value");
		if (strcasecmp(name, "characteristics") == 0)
			return SOTTO_OK;
		/* It would not end with the transaction, and cost more than was meant. */
		if (is_local && strncasecmp(name, "sotto.", 6) == 0)
			return sotto_fail(err, SOTTO_EREFUSED,
					  "there are no transactions here; write SET %.60s, "
					  "and RESET %.60s afterwards",
					  name, name);
	}
	if (strcasecmp(name, "transaction") == 0)
		return SOTTO_OK;
	if (strcasecmp(name, "time") == 0 || strcasecmp(name, "names") == 0) {
		if (strcasecmp(name, "time") == 0)
			(void)next_word(&sql, word);
		rest_of(sql, value);
		return sotto_settings_put(
			s, strcasecmp(name, "time") == 0 ? "TimeZone" : "client_encoding",
			value, err);
	}
	if (!next_word(&sql, word) || (strcmp(word, "=") != 0 && strcasecmp(word, "to") != 0))
		return sotto_fail(err, SOTTO_EPARSE, "write SET %.60s = value", name);
	rest_of(sql, value);
	return sotto_settings_put(s, name, value, err);
}

/* ---- SHOW --------------------------------------------------------------------------------- */

static enum sotto_status
show_number(const struct sotto_rational *r, bool given, char out[SOTTO_SETTING_TEXT])
{
	char *text = NULL;

	(void)snprintf(out, SOTTO_SETTING_TEXT, "default");
	if (!given)
		return SOTTO_OK;
	SOTTO_TRY(sotto_rational_format(r, &text));
	(void)snprintf(out, SOTTO_SETTING_TEXT, "%s", text);
	free(text);
	return SOTTO_OK;
}

enum sotto_status sotto_settings_show(const struct sotto_wire_settings *s, const char *name,
				      char out[SOTTO_SETTING_TEXT], struct sotto_error *err)
{
	size_t i = find(name);

	if (strcasecmp(name, "sotto.epsilon") == 0)
		return show_number(&s->epsilon, s->has_epsilon, out);
	if (strcasecmp(name, "sotto.delta") == 0)
		return show_number(&s->delta, s->has_delta, out);
	if (strcasecmp(name, "sotto.error") == 0)
		return show_number(&s->error, s->has_error, out);
	if (strcasecmp(name, "sotto.diagnostics") == 0)
		return show_number(&s->diagnostics, s->has_diagnostics, out);
	if (strcasecmp(name, "sotto.mechanism") == 0 ||
	    strcasecmp(name, "sotto.weights") == 0) {
		bool mechanism = strcasecmp(name, "sotto.mechanism") == 0;
		const char *text = mechanism ? s->mechanism : s->weights;

		(void)snprintf(out, SOTTO_SETTING_TEXT, "%s",
			       *text       ? text
			       : mechanism ? "auto"
					   : "default");
		return SOTTO_OK;
	}
	if (strcasecmp(name, "sotto.fresh") == 0 || strcasecmp(name, "sotto.intervals") == 0) {
		bool on = strcasecmp(name, "sotto.fresh") == 0 ? s->fresh : s->intervals;

		(void)snprintf(out, SOTTO_SETTING_TEXT, "%s", on ? "on" : "off");
		return SOTTO_OK;
	}
	if (i == KNOWN)
		return unknown(name, err);
	(void)snprintf(out, SOTTO_SETTING_TEXT, "%s",
		       s->values[i][0] ? s->values[i] : known[i].value);
	return SOTTO_OK;
}
