/* What sotto account prints: for people, as CSV, as JSON. */
#include "account/account_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/json.h"
#include "show/number_text.h"
#include "show/table.h"

/* An infinity, such as the log of 0, is not a number in JSON: null */
static void write_finite(struct json_writer *j, const char *key, double x)
{
	json_key(j, key);
	if (isinf(x))
		json_write_null(j);
	else
		json_write_double(j, x);
}

static void write_tags(struct json_writer *j, const struct sotto_account_answer *a)
{
	json_member_text(j, "adaptivity", sotto_adaptivity_name(a->adaptivity));
	json_member_text(j, "neighbours", sotto_neighbours_name(a->neighbours));
	if (a->method == SOTTO_PLD)
		json_member_text(j, "kind", a->exact_pair ? "exact" : "upper bound");
	if ((a->method == SOTTO_RDP || a->method == SOTTO_ZCDP) && a->finite &&
	    isfinite(a->order) && a->order > 0)
		json_member_double(j, "alpha", 1 + a->order);
}

static void write_null_answer(struct json_writer *j, const struct sotto_account_answer *a,
			      const char *quantity)
{
	json_key(j, quantity);
	json_write_null(j);
	json_member_text(j, "reason", a->reason);
}

static void write_epsilon(struct json_writer *j, const struct sotto_account_answer *a)
{
	if (!a->finite && a->method == SOTTO_PLD) {
		json_key(j, "epsilon_lower");
		json_write_null(j);
		write_null_answer(j, a, "epsilon_upper");
	} else if (!a->finite) {
		write_null_answer(j, a, "epsilon");
	} else if (a->method == SOTTO_PLD) {
		json_member_double(j, "epsilon_lower", a->lower);
		json_member_double(j, "epsilon_upper", a->upper);
	} else {
		json_member_double(j, "epsilon", a->upper);
	}
}

static void write_delta(struct json_writer *j, const struct sotto_account_answer *a)
{
	if (!a->finite && a->method == SOTTO_PLD) {
		json_key(j, "delta_lower");
		json_write_null(j);
		write_null_answer(j, a, "delta_upper");
	} else if (!a->finite) {
		write_null_answer(j, a, "delta");
	} else if (a->method == SOTTO_PLD) {
		json_member_double(j, "delta_lower", a->lower);
		json_member_double(j, "delta_upper", a->upper);
		write_finite(j, "log_delta_lower", a->log_lower);
		write_finite(j, "log_delta_upper", a->log_upper);
	} else {
		json_member_double(j, "delta", a->upper);
		write_finite(j, "log_delta", a->log_upper);
	}
}

static void write_best(struct json_writer *j, const struct account_result *r)
{
	const struct sotto_account_answer *best = &r->answers[r->best];

	json_key(j, "best");
	json_open_record(j);
	if (!best->finite) {
		write_null_answer(j, best, r->of_delta ? "delta" : "epsilon");
	} else {
		json_member_double(j, r->of_delta ? "delta" : "epsilon", best->upper);
		if (r->of_delta)
			write_finite(j, "log_delta", best->log_upper);
		json_member_text(j, "method", sotto_method_name(r->best));
		json_member_text(j, "adaptivity", sotto_adaptivity_name(best->adaptivity));
	}
	json_close_object(j);
}

static void write_range(struct json_writer *j, const struct sotto_bounded_range *range)
{
	json_key(j, "bounded_range");
	json_open_record(j);
	json_member_double(j, "nonadaptive", range->nonadaptive);
	json_member_double(j, "adaptive", range->adaptive);
	json_member_double(j, "closed_form", range->closed_form);
	json_close_object(j);
}

static void write_shuffle(struct json_writer *j, const struct account_result *r)
{
	json_key(j, "shuffle_closed_form");
	json_open_record(j);
	write_finite(j, "clone", r->shuffle_clone);
	write_finite(j, "blanket", r->shuffle_blanket);
	json_close_object(j);
}

/* One event of the workload alone, and what its repetitions add up to. */
struct share {
	char *text;
	uint64_t count;
	struct sotto_totals totals;
};

static bool price_share(const struct sotto_workload *w, size_t i, struct share *share)
{
	const struct sotto_event *e = sotto_workload_at(w, i, &share->count);
	struct sotto_workload *alone = NULL;
	bool ok = sotto_event_format(e, &share->text) == SOTTO_OK;

	if (!ok)
		return false;
	ok = sotto_workload_new(&alone) == SOTTO_OK &&
	     sotto_workload_add(alone, e, share->count, NULL) == SOTTO_OK &&
	     sotto_account_totals(alone, sotto_workload_size(w), &share->totals) == SOTTO_OK;
	sotto_workload_free(alone);
	if (!ok)
		free(share->text);
	return ok;
}

static void write_events(struct json_writer *j, const struct sotto_workload *w)
{
	struct share share;

	json_key(j, "events");
	json_open_array(j);
	for (size_t i = 0; i < sotto_workload_size(w); i++) {
		if (!price_share(w, i, &share))
			continue;
		json_open_record(j);
		json_member_text(j, "event", share.text);
		json_member_integer(j, "count", (int64_t)share.count);
		write_finite(j, "epsilon", share.totals.epsilon);
		json_member_double(j, "delta", share.totals.delta);
		write_finite(j, "rho", share.totals.rho);
		json_close_object(j);
		free(share.text);
	}
	json_close_array(j);
}

static void print_json(const struct invocation *call, const struct account_result *r,
		       const struct sotto_workload *w)
{
	const struct account_settings *s = call->settings;
	struct json_writer j;

	json_begin(&j, call->out);
	json_open_object(&j);
	for (int m = 0; m < SOTTO_METHODS; m++) {
		const struct sotto_account_answer *a = &r->answers[m];

		json_key(&j, sotto_method_name(a->method));
		json_open_record(&j);
		if (r->of_delta)
			write_delta(&j, a);
		else
			write_epsilon(&j, a);
		write_tags(&j, a);
		if (a->method == SOTTO_KOV && r->has_kov_closed)
			write_finite(&j, "closed_form", r->kov_closed);
		json_close_object(&j);
	}
	if (r->has_range)
		write_range(&j, &r->range);
	if (r->has_shuffle)
		write_shuffle(&j, r);
	write_best(&j, r);
	if (s->explain)
		write_events(&j, w);
	json_close_object(&j);
	json_end(&j);
}

static const char *holds_for(const struct sotto_account_answer *a)
{
	switch (a->adaptivity) {
	case SOTTO_NON_ADAPTIVE:
		return "queries fixed in advance";
	case SOTTO_FIXED_PARAMETERS:
		return "adaptive queries";
	case SOTTO_FULLY_ADAPTIVE:
		return "adaptive queries and parameters";
	}
	return "";
}

/*
 * A loss distribution that bounds its mechanisms (a group known only by its curve, the largest of
 * several cells) can cost more than they do.  Where another theorem shows that, its lower side
 * says nothing about them; JSON has it beside the kind "upper bound".
 */
static bool is_refuted(const struct sotto_account_answer *pld, const struct account_result *r)
{
	const struct sotto_account_answer *best = &r->answers[r->best];

	return !pld->exact_pair && best->finite &&
	       (r->of_delta ? pld->log_lower > best->log_upper : pld->lower > best->upper);
}

/* Ten digits are enough for people; all of them are in JSON and CSV. */
static void
add_sides(struct table *t, const struct sotto_account_answer *a, const struct account_result *r)
{
	if (a->finite && a->method == SOTTO_PLD && !is_refuted(a, r))
		table_add_double_down(t, a->lower, 10);
	else
		table_add_nothing(t);
	if (a->finite)
		table_add_double_up(t, a->upper, 10);
	else
		table_add_nothing(t);
}

static void print_answers(const struct invocation *call, const struct account_result *r)
{
	static const struct column of_epsilon[] = {
		{"method", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"epsilon_lower", "epsilon, at least", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"epsilon_upper", "at most", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"holds_for", "holds for", COLUMN_TEXT, ALIGN_BY_KIND},
		{"reason", "", COLUMN_TEXT, ALIGN_BY_KIND}};
	static const struct column of_delta[] = {
		{"method", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"delta_lower", "delta, at least", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"delta_upper", "at most", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"holds_for", "holds for", COLUMN_TEXT, ALIGN_BY_KIND},
		{"reason", "", COLUMN_TEXT, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, r->of_delta ? of_delta : of_epsilon, 5);
	for (int m = 0; m < SOTTO_METHODS; m++) {
		const struct sotto_account_answer *a = &r->answers[m];

		table_add_text(&t, sotto_method_name(a->method));
		add_sides(&t, a, r);
		table_add_text(&t, holds_for(a));
		table_add_text(&t, a->finite ? "" : a->reason);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static void print_events(const struct invocation *call, const struct sotto_workload *w)
{
	static const struct column columns[] = {
		{"event", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"count", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
		{"epsilon", "sum of loss bounds", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"delta", "delta", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"rho", "sum of rho", COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct share share;
	struct table t;

	table_init(&t, columns, 5);
	for (size_t i = 0; i < sotto_workload_size(w); i++) {
		if (!price_share(w, i, &share))
			continue;
		table_add_text(&t, share.text);
		table_add_integer(&t, (int64_t)share.count);
		if (isfinite(share.totals.epsilon))
			table_add_double_up(&t, share.totals.epsilon, 10);
		else
			table_add_nothing(&t);
		table_add_double_up(&t, share.totals.delta, 10);
		if (isfinite(share.totals.rho))
			table_add_double_up(&t, share.totals.rho, 10);
		else
			table_add_nothing(&t);
		free(share.text);
	}
	fputs("\n", call->out);
	table_print(&t, call->format, call->out);
	table_release(&t);
}

/* Upper bounds, rounded up; the optimum is not known for every workload. */
static void print_range(const struct sotto_bounded_range *range, FILE *out)
{
	char *fixed = number_text_rounded_up(range->nonadaptive, 10);
	char *adaptive = number_text_rounded_up(range->adaptive, 10);

	fputs("bounded range: epsilon ", out);
	if (isfinite(range->nonadaptive))
		fprintf(out, "%s for queries fixed in advance, ", fixed);
	fprintf(out, "%s for adaptive queries and parameters\n", adaptive);
	free(fixed);
	free(adaptive);
}

/* What else holds for the figures: not every event costs the same under both relations. */
static const char *relation_text(enum sotto_neighbours neighbours)
{
	switch (neighbours) {
	case SOTTO_ADD_REMOVE:
		return ", for one unit added or removed";
	case SOTTO_REPLACE:
		return ", for one unit replaced";
	default:
		return "";
	}
}

static void print_best(const struct invocation *call, const struct account_result *r)
{
	const struct sotto_account_answer *best = &r->answers[r->best];
	char *text;

	if (!best->finite)
		return;
	text = number_text_rounded_up(best->upper, 10);
	fprintf(command_notes(call), "best: %s %s by %s%s\n", r->of_delta ? "delta" : "epsilon",
		text, sotto_method_name(r->best), relation_text(best->neighbours));
	free(text);
	if (r->has_range && isfinite(r->range.closed_form)) /* else it is the row of zcdp */
		print_range(&r->range, call->err);
}

void account_print(const struct invocation *call, const struct account_result *result,
		   const struct sotto_workload *w)
{
	const struct account_settings *s = call->settings;

	if (call->format == FORMAT_JSON) {
		print_json(call, result, w);
		return;
	}
	print_answers(call, result);
	if (s->explain)
		print_events(call, w);
	if (call->format == FORMAT_TABLE)
		print_best(call, result);
}

void account_print_solution(const struct invocation *call,
			    const struct sotto_solution *solution)
{
	const struct account_settings *s = call->settings;
	static const struct column columns[] = {
		{"parameter", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"value", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"epsilon_upper", "epsilon, at most", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"method", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"within", "from the best by", COLUMN_NUMBER, ALIGN_BY_KIND}};
	/* more noise is on the safe side, and less of anything else */
	bool noise = strcmp(s->solve, "sigma") == 0 || strcmp(s->solve, "scale") == 0;
	double value = noise ? sotto_rational_double_up(&solution->value)
			     : sotto_rational_double_down(&solution->value);
	struct json_writer j;
	struct table t;

	if (call->format == FORMAT_JSON) {
		json_begin(&j, call->out);
		json_open_object(&j);
		json_member_text(&j, "parameter", s->solve);
		json_member_double(&j, "value", value);
		json_member_double(&j, "epsilon_upper", solution->answer.upper);
		json_member_text(&j, "method", sotto_method_name(solution->answer.method));
		write_finite(&j, "within", solution->within);
		json_close_object(&j);
		json_end(&j);
		return;
	}
	table_init(&t, columns, 5);
	table_add_text(&t, s->solve);
	if (noise)
		table_add_double_up(&t, value, 15);
	else
		table_add_double_down(&t, value, 15);
	table_add_double_up(&t, solution->answer.upper, 15);
	table_add_text(&t, sotto_method_name(solution->answer.method));
	if (isinf(solution->within))
		table_add_text(&t, "not known");
	else
		table_add_double_up(&t, solution->within, 2);
	table_print(&t, call->format, call->out);
	table_release(&t);
}
