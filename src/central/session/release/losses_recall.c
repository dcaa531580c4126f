/*
 * Looks up the stored answer by key and takes its vector only if it was computed from today's
 * data and has the items that the plan asks for.
 */
#include "core/ledger/ledger_inside.h"
#include "central/session/release/losses_recall.h"

#include <jansson.h>
#include <string.h>

#include "central/session/release/release_loss.h"
#include "central/session/release/releases.h"
#include "core/base/failure.h"

static bool has_shape(const struct sotto_plan *plan, const struct sotto_loss_value *v, size_t n)
{
	if (!v || n != plan->loss.count)
		return false;
	for (size_t i = 0; i < n; i++)
		if (v[i].kind != plan->loss.items[i].kind)
			return false;
	return true;
}

/* The vector under the key in one release, if it is about today's data. */
static enum sotto_status
use(struct sotto_plan *plan, const json_t *object, const char *key, const char *today)
{
	const json_t *losses = json_object_get(object, "losses");
	const char *its_key = json_string_value(json_object_get(losses, "key"));
	const char *data = json_string_value(json_object_get(losses, "data"));
	const json_t *items = json_object_get(losses, "items");
	struct sotto_loss_value *values;

	if (!its_key || !data || strcmp(its_key, key) != 0 ||
	    (*data && *today && strcmp(data, today) != 0))
		return SOTTO_OK;
	SOTTO_TRY(sotto_losses_read_items(&plan->arena, items, &values));
	if (has_shape(plan, values, json_array_size(items)))
		plan->loss.known = values;
	return SOTTO_OK;
}

static enum sotto_status
use_answer(struct sotto_plan *plan, const char *answer, const char *key, const char *today)
{
	json_t *root = json_loads(answer, 0, NULL);
	const json_t *parts = json_object_get(root, "parts");
	enum sotto_status st = use(plan, root, key, today);

	for (size_t i = 0; st == SOTTO_OK && !plan->loss.known && i < json_array_size(parts);
	     i++)
		st = use(plan, json_array_get(parts, i), key, today);
	json_decref(root);
	return st == SOTTO_ECORRUPT ? SOTTO_OK : st; /* then it is paid for again */
}

static enum sotto_status recall(struct sotto_session *s, const char *analyst,
				struct sotto_plan *plan, struct sotto_error *err)
{
	char key[SOTTO_RELEASE_KEY_SIZE], today[SOTTO_DATA_NAME_SIZE];
	const struct sotto_plan *one = plan;
	struct sotto_ledger_found found = {0};
	struct sotto_ledger *ledger;
	enum sotto_status st = SOTTO_OK;

	if (!sotto_loss_is_wanted(&plan->loss))
		return SOTTO_OK;
	SOTTO_TRY(sotto_losses_key(plan, key));
	SOTTO_TRY(sotto_session_data_name(s, &one, 1, today));
	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	SOTTO_TRY(sotto_ledger_find(ledger, analyst, key, &found, err));
	if (found.answer)
		st = use_answer(plan, found.answer, key, today);
	sotto_ledger_found_release(&found);
	return st;
}

enum sotto_status sotto_losses_recall(struct sotto_session *s, const char *analyst,
				      struct sotto_plan *plan, struct sotto_error *err)
{
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(recall(s, analyst, plan->parts[i], err));
	/* Rows that are compared with noisy values are other rows when the noise is another. */
	return plan->part_count > 0 ? SOTTO_OK : recall(s, analyst, plan, err);
}
