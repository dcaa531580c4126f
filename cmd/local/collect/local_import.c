/* Counts made elsewhere: counts.csv of google/rappor as an aggregate. */
#include <stdlib.h>

#include "frame/complaint.h"
#include "local/collect/local_collecting.h"

/*
 * What the aggregate covers is named by the file's contents: merging the same
 * counts twice is then refused, as with batches.
 */
static void name_source(const char *text, size_t n, uint8_t out[16])
{
	uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u}; /* FNV-1a, two starts */

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 2; k++)
			hash[k] = (hash[k] ^ (uint8_t)text[i]) * 0x100000001b3u;
	for (int i = 0; i < 16; i++)
		out[i] = (uint8_t)(hash[i / 8] >> 8 * (i % 8));
}

static enum sotto_status import_counts(const char *text, size_t n,
				       const struct sotto_client_params *p,
				       struct sotto_local_aggregate *a, struct sotto_error *err)
{
	struct sotto_local_google shape = {
		.bits = p->width, .hashes = p->hashes, .cohorts = p->groups};
	uint64_t *reports, *ones, all = 0;
	uint8_t source[16];
	enum sotto_status st =
		sotto_local_google_counts(text, n, &shape, false, &reports, &ones, err);

	if (st != SOTTO_OK)
		return st;
	for (uint32_t c = 0; c < shape.cohorts; c++)
		all += reports[c];
	st = sotto_local_aggregate_import(a, all, reports, ones);
	name_source(text, n, source);
	if (st == SOTTO_OK)
		st = sotto_local_aggregate_cover(a, source, 1, 1);
	free(reports);
	free(ones);
	return st;
}

enum outcome local_import(const struct invocation *call, struct sotto_error *err)
{
	const struct collect_settings *s = call->settings;
	struct sotto_local_aggregate *a = NULL;
	struct sotto_client_params p;
	enum outcome outcome;
	enum sotto_status st;
	char *text;
	size_t n;

	if (s->store || !s->params || !s->snapshot || call->operands.count > 0)
		return complaint_usage(err,
				       "--import takes --params and --snapshot, and no store "
				       "or batches");
	outcome = local_read_params(s->params, &p, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (p.protocol != SOTTO_CLIENT_RAPPOR)
		return complaint_refuse(err, "counts.csv is of rappor collections");
	outcome = local_read_file(s->import, &text, &n, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	st = sotto_local_aggregate_new(&p, &a);
	if (st == SOTTO_OK)
		st = import_counts(text, n, &p, a, err);
	if (st == SOTTO_OK)
		st = sotto_local_aggregate_store(a, s->snapshot, err);
	sotto_local_aggregate_free(a);
	free(text);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}
