/* Questions over HTTP: query and explain. */
#include "server/route/route_ask.h"

#include <math.h>
#include <stdlib.h>

#include "central/session/session.h"
#include "server/http/http_inside.h"
#include "server/http/http_request.h"
#include "server/http/http_work.h"
#include "server/http/reply_document.h"

enum { WEIGHTS_MAX = 64 };

/* A question with numbers of its own. */
struct asked {
	struct sotto_question question;
	struct sotto_rational epsilon, delta, error, diagnostics;
	struct sotto_column_weight weights[WEIGHTS_MAX];
};

static void asked_release(struct asked *a)
{
	sotto_rational_release(&a->epsilon);
	sotto_rational_release(&a->delta);
	sotto_rational_release(&a->error);
	sotto_rational_release(&a->diagnostics);
}

/* False with a reply. */
static bool read_number(struct sotto_request *r, const char *key, struct sotto_rational *value,
			const struct sotto_rational **out)
{
	bool given;

	if (!sotto_request_rational(r, key, value, &given))
		return false;
	*out = given ? value : NULL;
	return true;
}

/* {"visits": 3}: how much columns matter; false with a reply. */
static bool read_weights(struct sotto_request *r, struct asked *a)
{
	json_t *given = json_object_get(r->json, "weights"), *weight;
	const char *column;

	if (!given || json_is_null(given))
		return true;
	a->question.weights = a->weights;
	json_object_foreach(given, column, weight)
	{
		if (!json_is_integer(weight) || json_integer_value(weight) < 1 ||
		    json_integer_value(weight) > 1000 ||
		    a->question.weight_count == WEIGHTS_MAX)
			break;
		a->weights[a->question.weight_count++] = (struct sotto_column_weight){
			.column = column, .weight = (unsigned)json_integer_value(weight)};
	}
	if (json_is_object(given) && json_object_size(given) == a->question.weight_count)
		return true;
	sotto_reply_problem(
		r, MHD_HTTP_BAD_REQUEST, "bad-weights",
		"weights must be an object of at most 64 columns with whole numbers "
		"from 1 to 1000, like {\"visits\": 3}");
	return false;
}

static bool read_question(struct sotto_request *r, struct asked *a)
{
	struct sotto_question *q = &a->question;

	sotto_rational_init(&a->epsilon);
	sotto_rational_init(&a->delta);
	sotto_rational_init(&a->error);
	sotto_rational_init(&a->diagnostics);
	*q = (struct sotto_question){.sql = sotto_request_text(r, "sql"),
				     .analyst = r->person.name,
				     .mechanism = sotto_request_text(r, "mechanism"),
				     .fresh = sotto_request_flag(r, "fresh")};
	if (!q->sql) {
		sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "no-sql",
				    "the body needs a member sql with the question");
		return false;
	}
	return read_number(r, "epsilon", &a->epsilon, &q->epsilon) &&
	       read_number(r, "delta", &a->delta, &q->delta) &&
	       read_number(r, "error", &a->error, &q->error) &&
	       read_number(r, "diagnostics", &a->diagnostics, &q->diagnostics) &&
	       read_weights(r, a);
}

/* ---- an answer ------------------------------------------------------------------------------- */

static void write_columns(struct sotto_json *j, const struct sotto_answer *a)
{
	sotto_json_key(j, "columns");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < a->column_count; i++) {
		sotto_json_open(j, '{');
		sotto_json_member_text(j, "name", a->columns[i].name);
		sotto_json_member_text(j, "type", a->columns[i].type);
		sotto_json_member_bool(j, "noisy", a->columns[i].noisy);
		sotto_json_member_bool(j, "biased", a->columns[i].biased);
		sotto_json_member_text(j, "interval",
				       a->columns[i].noisy ? "noise only" : NULL);
		sotto_json_close(j, '}');
	}
	sotto_json_close(j, ']');
}

static void write_amounts(struct sotto_json *j, const char *key, bool spent,
			  const struct sotto_rational *epsilon,
			  const struct sotto_rational *delta)
{
	void (*amount)(struct sotto_json *, const char *, const struct sotto_rational *) =
		spent ? sotto_json_spent : sotto_json_left;

	sotto_json_key(j, key);
	sotto_json_open(j, '{');
	amount(j, "epsilon", epsilon);
	amount(j, "delta", delta);
	sotto_json_close(j, '}');
}

/* How many more questions like this one fit; null: it is free. */
static void write_fits(struct sotto_json *j, uint64_t fits)
{
	sotto_json_key(j, "fits");
	if (fits == UINT64_MAX)
		sotto_json_null(j);
	else
		sotto_json_integer(j, fits > INT64_MAX ? INT64_MAX : (int64_t)fits);
}

/* A text of the library in the words of this door. */
static void write_words(struct sotto_json *j, const char *text)
{
	char *words = sotto_work_words(SOTTO_DOOR_HTTP, text);

	sotto_json_text(j, words);
	free(words);
}

static void write_answer(struct sotto_request *r, const struct sotto_answer *a)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);
	const struct sotto_document d = sotto_reply_document(j);

	sotto_json_open(j, '{');
	write_columns(j, a);
	sotto_answer_write_rows(a, &d);
	write_amounts(j, "cost", true, &a->epsilon, &a->delta);
	write_amounts(j, "left", false, &a->epsilon_left, &a->delta_left);
	write_fits(j, a->fits);
	sotto_json_member_bool(j, "repeated", a->repeated);
	sotto_json_member_bool(j, "data_changed", a->data_changed);
	sotto_json_member_bool(j, "made_up", a->made_up);
	sotto_json_member_text(j, "mechanism", a->mechanism);
	sotto_limits_write(a->limits, a->limits_count, "limits", &d);
	sotto_json_key(j, "notes");
	sotto_json_open(j, '[');
	for (size_t i = 0; sotto_answer_sentence(a, i); i++)
		write_words(j, sotto_answer_sentence(a, i));
	sotto_json_close(j, ']');
	sotto_json_close(j, '}');
}

typedef enum sotto_status ask_fn(struct sotto_session *, const struct sotto_question *,
				 struct sotto_answer **, struct sotto_error *);

static void reply_with(struct sotto_request *r, struct sotto_session *s, ask_fn *ask)
{
	struct sotto_answer *answer = NULL;
	struct sotto_error err = {""};
	struct asked asked;
	enum sotto_status st;

	if (read_question(r, &asked) && sotto_request_admit(r, s)) {
		st = ask(s, &asked.question, &answer, &err);
		if (st == SOTTO_OK && !answer->repeated && !answer->made_up)
			sotto_work_count_charge(r->http->options.work);
		if (st == SOTTO_OK)
			write_answer(r, answer);
		else
			sotto_reply_failure(r, st, &err);
	}
	sotto_answer_free(answer);
	asked_release(&asked);
}

static void answer(struct sotto_request *r, struct sotto_session *s)
{
	reply_with(r, s, sotto_session_query);
}

static void preview(struct sotto_request *r, struct sotto_session *s)
{
	reply_with(r, s, sotto_session_preview);
}

/* ---- query: a repeat is quick, anything else waits in line ------------------------------------ */

static bool is_repeat(struct sotto_session *s, const struct sotto_question *q)
{
	struct sotto_explanation *x = NULL;
	bool repeated =
		!q->fresh && sotto_session_explain(s, q, &x, NULL) == SOTTO_OK && x->repeated;

	sotto_explanation_free(x);
	return repeated;
}

void sotto_route_query(struct sotto_request *r, struct sotto_session *s)
{
	struct asked asked;
	bool quick = false;

	if (!read_question(r, &asked) || !sotto_request_admit(r, s)) {
		asked_release(&asked);
		return;
	}
	quick = is_repeat(s, &asked.question);
	asked_release(&asked);
	if (quick)
		answer(r, s);
	else
		sotto_http_pass_on(r, SOTTO_LANE_QUESTION, answer);
}

/* ---- explain ---------------------------------------------------------------------------------- */

static void write_error(struct sotto_json *j, const char *name, double error)
{
	sotto_json_key(j, name);
	if (isnan(error))
		sotto_json_null(j);
	else
		sotto_json_double(j, error);
}

static void write_measure(struct sotto_json *j, const struct sotto_explained_column *c)
{
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "name", c->name);
	sotto_json_member_text(j, "type", c->type);
	sotto_json_member_bool(j, "noisy", c->noisy);
	write_error(j, "error", c->error);
	write_error(j, "error_times_count", c->error_times_count);
	write_error(j, "typical_error", c->typical_error);
	sotto_json_close(j, '}');
}

static void write_lines(struct sotto_json *j, const struct sotto_explanation *x)
{
	sotto_json_key(j, "lines");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < x->count; i++) {
		sotto_json_open(j, '{');
		sotto_json_member_text(j, "section", x->lines[i].section);
		sotto_json_member_text(j, "name", x->lines[i].name);
		sotto_json_key(j, "text");
		write_words(j, x->lines[i].text);
		sotto_json_close(j, '}');
	}
	sotto_json_close(j, ']');
}

static void write_explanation(struct sotto_request *r, const struct sotto_explanation *x)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);
	const struct sotto_document d = sotto_reply_document(j);

	sotto_json_open(j, '{');
	sotto_json_key(j, "columns");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < x->column_count; i++)
		write_measure(j, &x->columns[i]);
	sotto_json_close(j, ']');
	sotto_json_member_integer(j, "typical_group", x->typical_group);
	sotto_json_member_text(j, "mechanism", x->mechanism);
	write_amounts(j, "cost", true, &x->epsilon, &x->delta);
	write_amounts(j, "left", false, &x->epsilon_left, &x->delta_left);
	write_fits(j, x->fits);
	sotto_json_member_bool(j, "affordable", x->affordable);
	sotto_json_member_bool(j, "repeated", x->repeated);
	sotto_json_member_bool(j, "assumes_limits", x->assumes_limits);
	sotto_limits_write(x->limits, x->limits_count, "limits", &d);
	write_lines(j, x);
	sotto_json_close(j, '}');
}

void sotto_route_explain(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_explanation *x = NULL;
	struct sotto_error err = {""};
	struct asked asked;
	enum sotto_status st;

	if (sotto_request_flag(r, "preview")) { /* takes the engine as long as a question */
		sotto_http_pass_on(r, SOTTO_LANE_QUESTION, preview);
		return;
	}
	if (read_question(r, &asked) && sotto_request_admit(r, s)) {
		st = sotto_session_explain(s, &asked.question, &x, &err);
		if (st == SOTTO_OK)
			write_explanation(r, x);
		else
			sotto_reply_failure(r, st, &err);
	}
	sotto_explanation_free(x);
	asked_release(&asked);
}
