/* Footers of Parquet files: no crash; what was loosened once is not changed again. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "central/seal/typed/parquet_texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_buffer once, twice;

	sotto_buffer_init(&once, 1 << 24);
	sotto_buffer_init(&twice, 1 << 24);
	if (sotto_footer_loosen(data, size, &once) == SOTTO_OK) {
		if (sotto_footer_loosen((const unsigned char *)sotto_buffer_text(&once),
					once.length, &twice) != SOTTO_OK ||
		    once.length != twice.length ||
		    memcmp(once.bytes, twice.bytes, once.length) != 0)
			abort();
	}
	sotto_buffer_release(&once);
	sotto_buffer_release(&twice);
	return 0;
}
