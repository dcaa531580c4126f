/* Which route of the server's table a request means. */
#include "server/http/http_find_route.h"

#include <string.h>

#include "server/http/http_inside.h"

/* Does the path fit "/v1/users/{name}"?  Fills name. */
static bool fits(const char *pattern, const char *path, char name[SOTTO_PERSON_NAME_MAX + 1])
{
	const char *hole = strchr(pattern, '{');
	size_t before, n;

	if (!hole)
		return strcmp(pattern, path) == 0;
	before = (size_t)(hole - pattern);
	if (strncmp(pattern, path, before) != 0)
		return false;
	n = strcspn(path + before, "/");
	if (n == 0 || n > SOTTO_PERSON_NAME_MAX ||
	    strcmp(strchr(hole, '}') + 1, path + before + n) != 0)
		return false;
	memcpy(name, path + before, n);
	name[n] = '\0';
	return true;
}

const struct sotto_route *
sotto_http_find_route(struct sotto_request *r, const char *method, const char *path)
{
	const struct sotto_route_table *table = r->http->options.routes;
	bool known = false;

	for (size_t i = 0; i < table->count; i++) {
		const struct sotto_route *route = &table->list[i];

		if (!fits(route->path, path, r->name))
			continue;
		known = true;
		if (strcmp(route->method, method) == 0)
			return route;
	}
	sotto_reply_problem(
		r, known ? MHD_HTTP_METHOD_NOT_ALLOWED : MHD_HTTP_NOT_FOUND,
		known ? "wrong-method" : "no-such-route",
		known ? "this path does not take that method"
		: table->is_open
			? "there is nothing here; batches of reports go to /reports"
			: "there is nothing here; docs/openapi.json lists what there is");
	return NULL;
}
