/*
 * After the charge: every part is run and given its noise, and what came out is kept as one
 * answer, which the ledger gets when it leaves.
 */
#include "central/session/release/releases.h"

#include <stdlib.h>
#include <string.h>

#include "central/session/answer/answer_table.h"
#include "central/session/release/limits_key.h"
#include "central/session/release/release_loss.h"
#include "central/session/spread/session_spread.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"

static enum sotto_status run(struct sotto_releases *r, struct sotto_session *s, size_t i)
{
	struct sotto_engine_result *exact = NULL;
	char data[SOTTO_DATA_NAME_SIZE];
	enum sotto_status st = sotto_session_aggregate(s, r->plans[i], &exact);

	if (st == SOTTO_OK && !sotto_plan_has_shape(r->plans[i], exact))
		st = SOTTO_ESTATE;
	if (st == SOTTO_OK)
		st = sotto_release_publish(&r->items[i], r->plans[i], exact, s->rng);
	if (st == SOTTO_OK)
		st = sotto_session_data_name(s, &r->plans[i], 1, data);
	if (st == SOTTO_OK)
		st = sotto_release_name_losses(&r->items[i], r->plans[i], data);
	sotto_engine_result_free(exact);
	return st;
}

/* {...} becomes {...,"limits":[...]}. */
static enum sotto_status add_limits(const struct sotto_releases *r, char **text)
{
	struct sotto_buffer b;
	enum sotto_status st;

	if (!r->paid || r->paid->limits.length == 0)
		return SOTTO_OK;
	sotto_buffer_init(&b, (size_t)1 << 30);
	st = sotto_buffer_append(&b, *text, strlen(*text) - 1);
	if (st == SOTTO_OK)
		st = sotto_buffer_appendf(&b, ",\"limits\":[%s]}",
					  sotto_buffer_text(&r->paid->limits));
	if (st != SOTTO_OK) {
		sotto_buffer_release(&b);
		return st;
	}
	free(*text);
	*text = b.bytes;
	return SOTTO_OK;
}

/* A question that was charged before its limits were known is found with them, too. */
static enum sotto_status keep_limits(const struct sotto_releases *r, struct sotto_session *s)
{
	char key[SOTTO_RELEASE_KEY_SIZE];

	if (!r->paid)
		return SOTTO_OK;
	SOTTO_TRY(sotto_releases_key(r, key));
	SOTTO_TRY(sotto_kept_add_key(&s->kept, key));
	for (size_t i = 0; i < r->count; i++) {
		if (!r->plans[i]->spread.name)
			continue;
		SOTTO_TRY(sotto_spread_key(r->plans[i]->spread.name, key));
		if (!strstr(sotto_buffer_text(&r->paid->limits), key))
			continue; /* it was found earlier, and is in that answer */
		SOTTO_TRY(sotto_kept_add_key(&s->kept, key));
	}
	return SOTTO_OK;
}

static enum sotto_status keep_text(const struct sotto_releases *r, struct sotto_session *s)
{
	SOTTO_TRY(sotto_releases_write(r->items, r->count, &s->kept.text));
	return add_limits(r, &s->kept.text);
}

/* The noisy answers that private rows are compared with, as tables. */
static enum sotto_status
write_values(struct sotto_releases *r, struct sotto_session *s, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(sotto_session_write_part(s, plan, i, r, NULL));
	return SOTTO_OK;
}

static enum sotto_status run_all(struct sotto_releases *r, struct sotto_session *s)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct sotto_plan *plan = r->plans[i];
		enum sotto_status st = SOTTO_OK;

		if (plan->part_count)
			st = write_values(r, s, plan);
		if (st == SOTTO_OK)
			st = run(r, s, i);
		for (size_t k = 0; k < plan->part_count; k++)
			sotto_answer_table_drop(s->engine, k);
		sotto_answer_table_texts_release(&s->parts);
		SOTTO_TRY(st);
	}
	return sotto_run_in_time(s);
}

/*
 * The stored answer takes the place of the one that was made: all was run, so that it took
 * as long and failed as often as if nobody had asked before.
 */
static enum sotto_status
replace(struct sotto_releases *r, const struct sotto_ledger_found *found)
{
	for (size_t i = 0; i < r->count; i++) {
		sotto_release_release(&r->items[i]);
		sotto_release_init(&r->items[i]);
	}
	return sotto_releases_read(r->items, r->plans, r->count, found->answer);
}

static enum sotto_status run_charged(struct sotto_releases *r, struct sotto_session *s,
				     const struct sotto_ledger_ticket *ticket)
{
	enum sotto_status st = run_all(r, s);

	s->kept.entry = ticket->entry;
	if (st == SOTTO_OK)
		st = ticket->deed == SOTTO_LEDGER_CHARGED ? keep_text(r, s)
							  : replace(r, &ticket->found);
	if (st == SOTTO_OK)
		st = keep_limits(r, s);
	if (st == SOTTO_OK)
		st = sotto_losses_keep(&s->kept, r->items, r->count);
	if (st != SOTTO_OK)
		sotto_kept_drop(&s->kept);
	return st;
}

enum sotto_status sotto_releases_run(struct sotto_releases *r, struct sotto_session *s,
				     const struct sotto_ledger_ticket *ticket,
				     struct sotto_error *err)
{
	r->rivalled = ticket->deed == SOTTO_LEDGER_RIVALLED;
	if (r->rivalled)
		return SOTTO_ESTATE;
	if (ticket->deed == SOTTO_LEDGER_REPEATED)
		return sotto_releases_use(r, s, &ticket->found, false, err);
	r->charged = true;
	return run_charged(r, s, ticket);
}

enum sotto_status sotto_releases_run_made_up(struct sotto_releases *r, struct sotto_session *s)
{
	if (!s->is_made_up)
		return SOTTO_ESTATE;
	sotto_run_begin(s);
	return run_all(r, s);
}
