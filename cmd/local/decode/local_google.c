/* The files of google/rappor, decoded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/decode/local_decoding.h"

/* params.csv, the counts and the candidates in memory. */
struct google {
	struct sotto_local_google params;
	uint64_t *reports, *ones;
	struct google_map candidates;
};

void google_map_release(struct google_map *m)
{
	sotto_local_map_release(&m->map);
	sotto_local_names_release(&m->names);
}

static void google_release(struct google *g)
{
	free(g->reports);
	free(g->ones);
	google_map_release(&g->candidates);
}

typedef enum sotto_status (*file_reader)(const char *text, size_t n, struct google *g,
					 const struct decode_settings *s,
					 struct sotto_error *err);

static enum sotto_status read_counts(const char *text, size_t n, struct google *g,
				     const struct decode_settings *s, struct sotto_error *err)
{
	if (s->reports)
		return sotto_local_google_reports(text, n, &g->params, &g->reports, &g->ones,
						  err);
	return sotto_local_google_counts(text, n, &g->params, s->fold, &g->reports, &g->ones,
					 err);
}

static enum sotto_status read_map(const char *text, size_t n, struct google *g,
				  const struct decode_settings *s, struct sotto_error *err)
{
	(void)s;
	return sotto_local_google_map(text, n, &g->params, &g->candidates.map,
				      &g->candidates.names, err);
}

static enum outcome read_with(file_reader reader, const char *path, struct google *g,
			      const struct decode_settings *s, struct sotto_error *err)
{
	char *text;
	size_t n;
	enum outcome outcome = local_read_file(path, &text, &n, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	st = reader(text, n, g, s, err);
	free(text);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

enum outcome local_google_map_read(const struct sotto_local_google *params, const char *path,
				   struct google_map *out, struct sotto_error *err)
{
	struct google g = {.params = *params};
	enum outcome outcome = read_with(read_map, path, &g, NULL, err);

	if (outcome == OUTCOME_DONE)
		*out = g.candidates;
	return outcome;
}

/*
 * Cohorts whose sizes differ by more than their mean, and more than chance makes of
 * small ones, deserve a word.
 */
static void warn_uneven(const struct google *g, FILE *err)
{
	uint64_t least = UINT64_MAX, most = 0, all = 0;
	double mean;

	for (uint32_t c = 0; c < g->params.cohorts; c++) {
		least = g->reports[c] < least ? g->reports[c] : least;
		most = g->reports[c] > most ? g->reports[c] : most;
		all += g->reports[c];
	}
	mean = (double)all / g->params.cohorts;
	if ((double)(most - least) > fmax(mean, 10 * sqrt(mean)))
		fprintf(err, "warning: the cohorts differ in size by more than their mean; are "
			     "params and counts of the same collection?\n");
}

static void name_all(struct sotto_local_names *names, const char *const *texts, size_t count)
{
	names->count = count;
	names->names = memory_new(count + 1, sizeof *names->names);
	for (size_t i = 0; i < count; i++)
		names->names[i] = memory_copy_text(texts[i]);
}

void local_google_boolean_map(const struct sotto_local_google *params, struct google_map *out)
{
	static const char *const names[] = {"TRUE", "FALSE"};
	size_t per = (size_t)params->cohorts * params->hashes;
	uint32_t *cells = memory_new(2 * per, sizeof *cells);

	for (size_t i = per; i < 2 * per; i++)
		cells[i] = SOTTO_LOCAL_NO_CELL;
	name_all(&out->names, names, 2);
	out->map = (struct sotto_local_map){.candidates = 2,
					    .cohorts = params->cohorts,
					    .hashes = params->hashes,
					    .cells = cells};
}

/* The map of a list of strings, by the hash functions of a deployed client. */
static enum outcome
hash_candidates(struct google *g, const struct decode_settings *s, struct sotto_error *err)
{
	struct sotto_compat c = local_compat(s->mode, &g->params);
	struct local_lines lines;
	enum outcome outcome;
	enum sotto_status st;

	if (s->mode == 0)
		return complaint_usage(err,
				       "--candidates with --counts or --reports: give --mode");
	outcome = local_compat_check(&c, err);
	if (outcome == OUTCOME_DONE)
		outcome = local_read_candidates(s->candidates, &lines, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	st = sotto_local_map_compat(&c, lines.strings, lines.lengths, lines.count,
				    &g->candidates.map);
	if (st == SOTTO_OK)
		name_all(&g->candidates.names, (const char *const *)lines.strings, lines.count);
	local_lines_release(&lines);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome
find_candidates(struct google *g, const struct decode_settings *s, struct sotto_error *err)
{
	if (s->map)
		return read_with(read_map, s->map, g, s, err);
	if (s->candidates)
		return hash_candidates(g, s, err);
	local_google_boolean_map(&g->params, &g->candidates); /* one bit needs no map */
	return OUTCOME_DONE;
}

/* The decoder debiases with the integers that the clients compared with. */
static void use_realised(struct google *g, size_t mode, FILE *err)
{
	struct sotto_local_google asked = g->params;

	local_realised(mode, &g->params);
	if (g->params.f != asked.f || g->params.p != asked.p || g->params.q != asked.q)
		fprintf(err, "note: %s realises f, p and q as %.10g, %.10g and %.10g\n",
			local_modes[mode], g->params.f, g->params.p, g->params.q);
}

static enum outcome
decode(const struct invocation *call, struct google *g, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	struct sotto_local_options o = local_decode_options(s);
	struct local_question q = {.options = &o, .bootstrap = s->bootstrap.value};
	struct sotto_local_cohorts data = {.cohorts = g->params.cohorts,
					   .bits = g->params.bits,
					   .reports = g->reports,
					   .ones = g->ones};
	struct local_result r;
	uint64_t all = 0;
	enum outcome outcome;
	enum sotto_status st;

	warn_uneven(g, call->err);
	if (s->mode > 0)
		use_realised(g, s->mode, call->err);
	sotto_local_rappor_rates(g->params.f, g->params.p, g->params.q, &data.p, &data.q);
	for (uint32_t c = 0; c < data.cohorts; c++)
		all += g->reports[c];
	local_result_init(&r, g->candidates.names.count, all);
	for (size_t i = 0; i < r.count; i++)
		r.names[i] = memory_copy_text(g->candidates.names.names[i]);
	st = local_decode_cohorts(&data, &g->candidates.map, &q, &r, err);
	outcome = st == SOTTO_OK ? local_decode_show(&r, &o, call, err) : local_failed(st, err);
	local_result_release(&r);
	return outcome;
}

enum outcome local_decode_google(const struct invocation *call, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	const char *counts = s->counts ? s->counts : s->reports;
	struct google g = {.params = {.bits = 0}};
	enum outcome outcome;

	if (!s->params || !counts || (s->counts && s->reports))
		return complaint_usage(
			err, "give --snapshot, or --params, one of --counts and --reports, and "
			     "--map or --candidates");
	outcome = local_read_google(s->params, &g.params, err);
	if (outcome == OUTCOME_DONE && !s->map && !s->candidates && g.params.bits != 1)
		outcome = complaint_usage(err,
					  "give --map or --candidates: only k = 1 needs none");
	if (outcome == OUTCOME_DONE)
		outcome = read_with(read_counts, counts, &g, s, err);
	if (outcome == OUTCOME_DONE)
		outcome = find_candidates(&g, s, err);
	if (outcome == OUTCOME_DONE)
		outcome = decode(call, &g, err);
	google_release(&g);
	return outcome;
}
