/*
 * sotto init: writes a first policy from files or a database, never over an existing file, and
 * seals what it describes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/commands.h"
#include "frame/complaint.h"
#include "query/ask.h"
#include "query/owner/seal_command.h"
#include "sotto/owner.h"
#include "sotto/query.h"

struct init_settings {
	const char *unit;
	const char *dsn;
	const char *driver, *uri;
	const char *policy;
	struct option_list public_files;
	const char *columns;
	bool no_header;
	bool header;
	bool drop_malformed;
	size_t line_breaks;
};

static const struct option options[] = {
	{.name = "unit",
	 .letter = 'u',
	 .argument = "COL",
	 .kind = OPTION_TEXT,
	 .required = true,
	 .help = "the column that says who a row is about, or \"row\" if each row is a unit",
	 .offset = offsetof(struct init_settings, unit)},
	{.name = "public",
	 .argument = "FILE",
	 .kind = OPTION_LIST,
	 .help = "another file, in which nothing is private",
	 .offset = offsetof(struct init_settings, public_files)},
	{.name = "columns",
	 .argument = "A,B,...",
	 .kind = OPTION_TEXT,
	 .help = "names of the columns of the text file",
	 .offset = offsetof(struct init_settings, columns)},
	{.name = "no-header",
	 .kind = OPTION_FLAG,
	 .help = "the first line of the text file is a record, not a header",
	 .offset = offsetof(struct init_settings, no_header)},
	{.name = "header",
	 .kind = OPTION_FLAG,
	 .help = "the first lines are headers, whatever they look like",
	 .offset = offsetof(struct init_settings, header)},
	{.name = "dsn",
	 .argument = "TEXT",
	 .kind = OPTION_TEXT,
	 .help = "connection string for PostgreSQL; if empty, PGHOST, PGDATABASE ... are used",
	 .offset = offsetof(struct init_settings, dsn)},
	{.name = "driver",
	 .argument = "LIBRARY",
	 .kind = OPTION_TEXT,
	 .help = "the path or library name of the database's ADBC driver",
	 .offset = offsetof(struct init_settings, driver)},
	{.name = "uri",
	 .argument = "ADDRESS",
	 .kind = OPTION_TEXT,
	 .help = "with --driver: address of the database, in the form that the driver expects",
	 .offset = offsetof(struct init_settings, uri)},
	{.name = "policy",
	 .letter = 'p',
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .fallback = "sotto.yaml",
	 .help = "the file to write (- for standard output, and nothing is sealed)",
	 .offset = offsetof(struct init_settings, policy)},
	SEAL_DROP_OPTION(struct init_settings),
	SEAL_BREAKS_OPTION(struct init_settings),
	OPTIONS_END};

/*
 * Never over an existing policy: it may be the only record of the owner's choices.  An address may
 * have a password in it.
 */
static enum outcome
write_new(const char *path, const char *text, bool has_address, struct sotto_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, has_address ? 0600 : 0644);
	size_t n = strlen(text);
	bool written;

	if (fd < 0 && errno == EEXIST)
		return complaint_refuse(
			err, "%s already exists; name another file with --policy", path);
	if (fd < 0)
		return complaint_refuse(err, "%s could not be written", path);
	written = write(fd, text, n) == (ssize_t)n && fsync(fd) == 0;
	if (close(fd) == 0 && written)
		return OUTCOME_DONE;
	(void)unlink(path); /* a part of a policy could be taken for one */
	return complaint_refuse(err, "%s could not be written; is there room on the disk?",
				path);
}

/* "id, age": the names between commas, cut in place; NULL without memory. */
static const char **split(char *text, size_t *count)
{
	const char **names = calloc(strlen(text) + 1, sizeof *names);

	*count = 0;
	for (char *save = NULL, *name = names ? strtok_r(text, ",", &save) : NULL; name;
	     name = strtok_r(NULL, ",", &save)) {
		size_t n;

		name += strspn(name, " ");
		for (n = strlen(name); n > 0 && name[n - 1] == ' ';)
			name[--n] = '\0';
		names[(*count)++] = name;
	}
	return names;
}

/* Everybody on the machine sees the words of a command while it runs: a password goes from there. */
static char *take_away(const char *word)
{
	char *copy = word ? strdup(word) : NULL;

	if (copy)
		memset((char *)(uintptr_t)word, ' ', strlen(word));
	return copy;
}

static enum outcome
write_policy(const struct invocation *call, char **text, struct sotto_error *err)
{
	const struct init_settings *settings = call->settings;
	struct sotto_starter from = {.policy = settings->policy,
				     .files = (const char *const *)call->operands.items,
				     .file_count = call->operands.count,
				     .unit = settings->unit,
				     .driver = settings->driver,
				     .public_files =
					     (const char *const *)settings->public_files.items,
				     .public_count = settings->public_files.count,
				     .has_no_header = settings->no_header,
				     .has_header = settings->header};
	char *list = settings->columns ? strdup(settings->columns) : NULL;
	const char **names = list ? split(list, &from.column_count) : NULL;
	char *dsn = take_away(settings->dsn), *uri = take_away(settings->uri);
	enum outcome outcome;

	from.dsn = dsn;
	from.uri = uri;

	if (call->operands.count == 0 && !settings->dsn)
		outcome = complaint_usage(err, "name the files that the policy is for");
	else if (settings->no_header && settings->header)
		outcome = complaint_usage(err, "give --header or --no-header, not both");
	else if ((settings->columns && !names) || (settings->dsn && !dsn) ||
		 (settings->uri && !uri))
		outcome = complaint_refuse(err, "out of memory");
	else {
		from.columns = names;
		outcome = ask_outcome(sotto_policy_starter(&from, text, err), err);
	}
	free(dsn);
	free(uri);
	free(names);
	free(list);
	return outcome;
}

/* One that is there holds what was spent, and stays. */
static enum outcome make_ledger(const char *policy, FILE *out, struct sotto_error *err)
{
	char *path = NULL;
	enum sotto_status st =
		sotto_policy_create_ledger(policy, SOTTO_NEIGHBOURS_ADD_REMOVE, &path, err);

	if (st == SOTTO_OK)
		fprintf(out, "created the ledger %s\n", path);
	else if (st == SOTTO_ESTATE)
		fprintf(out,
			"kept the existing ledger and what was spent; accept the new policy "
			"for it with:\nsotto policy accept --policy %s\n",
			policy);
	free(path);
	return st == SOTTO_ESTATE ? OUTCOME_DONE : ask_outcome(st, err);
}

/* The policy stays when a file is refused: sealing is then one command of its own. */
static enum outcome seal_files(const struct invocation *call, struct sotto_error *err)
{
	const struct init_settings *settings = call->settings;
	const struct seal_settings how = {settings->policy, settings->drop_malformed,
					  settings->line_breaks, true};

	enum outcome outcome;

	fprintf(call->out, "wrote %s\n", settings->policy);
	outcome = make_ledger(settings->policy, call->out, err);
	return outcome == OUTCOME_DONE ? seal_run(&how, NULL, 0, call, err) : outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct init_settings *settings = call->settings;
	enum outcome outcome;
	char *text = NULL;

	outcome = write_policy(call, &text, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (strcmp(settings->policy, "-") == 0) {
		fputs(text, call->out);
	} else {
		outcome =
			write_new(settings->policy, text, settings->dsn || settings->uri, err);
		if (outcome == OUTCOME_DONE)
			outcome = seal_files(call, err);
	}
	free(text);
	return outcome;
}

const struct command command_init = {
	.name = "init",
	.summary =
		"write a starter policy for files or tables, create its ledger, seal the files",
	.usage = "--unit COL FILE...\n--unit COL --dsn TEXT [TABLE]...\n--unit COL --driver "
		 "LIBRARY --uri ADDRESS TABLE...",
	.details = "The policy is made from file headers and database catalogues, never from\n"
		   "records.  The names that were found are printed.  With --dsn or --driver,\n"
		   "operands without a slash are names of tables on the server; with --dsn and "
		   "no\n"
		   "operands, all its tables are used.",
	.options = options,
	.settings_size = sizeof(struct init_settings),
	.operands_min = 0,
	.operands_max = SIZE_MAX,
	.run = run,
};
