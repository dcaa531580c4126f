/* sotto local plan: compares the protocols for a question, and writes parameters. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/complaint.h"
#include "local/design/local_emit.h"
#include "local/local_command.h"
#include "show/number_text.h"
#include "show/table.h"

struct plan_settings {
	struct option_count n, d, reports;
	struct option_rational eps, min_freq, alpha, delta;
	const char *protocol, *svg;
	bool memoize, emit_params;
	size_t emit;
};

enum { EMIT_NONE, EMIT_TEXT, EMIT_C };

/* The last ones in the order of enum local_emission. */
static const char *const plan_emissions[] = {"none", "text", "c", "js", "bytes", NULL};

static const struct option options[] = {
	{.name = "n",
	 .letter = 'n',
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .required = true,
	 .help = "number of users",
	 .offset = offsetof(struct plan_settings, n)},
	{.name = "d",
	 .letter = 'd',
	 .argument = "D",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .required = true,
	 .help = "number of values that are possible, or that you will ask about",
	 .offset = offsetof(struct plan_settings, d)},
	{.name = "eps",
	 .letter = 'e',
	 .argument = "E",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_POSITIVE,
	 .required = true,
	 .help = "epsilon of one report",
	 .offset = offsetof(struct plan_settings, eps)},
	{.name = "min-freq",
	 .argument = "F",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_INSIDE_UNIT,
	 .help = "say whether values of this frequency are found",
	 .offset = offsetof(struct plan_settings, min_freq)},
	LOCAL_REPORTS_OPTION(struct plan_settings),
	{.name = "alpha",
	 .argument = "A",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_INSIDE_UNIT,
	 .fallback = "0.05",
	 .help = "error rate of the tests, over all values",
	 .offset = offsetof(struct plan_settings, alpha)},
	{.name = "memoize",
	 .kind = OPTION_FLAG,
	 .help = "devices answer each value once, and repeat that answer for ever",
	 .offset = offsetof(struct plan_settings, memoize)},
	{.name = "delta",
	 .argument = "D",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_INSIDE_UNIT,
	 .help = "also print epsilon for somebody who sees only the shuffled reports",
	 .offset = offsetof(struct plan_settings, delta)},
	{.name = "svg",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "draw the least frequency, epsilon over the reports, and the size of a report",
	 .offset = offsetof(struct plan_settings, svg)},
	{.name = "protocol",
	 .argument = "NAME",
	 .kind = OPTION_TEXT,
	 .help = "with --emit: this protocol instead of the best one",
	 .offset = offsetof(struct plan_settings, protocol)},
	{.name = "emit",
	 .argument = "AS",
	 .kind = OPTION_CHOICE,
	 .choices = plan_emissions,
	 .help = "print the parameters in this form, instead of the table",
	 .offset = offsetof(struct plan_settings, emit)},
	{.name = "emit-params",
	 .kind = OPTION_FLAG,
	 .hidden = true,
	 .help = "the older spelling of --emit text",
	 .offset = offsetof(struct plan_settings, emit_params)},
	OPTIONS_END};

static const struct column columns[] = {
	{"protocol", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
	{"report_bytes", "bytes", COLUMN_INTEGER, ALIGN_BY_KIND},
	{"sd", "sd of a count", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"detects", "least frequency", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"epsilon_after", "after T", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"epsilon_permanent", "forever", COLUMN_TEXT, ALIGN_RIGHT},
	{"client_bytes", "client bytes", COLUMN_INTEGER, ALIGN_BY_KIND},
	{"server_bytes", "server bytes", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"decode_steps", "decode steps", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"cohorts", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
	{"cohort_sd", "sd in one", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"best", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
	{"epsilon_shuffled", "shuffled", COLUMN_TEXT, ALIGN_RIGHT}};

/* The last column is there with --delta. */
static size_t column_count(const struct plan_settings *s)
{
	return sizeof columns / sizeof columns[0] - (s->delta.given ? 0 : 1);
}

/* A cohort is a tag that shuffling leaves on the report. */
static void
add_shuffled(struct table *t, const struct plan_settings *s, const struct sotto_local_choice *c)
{
	struct sotto_local_shuffled shuffled;
	char *text;

	if (c->params.protocol == SOTTO_CLIENT_RAPPOR ||
	    sotto_local_shuffle(c->epsilon, s->n.value, &s->delta.value, &shuffled) !=
		    SOTTO_OK) {
		table_add_text(t, "no");
		return;
	}
	text = number_text_rounded_up(shuffled.clone, 4);
	table_add_text(t, text);
	free(text);
}

/* Whole up to 2^53; how many, not how exact. */
static void add_many(struct table *t, double x)
{
	if (x < 0x1p53)
		table_add_integer(t, llround(x));
	else
		table_add_double(t, x, 3);
}

static void
add_choice(struct table *t, const struct plan_settings *s, const struct sotto_local_choice *c)
{
	table_add_text(t, sotto_local_protocol_name(c->params.protocol));
	table_add_integer(t, (int64_t)c->report_bytes);
	table_add_double(t, c->sd, 5);
	if (c->detects <= 1)
		table_add_double(t, c->detects, 3);
	else
		table_add_nothing(t); /* not even a value that all users hold */
	table_add_double_up(t, c->epsilon, 6);
	table_add_double_up(t, c->after, 6);
	if (isfinite(c->permanent)) {
		char *text = number_text_rounded_up(c->permanent, 6);

		table_add_text(t, text);
		free(text);
	} else {
		table_add_text(t, "unbounded");
	}
	table_add_integer(t, (int64_t)c->client_bytes);
	add_many(t, c->server_bytes);
	add_many(t, c->decode_steps);
	table_add_integer(t, c->cohorts);
	table_add_double(t, c->cohort_sd, 3);
	table_add_text(t, c->best ? "best" : "");
	if (s->delta.given)
		add_shuffled(t, s, c);
}

static void emit_word(const char *name, uint32_t x, FILE *out)
{
	if (x)
		fprintf(out, "%s %" PRIu32 "\n", name, x);
}

/* The chance, doubled so often, exactly. */
static void
emit_exact(const char *name, struct sotto_client_chance chance, unsigned doublings, FILE *out)
{
	struct sotto_rational r;
	char *text;

	sotto_rational_init(&r);
	sotto_local_chance_exact(chance, &r);
	sotto_rational_scale(&r, &r, (int)doublings);
	text = number_text_rational(&r);
	fprintf(out, "%s %s\n", name, text);
	free(text);
	sotto_rational_release(&r);
}

static void emit_text(const struct sotto_client_params *p, const char *eps, FILE *out)
{
	fprintf(out, "protocol %s\n", sotto_local_protocol_name(p->protocol));
	emit_word("size", p->size, out);
	emit_word("width", p->width, out);
	emit_word("hashes", p->hashes, out);
	emit_word("groups", p->groups, out);
	if (p->protocol == SOTTO_CLIENT_RAPPOR) {
		emit_exact("f", p->flip, 1, out);
		emit_exact("p", p->zero, 0, out);
		emit_exact("q", p->one, 0, out);
	} else {
		fprintf(out, "epsilon %s\n", eps);
	}
	if (p->memoize && p->protocol != SOTTO_CLIENT_RAPPOR)
		fprintf(out, "memoize yes\n");
}

static enum outcome emit(const struct plan_settings *s, const struct sotto_local_choice *c,
			 size_t count, FILE *out, struct sotto_error *err)
{
	for (size_t i = 0; i < count; i++) {
		bool wanted = s->protocol
				      ? strcmp(sotto_local_protocol_name(c[i].params.protocol),
					       s->protocol) == 0
				      : c[i].best;

		if (!wanted)
			continue;
		if (s->emit <= EMIT_TEXT)
			emit_text(&c[i].params, s->eps.text, out);
		else
			local_emit(&c[i].params, (enum local_emission)(s->emit - EMIT_C), out);
		return OUTCOME_DONE;
	}
	return complaint_refuse(err, "there is no plan with that protocol");
}

/* What the last column holds, and under which condition. */
static void
print_shuffled(const struct plan_settings *s, const struct sotto_local_choice *c, FILE *out)
{
	struct sotto_local_shuffled shuffled;

	if (!s->delta.given || sotto_local_shuffle(c[0].epsilon, s->n.value, &s->delta.value,
						   &shuffled) != SOTTO_OK)
		return;
	fprintf(out,
		"\nshuffled: epsilon at delta %s of someone who sees only the reports, without "
		"ids,\ncohorts or order",
		s->delta.text);
	if (isfinite(shuffled.closed)) {
		char *closed = number_text_rounded_up(shuffled.closed, 8);

		fprintf(out, " (the clones bound in closed form: %s)", closed);
		free(closed);
	}
	fprintf(out, "\n");
}

static void print_verdict(const struct plan_settings *s, const struct sotto_local_choice *c,
			  size_t count, FILE *out)
{
	double wanted = sotto_rational_double_down(&s->min_freq.value), best = INFINITY;

	for (size_t i = 0; i < count; i++)
		best = fmin(best, c[i].detects);
	if (!s->min_freq.given)
		return;
	if (best <= wanted)
		fprintf(out, "\nvalues of frequency %s are found\n", s->min_freq.text);
	else
		fprintf(out,
			"\nvalues of frequency %s are not found: it takes about %.0f times the "
			"users, "
			"or a larger epsilon\n",
			s->min_freq.text, ceil(best / wanted * best / wanted));
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct plan_settings *s = call->settings;
	struct sotto_local_question q = {.users = s->n.value,
					 .values = s->d.value,
					 .epsilon = &s->eps.value,
					 .reports = s->reports.value,
					 .memoize = s->memoize,
					 .alpha = sotto_rational_double_down(&s->alpha.value)};
	struct sotto_local_choice c[SOTTO_LOCAL_CHOICES];
	size_t count = 0;
	enum sotto_status st = sotto_local_plan(&q, c, &count, err);
	struct table t;

	if (st != SOTTO_OK)
		return local_failed(st, err);
	if (s->protocol && s->emit == EMIT_NONE && !s->emit_params)
		return complaint_usage(err,
				       "--protocol says whose parameters are printed; add "
				       "--emit text, or leave it out to compare all protocols");
	if (s->emit != EMIT_NONE || s->emit_params)
		return emit(s, c, count, call->out, err);
	if (s->svg && !local_plan_draw(s->svg, &q, c, count))
		return complaint_refuse(err, "could not write %s", s->svg);
	table_init(&t, columns, column_count(s));
	for (size_t i = 0; i < count; i++)
		add_choice(&t, s, &c[i]);
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (call->format == FORMAT_TABLE) {
		print_verdict(s, c, count, call->out);
		print_shuffled(s, c, call->out);
	}
	return OUTCOME_DONE;
}

const struct command command_local_plan = {
	.name = "plan",
	.summary = "compare protocols and choose parameters for a collection",
	.usage = "--n N --d D --eps E [OPTION]...",
	.details =
		"The least frequency is the one at which a value is detected half of the "
		"time,\n"
		"by a test over all values.  Epsilon is that of one report, of --reports T of\n"
		"one value (\"after T\"), and of any number of them (\"forever\").  Users are\n"
		"divided into cohorts (rappor), rows (cms, hcms) or seeds (flh); \"sd in one\" "
		"is\n"
		"the noise of a count among the users of one of them.  One-bit protocols\n"
		"(hcms, hr) add 1 to the variance of each user.  That is little if epsilon is\n"
		"small, and most of the noise if it is large.",
	.options = options,
	.settings_size = sizeof(struct plan_settings),
	.prints_results = true,
	.waits = "planning",
	.run = run,
};
