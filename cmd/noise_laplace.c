/* sotto noise laplace, sotto noise geometric */
#include "noise.h"

#include "complaint.h"
#include "noise_release.h"
#include "sotto/laplace.h"

static const struct option options[] = {
	NOISE_OPTIONS("how far one unit moves the values, summed (L1)",
		      "scale of the noise, instead of --epsilon"),
	OPTIONS_END};

static enum sotto_status publish(const void *mechanism, struct sotto_rng *rng,
				 const struct sotto_exact *x, struct sotto_noisy *out, size_t n)
{
	return sotto_laplace_publish_all(mechanism, rng, x, out, n);
}

static enum outcome check(const struct noise_settings *settings, struct sotto_error *err)
{
	if (settings->epsilon.given == settings->scale.given)
		return complaint_usage(err, settings->scale.given
						    ? "give --epsilon or --scale, not both"
						    : "--epsilon E is needed (or --scale B)");
	return OUTCOME_DONE;
}

/* scale_steps = --scale / step, or sensitivity / epsilon */
static void set_scale(struct noise_release *release, const struct noise_input *in,
		      const struct noise_settings *settings)
{
	mpq_ptr scale = release->scale.q;

	if (settings->scale.given) {
		mpq_div(scale, settings->scale.value.q, in->grid.step.q);
		return;
	}
	mpq_set_si(scale, release->sensitivity, 1);
	mpq_div(scale, scale, settings->epsilon.value.q);
}

static enum outcome state(struct noise_release *release, const struct sotto_laplace *m,
			  const struct noise_input *in, const struct noise_settings *settings,
			  struct sotto_error *err)
{
	struct sotto_rational beta;
	enum sotto_status st;

	sotto_rational_init(&beta);
	mpq_set_ui(beta.q, 1, 1);
	mpq_sub(beta.q, beta.q, settings->confidence.value.q);
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

static enum outcome release_values(const char *name, const struct noise_input *in,
				   const struct invocation *call,
				   const struct noise_settings *settings,
				   struct noise_release *release, struct sotto_error *err)
{
	struct sotto_laplace *m = NULL;
	enum outcome outcome =
		noise_input_sensitivity(in, settings, false, &release->sensitivity, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	set_scale(release, in, settings);
	if (sotto_laplace_new_scale(&release->scale, &m) != SOTTO_OK)
		return complaint_refuse(err,
					"the noise would have a scale outside 2^-10 .. 2^50 "
					"grid steps; change --%s or --step",
					settings->scale.given ? "scale" : "epsilon");
	release->name = name;
	release->publish = publish;
	release->mechanism = m;
	outcome = state(release, m, in, settings, err);
	if (outcome == OUTCOME_DONE)
		outcome = noise_release_publish(release, in, call, settings, err);
	sotto_laplace_free(m);
	return outcome;
}

static enum outcome
run_as(const char *name, const struct invocation *call, struct sotto_error *err)
{
	const struct noise_settings *settings = call->settings;
	struct noise_release release;
	struct noise_input in;
	enum outcome outcome = check(settings, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	noise_release_init(&release);
	outcome = noise_input_read(&in, call, settings, err);
	if (outcome == OUTCOME_DONE)
		outcome = release_values(name, &in, call, settings, &release, err);
	noise_input_release(&in);
	noise_release_release(&release);
	return outcome;
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
		 "--scale B [--sensitivity S] [OPTION]... [VALUE]...",
	.details = "Prints each value plus noise, one a line, and on standard error what that "
		   "cost\n"
		   "and how wrong it can be.  Values come as operands, from a CSV column, or "
		   "from\n"
		   "standard input.  They are whole numbers unless --step gives a finer grid.",
	.options = options,
	.settings_size = sizeof(struct noise_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run_laplace,
};

const struct command noise_geometric = {
	.name = "geometric",
	.summary = "add two-sided geometric noise (the discrete Laplace by its other name)",
	.usage = "--epsilon E [--sensitivity S] [OPTION]... [VALUE]...\n"
		 "--scale B [--sensitivity S] [OPTION]... [VALUE]...",
	.details = "P[noise = z] is proportional to exp(-|z| E/S).  On whole numbers the "
		   "geometric\n"
		   "mechanism and the Laplace mechanism are the same; see sotto noise laplace.",
	.options = options,
	.settings_size = sizeof(struct noise_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run_geometric,
};
