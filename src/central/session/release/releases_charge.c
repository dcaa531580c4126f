/*
 * What a query pays for is charged in one entry of the ledger: as one release, as one for each
 * part, or with the limits that it will find.
 */
#include "central/session/release/releases.h"

#include <stdlib.h>

#include "central/session/release/limits_key.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"

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
					       .patience = sotto_run_longest(s, q)};
	struct sotto_ledger *ledger;
	enum sotto_status st;
	char *text;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	SOTTO_TRY(sotto_releases_key(r, key));
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

enum sotto_status
sotto_releases_charge(struct sotto_releases *r, struct sotto_session *s,
		      const struct sotto_question *q, const struct sotto_plan *plan,
		      struct sotto_ledger_ticket *ticket, struct sotto_error *err)
{
	enum sotto_status st;

	sotto_run_begin(s);
	st = charge(r, s, q, plan, ticket, err);
	if (st == SOTTO_EIO && sotto_ledger_is_unwitnessed(s->ledger)) {
		sotto_session_log(s, "witness", err ? err->text : "");
		sotto_run_charged(s);
	}
	if (st != SOTTO_OK)
		return sotto_session_say_left(s, q, st, err);
	if (ticket->has_waited) /* for an equal question, whose time is not this one's */
		sotto_run_begin(s);
	if (ticket->deed == SOTTO_LEDGER_CHARGED || ticket->deed == SOTTO_LEDGER_SHARED_ANSWER)
		sotto_run_charged(s);
	return SOTTO_OK;
}
