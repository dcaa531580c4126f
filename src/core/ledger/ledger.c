/*
 * (1) Spent budget never decreases, across any crash at any byte.
 * (2) A charge is durable before its answer leaves central/session.
 * (3) A damaged ledger refuses to open; it is never silently reset.
 * (4) Two processes, or two threads, never both spend the last of the budget.
 * (5) Time in the ledger goes back only by a repair that is itself an entry, and
 *     then gives nothing back: a clock that goes back renews nothing.
 * (6) A release of several parts is one entry: all of it is charged, or nothing.
 *
 * What is spent is never kept but computed: every operation first reads the rows
 * that were added since the last one, checks their chain of hashes and counts
 * them, inside the transaction that decides.  Argument: ledger.md.
 */
#include "sotto/ledger.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"
#include "core/number/thread_cache.h"

void sotto_ledger_budget_init(struct sotto_ledger_budget *b)
{
	sotto_rational_init(&b->epsilon);
	sotto_rational_init(&b->delta);
	b->window = 0;
}

void sotto_ledger_budget_release(struct sotto_ledger_budget *b)
{
	if (!b)
		return;
	sotto_rational_release(&b->epsilon);
	sotto_rational_release(&b->delta);
}

/* ---- one at a time -------------------------------------------------------------------------- */

enum sotto_status sotto_ledger_enter(struct sotto_ledger *l, struct sotto_error *err)
{
	if (!l)
		return sotto_fail(err, SOTTO_EINVAL, "there is no ledger");
	if (l->process != getpid())
		return sotto_fail(err, SOTTO_ESTATE,
				  "the ledger was opened before fork(); a child opens its own");
	sotto_thread_cache_care();
	if (pthread_mutex_lock(&l->lock) != 0)
		return sotto_fail(err, SOTTO_ESTATE,
				  "whoever visits the entries of a ledger cannot use it");
	return SOTTO_OK;
}

void sotto_ledger_leave(struct sotto_ledger *l)
{
	(void)pthread_mutex_unlock(&l->lock);
}

/* The kind of lock that tells a thread that it holds it already. */
static enum sotto_status make_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;
	int failed;

	if (pthread_mutexattr_init(&attributes) != 0)
		return SOTTO_ENOMEM;
	failed = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) ||
		 pthread_mutex_init(lock, &attributes);
	(void)pthread_mutexattr_destroy(&attributes);
	return failed ? SOTTO_ENOMEM : SOTTO_OK;
}

/* ---- opening and closing -------------------------------------------------------------------- */

static enum sotto_status add_limit(struct sotto_ledger *l, const char *analyst,
				   const struct sotto_ledger_budget *budget,
				   struct sotto_error *err)
{
	struct sotto_limit *grown = realloc(l->limits, (l->limit_count + 1) * sizeof *grown);

	if (!grown)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	l->limits = grown;
	SOTTO_TRY(sotto_limit_init(&l->limits[l->limit_count], analyst, budget,
				   l->limit_count ? &l->limits[l->limit_count - 1] : NULL,
				   err));
	l->limit_count++;
	return SOTTO_OK;
}

static void dispose(struct sotto_ledger *l)
{
	if (l->process == getpid())
		sotto_store_close(&l->store);
	else
		sotto_store_abandon(&l->store);
	for (size_t i = 0; i < l->limit_count; i++)
		sotto_limit_release(&l->limits[i]);
	free(l->limits);
	free(l->repairs);
	free(l->witness);
	free(l->terms);
	sotto_asking_release(&l->asking);
	(void)pthread_mutex_destroy(&l->lock);
	free(l);
}

static enum sotto_status
open_parts(struct sotto_ledger *l, const char *path, const char *witness,
	   const struct sotto_ledger_budget *total, struct sotto_error *err)
{
	if (witness && !(l->witness = strdup(witness)))
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	SOTTO_TRY(add_limit(l, NULL, total, err));
	SOTTO_TRY(add_limit(l, NULL, total, err));
	l->limits[SOTTO_LIMIT_SHOWN].is_shown = true;
	SOTTO_TRY(sotto_store_open(&l->store, path, err));
	return sotto_ledger_read_all(l, err);
}

enum sotto_status sotto_ledger_open(const char *path, const char *witness,
				    const struct sotto_ledger_budget *total,
				    struct sotto_ledger **out, struct sotto_error *err)
{
	struct sotto_ledger *l;
	enum sotto_status st;

	if (!path || !*path || !total || !out)
		return sotto_fail(err, SOTTO_EINVAL, "a ledger needs a path and a budget");
	l = calloc(1, sizeof *l);
	if (!l || make_lock(&l->lock) != SOTTO_OK) {
		free(l);
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	}
	l->process = getpid();
	sotto_thread_cache_care();
	sotto_asking_init(&l->asking);
	st = open_parts(l, path, witness, total, err);
	if (st == SOTTO_OK)
		*out = l;
	else
		dispose(l);
	return st;
}

void sotto_ledger_close(struct sotto_ledger *l)
{
	if (l && !l->lent)
		dispose(l);
}

void sotto_ledger_lend(struct sotto_ledger *l)
{
	l->lent = true;
}

void sotto_ledger_take_back(struct sotto_ledger *l)
{
	if (l)
		dispose(l);
}

static bool has_limit(const struct sotto_ledger *l, const char *analyst, bool or_tally)
{
	for (size_t i = SOTTO_LIMIT_SHARES; i < l->limit_count; i++)
		if (strcmp(l->limits[i].analyst, analyst) == 0 &&
		    (or_tally || !l->limits[i].is_tally))
			return true;
	return false;
}

/* It has counted no window yet: the first look at it counts the rows that are there. */
static enum sotto_status add_share(struct sotto_ledger *l, const char *analyst,
				   const struct sotto_ledger_budget *budget,
				   struct sotto_error *err)
{
	SOTTO_TRY(add_limit(l, analyst, budget, err));
	sotto_limit_turn(&l->limits[l->limit_count - 1], SOTTO_WINDOW_NONE);
	return SOTTO_OK;
}

static enum sotto_status give_share(struct sotto_ledger *l, const char *analyst,
				    const struct sotto_ledger_budget *share,
				    struct sotto_error *err)
{
	if (has_limit(l, analyst, false))
		return sotto_fail(err, SOTTO_EINVAL, "%.100s has two shares; keep one",
				  analyst);
	return add_share(l, analyst, share, err);
}

enum sotto_status sotto_ledger_share(struct sotto_ledger *l, const char *analyst,
				     const struct sotto_ledger_budget *share,
				     struct sotto_error *err)
{
	enum sotto_status st;

	if (!analyst || !share)
		return sotto_fail(err, SOTTO_EINVAL, "a share needs an analyst and a budget");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = give_share(l, analyst, share, err);
	sotto_ledger_leave(l);
	return st;
}

static enum sotto_status
add_tally(struct sotto_ledger *l, const char *analyst, struct sotto_error *err)
{
	const struct sotto_ledger_budget whole = l->limits[SOTTO_LIMIT_WHOLE].budget;

	SOTTO_TRY(add_share(l, analyst, &whole, err));
	l->limits[l->limit_count - 1].is_tally = true;
	return SOTTO_OK;
}

enum sotto_status
sotto_ledger_tally(struct sotto_ledger *l, const char *analyst, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	if (!analyst)
		return sotto_fail(err, SOTTO_EINVAL, "a tally needs an analyst");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	if (!has_limit(l, analyst, true))
		st = add_tally(l, analyst, err);
	sotto_ledger_leave(l);
	return st;
}
