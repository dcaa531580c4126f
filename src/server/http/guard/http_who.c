/* Finds out who asks: by key or by a browser's login, in which role, from which page. */
#include "server/http/guard/http_who.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "server/http/http_inside.h"
#include "server/people/login.h"

static const struct sotto_http_options *settings(const struct sotto_request *r)
{
	return &r->http->options;
}

static const char *header(struct sotto_request *r, const char *name)
{
	return sotto_request_value(r, MHD_HEADER_KIND, name);
}

static bool is_proxy(const struct sotto_http_options *o, const char *address)
{
	for (size_t i = 0; i < o->proxy_count; i++)
		if (strcmp(o->proxies[i], address) == 0)
			return true;
	return false;
}

static enum MHD_Result
keep_last(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	const char **last = context;

	(void)kind;
	if (strcasecmp(name, "X-Forwarded-For") == 0)
		*last = value;
	return MHD_YES;
}

/*
 * A proxy adds the address that it sees at the end of the list, or as another header behind the
 * client's own; what stands before may be made up.
 */
void sotto_http_address(struct sotto_request *r, char out[SOTTO_ADDRESS_SIZE])
{
	const char *list = NULL, *last;
	size_t n;

	sotto_request_peer(r, out);
	if (!is_proxy(settings(r), out))
		return;
	(void)r->http->mhd.MHD_get_connection_values(r->connection, MHD_HEADER_KIND, keep_last,
						     &list);
	if (!list)
		return;
	last = strrchr(list, ',');
	last = last ? last + 1 : list;
	last += strspn(last, " \t");
	n = strcspn(last, " \t");
	if (n > 0 && n < SOTTO_ADDRESS_SIZE)
		(void)snprintf(out, SOTTO_ADDRESS_SIZE, "%.*s", (int)n, last);
}

bool sotto_http_is_encrypted(struct sotto_request *r)
{
	const char *scheme = header(r, "X-Forwarded-Proto");
	char peer[SOTTO_ADDRESS_SIZE];

	if (settings(r)->tls_cert)
		return true;
	sotto_request_peer(r, peer);
	return scheme && strcasecmp(scheme, "https") == 0 && is_proxy(settings(r), peer);
}

/*
 * A key that is wrong slows its address down; one that is right comes in all the same, because many
 * may share the address: that of a gateway, or of the machine itself.
 */
bool sotto_http_know_key(struct sotto_request *r, const char *key)
{
	char address[SOTTO_ADDRESS_SIZE];
	struct sotto_login *login = settings(r)->login;
	enum sotto_status st;
	unsigned wait;

	sotto_http_address(r, address);
	wait = sotto_login_wait(login, SOTTO_GUESSER_ADDRESS, address);
	st = sotto_people_recognise(settings(r)->people, key, &r->person, NULL);
	if (st == SOTTO_OK) {
		sotto_login_succeeded(login, SOTTO_GUESSER_ADDRESS, address);
		return true;
	}
	if (st != SOTTO_EREFUSED) {
		sotto_reply_problem(r, MHD_HTTP_INTERNAL_SERVER_ERROR, "failed",
				    "the list of users could not be read");
		return false;
	}
	if (wait) {
		sotto_reply_problem(r, MHD_HTTP_TOO_MANY_REQUESTS, "slow-down",
				    "too many wrong keys came from this address; wait and try "
				    "again");
		(void)snprintf(r->header[0], sizeof r->header[0], "Retry-After");
		(void)snprintf(r->header[1], sizeof r->header[1], "%u", wait);
		return false;
	}
	sotto_login_failed(login, SOTTO_GUESSER_ADDRESS, address);
	sotto_reply_problem(r, MHD_HTTP_UNAUTHORIZED, "bad-key",
			    "the key is not valid; ask the owner for one");
	return false;
}

void sotto_http_cookie(struct sotto_request *r, char out[SOTTO_COOKIE_SIZE])
{
	(void)snprintf(out, SOTTO_COOKIE_SIZE, "sotto-%u", (unsigned)r->http->port);
}

/* The token of a page, which is shorter than a key and has no underscores; NULL if there is none. */
static const char *page_token(struct sotto_request *r)
{
	const char *words = header(r, MHD_HTTP_HEADER_AUTHORIZATION);

	if (!words || strncasecmp(words, "Bearer ", 7) != 0 ||
	    strspn(words + 7, "0123456789abcdef") != SOTTO_TOKEN_SIZE - 1 ||
	    words[7 + SOTTO_TOKEN_SIZE - 1])
		return NULL;
	return words + 7;
}

bool sotto_http_tokens(struct sotto_request *r, const char **token, const char **cookie)
{
	char name[SOTTO_COOKIE_SIZE];

	sotto_http_cookie(r, name);
	*token = page_token(r);
	*cookie = sotto_request_value(r, MHD_COOKIE_KIND, name);
	return *token && *cookie;
}

/* A login that has ended is nobody, not a guess: the page may not know yet that it has ended. */
bool sotto_http_know(struct sotto_request *r)
{
	const char *words = header(r, MHD_HTTP_HEADER_AUTHORIZATION);
	const char *token, *cookie;

	if (!words)
		return true;
	if (sotto_http_tokens(r, &token, &cookie) &&
	    sotto_login_find(settings(r)->login, settings(r)->people, token, cookie,
			     &r->person) == SOTTO_OK)
		return true;
	if (token) {
		r->person = (struct sotto_person){0};
		return true;
	}
	if (strncasecmp(words, "Bearer ", 7) != 0) {
		sotto_reply_problem(r, MHD_HTTP_UNAUTHORIZED, "no-key",
				    "send the key as: Authorization: Bearer KEY");
		return false;
	}
	return sotto_http_know_key(r, words + 7);
}

bool sotto_http_may(struct sotto_request *r)
{
	if (r->route->roles == 0)
		return true;
	if (!r->person.name[0]) {
		sotto_reply_problem(r, MHD_HTTP_UNAUTHORIZED, "no-key",
				    "log in, or send a key as: Authorization: Bearer KEY");
		return false;
	}
	if (!(r->route->roles & 1u << r->person.role)) {
		sotto_reply_problem(r, MHD_HTTP_FORBIDDEN, "wrong-role",
				    "your role may not do this; ask the owner");
		return false;
	}
	return true;
}

/* ---- from which page ------------------------------------------------------------------------- */

/* Length without a port that the scheme has anyway. */
static size_t host_length(const char *host, const char *port)
{
	size_t n = strlen(host), m = strlen(port);

	return n > m && strcmp(host + n - m, port) == 0 ? n - m : n;
}

bool sotto_http_same_origin(const char *origin, const char *host)
{
	const char *port = strncasecmp(origin, "https://", 8) == 0 ? ":443" : ":80";
	const char *rest = strstr(origin, "://");
	size_t n;

	if (!host || !rest ||
	    (strncasecmp(origin, "https://", 8) != 0 && strncasecmp(origin, "http://", 7) != 0))
		return false;
	rest += 3;
	n = host_length(rest, port);
	return n > 0 && n == host_length(host, port) && strncasecmp(rest, host, n) == 0;
}

/* Browsers name the page in Origin with everything that is not GET. */
bool sotto_http_is_ours(struct sotto_request *r)
{
	const char *origin = header(r, MHD_HTTP_HEADER_ORIGIN);

	if (strcmp(r->route->method, "GET") == 0)
		return true;
	if (origin && !sotto_http_same_origin(origin, header(r, MHD_HTTP_HEADER_HOST))) {
		sotto_reply_problem(r, MHD_HTTP_FORBIDDEN, "wrong-origin",
				    "requests from pages of other sites are refused");
		return false;
	}
	return true;
}
