/* sotto release PLAN: the release itself */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "census/release_command.h"
#include "frame/complaint.h"
#include "query/ask.h"
#include "show/progress.h"

static void show_progress(void *context, uint64_t done, uint64_t total)
{
	struct progress *bar = context;

	bar->total = total;
	progress_step(bar, done);
}

static enum sotto_status open_ledger(const struct release_settings *settings,
				     struct sotto_session **session,
				     struct sotto_ledger **ledger, struct sotto_error *err)
{
	enum sotto_status st;

	if (!settings->policy)
		return SOTTO_OK;
	st = sotto_session_open(settings->policy, session, err);
	if (st == SOTTO_OK)
		st = sotto_session_ledger(*session, ledger, err);
	return st;
}

/* ---- the limit of memory --------------------------------------------------------------------- */

static bool read_size(const char *text, uint64_t *out)
{
	static const struct {
		const char *name;
		unsigned shift;
	} units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"K", 10}, {"M", 20}, {"G", 30}};
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (end == text || text[0] == '-' || n == 0)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(end, units[i].name) == 0 && n <= UINT64_MAX >> units[i].shift) {
			*out = n << units[i].shift;
			return true;
		}
	return false;
}

/*
 * The system refuses what goes beyond: the release then fails with nothing published, and can be
 * continued with more.  The engine, a process of its own, gets the same limit.
 */
static enum outcome limit_memory(const char *text, uint64_t *out, struct sotto_error *err)
{
	const uint64_t least = (uint64_t)256 << 20;
	struct rlimit limit;

	if (!read_size(text, out) || *out < least)
		return complaint_usage(err,
				       "--memory-limit must be 256MiB or more, such as "
				       "512MiB or 2GiB, not %.40s",
				       text);
	if (getrlimit(RLIMIT_DATA, &limit) != 0)
		return complaint_refuse(err, "the limit of memory could not be set");
	limit.rlim_cur = limit.rlim_max != RLIM_INFINITY && limit.rlim_max < *out
				 ? limit.rlim_max
				 : (rlim_t)*out;
	if (setrlimit(RLIMIT_DATA, &limit) != 0)
		return complaint_refuse(err, "the limit of memory could not be set");
	return OUTCOME_DONE;
}

enum outcome release_plan(const struct invocation *call, struct sotto_error *err)
{
	const struct release_settings *settings = call->settings;
	struct sotto_session *session = NULL;
	struct sotto_ledger *ledger = NULL;
	struct progress bar;
	char *folder = NULL;
	struct sotto_census_request request = {.plan = call->operands.items[0],
					       .policy = settings->policy,
					       .analyst = settings->analyst,
					       .threads = (unsigned)settings->threads.value,
					       .resume = settings->resume,
					       .progress = show_progress,
					       .progress_context = &bar,
					       .folder = &folder};
	enum sotto_status st;

	if (settings->check && call->operands.count > 1)
		return release_together(call, err);
	if (settings->check)
		return release_check(call, err);
	if (settings->explain)
		return release_explain(call, err);
	if (settings->memory_limit &&
	    limit_memory(settings->memory_limit, &request.memory_limit, err) != OUTCOME_DONE)
		return OUTCOME_USAGE;
	ask_harden();
	if (settings->test_seed.given)
		request.test_seed = &settings->test_seed.value;
	progress_begin(&bar, "release", 1);
	st = open_ledger(settings, &session, &ledger, err);
	request.ledger = ledger;
	if (st == SOTTO_OK)
		st = sotto_census_release(&request, err);
	progress_end(&bar);
	sotto_session_close(session);
	if (st == SOTTO_OK)
		fprintf(command_notes(call),
			"note: %s has the tables, release.json with the cost, and report.html "
			"to look at\n",
			folder);
	free(folder);
	if (st == SOTTO_OK && !settings->policy)
		fputs("note: no policy was given, so no ledger was charged\n",
		      command_notes(call));
	if (st == SOTTO_OK && settings->test_seed.given)
		fputs("note: NOT PRIVATE: the noise came from a seed\n", command_notes(call));
	return release_outcome(st, err);
}
