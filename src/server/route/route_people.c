/*
 * A login needs a key or the token of a link, which works once.  It replies a token, which the page
 * sends with each request, and sets a cookie, which scripts cannot read; each alone is worth
 * nothing.  Only the owner sees and changes the list of people.
 */
#include "server/route/route_people.h"

#include <string.h>

#include "server/http/http_inside.h"
#include "server/http/http_request.h"
#include "server/http/guard/http_who.h"
#include "server/people/login.h"

static void write_members(struct sotto_json *j, const struct sotto_person *p)
{
	sotto_json_key(j, "name");
	sotto_json_text(j, p->name);
	sotto_json_key(j, "role");
	sotto_json_text(j, sotto_role_name(p->role));
	sotto_json_key(j, "share");
	sotto_json_text(j, p->share[0] ? p->share : NULL);
	sotto_json_key(j, "collection");
	sotto_json_text(j, p->collection[0] ? p->collection : NULL);
	sotto_json_key(j, "made");
	sotto_json_integer(j, p->made);
	sotto_json_key(j, "revoked");
	sotto_json_bool(j, p->revoked);
}

static void write_person(struct sotto_json *j, const struct sotto_person *p)
{
	sotto_json_open(j, '{');
	write_members(j, p);
	sotto_json_close(j, '}');
}

/* Where clients of PostgreSQL find the same tables. */
static void write_wire(struct sotto_json *j, const struct sotto_http_options *o)
{
	sotto_json_key(j, "postgresql");
	if (!o->wire_port) {
		sotto_json_null(j);
		return;
	}
	sotto_json_open(j, '{');
	sotto_json_key(j, "port");
	sotto_json_integer(j, o->wire_port);
	sotto_json_key(j, "database");
	sotto_json_text(j, o->database);
	sotto_json_close(j, '}');
}

/* Who asks, what else there is for that person, and (unless NULL) the token of a new login. */
static void reply_me(struct sotto_request *r, const char *session)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	sotto_json_open(j, '{');
	write_members(j, &r->person);
	write_wire(j, &r->http->options);
	if (session) {
		sotto_json_key(j, "session");
		sotto_json_text(j, session);
	}
	sotto_json_close(j, '}');
}

/* ---- logging in and out ------------------------------------------------------------------------ */

static void set_cookie(struct sotto_request *r, const char *value, unsigned seconds)
{
	char name[SOTTO_COOKIE_SIZE];

	sotto_http_cookie(r, name);
	(void)snprintf(r->header[0], sizeof r->header[0], "Set-Cookie");
	(void)snprintf(r->header[1], sizeof r->header[1],
		       "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%u%s", name, value,
		       seconds, sotto_http_is_encrypted(r) ? "; Secure" : "");
}

/* A key, or the token of a link; false with a reply. */
static bool prove(struct sotto_request *r)
{
	const struct sotto_http_options *o = &r->http->options;
	const char *key = sotto_request_text(r, "key"), *token = sotto_request_text(r, "token");

	if (key)
		return sotto_http_know_key(r, key);
	if (token && sotto_login_redeem(o->login, o->people, token, &r->person) == SOTTO_OK)
		return true;
	sotto_reply_problem(r, MHD_HTTP_UNAUTHORIZED, "bad-login",
			    "the link has been used, or is too old; log in with your key");
	return false;
}

void sotto_route_login(struct sotto_request *r, struct sotto_session *s)
{
	char token[SOTTO_TOKEN_SIZE], cookie[SOTTO_TOKEN_SIZE];

	(void)s;
	if (!prove(r))
		return;
	if (r->person.role == SOTTO_ROLE_DEVICE) {
		sotto_reply_problem(r, MHD_HTTP_FORBIDDEN, "wrong-role",
				    "a device key cannot log in");
		return;
	}
	if (sotto_login_begin(r->http->options.login, &r->person, token, cookie) != SOTTO_OK) {
		sotto_reply_failure(r, SOTTO_EENTROPY, NULL);
		return;
	}
	reply_me(r, token);
	set_cookie(r, cookie, 12 * 3600);
}

void sotto_route_logout(struct sotto_request *r, struct sotto_session *s)
{
	const char *token, *cookie;

	(void)s;
	if (sotto_http_tokens(r, &token, &cookie))
		sotto_login_end(r->http->options.login, token, cookie);
	reply_me(r, NULL);
	set_cookie(r, "", 0);
}

void sotto_route_me(struct sotto_request *r, struct sotto_session *s)
{
	(void)s;
	reply_me(r, NULL);
}

/* ---- the owner's list of people ------------------------------------------------------------------ */

static enum sotto_status list_person(void *context, const struct sotto_person *p)
{
	write_person(context, p);
	return SOTTO_OK;
}

void sotto_route_users_get(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);
	struct sotto_error err = {""};
	enum sotto_status st;

	(void)s;
	sotto_json_open(j, '{');
	sotto_json_key(j, "users");
	sotto_json_open(j, '[');
	st = sotto_people_each(r->http->options.people, list_person, j, &err);
	sotto_json_close(j, ']');
	sotto_json_close(j, '}');
	if (st != SOTTO_OK)
		sotto_reply_failure(r, st, &err);
}

static void reply_key(struct sotto_request *r, const char *name, enum sotto_status st,
		      const char *key, const struct sotto_error *err)
{
	struct sotto_json *j;

	if (st != SOTTO_OK) {
		sotto_reply_failure(r, st, err);
		return;
	}
	j = sotto_reply(r, MHD_HTTP_CREATED);
	sotto_json_open(j, '{');
	sotto_json_key(j, "name");
	sotto_json_text(j, name);
	sotto_json_key(j, "key");
	sotto_json_text(j, key);
	sotto_json_close(j, '}');
}

/* A member of the body into a field of a person; false with a reply if it is too long. */
static bool copy(struct sotto_request *r, const char *key, char out[SOTTO_PERSON_NAME_MAX + 1])
{
	const char *text = sotto_request_text(r, key);

	if (text && strlen(text) > SOTTO_PERSON_NAME_MAX) {
		sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "too-long",
				    "names and shares have at most 63 letters");
		return false;
	}
	(void)snprintf(out, SOTTO_PERSON_NAME_MAX + 1, "%s", text ? text : "");
	return true;
}

void sotto_route_users_add(struct sotto_request *r, struct sotto_session *s)
{
	const char *role = sotto_request_text(r, "role");
	struct sotto_person person = {.role = SOTTO_ROLE_ANALYST};
	char key[SOTTO_KEY_TEXT_SIZE];
	struct sotto_error err = {""};
	enum sotto_status st;

	(void)s;
	if (!copy(r, "name", person.name) || !copy(r, "share", person.share) ||
	    !copy(r, "collection", person.collection))
		return;
	if (role && !sotto_role_find(role, &person.role)) {
		sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-role",
				    "the role is owner, analyst or device");
		return;
	}
	st = sotto_people_add(r->http->options.people, &person, key, &err);
	reply_key(r, person.name, st, key, &err);
}

void sotto_route_user_rotate(struct sotto_request *r, struct sotto_session *s)
{
	const struct sotto_http_options *o = &r->http->options;
	char key[SOTTO_KEY_TEXT_SIZE];
	struct sotto_error err = {""};
	enum sotto_status st = sotto_people_rotate(o->people, r->name, key, &err);

	(void)s;
	reply_key(r, r->name, st, key, &err);
}

void sotto_route_user_revoke(struct sotto_request *r, struct sotto_session *s)
{
	const struct sotto_http_options *o = &r->http->options;
	struct sotto_error err = {""};
	enum sotto_status st = sotto_people_revoke(o->people, r->name, &err);
	struct sotto_json *j;

	(void)s;
	if (st != SOTTO_OK) {
		sotto_reply_failure(r, st, &err);
		return;
	}
	j = sotto_reply(r, MHD_HTTP_OK);
	sotto_json_open(j, '{');
	sotto_json_key(j, "name");
	sotto_json_text(j, r->name);
	sotto_json_key(j, "revoked");
	sotto_json_bool(j, true);
	sotto_json_close(j, '}');
}
