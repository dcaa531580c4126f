/* sotto noise exponential, sotto noise permute-and-flip */
#include "noise/noise_command.h"

#include <stdlib.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "noise/choice/noise_choice.h"
#include "sotto/choose.h"

/* Binary: the least double above 0 has all of its own. */
enum { LAW_DIGITS = 1152 };

/* What the two mechanisms do their own way. */
struct kind {
	const char *name;
	enum sotto_status (*make)(const struct sotto_selection *s, void **m,
				  struct sotto_error *err);
	void (*free)(void *m);
	enum sotto_status (*select)(const void *m, struct sotto_rng *rng,
				    const struct sotto_exact *scores, size_t n, size_t *index);
	enum sotto_status (*law)(const void *m, const int64_t *scores, size_t n,
				 struct sotto_rational *out);
	enum sotto_status (*cost)(const void *m, struct sotto_cost *cost);
};

static const struct option options[] = {CHOICE_OPTIONS, CHOICE_PROBABILITIES, OPTIONS_END};

static enum outcome draw(const struct kind *kind, const void *m, struct choice *c,
			 const struct invocation *call, struct sotto_error *err)
{
	struct sotto_rng *rng = NULL;
	struct chosen chosen;
	enum sotto_status st;

	chosen_init(&chosen, c);
	st = sotto_rng_open(&rng);
	if (st == SOTTO_OK)
		st = kind->select(m, rng, c->scores, c->list.count, chosen.indices);
	if (st == SOTTO_OK)
		st = kind->cost(m, &chosen.cost);
	sotto_rng_close(rng);
	if (st == SOTTO_OK)
		choice_print(c, &chosen, call);
	chosen_release(&chosen);
	return st == SOTTO_OK ? OUTCOME_DONE : choice_refuse(st, NULL, err);
}

/* The user asks for the law of these scores: from here on they are not secret. */
static enum outcome print_law(const struct kind *kind, const void *m, struct choice *c,
			      const struct invocation *call, struct sotto_error *err)
{
	size_t n = c->list.count;
	struct sotto_rational *law = memory_new(n, sizeof *law);
	int64_t *scores = memory_new(n, sizeof *scores);
	enum sotto_status st;

	for (size_t i = 0; i < n; i++)
		sotto_rational_init(&law[i]);
	st = outcomes_shown(&c->list, &c->step, scores);
	if (st == SOTTO_OK)
		st = kind->law(m, scores, n, law);
	if (st == SOTTO_OK)
		choice_print_law(c, law, call);
	for (size_t i = 0; i < n; i++)
		sotto_rational_release(&law[i]);
	free(law);
	free(scores);
	if (st == SOTTO_ERANGE)
		return complaint_refuse(err,
					"--probabilities is for at most 1000 outcomes here");
	return st == SOTTO_OK ? OUTCOME_DONE : choice_refuse(st, NULL, err);
}

static enum outcome
run_kind(const struct kind *kind, const struct invocation *call, struct sotto_error *err)
{
	const struct choice_settings *settings = call->settings;
	struct sotto_error why = {""};
	struct choice choice = {.name = kind->name};
	enum outcome outcome = choice_read(&choice, call, true, err);
	enum sotto_status st;
	void *m = NULL;

	if (outcome == OUTCOME_DONE) {
		st = kind->make(&choice.selection, &m, &why);
		if (st != SOTTO_OK)
			outcome = choice_refuse(st, &why, err);
		else if (settings->probabilities)
			outcome = print_law(kind, m, &choice, call, err);
		else
			outcome = draw(kind, m, &choice, call, err);
	}
	kind->free(m);
	choice_release(&choice);
	return outcome;
}

static enum sotto_status
exponential_make(const struct sotto_selection *s, void **m, struct sotto_error *err)
{
	struct sotto_exponential *made = NULL;
	enum sotto_status st = sotto_exponential_new(s, &made, err);

	*m = made;
	return st;
}

static void exponential_free(void *m)
{
	sotto_exponential_free(m);
}

static enum sotto_status exponential_select(const void *m, struct sotto_rng *rng,
					    const struct sotto_exact *scores, size_t n,
					    size_t *index)
{
	return sotto_exponential_select(m, rng, scores, n, index);
}

static enum sotto_status
exponential_law(const void *m, const int64_t *scores, size_t n, struct sotto_rational *out)
{
	return sotto_exponential_probabilities_down(m, scores, n, LAW_DIGITS, out);
}

static enum sotto_status exponential_cost(const void *m, struct sotto_cost *cost)
{
	return sotto_exponential_cost(m, cost);
}

static enum sotto_status
flip_make(const struct sotto_selection *s, void **m, struct sotto_error *err)
{
	struct sotto_permute_and_flip *made = NULL;
	enum sotto_status st = sotto_permute_and_flip_new(s, &made, err);

	*m = made;
	return st;
}

static void flip_free(void *m)
{
	sotto_permute_and_flip_free(m);
}

static enum sotto_status flip_select(const void *m, struct sotto_rng *rng,
				     const struct sotto_exact *scores, size_t n, size_t *index)
{
	return sotto_permute_and_flip_select(m, rng, scores, n, index);
}

static enum sotto_status
flip_law(const void *m, const int64_t *scores, size_t n, struct sotto_rational *out)
{
	return sotto_permute_and_flip_probabilities_down(m, scores, n, LAW_DIGITS, out);
}

static enum sotto_status flip_cost(const void *m, struct sotto_cost *cost)
{
	return sotto_permute_and_flip_cost(m, cost);
}

static enum outcome run_exponential(const struct invocation *call, struct sotto_error *err)
{
	static const struct kind kind = {"exponential",    exponential_make,
					 exponential_free, exponential_select,
					 exponential_law,  exponential_cost};

	return run_kind(&kind, call, err);
}

static enum outcome run_permute_and_flip(const struct invocation *call, struct sotto_error *err)
{
	static const struct kind kind = {"permute-and-flip", flip_make, flip_free,
					 flip_select,        flip_law,  flip_cost};

	return run_kind(&kind, call, err);
}

#define CHOICE_USAGE                                                                           \
	"--epsilon E [--sensitivity S] [OPTION]... [FILE]\n"                                   \
	"--epsilon E [--sensitivity S] [OPTION]... OUTCOME=SCORE..."

const struct command noise_exponential = {
	.name = "exponential",
	.summary = "choose an outcome by its score: the exponential mechanism",
	.usage = CHOICE_USAGE,
	.details =
		"Prints one outcome.  Outcome r has probability proportional to exp(E "
		"score(r)\n"
		"/ (2 S)), drawn exactly (without the 2 if --monotone).  FILE is CSV with the\n"
		"columns outcome and score; without it, standard input is read.  The list of\n"
		"outcomes must not depend on private data; only the scores may.  When many\n"
		"releases are composed, this choice costs least.  Without --step, scores are\n"
		"rounded to the largest power of ten that is at most S / 10^9.",
	NOISE_STATES("E-differential privacy if one unit changes any one score by at most S.",
		     "With the stated confidence the chosen score is within the stated "
		     "distance of the best."),
	.options = options,
	.settings_size = sizeof(struct choice_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run_exponential,
};

const struct command noise_permute_and_flip = {
	.name = "permute-and-flip",
	.summary = "choose an outcome, with less expected loss than exponential",
	.usage = CHOICE_USAGE,
	.details = "Goes through the outcomes in random order, accepts each with probability "
		   "exp(E\n"
		   "(score - best) / (2 S)), and prints the first one accepted.  The expected\n"
		   "score is never below that of \"sotto noise exponential\".  FILE is CSV "
		   "with the\n"
		   "columns outcome and score; without it, standard input is read.  Without\n"
		   "--step, scores are rounded to the largest power of ten that is at most\n"
		   "S / 10^9.",
	NOISE_STATES("E-differential privacy if one unit changes any one score by at most S.",
		     "With the stated confidence the chosen score is within the stated "
		     "distance of the best."),
	.options = options,
	.settings_size = sizeof(struct choice_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run_permute_and_flip,
};
