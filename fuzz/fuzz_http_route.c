/*
 * Paths, origins, headers and bodies of requests: no crash; a route fits only what it says, an
 * origin is only that of its own host, and nobody is known who has no key.
 */
#include "fuzz.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/http_events.h"
#include "server/http/console/http_file.h"
#include "server/http/http_inside.h"
#include "server/http/http_find_route.h"
#include "server/route/route_table.h"
#include "server/http/guard/http_strict.h"
#include "server/http/guard/http_who.h"
#include "server/people/login.h"

static void route(const char *text)
{
	static const char *const methods[] = {"GET", "POST", "PUT", "DELETE"};
	struct sotto_http h = {.options.routes = &sotto_server_routes};
	struct sotto_request r = {.http = &h};

	for (size_t i = 0; i < 4; i++) {
		const struct sotto_route *found = sotto_http_find_route(&r, methods[i], text);

		if (found && (strcmp(found->method, methods[i]) != 0 ||
			      strncmp(text, "/v1/", 4) != 0 || strchr(r.name, '/')))
			abort();
		sotto_json_release(&r.reply);
	}
}

/* "https://host" is the origin of "host", and of no other text. */
static void origin(const char *text, size_t size)
{
	char *own = malloc(size + 9);

	if (!own)
		return;
	(void)snprintf(own, size + 9, "https://%s", text);
	if (*text && strcmp(text, ":443") != 0 && !sotto_http_same_origin(own, text))
		abort();
	if (sotto_http_same_origin(text, "host.example") &&
	    strncasecmp(text, "http://host.example", 19) != 0 &&
	    strncasecmp(text, "https://host.example", 20) != 0)
		abort();
	free(own);
}

static void body(const char *text, size_t size)
{
	struct sotto_request r = {.json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL)};
	struct sotto_rational number;
	bool given;

	sotto_rational_init(&number);
	if (json_is_object(r.json)) {
		(void)sotto_request_text(&r, "sql");
		(void)sotto_request_flag(&r, "fresh");
		(void)sotto_request_rational(&r, "epsilon", &number, &given);
	}
	sotto_rational_release(&number);
	sotto_json_release(&r.reply);
	json_decref(r.json);
}

/* ---- headers, as libmicrohttpd would tell them ------------------------------------------------- */

static char *lines[64]; /* "Name: value" */
static size_t line_count;

static const char *look_up(struct MHD_Connection *c, enum MHD_ValueKind kind, const char *name)
{
	(void)c;
	(void)kind;
	for (size_t i = 0; i < line_count; i++) {
		size_t n = strlen(name);

		if (strncasecmp(lines[i], name, n) == 0 && strncmp(lines[i] + n, ": ", 2) == 0)
			return lines[i] + n + 2;
	}
	return NULL;
}

static int each_line(struct MHD_Connection *c, enum MHD_ValueKind kind,
		     MHD_KeyValueIterator visit, void *context)
{
	(void)c;
	for (size_t i = 2; i < line_count; i++) {
		char *colon = strstr(lines[i], ": ");

		if (colon) {
			*colon = '\0';
			(void)visit(context, kind, lines[i], colon + 2);
			*colon = ':';
		}
	}
	return (int)line_count;
}

static const union MHD_ConnectionInfo *
tell_peer(struct MHD_Connection *c, enum MHD_ConnectionInfoType type, ...)
{
	static struct sockaddr_in peer = {.sin_family = AF_INET};
	static union MHD_ConnectionInfo info;

	(void)c;
	(void)type;
	peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	info.client_addr = (struct sockaddr *)&peer;
	return &info;
}

/* Nobody is in the register; the file has no name any more once it is open. */
static void open_door(struct sotto_http *h)
{
	static const char *const proxies[] = {"127.0.0.1"};
	static struct sotto_people *people;
	static struct sotto_login *login;
	char path[] = "/tmp/sotto-fuzz-XXXXXX";
	int fd;

	if (!people) {
		fd = mkstemp(path);
		if (fd < 0 || sotto_people_open(path, &people, NULL) != SOTTO_OK ||
		    sotto_login_new(&login) != SOTTO_OK)
			abort();
		(void)close(fd);
		(void)unlink(path);
	}
	h->options.routes = &sotto_server_routes;
	h->options.people = people;
	h->options.login = login;
	h->options.proxies = proxies;
	h->options.proxy_count = 1;
	h->mhd.MHD_lookup_connection_value = look_up;
	h->mhd.MHD_get_connection_values = each_line;
	h->mhd.MHD_get_connection_info = tell_peer;
}

static void split(char *text)
{
	line_count = 0;
	for (char *line = text; line && line_count < 64; line_count++) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		lines[line_count] = line;
		line = end;
	}
}

/* The first line is the method, the second the path, the others are headers. */
static void request(char *text)
{
	struct sotto_http h = {.listener = -1};
	struct sotto_request r = {.http = &h};
	char address[SOTTO_ADDRESS_SIZE];

	open_door(&h);
	split(text);
	if (line_count < 2)
		return;
	(void)sotto_http_is_plain(&r);
	sotto_http_find_file(&r, lines[0], lines[1]);
	sotto_http_address(&r, address);
	if (memchr(address, 0, sizeof address) == NULL)
		abort();
	sotto_login_succeeded(h.options.login, SOTTO_GUESSER_ADDRESS,
			      address); /* no guess slows the next one down */
	r.route = sotto_http_find_route(&r, lines[0], lines[1]);
	if (r.route) {
		(void)sotto_events_are_wanted(&r);
		(void)sotto_http_is_ours(&r);
		(void)sotto_http_know(&r);
		if (r.person.name[0] || (r.route->roles && sotto_http_may(&r)))
			abort();
		sotto_login_succeeded(h.options.login, SOTTO_GUESSER_ADDRESS, address);
	}
	sotto_json_release(&r.reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	route(text);
	origin(text, strlen(text));
	body(text, size);
	request(text);
	free(text);
	return 0;
}
