/* Aggregates: what loads is stored again as the same bytes. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "local/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_local_aggregate *a;
	struct sotto_buffer again;

	if (size > 1 << 20 || sotto_local_aggregate_parse(data, size, &a, NULL) != SOTTO_OK)
		return 0;
	sotto_buffer_init(&again, SOTTO_SNAPSHOT_MAX);
	if (sotto_snapshot_append(a, &again) != SOTTO_OK || again.length != size ||
	    memcmp(again.bytes, data, size) != 0)
		abort();
	sotto_buffer_release(&again);
	sotto_local_aggregate_free(a);
	return 0;
}
