/*
 * Time in the ledger, and its repair.
 *
 * The time of an entry is that of the machine's clock, but never before the entry
 * before it: a clock that goes back renews nothing.  The price is that one charge
 * under a clock far in the future holds the ledger there; the owner can move it
 * back to now, and the repair is an entry of the chain.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"

/* What a machine's clock is corrected by in ordinary life is not a jump. */
enum { CLOCK_SLACK = 300, TIME_TEXT_SIZE = 40 };

static int64_t now(void)
{
	int64_t t = (int64_t)time(NULL);

	return t > 0 ? t : 0;
}

int64_t sotto_ledger_time(const struct sotto_ledger *l)
{
	int64_t t = now();

	return t > l->last_time ? t : l->last_time;
}

int64_t sotto_ledger_ahead(const struct sotto_ledger *l)
{
	int64_t ahead = l->last_time - now();

	return ahead > CLOCK_SLACK ? ahead : 0;
}

static void time_text(int64_t seconds, char out[TIME_TEXT_SIZE])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || strftime(out, TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		(void)snprintf(out, TIME_TEXT_SIZE, "second %lld", (long long)seconds);
}

void sotto_ledger_say_renewal(const struct sotto_ledger *l, const struct sotto_limit *limit,
			      struct sotto_error *err)
{
	char reason[SOTTO_ERROR_TEXT_MAX], then[TIME_TEXT_SIZE], last[TIME_TEXT_SIZE];

	if (!err || !limit->budget.window)
		return;
	(void)snprintf(reason, sizeof reason, "%s", err->text);
	time_text(sotto_limit_start(limit, limit->window + 1), then);
	time_text(l->last_time, last);
	if (sotto_ledger_ahead(l) == 0)
		(void)sotto_fail(err, SOTTO_EBUDGET, "%.400s; it is renewed at %s", reason,
				 then);
	else
		(void)sotto_fail(
			err, SOTTO_EBUDGET,
			"%.250s; it is renewed only at %s, because the last entry is dated "
			"%s, when the clock was wrong; if it is right now, the owner can "
			"repair this with sotto ledger repair-clock",
			reason, then, last);
}

/* ---- repair --------------------------------------------------------------------------------- */

static enum sotto_status
append_repair(struct sotto_ledger *l, const char *owner, int64_t to, struct sotto_error *err)
{
	char text[2 * TIME_TEXT_SIZE + 64], before[TIME_TEXT_SIZE], after[TIME_TEXT_SIZE];
	struct sotto_ledger_release entry = {.analyst = owner, .query = text};
	struct sotto_cost nothing;
	enum sotto_status st;

	time_text(l->last_time, before);
	time_text(to, after);
	(void)snprintf(text, sizeof text, "the clock was moved back from %s to %s", before,
		       after);
	sotto_cost_init(&nothing);
	entry.cost = &nothing;
	st = sotto_ledger_append(l, &entry, SOTTO_LEDGER_CLOCK, to, err);
	sotto_cost_release(&nothing);
	return st;
}

static enum sotto_status
repair(struct sotto_ledger *l, const char *owner, int64_t *from, struct sotto_error *err)
{
	int64_t to = now();

	SOTTO_TRY(sotto_ledger_begin(l, true, err));
	if (l->last_time <= to)
		return sotto_fail(
			err, SOTTO_ESTATE,
			"the last entry is not later than this machine's clock: there "
			"is nothing to repair");
	*from = l->last_time;
	SOTTO_TRY(append_repair(l, owner, to, err));
	SOTTO_TRY(sotto_ledger_commit(l, err));
	return sotto_ledger_read_all(l, err);
}

enum sotto_status sotto_ledger_repair_clock(struct sotto_ledger *l, const char *owner,
					    int64_t *from, int64_t *to, struct sotto_error *err)
{
	enum sotto_status st;
	int64_t before = 0;

	if (!owner || !from || !to)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a repair needs a name and a place for both times");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = repair(l, owner, &before, err);
	if (st == SOTTO_OK) {
		*from = before;
		*to = l->last_time;
	} else {
		sotto_store_rollback(&l->store);
	}
	sotto_ledger_leave(l);
	return st;
}
