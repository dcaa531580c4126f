/*
 * What a client of PostgreSQL sends: no crash, and nobody is let in who has no key.  The first
 * byte chooses a part: a whole connection, values of Bind, SCRAM, SET, or statements and portals
 * of somebody who is in.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/wire/wire_connection.h"
#include "server/wire/wire_extended.h"
#include "server/wire/wire_inside.h"
#include "server/wire/value/wire_parameter.h"
#include "server/wire/wire_scram.h"

static void no_cancel(void *context, int32_t number, int32_t secret)
{
	(void)context;
	(void)number;
	(void)secret;
}

/* Bytes cannot know a key. */
static bool nobody_comes_in(void *context, struct sotto_wire_connection *c)
{
	(void)context;
	(void)c;
	abort();
}

/* Nobody is in it; the file has no name any more once it is open. */
static bool open_people(struct sotto_people **people)
{
	char path[] = "/tmp/sotto-fuzz-XXXXXX";
	int fd = mkstemp(path);
	bool opened = fd >= 0 && sotto_people_open(path, people, NULL) == SOTTO_OK;

	if (fd >= 0) {
		close(fd);
		(void)unlink(path);
	}
	return opened;
}

static void connection(const uint8_t *data, size_t size)
{
	static struct sotto_people *people;
	static struct sotto_login *login;
	struct sotto_shares held;
	const struct sotto_wire_world world = {
		.database = "d", .wake = -1, .cancel = no_cancel, .let_in = nobody_comes_in};
	struct sotto_wire_world mine = world;
	struct sotto_wire_connection c = {.world = &mine, .address = "127.0.0.1"};
	int ends[2];

	if (!people && (!open_people(&people) || sotto_login_new(&login) != SOTTO_OK))
		abort();
	mine.people = people;
	mine.login = login;
	sotto_shares_init(&held, SIZE_MAX, SIZE_MAX);
	mine.held = &held;
	sotto_login_succeeded(login, SOTTO_GUESSER_ADDRESS, "127.0.0.1");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return;
	sotto_stream_init(&c.stream, ends[0]);
	sotto_settings_init(&c.settings);
	if (send(ends[1], data, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
		(void)shutdown(ends[1], SHUT_WR);
		sotto_wire_speak(&c);
	}
	sotto_settings_release(&c.settings);
	sotto_stream_release(&c.stream);
	sotto_shares_release(&held);
	(void)close(ends[1]);
}

static void values(const uint8_t *data, size_t size)
{
	static const int32_t types[] = {16, 20, 21, 23, 26, 700, 701, 1700, 1082, 1114, 25, 0};
	struct sotto_message m = {.bytes = malloc(size + 1), .length = size};
	struct sotto_wire_parameters p;
	struct sotto_error err = {""};

	if (!m.bytes)
		return;
	if (size)
		memcpy(m.bytes, data, size);
	m.bytes[size] = '\0';
	if (sotto_bound_read(&p, &m, types, sizeof types / sizeof types[0], &err)) {
		for (size_t i = 0; i < p.count; i++)
			if ((p.items[i].kind == SOTTO_PARAMETER_NULL) != !p.items[i].text)
				abort();
		sotto_bound_release(&p);
	}
	sotto_message_release(&m);
}

static void scram(const uint8_t *data, size_t size)
{
	struct sotto_scram_print print = {.known = true};
	char out[SOTTO_SCRAM_TEXT];
	struct sotto_scram x;
	size_t half = size / 2;

	memset(print.stored_key, 7, sizeof print.stored_key);
	if (sotto_scram_begin(&x, &print, (const char *)data, half) &&
	    sotto_scram_finish(&x, &print, (const char *)data + half, size - half, out))
		abort();
}

static void settings(const uint8_t *data, size_t size)
{
	struct sotto_wire_settings s;
	struct sotto_error err = {""};
	char *sql = strndup((const char *)data, size), out[SOTTO_SETTING_TEXT];

	sotto_settings_init(&s);
	if (sql && sotto_settings_set(&s, sql, &err) == SOTTO_OK)
		(void)!sotto_settings_show(&s, "sotto.epsilon", out, &err);
	sotto_settings_release(&s);
	if (sql)
		(void)sotto_bound_count(sql);
	free(sql);
}

/* Parse, Bind, Close, or DEALLOCATE: a type, a length of one byte, and as many bytes. */
static void hear(struct sotto_wire_connection *c, char type, const char *bytes, size_t length)
{
	struct sotto_message m = {.type = type, .bytes = malloc(length + 1), .length = length};

	if (!m.bytes)
		abort();
	memcpy(m.bytes, bytes, length);
	m.bytes[length] = '\0';
	if (type == 'd')
		sotto_wire_deallocate(c, m.bytes);
	else if (strchr("PBC", type))
		(void)sotto_wire_extended(c, &m);
	sotto_message_release(&m);
}

/* What is kept is counted, and given back to the last byte. */
static void statements(const uint8_t *data, size_t size)
{
	struct sotto_shares held;
	const struct sotto_wire_world world = {.held = &held};
	struct sotto_wire_connection c = {.world = &world, .stream.socket = -1};

	sotto_shares_init(&held, 1 << 20, 1 << 20);
	sotto_buffer_init(&c.stream.out, 1 << 20);
	for (size_t at = 0; at + 2 <= size;) {
		size_t length = data[at + 1] < size - at - 2 ? data[at + 1] : size - at - 2;

		if (data[at])
			hear(&c, (char)data[at], (const char *)data + at + 2, length);
		at += 2 + length;
	}
	sotto_wire_drop_portals(&c);
	sotto_wire_drop_statements(&c);
	if (held.all != 0)
		abort();
	sotto_buffer_release(&c.stream.out);
	sotto_shares_release(&held);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parts[])(const uint8_t *, size_t) = {connection, values, scram,
								 settings};

	if (size > 0 && size < 65536)
		(data[0] == 255 ? statements : parts[data[0] % 4])(data + 1, size - 1);
	return 0;
}
