/* The answer of an entry: stored, marked with keys, and found by them again. */
#include <stdlib.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"
#include "sotto/ledger.h"

static enum sotto_status store_answer(struct sotto_ledger *l, uint64_t entry,
				      const char *answer, struct sotto_error *err)
{
	SOTTO_TRY(sotto_store_begin(&l->store, true, err));
	SOTTO_TRY(sotto_store_answer(&l->store, entry, answer, err));
	SOTTO_TRY(sotto_store_commit(&l->store, err));
	sotto_asking_leave(&l->asking, entry);
	return SOTTO_OK;
}

enum sotto_status sotto_ledger_answer(struct sotto_ledger *l, uint64_t entry,
				      const char *answer, struct sotto_error *err)
{
	enum sotto_status st;

	if (!answer)
		return sotto_fail(err, SOTTO_EINVAL, "there is no answer to store");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = store_answer(l, entry, answer, err);
	if (st != SOTTO_OK)
		sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}

static enum sotto_status
mark(struct sotto_ledger *l, uint64_t entry, const uint8_t *key, struct sotto_error *err)
{
	uint8_t hash[SOTTO_HASH_BYTES];
	bool found = false;

	SOTTO_TRY(sotto_store_begin(&l->store, true, err));
	SOTTO_TRY(sotto_store_hash(&l->store, entry, hash, &found, err));
	if (!found)
		return sotto_fail(err, SOTTO_ESTATE, "the ledger has no such entry");
	SOTTO_TRY(sotto_store_mark(&l->store, entry, key, err));
	return sotto_store_commit(&l->store, err);
}

enum sotto_status sotto_ledger_mark(struct sotto_ledger *l, uint64_t entry, const char *key,
				    struct sotto_error *err)
{
	uint8_t hash[SOTTO_HASH_BYTES];
	enum sotto_status st;

	if (!key)
		return sotto_fail(err, SOTTO_EINVAL, "there is no key to mark an entry with");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	sotto_chain_fingerprint("sotto ledger key 1", key, hash);
	st = mark(l, entry, hash, err);
	if (st != SOTTO_OK)
		sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}

void sotto_ledger_found_release(struct sotto_ledger_found *f)
{
	if (!f)
		return;
	free(f->answer);
	free(f->data);
	*f = (struct sotto_ledger_found){0};
}

static enum sotto_status find(struct sotto_ledger *l, const char *key,
			      struct sotto_store_wish wish, struct sotto_ledger_found *out,
			      struct sotto_error *err)
{
	uint8_t hash[SOTTO_HASH_BYTES];
	enum sotto_status st;

	if (!key || !out)
		return sotto_fail(err, SOTTO_EINVAL, "an answer is found by its key");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	sotto_chain_fingerprint("sotto ledger key 1", key, hash);
	wish.key = hash;
	st = sotto_store_find(&l->store, &wish, out, err);
	sotto_ledger_leave(l);
	return st;
}

enum sotto_status sotto_ledger_find(struct sotto_ledger *l, const char *analyst,
				    const char *key, struct sotto_ledger_found *out,
				    struct sotto_error *err)
{
	return find(l, key, (struct sotto_store_wish){.analyst = analyst}, out, err);
}

enum sotto_status sotto_ledger_find_others(struct sotto_ledger *l, const char *analyst,
					   const char *key, const char *data,
					   struct sotto_ledger_found *out,
					   struct sotto_error *err)
{
	if (!analyst || !data)
		return sotto_fail(err, SOTTO_EINVAL,
				  "what others have found needs a name and a state of data");
	return find(l, key, (struct sotto_store_wish){.analyst = analyst, .data = data}, out,
		    err);
}
