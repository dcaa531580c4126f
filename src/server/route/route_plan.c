/* Compares local protocols by formulas; no data is needed. */
#include "server/route/route_plan.h"

#include <math.h>

#include "server/http/http_request.h"
#include "sotto/local.h"

#define COUNT_MAX 1000000000000.0

/* A whole number of the body; false with a reply. */
static bool read_count(struct sotto_request *r, const char *key, double least, uint64_t *out)
{
	double x = json_number_value(json_object_get(r->json, key));
	char sentence[96];

	if (x >= least && x <= COUNT_MAX && x == floor(x)) {
		*out = (uint64_t)x;
		return true;
	}
	(void)snprintf(sentence, sizeof sentence, "%s must be a whole number from %g to %g",
		       key, least, COUNT_MAX);
	sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-number", sentence);
	return false;
}

static void write_number(struct sotto_json *j, const char *key, double x)
{
	sotto_json_key(j, key);
	if (isfinite(x))
		sotto_json_double(j, x);
	else
		sotto_json_null(j);
}

static void write_choice(struct sotto_json *j, const struct sotto_local_choice *c)
{
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "protocol", sotto_local_protocol_name(c->params.protocol));
	sotto_json_member_integer(j, "report_bytes", (int64_t)c->report_bytes);
	write_number(j, "standard_error", c->sd);
	write_number(j, "least_frequency", c->detects);
	write_number(j, "server_bytes", c->server_bytes);
	sotto_json_member_bool(j, "best", c->best);
	sotto_json_close(j, '}');
}

static void
reply_choices(struct sotto_request *r, const struct sotto_local_choice *list, size_t count)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	sotto_json_open(j, '{');
	sotto_json_key(j, "protocols");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < count; i++)
		write_choice(j, &list[i]);
	sotto_json_close(j, ']');
	sotto_json_close(j, '}');
}

static void plan(struct sotto_request *r, const struct sotto_local_question *q)
{
	struct sotto_local_choice list[SOTTO_LOCAL_CHOICES];
	struct sotto_error err = {""};
	size_t count = 0;
	enum sotto_status st = sotto_local_plan(q, list, &count, &err);

	if (st == SOTTO_OK)
		reply_choices(r, list, count);
	else
		sotto_reply_failure(r, st, &err);
}

void sotto_route_plan(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_rational epsilon;
	struct sotto_local_question q = {.epsilon = &epsilon, .reports = 1, .alpha = 0.05};
	bool given = false;

	(void)s;
	sotto_rational_init(&epsilon);
	if (read_count(r, "users", 1, &q.users) && read_count(r, "values", 2, &q.values) &&
	    sotto_request_rational(r, "epsilon", &epsilon, &given)) {
		if (given)
			plan(r, &q);
		else
			sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-number",
					    "the body needs an epsilon, that of one report");
	}
	sotto_rational_release(&epsilon);
}
