/* Means over time: the same devices report round after round. */
#include <stdlib.h>

#include "complaint.h"
#include "local_mean.h"
#include "memory.h"
#include "table.h"

enum { NUMBERS_MAX = 1 << 28 };

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

/* All devices report their numbers of one round. */
static enum sotto_status
one_round(const struct sotto_client_params *params, struct sotto_rng *rng, const uint8_t *keys,
	  const uint32_t *values, uint64_t clients, struct sotto_local_mean *out)
{
	struct sotto_local_aggregate *a = NULL;
	enum sotto_status st = sotto_local_aggregate_new(params, &a);

	for (uint64_t i = 0; i < clients && st == SOTTO_OK; i++) {
		struct sotto_client_secrets secrets = {
			.key = keys + 32 * i, .fill = fill_from_rng, .context = rng};
		struct sotto_client c;
		uint8_t report;
		size_t used;

		st = sotto_client_init(&c, params, &secrets);
		if (st == SOTTO_OK)
			st = sotto_client_encode_number(&c, values[i], &report, 1, &used);
		if (st == SOTTO_OK)
			st = sotto_local_aggregate_add(a, &report, 1);
	}
	if (st == SOTTO_OK)
		st = sotto_local_decode_mean(a, .05, out);
	sotto_local_aggregate_free(a);
	return st;
}

static void add_round(struct table *t, uint64_t round, const uint32_t *values, uint64_t clients,
		      const struct sotto_local_mean *m)
{
	double sum = 0;

	for (uint64_t i = 0; i < clients; i++)
		sum += values[i];
	table_add_integer(t, (int64_t)round + 1);
	table_add_double(t, sum / (double)clients, 6);
	table_add_double(t, m->mean, 6);
	table_add_double(t, m->sd, 4);
}

enum outcome local_simulate_rounds(const struct sotto_client_params *params,
				   const struct local_people *people,
				   const struct invocation *call, struct sotto_error *err)
{
	uint64_t rounds = people->rounds, clients = people->clients;
	static const struct column columns[] = {
		{"round", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
		{"truth", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"mean", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"standard_error", "std error", COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct sotto_rng *rng = NULL;
	uint32_t *values;
	uint8_t *keys;
	enum sotto_status st;
	struct table t;

	if (params->protocol != SOTTO_CLIENT_ONE_BIT_MEAN)
		return complaint_refuse(err, "--walk is for 1bitmean collections");
	if (rounds > NUMBERS_MAX / clients)
		return complaint_refuse(
			err, "that is too many numbers; lower --rounds or --clients");
	values = memory_new(rounds * clients, sizeof *values);
	keys = memory_new(clients, 32);
	table_init(&t, columns, 4);
	st = sotto_local_walk(people->walk, clients, rounds, params->size, people->seed, values,
			      err);
	if (st == SOTTO_OK)
		st = sotto_rng_open(&rng);
	if (st == SOTTO_OK)
		st = sotto_rng_fill(rng, keys, 32 * clients);
	for (uint64_t r = 0; r < rounds && st == SOTTO_OK; r++) {
		struct sotto_local_mean m;

		st = one_round(params, rng, keys, values + r * clients, clients, &m);
		if (st == SOTTO_OK)
			add_round(&t, r, values + r * clients, clients, &m);
	}
	if (st == SOTTO_OK)
		table_print(&t, call->format, call->out);
	table_release(&t);
	sotto_rng_close(rng);
	free(values);
	free(keys);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}
