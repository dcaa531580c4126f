#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "json.h"
#include "local.h"
#include "memory.h"
#include "table.h"

struct decode_settings {
	const char *snapshot, *params, *counts, *map, *reports, *candidates, *alphabet;
	struct option_count keep;
	bool fold;
	struct local_decoding decoding;
};

static const struct option options[] = {
	{.name = "snapshot",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "an aggregate that collect or merge wrote",
	 .offset = offsetof(struct decode_settings, snapshot)},
	{.name = "params",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "params.csv of google/rappor",
	 .offset = offsetof(struct decode_settings, params)},
	{.name = "counts",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "counts.csv: reports and ones per cohort",
	 .offset = offsetof(struct decode_settings, counts)},
	{.name = "reports",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "reports.csv, counted here, instead of counts.csv",
	 .offset = offsetof(struct decode_settings, reports)},
	{.name = "map",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "map.csv: the bits of each candidate",
	 .offset = offsetof(struct decode_settings, map)},
	{.name = "candidates",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "one candidate per line (- for standard input)",
	 .offset = offsetof(struct decode_settings, candidates)},
	{.name = "alphabet",
	 .argument = "LETTERS",
	 .kind = OPTION_TEXT,
	 .fallback = "abcdefghijklmnopqrstuvwxyz",
	 .help = "what unknown strings are made of (sfp)",
	 .offset = offsetof(struct decode_settings, alphabet)},
	{.name = "keep",
	 .argument = "K",
	 .kind = OPTION_COUNT,
	 .fallback = "0",
	 .help = "prefixes or fragments kept per round (pem, treehist, sfp); 0: as usual",
	 .offset = offsetof(struct decode_settings, keep)},
	{.name = "fold",
	 .kind = OPTION_FLAG,
	 .help = "counts.csv may have more rows than cohorts",
	 .offset = offsetof(struct decode_settings, fold)},
	LOCAL_DECODING_OPTIONS(struct decode_settings),
	OPTIONS_END};

/* The three files of google/rappor in memory. */
struct google {
	struct sotto_local_google params;
	uint64_t *reports, *ones;
	struct sotto_local_map map;
	struct sotto_local_names names;
};

static void google_release(struct google *g)
{
	free(g->reports);
	free(g->ones);
	sotto_local_map_release(&g->map);
	sotto_local_names_release(&g->names);
}

typedef enum sotto_status (*file_reader)(const char *text, size_t n, struct google *g,
					 const struct decode_settings *s,
					 struct sotto_error *err);

static enum sotto_status read_params(const char *text, size_t n, struct google *g,
				     const struct decode_settings *s, struct sotto_error *err)
{
	(void)s;
	return sotto_local_google_params(text, n, &g->params, err);
}

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
	return sotto_local_google_map(text, n, &g->params, &g->map, &g->names, err);
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

/* Cohorts whose sizes differ by more than chance and more than the mean deserve a word. */
static void warn_uneven(const struct google *g, FILE *err)
{
	uint64_t least = UINT64_MAX, most = 0, all = 0;

	for (uint32_t c = 0; c < g->params.cohorts; c++) {
		least = g->reports[c] < least ? g->reports[c] : least;
		most = g->reports[c] > most ? g->reports[c] : most;
		all += g->reports[c];
	}
	if (most - least > all / g->params.cohorts)
		fprintf(err, "warning: the cohorts differ in size by more than their mean; are "
			     "params "
			     "and counts of the same collection?\n");
}

static enum outcome
decode_google(const struct invocation *call, struct google *g, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	struct sotto_local_options o = local_decoding_options(&s->decoding);
	struct sotto_local_cohorts data = {.cohorts = g->params.cohorts,
					   .bits = g->params.bits,
					   .reports = g->reports,
					   .ones = g->ones};
	struct local_result r = {.count = g->names.count, .has_fit = true};
	enum sotto_status st;

	warn_uneven(g, call->err);
	sotto_local_rappor_rates(g->params.f, g->params.p, g->params.q, &data.p, &data.q);
	for (uint32_t c = 0; c < data.cohorts; c++)
		r.reports += g->reports[c];
	r.estimates = memory_new(r.count + 1, sizeof *r.estimates);
	r.names = memory_new(r.count + 1, sizeof *r.names);
	for (size_t i = 0; i < r.count; i++)
		r.names[i] = memory_copy_text(g->names.names[i]);
	st = sotto_local_rappor_decode(&data, &g->map, &o, r.estimates, &r.fit, err);
	if (st == SOTTO_OK)
		local_result_print(&r, &o, call);
	local_result_release(&r);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome run_google(const struct invocation *call, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	const char *counts = s->counts ? s->counts : s->reports;
	struct google g = {.params = {.bits = 0}};
	enum outcome outcome;

	if (!s->params || !counts || !s->map || (s->counts && s->reports))
		return complaint_usage(
			err, "give --snapshot, or --params, --map and one of --counts and "
			     "--reports");
	outcome = read_with(read_params, s->params, &g, s, err);
	if (outcome == OUTCOME_DONE)
		outcome = read_with(read_counts, counts, &g, s, err);
	if (outcome == OUTCOME_DONE)
		outcome = read_with(read_map, s->map, &g, s, err);
	if (outcome == OUTCOME_DONE)
		outcome = decode_google(call, &g, err);
	google_release(&g);
	return outcome;
}

static enum outcome print_mean(struct sotto_local_aggregate *a, const struct invocation *call,
			       double alpha, struct sotto_error *err)
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

static bool finds_strings(uint32_t protocol)
{
	return protocol == SOTTO_CLIENT_PEM || protocol == SOTTO_CLIENT_TREEHIST ||
	       protocol == SOTTO_CLIENT_SFP;
}

static enum outcome discover(struct sotto_local_aggregate *a, const struct invocation *call,
			     const struct sotto_local_options *o, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	struct sotto_local_search search = {.options = *o,
					    .keep = s->keep.value,
					    .alphabet = (const uint8_t *)s->alphabet,
					    .alphabet_size = strlen(s->alphabet)};
	struct local_result r;
	enum outcome outcome = local_discover(a, &search, &r, err);

	if (outcome == OUTCOME_DONE) {
		local_result_print(&r, o, call);
		local_result_release(&r);
	}
	return outcome;
}

static enum outcome decode_snapshot(struct sotto_local_aggregate *a,
				    const struct invocation *call, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	struct sotto_local_options o = local_decoding_options(&s->decoding);
	struct local_lines lines = {.count = 0};
	struct local_result r;
	enum outcome outcome = OUTCOME_DONE;

	if (sotto_local_aggregate_counts(a).params->protocol == SOTTO_CLIENT_ONE_BIT_MEAN)
		return print_mean(a, call, o.alpha, err);
	if (finds_strings(sotto_local_aggregate_counts(a).params->protocol))
		return discover(a, call, &o, err);
	if (s->candidates)
		outcome = local_read_lines(s->candidates, &lines, err);
	if (outcome == OUTCOME_DONE)
		outcome = local_decode_aggregate(a, s->candidates ? &lines : NULL, &o, &r, err);
	if (outcome == OUTCOME_DONE) {
		local_result_print(&r, &o, call);
		local_result_release(&r);
	}
	local_lines_release(&lines);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	struct sotto_local_aggregate *a;
	enum sotto_status st;
	enum outcome outcome;

	if (!s->snapshot)
		return run_google(call, err);
	if (s->params || s->counts || s->map || s->reports)
		return complaint_usage(err,
				       "--snapshot holds its own parameters and counts; leave "
				       "--params, --counts, --reports and --map out");
	st = sotto_local_aggregate_load(s->snapshot, &a, err);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	outcome = decode_snapshot(a, call, err);
	sotto_local_aggregate_free(a);
	return outcome;
}

const struct command command_local_decode = {
	.name = "decode",
	.summary = "estimate how many users hold each value",
	.usage = "--snapshot FILE [--candidates FILE] [OPTION]...\n"
		 "--params FILE --counts FILE --map FILE [OPTION]...",
	.details =
		"The estimate is unbiased and may be negative; the interval, z and the test "
		"belong\n"
		"to it.  The consistent value is post-processed: for showing, not for testing.",
	.options = options,
	.settings_size = sizeof(struct decode_settings),
	.prints_results = true,
	.run = run,
};
