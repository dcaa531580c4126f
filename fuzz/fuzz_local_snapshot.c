/* Aggregates, also with their checksum repaired: what loads is stored as bytes that load the same. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "local/collect/snapshot.h"
#include "repair.h"

static bool load(const uint8_t *data, size_t size, struct sotto_buffer *again)
{
	struct sotto_local_aggregate *a;

	sotto_buffer_init(again, SOTTO_SNAPSHOT_MAX);
	if (sotto_local_aggregate_parse(data, size, &a, NULL) != SOTTO_OK)
		return false;
	if (sotto_snapshot_append(a, again) != SOTTO_OK)
		abort();
	sotto_local_aggregate_free(a);
	return true;
}

/* Bytes of another order become ours, which stay as they are. */
static void read(const uint8_t *data, size_t size)
{
	struct sotto_buffer first, second;

	if (load(data, size, &first)) {
		if (!load((const uint8_t *)first.bytes, first.length, &second) ||
		    second.length != first.length || first.length != size ||
		    memcmp(first.bytes, second.bytes, first.length) != 0)
			abort();
		sotto_buffer_release(&second);
	}
	sotto_buffer_release(&first);
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
