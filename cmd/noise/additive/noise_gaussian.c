/* sotto noise gaussian */
#include "noise/noise_command.h"

#include <math.h>
#include <stdint.h>

#include "frame/complaint.h"
#include "noise/additive/noise_release.h"
#include "sotto/noise.h"

struct gaussian_settings {
	struct noise_settings noise;
	struct option_rational delta;
	struct option_rational rho;
	size_t calibration;
};

static const char *const calibrations[] = {"analytic", "classical", NULL};

static const struct option options[] = {
	NOISE_OPTIONS("how much one unit can change the values, as a Euclidean distance (L2)",
		      "sigma of the noise, instead of --epsilon and --delta"),
	{.name = "delta",
	 .letter = 'd',
	 .argument = "D",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_BELOW_ONE,
	 .help = "probability with which epsilon may be exceeded",
	 .offset = offsetof(struct gaussian_settings, delta)},
	{.name = "rho",
	 .argument = "R",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_POSITIVE,
	 .help = "zCDP parameter, instead of --epsilon and --delta",
	 .offset = offsetof(struct gaussian_settings, rho)},
	{.name = "calibration",
	 .argument = "WHICH",
	 .kind = OPTION_CHOICE,
	 .choices = calibrations,
	 .help = "how sigma is found; classical works only below epsilon 1",
	 .offset = offsetof(struct gaussian_settings, calibration)},
	OPTIONS_END};

static enum sotto_status publish(const void *mechanism, struct sotto_rng *rng,
				 const struct sotto_exact *x, struct sotto_noisy *out, size_t n)
{
	return sotto_gaussian_publish_all(mechanism, rng, x, out, n);
}

static enum outcome check(const struct gaussian_settings *settings, struct sotto_error *err)
{
	bool epsilon = settings->noise.epsilon.given, delta = settings->delta.given;

	if (delta && sotto_rational_sign(&settings->delta.value) == 0)
		return complaint_refuse(err,
					"--delta must be greater than 0: no Gaussian gives "
					"pure privacy; use sotto noise laplace");
	if (settings->rho.given && (settings->noise.scale.given || (epsilon && delta)))
		return complaint_usage(err,
				       "with --rho give --epsilon or --delta or neither; the "
				       "other follows");
	if (settings->noise.scale.given && epsilon && delta)
		return complaint_usage(err, "with --scale give --epsilon or --delta, not both; "
					    "the other follows");
	if (!settings->noise.scale.given && !settings->rho.given && !(epsilon && delta))
		return complaint_usage(err,
				       "--epsilon E and --delta D are needed (or --scale B, "
				       "or --rho R)");
	return OUTCOME_DONE;
}

static enum outcome out_of_range(struct sotto_error *err)
{
	return complaint_refuse(err, "sigma must be between 2^-10 and 2^48 grid steps, epsilon "
				     "between 2^-60 and 2^20, delta at least 2^-1000; change "
				     "--epsilon, --delta, --scale or --step");
}

/* sigma2 from the cost, or from --scale */
static enum sotto_status set_sigma2(struct noise_release *r, const struct noise_input *in,
				    const struct gaussian_settings *settings,
				    struct sotto_error *why)
{
	size_t dimension = in->exact.count;

	if (settings->rho.given)
		return sotto_gaussian_zcdp(&settings->rho.value, r->sensitivity, &r->scale);
	if (settings->noise.scale.given) {
		numbers_divide(&r->scale, &settings->noise.scale.value, &in->grid.step);
		sotto_rational_multiply(&r->scale, &r->scale, &r->scale);
		return SOTTO_OK;
	}
	if (settings->calibration == 1)
		return sotto_gaussian_classical_up(&r->epsilon, &r->delta, r->sensitivity,
						   dimension, &r->scale, why);
	return sotto_gaussian_calibrate_up(&r->epsilon, &r->delta, r->sensitivity, dimension,
					   &r->scale);
}

/* From (epsilon, delta) to sigma2, or from sigma2 to whichever of them is wanted. */
static enum sotto_status calibrate(struct noise_release *r, const struct noise_input *in,
				   const struct gaussian_settings *settings,
				   struct sotto_error *why)
{
	bool epsilon = settings->noise.epsilon.given, delta = settings->delta.given;
	size_t dimension = in->exact.count;
	enum sotto_status st;

	sotto_rational_set(&r->epsilon, &settings->noise.epsilon.value);
	sotto_rational_set(&r->delta, &settings->delta.value);
	r->has_epsilon = epsilon || delta;
	st = set_sigma2(r, in, settings, why);
	if (st != SOTTO_OK || epsilon == delta)
		return st;
	if (epsilon)
		return sotto_gaussian_delta_up(&r->scale, r->sensitivity, dimension,
					       &r->epsilon, &r->delta);
	return sotto_gaussian_epsilon_up(&r->scale, r->sensitivity, dimension, &r->delta,
					 &r->epsilon);
}

static enum outcome state(struct noise_release *release, const struct sotto_gaussian *m,
			  const struct noise_input *in, const struct noise_settings *settings,
			  struct sotto_error *err)
{
	struct sotto_rational beta;
	enum sotto_status st;

	sotto_rational_set_integer(&release->rho, release->sensitivity);
	sotto_rational_multiply(&release->rho, &release->rho, &release->rho);
	numbers_divide(&release->rho, &release->rho, &release->scale);
	sotto_rational_scale(&release->rho, &release->rho, -1);
	release->deviation =
		nextafter(sqrt(sotto_rational_double_up(&release->scale)), INFINITY);
	sotto_rational_init(&beta);
	numbers_complement(&beta, &settings->confidence.value);
	st = sotto_gaussian_error_up(m, in->draws, &beta, &release->error);
	sotto_rational_release(&beta);
	if (st != SOTTO_OK)
		return complaint_refuse(err, "--confidence is too near to 1");
	return OUTCOME_DONE;
}

static enum outcome release_values(const struct noise_input *in, const struct invocation *call,
				   struct noise_release *release, struct sotto_error *err)
{
	const struct gaussian_settings *settings = call->settings;
	struct sotto_gaussian *m = NULL;
	struct sotto_error why = {""};
	enum outcome outcome =
		noise_input_sensitivity(in, &settings->noise, true, &release->sensitivity, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (calibrate(release, in, settings, &why) != SOTTO_OK ||
	    sotto_gaussian_new(&release->scale, &m) != SOTTO_OK)
		return why.text[0] ? complaint_refuse(err, "%s", why.text) : out_of_range(err);
	release->publish = publish;
	release->mechanism = m;
	outcome = state(release, m, in, &settings->noise, err);
	if (outcome == OUTCOME_DONE)
		outcome = noise_release_publish(release, in, call, &settings->noise, err);
	sotto_gaussian_free(m);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	enum outcome outcome = check(call->settings, err);

	return outcome == OUTCOME_DONE
		       ? noise_release_run(call, "gaussian", release_values, err)
		       : outcome;
}

const struct command noise_gaussian = {
	.name = "gaussian",
	.summary = "add discrete Gaussian noise: (epsilon, delta) privacy and zCDP",
	.usage = "--epsilon E --delta D [--sensitivity S] [OPTION]... [VALUE]...\n"
		 "(--scale B | --rho R) [--epsilon E | --delta D] [OPTION]... [VALUE]...",
	.details =
		"The smallest sigma that gives (E, D) is computed with certified bounds for "
		"the\n"
		"discrete distribution.  For one value the exact delta is used, for several\n"
		"values the bound that follows from zCDP, with S as their Euclidean (L2)\n"
		"sensitivity.  With --scale, the cost is printed as rho, and as (epsilon,\n"
		"delta) if one of the two is given.",
	NOISE_STATES(
		"(E, D)-differential privacy, and zCDP, if one unit changes the values by at "
		"most S in Euclidean distance (L2).",
		"With the stated confidence no value is off by more than the stated error."),
	.options = options,
	.settings_size = sizeof(struct gaussian_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
