/* Puts a question of a connection in line and waits for its reply. */
#include "server/wire/wire_ask.h"

#include <pthread.h>
#include <stdio.h>

#include "central/session/session.h"
#include "core/base/failure.h"
#include "core/base/steady.h"
#include "core/base/steady_wait.h"

/* How long a client that hung up is not noticed, in nanoseconds. */
enum { MOMENT = 100000000 };

struct asking {
	const struct sotto_wire_question *q;
	struct sotto_wire_reply *reply;
	pthread_mutex_t lock;
	pthread_cond_t change;
	enum sotto_status status;
	bool done;
	bool was_cancelled;
	bool pass_on; /* it has to wait in the line of questions */
};

static struct sotto_question question_of(const struct sotto_wire_question *q)
{
	return (struct sotto_question){.sql = q->sql,
				       .parameters = q->parameters,
				       .parameter_count = q->parameter_count,
				       .analyst = q->person->name,
				       .epsilon = q->epsilon,
				       .delta = q->delta,
				       .error = q->error,
				       .diagnostics = q->diagnostics,
				       .mechanism = q->mechanism,
				       .weights = q->weights,
				       .weight_count = q->weight_count,
				       .fresh = q->fresh};
}

static enum sotto_status
left_of(struct sotto_session *s, const char *name, struct sotto_wire_reply *r)
{
	enum sotto_status st = sotto_session_enter(s, &r->error);

	if (st != SOTTO_OK)
		return st;
	st = sotto_session_left(s, name, &r->epsilon_left, &r->delta_left, &r->error);
	sotto_session_leave(s);
	return st;
}

/* About the catalog, or about data; what is about neither the catalog answers if it can. */
static enum sotto_status look_into_catalog(struct sotto_session *s, struct asking *a,
					   const struct sotto_question *question, bool *done)
{
	const struct sotto_catalog_who who = {
		.name = a->q->person->name, .database = a->q->database, .number = a->q->number};
	struct sotto_wire_reply *r = a->reply;
	enum sotto_catalog_about about = sotto_catalog_about(question->sql);
	enum sotto_status st;

	*done = true;
	if (about == SOTTO_ABOUT_BOTH)
		return sotto_fail(
			&r->error, SOTTO_EREFUSED,
			"tables and the catalog cannot be asked about in one question");
	if (about != SOTTO_ABOUT_DATA) {
		st = sotto_catalog_ask(s, question, &who, &r->catalog, &r->error);
		if (st != SOTTO_EREFUSED || about == SOTTO_ABOUT_CATALOG)
			return st;
	}
	*done = false;
	r->error.text[0] = '\0';
	return SOTTO_OK;
}

/* Quick work: explains; answers what was answered before, and what is in the catalog. */
static enum sotto_status look(struct sotto_session *s, struct asking *a)
{
	struct sotto_question question = question_of(a->q);
	struct sotto_wire_reply *r = a->reply;
	bool done = false;

	SOTTO_TRY(sotto_work_admit(s, a->q->person, &r->error));
	if (a->q->want == SOTTO_WANT_BUDGET)
		return left_of(s, a->q->person->name, r);
	if (a->q->asks_catalog)
		SOTTO_TRY(look_into_catalog(s, a, &question, &done));
	if (done)
		return SOTTO_OK;
	SOTTO_TRY(sotto_session_explain(s, &question, &r->explanation, &r->error));
	if (a->q->want == SOTTO_WANT_EXPLANATION)
		return SOTTO_OK;
	if (question.fresh || !r->explanation->repeated) {
		a->pass_on = true;
		return SOTTO_OK;
	}
	return sotto_session_query(s, &question, &r->answer, &r->error);
}

static enum sotto_status pay(struct sotto_session *s, struct asking *a)
{
	struct sotto_question question = question_of(a->q);

	a->was_cancelled = atomic_load(a->q->cancelled);
	if (a->was_cancelled)
		return sotto_fail(&a->reply->error, SOTTO_ESTATE,
				  "the question was cancelled before it was charged");
	SOTTO_TRY(sotto_work_admit(s, a->q->person, &a->reply->error));
	return sotto_session_query(s, &question, &a->reply->answer, &a->reply->error);
}

/* A failure in the words for whoever asked; closed: no session could be opened. */
static void tell(struct asking *a, enum sotto_status st, const struct sotto_error *closed)
{
	const struct sotto_asker asker = {
		.person = a->q->person, .policy = a->q->policy, .door = SOTTO_DOOR_WIRE};
	struct sotto_error told;

	if (closed)
		sotto_work_tell_closed(&asker, closed, &told);
	else
		sotto_work_tell(&asker, st, &a->reply->error, &told);
	a->reply->error = told;
}

static void keep(struct asking *a, enum sotto_status st, const struct sotto_error *closed)
{
	if (st != SOTTO_OK && !a->was_cancelled)
		tell(a, st, closed);
	a->status = st;
}

static void run_look(struct sotto_session *s, void *context, const struct sotto_error *why)
{
	keep(context, s ? look(s, context) : SOTTO_ESTATE, s ? NULL : why);
}

static void run_pay(struct sotto_session *s, void *context, const struct sotto_error *why)
{
	keep(context, s ? pay(s, context) : SOTTO_ESTATE, s ? NULL : why);
}

static void finish(void *context)
{
	struct asking *a = context;

	pthread_mutex_lock(&a->lock);
	a->reply->status = a->status;
	a->done = true;
	pthread_cond_signal(&a->change);
	pthread_mutex_unlock(&a->lock);
}

static void wait_in_line(struct sotto_work_queue *work, struct asking *a, enum sotto_lane lane,
			 sotto_work_fn run)
{
	const struct sotto_work_job job = {
		.name = a->q->person->name, .work = run, .done = finish, .context = a};
	enum sotto_status st;

	a->done = false;
	st = sotto_work_add(work, lane, &job);
	if (st != SOTTO_OK) {
		a->reply->status = sotto_fail(&a->reply->error, SOTTO_ESTATE,
					      "too much is waiting; try again in a moment");
		return;
	}
	pthread_mutex_lock(&a->lock);
	while (!a->done) {
		sotto_steady_wait(&a->change, &a->lock, MOMENT);
		if (a->q->is_gone && a->q->is_gone(a->q->client))
			atomic_store(a->q->cancelled, true);
	}
	pthread_mutex_unlock(&a->lock);
}

void sotto_wire_ask(struct sotto_work_queue *work, const struct sotto_wire_question *q,
		    struct sotto_wire_reply *out)
{
	struct asking a = {.q = q, .reply = out};
	uint64_t begin = sotto_steady_now();

	*out = (struct sotto_wire_reply){.status = SOTTO_OK};
	sotto_rational_init(&out->epsilon_left);
	sotto_rational_init(&out->delta_left);
	pthread_mutex_init(&a.lock, NULL);
	sotto_steady_condition(&a.change);
	wait_in_line(work, &a, SOTTO_LANE_QUICK, run_look);
	if (out->status == SOTTO_OK && a.pass_on)
		wait_in_line(work, &a, SOTTO_LANE_QUESTION, run_pay);
	out->cancelled = a.was_cancelled;
	if (out->status == SOTTO_OK && out->answer && !out->answer->repeated)
		sotto_work_count_charge(work);
	sotto_work_count_reply(work, SOTTO_DOOR_WIRE, sotto_steady_now() - begin);
	pthread_cond_destroy(&a.change);
	pthread_mutex_destroy(&a.lock);
}

void sotto_wire_reply_release(struct sotto_wire_reply *r)
{
	sotto_answer_free(r->answer);
	sotto_explanation_free(r->explanation);
	sotto_catalog_answer_release(&r->catalog);
	sotto_rational_release(&r->epsilon_left);
	sotto_rational_release(&r->delta_left);
	*r = (struct sotto_wire_reply){0};
}
