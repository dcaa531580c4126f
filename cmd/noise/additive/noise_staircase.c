/* sotto noise staircase */
#include "noise/noise_command.h"

#include "frame/complaint.h"
#include "noise/additive/noise_release.h"
#include "read/numbers.h"
#include "sotto/noise.h"

struct staircase_settings {
	struct noise_settings noise; /* the first member: its options write here */
	struct option_count tread;
};

static const struct option options[] = {
	{NOISE_OPTION(epsilon, 'e', "E", OPTION_RATIONAL, "privacy parameter"),
	 .range = RANGE_POSITIVE, .required = true},
	{NOISE_OPTION(sensitivity, 's', "S", OPTION_RATIONAL,
		      "how much one unit can change the value"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{.name = "tread",
	 .argument = "R",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .help = "width of the upper step, in grid steps (default: the width with the least "
		 "error)",
	 .offset = offsetof(struct staircase_settings, tread)},
	{NOISE_OPTION(step, 'g', "G", OPTION_RATIONAL,
		      "work on multiples of G instead of whole numbers"),
	 .range = RANGE_POSITIVE},
	{NOISE_OPTION(count, 'n', "N", OPTION_COUNT,
		      "publish the value N times, at N times the cost"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{NOISE_OPTION(confidence, 0, "C", OPTION_RATIONAL,
		      "confidence of the accuracy statement"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "0.95"},
	NUMBERS_OPTIONS(struct noise_settings),
	{NOISE_OPTION(quiet, 'q', NULL, OPTION_FLAG,
		      "do not print cost and accuracy on standard error")},
	OPTIONS_END};

static enum sotto_status publish(const void *mechanism, struct sotto_rng *rng,
				 const struct sotto_exact *x, struct sotto_noisy *out, size_t n)
{
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i < n && st == SOTTO_OK; i++)
		st = sotto_staircase_publish(mechanism, rng, x[i], &out[i]);
	return st;
}

/* beta is shared by the draws: the union bound. */
static enum outcome state(struct noise_release *release, const struct sotto_staircase *m,
			  const struct noise_input *in, const struct noise_settings *settings,
			  struct sotto_error *err)
{
	double beta = numbers_complement_down(&settings->confidence.value);

	if (sotto_staircase_error(m, beta / (double)in->draws, &release->error) != SOTTO_OK)
		return complaint_refuse(err, "the error at this confidence is beyond 2^63");
	sotto_rational_set(&release->epsilon, &settings->epsilon.value);
	sotto_rational_set_integer(&release->scale, sotto_staircase_tread(m));
	release->has_epsilon = true;
	release->deviation = sotto_staircase_deviation(m);
	return OUTCOME_DONE;
}

static enum outcome release_value(const struct noise_input *in, const struct invocation *call,
				  struct noise_release *release, struct sotto_error *err)
{
	const struct staircase_settings *settings = call->settings;
	struct sotto_error why = {""};
	struct sotto_staircase *m = NULL;
	enum outcome outcome;

	if (in->exact.count > 1)
		return complaint_refuse(err, "staircase noise is for one value at a time; "
					     "sotto noise laplace takes several");
	outcome = noise_input_sensitivity(in, &settings->noise, false, &release->sensitivity,
					  err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (sotto_staircase_new(&settings->noise.epsilon.value, release->sensitivity,
				(int64_t)settings->tread.value, &m, &why) != SOTTO_OK)
		return complaint_refuse(err, "%s", why.text);
	release->publish = publish;
	release->mechanism = m;
	outcome = state(release, m, in, &settings->noise, err);
	if (outcome == OUTCOME_DONE)
		outcome = noise_release_publish(release, in, call, &settings->noise, err);
	sotto_staircase_free(m);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	return noise_release_run(call, "staircase", release_value, err);
}

const struct command noise_staircase = {
	.name = "staircase",
	.summary = "add staircase noise: less error than Laplace at a large epsilon",
	.usage = "--epsilon E [--sensitivity S] [OPTION]... [VALUE]",
	.details =
		"P[noise = z] is proportional to exp(-E k), k = floor((|z| + S - R)/S), in "
		"grid\n"
		"steps.  Its error is smaller than that of Laplace noise if epsilon is well\n"
		"above 1 and the sensitivity is many steps.  If the sensitivity is one step, "
		"it\n"
		"is geometric noise.",
	NOISE_STATES("E-differential privacy if one unit changes the value by at most S.",
		     "With the stated confidence the value is not off by more than the stated "
		     "error."),
	.options = options,
	.settings_size = sizeof(struct staircase_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
