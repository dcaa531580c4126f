/* Chromium's uploads: an upload that is refused counts nothing, no cell passes its cohort. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "local/rappor/chromium.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sotto_local_google params = {.bits = 16, .hashes = 2, .cohorts = 4};
	uint64_t reports[4] = {0}, ones[4 * 16] = {0}, sum = 0;
	enum sotto_status st = sotto_local_chromium_add(data, size, &params,
							sotto_local_chromium_name("metric", 6),
							reports, ones, NULL);

	for (unsigned i = 0; i < 4 * 16; i++) {
		if (ones[i] > reports[i / 16])
			abort();
		sum += ones[i] + reports[i / 16];
	}
	if (st != SOTTO_OK && sum != 0)
		abort();
	return 0;
}
