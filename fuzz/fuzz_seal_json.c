/* JSON that is sealed: no crash, and whatever is a record here is an object to jansson. */
#include "fuzz.h"

#include <jansson.h>
#include <string.h>

#include "seal_text.h"

/* Brackets and commas around a record are no part of it. */
static void check(const struct sotto_raw_record *record, const struct sotto_values *v)
{
	const char *start = memchr(record->bytes, '{', record->length);
	size_t n = record->length - (size_t)(start - record->bytes);
	json_error_t error;
	json_t *object;

	(void)v;
	object = json_loadb(start, n,
			    JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL,
			    &error);
	if (!json_is_object(object) && json_error_code(&error) != json_error_numeric_overflow)
		abort();
	json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_text t = {.dialect = {SOTTO_TEXT_JSON, '\0', 0}};

	if (size == 0)
		return 0;
	t.line_breaks = (enum sotto_line_breaks)(data[0] % 3);
	if (data[0] & 4)
		t.dialect.kind = SOTTO_TEXT_JSON_LINES;
	seal_text_try(data + 1, size - 1, t, check);
	return 0;
}
