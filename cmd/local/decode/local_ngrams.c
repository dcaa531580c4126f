/* Candidate strings from reports of pairs of n-grams, or from a graph of such pairs. */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/decode/local_assoc.h"
#include "local/decode/local_graph.h"
#include "show/table.h"

struct ngrams_settings {
	const char *params, *reports, *alphabet, *graph, *from_graph;
	struct option_count positions, size, most, iterations;
	struct option_rational alpha, threshold;
	size_t mode;
	bool fold;
};

static const struct option options[] = {
	{.name = "params",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "params.csv of google/rappor",
	 .offset = offsetof(struct ngrams_settings, params)},
	{.name = "reports",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "CSV with client,cohort,left,right,first,second: two positions and their bits",
	 .offset = offsetof(struct ngrams_settings, reports)},
	{.name = "mode",
	 .argument = "MODE",
	 .kind = OPTION_CHOICE,
	 .choices = local_modes,
	 .help = "the client whose hash functions were used; with --reports not native",
	 .offset = offsetof(struct ngrams_settings, mode)},
	{.name = "positions",
	 .argument = "K",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "3",
	 .help = "number of n-grams of a string",
	 .offset = offsetof(struct ngrams_settings, positions)},
	{.name = "size",
	 .argument = "L",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "2",
	 .help = "number of characters of an n-gram",
	 .offset = offsetof(struct ngrams_settings, size)},
	{.name = "alphabet",
	 .argument = "LETTERS",
	 .kind = OPTION_TEXT,
	 .fallback = "abcdefghijklmnopqrstuvwxyz",
	 .help = "the letters of the strings",
	 .offset = offsetof(struct ngrams_settings, alphabet)},
	{.name = "alpha",
	 .argument = "A",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_INSIDE_UNIT,
	 .fallback = "0.05",
	 .help = "error rate of finding n-grams and pairs, over all of them",
	 .offset = offsetof(struct ngrams_settings, alpha)},
	{.name = "threshold",
	 .argument = "F",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_BELOW_ONE,
	 .fallback = "0",
	 .help = "least share of users that a pair must have; 0: as --alpha demands",
	 .offset = offsetof(struct ngrams_settings, threshold)},
	{.name = "graph",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "write the graph of pairs to this file",
	 .offset = offsetof(struct ngrams_settings, graph)},
	{.name = "from-graph",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "read such a graph in place of reports",
	 .offset = offsetof(struct ngrams_settings, from_graph)},
	{.name = "most",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "100000",
	 .help = "find at most N strings",
	 .offset = offsetof(struct ngrams_settings, most)},
	LOCAL_ITERATIONS_OPTION(struct ngrams_settings),
	LOCAL_FOLD_OPTION(struct ngrams_settings),
	OPTIONS_END};

struct pair_reports {
	struct sotto_local_ngram_report *items;
	size_t count;
};

static bool read_pair(const struct csv_reader *r, const struct sotto_local_google *g,
		      const struct ngrams_settings *s, struct sotto_local_ngram_report *out)
{
	uint64_t left, right;

	if (r->field_count < 6 ||
	    !assoc_cohort(csv_field(r, 1), g->cohorts, s->fold, &out->cohort) ||
	    !local_number(csv_field(r, 2), strlen(csv_field(r, 2)), &left) ||
	    !local_number(csv_field(r, 3), strlen(csv_field(r, 3)), &right) || left >= right ||
	    right >= s->positions.value)
		return false;
	out->left = (uint32_t)left;
	out->right = (uint32_t)right;
	return assoc_bits(csv_field(r, 4), g->bits, &out->bits[0]) &&
	       assoc_bits(csv_field(r, 5), g->bits, &out->bits[1]);
}

static bool header_is(const struct csv_reader *r)
{
	static const char *const want[] = {"client", "cohort", "left",
					   "right",  "first",  "second"};

	for (size_t i = 0; i < 6; i++)
		if (i >= r->field_count || strcmp(csv_field(r, i), want[i]) != 0)
			return false;
	return true;
}

static enum outcome read_pairs(FILE *in, const struct sotto_local_google *g,
			       const struct ngrams_settings *s, struct pair_reports *out,
			       struct sotto_error *err)
{
	struct csv_reader r;
	enum csv_result got;
	enum outcome outcome = OUTCOME_DONE;

	csv_init(&r, in);
	got = csv_next(&r, err);
	if (got != CSV_RECORD || !header_is(&r))
		outcome = complaint_refuse(
			err,
			"reports: the header must be client,cohort,left,right,first,second");
	while (outcome == OUTCOME_DONE && (got = csv_next(&r, err)) == CSV_RECORD) {
		out->items = memory_grow(out->items, out->count, sizeof *out->items);
		if (!read_pair(&r, g, s, &out->items[out->count++]))
			outcome = complaint_refuse(err,
						   "reports: line %zu must hold a cohort, two "
						   "positions and two strings of %u bits",
						   r.start, g->bits);
	}
	csv_release(&r);
	return outcome == OUTCOME_DONE && got == CSV_BROKEN ? OUTCOME_REFUSED : outcome;
}

static enum outcome
find_graph(const struct ngrams_settings *s, const struct sotto_local_google *g,
	   const struct graph_names *names, const struct pair_reports *reports,
	   struct sotto_local_graph *out, struct sotto_error *err)
{
	struct sotto_compat c = local_compat(s->mode, g);
	struct sotto_local_google real = *g;
	struct sotto_local_ngrams q = {
		.positions = (uint32_t)s->positions.value,
		.bits = g->bits,
		.alpha = sotto_rational_double_up(&s->alpha.value),
		.threshold = sotto_rational_double_down(&s->threshold.value),
		.iterations = s->iterations.value < UINT32_MAX ? (unsigned)s->iterations.value
							       : UINT32_MAX};
	struct sotto_local_map map;
	enum outcome able = local_compat_check(&c, err);
	enum sotto_status st;

	if (able != OUTCOME_DONE)
		return able;
	local_realised(s->mode, &real);
	sotto_local_rappor_rates(real.f, real.p, real.q, &q.p, &q.q);
	if (q.p == q.q)
		return complaint_refuse(err,
					"%s realises f, p and q as %.10g, %.10g and %.10g, "
					"with which nothing can be decoded",
					local_modes[s->mode], real.f, real.p, real.q);
	st = sotto_local_map_compat(&c, (const void *const *)names->texts, names->lengths,
				    names->count, &map);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	q.map = &map;
	st = sotto_local_ngrams_graph(&q, reports->items, reports->count, out, err);
	sotto_local_map_release(&map);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome decode_pairs(const struct ngrams_settings *s, struct graph_names *names,
				 struct sotto_local_graph *out, struct sotto_error *err)
{
	struct sotto_local_google g;
	struct pair_reports reports = {.count = 0};
	enum outcome outcome = local_read_google(s->params, &g, err);
	FILE *in;

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (g.bits > 64 || s->positions.value < 2 || s->positions.value > 64)
		return complaint_refuse(err,
					"n-grams take 2 to 64 positions and at most 64 bits");
	if (!graph_names_all(names, s->alphabet, s->size.value))
		return complaint_refuse(err, "there are too many n-grams of that size");
	in = fopen(s->reports, "r");
	if (!in)
		return complaint_refuse(err, "could not open %s", s->reports);
	outcome = read_pairs(in, &g, s, &reports, err);
	fclose(in);
	if (outcome == OUTCOME_DONE)
		outcome = find_graph(s, &g, names, &reports, out, err);
	free(reports.items);
	return outcome;
}

static enum outcome print_strings(const struct sotto_local_graph *g,
				  const struct graph_names *names, size_t most,
				  const struct invocation *call, struct sotto_error *err)
{
	static const struct column columns[] = {{"string", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct sotto_local_cliques c;
	enum sotto_status st = sotto_local_graph_cliques(g, most, &c);
	struct table t;

	if (st != SOTTO_OK)
		return local_failed(st, err);
	table_init(&t, columns, 1);
	for (size_t i = 0; i < c.count; i++) {
		char *text = graph_string(g, names, c.strings + i * g->positions);

		table_add_text(&t, text);
		free(text);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (call->format == FORMAT_TABLE)
		fprintf(call->out,
			"\n%zu strings from %zu pairs: candidates for sotto local decode, on "
			"the "
			"reports of\nwhole strings\n",
			c.count, g->count);
	if (c.capped)
		fprintf(call->err, "warning: there are more than %zu strings; raise --most\n",
			most);
	sotto_local_cliques_release(&c);
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct ngrams_settings *s = call->settings;
	struct graph_names names = {.count = 0};
	struct sotto_local_graph g = {.count = 0};
	enum outcome outcome;

	if (s->from_graph) {
		outcome = graph_read(s->from_graph, &names, &g, err);
	} else {
		if (!s->params || !s->reports || s->mode == 0)
			return complaint_usage(
				err, "give --params, --mode and --reports, or --from-graph");
		outcome = decode_pairs(s, &names, &g, err);
	}
	if (outcome == OUTCOME_DONE && g.unsettled > 0)
		fprintf(command_notes(call),
			"note: the shares of %zu pairs of positions have not converged; allow "
			"more with --iterations\n",
			g.unsettled);
	if (outcome == OUTCOME_DONE && s->graph)
		outcome = graph_write(s->graph, &names, &g, s->size.value, err);
	if (outcome == OUTCOME_DONE)
		outcome = print_strings(&g, &names, s->most.value, call, err);
	sotto_local_graph_release(&g);
	graph_names_release(&names);
	return outcome;
}

const struct command command_local_ngrams = {
	.name = "ngrams",
	.summary = "find strings from rappor reports of pairs of their n-grams",
	.usage = "--params FILE --mode MODE --reports FILE [OPTION]...\n--from-graph FILE "
		 "[OPTION]...",
	.details = "Pairs of n-grams that were found are the edges of a graph.  A string is\n"
		   "found if it has an n-gram for each position, and all pairs of them are\n"
		   "edges.  The strings are candidates: decode says which of them people hold.",
	.options = options,
	.settings_size = sizeof(struct ngrams_settings),
	.prints_results = true,
	.waits = "looking for strings",
	.run = run,
};
