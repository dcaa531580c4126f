/*
 * What an answer could look like, from invented rows.
 *
 * (1) The question is asked of a session of its own, in which private tables are invented:
 *     its engine may open the files of public tables and no others.
 * (2) Nothing is charged and nothing is stored.
 * (3) Which groups of an invented unit count is chosen by a salt of its own.
 */
#include "central/session/session.h"
#include "core/base/failure.h"

enum { SALT = 1 };

static enum sotto_status
open_made_up(const struct sotto_session *s, struct sotto_session **out, struct sotto_error *err)
{
	struct sotto_session *made_up;
	struct sotto_ledger *ledger;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_open_with(s->policy.path, &s->options, &made_up, err));
	made_up->is_made_up = true;
	made_up->threads = s->threads;
	made_up->clock = s->clock;
	st = sotto_session_book(made_up, &ledger, err);
	if (st != SOTTO_OK) {
		sotto_session_close(made_up);
		return st;
	}
	made_up->salt = SALT;
	*out = made_up;
	return SOTTO_OK;
}

enum sotto_status sotto_session_preview(struct sotto_session *s, const struct sotto_question *q,
					struct sotto_answer **out, struct sotto_error *err)
{
	struct sotto_session *made_up = NULL;
	enum sotto_status st;

	if (!q || !q->sql || !out)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a preview needs SQL and a place for its answer");
	SOTTO_TRY(sotto_session_enter(s, err));
	st = open_made_up(s, &made_up, err);
	if (st == SOTTO_OK && s->admitted)
		st = sotto_session_admit(made_up, s->admitted, NULL, err);
	sotto_session_leave(s);
	if (st == SOTTO_OK)
		st = sotto_session_query(made_up, q, out, err);
	sotto_session_close(made_up);
	return st;
}
