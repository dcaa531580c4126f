/*
 * Takes the exact numbers from the first row of the engine's result, publishes them, and writes
 * or reads them as part of the release's JSON.
 */
#include "core/base/digest_text.h"
#include "core/ledger/ledger_inside.h"
#include "central/session/release/release_loss.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"

/* ---- publishing ---------------------------------------------------------------------------- */

/* An engine without a row for any group has seen no unit: all numbers are 0 then. */
static enum sotto_status publish(const struct sotto_plan *plan,
				 const struct sotto_engine_result *exact, struct sotto_rng *rng,
				 struct sotto_loss_value *out)
{
	struct sotto_exact x[SOTTO_LOSS_KINDS] = {{0}};
	size_t first = plan->key_count + plan->derived_count + plan->measure_count;
	enum sotto_status st;

	for (size_t i = 0; i < plan->loss.count && sotto_engine_rows(exact) > 0; i++)
		x[i] = sotto_engine_exact(exact, 0, first + i);
	st = sotto_loss_publish(&plan->loss, rng, x, out);
	sotto_wipe(x, sizeof x);
	return st;
}

enum sotto_status
sotto_release_publish_losses(struct sotto_release *r, const struct sotto_plan *plan,
			     const struct sotto_engine_result *exact, struct sotto_rng *rng)
{
	if (!sotto_loss_is_wanted(&plan->loss))
		return SOTTO_OK;
	r->losses = sotto_arena_alloc(&r->arena, (plan->loss.count + 1) * sizeof *r->losses);
	if (!r->losses)
		return SOTTO_ENOMEM;
	r->loss_count = plan->loss.count;
	if (sotto_loss_is_run(&plan->loss))
		return publish(plan, exact, rng, r->losses);
	memcpy(r->losses, plan->loss.known, r->loss_count * sizeof *r->losses);
	return SOTTO_OK;
}

/* ---- names --------------------------------------------------------------------------------- */

enum sotto_status
sotto_losses_key(const struct sotto_plan *plan, char key[SOTTO_RELEASE_KEY_SIZE])
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 32 << 20);
	st = sotto_buffer_appendf(&b, "losses\n%s%s", plan->reads ? plan->reads : "",
				  plan->loss.name);
	if (st == SOTTO_OK)
		st = sotto_digest_text(sotto_buffer_text(&b), b.length, key);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status sotto_release_name_losses(struct sotto_release *r,
					    const struct sotto_plan *plan, const char *data)
{
	char key[SOTTO_RELEASE_KEY_SIZE];

	if (!sotto_loss_is_wanted(&plan->loss))
		return SOTTO_OK;
	SOTTO_TRY(sotto_losses_key(plan, key));
	r->loss_key = sotto_arena_text(&r->arena, key);
	r->loss_data = sotto_arena_text(&r->arena, data);
	return r->loss_key && r->loss_data ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- as text ------------------------------------------------------------------------------- */

enum sotto_status sotto_losses_write(struct sotto_buffer *b, const struct sotto_release *r)
{
	if (r->loss_count == 0 || !r->loss_key)
		return SOTTO_OK;
	SOTTO_TRY(sotto_buffer_appendf(b,
				       ",\"losses\":{\"key\":\"%s\",\"data\":\"%s\","
				       "\"items\":[",
				       r->loss_key, r->loss_data));
	for (size_t i = 0; i < r->loss_count; i++)
		SOTTO_TRY(sotto_buffer_appendf(
			b, "%s[%d,%lld,%lld,%lld]", i ? "," : "", (int)r->losses[i].kind,
			(long long)r->losses[i].value, (long long)r->losses[i].error,
			(long long)r->losses[i].joint_error));
	return sotto_buffer_append_text(b, "]}");
}

static bool read_item(const json_t *j, struct sotto_loss_value *out)
{
	for (size_t i = 0; i < 4; i++)
		if (!json_is_integer(json_array_get(j, i)))
			return false;
	*out = (struct sotto_loss_value){
		.kind = (enum sotto_loss_kind)json_integer_value(json_array_get(j, 0)),
		.value = json_integer_value(json_array_get(j, 1)),
		.error = json_integer_value(json_array_get(j, 2)),
		.joint_error = json_integer_value(json_array_get(j, 3))};
	return json_array_size(j) == 4 && (int)out->kind >= 0 && out->kind < SOTTO_LOSS_KINDS &&
	       out->error >= 0 && out->joint_error >= out->error;
}

enum sotto_status sotto_losses_read_items(struct sotto_arena *arena, const json_t *items,
					  struct sotto_loss_value **out)
{
	size_t n = json_array_size(items);

	*out = NULL;
	if (n == 0 || n > SOTTO_LOSS_KINDS)
		return n ? SOTTO_ECORRUPT : SOTTO_OK;
	*out = sotto_arena_alloc(arena, n * sizeof **out);
	if (!*out)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!read_item(json_array_get(items, i), &(*out)[i]))
			return SOTTO_ECORRUPT;
	return SOTTO_OK;
}

enum sotto_status sotto_losses_read(struct sotto_release *r, const json_t *object)
{
	const json_t *losses = json_object_get(object, "losses");
	const char *key = json_string_value(json_object_get(losses, "key"));
	const char *data = json_string_value(json_object_get(losses, "data"));

	if (!losses)
		return SOTTO_OK;
	if (!key || !data)
		return SOTTO_ECORRUPT;
	SOTTO_TRY(sotto_losses_read_items(&r->arena, json_object_get(losses, "items"),
					  &r->losses));
	r->loss_count = json_array_size(json_object_get(losses, "items"));
	r->loss_key = sotto_arena_text(&r->arena, key);
	r->loss_data = sotto_arena_text(&r->arena, data);
	return r->loss_key && r->loss_data ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- found again --------------------------------------------------------------------------- */

enum sotto_status sotto_losses_keep(struct sotto_kept_answer *kept,
				    const struct sotto_release *releases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (releases[i].loss_key)
			SOTTO_TRY(sotto_kept_add_key(kept, releases[i].loss_key));
	return SOTTO_OK;
}
