/* The values of "sotto noise": where they come from and how much one unit can change them. */
#include "noise/additive/noise_release.h"

#include "frame/complaint.h"

enum outcome noise_input_read(struct noise_input *in, const struct invocation *call,
			      const struct noise_settings *settings, struct sotto_error *err)
{
	const struct number_source source = {.csv = settings->csv,
					     .column = settings->column,
					     .operands = &call->operands,
					     .in = call->in};
	enum outcome outcome;

	*in = (struct noise_input){.on_integers = !settings->step.given};
	sotto_grid_init(&in->grid);
	if (settings->step.given &&
	    sotto_grid_set_step(&in->grid, &settings->step.value) != SOTTO_OK)
		return complaint_refuse(err, "--step must be greater than 0");
	outcome = numbers_read(&in->exact, &source, &in->grid, !in->on_integers, err);
	if (outcome == OUTCOME_DONE &&
	    __builtin_mul_overflow(in->exact.count, settings->count.value, &in->draws))
		return complaint_refuse(err, "--count is too large for this many values");
	return outcome;
}

void noise_input_release(struct noise_input *in)
{
	sotto_grid_release(&in->grid);
	numbers_release(&in->exact);
}

static enum outcome whole_sensitivity(const struct noise_settings *settings, int64_t *steps,
				      struct sotto_error *err)
{
	struct sotto_grid integers;
	enum sotto_status st;
	bool whole;

	sotto_grid_init(&integers);
	whole = sotto_grid_holds(&integers, &settings->sensitivity.value);
	st = sotto_grid_round(&integers, &settings->sensitivity.value, steps);
	sotto_grid_release(&integers);
	if (!whole)
		return complaint_refuse(err, "--sensitivity must be a whole number for whole "
					     "values; --step gives a finer grid");
	if (st != SOTTO_OK)
		return complaint_refuse(err, "--sensitivity must be below 2^63");
	return OUTCOME_DONE;
}

enum outcome noise_input_sensitivity(const struct noise_input *in,
				     const struct noise_settings *settings, bool euclidean,
				     int64_t *steps, struct sotto_error *err)
{
	enum sotto_status st;

	if (in->on_integers)
		return whole_sensitivity(settings, steps, err);
	if (euclidean)
		st = sotto_grid_sensitivity_l2_up(&in->grid, &settings->sensitivity.value,
						  in->exact.count, steps);
	else
		st = sotto_grid_sensitivity_l1_up(&in->grid, &settings->sensitivity.value,
						  in->exact.count, steps);
	if (st != SOTTO_OK)
		return complaint_refuse(err, "--sensitivity is beyond 2^63 steps; a larger "
					     "--step is needed");
	return OUTCOME_DONE;
}

void noise_input_error(const struct noise_input *in, int64_t steps,
		       struct sotto_rational *error)
{
	numbers_error(&in->grid, !in->on_integers, steps, error);
}
