/* sotto local decode: from counters to estimates. */
#include <stdlib.h>
#include <string.h>

#include "frame/complaint.h"
#include "local/decode/local_decoding.h"
#include "local/decode/local_mean.h"

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
	 .help = "counts.csv: for each cohort its reports, and the ones of each bit",
	 .offset = offsetof(struct decode_settings, counts)},
	{.name = "reports",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "reports.csv, in place of counts.csv: the reports are counted here",
	 .offset = offsetof(struct decode_settings, reports)},
	{.name = "map",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "map.csv: the bits of each candidate",
	 .offset = offsetof(struct decode_settings, map)},
	{.name = "candidates",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "one candidate on each line; - is standard input",
	 .offset = offsetof(struct decode_settings, candidates)},
	{.name = "mode",
	 .argument = "MODE",
	 .kind = OPTION_CHOICE,
	 .choices = local_modes,
	 .help = "with --counts or --reports: the client whose hash functions and rounding "
		 "were used",
	 .offset = offsetof(struct decode_settings, mode)},
	{.name = "alphabet",
	 .argument = "LETTERS",
	 .kind = OPTION_TEXT,
	 .fallback = "abcdefghijklmnopqrstuvwxyz",
	 .help = "for sfp: the letters of unknown strings",
	 .offset = offsetof(struct decode_settings, alphabet)},
	{.name = "keep",
	 .argument = "K",
	 .kind = OPTION_COUNT,
	 .fallback = "0",
	 .help = "for pem, treehist and sfp: prefixes or fragments to keep in each round; 0: "
		 "chosen for you",
	 .offset = offsetof(struct decode_settings, keep)},
	{.name = "fold",
	 .kind = OPTION_FLAG,
	 .help = "accept a counts.csv with more rows than cohorts",
	 .offset = offsetof(struct decode_settings, fold)},
	{.name = "dictionary",
	 .kind = OPTION_FLAG,
	 .help = "for cms: no other values exist than the candidates; solve for collisions",
	 .offset = offsetof(struct decode_settings, dictionary)},
	{.name = "bootstrap",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .fallback = "0",
	 .help = "for rappor: check the errors by N simulated runs, at least 200; 0: do not",
	 .offset = offsetof(struct decode_settings, bootstrap)},
	{.name = "seed",
	 .argument = "S",
	 .kind = OPTION_COUNT,
	 .fallback = "1",
	 .help = "seed of --bootstrap and of the noise in --method reference",
	 .offset = offsetof(struct decode_settings, seed)},
	{.name = "svg",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "draw the estimates and their intervals",
	 .offset = offsetof(struct decode_settings, svg)},
	LOCAL_DECODING_OPTIONS(struct decode_settings),
	OPTIONS_END};

enum outcome local_decode_show(const struct local_result *r,
			       const struct sotto_local_options *o,
			       const struct invocation *call, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;

	if (s->svg && !local_chart_write(s->svg, r, NULL, o->alpha, 1))
		return complaint_refuse(err, "could not write %s", s->svg);
	local_result_print(r, o, call);
	return OUTCOME_DONE;
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
		outcome = local_decode_show(&r, o, call, err);
		local_result_release(&r);
	}
	return outcome;
}

struct sotto_local_options local_decode_options(const struct decode_settings *s)
{
	struct sotto_local_options o = local_decoding_options(&s->decoding);

	o.seed = s->seed.value;
	return o;
}

static enum outcome decode_candidates(struct sotto_local_aggregate *a,
				      const struct invocation *call, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	struct sotto_local_options o = local_decode_options(s);
	struct local_lines lines = {.count = 0};
	struct google_map map = {.names = {.count = 0}};
	const struct sotto_client_params *p = sotto_local_aggregate_counts(a).params;
	struct sotto_local_google shape = {
		.bits = p->width, .hashes = p->hashes, .cohorts = p->groups};
	struct local_question q = {
		.options = &o, .bootstrap = s->bootstrap.value, .dictionary = s->dictionary};
	struct local_result r;
	enum outcome outcome = OUTCOME_DONE;

	if (s->candidates)
		outcome = local_read_candidates(s->candidates, &lines, err);
	else if (s->map)
		outcome = local_google_map_read(&shape, s->map, &map, err);
	q.candidates = s->candidates ? &lines : NULL;
	q.map = !s->candidates && s->map ? &map.map : NULL;
	q.names = q.map ? &map.names : NULL;
	if (outcome == OUTCOME_DONE)
		outcome = local_decode_aggregate(a, &q, &r, err);
	if (outcome == OUTCOME_DONE) {
		outcome = local_decode_show(&r, &o, call, err);
		local_result_release(&r);
	}
	local_lines_release(&lines);
	google_map_release(&map);
	return outcome;
}

static enum outcome decode_snapshot(struct sotto_local_aggregate *a,
				    const struct invocation *call, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	struct sotto_local_options o = local_decode_options(s);
	const struct sotto_client_params *p = sotto_local_aggregate_counts(a).params;
	bool finds = local_finds_strings(p), mean = p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN;

	if ((s->candidates || s->map) && (finds || mean))
		return complaint_usage(err, "%s %s: leave --candidates and --map out",
				       sotto_local_protocol_name(p->protocol),
				       finds ? "finds the strings itself"
					     : "estimates one mean and has no candidates");
	if (mean && s->svg)
		return complaint_usage(err, "a single mean cannot be drawn: leave --svg out");
	if (mean)
		return local_mean_print(a, o.alpha, call, err);
	if (finds)
		return discover(a, call, &o, err);
	return decode_candidates(a, call, err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct decode_settings *s = call->settings;
	struct sotto_local_aggregate *a;
	enum sotto_status st;
	enum outcome outcome;

	if (s->bootstrap.value > 0 &&
	    (s->bootstrap.value < BOOTSTRAP_MIN || s->bootstrap.value > UINT32_MAX))
		return complaint_refuse(err, "--bootstrap must be at least %d", BOOTSTRAP_MIN);
	if (s->bootstrap.value > 0 && s->decoding.method == SOTTO_LOCAL_METHOD_REFERENCE)
		return complaint_usage(err, "--bootstrap works only with --method regression");
	if (s->decoding.simultaneous && s->decoding.selected)
		return complaint_usage(err, "give --simultaneous or --selected, not both");
	if (s->map && s->candidates)
		return complaint_usage(err, "give --map or --candidates, not both");
	if (!s->snapshot)
		return local_decode_google(call, err);
	if (s->params || s->counts || s->reports)
		return complaint_usage(err,
				       "--snapshot holds its own parameters and counts; leave "
				       "--params, --counts and --reports out");
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
		 "--params FILE (--counts FILE|--reports FILE) (--map FILE|--candidates FILE) "
		 "[OPTION]...",
	.details =
		"The estimate is unbiased and may be negative.  The interval, z and the test\n"
		"belong to the estimate.  The consistent value is never negative: use it for\n"
		"display, not for tests.",
	.options = options,
	.settings_size = sizeof(struct decode_settings),
	.prints_results = true,
	.waits = "decoding",
	.run = run,
};
