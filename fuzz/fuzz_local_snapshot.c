/* Aggregates, also with their checksum repaired: what loads is stored again as the same bytes. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "local/snapshot.h"
#include "repair.h"

static void read(const uint8_t *data, size_t size)
{
	struct sotto_local_aggregate *a;
	struct sotto_buffer again;

	if (sotto_local_aggregate_parse(data, size, &a, NULL) != SOTTO_OK)
		return;
	sotto_buffer_init(&again, SOTTO_SNAPSHOT_MAX);
	if (sotto_snapshot_append(a, &again) != SOTTO_OK || again.length != size ||
	    memcmp(again.bytes, data, size) != 0)
		abort();
	sotto_buffer_release(&again);
	sotto_local_aggregate_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = size > 1 << 20 ? NULL : malloc(size + 1);

	if (!copy)
		return 0;
	read(data, size);
	memcpy(copy, data, size);
	repair_end(copy, size);
	read(copy, size);
	free(copy);
	return 0;
}
