/*
 * sotto seal: checks the files of a policy, shows how far it is, and reports what was sealed or
 * refused, with the places of flaws.
 */
#include "query/owner/seal_command.h"

#include <string.h>

#include "frame/commands.h"
#include "frame/complaint.h"
#include "query/ask.h"
#include "show/json.h"
#include "show/printable.h"
#include "show/progress.h"

const char *const seal_line_breaks[] = {"ask", "yes", "no", NULL};

enum { SHOWN_MAX = 20 };

static const struct option options[] = {{.name = "policy",
					 .letter = 'p',
					 .argument = "FILE",
					 .kind = OPTION_TEXT,
					 .fallback = "sotto.yaml",
					 .help = "the data owner's policy",
					 .offset = offsetof(struct seal_settings, policy)},
					SEAL_DROP_OPTION(struct seal_settings),
					SEAL_BREAKS_OPTION(struct seal_settings),
					OPTIONS_END};

/* ---- progress -------------------------------------------------------------------------------- */

struct bar {
	struct progress progress;
	const char *file; /* whose bar it is */
};

static void on_progress(void *context, const char *file, uint64_t done, uint64_t total)
{
	struct bar *bar = context;

	if (bar->file != file) {
		if (bar->file)
			progress_end(&bar->progress);
		progress_begin(&bar->progress, file, total);
		bar->file = file;
	}
	progress_step(&bar->progress, done);
}

/* ---- for people -------------------------------------------------------------------------------- */

static void print_lines(const struct sotto_seal_flaw *f, FILE *out)
{
	if (f->line == 0)
		fprintf(out, "  %s: %s\n", f->file, f->reason);
	else if (f->line == f->last_line)
		fprintf(out, "  %s:%llu: %s\n", f->file, (unsigned long long)f->line,
			f->reason);
	else
		fprintf(out, "  %s:%llu-%llu: %s\n", f->file, (unsigned long long)f->line,
			(unsigned long long)f->last_line, f->reason);
}

static void print_flaws(const struct sotto_sealed_table *t, FILE *out)
{
	uint64_t all = t->malformed + t->ambiguous + t->broken_promises;
	size_t shown = t->flaw_count < SHOWN_MAX ? t->flaw_count : SHOWN_MAX;

	for (size_t i = 0; i < shown; i++)
		print_lines(&t->flaws[i], out);
	if (t->flaw_count > shown)
		fprintf(out, "  and %llu more (--format json lists up to 1000)\n",
			(unsigned long long)(all - shown));
}

static void print_names(const struct sotto_sealed_table *t, FILE *out)
{
	if (!t->names_from_line)
		return;
	fprintf(out, "  names, from the first line of the file:");
	for (size_t i = 0; i < t->column_count; i++) {
		fputs(i ? ", " : " ", out);
		printable_print(t->columns[i], out);
	}
	fputs("\n", out);
}

/* How a question reads them all the same: most values are of another form, or some are. */
static const char *hint(const char *type, bool most)
{
	bool number = strcmp(type, "number") == 0 || strcmp(type, "integer") == 0;

	if (number && most)
		return "if they have decimal commas, say type: text in the policy, and write "
		       "CAST(replace(x, ',', '.') AS DOUBLE) in questions; if thousands have "
		       "dots, as in 1.234,50, write replace(x, '.', '') in place of x";
	if (number)
		return "if words stand beside the number, as in 46 years, say type: text in "
		       "the policy, and write CAST(regexp_extract(x, '[0-9]+') AS INTEGER) in "
		       "questions";
	if (most && (strcmp(type, "date") == 0 || strcmp(type, "timestamp") == 0))
		return "if they are written in another order, say type: text in the policy, "
		       "and write strptime(x, '%d.%m.%Y') in questions";
	return NULL;
}

static void print_unread(const struct sotto_sealed_table *t, FILE *out)
{
	for (size_t i = 0; i < t->unread_count; i++) {
		const struct sotto_seal_unread *u = &t->unread[i];
		const char *how = hint(u->type, u->values > u->of / 2);

		if (u->of == 0) {
			fprintf(out, "  %s: no record has a value\n", u->column);
			continue;
		}
		fprintf(out,
			"  %s: %llu of %llu values cannot be read as %s, and count as "
			"missing\n",
			u->column, (unsigned long long)u->values, (unsigned long long)u->of,
			u->type);
		if (how)
			fprintf(out, "    %s\n", how);
	}
}

static void print_table(const struct sotto_sealed_table *t, FILE *out)
{
	static const char *const words[] = {[SOTTO_SEAL_DONE] = "sealed",
					    [SOTTO_SEAL_KEPT] = "is sealed, nothing changed",
					    [SOTTO_SEAL_REFUSED] = "not sealed",
					    [SOTTO_SEAL_SERVER] = "is read from its server"};

	fprintf(out, "%s (%s): %s", t->name, t->source, words[t->state]);
	if (t->state == SOTTO_SEAL_DONE)
		fprintf(out, ", %llu record%s%s", (unsigned long long)t->records,
			t->records == 1 ? "" : "s", t->is_copied ? "" : ", read where it is");
	if (t->malformed > 0)
		fprintf(out, ", %llu malformed%s", (unsigned long long)t->malformed,
			t->state == SOTTO_SEAL_REFUSED ? "" : " and left out");
	if (t->ambiguous > 0)
		fprintf(out, ", %llu times lines that can be read in two ways",
			(unsigned long long)t->ambiguous);
	if (t->broken_promises > 0)
		fprintf(out, ", the policy promises what does not hold");
	fputs("\n", out);
	print_names(t, out);
	print_unread(t, out);
	if (t->note)
		fprintf(out, "  %s\n", t->note);
	print_flaws(t, out);
}

/* ---- for programs ------------------------------------------------------------------------------ */

static void write_flaws(struct json_writer *w, const struct sotto_sealed_table *t)
{
	json_open_array(w);
	for (size_t i = 0; i < t->flaw_count; i++) {
		const struct sotto_seal_flaw *f = &t->flaws[i];

		json_open_record(w);
		json_member_text(w, "file", f->file);
		json_member_integer(w, "line", (int64_t)f->line);
		json_member_integer(w, "last_line", (int64_t)f->last_line);
		json_member_bool(w, "ambiguous", f->is_ambiguous);
		json_member_bool(w, "promise", f->is_promise);
		json_member_text(w, "reason", f->reason);
		json_close_object(w);
	}
	json_close_array(w);
}

static void write_unread(struct json_writer *w, const struct sotto_sealed_table *t)
{
	json_open_array(w);
	for (size_t i = 0; i < t->unread_count; i++) {
		json_open_record(w);
		json_member_text(w, "column", t->unread[i].column);
		json_member_text(w, "type", t->unread[i].type);
		json_member_integer(w, "values", (int64_t)t->unread[i].values);
		json_member_integer(w, "of", (int64_t)t->unread[i].of);
		json_close_object(w);
	}
	json_close_array(w);
}

static void write_table(struct json_writer *w, const struct sotto_sealed_table *t)
{
	static const char *const words[] = {[SOTTO_SEAL_DONE] = "sealed",
					    [SOTTO_SEAL_KEPT] = "kept",
					    [SOTTO_SEAL_REFUSED] = "refused",
					    [SOTTO_SEAL_SERVER] = "server"};

	json_open_object(w);
	json_member_text(w, "table", t->name);
	json_member_text(w, "source", t->source);
	json_member_text(w, "state", words[t->state]);
	json_member_bool(w, "copied", t->is_copied);
	json_member_bool(w, "names_from_first_line", t->names_from_line);
	json_key(w, "columns");
	json_open_row(w);
	for (size_t i = 0; i < t->column_count; i++)
		json_write_text(w, t->columns[i]);
	json_close_array(w);
	json_member_integer(w, "records", (int64_t)t->records);
	json_member_integer(w, "malformed", (int64_t)t->malformed);
	json_member_integer(w, "ambiguous", (int64_t)t->ambiguous);
	json_member_integer(w, "broken_promises", (int64_t)t->broken_promises);
	json_key(w, "note");
	if (t->note)
		json_write_text(w, t->note);
	else
		json_write_null(w);
	json_key(w, "unread");
	write_unread(w, t);
	json_key(w, "flaws");
	write_flaws(w, t);
	json_close_object(w);
}

static void write_report(const struct sotto_seal_report *report, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	json_key(&w, "tables");
	json_open_array(&w);
	for (size_t i = 0; i < report->table_count; i++)
		write_table(&w, &report->tables[i]);
	json_close_array(&w);
	json_close_object(&w);
	json_end(&w);
}

/* ---- both ----------------------------------------------------------------------------------------- */

/* Umlauts of a file in Latin-1 look like this; leaving such records out would lose many. */
static bool has_other_encoding(const struct sotto_sealed_table *t)
{
	for (size_t i = 0; i < t->flaw_count; i++)
		if (strstr(t->flaws[i].reason, "UTF-8"))
			return true;
	return false;
}

static enum outcome conclude(const struct sotto_seal_report *report, struct sotto_error *err)
{
	bool ambiguous = false, broken = false, encoded = false;

	if (report->refused == 0)
		return OUTCOME_DONE;
	for (size_t i = 0; i < report->table_count; i++) {
		ambiguous = ambiguous || report->tables[i].ambiguous > 0;
		broken = broken || report->tables[i].broken_promises > 0;
		encoded = encoded || has_other_encoding(&report->tables[i]);
	}
	if (ambiguous)
		return complaint_refuse(
			err,
			"lines can be read both as one record with line breaks in a value "
			"and as several records; say --line-breaks yes or --line-breaks no, "
			"or repair them");
	if (broken)
		return complaint_refuse(
			err,
			"the policy promises what does not hold; take unique: true, nullable: "
			"false, laid_out_by or the path (via) out of it, or repair the "
			"records");
	if (encoded)
		return complaint_refuse(
			err, "records are malformed; if the file has another encoding, "
			     "convert it first, like iconv -f LATIN1 -t UTF-8; else "
			     "repair them, or leave them out with --drop-malformed");
	return complaint_refuse(err,
				"records are malformed; repair them, or leave them out with "
				"--drop-malformed");
}

static void suggest(const char *policy, const char *table, FILE *out)
{
	const char *quote =
		table[strspn(table, "abcdefghijklmnopqrstuvwxyz_0123456789")] ? "\\\"" : "";

	fprintf(out,
		"Read %s line by line: you decide on its names, bounds, keys and budget.  "
		"After "
		"changes:\n"
		"sotto policy accept --policy %s\n"
		"sotto seal --policy %s\n"
		"Then try:\n"
		"sotto explain --policy %s \"SELECT COUNT(*) FROM %s%s%s\"\n",
		policy, policy, policy, policy, quote, table, quote);
}

enum outcome seal_run(const struct seal_settings *settings, const char *const *tables,
		      size_t table_count, const struct invocation *call,
		      struct sotto_error *err)
{
	struct bar bar = {.file = NULL};
	const struct sotto_seal_options how = {
		.tables = tables,
		.table_count = table_count,
		.drop_malformed = settings->drop_malformed,
		.line_breaks = (enum sotto_line_breaks)settings->line_breaks,
		.progress = on_progress,
		.context = &bar};
	struct sotto_seal_report *report = NULL;
	enum outcome outcome;

	ask_harden();
	outcome = ask_outcome(sotto_policy_seal(settings->policy, &how, &report, err), err);
	if (bar.file)
		progress_end(&bar.progress);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (call->format == FORMAT_JSON)
		write_report(report, call->out);
	else
		for (size_t i = 0; i < report->table_count; i++)
			print_table(&report->tables[i], call->out);
	outcome = conclude(report, err);
	if (outcome == OUTCOME_DONE && settings->suggests && report->table_count > 0)
		suggest(settings->policy, report->tables[0].name, call->out);
	sotto_seal_report_free(report);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	if (call->format == FORMAT_CSV)
		return complaint_usage(err, "--format is table or json here");
	return seal_run(call->settings, (const char *const *)call->operands.items,
			call->operands.count, call, err);
}

const struct command command_seal = {
	.name = "seal",
	.summary = "check the files of a policy once, and keep a copy that queries read",
	.usage = "[--policy FILE] [TABLE]...",
	.details =
		"For the data owner.  Lists malformed records by line, without their "
		"contents,\n"
		"and refuses the table unless you choose to leave them out.  Queries read the\n"
		"sealed copy; a file that has changed must be sealed again.",
	.options = options,
	.settings_size = sizeof(struct seal_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
