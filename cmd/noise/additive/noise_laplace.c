/* sotto noise laplace, sotto noise geometric */
#include "noise/noise_command.h"

#include "frame/complaint.h"
#include "noise/additive/noise_release.h"
#include "sotto/noise.h"

struct laplace_settings {
	struct noise_settings noise;
	struct option_rational error;
};

static const struct option options[] = {
	NOISE_OPTIONS("how much one unit can change the values in total (L1)",
		      "scale of the noise, instead of --epsilon"),
	{.name = "error",
	 .argument = "T",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_NOT_NEGATIVE,
	 .help = "use the smallest epsilon with which no value is off by more than T",
	 .offset = offsetof(struct laplace_settings, error)},
	OPTIONS_END};

static enum sotto_status publish(const void *mechanism, struct sotto_rng *rng,
				 const struct sotto_exact *x, struct sotto_noisy *out, size_t n)
{
	return sotto_laplace_publish_all(mechanism, rng, x, out, n);
}

static enum outcome check(const struct laplace_settings *settings, struct sotto_error *err)
{
	int given = settings->noise.epsilon.given + settings->noise.scale.given +
		    settings->error.given;

	if (given == 0)
		return complaint_usage(err,
				       "--epsilon E is needed (or --scale B or --error T)");
	if (given > 1)
		return complaint_usage(err, "give one of --epsilon, --scale and --error");
	return OUTCOME_DONE;
}

/* The largest scale with which no value is off by more than --error. */
static enum sotto_status set_scale_for_error(struct noise_release *release,
					     const struct noise_input *in,
					     const struct laplace_settings *settings)
{
	struct sotto_rational beta, error, one;
	enum sotto_status st;
	int64_t steps;

	sotto_rational_init(&beta);
	sotto_rational_init(&error);
	sotto_rational_init(&one);
	sotto_rational_set_integer(&one, 1);
	numbers_complement(&beta, &settings->noise.confidence.value);
	numbers_divide(&error, &settings->error.value, &in->grid.step);
	if (!in->on_integers) { /* rounding takes half a step of it */
		sotto_rational_scale(&one, &one, -1);
		sotto_rational_subtract(&error, &error, &one);
		sotto_rational_scale(&one, &one, 1);
	}
	st = sotto_rational_floor(&error, &steps);
	if (st == SOTTO_OK)
		st = steps < 0 ? SOTTO_EOVERFLOW
			       : sotto_laplace_calibrate_error_up(in->draws, &beta, steps,
								  &release->scale);
	if (st == SOTTO_OK)
		numbers_divide(&release->scale, &one, &release->scale);
	sotto_rational_release(&one);
	sotto_rational_release(&error);
	sotto_rational_release(&beta);
	return st;
}

/* scale_steps = --scale / step, or sensitivity / epsilon, or what --error asks for */
static enum sotto_status set_scale(struct noise_release *release, const struct noise_input *in,
				   const struct laplace_settings *settings)
{
	if (settings->error.given)
		return set_scale_for_error(release, in, settings);
	if (settings->noise.scale.given) {
		numbers_divide(&release->scale, &settings->noise.scale.value, &in->grid.step);
	} else {
		sotto_rational_set_integer(&release->scale, release->sensitivity);
		numbers_divide(&release->scale, &release->scale,
			       &settings->noise.epsilon.value);
	}
	return SOTTO_OK;
}

/* --error is below what rounding alone can do. */
static bool
error_too_small(const struct noise_input *in, const struct laplace_settings *settings)
{
	struct sotto_rational least;
	bool small;

	sotto_rational_init(&least);
	noise_input_error(in, 0, &least);
	small = settings->error.given &&
		sotto_rational_compare(&settings->error.value, &least) < 0;
	sotto_rational_release(&least);
	return small;
}

static const char *chosen_option(const struct laplace_settings *settings)
{
	if (settings->error.given)
		return "error";
	return settings->noise.scale.given ? "scale" : "epsilon";
}

static enum outcome state(struct noise_release *release, const struct sotto_laplace *m,
			  const struct noise_input *in, const struct noise_settings *settings,
			  struct sotto_error *err)
{
	struct sotto_rational beta;
	enum sotto_status st;

	sotto_rational_init(&beta);
	numbers_complement(&beta, &settings->confidence.value);
	st = sotto_laplace_error_up(m, in->draws, &beta, &release->error);
	sotto_rational_release(&beta);
	if (st == SOTTO_OK)
		st = sotto_laplace_epsilon(m, release->sensitivity, &release->epsilon);
	if (st != SOTTO_OK)
		return complaint_refuse(err, "the error at this confidence is beyond 2^63");
	release->has_epsilon = true;
	release->deviation = sotto_laplace_deviation_up(m);
	return OUTCOME_DONE;
}

static enum outcome release_values(const struct noise_input *in, const struct invocation *call,
				   struct noise_release *release, struct sotto_error *err)
{
	const struct laplace_settings *settings = call->settings;
	struct sotto_laplace *m = NULL;
	enum outcome outcome = noise_input_sensitivity(in, &settings->noise, false,
						       &release->sensitivity, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (error_too_small(in, settings))
		return complaint_refuse(err, "--error must be at least half of --step, because "
					     "values are rounded by up to that much");
	if (set_scale(release, in, settings) != SOTTO_OK ||
	    sotto_laplace_new_scale(&release->scale, &m) != SOTTO_OK)
		return complaint_refuse(err,
					"the noise would have a scale outside 2^-10 .. 2^50 "
					"grid steps; change --%s or --step",
					chosen_option(settings));
	release->publish = publish;
	release->mechanism = m;
	outcome = state(release, m, in, &settings->noise, err);
	if (outcome == OUTCOME_DONE)
		outcome = noise_release_publish(release, in, call, &settings->noise, err);
	sotto_laplace_free(m);
	return outcome;
}

static enum outcome
run_as(const char *name, const struct invocation *call, struct sotto_error *err)
{
	enum outcome outcome = check(call->settings, err);

	return outcome == OUTCOME_DONE ? noise_release_run(call, name, release_values, err)
				       : outcome;
}

static enum outcome run_laplace(const struct invocation *call, struct sotto_error *err)
{
	return run_as("laplace", call, err);
}

static enum outcome run_geometric(const struct invocation *call, struct sotto_error *err)
{
	return run_as("geometric", call, err);
}

const struct command noise_laplace = {
	.name = "laplace",
	.summary = "add discrete Laplace noise: pure epsilon privacy",
	.usage = "--epsilon E [--sensitivity S] [OPTION]... [VALUE]...\n"
		 "--scale B | --error T [--sensitivity S] [OPTION]... [VALUE]...",
	.details = "Prints each value plus noise, one on each line, and on standard error the "
		   "cost\n"
		   "and the possible error.  Values are operands, a CSV column, or standard "
		   "input.\n"
		   "They are whole numbers unless --step gives a finer grid.",
	NOISE_STATES(
		"E-differential privacy if one unit changes the values by at most S in total "
		"(L1).",
		"With the stated confidence no value is off by more than the stated error."),
	.options = options,
	.settings_size = sizeof(struct laplace_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run_laplace,
};

const struct command noise_geometric = {
	.name = "geometric",
	.summary = "add two-sided geometric noise (another name for discrete Laplace noise)",
	.usage = "--epsilon E [--sensitivity S] [OPTION]... [VALUE]...\n"
		 "--scale B | --error T [--sensitivity S] [OPTION]... [VALUE]...",
	.details = "P[noise = z] is proportional to exp(-|z| E/S).  On whole numbers the "
		   "geometric\n"
		   "mechanism and the Laplace mechanism are the same; see sotto noise laplace.",
	NOISE_STATES(
		"E-differential privacy if one unit changes the values by at most S in total "
		"(L1).",
		"With the stated confidence no value is off by more than the stated error."),
	.options = options,
	.settings_size = sizeof(struct laplace_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run_geometric,
};
