/*
 * The terms of a ledger: its neighbours, and a text that the owner accepted.
 *
 * Both stand in entries of the chain.  The text is the business of whoever opens the ledger
 * (central/policy compares two of them); a line of our own before it names the neighbours,
 * which never change.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"
#include "core/ledger/store/ledger_store_file.h"
#include "core/ledger/store/ledger_store_open.h"
#include "core/ledger/ledger_witness.h"

enum { TERMS_MAX = 64 << 20 };

static const char *const words[] = {
	[SOTTO_NEIGHBOURS_ADD_REMOVE] = "neighbours add-remove\n",
	[SOTTO_NEIGHBOURS_REPLACE_ONE] = "neighbours replace-one\n",
};

static enum sotto_ledger_neighbours neighbours_of(const char *terms)
{
	const char *other = words[SOTTO_NEIGHBOURS_REPLACE_ONE];

	/* Ledgers of older versions knew no other than add-remove. */
	return terms && strncmp(terms, other, strlen(other)) == 0 ? SOTTO_NEIGHBOURS_REPLACE_ONE
								  : SOTTO_NEIGHBOURS_ADD_REMOVE;
}

/* ---- entries --------------------------------------------------------------------------------- */

static enum sotto_status append(struct sotto_ledger *l, const char *who, const char *terms,
				const char *difference, struct sotto_error *err)
{
	struct sotto_ledger_release entry = {
		.analyst = who, .query = difference, .data = terms};
	struct sotto_cost nothing;
	enum sotto_status st;

	sotto_cost_init(&nothing);
	entry.cost = &nothing;
	st = sotto_ledger_append(l, &entry, SOTTO_LEDGER_POLICY, sotto_ledger_time(l), err);
	sotto_cost_release(&nothing);
	return st;
}

static enum sotto_status
append_terms(struct sotto_ledger *l, const char *who, enum sotto_ledger_neighbours neighbours,
	     const char *policy, const char *difference, struct sotto_error *err)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, TERMS_MAX);
	st = sotto_buffer_append_text(&b, words[neighbours]);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&b, policy);
	if (st == SOTTO_OK)
		st = append(l, who, sotto_buffer_text(&b), difference, err);
	sotto_buffer_release(&b);
	return st;
}

/* ---- a new ledger ---------------------------------------------------------------------------- */

static enum sotto_status
write_first(struct sotto_store *draft, void *context, struct sotto_error *err)
{
	const struct sotto_ledger_terms *terms = context;
	struct sotto_ledger l = {.store = *draft};

	return append_terms(&l, terms->owner ? terms->owner : "owner", terms->neighbours,
			    terms->policy,
			    terms->neighbours == SOTTO_NEIGHBOURS_REPLACE_ONE
				    ? "the ledger was created, for replace-one neighbours"
				    : "the ledger was created, for add-remove neighbours",
			    err);
}

static enum sotto_status
read_head(const char *path, struct sotto_store_head *head, struct sotto_error *err)
{
	struct sotto_store store;
	enum sotto_status st;

	SOTTO_TRY(sotto_store_open(&store, path, err));
	st = sotto_store_head(&store, head, err);
	sotto_store_close(&store);
	return st;
}

enum sotto_status sotto_ledger_create(const char *path, const struct sotto_ledger_terms *terms,
				      struct sotto_error *err)
{
	struct sotto_store_head head;

	if (!path || !*path || !terms || !terms->policy ||
	    terms->neighbours > SOTTO_NEIGHBOURS_REPLACE_ONE)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a ledger needs a path and a text of what holds for it");
	SOTTO_TRY(sotto_store_make(path, write_first, (void *)terms, err));
	if (!terms->witness)
		return SOTTO_OK;
	SOTTO_TRY(read_head(path, &head, err));
	return sotto_witness_set(terms->witness, &head, err);
}

/* ---- looking --------------------------------------------------------------------------------- */

bool sotto_ledger_is_read_only(struct sotto_ledger *l)
{
	return l && l->store.is_read_only;
}

enum sotto_status sotto_ledger_neighbours(struct sotto_ledger *l,
					  enum sotto_ledger_neighbours *out,
					  struct sotto_error *err)
{
	enum sotto_status st;

	if (!out)
		return sotto_fail(err, SOTTO_EINVAL, "neighbours need a place");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = sotto_ledger_read_all(l, err);
	if (st == SOTTO_OK)
		*out = neighbours_of(l->terms);
	sotto_ledger_leave(l);
	return st;
}

static enum sotto_status copy_policy(const struct sotto_ledger *l, char **text)
{
	const char *line = l->terms ? strchr(l->terms, '\n') : NULL;
	char *copy = NULL;

	if (line && !(copy = strdup(line + 1)))
		return SOTTO_ENOMEM;
	*text = copy;
	return SOTTO_OK;
}

enum sotto_status
sotto_ledger_policy(struct sotto_ledger *l, char **text, struct sotto_error *err)
{
	enum sotto_status st;

	if (!text)
		return sotto_fail(err, SOTTO_EINVAL, "a text needs a place");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = sotto_ledger_read_all(l, err);
	if (st == SOTTO_OK)
		st = copy_policy(l, text);
	sotto_ledger_leave(l);
	return st;
}

enum sotto_status
sotto_ledger_salt(struct sotto_ledger *l, uint64_t *out, struct sotto_error *err)
{
	enum sotto_status st;

	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = sotto_ledger_read_all(l, err);
	if (st == SOTTO_OK)
		memcpy(out, l->first, sizeof *out);
	sotto_ledger_leave(l);
	return st;
}

/* ---- the owner's acts ------------------------------------------------------------------------ */

static enum sotto_status accept(struct sotto_ledger *l, const char *who, const char *policy,
				const char *difference, struct sotto_error *err)
{
	SOTTO_TRY(sotto_ledger_begin(l, true, err));
	SOTTO_TRY(append_terms(l, who, neighbours_of(l->terms), policy, difference, err));
	return sotto_ledger_commit(l, err);
}

enum sotto_status sotto_ledger_accept(struct sotto_ledger *l, const char *who,
				      const char *policy, const char *difference,
				      struct sotto_error *err)
{
	enum sotto_status st;

	if (!who || !policy || !*policy || !difference)
		return sotto_fail(err, SOTTO_EINVAL,
				  "accepting needs a name, a text and what changed");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = accept(l, who, policy, difference, err);
	if (st != SOTTO_OK)
		sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}

/* Opened without its witness, which is what is wrong. */
static enum sotto_status record_reset(struct sotto_ledger *l, const char *witness,
				      const char *who, struct sotto_error *err)
{
	struct sotto_store_head head;

	SOTTO_TRY(sotto_ledger_begin(l, true, err));
	SOTTO_TRY(append(l, who, "",
			 "the witness was set to this ledger; entries that only the witness "
			 "knew of are lost",
			 err));
	SOTTO_TRY(sotto_ledger_commit(l, err));
	SOTTO_TRY(sotto_store_head(&l->store, &head, err));
	return sotto_witness_set(witness, &head, err);
}

enum sotto_status sotto_ledger_reset_witness(const char *path, const char *witness,
					     const char *who, struct sotto_error *err)
{
	struct sotto_ledger_budget any;
	struct sotto_ledger *l = NULL;
	enum sotto_status st;

	if (!path || !witness || !who)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a witness needs a ledger, a file and a name");
	sotto_ledger_budget_init(&any);
	st = sotto_ledger_open(path, NULL, &any, &l, err);
	sotto_ledger_budget_release(&any);
	SOTTO_TRY(st);
	st = record_reset(l, witness, who, err);
	if (st != SOTTO_OK)
		sotto_store_rollback(&l->store);
	sotto_ledger_close(l);
	return st;
}
