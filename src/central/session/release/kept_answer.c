/* Stores the answer first: a key leads to an answer that is there. */
#include "central/session/release/kept_answer.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"

enum sotto_status sotto_kept_add_key(struct sotto_kept_answer *k, const char *key)
{
	char **grown = realloc(k->keys, (k->key_count + 1) * sizeof *grown);

	if (!grown)
		return SOTTO_ENOMEM;
	k->keys = grown;
	grown[k->key_count] = strdup(key);
	if (!grown[k->key_count])
		return SOTTO_ENOMEM;
	k->key_count++;
	return SOTTO_OK;
}

void sotto_kept_drop(struct sotto_kept_answer *k)
{
	for (size_t i = 0; i < k->key_count; i++)
		free(k->keys[i]);
	free(k->keys);
	free(k->text);
	*k = (struct sotto_kept_answer){.entry = k->entry};
}

static enum sotto_status store(const struct sotto_kept_answer *k, struct sotto_ledger *ledger)
{
	if (k->text)
		SOTTO_TRY(sotto_ledger_answer(ledger, k->entry, k->text, NULL));
	for (size_t i = 0; i < k->key_count; i++)
		SOTTO_TRY(sotto_ledger_mark(ledger, k->entry, k->keys[i], NULL));
	return SOTTO_OK;
}

enum sotto_status sotto_kept_tell(struct sotto_kept_answer *k, struct sotto_ledger *ledger)
{
	enum sotto_status st;

	if (k->entry == 0)
		return SOTTO_OK;
	st = store(k, ledger);
	if (st != SOTTO_OK || !k->text)
		sotto_ledger_give_up(ledger, k->entry);
	sotto_kept_drop(k);
	k->entry = 0;
	return st;
}
