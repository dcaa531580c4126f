/* sotto local audit: tries to prove that reports leak more than is stated. */
#include "local/design/local_audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/table.h"

enum { PILOT_MIN = 2000 }; /* reports of each input on which the event is chosen */

struct audit_settings {
	struct option_count trials;
	struct option_rational alpha, epsilon;
	const char *reports;
};

static const struct option options[] = {
	{.name = "trials",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "100000",
	 .help = "number of reports of each of the two values",
	 .offset = offsetof(struct audit_settings, trials)},
	{.name = "alpha",
	 .argument = "A",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_INSIDE_UNIT,
	 .fallback = "0.01",
	 .help = "probability of a false alarm, for an encoder that keeps its epsilon",
	 .offset = offsetof(struct audit_settings, alpha)},
	{.name = "reports",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "judge these reports of another encoder: CSV with value,report",
	 .offset = offsetof(struct audit_settings, reports)},
	{.name = "epsilon",
	 .letter = 'e',
	 .argument = "E",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_POSITIVE,
	 .help = "with --reports and without PARAMS: the epsilon that the encoder states",
	 .offset = offsetof(struct audit_settings, epsilon)},
	OPTIONS_END};

/* ---- our own encoder ---- */

/* An input: a number, or its letters where the collection takes strings. */
struct subject {
	const char *text;
	uint64_t number;
};

struct trial {
	struct sotto_client_params params;
	struct sotto_rng *rng;
	struct subject inputs[2];
	uint8_t *report;
	size_t stride;
};

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

/* One report of a new device. */
static enum sotto_status speak(struct trial *t, const struct subject *input)
{
	uint8_t key[32];
	struct sotto_client_secrets secrets = {
		.key = key, .fill = fill_from_rng, .context = t->rng};
	struct sotto_client c;
	size_t used;
	enum sotto_status st = sotto_rng_fill(t->rng, key, sizeof key);

	if (st == SOTTO_OK)
		st = sotto_client_init(&c, &t->params, &secrets);
	if (st != SOTTO_OK)
		return st;
	if (sotto_client_takes_number(&t->params))
		return sotto_client_encode_number(&c, input->number, t->report, t->stride,
						  &used);
	return sotto_client_encode(&c, input->text, strlen(input->text), t->report, t->stride,
				   &used);
}

static double fit(const struct trial *t, const struct subject *input)
{
	return sotto_local_likelihood(&t->params, input->number, input->text,
				      strlen(input->text), t->report);
}

static enum sotto_status sample(struct trial *t, size_t count, struct audit_scores *out)
{
	enum sotto_status st = SOTTO_OK;

	audit_scores_init(out, count);
	for (size_t i = 0; i < count && st == SOTTO_OK; i++)
		for (int side = 0; side < 2 && st == SOTTO_OK; side++) {
			st = speak(t, &t->inputs[side]);
			if (st == SOTTO_OK)
				out->of[side][i] =
					fit(t, &t->inputs[0]) - fit(t, &t->inputs[1]);
		}
	return st;
}

static enum sotto_status
prove(struct trial *t, size_t trials, double alpha, struct audit_found *out)
{
	size_t pilot = trials / 10 > PILOT_MIN ? trials / 10 : PILOT_MIN;
	struct audit_scores s;
	struct audit_event event = {.favours = 0};
	double ignored;
	enum sotto_status st = sample(t, pilot, &s);

	if (st == SOTTO_OK)
		event = audit_choose(&s, trials, alpha, &ignored);
	audit_scores_release(&s);
	if (st == SOTTO_OK) {
		st = sample(t, trials, &s);
		if (st == SOTTO_OK)
			out->proved = audit_try(&s, event, alpha);
		audit_scores_release(&s);
	}
	out->trials = trials;
	return st;
}

/* Numbers that reports tell apart best: both ends of a mean, two of one Hadamard block. */
static void choose_numbers(const struct sotto_client_params *p, struct subject inputs[2])
{
	inputs[0].number = 0;
	inputs[1].number = p->size ? p->size - 1 : 0;
	if (p->protocol == SOTTO_CLIENT_HR && p->groups < p->size)
		inputs[1].number = p->groups;
	if (p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN)
		inputs[1].number = p->size;
}

/* The two inputs: as the command line names them, or chosen. */
static enum outcome
choose_inputs(const struct invocation *call, struct trial *t, struct sotto_error *err)
{
	bool numbers = sotto_client_takes_number(&t->params);

	t->inputs[0].text = "aaaa"; /* different in every part that a protocol may look at */
	t->inputs[1].text = "bbbb";
	if (call->operands.count == 1) {
		if (numbers)
			choose_numbers(&t->params, t->inputs);
		return OUTCOME_DONE;
	}
	for (int side = 0; side < 2; side++) {
		const char *text = call->operands.items[1 + side];

		t->inputs[side].text = text;
		if (numbers && !local_number(text, strlen(text), &t->inputs[side].number))
			return complaint_usage(err, "this collection takes numbers");
	}
	return OUTCOME_DONE;
}

static enum outcome audit_own(const struct invocation *call, struct trial *t, double alpha,
			      struct audit_found *out, struct sotto_error *err)
{
	const struct audit_settings *s = call->settings;
	enum outcome outcome = choose_inputs(call, t, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	t->stride = sotto_client_report_bytes(&t->params);
	t->report = memory_new(t->stride, 1);
	st = sotto_rng_open(&t->rng);
	if (st == SOTTO_OK)
		st = prove(t, s->trials.value, alpha, out);
	sotto_rng_close(t->rng);
	free(t->report);
	for (int side = 0; side < 2; side++)
		out->inputs[side] =
			sotto_client_takes_number(&t->params)
				? memory_text("%llu",
					      (unsigned long long)t->inputs[side].number)
				: memory_copy_text(t->inputs[side].text);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

/* ---- the command ---- */

/* stated is INFINITY if nothing is. */
static enum outcome print(const struct audit_found *f, double stated,
			  const struct invocation *call, struct sotto_error *err)
{
	static const struct column columns[] = {
		{"inputs", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"trials", "trials on each", COLUMN_INTEGER, ALIGN_BY_KIND},
		{"stated", "epsilon stated", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"proved", "epsilon proved", COLUMN_NUMBER, ALIGN_BY_KIND}};
	char *inputs = memory_text("%s or %s", f->inputs[0], f->inputs[1]);
	struct table table;

	table_init(&table, columns, 4);
	table_add_text(&table, inputs);
	table_add_integer(&table, (int64_t)f->trials);
	table_add_double(&table, stated, 8);
	table_add_double(&table, f->proved, 8);
	table_print(&table, call->format, call->out);
	table_release(&table);
	free(inputs);
	return f->proved <= stated
		       ? OUTCOME_DONE
		       : complaint_refuse(err, "the reports leak more than is stated");
}

/* What a report of the collection costs. */
static enum outcome
state(const struct sotto_client_params *p, double *out, struct sotto_error *err)
{
	struct sotto_local_privacy privacy;
	enum sotto_status st;

	sotto_local_privacy_init(&privacy);
	st = sotto_local_privacy_state(p, 1, &privacy);
	*out = privacy.report;
	sotto_local_privacy_release(&privacy);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct audit_settings *s = call->settings;
	double alpha = sotto_rational_double_down(&s->alpha.value), stated = INFINITY;
	bool has_params = call->operands.count > 0;
	struct audit_found found = {.proved = 0};
	struct trial t = {.stride = 0};
	enum outcome outcome = OUTCOME_DONE;

	if (has_params == s->epsilon.given || (!has_params && !s->reports) ||
	    call->operands.count == 2 || (s->reports && call->operands.count > 1))
		return complaint_usage(err, "give PARAMS, or two values as well, or --reports "
					    "with PARAMS or --epsilon");
	if (has_params)
		outcome = local_read_params(call->operands.items[0], &t.params, err);
	if (outcome == OUTCOME_DONE && has_params)
		outcome = state(&t.params, &stated, err);
	if (s->epsilon.given)
		stated = sotto_rational_double_up(&s->epsilon.value);
	if (outcome == OUTCOME_DONE)
		outcome = s->reports ? audit_reports(s->reports, has_params ? &t.params : NULL,
						     alpha, &found, err)
				     : audit_own(call, &t, alpha, &found, err);
	if (outcome == OUTCOME_DONE)
		outcome = print(&found, stated, call, err);
	audit_found_release(&found);
	return outcome;
}

const struct command command_local_audit = {
	.name = "audit",
	.summary = "try to prove that reports leak more than is stated",
	.usage = "[OPTION]... PARAMS [VALUE VALUE]\n"
		 "--reports FILE [OPTION]... PARAMS\n"
		 "--reports FILE --epsilon E [OPTION]...",
	.details = "Encodes two values many times, and looks for the reports that tell them "
		   "apart\n"
		   "best.  The result is a proved lower bound on epsilon.  The exit status is "
		   "1 if\n"
		   "it is greater than the stated epsilon.  With --reports, the command judges "
		   "the\n"
		   "reports of another encoder.",
	.options = options,
	.settings_size = sizeof(struct audit_settings),
	.operands_max = 3,
	.prints_results = true,
	.waits = "auditing",
	.run = run,
};
