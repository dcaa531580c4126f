/*
 * What is spent, computed from the rows.
 *
 * A limit counts one window, from the first look at it on: the rows that are dated in it, and
 * those that a repair of the clock moved into it.  Which rows these are depends on the rows
 * alone, never on when somebody looked: a clock that jumps while nothing is
 * charged changes nothing.  Argument: ledger.md.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"
#include "core/ledger/store/ledger_store_error.h"

/* ---- what a row costs -------------------------------------------------------------------------- */

/* The sum of the first parts.  Fails: SOTTO_ECORRUPT. */
static enum sotto_status
add_parts(const struct sotto_chain_row *row, size_t count, struct sotto_cost *sum)
{
	enum sotto_status st = SOTTO_OK;
	struct sotto_cost part;

	sotto_cost_init(&part);
	for (size_t i = 0; st == SOTTO_OK && i < count; i++) {
		st = sotto_chain_cost_read(&row->parts[i].cost, &part);
		if (st == SOTTO_OK)
			sotto_cost_add(sum, &part);
	}
	sotto_cost_release(&part);
	return st;
}

/*
 * What a row costs a limit: all of it, but the whole does not pay again for a last part that
 * another analyst has paid for.  Fails: SOTTO_ECORRUPT.
 */
static enum sotto_status cost_to(const struct sotto_limit *limit,
				 const struct sotto_chain_row *row, struct sotto_cost *out)
{
	if (row->kind != SOTTO_LEDGER_PARTLY_SHARED || limit->analyst || limit->is_shown)
		return sotto_chain_cost_read(&row->cost, out);
	return row->part_count < 2 ? SOTTO_ECORRUPT : add_parts(row, row->part_count - 1, out);
}

static enum sotto_status count_in(struct sotto_ledger *l, struct sotto_limit *limit,
				  const struct sotto_chain_row *row, struct sotto_error *err)
{
	struct sotto_cost cost;
	enum sotto_status st;

	sotto_cost_init(&cost);
	st = cost_to(limit, row, &cost);
	if (st == SOTTO_OK)
		st = sotto_limit_count(limit, &cost);
	sotto_cost_release(&cost);
	return st == SOTTO_ECORRUPT ? sotto_store_damage(&l->store, err) : st;
}

/* ---- one window anew ------------------------------------------------------------------------ */

/* True if the row is dated in the window, or was moved into it by a repair. */
static bool counts_in(const struct sotto_ledger *l, const struct sotto_limit *limit,
		      const struct sotto_chain_row *row)
{
	int64_t time = row->time;
	bool found = sotto_limit_window(limit, time) == limit->window;

	for (size_t i = 0; !found && i < l->repair_count; i++) {
		if (l->repairs[i].number < row->number || l->repairs[i].time >= time)
			continue;
		time = l->repairs[i].time;
		found = sotto_limit_window(limit, time) == limit->window;
	}
	return found;
}

static enum sotto_status recount_row(void *context, const struct sotto_chain_row *row,
				     const uint8_t hash[SOTTO_HASH_BYTES], bool answered,
				     struct sotto_error *err)
{
	struct sotto_ledger *l = context;

	(void)hash; /* it was checked when the row was first counted */
	(void)answered;
	for (size_t i = 0; i < l->limit_count; i++) {
		struct sotto_limit *limit = &l->limits[i];

		if (limit->is_recounted &&
		    sotto_limit_counts(limit, (enum sotto_ledger_kind)row->kind,
				       row->analyst) &&
		    counts_in(l, limit, row))
			SOTTO_TRY(count_in(l, limit, row, err));
	}
	return SOTTO_OK;
}

/* A limit that was counted in part only is not counted. */
static void end_recount(struct sotto_ledger *l, bool done)
{
	for (size_t i = 0; i < l->limit_count; i++) {
		if (l->limits[i].is_recounted && !done)
			sotto_limit_turn(&l->limits[i], SOTTO_WINDOW_NONE);
		l->limits[i].is_recounted = false;
	}
}

/* Counts the limits that are marked, from the first row on that may be in one of their windows. */
static enum sotto_status
recount(struct sotto_ledger *l, int64_t from_time, struct sotto_error *err)
{
	struct sotto_store_range rows = {.last = l->seen.number, .from_time = from_time};
	enum sotto_status st = SOTTO_OK;

	/* as always when time goes on, no row may be in it yet */
	if (l->seen.number > 0 && l->latest >= from_time)
		st = sotto_store_rows(&l->store, rows, recount_row, l, err);
	end_recount(l, st == SOTTO_OK);
	return st;
}

static enum sotto_status turn_to(struct sotto_ledger *l, struct sotto_limit *limit,
				 int64_t window, struct sotto_error *err)
{
	sotto_limit_turn(limit, window);
	limit->is_recounted = true;
	return recount(l, sotto_limit_start(limit, window), err);
}

/* The rows are read once for all limits that nobody has looked at. */
static enum sotto_status
count_first(struct sotto_ledger *l, int64_t time, struct sotto_error *err)
{
	int64_t from_time = INT64_MAX;

	for (size_t i = 0; i < l->limit_count; i++) {
		struct sotto_limit *limit = &l->limits[i];
		int64_t start;

		if (limit->window != SOTTO_WINDOW_NONE)
			continue;
		sotto_limit_turn(limit, sotto_limit_window(limit, time));
		limit->is_recounted = true;
		start = sotto_limit_start(limit, limit->window);
		from_time = start < from_time ? start : from_time;
	}
	return recount(l, from_time, err);
}

enum sotto_status sotto_ledger_settle(struct sotto_ledger *l, struct sotto_limit *limit,
				      int64_t time, struct sotto_error *err)
{
	int64_t window = sotto_limit_window(limit, time);

	if (limit->window == SOTTO_WINDOW_NONE)
		return count_first(l, time, err);
	return window == limit->window ? SOTTO_OK : turn_to(l, limit, window, err);
}

/* ---- row by row ----------------------------------------------------------------------------- */

static enum sotto_status row_check(const struct sotto_chain_row *row)
{
	struct sotto_cost whole, sum;
	enum sotto_status st;

	sotto_cost_init(&whole);
	sotto_cost_init(&sum);
	st = sotto_chain_cost_read(&row->cost, &whole);
	if (st == SOTTO_OK)
		st = add_parts(row, row->part_count, &sum);
	if (st == SOTTO_OK && row->part_count > 0 &&
	    !sotto_parts_add_up(&whole, &(struct sotto_ledger_part){.cost = &sum}, 1))
		st = SOTTO_ECORRUPT;
	sotto_cost_release(&sum);
	sotto_cost_release(&whole);
	return st;
}

static enum sotto_status count_release(struct sotto_ledger *l,
				       const struct sotto_chain_row *row,
				       struct sotto_error *err)
{
	if (row_check(row) != SOTTO_OK)
		return sotto_store_damage(&l->store, err);
	for (size_t i = 0; i < l->limit_count; i++) {
		struct sotto_limit *limit = &l->limits[i];

		if (limit->window == SOTTO_WINDOW_NONE)
			continue;
		SOTTO_TRY(sotto_ledger_settle(l, limit, row->time, err));
		if (sotto_limit_counts(limit, (enum sotto_ledger_kind)row->kind, row->analyst))
			SOTTO_TRY(count_in(l, limit, row, err));
	}
	return SOTTO_OK;
}

static enum sotto_status
count_repair(struct sotto_ledger *l, const struct sotto_chain_row *row, struct sotto_error *err)
{
	struct sotto_repair *grown = realloc(l->repairs, (l->repair_count + 1) * sizeof *grown);

	if (!grown)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	l->repairs = grown;
	l->repairs[l->repair_count++] =
		(struct sotto_repair){.number = row->number, .time = row->time};
	for (size_t i = 0; i < l->limit_count; i++)
		if (l->limits[i].window != SOTTO_WINDOW_NONE)
			SOTTO_TRY(turn_to(l, &l->limits[i],
					  sotto_limit_window(&l->limits[i], row->time), err));
	return SOTTO_OK;
}

/* Only a repair may be dated before the row that it follows. */
static bool is_dated_well(const struct sotto_ledger *l, const struct sotto_chain_row *row)
{
	switch (row->kind) {
	case SOTTO_LEDGER_RELEASE:
	case SOTTO_LEDGER_SHARED:
	case SOTTO_LEDGER_PARTLY_SHARED:
	case SOTTO_LEDGER_POLICY:
		return row->time >= l->last_time;
	case SOTTO_LEDGER_CLOCK:
		return row->time < l->last_time && row->time >= 0;
	default:
		return false;
	}
}

/* An empty text changes nothing of what holds: the entry is about the witness alone. */
static enum sotto_status
count_policy(struct sotto_ledger *l, const struct sotto_chain_row *row, struct sotto_error *err)
{
	char *terms;

	if (row->data[0] == '\0')
		return SOTTO_OK;
	terms = strdup(row->data);
	if (!terms)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	free(l->terms);
	l->terms = terms;
	return SOTTO_OK;
}

static enum sotto_status
count_kind(struct sotto_ledger *l, const struct sotto_chain_row *row, struct sotto_error *err)
{
	switch (row->kind) {
	case SOTTO_LEDGER_CLOCK:
		return count_repair(l, row, err);
	case SOTTO_LEDGER_POLICY:
		return count_policy(l, row, err);
	default:
		return count_release(l, row, err);
	}
}

/* Takes one more row into account, if it is the one that follows. */
static enum sotto_status count_row(void *context, const struct sotto_chain_row *row,
				   const uint8_t hash[SOTTO_HASH_BYTES], bool answered,
				   struct sotto_error *err)
{
	struct sotto_ledger *l = context;
	struct sotto_store_head next = l->seen;

	(void)answered;
	next.number++;
	sotto_chain_extend(next.hash, row);
	if (row->number != next.number || !is_dated_well(l, row) ||
	    memcmp(next.hash, hash, sizeof next.hash) != 0)
		return sotto_store_damage(&l->store, err);
	SOTTO_TRY(count_kind(l, row, err));
	if (next.number == 1)
		memcpy(l->first, next.hash, sizeof l->first);
	l->seen = next;
	l->last_time = row->time;
	l->latest = row->time > l->latest ? row->time : l->latest;
	return SOTTO_OK;
}

void sotto_ledger_start_over(struct sotto_ledger *l)
{
	memset(&l->seen, 0, sizeof l->seen);
	l->last_time = l->latest = 0;
	l->repair_count = 0;
	free(l->terms);
	l->terms = NULL;
	for (size_t i = 0; i < l->limit_count; i++)
		sotto_limit_turn(&l->limits[i], i < SOTTO_LIMIT_SHARES ? 0 : SOTTO_WINDOW_NONE);
}

/* What the witness saw before this transaction began must be in it. */
static enum sotto_status check_witness(struct sotto_ledger *l, struct sotto_error *err)
{
	uint8_t hash[SOTTO_HASH_BYTES];
	bool found = true;

	if (!l->witness || l->witnessed.number == 0)
		return SOTTO_OK;
	if (l->witnessed.number <= l->seen.number)
		SOTTO_TRY(sotto_store_hash(&l->store, l->witnessed.number, hash, &found, err));
	if (l->witnessed.number <= l->seen.number && found &&
	    memcmp(hash, l->witnessed.hash, sizeof hash) == 0)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_ESTATE,
		"the ledger %.200s lacks entries that its witness %.200s has seen: an older "
		"copy "
		"was put back; restore the latest, or, if it is lost, the owner runs: sotto "
		"policy accept",
		l->store.path, l->witness);
}

static enum sotto_status catch_up(struct sotto_ledger *l, struct sotto_error *err)
{
	struct sotto_store_range fresh = {.after = l->seen.number, .last = INT64_MAX};
	struct sotto_store_head head;

	SOTTO_TRY(sotto_store_head(&l->store, &head, err));
	SOTTO_TRY(sotto_store_rows(&l->store, fresh, count_row, l, err));
	if (head.number != l->seen.number ||
	    memcmp(head.hash, l->seen.hash, sizeof head.hash) != 0)
		return sotto_store_damage(&l->store, err);
	return check_witness(l, err);
}

/* A row that was counted in some limits only must not be counted again. */
enum sotto_status sotto_ledger_catch_up(struct sotto_ledger *l, struct sotto_error *err)
{
	enum sotto_status st = catch_up(l, err);

	if (st != SOTTO_OK)
		sotto_ledger_start_over(l);
	return st;
}

enum sotto_status sotto_ledger_read_all(struct sotto_ledger *l, struct sotto_error *err)
{
	enum sotto_status st = sotto_ledger_begin(l, false, err);

	sotto_store_rollback(&l->store);
	return st;
}
