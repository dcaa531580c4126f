/*
 * Paths, origins and bodies of requests: no crash; a route fits only what it says, and an
 * origin is only that of its own host.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/http/http_routes.h"
#include "server/http/http_server.h"
#include "server/http/http_who.h"

static void route(const char *text)
{
	static const char *const methods[] = {"GET", "POST", "PUT", "DELETE"};
	struct sotto_request r = {.status = 0};

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
	free(text);
	return 0;
}
