/*
 * sotto layout: divides files into buckets by unit, or checks a folder that was divided
 * earlier.
 */
#include <stdio.h>
#include <string.h>

#include "frame/commands.h"
#include "frame/complaint.h"
#include "query/ask.h"
#include "show/json.h"
#include "show/progress.h"
#include "sotto/owner.h"

struct layout_settings {
	const char *by;
	struct option_count buckets;
	struct option_count spread, slice;
	const char *policy;
	bool check;
};

static const struct option options[] = {
	{.name = "by",
	 .argument = "UNIT",
	 .kind = OPTION_TEXT,
	 .help = "the column that says who a row is about, or \"row\" if each row is a unit",
	 .offset = offsetof(struct layout_settings, by)},
	{.name = "buckets",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "64",
	 .help = "number of folders that the units are divided into, at most 100000",
	 .offset = offsetof(struct layout_settings, buckets)},
	{.name = "spread",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .help = "use N worker processes at a time, at most 1000 (default: the "
		 "policy's, or one)",
	 .offset = offsetof(struct layout_settings, spread)},
	{.name = "policy",
	 .letter = 'p',
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "policy whose spread: names the workers, and whose tables say how to read "
		 "text files",
	 .offset = offsetof(struct layout_settings, policy)},
	{.name = "slice",
	 .argument = "ROWS",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .help = "rows that one worker writes at a time (default: at least 4 "
		 "million)",
	 .offset = offsetof(struct layout_settings, slice)},
	{.name = "check",
	 .kind = OPTION_FLAG,
	 .help = "write nothing; read FOLDER again and check every row",
	 .offset = offsetof(struct layout_settings, check)},
	OPTIONS_END};

/* ---- progress --------------------------------------------------------------------------- */

struct bar {
	struct progress progress;
	const char *what;
};

static void on_progress(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct bar *bar = context;

	if (bar->what != what) {
		if (bar->what)
			progress_end(&bar->progress);
		progress_begin(&bar->progress, what, total);
		bar->what = what;
	}
	progress_step(&bar->progress, done);
}

/* ---- results ---------------------------------------------------------------------------- */

static void print_report(const struct sotto_layout_report *r, const char *folder,
			 const char *unit, FILE *out)
{
	const size_t length = strlen(folder);
	const char *slash = length && folder[length - 1] == '/' ? "" : "/";

	fprintf(out, "%s: %llu row%s in %llu file%s of %lu bucket%s, %.1f MB%s\n", folder,
		(unsigned long long)r->rows, r->rows == 1 ? "" : "s",
		(unsigned long long)r->files, r->files == 1 ? "" : "s",
		(unsigned long)r->buckets, r->buckets == 1 ? "" : "s", (double)r->bytes / 1e6,
		unit ? "" : "; each row is in its bucket");
	if (unit)
		fprintf(out,
			"Write into the policy, then run sotto seal:\n"
			"  spread: { buckets: %lu, laid_out_by: %s }\n"
			"  source: %s%s    # of the table\n",
			(unsigned long)r->buckets, unit, folder, slash);
}

static void write_report(const struct sotto_layout_report *r, const char *folder, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	json_member_text(&w, "folder", folder);
	json_member_integer(&w, "buckets", (int64_t)r->buckets);
	json_member_integer(&w, "files", (int64_t)r->files);
	json_member_integer(&w, "rows", (int64_t)r->rows);
	json_member_integer(&w, "bytes", (int64_t)r->bytes);
	json_close_object(&w);
	json_end(&w);
}

static enum outcome check_usage(const struct invocation *call, struct sotto_error *err)
{
	const struct layout_settings *s = call->settings;

	if (call->format == FORMAT_CSV)
		return complaint_usage(err, "--format is table or json here");
	if (s->check && (call->operands.count != 1 || s->by || s->policy || s->spread.given ||
			 s->slice.given))
		return complaint_usage(err, "with --check give the folder, and nothing else");
	if (!s->check && call->operands.count != 2)
		return complaint_usage(err, "give the source and the folder to write");
	if (!s->check && !s->by)
		return complaint_usage(err,
				       "--by names the column that says who a row is about");
	if (s->spread.value > 1000)
		return complaint_refuse(err, "--spread must be at most 1000");
	if (s->buckets.value > 100000)
		return complaint_refuse(err, "--buckets must be at most 100000");
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct layout_settings *s = call->settings;
	const char *folder =
		call->operands.count ? call->operands.items[call->operands.count - 1] : "";
	struct bar bar = {.what = NULL};
	const struct sotto_layout_options how = {
		.source = call->operands.count ? call->operands.items[0] : "",
		.destination = folder,
		.unit = s->by,
		.buckets = (uint32_t)s->buckets.value,
		.processes = (uint32_t)s->spread.value,
		.policy = s->policy,
		.slice = s->slice.value,
		.progress = on_progress,
		.context = &bar};
	struct sotto_layout_report report;
	enum outcome outcome = check_usage(call, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	ask_harden();
	st = s->check ? sotto_layout_check(folder, on_progress, &bar, &report, err)
		      : sotto_layout_write(&how, &report, err);
	if (bar.what)
		progress_end(&bar.progress);
	outcome = ask_outcome(st, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (call->format == FORMAT_JSON)
		write_report(&report, folder, call->out);
	else
		print_report(&report, folder, s->check ? NULL : s->by, call->out);
	return OUTCOME_DONE;
}

const struct command command_layout = {
	.name = "layout",
	.summary = "divide files by privacy unit, for many machines",
	.usage = "--by UNIT [--buckets N] [--spread N | --policy FILE] SOURCE FOLDER\n--check "
		 "FOLDER",
	.details =
		"For the data owner.  All rows of one unit go into one folder, bucket=I, so\n"
		"that a worker reads only its own folder.  SOURCE is a Parquet, CSV or JSON\n"
		"file, a pattern, or a folder of Parquet files with a / at its end.  FOLDER\n"
		"appears when it is complete and was compared with SOURCE.  If the command is\n"
		"interrupted, run it again and it continues.",
	.options = options,
	.settings_size = sizeof(struct layout_settings),
	.operands_min = 1,
	.operands_max = 2,
	.prints_results = true,
	.run = run,
};
