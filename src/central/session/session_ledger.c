/*
 * The session's ledger: opened with the policy's budget and shares, once what the policy
 * says is what was accepted for it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/policy/policy_change.h"
#include "central/policy/policy_terms.h"
#include "central/seal/policy_workers.h"
#include "central/session/session.h"
#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"

static enum sotto_status give_share(struct sotto_session *s,
				    const struct sotto_policy_analyst *a,
				    struct sotto_error *err)
{
	struct sotto_ledger_budget share;
	enum sotto_status st;

	sotto_ledger_budget_init(&share);
	sotto_rational_multiply(&share.epsilon, s->policy.epsilon, a->share);
	sotto_rational_multiply(&share.delta, s->policy.delta, a->share);
	share.window = s->policy.window;
	st = sotto_ledger_share(s->ledger, a->name, &share, err);
	sotto_ledger_budget_release(&share);
	return st;
}

static enum sotto_status give_shares(struct sotto_session *s, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < s->policy.analyst_count; i++)
		st = give_share(s, &s->policy.analysts[i], err);
	return st;
}

/* ---- somebody whom a server let in ----------------------------------------------------------- */

static void release_share(void *share)
{
	sotto_rational_release(share);
}

static struct sotto_policy_analyst *find_analyst(struct sotto_session *s, const char *name)
{
	for (size_t i = 0; i < s->policy.analyst_count; i++)
		if (strcmp(s->policy.analysts[i].name, name) == 0)
			return &s->policy.analysts[i];
	return NULL;
}

static enum sotto_status
add_analyst(struct sotto_session *s, const char *name, struct sotto_policy_analyst **out)
{
	char *copy = sotto_arena_text(&s->policy.arena, name);
	struct sotto_rational *r = sotto_arena_alloc(&s->policy.arena, sizeof *r);
	struct sotto_policy_analyst *a;

	if (!copy || !r)
		return SOTTO_ENOMEM;
	sotto_rational_init(r);
	if (!sotto_arena_defer(&s->policy.arena, release_share, r))
		return SOTTO_ENOMEM;
	a = SOTTO_PUSH(&s->policy.arena, s->policy.analysts, s->policy.analyst_count);
	if (!a)
		return SOTTO_ENOMEM;
	*a = (struct sotto_policy_analyst){.name = copy, .share = r};
	*out = a;
	return SOTTO_OK;
}

/* Adds the name to those with a share; one that the policy gives it holds before another. */
static enum sotto_status set_share(struct sotto_session *s, const char *name,
				   const struct sotto_rational *share, struct sotto_error *err)
{
	struct sotto_policy_analyst *a = find_analyst(s, name);

	if (a)
		return SOTTO_OK;
	SOTTO_TRY(add_analyst(s, name, &a));
	sotto_rational_set(a->share, share);
	return s->ledger ? give_share(s, a, err) : SOTTO_OK;
}

enum sotto_status sotto_session_admit(struct sotto_session *s, const char *name,
				      const struct sotto_rational *share,
				      struct sotto_error *err)
{
	enum sotto_status st;
	char *copy;

	SOTTO_TRY(sotto_session_enter(s, err));
	copy = strdup(name);
	st = copy ? SOTTO_OK : SOTTO_ENOMEM;
	if (st == SOTTO_OK && share)
		st = set_share(s, name, share, err);
	if (st == SOTTO_OK) {
		free(s->admitted);
		s->admitted = copy;
		copy = NULL;
	}
	free(copy);
	sotto_session_leave(s);
	return st;
}

/* ---- opening --------------------------------------------------------------------------------- */

enum sotto_status sotto_policy_ledger_open(const struct sotto_policy *p,
					   struct sotto_ledger **out, struct sotto_error *err)
{
	struct sotto_ledger_budget total;
	char option[SOTTO_POLICY_OPTION];
	enum sotto_status st;

	sotto_ledger_budget_init(&total);
	sotto_rational_set(&total.epsilon, p->epsilon);
	sotto_rational_set(&total.delta, p->delta);
	total.window = p->window;
	st = sotto_ledger_open(p->ledger, p->witness, &total, out, err);
	sotto_ledger_budget_release(&total);
	if (st == SOTTO_EMISSING && access(p->ledger, F_OK) != 0 &&
	    *sotto_policy_option(p, option))
		return sotto_fail(err, st,
				  "no ledger at %.300s; create one with sotto ledger create%s, "
				  "or restore it: a new ledger starts the budget again",
				  p->ledger, option);
	return st;
}

/* ---- what was accepted ---------------------------------------------------------------------- */

enum { SHOWN_MAX = 300 }; /* bytes of the changes in a refusal */

/*
 * Harmless changes are recorded here, by whoever comes first; a ledger that cannot be
 * written is not asked to, since nothing can be charged to it either.
 */
static enum sotto_status settle_changes(struct sotto_session *s, struct sotto_arena *a,
					const struct sotto_policy_changes *changes,
					const char *terms, struct sotto_error *err)
{
	const char *needed = sotto_policy_changes_needed(a, changes, SHOWN_MAX);
	const char *all = sotto_policy_changes_text(a, changes, "; ");
	char option[SOTTO_POLICY_OPTION];

	if (!needed || !all)
		return SOTTO_ENOMEM;
	if (*needed)
		return sotto_fail(err, SOTTO_ESTATE,
				  "the policy is not the one that was accepted for the ledger "
				  "(%.320s); the owner accepts it with: sotto policy accept%s",
				  needed, sotto_policy_option(&s->policy, option));
	if (changes->count == 0 || sotto_ledger_is_read_only(s->ledger))
		return SOTTO_OK;
	return sotto_ledger_accept(s->ledger, "policy", terms, all, err);
}

static enum sotto_status compare(struct sotto_session *s, struct sotto_arena *a,
				 const char *terms, struct sotto_error *err)
{
	struct sotto_policy_changes changes;
	char *before = NULL;
	enum sotto_status st;

	SOTTO_TRY(sotto_ledger_policy(s->ledger, &before, err));
	st = sotto_policy_compare(a, before, terms, &changes);
	free(before);
	SOTTO_TRY(st);
	return settle_changes(s, a, &changes, terms, err);
}

enum sotto_status sotto_session_take_terms(struct sotto_session *s)
{
	struct sotto_buffer terms;
	enum sotto_status st;

	sotto_buffer_init(&terms, SOTTO_TERMS_MAX);
	st = sotto_policy_terms(&s->policy, &terms);
	if (st == SOTTO_OK)
		s->terms = strdup(sotto_buffer_text(&terms));
	sotto_buffer_release(&terms);
	return st == SOTTO_OK && !s->terms ? SOTTO_ENOMEM : st;
}

static enum sotto_status agree(struct sotto_session *s, struct sotto_error *err)
{
	struct sotto_arena a;
	enum sotto_status st;

	sotto_arena_init(&a, (size_t)256 << 20);
	st = compare(s, &a, s->terms, err);
	sotto_arena_release(&a);
	return st;
}

/* ---- opening -------------------------------------------------------------------------------- */

static enum sotto_status settle(struct sotto_session *s, struct sotto_error *err)
{
	enum sotto_ledger_neighbours neighbours;

	SOTTO_TRY(agree(s, err));
	SOTTO_TRY(give_shares(s, err));
	SOTTO_TRY(sotto_ledger_neighbours(s->ledger, &neighbours, err));
	s->counts_replace_one = neighbours == SOTTO_NEIGHBOURS_REPLACE_ONE;
	return sotto_ledger_salt(s->ledger, &s->salt, err);
}

enum sotto_status
sotto_session_book(struct sotto_session *s, struct sotto_ledger **out, struct sotto_error *err)
{
	enum sotto_status st;

	if (!s->ledger) {
		SOTTO_TRY(sotto_policy_workers_check(&s->policy, err));
		SOTTO_TRY(sotto_policy_ledger_open(&s->policy, &s->ledger, err));
		sotto_ledger_lend(s->ledger);
		st = settle(s, err);
		if (st != SOTTO_OK) { /* without all shares it would be a way round them */
			sotto_ledger_take_back(s->ledger);
			s->ledger = NULL;
			return st;
		}
	}
	*out = s->ledger;
	return SOTTO_OK;
}

enum sotto_status sotto_session_ledger(struct sotto_session *s, struct sotto_ledger **out,
				       struct sotto_error *err)
{
	enum sotto_status st;

	if (!out)
		return sotto_fail(err, SOTTO_EINVAL, "a ledger needs a place");
	SOTTO_TRY(sotto_session_enter(s, err));
	st = sotto_session_book(s, out, err);
	sotto_session_leave(s);
	return st;
}
