/* sotto local simulate: how well a design works on made-up people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/decode/local_mean.h"
#include "local/design/local_attack.h"
#include "show/progress.h"
#include "show/table.h"
#include "show/terminal.h"
#include "show/waiting.h"

struct simulate_settings {
	const char *params, *distribution, *svg, *walk;
	struct option_count values, clients, extra, runs, seed, reports, fakes, rounds;
	size_t attack; /* 0 none, then as local_attacks */
	bool fast, missing;
	struct local_decoding decoding;
};

static const char *const attack_choices[] = {"none",    "averaging", "change",
					     "linkage", "poison",    NULL};

static const struct option options[] = {
	{.name = "params",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .required = true,
	 .help = "the collection's parameters",
	 .offset = offsetof(struct simulate_settings, params)},
	{.name = "dist",
	 .argument = "D",
	 .kind = OPTION_TEXT,
	 .fallback = "zipf1",
	 .help = "unif, exp, gauss, zipf1, zipf1.5, zipf:S or spike",
	 .offset = offsetof(struct simulate_settings, distribution)},
	{.name = "values",
	 .argument = "R",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .help = "values that people hold: v1, v2, ... or 0, 1, ...",
	 .offset = offsetof(struct simulate_settings, values)},
	{.name = "clients",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "1000",
	 .help = "number of people; with --attack, number of devices",
	 .offset = offsetof(struct simulate_settings, clients)},
	{.name = "extra",
	 .argument = "X",
	 .kind = OPTION_COUNT,
	 .fallback = "0",
	 .help = "candidates that nobody holds",
	 .offset = offsetof(struct simulate_settings, extra)},
	{.name = "missing",
	 .kind = OPTION_FLAG,
	 .help = "leave strings that end in 9 out of the candidates",
	 .offset = offsetof(struct simulate_settings, missing)},
	{.name = "runs",
	 .argument = "T",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "1",
	 .help = "repeat and print means and their errors",
	 .offset = offsetof(struct simulate_settings, runs)},
	{.name = "seed",
	 .argument = "S",
	 .kind = OPTION_COUNT,
	 .fallback = "1",
	 .help = "seed of the made-up people",
	 .offset = offsetof(struct simulate_settings, seed)},
	{.name = "fast",
	 .kind = OPTION_FLAG,
	 .help = "draw the counters, not the reports (same law)",
	 .offset = offsetof(struct simulate_settings, fast)},
	{.name = "svg",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "draw truth against estimate",
	 .offset = offsetof(struct simulate_settings, svg)},
	{.name = "walk",
	 .argument = "W",
	 .kind = OPTION_TEXT,
	 .help = "for 1bitmean: numbers that change over time, ar1 or sticky",
	 .offset = offsetof(struct simulate_settings, walk)},
	{.name = "rounds",
	 .argument = "T",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "10",
	 .help = "with --walk: number of rounds",
	 .offset = offsetof(struct simulate_settings, rounds)},
	{.name = "attack",
	 .argument = "A",
	 .kind = OPTION_CHOICE,
	 .choices = attack_choices,
	 .help = "instead: what that attack achieves on --clients devices",
	 .offset = offsetof(struct simulate_settings, attack)},
	{.name = "reports",
	 .argument = "T",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "100",
	 .help = "with --attack averaging: reports that are seen of each device",
	 .offset = offsetof(struct simulate_settings, reports)},
	{.name = "fakes",
	 .argument = "M",
	 .kind = OPTION_COUNT,
	 .fallback = "10",
	 .help = "with --attack poison: number of made-up users",
	 .offset = offsetof(struct simulate_settings, fakes)},
	LOCAL_DECODING_OPTIONS(struct simulate_settings),
	OPTIONS_END};

/* One run's scores. */
struct score {
	double found, false_found, missed, variation, allocated, covered;
};

struct world {
	const struct simulate_settings *settings;
	struct sotto_client_params params;
	size_t candidates; /* values and extras, less what is missing */
	uint64_t *holders, *truth; /* of each value, of each candidate */
	struct local_lines names; /* of string collections */
	bool strings;
	struct progress bar;
};

enum { PARTS = 64 }; /* of a run, for the bar */

static bool takes_strings(const struct sotto_client_params *p)
{
	return !sotto_client_takes_number(p);
}

/* Strings v9, v19, v29, ... */
static bool is_missing(const struct world *w, size_t value)
{
	return w->settings->missing && w->strings && (value + 1) % 10 == 9;
}

static size_t values_in_all(const struct world *w)
{
	return w->settings->values.value + w->settings->extra.value;
}

static void name_candidates(struct world *w)
{
	size_t all = values_in_all(w), room = all * 24 + 1, at = 0;

	w->names.text = memory_new(room, 1);
	w->names.strings = memory_new(all + 1, sizeof *w->names.strings);
	w->names.lengths = memory_new(all + 1, sizeof *w->names.lengths);
	for (size_t i = 0; i < all; i++) {
		int n = w->strings ? snprintf(w->names.text + at, room - at, "v%zu", i + 1)
				   : snprintf(w->names.text + at, room - at, "%zu", i);

		if (is_missing(w, i))
			continue;
		w->names.strings[w->names.count] = w->names.text + at;
		w->names.lengths[w->names.count++] = (size_t)n;
		at += (size_t)n + 1;
	}
	w->candidates = w->names.count;
}

/* The users of each candidate. */
static void fill_truth(struct world *w)
{
	size_t at = 0;

	for (size_t i = 0; i < values_in_all(w); i++)
		if (!is_missing(w, i))
			w->truth[at++] = w->holders[i];
}

/* People who are clients of their own report in parts, so that a person sees how far it is. */
static enum sotto_status collect_in_parts(struct world *w, uint64_t run, struct sotto_rng *rng,
					  struct sotto_local_aggregate *a,
					  struct sotto_error *err)
{
	size_t values = w->settings->values.value;
	uint64_t *some = memory_new(values + 1, sizeof *some);
	enum sotto_status st = SOTTO_OK;

	for (uint64_t part = 0; part < PARTS && st == SOTTO_OK; part++) {
		for (size_t i = 0; i < values; i++)
			some[i] = w->holders[i] * (part + 1) / PARTS -
				  w->holders[i] * part / PARTS;
		st = sotto_local_simulate(a, some, values, rng, err);
		progress_step(&w->bar, run * PARTS + part + 1);
	}
	free(some);
	return st;
}

static enum sotto_status
collect(struct world *w, uint64_t run, struct sotto_local_aggregate *a, struct sotto_error *err)
{
	const struct simulate_settings *s = w->settings;
	struct sotto_rng *rng;
	enum sotto_status st;

	if (s->fast)
		return sotto_local_simulate_fast(a, w->holders, s->values.value,
						 ~s->seed.value + 7919 * run, err);
	st = sotto_rng_open(&rng);
	if (st != SOTTO_OK)
		return st;
	st = collect_in_parts(w, run, rng, a, err);
	sotto_rng_close(rng);
	return st;
}

static enum outcome
one_run(struct world *w, uint64_t run, struct local_result *r, struct sotto_error *err)
{
	const struct simulate_settings *s = w->settings;
	struct sotto_local_options o = local_decoding_options(&s->decoding);
	struct local_question question = {.candidates = &w->names, .options = &o};
	struct sotto_local_aggregate *a = NULL;
	enum outcome outcome;
	enum sotto_status st;

	memset(w->holders, 0, values_in_all(w) * sizeof *w->holders);
	st = sotto_local_population(s->distribution, s->values.value, s->clients.value,
				    s->seed.value + 1000003 * run, w->holders, err);
	if (st == SOTTO_OK) {
		fill_truth(w);
		st = sotto_local_aggregate_new(&w->params, &a);
	}
	if (st == SOTTO_OK)
		st = collect(w, run, a, err);
	outcome = st == SOTTO_OK ? local_decode_aggregate(a, &question, r, err)
				 : local_failed(st, err);
	sotto_local_aggregate_free(a);
	return outcome;
}

static struct score judge(const struct world *w, const struct local_result *r)
{
	struct score s = {0};
	double n = (double)w->settings->clients.value;

	for (size_t i = 0; i < r->count; i++) {
		const struct sotto_local_estimate *e = &r->estimates[i];
		double truth = (double)w->truth[i];

		s.found += e->significant && truth > 0;
		s.false_found += e->significant && truth == 0;
		s.missed += !e->significant && truth > 0;
		s.variation += fabs(e->post - truth) / n / 2;
		s.allocated += e->significant ? e->count / n : 0;
		s.covered += (e->low <= truth && truth <= e->high) / (double)r->count;
	}
	return s;
}

static void
print_truth(const struct world *w, const struct local_result *r, const struct invocation *call)
{
	static const struct column columns[] = {
		{"value", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"truth", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
		{"estimate", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"significant", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"consistent", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 7);
	for (size_t i = 0; i < r->count; i++) {
		const struct sotto_local_estimate *e = &r->estimates[i];

		table_add_text(&t, r->names[i]);
		table_add_integer(&t, (int64_t)w->truth[i]);
		table_add_double(&t, e->count, 6);
		table_add_double(&t, e->low, 6);
		table_add_double(&t, e->high, 6);
		table_add_text(&t, e->significant ? "yes" : "no");
		table_add_double(&t, e->post, 6);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static void print_scores(const struct score *sum, const struct score *squares, double runs,
			 const struct invocation *call)
{
	static const struct column columns[] = {
		{"metric", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"mean", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"standard_error", "std error", COLUMN_NUMBER, ALIGN_BY_KIND}};
	static const char *const names[] = {"found",           "false_found", "missed",
					    "total_variation", "allocated",   "covered"};
	struct table t;

	table_init(&t, columns, 3);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		double mean = ((const double *)sum)[i] / runs;
		double variance =
			(((const double *)squares)[i] - runs * mean * mean) / fmax(runs - 1, 1);

		table_add_text(&t, names[i]);
		table_add_double(&t, mean, 5);
		table_add_double(&t, sqrt(fmax(variance, 0) / runs), 3);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static enum outcome
repeat(struct world *w, const struct invocation *call, struct sotto_error *err)
{
	const struct simulate_settings *s = w->settings;
	struct score sum = {0}, squares = {0};
	enum outcome outcome = OUTCOME_DONE;

	progress_begin(&w->bar, "simulating", s->runs.value * PARTS);
	for (uint64_t run = 0; run < s->runs.value && outcome == OUTCOME_DONE; run++) {
		struct local_result r;
		struct score one;

		outcome = one_run(w, run, &r, err);
		progress_step(&w->bar, (run + 1) * PARTS);
		if (outcome != OUTCOME_DONE)
			break;
		one = judge(w, &r);
		for (size_t i = 0; i < sizeof one / sizeof(double); i++) {
			double x = ((const double *)&one)[i];

			((double *)&sum)[i] += x;
			((double *)&squares)[i] += x * x;
		}
		if (s->runs.value == 1) {
			progress_end(&w->bar);
			print_truth(w, &r, call);
		}
		if (s->svg && run == 0 &&
		    !local_chart_write(s->svg, &r, w->truth,
				       sotto_rational_double_down(&s->decoding.alpha.value)))
			outcome = complaint_refuse(err, "could not write %s", s->svg);
		local_result_release(&r);
	}
	progress_end(&w->bar);
	if (outcome == OUTCOME_DONE && (s->runs.value > 1 || call->format == FORMAT_TABLE)) {
		if (s->runs.value == 1)
			fprintf(call->out, "\n");
		print_scores(&sum, &squares, (double)s->runs.value, call);
	}
	return outcome;
}

static enum outcome
compare(struct world *w, const struct invocation *call, struct sotto_error *err)
{
	const struct simulate_settings *s = w->settings;
	const struct local_people people = {.distribution = s->distribution,
					    .values = s->values.value,
					    .runs = s->runs.value,
					    .walk = s->walk,
					    .rounds = s->rounds.value,
					    .clients = s->clients.value,
					    .seed = s->seed.value};
	enum outcome outcome;

	if (s->walk)
		return local_simulate_rounds(&w->params, &people, call, err);
	if (!s->values.given)
		return complaint_usage(err, "--values is needed");
	if (w->params.protocol == SOTTO_CLIENT_ONE_BIT_MEAN)
		return local_simulate_mean(&w->params, &people, call, err);
	if (s->fast && !sotto_local_simulate_fast_has(&w->params))
		return complaint_refuse(err,
					"--fast does not have this protocol; leave it out");
	if (!w->strings && values_in_all(w) > w->params.size)
		return complaint_refuse(
			err, "the collection has %u values; lower --values or --extra",
			w->params.size);
	w->holders = memory_new(values_in_all(w) + 1, sizeof *w->holders);
	w->truth = memory_new(values_in_all(w) + 1, sizeof *w->truth);
	name_candidates(w);
	outcome = repeat(w, call, err);
	local_lines_release(&w->names);
	free(w->holders);
	free(w->truth);
	return outcome;
}

static enum outcome
attack_or_mean(struct world *w, const struct invocation *call, struct sotto_error *err)
{
	const struct simulate_settings *s = w->settings;
	struct attack_settings attack = {.params = s->params,
					 .devices = s->clients,
					 .reports = s->reports,
					 .fakes = s->fakes};

	return s->attack > 0 ? local_attack_run(&attack, s->attack - 1, call, err)
			     : compare(w, call, err);
}

/* What has no bar shows the seconds, and prints when it is done. */
static enum outcome
run_other(struct world *w, const struct invocation *call, struct sotto_error *err)
{
	struct invocation held = *call;
	struct waiting waiting;
	enum outcome outcome;
	char *text = NULL;
	size_t n = 0;

	if (!terminal_is(stderr))
		return attack_or_mean(w, call, err);
	held.out = open_memstream(&text, &n);
	if (!held.out)
		memory_fail();
	waiting_begin(&waiting, "simulating");
	outcome = attack_or_mean(w, &held, err);
	waiting_end(&waiting);
	fclose(held.out);
	fwrite(text, 1, n, call->out);
	free(text);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct simulate_settings *s = call->settings;
	struct world w = {.settings = s};
	enum outcome outcome;

	outcome = local_read_params(s->params, &w.params, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	w.strings = takes_strings(&w.params);
	if (s->attack == 0 && !s->walk && w.params.protocol != SOTTO_CLIENT_ONE_BIT_MEAN)
		return compare(&w, call, err); /* with a bar */
	return run_other(&w, call, err);
}

const struct command command_local_simulate = {
	.name = "simulate",
	.summary = "make people up, collect from them, compare with the truth",
	.usage = "--params FILE --values R [--clients N] [OPTION]...\n"
		 "--params FILE --walk W [OPTION]...\n"
		 "--params FILE --attack A [OPTION]...",
	.details = "Without --fast every person is a real client with real randomness.",
	.options = options,
	.settings_size = sizeof(struct simulate_settings),
	.prints_results = true,
	.run = run,
};
