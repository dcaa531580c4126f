/* Reading a request's body and writing its reply. */
#include "server/http/http_request.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/base/shortest.h"
#include "server/http/http_inside.h"

enum { REPLY_CAP = 256 << 20 };

/* ---- what was asked ------------------------------------------------------------------------ */

const char *
sotto_request_value(struct sotto_request *r, enum MHD_ValueKind kind, const char *name)
{
	return r->http->mhd.MHD_lookup_connection_value(r->connection, kind, name);
}

void sotto_http_peer(const struct sotto_mhd *mhd, struct MHD_Connection *c,
		     char out[SOTTO_ADDRESS_SIZE])
{
	const union MHD_ConnectionInfo *info =
		mhd->MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *a = info ? info->client_addr : NULL;

	out[0] = '\0';
	if (a && a->sa_family == AF_INET)
		(void)inet_ntop(AF_INET,
				&((const struct sockaddr_in *)(const void *)a)->sin_addr, out,
				SOTTO_ADDRESS_SIZE);
	else if (a && a->sa_family == AF_INET6)
		(void)inet_ntop(AF_INET6,
				&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, out,
				SOTTO_ADDRESS_SIZE);
}

void sotto_request_peer(struct sotto_request *r, char out[SOTTO_ADDRESS_SIZE])
{
	sotto_http_peer(&r->http->mhd, r->connection, out);
}

const char *sotto_request_text(const struct sotto_request *r, const char *key)
{
	return json_string_value(json_object_get(r->json, key));
}

bool sotto_request_flag(const struct sotto_request *r, const char *key)
{
	return json_is_true(json_object_get(r->json, key));
}

/* jansson reads 0.1 as a double: its shortest decimal is what the client wrote. */
static bool decimal_of(const json_t *v, char text[SOTTO_SHORTEST_SIZE])
{
	if (json_is_integer(v)) {
		(void)snprintf(text, SOTTO_SHORTEST_SIZE, "%" JSON_INTEGER_FORMAT,
			       json_integer_value(v));
		return true;
	}
	if (!json_is_real(v))
		return false;
	sotto_shortest(json_real_value(v), text);
	return true;
}

bool sotto_request_rational(struct sotto_request *r, const char *key,
			    struct sotto_rational *out, bool *given)
{
	const json_t *v = json_object_get(r->json, key);
	struct sotto_error err = {""};
	char text[SOTTO_SHORTEST_SIZE], sentence[128];

	*given = v && !json_is_null(v);
	if (!*given)
		return true;
	if (json_is_string(v) || decimal_of(v, text)) {
		if (sotto_rational_parse(out, json_is_string(v) ? json_string_value(v) : text,
					 &err) == SOTTO_OK)
			return true;
	}
	(void)snprintf(sentence, sizeof sentence,
		       "%s must be a number, like 0.1, or a text, like \"1/3\"", key);
	sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-number", sentence);
	return false;
}

/* ---- the reply ----------------------------------------------------------------------------- */

struct sotto_json *sotto_reply(struct sotto_request *r, unsigned status)
{
	sotto_json_release(&r->reply);
	sotto_json_init(&r->reply, REPLY_CAP);
	r->status = status;
	r->type = "application/json";
	return &r->reply;
}

struct sotto_json *sotto_reply_open_problem(struct sotto_request *r, unsigned status,
					    const char *code, const char *sentence)
{
	struct sotto_json *j = sotto_reply(r, status);

	r->type = "application/problem+json";
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "type", "about:blank");
	sotto_json_member_text(j, "title", sentence);
	sotto_json_member_integer(j, "status", status);
	sotto_json_member_text(j, "code", code);
	return j;
}

void sotto_reply_problem(struct sotto_request *r, unsigned status, const char *code,
			 const char *sentence)
{
	sotto_json_close(sotto_reply_open_problem(r, status, code, sentence), '}');
}

void sotto_reply_busy(struct sotto_request *r)
{
	sotto_reply_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
			    "too much is waiting; try again in a moment");
	(void)snprintf(r->header[0], sizeof r->header[0], "Retry-After");
	(void)snprintf(r->header[1], sizeof r->header[1], "1");
}

/* An answer that was paid for is in the ledger, whatever became of its reply. */
void sotto_reply_settle(struct sotto_request *r)
{
	if (r->file || sotto_json_status(&r->reply) == SOTTO_OK)
		return;
	sotto_reply_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "too-large",
			    "the reply does not fit into memory; a question may have been "
			    "charged: then its answer is kept, and parts of it are free, with "
			    "LIMIT and OFFSET behind the same question");
}

/* The statuses of the library as HTTP's: 4xx was never charged. */
static const struct {
	enum sotto_status status;
	unsigned http;
	const char *code;
} failures[] = {
	{SOTTO_EPARSE, MHD_HTTP_BAD_REQUEST, "not-understood"},
	{SOTTO_EINVAL, MHD_HTTP_BAD_REQUEST, "not-allowed"},
	{SOTTO_ERANGE, MHD_HTTP_BAD_REQUEST, "out-of-range"},
	{SOTTO_EREFUSED, MHD_HTTP_UNPROCESSABLE_CONTENT, "not-private"},
	{SOTTO_EBUDGET, MHD_HTTP_PAYMENT_REQUIRED, "budget"},
	{SOTTO_EMISSING, MHD_HTTP_NOT_FOUND, "missing"},
	{SOTTO_ESTATE, MHD_HTTP_CONFLICT, "conflict"},
	{SOTTO_ENOMEM, MHD_HTTP_SERVICE_UNAVAILABLE, "out-of-memory"},
};

struct sotto_asker sotto_http_asker(const struct sotto_request *r)
{
	return (struct sotto_asker){.person = &r->person,
				    .policy = r->http->options.policy,
				    .door = SOTTO_DOOR_HTTP};
}

void sotto_reply_failure(struct sotto_request *r, enum sotto_status status,
			 const struct sotto_error *err)
{
	const struct sotto_asker asker = sotto_http_asker(r);
	struct sotto_error told;

	sotto_work_tell(&asker, status, err, &told);
	for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
		if (failures[i].status == status) {
			sotto_reply_problem(r, failures[i].http, failures[i].code, told.text);
			return;
		}
	sotto_reply_problem(r, MHD_HTTP_INTERNAL_SERVER_ERROR, "failed", told.text);
}

bool sotto_request_admit(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_error err = {""};
	enum sotto_status st = sotto_work_admit(s, &r->person, &err);

	if (st != SOTTO_OK)
		sotto_reply_failure(r, st, &err);
	return st == SOTTO_OK;
}
