/* sotto local privacy: what a collection costs each device. */
#include <math.h>

#include "frame/complaint.h"
#include "local/local_command.h"
#include "show/chart/chart.h"
#include "show/table.h"

struct privacy_settings {
	const char *params, *svg;
	struct option_count reports, shuffle;
	struct option_rational delta;
};

static const struct option options[] = {
	LOCAL_PARAMS_OPTION(struct privacy_settings),
	LOCAL_REPORTS_OPTION(struct privacy_settings),
	{.name = "shuffle",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .help = "also print epsilon if the reports of N users are shuffled",
	 .offset = offsetof(struct privacy_settings, shuffle)},
	{.name = "delta",
	 .argument = "D",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_INSIDE_UNIT,
	 .fallback = "1e-8",
	 .help = "with --shuffle: the delta",
	 .offset = offsetof(struct privacy_settings, delta)},
	{.name = "svg",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "draw how epsilon grows with the reports of one value",
	 .offset = offsetof(struct privacy_settings, svg)},
	OPTIONS_END};

static const struct column columns[] = {{"scope", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
					{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};

static void add_row(struct table *t, const char *scope, double epsilon)
{
	table_add_text(t, scope);
	if (isfinite(epsilon))
		table_add_double(t, epsilon, 10);
	else
		table_add_text(t, "unbounded");
}

/* A second round of noise is drawn for every report, whatever is memoized. */
static bool answers_vary(const struct sotto_client_params *p)
{
	if (p->protocol == SOTTO_CLIENT_RAPPOR)
		return p->zero.numerator > 0 || p->zero.certain || !p->one.certain;
	return !p->memoize || p->flip2.numerator > 0;
}

static void print_notes(const struct sotto_client_params *p, FILE *out)
{
	fprintf(out, "\nepsilon is computed from the integers that devices use, rounded up\n");
	if (p->protocol == SOTTO_CLIENT_RAPPOR) {
		fprintf(out, "each further distinct value costs the permanent epsilon again\n");
		if (p->size == 0 && p->hashes > 1)
			fprintf(out, "a value whose hashes collide sets fewer bits, so it is "
				     "protected better\n");
		if (p->groups > 1)
			fprintf(out,
				"the cohort is sent as it is: a permanent tag of %.1f bits\n",
				log2(p->groups));
	}
	if (answers_vary(p))
		fprintf(out, "answers to one value vary, so a changed one proves nothing\n");
	else if (p->memoize)
		fprintf(out, "a changed answer shows that the value changed\n");
	fprintf(out, "other metrics of the same device cost their own epsilon\n");
}

static bool has_tag(const struct sotto_client_params *p)
{
	return p->protocol == SOTTO_CLIENT_RAPPOR && p->groups > 1;
}

/* Two rows: the numeric clone, and the closed form where it holds. */
static void add_shuffled(struct table *t, const struct privacy_settings *s, double epsilon)
{
	struct sotto_local_shuffled shuffled;

	if (sotto_local_shuffle(epsilon, s->shuffle.value, &s->delta.value, &shuffled) !=
	    SOTTO_OK)
		return;
	add_row(t, "one report, shuffled (numeric clone)", shuffled.clone);
	if (isfinite(shuffled.closed))
		add_row(t, "one report, shuffled (clones in closed form)", shuffled.closed);
}

/* Epsilon after 1, 2, ... reports, and where it ends. */
static bool draw(const char *path, const struct sotto_client_params *p)
{
	enum { POINTS = 60 };
	double x[POINTS], after[POINTS], forever[POINTS];
	struct chart_line lines[] = {
		{.name = "so many reports", .x = x, .y = after, .count = POINTS},
		{.name = "any number of reports",
		 .x = x,
		 .y = forever,
		 .count = POINTS,
		 .dashed = true}};
	struct chart chart = {.title = "epsilon of all reports of one value",
			      .x_name = "reports",
			      .y_name = "epsilon",
			      .lines = lines,
			      .line_count = 2};
	struct sotto_local_privacy privacy;
	FILE *out;
	bool ok = true;

	for (int i = 0; ok && i < POINTS; i++) {
		sotto_local_privacy_init(&privacy);
		ok = sotto_local_privacy_state(p, (uint64_t)i + 1, &privacy) == SOTTO_OK;
		x[i] = i + 1;
		after[i] = privacy.after;
		forever[i] = privacy.permanent;
		sotto_local_privacy_release(&privacy);
	}
	out = ok ? fopen(path, "w") : NULL;
	ok = out && chart_write(&chart, out);
	return out && fclose(out) == 0 && ok;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct privacy_settings *s = call->settings;
	struct sotto_client_params p;
	struct sotto_local_privacy privacy;
	enum outcome outcome = local_read_params(s->params, &p, err);
	enum sotto_status st;
	struct table t;

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (s->shuffle.given && has_tag(&p))
		return complaint_refuse(err,
					"cohorts are tags that survive shuffling: --shuffle "
					"needs groups 1");
	if (s->svg && !draw(s->svg, &p))
		return complaint_refuse(err, "could not write %s", s->svg);
	sotto_local_privacy_init(&privacy);
	st = sotto_local_privacy_state(&p, s->reports.value, &privacy);
	if (st == SOTTO_OK) {
		table_init(&t, columns, 2);
		add_row(&t, "one report", privacy.report);
		add_row(&t, "all reports of one value", privacy.after);
		add_row(&t, "any number of reports of one value", privacy.permanent);
		add_row(&t, "a lifetime", privacy.lifetime);
		if (s->shuffle.given)
			add_shuffled(&t, s, privacy.report);
		table_print(&t, call->format, call->out);
		table_release(&t);
		if (call->format == FORMAT_TABLE)
			print_notes(&p, call->out);
	}
	sotto_local_privacy_release(&privacy);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

const struct command command_local_privacy = {
	.name = "privacy",
	.summary = "state what a collection costs each device",
	.usage = "--params FILE [OPTION]...",
	.options = options,
	.settings_size = sizeof(struct privacy_settings),
	.prints_results = true,
	.waits = "adding up",
	.run = run,
};
