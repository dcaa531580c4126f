/*
 * The owner's acts on a ledger: making it, and accepting a policy for it.
 */
#include "central/session/owner/ledger_owner.h"

#include <stdlib.h>
#include <string.h>

#include "core/ledger/ledger_inside.h"
#include "central/policy/policy_change.h"
#include "central/policy/policy_terms.h"
#include "central/session/session.h"
#include "core/base/failure.h"
#include "sotto/owner.h"

/* ---- making ---------------------------------------------------------------------------------- */

static enum sotto_status create(const struct sotto_policy *p,
				enum sotto_ledger_neighbours neighbours,
				struct sotto_error *err)
{
	struct sotto_ledger_terms terms = {.neighbours = neighbours, .witness = p->witness};
	struct sotto_buffer text;
	enum sotto_status st;

	sotto_buffer_init(&text, SOTTO_TERMS_MAX);
	st = sotto_policy_terms(p, &text);
	terms.policy = sotto_buffer_text(&text);
	if (st == SOTTO_OK)
		st = sotto_ledger_create(p->ledger, &terms, err);
	sotto_buffer_release(&text);
	return st;
}

enum sotto_status sotto_policy_create_ledger(const char *policy,
					     enum sotto_ledger_neighbours neighbours,
					     char **path, struct sotto_error *err)
{
	struct sotto_policy p;
	enum sotto_status st;
	char *where;

	if (!policy || !path)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a ledger needs a policy and a place for its name");
	SOTTO_TRY(sotto_policy_load(&p, policy, err));
	where = strdup(p.ledger);
	st = where ? create(&p, neighbours, err) : SOTTO_ENOMEM;
	sotto_policy_release(&p);
	if (st == SOTTO_OK)
		*path = where;
	else
		free(where);
	return st;
}

/* ---- accepting ------------------------------------------------------------------------------- */

/* Opens a ledger whose witness is missing, damaged or ahead, if nothing else is wrong. */
static enum sotto_status open_alone(const struct sotto_policy *p, struct sotto_ledger **ledger)
{
	struct sotto_policy alone = *p;

	alone.witness = NULL;
	return p->witness ? sotto_policy_ledger_open(&alone, ledger, NULL) : SOTTO_ESTATE;
}

/* A witness that is missing, damaged or ahead is what the owner vouches against. */
static enum sotto_status open_vouched(const struct sotto_policy *p, const char *who,
				      struct sotto_ledger **ledger, bool *reset,
				      struct sotto_error *err)
{
	enum sotto_status st = sotto_policy_ledger_open(p, ledger, err);

	*reset = false;
	if (st == SOTTO_OK)
		return st;
	if (open_alone(p, ledger) != SOTTO_OK)
		return st; /* the ledger itself is what is wrong */
	sotto_ledger_close(*ledger);
	*ledger = NULL;
	SOTTO_TRY(sotto_ledger_reset_witness(p->ledger, p->witness, who, err));
	*reset = true;
	return sotto_policy_ledger_open(p, ledger, err);
}

static enum sotto_status add_witness(struct sotto_arena *a, struct sotto_policy_changes *out)
{
	struct sotto_policy_change *slot = SOTTO_PUSH(a, out->list, out->count);

	if (!slot)
		return SOTTO_ENOMEM;
	*slot = (struct sotto_policy_change){.text = "the witness is missing, or has seen "
						     "entries that this ledger lacks: it "
						     "is set to this ledger",
					     .needs_accept = true};
	return SOTTO_OK;
}

static enum sotto_status compare_with(struct sotto_ledger *ledger, const struct sotto_policy *p,
				      struct sotto_arena *a, struct sotto_policy_changes *out,
				      struct sotto_error *err)
{
	struct sotto_buffer terms;
	char *before = NULL;
	enum sotto_status st;

	sotto_buffer_init(&terms, SOTTO_TERMS_MAX);
	st = sotto_policy_terms(p, &terms);
	if (st == SOTTO_OK)
		st = sotto_ledger_policy(ledger, &before, err);
	if (st == SOTTO_OK)
		st = sotto_policy_compare(a, before, sotto_buffer_text(&terms), out);
	free(before);
	sotto_buffer_release(&terms);
	return st;
}

enum sotto_status sotto_policy_unaccepted(const struct sotto_policy *p, struct sotto_arena *a,
					  struct sotto_policy_changes *out,
					  struct sotto_error *err)
{
	struct sotto_ledger *ledger = NULL;
	enum sotto_status st = sotto_policy_ledger_open(p, &ledger, err);
	bool alone = st != SOTTO_OK && open_alone(p, &ledger) == SOTTO_OK;

	if (st != SOTTO_OK && !alone)
		return st;
	st = compare_with(ledger, p, a, out, err);
	if (st == SOTTO_OK && alone)
		st = add_witness(a, out);
	sotto_ledger_close(ledger);
	return st;
}

static enum sotto_status accept_terms(struct sotto_ledger *ledger, const char *who,
				      const char *terms, bool reset, char **difference,
				      struct sotto_error *err)
{
	struct sotto_policy_changes changes;
	struct sotto_arena a;
	char *before = NULL;
	const char *text = NULL, *lines = NULL;
	enum sotto_status st;

	SOTTO_TRY(sotto_ledger_policy(ledger, &before, err));
	sotto_arena_init(&a, (size_t)256 << 20);
	st = sotto_policy_compare(&a, before, terms, &changes);
	if (st == SOTTO_OK && (!(text = sotto_policy_changes_text(&a, &changes, "; ")) ||
			       !(lines = sotto_policy_changes_text(&a, &changes, "\n"))))
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK && changes.count > 0)
		st = sotto_ledger_accept(ledger, who, terms, text, err);
	if (st == SOTTO_OK && reset)
		lines = sotto_arena_textf(&a, "%s%sthe witness was set to this ledger", lines,
					  *lines ? "\n" : "");
	if (st == SOTTO_OK && !(lines && (*difference = strdup(lines))))
		st = SOTTO_ENOMEM;
	sotto_arena_release(&a);
	free(before);
	return st;
}

static enum sotto_status accept(const struct sotto_policy *p, const char *who,
				char **difference, struct sotto_error *err)
{
	struct sotto_ledger *ledger = NULL;
	struct sotto_buffer terms;
	enum sotto_status st;
	bool reset;

	SOTTO_TRY(open_vouched(p, who, &ledger, &reset, err));
	sotto_buffer_init(&terms, SOTTO_TERMS_MAX);
	st = sotto_policy_terms(p, &terms);
	if (st == SOTTO_OK)
		st = accept_terms(ledger, who, sotto_buffer_text(&terms), reset, difference,
				  err);
	sotto_buffer_release(&terms);
	sotto_ledger_close(ledger);
	return st;
}

enum sotto_status sotto_policy_accept(const char *policy, const char *who, char **difference,
				      struct sotto_error *err)
{
	struct sotto_policy p;
	enum sotto_status st;

	if (!policy || !who || !difference)
		return sotto_fail(err, SOTTO_EINVAL,
				  "accepting needs a policy, a name and a place for what "
				  "changed");
	SOTTO_TRY(sotto_policy_load(&p, policy, err));
	st = accept(&p, who, difference, err);
	sotto_policy_release(&p);
	return st;
}
