/*
 * Hands a batch to its collection, which answers when the batch is on the disk; estimates are
 * decoded from the aggregate as it is when they are asked for.
 */
#include "server/route/route_collections.h"

#include <stdlib.h>
#include <string.h>

#include "server/collections/collections.h"
#include "server/http/http_inside.h"
#include "server/http/http_request.h"
#include "server/http/http_work.h"
#include "sotto/decode.h"
#include "sotto/local.h"

enum { CANDIDATES_MAX = 10000 };

/* The collection of the path, if the person may use it; NULL with a reply. */
static struct sotto_collection *find(struct sotto_request *r)
{
	struct sotto_collections *all = r->http->options.collections;
	struct sotto_collection *c = all ? sotto_collections_find(all, r->name) : NULL;

	if (r->person.role == SOTTO_ROLE_DEVICE && strcmp(r->person.collection, r->name) != 0) {
		sotto_reply_problem(r, MHD_HTTP_FORBIDDEN, "wrong-collection",
				    "this key is for another collection");
		return NULL;
	}
	if (!c)
		sotto_reply_problem(r, MHD_HTTP_NOT_FOUND, "no-such-collection",
				    "there is no collection of that name; the policy's "
				    "collections: names them");
	return c;
}

/* ---- reports ------------------------------------------------------------------------------------ */

static void reply_verdict(struct sotto_request *r, enum sotto_local_verdict verdict,
			  enum sotto_local_reason reason)
{
	struct sotto_json *j;
	char sentence[160];

	if (verdict == SOTTO_LOCAL_REJECTED) {
		(void)snprintf(sentence, sizeof sentence, "the batch was rejected: %s",
			       sotto_local_reason_sentence(reason));
		sotto_reply_problem(r,
				    reason == SOTTO_LOCAL_REASON_MANY
					    ? MHD_HTTP_CONTENT_TOO_LARGE
					    : MHD_HTTP_BAD_REQUEST,
				    "bad-batch", sentence);
		return;
	}
	j = sotto_reply(r, verdict == SOTTO_LOCAL_ACCEPTED ? MHD_HTTP_ACCEPTED : MHD_HTTP_OK);
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "verdict",
			       verdict == SOTTO_LOCAL_ACCEPTED ? "accepted" : "duplicate");
	sotto_json_close(j, '}');
}

static void done(void *context, enum sotto_status status, enum sotto_local_verdict verdict,
		 enum sotto_local_reason reason)
{
	struct sotto_request *r = context;

	if (status == SOTTO_OK)
		reply_verdict(r, verdict, reason);
	else
		sotto_reply_problem(r, MHD_HTTP_INTERNAL_SERVER_ERROR, "not-stored",
				    "the batch could not be stored; send it again later");
	sotto_http_finish(r);
}

void sotto_http_take_batch(struct sotto_request *r, struct sotto_collection *c)
{
	if (sotto_collection_add(c, (const uint8_t *)r->body.bytes, r->body.length, done, r) ==
	    SOTTO_OK)
		return;
	sotto_reply_busy(r);
	sotto_http_finish(r);
}

void sotto_route_reports(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_collection *c = find(r);

	(void)s;
	if (c)
		sotto_http_take_batch(r, c);
	else
		sotto_http_finish(r);
}

/* ---- estimates ---------------------------------------------------------------------------------- */

/* Strings that were asked about, "a,b,c" of the query; numbers otherwise. */
struct candidates {
	char *text;
	const void **strings;
	size_t *lengths;
	size_t count;
};

static void candidates_release(struct candidates *c)
{
	free(c->text);
	free(c->strings);
	free(c->lengths);
}

static bool split(struct candidates *c, const char *list)
{
	size_t count = 1;
	char *at;

	for (const char *p = list; *p; p++)
		count += *p == ',';
	c->text = strdup(list);
	c->strings = calloc(count, sizeof *c->strings);
	c->lengths = calloc(count, sizeof *c->lengths);
	if (!c->text || !c->strings || !c->lengths || count > CANDIDATES_MAX)
		return false;
	for (at = c->text; at; c->count++) {
		char *comma = strchr(at, ',');

		c->strings[c->count] = at;
		c->lengths[c->count] = comma ? (size_t)(comma - at) : strlen(at);
		at = comma ? comma + 1 : NULL;
	}
	return true;
}

static void write_estimate(struct sotto_json *j, const struct sotto_local_estimate *e)
{
	sotto_json_member_double(j, "estimate", e->count);
	sotto_json_member_double(j, "standard_error", e->sd);
	sotto_json_member_double(j, "low", e->low);
	sotto_json_member_double(j, "high", e->high);
	sotto_json_member_bool(j, "significant", e->significant);
	sotto_json_member_double(j, "consistent", e->post);
}

static void write_list(struct sotto_json *j, const struct candidates *c,
		       const struct sotto_local_estimate *list, size_t count)
{
	sotto_json_key(j, "estimates");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < count; i++) {
		sotto_json_open(j, '{');
		sotto_json_key(j, "value");
		if (c->strings) {
			char *name = strndup(c->strings[i], c->lengths[i]);

			sotto_json_text(j, name);
			free(name);
		} else {
			sotto_json_integer(j, (int64_t)i);
		}
		write_estimate(j, &list[i]);
		sotto_json_close(j, '}');
	}
	sotto_json_close(j, ']');
}

static enum sotto_status decode(struct sotto_json *j, struct sotto_local_aggregate *a,
				const struct candidates *c, struct sotto_error *err)
{
	const struct sotto_local_options options = {.alpha = 0.05};
	const struct sotto_client_params *p = sotto_local_aggregate_counts(a).params;
	struct sotto_local_candidates asked = {.count = c->strings ? c->count : p->size,
					       .strings = (const void *const *)c->strings,
					       .lengths = c->lengths};
	struct sotto_local_estimate *list;
	enum sotto_status st;

	if (asked.count == 0 || asked.count > CANDIDATES_MAX)
		return SOTTO_EINVAL;
	list = calloc(asked.count, sizeof *list);
	if (!list)
		return SOTTO_ENOMEM;
	st = sotto_local_decode(a, &asked, &options, list, err);
	if (st == SOTTO_OK)
		write_list(j, c, list, asked.count);
	free(list);
	return st;
}

static enum sotto_status write_mean(struct sotto_json *j, struct sotto_local_aggregate *a)
{
	struct sotto_local_mean mean;
	enum sotto_status st = sotto_local_decode_mean(a, 0.05, &mean);

	if (st != SOTTO_OK)
		return st;
	sotto_json_member_double(j, "mean", mean.mean);
	sotto_json_member_double(j, "low", mean.low);
	sotto_json_member_double(j, "high", mean.high);
	return SOTTO_OK;
}

static void write_head(struct sotto_json *j, const char *name,
		       const struct sotto_client_params *p, uint64_t reports)
{
	sotto_json_member_text(j, "collection", name);
	sotto_json_member_text(j, "protocol", sotto_local_protocol_name(p->protocol));
	sotto_json_member_integer(j, "reports", (int64_t)reports);
	sotto_json_member_double(j, "alpha", 0.05);
}

void sotto_route_estimates(struct sotto_request *r, struct sotto_session *s)
{
	const char *list = sotto_request_value(r, MHD_GET_ARGUMENT_KIND, "candidates");
	struct sotto_collection *c = find(r);
	struct sotto_local_collector_counts counts;
	struct sotto_local_aggregate *a = NULL;
	struct candidates asked = {0};
	struct sotto_error err = {""};
	const struct sotto_client_params *p;
	struct sotto_json *j;
	enum sotto_status st;

	(void)s;
	if (!c)
		return;
	st = list && !split(&asked, list) ? SOTTO_ERANGE
					  : sotto_collection_counted(c, &a, &counts);
	if (st == SOTTO_OK) {
		p = sotto_local_aggregate_counts(a).params;
		j = sotto_reply(r, MHD_HTTP_OK);
		sotto_json_open(j, '{');
		write_head(j, sotto_collection_name(c), p, counts.reports);
		st = p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN ? write_mean(j, a)
							      : decode(j, a, &asked, &err);
		sotto_json_close(j, '}');
	}
	if (st != SOTTO_OK)
		sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "no-estimates",
				    err.text[0] ? err.text
						: "name the values that are asked about: "
						  "?candidates=a,b,c");
	sotto_local_aggregate_free(a);
	candidates_release(&asked);
}

/* Why no reports are stored is for the owner, who can mend it. */
static void
write_collection(struct sotto_json *j, struct sotto_collection *c, enum sotto_role role)
{
	struct sotto_error err = {""};
	bool fails = sotto_collection_health(c, &err) != SOTTO_OK;

	sotto_json_open(j, '{');
	sotto_json_member_text(j, "name", sotto_collection_name(c));
	sotto_json_member_text(j, "failure",
			       fails && role == SOTTO_ROLE_OWNER ? err.text : NULL);
	sotto_json_close(j, '}');
}

void sotto_route_collections(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_collections *all = r->http->options.collections;
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);
	struct sotto_collection *c;

	(void)s;
	sotto_json_open(j, '{');
	sotto_json_key(j, "collections");
	sotto_json_open(j, '[');
	for (size_t i = 0; all && (c = sotto_collections_at(all, i)); i++)
		write_collection(j, c, r->person.role);
	sotto_json_close(j, ']');
	sotto_json_close(j, '}');
}
