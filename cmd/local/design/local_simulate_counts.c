/* Values that people hold: made up, collected, decoded, and compared with the truth. */
#include "local/design/local_simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/progress.h"
#include "show/table.h"

/* One run's scores. */
struct score {
	double found, false_found, missed, variation, allocated, covered;
};

struct world {
	const struct local_counts *settings;
	const struct sotto_client_params *params;
	bool new_hashes; /* in each run: the intervals are stated over their choice */
	size_t candidates; /* values and extras, less what is missing */
	uint64_t *holders; /* of each value */
	uint64_t *truth; /* of each value that is estimated */
	struct local_lines names; /* of string collections */
	bool strings, finds; /* strings that are candidates, or that are found */
	struct progress bar;
};

enum { PARTS = 64 }; /* of a run, for the bar */

/* Strings v9, v19, v29, ... */
static bool is_missing(const struct world *w, size_t value)
{
	return w->settings->missing && w->strings && (value + 1) % 10 == 9;
}

static size_t values_in_all(const struct world *w)
{
	return w->settings->people.values + w->settings->extra;
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

	w->truth = memory_new(values_in_all(w) + 1, sizeof *w->truth);
	for (size_t i = 0; i < values_in_all(w); i++)
		if (!is_missing(w, i))
			w->truth[at++] = w->holders[i];
}

/* The users of each string that was found: of v7 those of value 6, of any other nobody. */
static void fill_truth_of_found(struct world *w, const struct local_result *r)
{
	w->truth = memory_new(r->count + 1, sizeof *w->truth);
	for (size_t i = 0; i < r->count; i++) {
		unsigned long long value = strtoull(r->names[i] + 1, NULL, 10);
		char name[32];

		snprintf(name, sizeof name, "v%llu", value);
		if (value > 0 && value <= w->settings->people.values &&
		    strcmp(name, r->names[i]) == 0)
			w->truth[i] = w->holders[value - 1];
	}
}

/* People who are clients of their own report in parts, so that a person sees how far it is. */
static enum sotto_status collect_in_parts(struct world *w, uint64_t run, struct sotto_rng *rng,
					  struct sotto_local_aggregate *a,
					  struct sotto_error *err)
{
	size_t values = w->settings->people.values;
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
	const struct local_counts *s = w->settings;
	struct sotto_rng *rng;
	enum sotto_status st;

	if (s->fast)
		return sotto_local_simulate_fast(a, w->holders, s->people.values,
						 ~s->people.seed + 7919 * run, err);
	st = sotto_rng_open(&rng);
	if (st != SOTTO_OK)
		return st;
	st = collect_in_parts(w, run, rng, a, err);
	sotto_rng_close(rng);
	return st;
}

/* The first run has the collection's own hash functions, so that one run is what decode sees. */
static struct sotto_client_params params_of_run(const struct world *w, uint64_t run)
{
	struct sotto_client_params params = *w->params;

	if (w->new_hashes)
		params.salt += run;
	return params;
}

static enum outcome decode(struct world *w, struct sotto_local_aggregate *a,
			   struct local_result *r, struct sotto_error *err)
{
	static const char alphabet[] = "v0123456789"; /* of the names */
	struct sotto_local_options o = local_decoding_options(w->settings->decoding);
	struct local_question question = {.candidates = &w->names, .options = &o};
	struct sotto_local_search search = {.options = o,
					    .alphabet = (const uint8_t *)alphabet,
					    .alphabet_size = sizeof alphabet - 1};
	enum outcome outcome = w->finds ? local_discover(a, &search, r, err)
					: local_decode_aggregate(a, &question, r, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (w->finds)
		fill_truth_of_found(w, r);
	else
		fill_truth(w);
	return OUTCOME_DONE;
}

static enum outcome
one_run(struct world *w, uint64_t run, struct local_result *r, struct sotto_error *err)
{
	const struct local_counts *s = w->settings;
	struct sotto_client_params params = params_of_run(w, run);
	struct sotto_local_aggregate *a = NULL;
	enum outcome outcome;
	enum sotto_status st;

	memset(w->holders, 0, values_in_all(w) * sizeof *w->holders);
	st = sotto_local_population(s->people.distribution, s->people.values, s->people.clients,
				    s->people.seed + 1000003 * run, w->holders, err);
	if (st == SOTTO_OK)
		st = sotto_local_aggregate_new(&params, &a);
	if (st == SOTTO_OK)
		st = collect(w, run, a, err);
	outcome = st == SOTTO_OK ? decode(w, a, r, err) : local_failed(st, err);
	sotto_local_aggregate_free(a);
	return outcome;
}

/* Strings that were not found have the estimate 0. */
static void add_unfound(const struct world *w, struct score *s, size_t count)
{
	double n = (double)w->settings->people.clients, users = n;

	for (size_t i = 0; i < w->settings->people.values; i++)
		s->missed += w->holders[i] > 0;
	s->missed -= s->found;
	for (size_t i = 0; i < count; i++)
		users -= (double)w->truth[i];
	s->variation += users / n / 2;
}

static struct score judge(const struct world *w, const struct local_result *r)
{
	struct score s = {0};
	double n = (double)w->settings->people.clients;

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
	if (w->finds)
		add_unfound(w, &s, r->count);
	if (r->count == 0)
		s.covered = 1; /* of no intervals none is wrong */
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

static void print_hashes(const struct world *w, const struct invocation *call)
{
	if (call->format != FORMAT_TABLE || w->settings->people.runs == 1 ||
	    !sotto_local_is_salted(w->params))
		return;
	fprintf(call->out, w->new_hashes
				   ? "\neach run has its own hash functions: intervals hold "
				     "over their choice\n"
				   : "\nall runs have the same hash functions: intervals hold "
				     "over their choice, not for each\n");
}

static enum outcome
repeat(struct world *w, const struct invocation *call, struct sotto_error *err)
{
	const struct local_counts *s = w->settings;
	struct score sum = {0}, squares = {0};
	enum outcome outcome = OUTCOME_DONE;

	progress_begin(&w->bar, "simulating", s->people.runs * PARTS);
	for (uint64_t run = 0; run < s->people.runs && outcome == OUTCOME_DONE; run++) {
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
		if (s->people.runs == 1) {
			progress_end(&w->bar);
			print_truth(w, &r, call);
		}
		if (s->svg && run == 0 &&
		    !local_chart_write(s->svg, &r, w->truth,
				       sotto_rational_double_down(&s->decoding->alpha.value),
				       s->people.runs))
			outcome = complaint_refuse(err, "could not write %s", s->svg);
		local_result_release(&r);
		free(w->truth);
		w->truth = NULL;
	}
	progress_end(&w->bar);
	if (outcome == OUTCOME_DONE && (s->people.runs > 1 || call->format == FORMAT_TABLE)) {
		if (s->people.runs == 1)
			fprintf(call->out, "\n");
		print_scores(&sum, &squares, (double)s->people.runs, call);
		print_hashes(w, call);
	}
	return outcome;
}

/* Why these people cannot report in this collection, if they cannot. */
static enum outcome check(const struct world *w, struct sotto_error *err)
{
	const struct local_counts *s = w->settings;
	size_t letters = (size_t)snprintf(NULL, 0, "v%zu", (size_t)s->people.values);

	if (s->fast && !sotto_local_simulate_fast_has(w->params))
		return complaint_refuse(err,
					"--fast does not have this protocol; leave it out");
	if (!w->strings && values_in_all(w) > w->params->size)
		return complaint_refuse(
			err, "the collection has %u values; lower --values or --extra",
			w->params->size);
	if (w->finds && (s->extra > 0 || s->missing))
		return complaint_usage(
			err, "%s finds the strings itself: leave --extra and --missing out",
			sotto_local_protocol_name(w->params->protocol));
	if (w->finds &&
	    w->params->size < (w->params->protocol == SOTTO_CLIENT_SFP ? 1 : 8) * letters)
		return complaint_refuse(err,
					"strings up to v%zu do not fit the size of the "
					"parameters: lower --values",
					(size_t)s->people.values);
	return OUTCOME_DONE;
}

enum outcome local_simulate_counts(const struct sotto_client_params *params,
				   const struct local_counts *counts,
				   const struct invocation *call, struct sotto_error *err)
{
	struct world w = {.settings = counts,
			  .params = params,
			  .new_hashes = !counts->same_hashes && sotto_local_is_salted(params),
			  .strings = !sotto_client_takes_number(params),
			  .finds = local_finds_strings(params)};
	enum outcome outcome;

	outcome = check(&w, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	w.holders = memory_new(values_in_all(&w) + 1, sizeof *w.holders);
	name_candidates(&w);
	outcome = repeat(&w, call, err);
	local_lines_release(&w.names);
	free(w.holders);
	return outcome;
}
