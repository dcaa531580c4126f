/*
 * Health and counters, and the owner's questions for bounds and limits; writing them into the
 * policy is serialized, and the server then reads it again.
 */
#include "server/route/route_owner.h"

#include <inttypes.h>

#include "core/base/failure.h"
#include "server/http/http_inside.h"
#include "server/http/http_request.h"

void sotto_route_health(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	(void)s;
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "status", "ok");
	sotto_json_close(j, '}');
}

/* Counts only: nothing of rows, groups, names or what a worker used. */
void sotto_route_metrics(struct sotto_request *r, struct sotto_session *s)
{
	static const char *const doors[SOTTO_DOORS] = {"http", "wire"};
	const struct sotto_http_options *o = &r->http->options;
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	(void)s;
	r->type = "text/plain; version=0.0.4";
	j->status = sotto_buffer_appendf(&j->text,
					 "# TYPE sotto_in_work gauge\n"
					 "sotto_in_work{lane=\"quick\"} %zu\n"
					 "sotto_in_work{lane=\"question\"} %zu\n"
					 "# TYPE sotto_charged_answers_total counter\n"
					 "sotto_charged_answers_total %" PRIu64 "\n"
					 "# TYPE sotto_reply_seconds histogram\n",
					 sotto_work_length(o->work, SOTTO_LANE_QUICK),
					 sotto_work_length(o->work, SOTTO_LANE_QUESTION),
					 sotto_work_charges(o->work));
	for (int door = 0; j->status == SOTTO_OK && door < SOTTO_DOORS; door++)
		j->status = sotto_durations_write(sotto_work_durations(o->work, door),
						  doors[door], &j->text);
	if (j->status == SOTTO_OK)
		sotto_counts_write(&r->http->counts, sotto_watch_count(&r->http->watch),
				   &j->text);
}

/*
 * What was found is paid for: where it cannot be written into the policy, the reply has it all the
 * same, and says why.
 */
struct kept {
	bool is_written;
	struct sotto_error reason;
};

static void note_kept(struct kept *k, enum sotto_status st)
{
	k->is_written = st == SOTTO_OK;
	if (!k->is_written && !k->reason.text[0])
		(void)sotto_fail(&k->reason, st, "%s", sotto_status_text(st));
}

static void write_kept(struct sotto_json *j, const struct kept *k)
{
	sotto_json_member_bool(j, "written", k->is_written);
	sotto_json_member_text(j, "reason", k->reason.text[0] ? k->reason.text : NULL);
}

static void
write_found(struct sotto_request *r, const struct sotto_found_bounds *b, const struct kept *k)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	sotto_json_open(j, '{');
	sotto_json_member_bool(j, "found", b->found);
	sotto_json_member_double(j, "low", b->lo);
	sotto_json_member_double(j, "high", b->hi);
	sotto_json_spent(j, "cost", &b->epsilon);
	sotto_json_left(j, "left", &b->epsilon_left);
	sotto_json_member_bool(j, "repeated", b->repeated);
	write_kept(j, k);
	sotto_json_close(j, '}');
}

void sotto_route_bounds(struct sotto_request *r, struct sotto_session *s)
{
	const char *column = sotto_request_text(r, "column");
	struct sotto_question q = {.analyst = r->person.name,
				   .fresh = sotto_request_flag(r, "fresh")};
	struct sotto_found_bounds found;
	struct sotto_rational epsilon;
	struct sotto_error err = {""};
	struct kept kept = {0};
	enum sotto_status st;
	bool given;

	sotto_rational_init(&epsilon);
	sotto_found_bounds_init(&found);
	if (!column) {
		sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "no-column",
				    "the body needs a member column, like \"visits.age\"");
	} else if (sotto_request_rational(r, "epsilon", &epsilon, &given) &&
		   sotto_request_admit(r, s)) {
		q.epsilon = given ? &epsilon : NULL;
		st = sotto_session_bounds(s, column, &q, &found, &err);
		if (st == SOTTO_OK && sotto_request_flag(r, "write") && found.found) {
			pthread_mutex_lock(&r->http->policy_lock);
			note_kept(&kept,
				  sotto_session_write_bounds(s, column, &found, &kept.reason));
			pthread_mutex_unlock(&r->http->policy_lock);
			sotto_work_reload(r->http->options.work);
		}
		if (st == SOTTO_OK)
			write_found(r, &found, &kept);
		else
			sotto_reply_failure(r, st, &err);
	}
	sotto_found_bounds_release(&found);
	sotto_rational_release(&epsilon);
}

static void write_limits(struct sotto_request *r, const struct sotto_found_contributions *f,
			 const struct kept *k)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	sotto_json_open(j, '{');
	sotto_json_key(j, "max_groups");
	if (f->max_groups)
		sotto_json_integer(j, f->max_groups);
	else
		sotto_json_null(j);
	sotto_json_member_integer(j, "max_rows", f->max_rows);
	sotto_json_key(j, "groups_beyond");
	if (f->max_groups)
		sotto_json_double(j, f->groups_beyond);
	else
		sotto_json_null(j);
	sotto_json_member_double(j, "rows_beyond", f->rows_beyond);
	sotto_json_spent(j, "cost", &f->epsilon);
	sotto_json_left(j, "left", &f->epsilon_left);
	sotto_json_member_bool(j, "repeated", f->repeated);
	write_kept(j, k);
	sotto_json_close(j, '}');
}

/* Finds limits, and writes them into the policy if that is asked for. */
static enum sotto_status find_limits(struct sotto_request *r, struct sotto_session *s,
				     const char *table, const struct sotto_question *q,
				     struct sotto_found_contributions *found, struct kept *kept,
				     struct sotto_error *err)
{
	const char *by = sotto_request_text(r, "by");

	SOTTO_TRY(sotto_session_contributions(s, table, by && *by ? by : NULL, q, found, err));
	if (!sotto_request_flag(r, "write"))
		return SOTTO_OK;
	pthread_mutex_lock(&r->http->policy_lock);
	note_kept(kept, sotto_session_write_contributions(s, table, found, &kept->reason));
	pthread_mutex_unlock(&r->http->policy_lock);
	sotto_work_reload(r->http->options.work);
	return SOTTO_OK;
}

void sotto_route_limits(struct sotto_request *r, struct sotto_session *s)
{
	const char *table = sotto_request_text(r, "table");
	struct sotto_question q = {.analyst = r->person.name,
				   .fresh = sotto_request_flag(r, "fresh")};
	struct sotto_found_contributions found;
	struct sotto_rational epsilon;
	struct sotto_error err = {""};
	struct kept kept = {0};
	enum sotto_status st;
	bool given;

	sotto_rational_init(&epsilon);
	sotto_found_contributions_init(&found);
	if (!table) {
		sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "no-table",
				    "the body needs a member table, like \"visits\"");
	} else if (sotto_request_rational(r, "epsilon", &epsilon, &given) &&
		   sotto_request_admit(r, s)) {
		q.epsilon = given ? &epsilon : NULL;
		st = find_limits(r, s, table, &q, &found, &kept, &err);
		if (st == SOTTO_OK)
			write_limits(r, &found, &kept);
		else
			sotto_reply_failure(r, st, &err);
	}
	sotto_found_contributions_release(&found);
	sotto_rational_release(&epsilon);
}
