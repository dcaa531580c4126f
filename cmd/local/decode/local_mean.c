/*
 * Prints the mean of an aggregate with its interval; a simulation draws reports of people whose
 * mean is known and prints the truth beside each estimate.
 */
#include "local/decode/local_mean.h"

#include <stdlib.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/table.h"

enum outcome local_mean_print(struct sotto_local_aggregate *a, double alpha,
			      const struct invocation *call, struct sotto_error *err)
{
	static const struct column columns[] = {
		{"mean", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"standard_error", "std error", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"bound", "error bound", COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct sotto_local_mean m;
	struct table t;

	if (sotto_local_decode_mean(a, alpha, &m) != SOTTO_OK)
		return complaint_refuse(err, "there are no reports");
	table_init(&t, columns, 5);
	table_add_double(&t, m.mean, 6);
	table_add_double(&t, m.sd, 4);
	table_add_double(&t, m.low, 6);
	table_add_double(&t, m.high, 6);
	table_add_double(&t, m.bound, 4);
	table_print(&t, call->format, call->out);
	table_release(&t);
	return OUTCOME_DONE;
}

struct mean_run {
	double truth;
	struct sotto_local_mean estimate;
};

static enum sotto_status collect(struct sotto_local_aggregate *a,
				 const struct local_people *people, uint64_t run,
				 const uint64_t *holders, struct sotto_error *err)
{
	struct sotto_rng *rng;
	enum sotto_status st;

	if (people->fast)
		return sotto_local_simulate_fast(a, holders, people->values,
						 ~people->seed + 7919 * run, err);
	st = sotto_rng_open(&rng);
	if (st != SOTTO_OK)
		return st;
	st = sotto_local_simulate(a, holders, people->values, rng, err);
	sotto_rng_close(rng);
	return st;
}

/* Value i of a distribution is the number i. */
static enum sotto_status
run_once(const struct sotto_client_params *params, const struct local_people *people,
	 uint64_t run, const uint64_t *holders, struct mean_run *out, struct sotto_error *err)
{
	struct sotto_local_aggregate *a = NULL;
	double sum = 0, n = 0;
	enum sotto_status st = sotto_local_aggregate_new(params, &a);

	for (uint64_t v = 0; v < people->values; v++) {
		sum += (double)v * (double)holders[v];
		n += (double)holders[v];
	}
	out->truth = sum / n;
	if (st == SOTTO_OK)
		st = collect(a, people, run, holders, err);
	if (st == SOTTO_OK)
		st = sotto_local_decode_mean(a, people->alpha, &out->estimate);
	sotto_local_aggregate_free(a);
	return st;
}

enum outcome local_simulate_mean(const struct sotto_client_params *params,
				 const struct local_people *people,
				 const struct invocation *call, struct sotto_error *err)
{
	static const struct column columns[] = {
		{"truth", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"mean", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"standard_error", "std error", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"bound", "error bound", COLUMN_NUMBER, ALIGN_BY_KIND}};
	uint64_t held = 0;
	uint64_t *holders = memory_new(people->values + 1, sizeof *holders);
	enum sotto_status st = SOTTO_OK;
	struct table t;

	table_init(&t, columns, 6);
	for (uint64_t i = 0; i < people->runs && st == SOTTO_OK; i++) {
		struct mean_run r;

		st = sotto_local_population(people->distribution, people->values,
					    people->clients, people->seed + 1000003 * i,
					    holders, err);
		if (st == SOTTO_OK)
			st = run_once(params, people, i, holders, &r, err);
		if (st != SOTTO_OK)
			break;
		table_add_double(&t, r.truth, 6);
		table_add_double(&t, r.estimate.mean, 6);
		table_add_double(&t, r.estimate.sd, 4);
		table_add_double(&t, r.estimate.low, 6);
		table_add_double(&t, r.estimate.high, 6);
		table_add_double(&t, r.estimate.bound, 4);
		held += r.estimate.low <= r.truth && r.truth <= r.estimate.high;
	}
	if (st == SOTTO_OK)
		table_print(&t, call->format, call->out);
	if (st == SOTTO_OK && people->runs > 1 && call->format == FORMAT_TABLE)
		fprintf(call->out, "\n%.4g %% of the %g %% intervals hold the truth\n",
			100 * (double)held / (double)people->runs, 100 * (1 - people->alpha));
	table_release(&t);
	free(holders);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}
