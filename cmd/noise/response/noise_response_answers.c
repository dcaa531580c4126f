/* Answers of "sotto noise randomized-response": read, randomized and printed. */
#include "noise/response/noise_response.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "read/numbers.h"
#include "show/cost_text.h"
#include "show/json.h"
#include "show/number_text.h"
#include "show/table.h"
#include "show/terminal.h"

/* The probability that an answer is the true one, at best and at worst. */
static double keep_probability(const struct response *m)
{
	struct sotto_rational keep;
	double p;

	sotto_rational_init(&keep);
	if (m->by_coins) { /* the smaller of c + (1-c) y and c + (1-c) (1-y) */
		double truth = sotto_rational_double_down(&m->coins.truth),
		       yes = sotto_rational_double_down(&m->coins.yes);

		p = truth + (1 - truth) * (yes < 0.5 ? yes : 1 - yes);
	} else {
		sotto_kary_response_keep_down(m->kary, 64, &keep);
		p = sotto_rational_double_down(&keep);
	}
	sotto_rational_release(&keep);
	return p;
}

static enum sotto_status answer(const struct response *m, struct sotto_rng *rng,
				struct sotto_exact truth, struct sotto_noisy *out)
{
	return m->by_coins ? sotto_randomized_response_publish(&m->coins, rng, truth, out)
			   : sotto_kary_response_publish(m->kary, rng, truth, out);
}

/* yes and no become 1 and 0; anything else is left to the number reader. */
static const char *as_number(const char *operand)
{
	if (strcasecmp(operand, "yes") == 0)
		return "1";
	return strcasecmp(operand, "no") == 0 ? "0" : operand;
}

static enum outcome
read_truths(struct numbers *truths, const struct invocation *call, struct sotto_error *err)
{
	const struct response_settings *s = call->settings;
	const char **items = memory_new(call->operands.count, sizeof *items);
	struct operands operands = {.count = call->operands.count, .items = items};
	const struct number_source source = {s->csv, s->column, &operands, call->in};
	struct sotto_grid integers;
	enum outcome outcome;

	for (size_t i = 0; i < operands.count; i++)
		items[i] = as_number(call->operands.items[i]);
	sotto_grid_init(&integers);
	outcome = numbers_read(truths, &source, &integers, false, err);
	sotto_grid_release(&integers);
	free(items);
	return outcome;
}

static enum sotto_status
answer_all(const struct response *m, const struct numbers *truths, struct sotto_noisy *out)
{
	struct sotto_rng *rng = NULL;
	enum sotto_status st = sotto_rng_open(&rng);

	for (size_t i = 0; i < truths->count && st == SOTTO_OK; i++)
		st = answer(m, rng, truths->items[i], &out[i]);
	sotto_rng_close(rng);
	return st;
}

static void
write_answers(const struct response *m, const struct sotto_noisy *out, size_t n, FILE *to)
{
	struct json_writer json;

	json_begin(&json, to);
	json_open_object(&json);
	json_member_text(&json, "mechanism", "randomized-response");
	json_key(&json, "values");
	json_open_row(&json);
	for (size_t i = 0; i < n; i++)
		json_write_integer(&json, out[i].value);
	json_close_array(&json);
	cost_text_write(&json, &m->cost);
	json_key(&json, "accuracy");
	json_open_object(&json);
	json_member_double(&json, "true_answer", keep_probability(m));
	json_close_object(&json);
	json_close_object(&json);
	json_end(&json);
}

/* Then one of the two answers is true more often than the other. */
static bool is_uneven(const struct response *m)
{
	struct sotto_rational twice;
	double x;

	if (!m->by_coins)
		return false;
	sotto_rational_init(&twice);
	sotto_rational_scale(&twice, &m->coins.yes, 1);
	x = sotto_rational_double_down(&twice);
	sotto_rational_release(&twice);
	return x != 1;
}

static void print_statement(const struct response *m, FILE *out)
{
	char *keep = number_text_rounded(keep_probability(m), 6);

	fputs(terminal_dim(out), out);
	fputs("cost: ", out);
	cost_text_print(out, &m->cost);
	fprintf(out, " for each person\naccuracy: an answer is true with probability %s%s\n",
		is_uneven(m) ? "at least " : "", keep);
	fputs(terminal_plain(out), out);
	free(keep);
}

static enum outcome print_answers(const struct response *m, const struct numbers *truths,
				  const struct invocation *call, struct sotto_error *err)
{
	const struct response_settings *s = call->settings;
	struct sotto_noisy *out = memory_new(truths->count, sizeof *out);
	enum sotto_status st = answer_all(m, truths, out);

	if (st == SOTTO_OK && call->format == FORMAT_JSON) {
		write_answers(m, out, truths->count, call->out);
	} else if (st == SOTTO_OK) {
		if (call->format == FORMAT_CSV)
			fputs("value\n", call->out);
		for (size_t i = 0; i < truths->count; i++)
			if (m->k == 2 && call->format == FORMAT_TABLE)
				fputs(out[i].value ? "yes\n" : "no\n", call->out);
			else
				fprintf(call->out, "%" PRId64 "\n", out[i].value);
		if (!s->quiet)
			print_statement(m, command_notes(call));
	}
	free(out);
	if (st == SOTTO_EINVAL)
		return complaint_refuse(err, "each answer must be one of 0 .. %" PRIu64,
					m->k - 1);
	return st == SOTTO_OK ? OUTCOME_DONE
			      : complaint_refuse(err, "%s", sotto_status_text(st));
}

enum outcome response_publish(const struct response *m, const struct invocation *call,
			      struct sotto_error *err)
{
	struct numbers truths;
	enum outcome outcome = read_truths(&truths, call, err);

	if (outcome == OUTCOME_DONE)
		outcome = print_answers(m, &truths, call, err);
	numbers_release(&truths);
	return outcome;
}
