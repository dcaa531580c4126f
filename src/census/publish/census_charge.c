/*
 * Recognizes the release in the ledger by a name derived from the key of its noise, so that a
 * continued release is charged once.
 */
#include "core/ledger/ledger_inside.h"
#include "census/publish/census_charge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

static enum sotto_status set_cost(const struct sotto_census_plan *p, struct sotto_cost *cost)
{
	struct sotto_rational none;
	enum sotto_status st;

	if (p->model == SOTTO_CENSUS_PURE)
		return sotto_cost_set_pure(cost, p->total);
	sotto_rational_init(&none);
	st = sotto_cost_set_zcdp(cost, p->total, &none);
	sotto_rational_release(&none);
	return st;
}

enum sotto_status sotto_census_check_neighbours(const struct sotto_census_request *r,
						const struct sotto_census_plan *p,
						struct sotto_error *err)
{
	enum sotto_ledger_neighbours counted;

	if (!r->ledger)
		return SOTTO_OK;
	SOTTO_TRY(sotto_ledger_neighbours(r->ledger, &counted, err));
	if (p->replace_one == (counted == SOTTO_NEIGHBOURS_REPLACE_ONE))
		return SOTTO_OK;
	return sotto_fail(err, SOTTO_EBUDGET,
			  "the ledger is for %s neighbours, but the plan states %s; change "
			  "privacy.neighbours or use another ledger",
			  counted == SOTTO_NEIGHBOURS_REPLACE_ONE ? "replace-one"
								  : "add-remove",
			  p->replace_one ? "replace-one" : "add-remove");
}

/* ---- the release's entry ------------------------------------------------------------------------------------ */

struct search {
	char mark[SOTTO_CENSUS_NAME_SIZE + 3]; /* how the text of the entry ends */
	bool found;
	uint64_t number;
};

static enum sotto_status look_at(void *context, const struct sotto_ledger_entry *entry)
{
	struct search *s = context;
	size_t n = strlen(entry->query), m = strlen(s->mark);

	if (entry->kind == SOTTO_LEDGER_RELEASE && n >= m &&
	    strcmp(entry->query + n - m, s->mark) == 0) {
		s->found = true;
		s->number = entry->number;
	}
	return SOTTO_OK;
}

static enum sotto_status search_init(struct search *search, const struct sotto_census_state *s)
{
	char name[SOTTO_CENSUS_NAME_SIZE];

	*search = (struct search){.found = false};
	SOTTO_TRY(sotto_census_state_name(s, name));
	(void)snprintf(search->mark, sizeof search->mark, " (%s)", name);
	return SOTTO_OK;
}

/* What the history of the ledger shows: the plan, its whole cost, and which release it was. */
static enum sotto_status
entry_text(const struct sotto_census_plan *p, const struct search *search, char **out)
{
	char *cost = mpq_get_str(NULL, 10, p->total->q);
	int n = asprintf(out, "release %s, %s %s%s", p->path,
			 p->model == SOTTO_CENSUS_PURE ? "epsilon" : "rho", cost, search->mark);

	free(cost);
	return n < 0 ? SOTTO_ENOMEM : SOTTO_OK;
}

static enum sotto_status charge(const struct sotto_census_request *r,
				const struct sotto_census_plan *p, const char *query,
				struct sotto_error *err)
{
	struct sotto_ledger_release release = {
		.analyst = r->analyst ? r->analyst : "curator", .query = query, .key = query};
	struct sotto_cost cost;
	uint64_t entry;
	enum sotto_status st;

	sotto_cost_init(&cost);
	st = set_cost(p, &cost);
	release.cost = &cost;
	if (st == SOTTO_OK)
		st = sotto_ledger_charge(r->ledger, &release, &entry, err);
	sotto_cost_release(&cost);
	return st;
}

enum sotto_status
sotto_census_charge(const struct sotto_census_request *r, const struct sotto_census_plan *p,
		    const struct sotto_census_state *s, struct sotto_error *err)
{
	char *query = NULL;
	struct search search;
	enum sotto_status st;

	if (s->charged == SOTTO_CENSUS_CHARGED && !r->ledger)
		return sotto_fail(err, SOTTO_EBUDGET,
				  "the release was charged to a ledger; continue it with "
				  "--policy, so that the ledger records that it has ended");
	if (s->charged != SOTTO_CENSUS_CHARGE_BEGUN)
		return SOTTO_OK;
	if (!r->ledger)
		return sotto_fail(err, SOTTO_EBUDGET,
				  "the release was interrupted while it was charged; continue "
				  "it with --policy, so that the ledger can be asked");
	SOTTO_TRY(sotto_census_check_neighbours(r, p, err));
	SOTTO_TRY(search_init(&search, s));
	SOTTO_TRY(entry_text(p, &search, &query));
	st = r->resume ? sotto_ledger_each(r->ledger, look_at, &search, err) : SOTTO_OK;
	if (st == SOTTO_OK && !search.found)
		st = charge(r, p, query, err);
	free(query);
	return st;
}

void sotto_census_charge_done(const struct sotto_census_request *r,
			      const struct sotto_census_state *s)
{
	struct search search;

	if (!r->ledger || s->charged != SOTTO_CENSUS_CHARGED ||
	    search_init(&search, s) != SOTTO_OK ||
	    sotto_ledger_each(r->ledger, look_at, &search, NULL) != SOTTO_OK || !search.found)
		return;
	/* A release that was completed before has its note already. */
	if (sotto_ledger_answer(r->ledger, search.number, "released", NULL) != SOTTO_OK)
		return;
}
