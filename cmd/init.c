/* sotto init */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "commands.h"
#include "complaint.h"

struct init_settings {
	const char *unit;
	const char *dsn;
	const char *policy;
};

static const struct option options[] = {{.name = "unit",
					 .letter = 'u',
					 .argument = "COL",
					 .kind = OPTION_TEXT,
					 .required = true,
					 .help = "column that says who a row is about, or row",
					 .offset = offsetof(struct init_settings, unit)},
					{.name = "dsn",
					 .argument = "TEXT",
					 .kind = OPTION_TEXT,
					 .help = "where PostgreSQL is (empty: as PGHOST, "
						 "PGDATABASE ... say)",
					 .offset = offsetof(struct init_settings, dsn)},
					{.name = "policy",
					 .letter = 'p',
					 .argument = "FILE",
					 .kind = OPTION_TEXT,
					 .fallback = "sotto.yaml",
					 .help = "the file to write (- for standard output)",
					 .offset = offsetof(struct init_settings, policy)},
					OPTIONS_END};

/* Never over an existing policy: it may be the only record of the owner's choices. */
static enum outcome write_new(const char *path, const char *text, struct sotto_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	size_t n = strlen(text);
	bool written;

	if (fd < 0 && errno == EEXIST)
		return complaint_refuse(
			err, "%s is there already; name another file with --policy", path);
	if (fd < 0)
		return complaint_refuse(err, "%s could not be written", path);
	written = write(fd, text, n) == (ssize_t)n;
	if (close(fd) != 0 || !written)
		return complaint_refuse(err, "%s could not be written", path);
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct init_settings *settings = call->settings;
	enum outcome outcome;
	char *text = NULL;

	outcome = ask_outcome(sotto_policy_starter((const char *const *)call->operands.items,
						   call->operands.count, settings->unit,
						   settings->dsn, &text, err),
			      err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (strcmp(settings->policy, "-") == 0) {
		fputs(text, call->out);
	} else {
		outcome = write_new(settings->policy, text, err);
		if (outcome == OUTCOME_DONE)
			fprintf(call->out, "wrote %s; go through it, then try: sotto explain\n",
				settings->policy);
	}
	free(text);
	return outcome;
}

const struct command command_init = {
	.name = "init",
	.summary = "write a starter policy from the schema of files",
	.usage = "--unit COL FILE...\n--unit COL --dsn TEXT TABLE...",
	.details =
		"Looks at names and types only, never at values.  With --dsn, names without a "
		"slash\nare of tables in PostgreSQL.",
	.options = options,
	.settings_size = sizeof(struct init_settings),
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.run = run,
};
