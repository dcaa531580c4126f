/*
 * noise_choice.h - what the choosing mechanisms of "sotto noise" share
 *
 * It has the options, puts outcomes on their grid, and prints a choice.  A mechanism brings a
 * function that makes it.
 */
#ifndef SOTTO_NOISE_CHOICE_H
#define SOTTO_NOISE_CHOICE_H

#include <stdbool.h>

#include "frame/command.h"
#include "frame/option.h"
#include "noise/choice/noise_outcomes.h"
#include "sotto/choose.h"
#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct choice_settings {
	struct option_rational epsilon;
	struct option_rational sensitivity;
	struct option_rational step;
	struct option_rational confidence;
	struct option_rational error;
	struct option_count top;
	const char *csv;
	bool min;
	bool monotone;
	bool gap;
	bool probabilities;
	bool quiet;
};

#define CHOICE_OPTION(option_name, letter_, argument_, kind_, help_)                           \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct choice_settings, option_name)

#define CHOICE_OPTIONS                                                                         \
	{CHOICE_OPTION(epsilon, 'e', "E", OPTION_RATIONAL, "privacy parameter of the choice"), \
	 .range = RANGE_POSITIVE},                                                             \
		{CHOICE_OPTION(sensitivity, 's', "S", OPTION_RATIONAL,                         \
			       "how much one unit can change any one score"),                  \
		 .range = RANGE_POSITIVE, .fallback = "1"},                                    \
		{CHOICE_OPTION(step, 'g', "G", OPTION_RATIONAL,                                \
			       "scores are multiples of G; another score is refused"),         \
		 .range = RANGE_POSITIVE},                                                     \
		{CHOICE_OPTION(error, 0, "T", OPTION_RATIONAL,                                 \
			       "use the smallest epsilon that keeps the chosen score within "  \
			       "T of the best"),                                               \
		 .range = RANGE_POSITIVE},                                                     \
		{CHOICE_OPTION(confidence, 0, "C", OPTION_RATIONAL,                            \
			       "confidence of the accuracy statement"),                        \
		 .range = RANGE_INSIDE_UNIT, .fallback = "0.95"},                              \
		{CHOICE_OPTION(monotone, 'm', NULL, OPTION_FLAG,                               \
			       "one unit changes all scores in the same direction; halves "    \
			       "the noise")},                                                  \
		{CHOICE_OPTION(min, 0, NULL, OPTION_FLAG, "choose the smallest score")},       \
		{CHOICE_OPTION(csv, 0, "FILE", OPTION_TEXT,                                    \
			       "read outcome,score from a CSV file (- for standard input)")},  \
	{                                                                                      \
		CHOICE_OPTION(quiet, 'q', NULL, OPTION_FLAG,                                   \
			      "do not print cost and accuracy on standard error")              \
	}

#define CHOICE_PROBABILITIES                                                                   \
	{                                                                                      \
		CHOICE_OPTION(probabilities, 'p', NULL, OPTION_FLAG,                           \
			      "print the exact distribution instead of drawing; this is not "  \
			      "private")                                                       \
	}

/* Outcomes, their scores in grid steps, and the mechanism's parameters in steps. */
struct choice {
	const char *name; /* of the mechanism */
	struct outcomes list;
	struct sotto_exact *scores;
	struct sotto_rational step;
	bool rounds; /* scores are rounded to the step, not refused if they are off it */
	struct sotto_rational rounding; /* what this may add to the error, in score units */
	struct sotto_rational epsilon;
	struct sotto_rational sensitivity;
	struct sotto_selection selection;
	size_t top;
	double error; /* in score units, at the requested confidence */
};

/* The result of a choice. */
struct chosen {
	size_t *indices; /* `top` of them */
	bool has_gap;
	struct sotto_rational gap; /* in score units */
	struct sotto_cost cost;
};

/*
 * Reads outcomes and parameters.  If any_score is true and no step is given, the scores may be
 * any fractions and are rounded to a step that is fine for the sensitivity.  Pair with _release,
 * also on failure.
 */
enum outcome choice_read(struct choice *choice, const struct invocation *call, bool any_score,
			 struct sotto_error *err);
void choice_release(struct choice *choice);

void chosen_init(struct chosen *chosen, const struct choice *choice);
void chosen_release(struct chosen *chosen);

/* Prints the result, and states cost and accuracy. */
void choice_print(const struct choice *choice, const struct chosen *chosen,
		  const struct invocation *call);

/* Prints outcomes and their probabilities; JSON is an object of outcome: probability. */
void choice_print_law(const struct choice *choice, const struct sotto_rational *probabilities,
		      const struct invocation *call);

/* Turns a refusal of the library into a sentence. */
enum outcome
choice_refuse(enum sotto_status st, const struct sotto_error *why, struct sotto_error *err);

#endif
