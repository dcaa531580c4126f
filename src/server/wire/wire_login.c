/* The beginning of a connection: TLS, start-up message, SCRAM. */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/random/generator/entropy.h"
#include "server/wire/wire_inside.h"
#include "server/wire/wire_scram.h"

enum {
	PROTOCOL_3 = 3 << 16,
	CANCEL = 80877102,
	WANT_TLS = 80877103,
	WANT_GSS = 80877104,
	FIRST_TRIES = 4,
	LOGIN_SECONDS = 10, /* for all of it */
};

static void refuse(struct sotto_wire_connection *c, const char *code, const char *sentence)
{
	sotto_wire_complain(&c->stream, 'E', "FATAL", code, sentence, 0);
	(void)sotto_stream_flush(&c->stream, SOTTO_MESSAGE_SECONDS);
}

/* ---- the first message ---------------------------------------------------------------------- */

static bool answer_tls(struct sotto_wire_connection *c)
{
	bool can = c->world->tls && !c->stream.tls;

	sotto_wire_byte(&c->stream, can ? 'S' : 'N');
	if (!sotto_stream_flush(&c->stream, SOTTO_MESSAGE_SECONDS))
		return false;
	return !can || sotto_stream_encrypt(&c->stream, c->world->tls, SOTTO_MESSAGE_SECONDS);
}

/* The next word of "-c a=b -c c=d"; a backslash keeps the character behind it. */
static bool next_option(const char **at, char out[SOTTO_SETTING_TEXT])
{
	const char *c = *at + strspn(*at, " \t");
	size_t n = 0;

	for (; *c && *c != ' ' && *c != '\t' && n < SOTTO_SETTING_TEXT - 1; c++) {
		c += *c == '\\' && c[1];
		out[n++] = *c;
	}
	out[n] = '\0';
	*at = c;
	return n > 0;
}

/* "-c name=value" and "--name=value" of the options of a connection; false with an error sent. */
static bool take_options(struct sotto_wire_connection *c, const char *options)
{
	char word[SOTTO_SETTING_TEXT], *value;
	struct sotto_error err = {""};

	while (next_option(&options, word)) {
		char *setting = word;

		if (strcmp(word, "-c") == 0) {
			if (!next_option(&options, word))
				return true;
		} else if (strncmp(word, "-c", 2) == 0 || strncmp(word, "--", 2) == 0) {
			setting = word + 2;
		}
		value = strchr(setting, '=');
		if (!value)
			continue;
		*value++ = '\0';
		if (sotto_settings_put(&c->settings, setting, value, &err) != SOTTO_OK &&
		    strncasecmp(setting, "sotto.", 6) == 0) {
			refuse(c, "22023", err.text);
			return false;
		}
	}
	return true;
}

/* Who comes, and where to. */
struct start {
	char name[SOTTO_PERSON_NAME_MAX + 1];
	bool is_elsewhere; /* another database was wanted */
};

/* Name, database and settings of the start-up message. */
static bool
read_start(struct sotto_wire_connection *c, struct sotto_message *m, struct start *out)
{
	const char *database = "";

	for (;;) {
		const char *key = sotto_message_text(m), *value;

		if (m->broken || !*key)
			break;
		value = sotto_message_text(m);
		if (strcmp(key, "user") == 0)
			(void)snprintf(out->name, sizeof out->name, "%s", value);
		else if (strcmp(key, "database") == 0)
			database = value;
		else if (strcmp(key, "replication") == 0)
			return false;
		else if (strcmp(key, "options") == 0 && !take_options(c, value))
			return false;
		else if (strcmp(key, "options") != 0 &&
			 sotto_settings_put(&c->settings, key, value, NULL) != SOTTO_OK)
			continue; /* a client may send what is not known here */
	}
	if (m->broken || !out->name[0]) {
		refuse(c, "08P01", "the start-up message is broken");
		return false;
	}
	out->is_elsewhere = *database && strcmp(database, out->name) != 0 &&
			    strcmp(database, c->world->database) != 0;
	return true;
}

/* Until the message that names who comes; a request to cancel ends the connection. */
static bool first_message(struct sotto_wire_connection *c, struct start *out)
{
	for (int i = 0; i < FIRST_TRIES; i++) {
		struct sotto_message m;
		bool too_long, done = true;
		int32_t code;

		if (!sotto_message_read(&c->stream, SOTTO_MESSAGE_FIRST, &m, &too_long))
			return false;
		code = sotto_message_int32(&m);
		if (code == WANT_TLS)
			done = !answer_tls(c);
		else if (code == WANT_GSS)
			done = (sotto_wire_byte(&c->stream, 'N'),
				!sotto_stream_flush(&c->stream, SOTTO_MESSAGE_SECONDS));
		if (code == CANCEL) {
			int32_t number = sotto_message_int32(&m),
				secret = sotto_message_int32(&m);

			c->world->cancel(c->world->context, number, secret);
		} else if (code == PROTOCOL_3) {
			bool good = read_start(c, &m, out);

			sotto_message_release(&m);
			return good;
		} else if (code != WANT_TLS && code != WANT_GSS) {
			refuse(c, "08P01", "only version 3.0 of the protocol is supported");
		}
		sotto_message_release(&m);
		if (done)
			return false;
	}
	return false;
}

/* ---- SCRAM ---------------------------------------------------------------------------------- */

static void
send_auth(struct sotto_wire_connection *c, int32_t code, const char *text, bool ends)
{
	size_t begin = sotto_wire_begin(&c->stream, 'R');

	sotto_wire_int32(&c->stream, code);
	if (text)
		sotto_stream_put(&c->stream, text, strlen(text) + (ends ? 1 : 0));
	if (ends)
		sotto_wire_byte(&c->stream, '\0');
	sotto_wire_end(&c->stream, begin);
	(void)sotto_stream_flush(&c->stream, SOTTO_MESSAGE_SECONDS);
}

static bool read_password(struct sotto_wire_connection *c, struct sotto_message *m)
{
	bool too_long;

	if (!sotto_message_read(&c->stream, SOTTO_MESSAGE_LOGIN, m, &too_long))
		return false;
	if (m->type == 'p')
		return true;
	sotto_message_release(m);
	return false;
}

static bool exchange(struct sotto_wire_connection *c, const struct sotto_scram_print *print)
{
	char last[SOTTO_SCRAM_TEXT];
	struct sotto_message m;
	struct sotto_scram x;
	const char *mechanism, *text;
	int32_t length;
	bool good;

	send_auth(c, 10, "SCRAM-SHA-256", true);
	if (!read_password(c, &m))
		return false;
	mechanism = sotto_message_text(&m);
	length = sotto_message_int32(&m);
	text = sotto_message_bytes(&m, length);
	good = text && strcmp(mechanism, "SCRAM-SHA-256") == 0 &&
	       sotto_scram_begin(&x, print, text, (size_t)length);
	sotto_message_release(&m);
	if (!good)
		return false;
	send_auth(c, 11, x.server_first, false);
	if (!read_password(c, &m))
		return false;
	good = sotto_scram_finish(&x, print, m.bytes, m.length, last);
	sotto_message_release(&m);
	if (good)
		send_auth(c, 12, last, false);
	return good;
}

static bool fail(struct sotto_wire_connection *c, const char *guesser, bool waits)
{
	struct sotto_login *login = c->world->login;

	if (waits) {
		refuse(c, "53300", "too many wrong keys came; wait and try again");
		return false;
	}
	sotto_login_failed(login, SOTTO_GUESSER_ADDRESS, c->address);
	sotto_login_failed(login, SOTTO_GUESSER_NAME, guesser);
	refuse(c, "28P01", "the name or the key is wrong");
	return false;
}

/*
 * Wrong keys for a name slow down only the address that they come from.  The right key comes in
 * all the same: many may share an address.
 */
static bool prove(struct sotto_wire_connection *c, const char *name)
{
	struct sotto_login *login = c->world->login;
	char guesser[sizeof c->address + SOTTO_PERSON_NAME_MAX + 1];
	struct sotto_scram_print print;
	bool waits;

	(void)snprintf(guesser, sizeof guesser, "%s %s", c->address, name);
	waits = sotto_login_wait(login, SOTTO_GUESSER_ADDRESS, c->address) ||
		sotto_login_wait(login, SOTTO_GUESSER_NAME, guesser);
	if (sotto_people_scram(c->world->people, name, &print, NULL) != SOTTO_OK) {
		refuse(c, "58000", "the list of users could not be read");
		return false;
	}
	if (!exchange(c, &print))
		return fail(c, guesser, waits);
	if (print.person.role == SOTTO_ROLE_DEVICE) {
		refuse(c, "28000", "a device key cannot ask questions");
		return false;
	}
	sotto_login_succeeded(login, SOTTO_GUESSER_ADDRESS, c->address);
	sotto_login_succeeded(login, SOTTO_GUESSER_NAME, guesser);
	c->person = print.person;
	return true;
}

/* ---- the welcome ------------------------------------------------------------------------------ */

static void tell_settings(struct sotto_wire_connection *c)
{
	const char *name, *value;

	for (size_t i = 0; sotto_settings_told(i, &name, &value); i++) {
		size_t begin = sotto_wire_begin(&c->stream, 'S');

		sotto_wire_text(&c->stream, name);
		sotto_wire_text(&c->stream, value);
		sotto_wire_end(&c->stream, begin);
	}
}

/* Only who has proved a name hears how the database is called. */
static bool is_here(struct sotto_wire_connection *c, const struct start *start)
{
	char sentence[256];

	if (!start->is_elsewhere)
		return true;
	(void)snprintf(sentence, sizeof sentence,
		       "there is no such database here; connect to the database \"%.100s\"",
		       c->world->database);
	refuse(c, "3D000", sentence);
	return false;
}

bool sotto_wire_login(struct sotto_wire_connection *c)
{
	struct start start = {.is_elsewhere = false};
	size_t begin;

	sotto_stream_limit(&c->stream, LOGIN_SECONDS);
	if (!first_message(c, &start) || !prove(c, start.name) || !is_here(c, &start) ||
	    !c->world->let_in(c->world->context, c))
		return false;
	sotto_stream_limit(&c->stream, 0);
	begin = sotto_wire_begin(&c->stream, 'R');
	sotto_wire_int32(&c->stream, 0);
	sotto_wire_end(&c->stream, begin);
	tell_settings(c);
	begin = sotto_wire_begin(&c->stream, 'K');
	sotto_wire_int32(&c->stream, c->number);
	sotto_wire_int32(&c->stream, c->secret);
	sotto_wire_end(&c->stream, begin);
	return true;
}
