/* CSV that is sealed: no crash, and every record has its cells, none of them too long. */
#include "fuzz.h"

#include "seal_text.h"

static void check(const struct sotto_raw_record *record, const struct sotto_values *v)
{
	size_t length = 0;

	for (size_t i = 0; i < 3; i++)
		length += v->cells[i].bytes ? v->cells[i].length : 0;
	if (length > record->length)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_text t = {.dialect = {SOTTO_TEXT_CSV, ',', 3}};

	if (size == 0)
		return 0;
	t.line_breaks = (enum sotto_line_breaks)(data[0] % 3);
	t.skips_line = data[0] & 4;
	seal_text_try(data + 1, size - 1, t, check);
	return 0;
}
