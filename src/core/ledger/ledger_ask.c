/*
 * Asking: a charge, or an answer that is there already.
 *
 * (1) Look and charge are one transaction, so that of two equal questions of one analyst
 *     one is charged, in whichever processes they are asked.
 * (2) An answer that another analyst paid for is given out only where a charge would be
 *     admitted, and the analyst's share pays: nothing that the analyst sees tells which of
 *     the two it was.  The whole is not charged again, since the same noisy values come out.
 * (3) The entry of an answer that is being made is locked before others can see it.
 */
#include <string.h>
#include <time.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"

enum { LOOK_AGAIN_NANOSECONDS = 5000000 };

void sotto_ledger_ticket_release(struct sotto_ledger_ticket *t)
{
	if (t)
		sotto_ledger_found_release(&t->found);
}

/* The entry and the copy of the answer are one transaction: there is nothing to wait for. */
static enum sotto_status share(struct sotto_ledger *l,
			       const struct sotto_ledger_release *release,
			       struct sotto_ledger_ticket *t, struct sotto_error *err)
{
	int64_t when = sotto_ledger_time(l);

	SOTTO_TRY(sotto_ledger_admits(l, release->analyst, release->cost, when, err));
	SOTTO_TRY(sotto_ledger_append(l, release, SOTTO_LEDGER_SHARED, when, err));
	SOTTO_TRY(sotto_store_answer(&l->store, l->seen.number + 1, t->found.answer, err));
	SOTTO_TRY(sotto_ledger_commit(l, err));
	t->entry = l->seen.number + 1;
	t->deed = SOTTO_LEDGER_SHARED_ANSWER;
	return SOTTO_OK;
}

/* Another analyst has paid for all that the last part finds, about the same data. */
static enum sotto_status is_found(struct sotto_ledger *l,
				  const struct sotto_ledger_release *release, bool *found,
				  struct sotto_error *err)
{
	*found = release->found_count > 0 && release->part_count > 1 && release->data &&
		 *release->data;
	for (size_t i = 0; *found && i < release->found_count; i++) {
		uint8_t key[SOTTO_HASH_BYTES];
		const struct sotto_store_wish wish = {
			.key = key, .analyst = release->analyst, .data = release->data};
		struct sotto_ledger_found other = {0};

		sotto_chain_fingerprint("sotto ledger key 1", release->found[i], key);
		SOTTO_TRY(sotto_store_find(&l->store, &wish, &other, err));
		*found = other.answer != NULL;
		sotto_ledger_found_release(&other);
	}
	return SOTTO_OK;
}

static enum sotto_status charge(struct sotto_ledger *l,
				const struct sotto_ledger_release *release,
				struct sotto_ledger_ticket *t, struct sotto_error *err)
{
	t->deed = SOTTO_LEDGER_CHARGED;
	SOTTO_TRY(is_found(l, release, &t->is_found, err));
	return sotto_ledger_charge_now(
		l, release, t->is_found ? SOTTO_LEDGER_PARTLY_SHARED : SOTTO_LEDGER_RELEASE,
		&t->entry, err);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Whether the analyst has an answer under a key, or somebody is at work on it. */
static enum sotto_status is_asked(struct sotto_ledger *l, const char *analyst, const char *key,
				  bool *asked, struct sotto_error *err)
{
	uint8_t hash[SOTTO_HASH_BYTES];
	const struct sotto_store_wish wish = {.key = hash, .analyst = analyst};
	struct sotto_ledger_found found = {0};
	uint64_t number = 0;

	sotto_chain_fingerprint("sotto ledger key 1", key, hash);
	/* In this order: an answer that comes meanwhile is seen by one of the two. */
	SOTTO_TRY(sotto_store_unanswered(&l->store, &wish, &number, err));
	SOTTO_TRY(sotto_store_find(&l->store, &wish, &found, err));
	*asked = found.answer ||
		 (number > 0 && sotto_asking_is_taken(&l->asking, l->store.path, number));
	sotto_ledger_found_release(&found);
	return SOTTO_OK;
}

/* *busy: somebody is at work on the same question of this analyst. */
static enum sotto_status ask(struct sotto_ledger *l, const struct sotto_ledger_release *release,
			     bool may_wait, struct sotto_ledger_ticket *t, bool *busy,
			     struct sotto_error *err)
{
	uint8_t key[SOTTO_HASH_BYTES];
	struct sotto_store_wish wish = {.key = key, .analyst = release->analyst};
	bool rivalled = false;
	uint64_t number;

	*busy = false;
	sotto_chain_fingerprint("sotto ledger key 1", release->key, key);
	SOTTO_TRY(sotto_ledger_begin(l, true, err));
	SOTTO_TRY(sotto_store_find(&l->store, &wish, &t->found, err));
	t->deed = SOTTO_LEDGER_REPEATED;
	if (t->found.answer)
		return SOTTO_OK;
	SOTTO_TRY(sotto_store_unanswered(&l->store, &wish, &number, err));
	*busy = number > 0 && may_wait &&
		sotto_asking_is_taken(&l->asking, l->store.path, number);
	if (*busy)
		return SOTTO_OK;
	if (release->rival)
		SOTTO_TRY(is_asked(l, release->analyst, release->rival, &rivalled, err));
	t->deed = SOTTO_LEDGER_RIVALLED;
	if (rivalled)
		return SOTTO_OK;
	wish.data = release->data;
	if (wish.data && *wish.data && !release->own_only)
		SOTTO_TRY(sotto_store_find(&l->store, &wish, &t->found, err));
	if (t->found.answer)
		return share(l, release, t, err);
	return charge(l, release, t, err);
}

enum sotto_status sotto_ledger_is_asked(struct sotto_ledger *l, const char *analyst,
					const char *key, bool *asked, struct sotto_error *err)
{
	enum sotto_status st;

	if (!analyst || !key || !asked)
		return sotto_fail(err, SOTTO_EINVAL,
				  "what was asked is found by an analyst and a key");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = is_asked(l, analyst, key, asked, err);
	sotto_ledger_leave(l);
	return st;
}

static uint64_t now(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Looks until nobody is at work on it, or patience ends. */
static enum sotto_status ask_until(struct sotto_ledger *l,
				   const struct sotto_ledger_release *release,
				   struct sotto_ledger_ticket *t, struct sotto_error *err)
{
	const struct timespec pause = {.tv_nsec = LOOK_AGAIN_NANOSECONDS};
	uint64_t since = now();
	bool busy = true;
	enum sotto_status st;

	for (;;) {
		st = ask(l, release, now() - since < release->patience, t, &busy, err);
		sotto_store_rollback(&l->store); /* of what was not committed */
		if (st != SOTTO_OK || !busy)
			return st;
		t->has_waited = true;
		(void)nanosleep(&pause, NULL);
	}
}

enum sotto_status sotto_ledger_ask(struct sotto_ledger *l,
				   const struct sotto_ledger_release *release,
				   struct sotto_ledger_ticket *out, struct sotto_error *err)
{
	struct sotto_ledger_ticket t = {0};
	enum sotto_status st;

	SOTTO_TRY(sotto_release_check(release, err));
	if (!out)
		return sotto_fail(err, SOTTO_EINVAL,
				  "asking needs a place for what came of it");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = ask_until(l, release, &t, err);
	sotto_ledger_leave(l);
	if (st == SOTTO_OK)
		*out = t;
	else
		sotto_ledger_ticket_release(&t);
	return st;
}

void sotto_ledger_give_up(struct sotto_ledger *l, uint64_t entry)
{
	if (sotto_ledger_enter(l, NULL) != SOTTO_OK)
		return;
	sotto_asking_leave(&l->asking, entry);
	sotto_ledger_leave(l);
}
