/*
 * The accountant over HTTP: a workload of events, and what it costs.
 *
 * How long it takes is limited by a count of steps for each theorem (integral/work.h), to about
 * a second together; so it waits in the line of questions and delays nothing that is quick.
 */
#include "server/route/route_account.h"

#include <math.h>
#include <string.h>

#include "core/base/failure.h"
#include "server/http/http_request.h"
#include "sotto/account.h"

enum { EVENTS_MAX = 1000 };

static enum sotto_status
add_events(struct sotto_workload *w, const json_t *events, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	if (json_is_string(events))
		return sotto_workload_add_text(w, json_string_value(events), err);
	if (json_array_size(events) > EVENTS_MAX) /* one that is left out would cost nothing */
		return sotto_fail(err, SOTTO_EINVAL,
				  "a workload has at most %d events; write equal ones once, "
				  "with *N",
				  EVENTS_MAX);
	for (size_t i = 0; st == SOTTO_OK && i < json_array_size(events); i++) {
		const char *text = json_string_value(json_array_get(events, i));

		st = text ? sotto_workload_add_text(w, text, err)
			  : sotto_fail(err, SOTTO_EPARSE,
				       "each event must be a text, like "
				       "\"gaussian(sigma=10)*100\"");
	}
	return st;
}

static void write_bound(struct sotto_json *j, const struct sotto_account_answer *a)
{
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "method", sotto_method_name(a->method));
	sotto_json_key(j, "lower");
	if (a->finite)
		sotto_json_double(j, a->lower);
	else
		sotto_json_null(j);
	sotto_json_key(j, "upper");
	if (a->finite)
		sotto_json_double(j, a->upper);
	else
		sotto_json_null(j);
	sotto_json_member_text(j, "reason", a->finite ? NULL : a->reason);
	sotto_json_close(j, '}');
}

/* Every method that applies, at the delta or the epsilon that was given. */
static enum sotto_status write_bounds(struct sotto_json *j, const struct sotto_workload *w,
				      const struct sotto_rational *at, bool is_delta)
{
	enum sotto_status st = SOTTO_OK;

	for (int m = 0; st == SOTTO_OK && m < SOTTO_METHODS; m++) {
		struct sotto_account_answer a;

		st = is_delta ? sotto_account_epsilon(w, at, (enum sotto_method)m, &a)
			      : sotto_account_delta(w, at, (enum sotto_method)m, &a);
		if (st == SOTTO_OK)
			write_bound(j, &a);
	}
	return st;
}

static void price(struct sotto_request *r, const struct sotto_workload *w,
		  const struct sotto_rational *at, bool is_delta)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);
	enum sotto_status st;

	sotto_json_open(j, '{');
	sotto_json_key(j, is_delta ? "epsilon" : "delta");
	sotto_json_open(j, '[');
	st = write_bounds(j, w, at, is_delta);
	sotto_json_close(j, ']');
	sotto_json_close(j, '}');
	if (st != SOTTO_OK)
		sotto_reply_failure(r, st, NULL);
}

void sotto_route_account(struct sotto_request *r, struct sotto_session *s)
{
	const json_t *events = json_object_get(r->json, "events");
	struct sotto_workload *w = NULL;
	struct sotto_rational delta, epsilon;
	bool has_delta = false, has_epsilon = false;
	struct sotto_error err = {""};
	enum sotto_status st;

	(void)s;
	sotto_rational_init(&delta);
	sotto_rational_init(&epsilon);
	if (!sotto_request_rational(r, "delta", &delta, &has_delta) ||
	    !sotto_request_rational(r, "epsilon", &epsilon, &has_epsilon))
		goto end;
	if (has_delta == has_epsilon || (!json_is_string(events) && !json_is_array(events))) {
		sotto_reply_problem(
			r, MHD_HTTP_BAD_REQUEST, "bad-account",
			"the body needs events, a text or a list of texts, and either "
			"delta or epsilon");
		goto end;
	}
	st = sotto_workload_new(&w);
	if (st == SOTTO_OK)
		st = add_events(w, events, &err);
	if (st == SOTTO_OK)
		price(r, w, has_delta ? &delta : &epsilon, has_delta);
	else
		sotto_reply_failure(r, st, &err);
end:
	sotto_workload_free(w);
	sotto_rational_release(&delta);
	sotto_rational_release(&epsilon);
}
