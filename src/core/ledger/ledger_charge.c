/*
 * A charge: one transaction that counts what is new, asks every limit, appends the entry and
 * commits it.  It is durable when the commit returns.
 */
#include <unistd.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"
#include "core/ledger/ledger_witness.h"
#include "sotto/ledger.h"

enum sotto_status
sotto_ledger_begin(struct sotto_ledger *l, bool write, struct sotto_error *err)
{
	l->is_unwitnessed = false;
	if (l->witness)
		SOTTO_TRY(sotto_witness_read(l->witness, &l->witnessed, err));
	SOTTO_TRY(sotto_store_begin(&l->store, write, err));
	return sotto_ledger_catch_up(l, err);
}

/* The witness is opened first: once the entry is committed, what fails is paid for. */
static enum sotto_status commit_witnessed(struct sotto_ledger *l,
					  const struct sotto_store_head *head,
					  struct sotto_error *err)
{
	enum sotto_status st;
	int held = -1;

	SOTTO_TRY(sotto_witness_hold(l->witness, &held, err));
	st = sotto_store_commit(&l->store, err);
	if (st != SOTTO_OK) {
		(void)close(held);
		return st;
	}
	l->is_unwitnessed = !sotto_witness_tell(held, head);
	if (!l->is_unwitnessed)
		return SOTTO_OK;
	return sotto_fail(err, SOTTO_EIO,
			  "the entry is in the ledger, with its cost, but the witness of the "
			  "ledger, %.300s, could not be written",
			  l->witness);
}

/*
 * The new row is not counted here: the next operation reads it back, so that
 * memory never knows of a charge that the disk does not have.
 */
enum sotto_status sotto_ledger_commit(struct sotto_ledger *l, struct sotto_error *err)
{
	struct sotto_store_head head;

	SOTTO_TRY(sotto_store_head(&l->store, &head, err));
	return l->witness ? commit_witnessed(l, &head, err)
			  : sotto_store_commit(&l->store, err);
}

bool sotto_ledger_is_unwitnessed(struct sotto_ledger *l)
{
	bool is_so;

	if (sotto_ledger_enter(l, NULL) != SOTTO_OK)
		return false;
	is_so = l->is_unwitnessed;
	sotto_ledger_leave(l);
	return is_so;
}

enum sotto_status sotto_ledger_admits(struct sotto_ledger *l, const char *analyst,
				      const struct sotto_cost *cost, int64_t when,
				      struct sotto_error *err)
{
	for (size_t i = 0; i < l->limit_count; i++) {
		struct sotto_limit *limit = &l->limits[i];
		enum sotto_status st;

		if (!sotto_limit_concerns(limit, analyst))
			continue;
		SOTTO_TRY(sotto_ledger_settle(l, limit, when, err));
		st = sotto_limit_check(limit, cost, err);
		if (st == SOTTO_EBUDGET)
			sotto_ledger_say_renewal(l, limit, err);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_ledger_charge_now(struct sotto_ledger *l, const struct sotto_ledger_release *release,
			enum sotto_ledger_kind kind, uint64_t *entry, struct sotto_error *err)
{
	uint64_t number = l->seen.number + 1;
	int64_t when = sotto_ledger_time(l);
	enum sotto_status st;

	SOTTO_TRY(sotto_ledger_admits(l, release->analyst, release->cost, when, err));
	SOTTO_TRY(sotto_store_reserve(&l->store, err));
	SOTTO_TRY(sotto_ledger_append(l, release, kind, when, err));
	/* Without a lock nobody waits for this answer: equal questions are charged each. */
	(void)sotto_asking_take(&l->asking, l->store.path, number);
	st = sotto_ledger_commit(l, err);
	if (st == SOTTO_OK)
		*entry = number;
	else
		sotto_asking_leave(&l->asking, number);
	return st;
}

static enum sotto_status charge(struct sotto_ledger *l,
				const struct sotto_ledger_release *release, uint64_t *entry,
				struct sotto_error *err)
{
	SOTTO_TRY(sotto_ledger_begin(l, true, err));
	return sotto_ledger_charge_now(l, release, SOTTO_LEDGER_RELEASE, entry, err);
}

enum sotto_status sotto_ledger_charge(struct sotto_ledger *l,
				      const struct sotto_ledger_release *release,
				      uint64_t *entry, struct sotto_error *err)
{
	enum sotto_status st;

	SOTTO_TRY(sotto_release_check(release, err));
	if (!entry)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a charge needs a place for the entry's number");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = charge(l, release, entry, err);
	if (st != SOTTO_OK)
		sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}

static enum sotto_status check(struct sotto_ledger *l, const char *analyst,
			       const struct sotto_cost *cost, struct sotto_error *err)
{
	SOTTO_TRY(sotto_ledger_begin(l, false, err));
	return sotto_ledger_admits(l, analyst, cost, sotto_ledger_time(l), err);
}

enum sotto_status sotto_ledger_check(struct sotto_ledger *l, const char *analyst,
				     const struct sotto_cost *cost, struct sotto_error *err)
{
	enum sotto_status st;

	if (!analyst || !cost)
		return sotto_fail(err, SOTTO_EINVAL, "a check needs an analyst and a cost");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = check(l, analyst, cost, err);
	sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}
