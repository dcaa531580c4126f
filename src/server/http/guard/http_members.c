/*
 * A route lists its members as "sql:text fresh:flag"; null stands for a member that is missing.
 * Numbers and whatever else a route reads in its own way are looked at there.
 */
#include "server/http/guard/http_members.h"

#include <stdio.h>
#include <string.h>

enum { SENTENCE = 256 };

static bool is_kind(const char *kind, size_t n, const char *wanted)
{
	return n == strlen(wanted) && memcmp(kind, wanted, n) == 0;
}

/* What is wrong with the value of a member of that kind; NULL: nothing. */
static const char *fault_of(const json_t *value, const char *kind, size_t n)
{
	if (json_is_null(value))
		return NULL;
	if (is_kind(kind, n, "text") && !json_is_string(value))
		return "must be a text";
	if (is_kind(kind, n, "flag") && !json_is_boolean(value))
		return "must be true or false";
	return NULL;
}

/* The kind of a member in the list, up to a blank or the end; NULL: the route has none of that name. */
static const char *kind_of(const char *members, const char *name)
{
	size_t n = strlen(name);

	for (const char *m = members; *m; m += *m == ' ') {
		if (strncmp(m, name, n) == 0 && m[n] == ':')
			return m + n + 1;
		m += strcspn(m, " ");
	}
	return NULL;
}

/* "the body has sql, epsilon and ... alone": the names of the list. */
static void refuse_unknown(struct sotto_request *r, const char *members)
{
	char text[SENTENCE];
	size_t at = (size_t)snprintf(text, sizeof text,
				     "the body has a member that means "
				     "nothing here; it may have");

	if (!*members)
		at = (size_t)snprintf(text, sizeof text, "the body may have no members here");
	for (const char *m = members; *m && at < sizeof text; m += *m == ' ') {
		at += (size_t)snprintf(text + at, sizeof text - at, "%s %.*s",
				       m == members ? "" : ",", (int)strcspn(m, ":"), m);
		m += strcspn(m, " ");
	}
	sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "unknown-member", text);
}

bool sotto_http_has_members(struct sotto_request *r)
{
	const char *members = r->route->members ? r->route->members : "", *name;
	char text[SENTENCE];
	json_t *value;

	json_object_foreach(r->json, name, value)
	{
		const char *kind = kind_of(members, name), *fault;

		if (!kind) {
			refuse_unknown(r, members);
			return false;
		}
		fault = fault_of(value, kind, strcspn(kind, " "));
		if (fault) {
			(void)snprintf(text, sizeof text, "%s %s", name, fault);
			sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-member", text);
			return false;
		}
	}
	return true;
}
