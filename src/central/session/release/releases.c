#include "core/base/digest_text.h"
#include "core/ledger/ledger_inside.h"
#include "central/session/release/releases.h"

#include <stdlib.h>
#include <string.h>

#include "central/session/answer/answer_part.h"
#include "central/session/release/limits_key.h"
#include "central/session/release/release_loss.h"
#include "central/session/spread/session_spread.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

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

/* ---- identity ------------------------------------------------------------------------------- */

/* One release has its own key, so that it is the same alone and inside another query. */
static enum sotto_status
key_of(const struct sotto_releases *r, char key[SOTTO_RELEASE_KEY_SIZE])
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

/* ---- an earlier answer ---------------------------------------------------------------------- */

static enum sotto_status use(struct sotto_releases *r, struct sotto_session *s,
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
	SOTTO_TRY(key_of(r, key));
	SOTTO_TRY(sotto_ledger_find(ledger, analyst, key, &found, err));
	if (found.answer)
		st = use(r, s, &found, only_look, err);
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
	SOTTO_TRY(key_of(r, key));
	return sotto_ledger_is_asked(ledger, analyst, key, asked, err);
}

/* ---- a new one ------------------------------------------------------------------------------ */

static enum sotto_status
describe(const struct sotto_plan *part, size_t i, struct sotto_buffer *b)
{
	SOTTO_TRY(sotto_buffer_appendf(b, "part %zu", i + 1));
	for (size_t k = 0; k < part->key_count; k++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s%.60s", k ? ", " : ", grouped by ",
					       part->keys[k].name ? part->keys[k].name
								  : "an expression"));
	return SOTTO_OK;
}

/* Fills parts, whose texts are malloc'd. */
static enum sotto_status
name_parts(const struct sotto_releases *r, struct sotto_ledger_part *parts)
{
	for (size_t i = 0; i < r->count; i++) {
		struct sotto_buffer b;
		enum sotto_status st;

		sotto_buffer_init(&b, 1 << 20);
		st = describe(r->plans[i], i, &b);
		if (st != SOTTO_OK) {
			sotto_buffer_release(&b);
			return st;
		}
		parts[i] = (struct sotto_ledger_part){.what = b.bytes,
						      .cost = &r->plans[i]->own_cost};
	}
	return SOTTO_OK;
}

/* Without --fresh an answer that is there already serves, whoever paid for it. */
static enum sotto_status ask_ledger(struct sotto_ledger *ledger,
				    const struct sotto_ledger_release *release, bool fresh,
				    struct sotto_ledger_ticket *ticket, struct sotto_error *err)
{
	if (!fresh)
		return sotto_ledger_ask(ledger, release, ticket, err);
	ticket->deed = SOTTO_LEDGER_CHARGED;
	return sotto_ledger_charge(ledger, release, &ticket->entry, err);
}

static enum sotto_status ask_parts(struct sotto_releases *r, struct sotto_ledger *ledger,
				   struct sotto_ledger_release *release, bool fresh,
				   struct sotto_ledger_ticket *ticket, struct sotto_error *err)
{
	struct sotto_ledger_part *parts = calloc(r->count + 1, sizeof *parts);
	enum sotto_status st = parts ? name_parts(r, parts) : SOTTO_ENOMEM;

	release->parts = parts;
	release->part_count = r->count;
	if (st == SOTTO_OK)
		st = ask_ledger(ledger, release, fresh, ticket, err);
	for (size_t i = 0; parts && i < r->count; i++)
		free((char *)parts[i].what);
	free(parts);
	return st;
}

/* Each analyst pays for limits once; the whole pays for them once. */
static enum sotto_status
ask_with_limits(struct sotto_releases *r, struct sotto_ledger *ledger,
		struct sotto_ledger_release *release, const struct sotto_plan *plan, bool fresh,
		struct sotto_ledger_ticket *ticket, struct sotto_error *err)
{
	const struct sotto_ledger_part parts[] = {
		{.what = "the question", .cost = &plan->most_cost},
		{.what = "limits", .cost = &plan->spread_cost}};
	char(*keys)[SOTTO_RELEASE_KEY_SIZE] = calloc(r->count + 1, sizeof *keys);
	const char **found = calloc(r->count + 1, sizeof *found);
	enum sotto_status st = keys && found ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; st == SOTTO_OK && i < r->count; i++) {
		if (!r->plans[i]->spread.is_pending)
			continue;
		st = sotto_spread_key(r->plans[i]->spread.name, keys[i]);
		found[release->found_count++] = keys[i];
	}
	release->found = found;
	release->parts = parts;
	release->part_count = 2;
	if (st == SOTTO_OK)
		st = ask_ledger(ledger, release, fresh, ticket, err);
	free(found);
	free(keys);
	return st;
}

/*
 * What was lost is known from an earlier question, so this one does not pay for it.  The
 * answer of somebody else has a loss of its own, which would then be paid for by no share.
 */
static bool knows_losses(const struct sotto_releases *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->plans[i]->loss.known)
			return true;
	return false;
}

static enum sotto_status charge(struct sotto_releases *r, struct sotto_session *s,
				const struct sotto_question *q, const struct sotto_plan *plan,
				struct sotto_ledger_ticket *ticket, struct sotto_error *err)
{
	char key[SOTTO_RELEASE_KEY_SIZE], data[SOTTO_DATA_NAME_SIZE];
	struct sotto_ledger_release release = {.analyst = sotto_question_analyst(q),
					       .key = key,
					       .cost = &plan->cost,
					       .data = data,
					       .rival = plan->rival,
					       .patience = sotto_session_limit(s)};
	struct sotto_ledger *ledger;
	enum sotto_status st;
	char *text;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	SOTTO_TRY(key_of(r, key));
	SOTTO_TRY(sotto_session_data_name(s, r->plans, r->count, data));
	release.own_only = knows_losses(r);
	text = sotto_question_text(q);
	if (!text)
		return SOTTO_ENOMEM;
	release.query = text;
	if (sotto_plan_is_pending(plan))
		st = ask_with_limits(r, ledger, &release, plan, q->fresh, ticket, err);
	else
		st = r->count == 1 ? ask_ledger(ledger, &release, q->fresh, ticket, err)
				   : ask_parts(r, ledger, &release, q->fresh, ticket, err);
	free(text);
	return st;
}

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
static enum sotto_status
mark_limits(const struct sotto_releases *r, struct sotto_session *s, uint64_t entry)
{
	char key[SOTTO_RELEASE_KEY_SIZE];

	if (!r->paid)
		return SOTTO_OK;
	SOTTO_TRY(key_of(r, key));
	SOTTO_TRY(sotto_ledger_mark(s->ledger, entry, key, NULL));
	for (size_t i = 0; i < r->count; i++) {
		if (!r->plans[i]->spread.name)
			continue;
		SOTTO_TRY(sotto_spread_key(r->plans[i]->spread.name, key));
		if (!strstr(sotto_buffer_text(&r->paid->limits), key))
			continue; /* it was found earlier, and is in that answer */
		SOTTO_TRY(sotto_ledger_mark(s->ledger, entry, key, NULL));
	}
	return SOTTO_OK;
}

static enum sotto_status
store(const struct sotto_releases *r, struct sotto_session *s, uint64_t entry)
{
	char *text = NULL;
	enum sotto_status st = sotto_releases_write(r->items, r->count, &text);

	if (st == SOTTO_OK)
		st = add_limits(r, &text);
	if (st == SOTTO_OK)
		st = sotto_ledger_answer(s->ledger, entry, text, NULL);
	free(text);
	return st;
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
			sotto_part_drop(s->engine, k);
		sotto_part_texts_release(&s->parts);
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

	if (st == SOTTO_OK)
		st = ticket->deed == SOTTO_LEDGER_CHARGED ? store(r, s, ticket->entry)
							  : replace(r, &ticket->found);
	if (st == SOTTO_OK)
		st = mark_limits(r, s, ticket->entry);
	if (st == SOTTO_OK)
		st = sotto_losses_mark(s->ledger, ticket->entry, r->items, r->count);
	if (st != SOTTO_OK)
		sotto_ledger_give_up(s->ledger, ticket->entry);
	return st;
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
sotto_releases_charge(struct sotto_releases *r, struct sotto_session *s,
		      const struct sotto_question *q, const struct sotto_plan *plan,
		      struct sotto_ledger_ticket *ticket, struct sotto_error *err)
{
	enum sotto_status st;

	sotto_run_begin(s);
	st = charge(r, s, q, plan, ticket, err);
	if (st != SOTTO_OK)
		return sotto_session_say_left(s, q, st, err);
	if (ticket->deed == SOTTO_LEDGER_CHARGED || ticket->deed == SOTTO_LEDGER_SHARED_ANSWER)
		sotto_run_charged(s);
	return SOTTO_OK;
}

enum sotto_status sotto_releases_run(struct sotto_releases *r, struct sotto_session *s,
				     const struct sotto_ledger_ticket *ticket,
				     struct sotto_error *err)
{
	r->rivalled = ticket->deed == SOTTO_LEDGER_RIVALLED;
	if (r->rivalled)
		return SOTTO_ESTATE;
	if (ticket->deed == SOTTO_LEDGER_REPEATED)
		return use(r, s, &ticket->found, false, err);
	r->charged = true;
	return run_charged(r, s, ticket);
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

enum sotto_status sotto_releases_run_made_up(struct sotto_releases *r, struct sotto_session *s)
{
	if (!s->is_made_up)
		return SOTTO_ESTATE;
	sotto_run_begin(s);
	return run_all(r, s);
}
