#include <math.h>

#include "complaint.h"
#include "local.h"
#include "table.h"

struct privacy_settings {
	const char *params;
	struct option_count reports;
};

static const struct option options[] = {{.name = "params",
					 .argument = "FILE",
					 .kind = OPTION_TEXT,
					 .required = true,
					 .help = "the collection's parameters",
					 .offset = offsetof(struct privacy_settings, params)},
					{.name = "reports",
					 .argument = "T",
					 .kind = OPTION_COUNT,
					 .range = RANGE_POSITIVE,
					 .fallback = "1",
					 .help = "reports of one value by one device",
					 .offset = offsetof(struct privacy_settings, reports)},
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

static void print_notes(const struct sotto_client_params *p, FILE *out)
{
	fprintf(out,
		"\nepsilon is that of the integers that devices compare with, rounded up\n");
	if (p->protocol == SOTTO_CLIENT_RAPPOR) {
		fprintf(out, "each further distinct value costs the permanent epsilon again\n");
		if (p->groups > 1)
			fprintf(out,
				"the cohort is sent in the clear: a lasting tag of %.1f bits\n",
				log2(p->groups));
	}
	if (p->memoize)
		fprintf(out, "a changed answer shows that the value changed\n");
	fprintf(out, "other metrics of the same device add their own\n");
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
	sotto_local_privacy_init(&privacy);
	st = sotto_local_privacy_state(&p, s->reports.value, &privacy);
	if (st == SOTTO_OK) {
		table_init(&t, columns, 2);
		add_row(&t, "one report", privacy.report);
		add_row(&t, "all reports of one value", privacy.after);
		add_row(&t, "any number of reports of one value", privacy.permanent);
		add_row(&t, "a lifetime", privacy.lifetime);
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
	.summary = "what a collection costs each device",
	.usage = "--params FILE [--reports T]",
	.options = options,
	.settings_size = sizeof(struct privacy_settings),
	.prints_results = true,
	.run = run,
};
