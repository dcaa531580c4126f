/* sotto noise noisy-max */
#include "noise/noise_command.h"

#include "frame/complaint.h"
#include "noise/choice/noise_choice.h"
#include "sotto/choose.h"

static const struct option options[] = {
	CHOICE_OPTIONS,
	{CHOICE_OPTION(top, 'k', "K", OPTION_COUNT, "choose the K best, in order"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{CHOICE_OPTION(gap, 0, NULL, OPTION_FLAG,
		       "also print by how much the best won, at no further cost")},
	OPTIONS_END};

/* The gap is in steps of 2^-bits of the grid. */
static void set_gap(struct chosen *chosen, const struct choice *c,
		    const struct sotto_noisy_max *m, struct sotto_noisy gap)
{
	chosen->has_gap = true;
	sotto_rational_set_integer(&chosen->gap, gap.value);
	sotto_rational_scale(&chosen->gap, &chosen->gap, -(int)sotto_noisy_max_bits(m));
	sotto_rational_multiply(&chosen->gap, &chosen->gap, &c->step);
}

static enum sotto_status select_with(const struct sotto_noisy_max *m, const struct choice *c,
				     bool gap_wanted, struct sotto_rng *rng,
				     struct chosen *chosen)
{
	struct sotto_noisy gap;
	enum sotto_status st;

	if (!gap_wanted)
		return sotto_noisy_max_select(m, rng, c->scores, c->list.count,
					      chosen->indices);
	st = sotto_noisy_max_select_gap(m, rng, c->scores, c->list.count, chosen->indices,
					&gap);
	if (st == SOTTO_OK)
		set_gap(chosen, c, m, gap);
	return st;
}

static enum outcome draw(const struct sotto_noisy_max *m, const struct choice *c,
			 const struct invocation *call, struct sotto_error *err)
{
	const struct choice_settings *settings = call->settings;
	struct sotto_rng *rng = NULL;
	struct chosen chosen;
	enum sotto_status st;

	chosen_init(&chosen, c);
	st = sotto_rng_open(&rng);
	if (st == SOTTO_OK)
		st = select_with(m, c, settings->gap, rng, &chosen);
	if (st == SOTTO_OK)
		st = sotto_noisy_max_cost(m, &chosen.cost);
	sotto_rng_close(rng);
	if (st == SOTTO_OK)
		choice_print(c, &chosen, call);
	chosen_release(&chosen);
	return st == SOTTO_OK ? OUTCOME_DONE : choice_refuse(st, NULL, err);
}

static enum outcome
choose(const struct choice *c, const struct invocation *call, struct sotto_error *err)
{
	struct sotto_noisy_max *m = NULL;
	struct sotto_error why = {""};
	enum outcome outcome;
	enum sotto_status st = sotto_noisy_max_new(&c->selection, c->top, &m, &why);

	if (st != SOTTO_OK)
		return choice_refuse(st, &why, err);
	outcome = draw(m, c, call, err);
	sotto_noisy_max_free(m);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct choice_settings *settings = call->settings;
	struct choice choice = {.name = "noisy-max"};
	enum outcome outcome = choice_read(&choice, call, false, err);

	if (outcome == OUTCOME_DONE && settings->gap &&
	    (choice.top > 1 || choice.list.count < 2))
		outcome = complaint_refuse(err, "--gap is for the best of at least two "
						"outcomes, without --top");
	if (outcome == OUTCOME_DONE)
		outcome = choose(&choice, call, err);
	choice_release(&choice);
	return outcome;
}

const struct command noise_noisy_max = {
	.name = "noisy-max",
	.summary = "choose the outcome with the largest score after noise",
	.usage = "--epsilon E [--sensitivity S] [OPTION]... [FILE]\n"
		 "--epsilon E [--sensitivity S] [OPTION]... [OUTCOME=]SCORE...",
	.details = "Adds one-sided geometric noise to every score and prints the outcome with "
		   "the\n"
		   "largest one, never the score.  Only the choice is published, so the cost "
		   "does\n"
		   "not grow with the number of outcomes.  --top K makes K choices, each with\n"
		   "epsilon / K.  FILE is CSV with the columns outcome and score; without it,\n"
		   "standard input is read.  Ties go to the first outcome in the list, whose "
		   "order\n"
		   "must not depend on data.",
	NOISE_STATES("E-differential privacy of the whole choice if one unit changes any one "
		     "score by at most S.",
		     "With the stated confidence every chosen score is within the stated "
		     "distance of the score that belongs in its place."),
	.options = options,
	.settings_size = sizeof(struct choice_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
