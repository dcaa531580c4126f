/* sotto noise randomized-response */
#include "noise/noise_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "read/numbers.h"
#include "show/cost_text.h"
#include "show/number_text.h"
#include "show/table.h"
#include "show/terminal.h"
#include "sotto/choose.h"

struct response_settings {
	struct option_rational p;
	struct option_rational coin;
	struct option_rational yes;
	struct option_rational r; /* of older versions, where --p was the first coin */
	struct option_rational epsilon;
	struct option_rational confidence;
	struct option_count k;
	const char *csv;
	const char *column;
	bool estimate;
	bool quiet;
};

#define OPTION(option_name, letter_, argument_, kind_, help_)                                  \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct response_settings, option_name)

static const struct option options[] = {
	{OPTION(p, 'p', "P", OPTION_RATIONAL,
		"an answer is true with probability P, which must be above 1/2"),
	 .range = RANGE_INSIDE_UNIT},
	{OPTION(coin, 0, "C", OPTION_RATIONAL,
		"two coins: the first tells you with probability C to answer truthfully"),
	 .range = RANGE_INSIDE_UNIT},
	{OPTION(yes, 0, "Y", OPTION_RATIONAL,
		"two coins: otherwise the second coin decides, yes with probability Y"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "1/2"},
	{OPTION(r, 'r', "R", OPTION_RATIONAL, "the same as --yes"), .hidden = true},
	{OPTION(epsilon, 'e', "E", OPTION_RATIONAL, "privacy parameter, instead of P"),
	 .range = RANGE_POSITIVE},
	{OPTION(k, 'k', "K", OPTION_COUNT,
		"with --epsilon: answers 0 .. K-1 instead of no, yes"),
	 .range = RANGE_POSITIVE, .fallback = "2"},
	{OPTION(estimate, 0, NULL, OPTION_FLAG,
		"the operands are counts of answers (no, yes, ...): estimate the truth")},
	{OPTION(confidence, 0, "C", OPTION_RATIONAL, "confidence of the intervals"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "0.95"},
	NUMBERS_OPTIONS(struct response_settings),
	{OPTION(quiet, 'q', NULL, OPTION_FLAG,
		"do not print cost and accuracy on standard error")},
	OPTIONS_END};

/* One of the two mechanisms: two coins, or k answers. */
struct response {
	bool by_coins;
	struct sotto_randomized_response coins;
	struct sotto_kary_response *kary; /* NULL if by coins */
	uint64_t k;
	struct sotto_cost cost;
};

static enum outcome
refuse(enum sotto_status st, const struct sotto_error *why, struct sotto_error *err)
{
	return complaint_refuse(err, "%s", why->text[0] ? why->text : sotto_status_text(st));
}

static enum outcome check_settings(const struct response_settings *s, struct sotto_error *err)
{
	if (s->r.given)
		return complaint_usage(err,
				       "--p is now the probability that an answer is true; two "
				       "coins are --coin C and --yes Y");
	if (s->p.given + s->coin.given + s->epsilon.given != 1)
		return complaint_usage(err, "give one of --p P, --coin C and --epsilon E");
	if (!s->epsilon.given && s->k.given)
		return complaint_usage(err, "--k needs --epsilon: with --p and --coin answers "
					    "are yes and no");
	if (s->yes.given && !s->coin.given)
		return complaint_usage(err, "--yes belongs to --coin, the first of two coins");
	return OUTCOME_DONE;
}

/* True with probability p: a first coin of 2 p - 1, and a fair second one. */
static enum sotto_status
init_by_truth(struct sotto_randomized_response *coins, const struct sotto_rational *p,
	      const struct sotto_rational *half, struct sotto_error *why)
{
	struct sotto_rational coin;
	enum sotto_status st;

	sotto_rational_init(&coin);
	sotto_rational_subtract(&coin, p, half);
	sotto_rational_scale(&coin, &coin, 1);
	if (sotto_rational_sign(&coin) > 0) {
		st = sotto_randomized_response_init(coins, &coin, half, why);
	} else {
		(void)complaint_refuse(why,
				       "--p must be above 1/2: at 1/2 an answer says nothing");
		st = SOTTO_EREFUSED;
	}
	sotto_rational_release(&coin);
	return st;
}

static enum outcome
response_init(struct response *m, const struct response_settings *s, struct sotto_error *err)
{
	struct sotto_error why = {""};
	enum sotto_status st;

	enum outcome outcome = check_settings(s, err);

	*m = (struct response){.by_coins = !s->epsilon.given, .k = s->k.value};
	sotto_cost_init(&m->cost);
	if (outcome != OUTCOME_DONE) {
		m->by_coins = false;
		return outcome;
	}
	if (s->p.given)
		st = init_by_truth(&m->coins, &s->p.value, &s->yes.value, &why);
	else if (s->coin.given)
		st = sotto_randomized_response_init(&m->coins, &s->coin.value, &s->yes.value,
						    &why);
	else
		st = sotto_kary_response_new(&s->epsilon.value, m->k, &m->kary, &why);
	if (st != SOTTO_OK) {
		m->by_coins = false;
		return refuse(st, &why, err);
	}
	st = m->by_coins ? sotto_randomized_response_cost(&m->coins, &m->cost)
			 : sotto_kary_response_cost(m->kary, &m->cost);
	return st == SOTTO_OK ? OUTCOME_DONE : refuse(st, &why, err);
}

static void response_release(struct response *m)
{
	if (m->by_coins)
		sotto_randomized_response_release(&m->coins);
	sotto_kary_response_free(m->kary);
	sotto_cost_release(&m->cost);
}

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

/* ---- answers ---- */

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

static enum outcome
publish(const struct response *m, const struct invocation *call, struct sotto_error *err)
{
	struct numbers truths;
	enum outcome outcome = read_truths(&truths, call, err);

	if (outcome == OUTCOME_DONE)
		outcome = print_answers(m, &truths, call, err);
	numbers_release(&truths);
	return outcome;
}

/* ---- estimates ---- */

static enum outcome read_counts(const struct invocation *call, uint64_t k, uint64_t *counts,
				struct sotto_error *err)
{
	if (call->operands.count != k)
		return complaint_usage(
			err, "--estimate needs the count of each answer: %" PRIu64 " numbers%s",
			k, k == 2 ? ", first no, then yes" : "");
	for (size_t i = 0; i < k; i++) {
		const char *text = call->operands.items[i];
		char *end;

		counts[i] = strtoull(text, &end, 10);
		if (text[0] < '0' || text[0] > '9' || *end || counts[i] > INT64_MAX)
			return complaint_refuse(err, "operand %zu: expected a count", i + 1);
	}
	return OUTCOME_DONE;
}

static const struct column share_columns[] = {
	{"share", "share of yes", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"standard_error", "standard error", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};

static void write_share(const struct sotto_share_estimate *e, const struct invocation *call)
{
	const struct response_settings *s = call->settings;
	struct json_writer json;

	json_begin(&json, call->out);
	json_open_object(&json);
	json_member_double(&json, "share", e->share);
	json_member_double(&json, "standard_error", e->deviation);
	json_key(&json, "confidence");
	json_write_rational(&json, &s->confidence.value);
	json_member_double(&json, "low", e->low);
	json_member_double(&json, "high", e->high);
	json_member_bool(&json, "outside", e->outside);
	json_close_object(&json);
	json_end(&json);
}

static void print_share(const struct sotto_share_estimate *e, const struct invocation *call)
{
	struct table t;

	table_init(&t, share_columns, 4);
	table_add_double(&t, e->share, 6);
	table_add_double(&t, e->deviation, 3);
	table_add_double(&t, e->low, 4);
	table_add_double(&t, e->high, 4);
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static enum outcome estimate_share(const struct response *m, const uint64_t *counts,
				   const struct invocation *call, struct sotto_error *err)
{
	const struct response_settings *s = call->settings;
	double beta = 1 - sotto_rational_double_down(&s->confidence.value);
	struct sotto_share_estimate e;

	if (sotto_randomized_response_estimate(&m->coins, counts[1], counts[0] + counts[1],
					       beta, &e) != SOTTO_OK)
		return complaint_refuse(err, "between 1 and 2^40 answers are needed");
	if (call->format == FORMAT_JSON)
		write_share(&e, call);
	else
		print_share(&e, call);
	if (e.outside && !s->quiet)
		fputs("note: the estimate lies outside 0 .. 1, which says that there are too "
		      "few "
		      "answers\n",
		      call->err);
	return OUTCOME_DONE;
}

static const struct column count_columns[] = {
	{"answer", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
	{"count", "estimated count", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"standard_error", "standard error", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};

static enum outcome estimate_counts(const struct response *m, const uint64_t *counts,
				    const struct invocation *call, struct sotto_error *err)
{
	const struct response_settings *s = call->settings;
	double beta = 1 - sotto_rational_double_down(&s->confidence.value);
	struct sotto_kary_estimate *e = memory_new(m->k, sizeof *e);
	enum sotto_status st = sotto_kary_response_estimate(m->kary, counts, beta, e);
	struct table t;

	table_init(&t, count_columns, 5);
	for (uint64_t v = 0; v < m->k && st == SOTTO_OK; v++) {
		table_add_integer(&t, (int64_t)v);
		table_add_double(&t, e[v].count, 6);
		table_add_double(&t, e[v].deviation, 3);
		table_add_double(&t, e[v].low, 6);
		table_add_double(&t, e[v].high, 6);
	}
	if (st == SOTTO_OK)
		table_print(&t, call->format, call->out);
	table_release(&t);
	free(e);
	return st == SOTTO_OK ? OUTCOME_DONE
			      : complaint_refuse(err, "between 1 and 2^40 answers are needed");
}

static enum outcome
estimate(const struct response *m, const struct invocation *call, struct sotto_error *err)
{
	uint64_t *counts;
	enum outcome outcome;

	if (m->k > 1 << 20)
		return complaint_refuse(err, "--estimate is for at most 2^20 answers");
	counts = memory_new(m->k, sizeof *counts);
	outcome = read_counts(call, m->k, counts, err);
	if (outcome == OUTCOME_DONE)
		outcome = m->by_coins ? estimate_share(m, counts, call, err)
				      : estimate_counts(m, counts, call, err);
	free(counts);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct response_settings *s = call->settings;
	struct response m;
	enum outcome outcome = response_init(&m, s, err);

	if (outcome == OUTCOME_DONE)
		outcome = s->estimate ? estimate(&m, call, err) : publish(&m, call, err);
	response_release(&m);
	return outcome;
}

const struct command noise_randomized_response = {
	.name = "randomized-response",
	.summary = "randomize a person's answer, or estimate the truth from many such answers",
	.usage = "--p P [OPTION]... [ANSWER]...\n"
		 "--coin C [--yes Y] [OPTION]... [ANSWER]...\n"
		 "--epsilon E [--k K] [OPTION]... [ANSWER]...\n"
		 "--estimate (--p P | --coin C [--yes Y] | --epsilon E [--k K]) COUNT...",
	.details =
		"With --p, an answer is true with probability P and false otherwise.  With "
		"two\n"
		"coins, the first says \"tell the truth\" with probability C; otherwise the\n"
		"second one answers, yes with probability Y.  The classic C = Y = 1/2 is the\n"
		"same as P = 3/4 and has epsilon ln 3.  With --epsilon, the true answer is\n"
		"given with probability e^E/(e^E + K - 1), and otherwise another one.  "
		"Answers\n"
		"are yes and no (or 1 and 0), or 0 .. K-1.",
	NOISE_STATES("Epsilon-differential privacy of each person's answer, whoever sees it.",
		     "An answer is true with the stated probability; an estimate comes with an "
		     "interval."),
	.options = options,
	.settings_size = sizeof(struct response_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
