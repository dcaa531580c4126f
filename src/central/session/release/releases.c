/*
 * Keeps one release for each part that has noise; a single one goes by its own key, several by
 * the digest of all their keys.
 */
#include "central/session/release/releases.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"

static void add(struct sotto_releases *r, const struct sotto_plan *plan)
{
	if (plan->noise == SOTTO_NOISE_NONE)
		return;
	sotto_release_init(&r->items[r->count]);
	r->plans[r->count++] = plan;
}

enum sotto_status sotto_releases_init(struct sotto_releases *r, const struct sotto_plan *plan)
{
	*r = (struct sotto_releases){0};
	r->plans = calloc(plan->part_count + 1, sizeof *r->plans);
	r->items = calloc(plan->part_count + 1, sizeof *r->items);
	if (!r->plans || !r->items) {
		sotto_releases_release(r);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < plan->part_count; i++)
		add(r, plan->parts[i]);
	if (plan->part_count == 0 || plan->owner)
		add(r, plan);
	return SOTTO_OK;
}

void sotto_releases_release(struct sotto_releases *r)
{
	for (size_t i = 0; i < r->count; i++)
		sotto_release_release(&r->items[i]);
	free(r->plans);
	free(r->items);
	*r = (struct sotto_releases){0};
}

const struct sotto_release *
sotto_releases_of(const struct sotto_releases *r, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->plans[i] == plan)
			return &r->items[i];
	return NULL;
}

enum sotto_status
sotto_releases_key(const struct sotto_releases *r, char key[SOTTO_RELEASE_KEY_SIZE])
{
	struct sotto_buffer b;
	enum sotto_status st = SOTTO_OK;

	if (r->count == 1)
		return sotto_release_key(r->plans[0], key);
	sotto_buffer_init(&b, 1 << 20);
	for (size_t i = 0; st == SOTTO_OK && i < r->count; i++) {
		st = sotto_release_key(r->plans[i], key);
		if (st == SOTTO_OK)
			st = sotto_buffer_appendf(&b, "part %s\n", key);
	}
	if (st == SOTTO_OK)
		st = sotto_digest_text(sotto_buffer_text(&b), b.length, key);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status sotto_releases_use(struct sotto_releases *r, struct sotto_session *s,
				     const struct sotto_ledger_found *found, bool only_look,
				     struct sotto_error *err)
{
	char today[SOTTO_DATA_NAME_SIZE];

	SOTTO_TRY(sotto_session_data_name(s, r->plans, r->count, today));
	if (!only_look &&
	    sotto_releases_read(r->items, r->plans, r->count, found->answer) != SOTTO_OK)
		return sotto_fail(err, SOTTO_ECORRUPT,
				  "the stored answer cannot be read; ask again with --fresh");
	r->repeated = true;
	r->time = found->time;
	r->data_changed = *found->data && *today && strcmp(found->data, today) != 0;
	return SOTTO_OK;
}

enum sotto_status sotto_releases_find(struct sotto_releases *r, struct sotto_session *s,
				      const char *analyst, bool only_look,
				      struct sotto_error *err)
{
	struct sotto_ledger_found found = {0};
	char key[SOTTO_RELEASE_KEY_SIZE];
	struct sotto_ledger *ledger;
	enum sotto_status st = SOTTO_OK;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	SOTTO_TRY(sotto_releases_key(r, key));
	SOTTO_TRY(sotto_ledger_find(ledger, analyst, key, &found, err));
	if (found.answer)
		st = sotto_releases_use(r, s, &found, only_look, err);
	sotto_ledger_found_release(&found);
	return st;
}

enum sotto_status sotto_releases_is_asked(const struct sotto_releases *r,
					  struct sotto_session *s, const char *analyst,
					  char key[SOTTO_RELEASE_KEY_SIZE], bool *asked,
					  struct sotto_error *err)
{
	struct sotto_ledger *ledger;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	SOTTO_TRY(sotto_releases_key(r, key));
	return sotto_ledger_is_asked(ledger, analyst, key, asked, err);
}

void sotto_prepaid_init(struct sotto_prepaid *p)
{
	*p = (struct sotto_prepaid){0};
	sotto_cost_init(&p->cost);
	sotto_cost_init(&p->spread);
	sotto_buffer_init(&p->limits, 1 << 20);
}

void sotto_prepaid_release(struct sotto_prepaid *p)
{
	sotto_ledger_ticket_release(&p->ticket);
	sotto_cost_release(&p->cost);
	sotto_cost_release(&p->spread);
	sotto_buffer_release(&p->limits);
}

enum sotto_status
sotto_releases_charge_and_run(struct sotto_releases *r, struct sotto_session *s,
			      const struct sotto_question *q, const struct sotto_plan *plan,
			      struct sotto_error *err)
{
	struct sotto_ledger_ticket ticket = {0};
	enum sotto_status st = sotto_releases_charge(r, s, q, plan, &ticket, err);

	if (st == SOTTO_OK)
		st = sotto_releases_run(r, s, &ticket, err);
	sotto_ledger_ticket_release(&ticket);
	return st;
}
