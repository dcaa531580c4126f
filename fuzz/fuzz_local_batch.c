/* Batches and segments, also with their checksums repaired: what is read whole is checked, and is what made it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "local/collect/frame.h"
#include "repair.h"

static enum sotto_status visit(void *context, const uint8_t *batch, size_t n)
{
	(void)context;
	(void)batch;
	return n >= SOTTO_LOCAL_BATCH_HEADER ? SOTTO_OK : (abort(), SOTTO_EINVAL);
}

/* A batch that is accepted, made anew from its parts, is the same bytes. */
static void round_trip(const uint8_t *data, size_t size)
{
	struct sotto_local_batch b;
	enum sotto_local_reason reason;
	uint8_t *reports, *again;
	size_t length, n;

	if (sotto_local_batch_read(data, size, &b, &length, &reason) != SOTTO_OK ||
	    length != size)
		return;
	reports = malloc((size_t)b.reports * sotto_client_report_bytes(&b.params) + 1);
	if (!reports)
		return;
	if (sotto_local_batch_reports(data, size, reports, &reason) == SOTTO_OK) {
		if (sotto_local_batch_make(&b, reports, &again, &n) != SOTTO_OK || n != size ||
		    memcmp(again, data, n) != 0)
			abort();
		free(again);
	}
	free(reports);
}

static void read(const uint8_t *data, size_t size)
{
	size_t committed;

	round_trip(data, size);
	if (sotto_segment_scan(data, size, 1, visit, NULL, &committed) == SOTTO_OK &&
	    committed > size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	if (!copy)
		return 0;
	read(data, size);
	memcpy(copy, data, size);
	repair_segment(copy, size, 1);
	read(copy, size);
	free(copy);
	return 0;
}
