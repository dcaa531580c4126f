/* What was spent, what is left, and what was asked; an analyst sees only their own part. */
#include "server/route/route_budget.h"

#include <stdlib.h>
#include <string.h>

#include "central/session/session.h"
#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"
#include "server/http/http_inside.h"
#include "server/http/http_request.h"

static void write_left(struct sotto_json *j, const char *key,
		       const struct sotto_rational *epsilon, const struct sotto_rational *delta)
{
	sotto_json_key(j, key);
	sotto_json_open(j, '{');
	sotto_json_left(j, "epsilon", epsilon);
	sotto_json_left(j, "delta", delta);
	sotto_json_close(j, '}');
}

/* Where no epsilon bounds the loss it is null, and there is rho. */
static void write_spent(struct sotto_json *j, const char *key, const struct sotto_cost *cost)
{
	sotto_json_key(j, key);
	sotto_json_open(j, '{');
	if (cost->bounded) {
		sotto_json_spent(j, "epsilon", &cost->epsilon);
	} else {
		sotto_json_key(j, "epsilon");
		sotto_json_null(j);
		sotto_json_spent(j, "rho", &cost->rho);
	}
	sotto_json_spent(j, "delta", &cost->delta);
	sotto_json_close(j, '}');
}

static void write_totals(struct sotto_json *j, const struct sotto_ledger_totals *t)
{
	write_left(j, "budget", &t->budget.epsilon, &t->budget.delta);
	write_spent(j, "spent", &t->spent);
	write_left(j, "left", &t->left.epsilon, &t->left.delta);
	sotto_json_member_integer(j, "releases", (int64_t)t->entries);
	sotto_json_key(j, "renews");
	if (t->renews)
		sotto_json_integer(j, t->renews);
	else
		sotto_json_null(j);
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
	/* An answer that somebody else had paid for counts for an analyst as any other, so
	 * that nobody sees what others ask. */
	if (st == SOTTO_OK)
		st = r->person.role == SOTTO_ROLE_OWNER
			     ? sotto_ledger_totals(ledger, NULL, &t, &err)
			     : sotto_ledger_told(ledger, r->person.name, &t, &err);
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
	size_t count;
	bool more;
};

static enum sotto_status list_entry(void *context, const struct sotto_ledger_entry *e)
{
	struct listing *l = context;
	struct sotto_json *j = l->json;

	l->more = l->count++ == PAGE;
	if (l->more)
		return SOTTO_ERANGE; /* ends the visit */
	sotto_json_open(j, '{');
	sotto_json_member_integer(j, "number", (int64_t)e->number);
	sotto_json_member_integer(j, "time", e->time);
	sotto_json_member_text(j, "analyst", e->analyst);
	sotto_json_member_text(j, "query", e->query);
	write_spent(j, "cost", e->cost);
	sotto_json_member_bool(j, "answered", e->answered);
	sotto_json_close(j, '}');
	return SOTTO_OK;
}

/* The number of an entry; false with a reply. */
static bool read_after(struct sotto_request *r, uint64_t *out)
{
	const char *text = sotto_request_value(r, MHD_GET_ARGUMENT_KIND, "after");
	size_t digits = text ? strspn(text, "0123456789") : 0;

	*out = text ? strtoull(text, NULL, 10) : 0;
	if (!text || (digits > 0 && digits < 19 && text[digits] == '\0'))
		return true;
	sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-number",
			    "after must be the number of an entry");
	return false;
}

void sotto_route_history(struct sotto_request *r, struct sotto_session *s)
{
	const char *whose = r->person.role == SOTTO_ROLE_OWNER ? NULL : r->person.name;
	struct listing l = {0};
	struct sotto_ledger *ledger;
	struct sotto_error err = {""};
	enum sotto_status st;
	uint64_t after;

	if (!read_after(r, &after))
		return;
	st = sotto_session_ledger(s, &ledger, &err);
	if (st == SOTTO_OK) {
		l.json = sotto_reply(r, MHD_HTTP_OK);
		sotto_json_open(l.json, '{');
		sotto_json_key(l.json, "entries");
		sotto_json_open(l.json, '[');
		st = sotto_ledger_each_after(ledger, after, whose, list_entry, &l, &err);
		sotto_json_close(l.json, ']');
		sotto_json_key(l.json, "more");
		sotto_json_bool(l.json, l.more);
		sotto_json_close(l.json, '}');
	}
	if (st != SOTTO_OK && !l.more)
		sotto_reply_failure(r, st, &err);
}
