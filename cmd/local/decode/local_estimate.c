/* Estimates for candidates, whatever the protocol. */
#include <stdlib.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/local_command.h"

void local_result_release(struct local_result *r)
{
	for (size_t i = 0; r->names && i < r->count; i++)
		free(r->names[i]);
	free(r->names);
	free(r->estimates);
	free(r->bootstrap);
	*r = (struct local_result){.count = 0};
}

void local_result_init(struct local_result *r, size_t count, uint64_t reports)
{
	*r = (struct local_result){.count = count, .reports = reports};
	r->estimates = memory_new(count + 1, sizeof *r->estimates);
	r->names = memory_new(count + 1, sizeof *r->names);
}

enum sotto_status local_decode_cohorts(const struct sotto_local_cohorts *data,
				       const struct sotto_local_map *map,
				       const struct local_question *q, struct local_result *out,
				       struct sotto_error *err)
{
	enum sotto_status st = sotto_local_rappor_decode(data, map, q->options, out->estimates,
							 &out->fit, err);

	out->has_fit = true;
	if (st != SOTTO_OK || q->bootstrap == 0)
		return st;
	out->bootstrap = memory_new(out->count + 1, sizeof *out->bootstrap);
	out->bootstrap_runs = q->bootstrap;
	return sotto_local_rappor_bootstrap(data, map, q->options, out->estimates,
					    (unsigned)q->bootstrap, out->bootstrap, err);
}

static enum sotto_status decode_strings(struct sotto_local_aggregate *a,
					const struct local_question *q,
					struct local_result *out, struct sotto_error *err)
{
	const struct sotto_client_params *p = sotto_local_aggregate_counts(a).params;
	const struct local_lines *lines = q->candidates;
	struct sotto_local_cohorts data;
	struct sotto_local_map map;
	enum sotto_status st;

	if (p->protocol != SOTTO_CLIENT_RAPPOR && !q->dictionary) {
		struct sotto_local_candidates c = {.count = lines->count,
						   .strings = lines->strings,
						   .lengths = lines->lengths};

		return sotto_local_decode(a, &c, q->options, out->estimates, err);
	}
	st = sotto_local_rappor_cohorts(a, &data);
	if (st == SOTTO_OK && q->map)
		return local_decode_cohorts(&data, q->map, q, out, err);
	if (st == SOTTO_OK)
		st = sotto_local_map_native(p, lines->strings, lines->lengths, lines->count,
					    &map);
	if (st == SOTTO_ERANGE)
		(void)complaint_refuse(err,
				       "%zu candidates in %u rows of %u bits are too many for "
				       "a regression%s",
				       lines ? lines->count : 0, p->groups, p->width,
				       q->dictionary ? "; leave --dictionary out" : "");
	if (st != SOTTO_OK)
		return st;
	st = local_decode_cohorts(&data, &map, q, out, err);
	sotto_local_map_release(&map);
	return st;
}

/* Candidates of a collection of numbers: the lines, or the whole domain. */
static enum sotto_status decode_numbers(struct sotto_local_aggregate *a,
					const struct local_lines *lines,
					const struct sotto_local_options *o,
					struct local_result *out, struct sotto_error *err)
{
	uint64_t *numbers = lines ? memory_new(lines->count + 1, sizeof *numbers) : NULL;
	struct sotto_local_candidates c = {.count = out->count, .numbers = numbers};
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; lines && i < lines->count; i++)
		if (!local_number(lines->strings[i], lines->lengths[i], &numbers[i])) {
			(void)complaint_refuse(err, "candidates: line %zu is not a number",
					       i + 1);
			st = SOTTO_EPARSE;
			break;
		}
	if (st == SOTTO_OK)
		st = sotto_local_decode(a, &c, o, out->estimates, err);
	free(numbers);
	return st;
}

static char *name_of(const struct local_question *q, size_t i)
{
	if (q->names)
		return memory_copy_text(q->names->names[i]);
	return q->candidates ? memory_copy_text(q->candidates->strings[i])
			     : memory_text("%zu", i);
}

static size_t candidates_of(const struct local_question *q, const struct sotto_client_params *p)
{
	if (q->map)
		return q->map->candidates;
	return q->candidates ? q->candidates->count : p->size;
}

enum outcome local_decode_aggregate(struct sotto_local_aggregate *a,
				    const struct local_question *q, struct local_result *out,
				    struct sotto_error *err)
{
	struct sotto_local_counts counts = sotto_local_aggregate_counts(a);
	bool numbers = sotto_client_takes_number(counts.params);
	bool regressed =
		q->dictionary || (counts.params->protocol == SOTTO_CLIENT_RAPPOR && !numbers);
	enum sotto_status st;

	if (!numbers && !q->candidates && !q->map)
		return complaint_usage(
			err, "this collection is of strings: give --candidates or --map");
	if (q->dictionary && (counts.params->protocol != SOTTO_CLIENT_CMS || !q->candidates))
		return complaint_usage(err, "--dictionary is for cms with --candidates");
	if (!regressed && (q->map || q->bootstrap || q->options->method))
		return complaint_usage(err,
				       "--map, --method and --bootstrap are for rappor over "
				       "strings");
	local_result_init(out, candidates_of(q, counts.params), counts.reports);
	out->over_hashes = !regressed && sotto_local_is_salted(counts.params);
	for (size_t i = 0; i < out->count; i++)
		out->names[i] = name_of(q, i);
	st = numbers ? decode_numbers(a, q->candidates, q->options, out, err)
		     : decode_strings(a, q, out, err);
	if (st == SOTTO_OK)
		return OUTCOME_DONE;
	local_result_release(out);
	return local_failed(st, err);
}
