/* sotto noise randomized-response */
#include "noise/noise_command.h"

#include "frame/complaint.h"
#include "noise/response/noise_response.h"
#include "read/numbers.h"

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

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct response_settings *s = call->settings;
	struct response m;
	enum outcome outcome = response_init(&m, s, err);

	if (outcome == OUTCOME_DONE)
		outcome = s->estimate ? response_estimate(&m, call, err)
				      : response_publish(&m, call, err);
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
