/* Checks every header of a request once. */
#include "server/http/guard/http_strict.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "server/http/http_inside.h"

struct seen {
	unsigned lengths, codings, hosts, proofs;
	bool is_odd;
};

/* RFC 9110, 5.6.2. */
static bool is_token(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789!#$%&'*+-.^_`|~";

	return name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

static enum MHD_Result
look(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct seen *s = context;

	(void)kind;
	s->is_odd = s->is_odd || !is_token(name);
	if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
		s->lengths++;
		s->is_odd = s->is_odd || !value || !*value ||
			    value[strspn(value, "0123456789")] != '\0';
	} else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
		s->codings++;
		s->is_odd = s->is_odd || !value || strcasecmp(value, "chunked") != 0;
	} else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
		s->hosts++;
	} else if (strcasecmp(name, MHD_HTTP_HEADER_AUTHORIZATION) == 0) {
		s->proofs++;
	}
	return MHD_YES;
}

bool sotto_http_is_plain(struct sotto_request *r)
{
	struct seen s = {0};

	(void)r->http->mhd.MHD_get_connection_values(r->connection, MHD_HEADER_KIND, look, &s);
	if (!s.is_odd && s.lengths + s.codings <= 1 && s.hosts <= 1 && s.proofs <= 1)
		return true;
	sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-request",
			    "the headers of the request can be read in two ways");
	(void)snprintf(r->header[0], sizeof r->header[0], "Connection");
	(void)snprintf(r->header[1], sizeof r->header[1], "close");
	return false;
}
