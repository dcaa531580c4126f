/* What was spent, what is left, and what was asked: an analyst sees the own part. */
#include <stdlib.h>
#include <string.h>

#include "central/session/session.h"
#include "server/http/http_routes.h"
#include "server/http/http_server.h"

static void write_pair(struct sotto_json *j, const char *key, bool spent,
		       const struct sotto_rational *epsilon, const struct sotto_rational *delta)
{
	sotto_json_key(j, key);
	sotto_json_open(j, '{');
	(spent ? sotto_json_spent : sotto_json_left)(j, "epsilon", epsilon);
	(spent ? sotto_json_spent : sotto_json_left)(j, "delta", delta);
	sotto_json_close(j, '}');
}

static void write_totals(struct sotto_json *j, const struct sotto_ledger_totals *t)
{
	write_pair(j, "budget", false, &t->budget.epsilon, &t->budget.delta);
	write_pair(j, "spent", true, &t->spent.epsilon, &t->spent.delta);
	write_pair(j, "left", false, &t->left.epsilon, &t->left.delta);
	sotto_json_key(j, "releases");
	sotto_json_integer(j, (int64_t)t->entries);
	sotto_json_key(j, "renews");
	if (t->renews)
		sotto_json_integer(j, t->renews);
	else
		sotto_json_null(j);
}

/* What somebody asked for: others' questions do not show in it. */
struct own {
	const char *name;
	struct sotto_rational epsilon, delta; /* of all releases, added up */
	uint64_t releases;
};

static enum sotto_status add_own(void *context, const struct sotto_ledger_entry *e)
{
	struct own *own = context;

	if (e->kind != SOTTO_LEDGER_RELEASE || strcmp(e->analyst, own->name) != 0)
		return SOTTO_OK;
	sotto_rational_add(&own->epsilon, &own->epsilon, &e->cost->epsilon);
	sotto_rational_add(&own->delta, &own->delta, &e->cost->delta);
	own->releases++;
	return SOTTO_OK;
}

/* The smaller of the own share and the total, as the session tells analysts. */
static enum sotto_status left_of(struct sotto_session *s, const char *name,
				 struct sotto_ledger_totals *t, struct sotto_error *err)
{
	enum sotto_status st = sotto_session_enter(s, err);

	if (st != SOTTO_OK)
		return st;
	st = sotto_session_left(s, name, &t->left.epsilon, &t->left.delta, err);
	sotto_session_leave(s);
	return st;
}

/* An analyst's view: the own share or the total as the budget, own releases as spent. */
static enum sotto_status own_totals(struct sotto_session *s, struct sotto_ledger *ledger,
				    const struct sotto_person *person,
				    struct sotto_ledger_totals *t, struct sotto_error *err)
{
	struct own own = {.name = person->name};
	struct sotto_rational share;
	enum sotto_status st = SOTTO_OK;

	sotto_rational_init(&own.epsilon);
	sotto_rational_init(&own.delta);
	sotto_rational_init(&share);
	if (person->share[0]) {
		st = sotto_rational_parse(&share, person->share, err);
		sotto_rational_multiply(&t->budget.epsilon, &t->budget.epsilon, &share);
		sotto_rational_multiply(&t->budget.delta, &t->budget.delta, &share);
	}
	if (st == SOTTO_OK)
		st = left_of(s, person->name, t, err);
	if (st == SOTTO_OK)
		st = sotto_ledger_each(ledger, add_own, &own, err);
	sotto_rational_set(&t->spent.epsilon, &own.epsilon);
	sotto_rational_set(&t->spent.delta, &own.delta);
	t->entries = own.releases;
	sotto_rational_release(&own.epsilon);
	sotto_rational_release(&own.delta);
	sotto_rational_release(&share);
	return st;
}

void sotto_route_budget(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *ledger;
	struct sotto_error err = {""};
	enum sotto_status st;

	if (!sotto_request_admit(r, s))
		return;
	sotto_ledger_totals_init(&t);
	st = sotto_session_ledger(s, &ledger, &err);
	if (st == SOTTO_OK)
		st = sotto_ledger_totals(ledger, NULL, &t, &err);
	if (st == SOTTO_OK && r->person.role != SOTTO_ROLE_OWNER)
		st = own_totals(s, ledger, &r->person, &t, &err);
	if (st == SOTTO_OK) {
		struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

		sotto_json_open(j, '{');
		write_totals(j, &t);
		sotto_json_close(j, '}');
	} else {
		sotto_reply_failure(r, st, &err);
	}
	sotto_ledger_totals_release(&t);
}

/* ---- history ---------------------------------------------------------------------------------- */

enum { PAGE = 1000 };

struct listing {
	struct sotto_json *json;
	const char *analyst; /* whose entries; NULL: everybody's */
	uint64_t after; /* this number */
	size_t count;
	bool more;
};

static enum sotto_status list_entry(void *context, const struct sotto_ledger_entry *e)
{
	struct listing *l = context;
	struct sotto_json *j = l->json;

	if (e->number <= l->after || (l->analyst && strcmp(e->analyst, l->analyst) != 0))
		return SOTTO_OK;
	l->more = l->count == PAGE;
	if (l->more)
		return SOTTO_OK;
	l->count++;
	sotto_json_open(j, '{');
	sotto_json_key(j, "number");
	sotto_json_integer(j, (int64_t)e->number);
	sotto_json_key(j, "time");
	sotto_json_integer(j, e->time);
	sotto_json_key(j, "analyst");
	sotto_json_text(j, e->analyst);
	sotto_json_key(j, "query");
	sotto_json_text(j, e->query);
	write_pair(j, "cost", true, &e->cost->epsilon, &e->cost->delta);
	sotto_json_key(j, "answered");
	sotto_json_bool(j, e->answered);
	sotto_json_close(j, '}');
	return SOTTO_OK;
}

void sotto_route_history(struct sotto_request *r, struct sotto_session *s)
{
	const char *after = sotto_http_value(r, MHD_GET_ARGUMENT_KIND, "after");
	struct listing l = {.analyst =
				    r->person.role == SOTTO_ROLE_OWNER ? NULL : r->person.name,
			    .after = after ? strtoull(after, NULL, 10) : 0};
	struct sotto_ledger *ledger;
	struct sotto_error err = {""};
	enum sotto_status st = sotto_session_ledger(s, &ledger, &err);

	if (st == SOTTO_OK) {
		l.json = sotto_reply(r, MHD_HTTP_OK);
		sotto_json_open(l.json, '{');
		sotto_json_key(l.json, "entries");
		sotto_json_open(l.json, '[');
		st = sotto_ledger_each(ledger, list_entry, &l, &err);
		sotto_json_close(l.json, ']');
		sotto_json_key(l.json, "more");
		sotto_json_bool(l.json, l.more);
		sotto_json_close(l.json, '}');
	}
	if (st != SOTTO_OK)
		sotto_reply_failure(r, st, &err);
}
