/*
 * What a question states besides its price: how much its columns matter, and which noise.
 */
#include <string.h>

#include "core/ledger/ledger_inside.h"
#include "central/price/plan_price.h"
#include "central/session/release/releases.h"
#include "central/session/session.h"
#include "core/base/failure.h"

enum { WEIGHT_MAX = 1000 };

/* ---- weights ------------------------------------------------------------------------------- */

static enum sotto_status set_weight(const struct sotto_column_weight *w,
				    struct sotto_plan *plan, struct sotto_error *err)
{
	bool found = false;

	if (!w->column || w->weight < 1 || w->weight > WEIGHT_MAX)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"a weight is a column of the answer and a whole number from 1 "
			"to 1000");
	for (size_t i = 0; i < plan->output_count; i++)
		if (plan->outputs[i].noisy && strcmp(plan->outputs[i].name, w->column) == 0) {
			plan->output_weights[i] = w->weight;
			found = true;
		}
	return found ? SOTTO_OK
		     : sotto_fail(
			       err, SOTTO_EREFUSED,
			       "the answer has no noisy column %.60s to weigh; name one with "
			       "AS",
			       w->column);
}

static enum sotto_status
take_weights(const struct sotto_question *q, struct sotto_plan *plan, struct sotto_error *err)
{
	if (q->weight_count == 0)
		return SOTTO_OK;
	if (plan->part_count || !plan->owner)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"a question of several parts, or over public tables, cannot be "
			"weighed; leave the weights out");
	plan->output_weights = sotto_arena_alloc(
		&plan->arena, (plan->output_count + 1) * sizeof *plan->output_weights);
	if (!plan->output_weights || !q->weights)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < plan->output_count; i++)
		plan->output_weights[i] = 1;
	for (size_t i = 0; i < q->weight_count; i++)
		SOTTO_TRY(set_weight(&q->weights[i], plan, err));
	return SOTTO_OK;
}

/* ---- noise --------------------------------------------------------------------------------- */

static void want_noise(struct sotto_plan *plan, enum sotto_noise_kind kind)
{
	plan->wanted_noise = kind;
	for (size_t i = 0; i < plan->part_count; i++)
		plan->parts[i]->wanted_noise = kind;
}

static enum sotto_status
take_mechanism(const struct sotto_question *q, struct sotto_plan *plan, struct sotto_error *err)
{
	if (!q->mechanism)
		return SOTTO_OK;
	if (strcmp(q->mechanism, "laplace") == 0)
		want_noise(plan, SOTTO_NOISE_LAPLACE);
	else if (strcmp(q->mechanism, "gaussian") == 0)
		want_noise(plan, SOTTO_NOISE_GAUSSIAN);
	else
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the mechanism is laplace or gaussian, not %.40s",
				  q->mechanism);
	return SOTTO_OK;
}

enum sotto_status sotto_session_take_wishes(const struct sotto_session *s,
					    const struct sotto_question *q,
					    struct sotto_plan *plan, struct sotto_error *err)
{
	plan->typical_group = s->policy.typical_group;
	SOTTO_TRY(take_mechanism(q, plan, err));
	return take_weights(q, plan, err);
}

/* How many ordinary questions the ledger admits after the plan as it is priced now. */
static enum sotto_status room_after(struct sotto_session *s, const struct sotto_question *q,
				    const struct sotto_plan *plan, uint64_t *room,
				    struct sotto_error *err)
{
	const struct sotto_rational *epsilon =
		s->policy.default_epsilon ? s->policy.default_epsilon : plan->epsilon;
	struct sotto_ledger *ledger;
	struct sotto_cost ordinary;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	sotto_cost_init(&ordinary);
	st = sotto_cost_set_pure(&ordinary, epsilon);
	if (st == SOTTO_OK)
		st = sotto_ledger_fits_after(ledger, sotto_question_analyst(q), &plan->cost,
					     &ordinary, room, err);
	sotto_cost_release(&ordinary);
	return st;
}

/* What a noise would mean: which release it is, and whether that is asked already. */
struct candidate {
	char key[SOTTO_RELEASE_KEY_SIZE];
	bool asked; /* the same analyst has, or is about to have, an answer */
	uint64_t room;
};

/* Of the plan as it is priced now. */
static enum sotto_status look_at(struct sotto_session *s, const struct sotto_question *q,
				 const struct sotto_plan *plan, struct candidate *c,
				 struct sotto_error *err)
{
	struct sotto_releases releases;
	enum sotto_status st;

	if (q->fresh || s->is_made_up)
		return room_after(s, q, plan, &c->room, err);
	SOTTO_TRY(sotto_releases_init(&releases, plan));
	st = sotto_releases_is_asked(&releases, s, sotto_question_analyst(q), c->key, &c->asked,
				     err);
	sotto_releases_release(&releases);
	return st == SOTTO_OK && !c->asked ? room_after(s, q, plan, &c->room, err) : st;
}

static bool has_gaussian(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		if (has_gaussian(plan->parts[i]))
			return true;
	return plan->noise == SOTTO_NOISE_GAUSSIAN;
}

/*
 * The plan has Gaussian noise now, and afterwards whichever is to be taken.  An answer that
 * is there decides before the ledger's room does, which is smaller after every question.
 * Whoever asks the same meanwhile may choose otherwise, so that the ledger looks again for
 * the key of the other noise when it charges.
 */
static enum sotto_status
choose_noise(struct sotto_session *s, const struct sotto_question *q, struct sotto_plan *plan,
	     const struct sotto_asked_price *asked, struct sotto_error *err)
{
	struct candidate gaussian = {.asked = false}, laplace = {.asked = false};
	struct sotto_rational epsilon;
	bool takes_laplace = false;
	enum sotto_status st;

	SOTTO_TRY(look_at(s, q, plan, &gaussian, err));
	sotto_rational_init(&epsilon);
	sotto_rational_set(&epsilon, plan->epsilon);
	want_noise(plan, SOTTO_NOISE_LAPLACE);
	st = sotto_session_price_once(s, plan, asked, err);
	want_noise(plan, SOTTO_NOISE_NONE);
	if (st == SOTTO_OK)
		st = look_at(s, q, plan, &laplace, err);
	if (st == SOTTO_OK) {
		plan->spares_ledger =
			!gaussian.asked && !laplace.asked && laplace.room > gaussian.room;
		takes_laplace = !gaussian.asked && (laplace.asked || plan->spares_ledger);
		plan->rival = sotto_arena_text(&plan->arena,
					       takes_laplace ? gaussian.key : laplace.key);
		st = plan->rival ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (st == SOTTO_OK && !takes_laplace)
		st = sotto_plan_price(plan, &epsilon, asked->delta, asked->delta_is_wish, err);
	sotto_rational_release(&epsilon);
	return st;
}

enum sotto_status
sotto_session_price_noise(struct sotto_session *s, const struct sotto_question *q,
			  struct sotto_plan *plan, const struct sotto_asked_price *asked,
			  struct sotto_error *err)
{
	SOTTO_TRY(sotto_session_price_once(s, plan, asked, err));
	plan->spares_ledger = false;
	plan->rival = NULL;
	if (plan->wanted_noise == SOTTO_NOISE_GAUSSIAN && !has_gaussian(plan))
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"Gaussian noise needs a delta above 0, of the budget and of the "
			"question (--delta); or leave the mechanism out");
	return plan->wanted_noise == SOTTO_NOISE_NONE && has_gaussian(plan)
		       ? choose_noise(s, q, plan, asked, err)
		       : SOTTO_OK;
}
