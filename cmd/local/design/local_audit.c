/* sotto local audit: tries to prove that reports leak more than is stated. */
#include "local/design/local_audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/table.h"

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

/* The two inputs: as the command line names them, or chosen. */
static enum outcome choose_inputs(const struct invocation *call,
				  const struct sotto_client_params *p,
				  struct audit_input inputs[2], struct sotto_error *err)
{
	if (call->operands.count == 1) {
		audit_inputs_choose(p, inputs);
		return OUTCOME_DONE;
	}
	for (int side = 0; side < 2; side++) {
		const char *text = call->operands.items[1 + side];

		inputs[side] = (struct audit_input){.text = text};
		if (sotto_client_takes_number(p) &&
		    !local_number(text, strlen(text), &inputs[side].number))
			return complaint_usage(err, "this collection takes numbers");
	}
	return OUTCOME_DONE;
}

static enum outcome audit_own(const struct invocation *call,
			      const struct sotto_client_params *p, double alpha,
			      struct audit_found *out, struct sotto_error *err)
{
	const struct audit_settings *s = call->settings;
	struct audit_input inputs[2];
	enum outcome outcome = choose_inputs(call, p, inputs, err);
	struct sotto_rng *rng = NULL;
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	st = sotto_rng_open(&rng);
	if (st == SOTTO_OK)
		st = audit_encoder(p, inputs, s->trials.value, alpha, rng, &out->proved);
	sotto_rng_close(rng);
	out->trials = s->trials.value;
	for (int side = 0; side < 2; side++)
		out->inputs[side] =
			sotto_client_takes_number(p)
				? memory_text("%llu", (unsigned long long)inputs[side].number)
				: memory_copy_text(inputs[side].text);
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

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct audit_settings *s = call->settings;
	double alpha = sotto_rational_double_down(&s->alpha.value), stated = INFINITY;
	bool has_params = call->operands.count > 0;
	struct audit_found found = {.proved = 0};
	struct sotto_client_params params;
	enum sotto_status st;
	enum outcome outcome = OUTCOME_DONE;

	if (alpha < AUDIT_ALPHA_MIN)
		return complaint_refuse(err, "--alpha must be at least %g", AUDIT_ALPHA_MIN);
	if (has_params == s->epsilon.given || (!has_params && !s->reports) ||
	    call->operands.count == 2 || (s->reports && call->operands.count > 1))
		return complaint_usage(err, "give PARAMS, or two values as well, or --reports "
					    "with PARAMS or --epsilon");
	if (has_params)
		outcome = local_read_params(call->operands.items[0], &params, err);
	if (outcome == OUTCOME_DONE && has_params) {
		st = audit_stated(&params, &stated);
		outcome = st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
	}
	if (s->epsilon.given)
		stated = sotto_rational_double_up(&s->epsilon.value);
	if (outcome == OUTCOME_DONE)
		outcome = s->reports ? audit_reports(s->reports, has_params ? &params : NULL,
						     alpha, &found, err)
				     : audit_own(call, &params, alpha, &found, err);
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
