/* sotto release PLAN: the release itself */
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

enum outcome release_plan(const struct invocation *call, struct sotto_error *err)
{
	const struct release_settings *settings = call->settings;
	struct sotto_session *session = NULL;
	struct sotto_ledger *ledger = NULL;
	struct progress bar;
	struct sotto_census_request request = {.plan = call->operands.items[0],
					       .policy = settings->policy,
					       .analyst = settings->analyst,
					       .threads = (unsigned)settings->threads.value,
					       .resume = settings->resume,
					       .progress = show_progress,
					       .progress_context = &bar};
	enum sotto_status st;

	if (settings->check)
		return release_check(call, err);
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
	if (st == SOTTO_OK && !settings->policy)
		fputs("note: no policy was given, so no ledger was charged\n",
		      command_notes(call));
	if (st == SOTTO_OK && settings->test_seed.given)
		fputs("note: NOT PRIVATE: the noise came from a seed\n", command_notes(call));
	return release_outcome(st, err);
}
