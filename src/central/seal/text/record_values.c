/*
 * Cells point into the record where nothing has to be unescaped, and otherwise into one scratch
 * buffer, which is wiped.
 */
#include "central/seal/text/record_values.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"

enum sotto_status
sotto_values_init(struct sotto_values *c, const char *const *names, size_t count)
{
	*c = (struct sotto_values){.names = names, .count = count};
	c->cells = calloc(count + 1, sizeof *c->cells);
	return c->cells ? SOTTO_OK : SOTTO_ENOMEM;
}

void sotto_values_release(struct sotto_values *c)
{
	if (c->scratch)
		sotto_wipe(c->scratch, c->scratch_room);
	free(c->scratch);
	free(c->cells);
	*c = (struct sotto_values){0};
}

/* What is undone is never longer than what was written, so nothing moves later. */
static enum sotto_status reserve(struct sotto_values *c, size_t n)
{
	c->scratch_used = 0;
	if (n < c->scratch_room)
		return SOTTO_OK;
	free(c->scratch);
	c->scratch_room = 2 * n + 4096;
	c->scratch = malloc(c->scratch_room);
	if (!c->scratch)
		c->scratch_room = 0;
	return c->scratch ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_values_read(struct sotto_values *c, const struct sotto_dialect *d,
				    const struct sotto_raw_record *record, bool *found)
{
	SOTTO_TRY(reserve(c, record->length));
	if (d->kind == SOTTO_TEXT_CSV)
		return sotto_csv_values(c, d->delimiter, record->bytes, record->length, found);
	return sotto_json_values(c, record->bytes, record->length, found);
}
