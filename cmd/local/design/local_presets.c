/* Parameters of collections that were published. */
#include <stdio.h>
#include <string.h>

#include "frame/complaint.h"
#include "local/local_command.h"
#include "show/table.h"

struct preset {
	const char *name, *what, *params;
};

#define RAPPOR(width, groups, f, p, q)                                                         \
	"protocol rappor\nwidth " width "\nhashes 2\ngroups " groups "\nf " f "\np " p         \
	"\nq " q "\n"

static const struct preset presets[] = {
	{"chrome-uma", "Chromium's usage metrics", RAPPOR("32", "128", ".5", ".25", ".75")},
	{"chrome-uma-rare", "the same for rare events",
	 RAPPOR("32", "128", ".25", ".25", ".75")},
	{"chrome-coarse", "Chromium, coarse strings", RAPPOR("8", "128", ".5", ".25", ".75")},
	{"chrome-coarse-rare", "the same for rare events",
	 RAPPOR("8", "128", ".25", ".25", ".75")},
	{"chrome-etld", "Chromium, registered domains",
	 RAPPOR("128", "128", ".5", ".25", ".75")},
	{"chrome-etld-rare", "the same for rare events",
	 RAPPOR("128", "128", ".25", ".25", ".75")},
	{"chrome-flags", "Chromium's old flags, here eight",
	 "protocol rappor\nsize 8\nf .25\np .125\nq .875\n"},
	{"rappor-paper", "simulations of the RAPPOR paper",
	 RAPPOR("128", "16", ".5", ".5", ".75")},
	{"rappor-demo", "google/rappor's demonstration", RAPPOR("16", "64", ".5", ".5", ".75")},
	{"apple-emoji", "popular emoji", "protocol cms\nwidth 1024\ngroups 65536\nepsilon 4\n"},
	{"apple-health", "types of health data",
	 "protocol cms\nwidth 256\ngroups 65536\nepsilon 2\n"},
	{"apple-domains", "domains that drain energy",
	 "protocol hcms\nwidth 32768\ngroups 1024\nepsilon 4\n"},
	{"apple-autoplay", "intent to play media",
	 "protocol hcms\nwidth 32768\ngroups 1024\nepsilon 8\n"},
	{"apple-words", "new words, by their fragments",
	 "protocol sfp\nsize 10\nhashes 2\ngrain 8\nwidth 1024\ngroups 2048\nepsilon 6\n"
	 "second 2\n"},
	{"windows-usage", "seconds of use in six hours",
	 "protocol 1bitmean\nsize 21600\ngrain 21600\nepsilon 1.672\ngamma .2\nmemoize yes\n"}};

enum { PRESETS = sizeof presets / sizeof presets[0] };

static enum outcome list(const struct invocation *call, struct sotto_error *err)
{
	static const struct column columns[] = {
		{"name", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"what", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"protocol", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"report_bytes", "bytes", COLUMN_INTEGER, ALIGN_BY_KIND},
		{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	enum sotto_status st = SOTTO_OK;
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < PRESETS && st == SOTTO_OK; i++) {
		struct sotto_local_privacy privacy;
		struct sotto_client_params p;

		sotto_local_privacy_init(&privacy);
		st = sotto_local_params_parse(presets[i].params, strlen(presets[i].params), &p,
					      err);
		if (st == SOTTO_OK)
			st = sotto_local_privacy_state(&p, 1, &privacy);
		if (st == SOTTO_OK) {
			table_add_text(&t, presets[i].name);
			table_add_text(&t, presets[i].what);
			table_add_text(&t, sotto_local_protocol_name(p.protocol));
			table_add_integer(&t, (int64_t)sotto_client_report_bytes(&p));
			table_add_double(&t, privacy.report, 6);
		}
		sotto_local_privacy_release(&privacy);
	}
	if (st == SOTTO_OK)
		table_print(&t, call->format, call->out);
	table_release(&t);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	if (call->operands.count == 0)
		return list(call, err);
	for (size_t i = 0; i < PRESETS; i++)
		if (strcmp(call->operands.items[0], presets[i].name) == 0) {
			fputs(presets[i].params, call->out);
			return OUTCOME_DONE;
		}
	return complaint_refuse(err, "there is no such preset; sotto local presets lists them");
}

const struct command command_local_presets = {
	.name = "presets",
	.summary = "list published collections, or print the parameters of one",
	.usage = "[NAME]",
	.details = "Without NAME, prints a list with the epsilon of one report.  With NAME, "
		   "prints\n"
		   "the parameters as a file that the other commands read.",
	.operands_max = 1,
	.prints_results = true,
	.run = run,
};
