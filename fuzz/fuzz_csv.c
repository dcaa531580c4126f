/* CSV: no crash, bounded memory, and what is written as CSV reads back the same. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/csv.h"

/* Writes a record with every field quoted. */
static void write_record(const struct csv_reader *csv, FILE *out)
{
	for (size_t i = 0; i < csv->field_count; i++) {
		fputs(i ? ",\"" : "\"", out);
		for (const char *c = csv_field(csv, i); *c; c++) {
			if (*c == '"')
				fputc('"', out);
			fputc(*c, out);
		}
		fputc('"', out);
	}
	fputc('\n', out);
}

/* All records that come before an error or the end, written anew. */
static char *rewrite(const void *data, size_t size, size_t *length)
{
	FILE *in = fmemopen((void *)(uintptr_t)data, size, "r"), *out;
	struct sotto_error err = {""};
	struct csv_reader csv;
	enum csv_result result;
	char *text = NULL;

	out = open_memstream(&text, length);
	csv_init(&csv, in);
	while ((result = csv_next(&csv, &err)) == CSV_RECORD) {
		if (csv.length > CSV_RECORD_MAX || csv.field_count > CSV_FIELDS_MAX)
			abort();
		write_record(&csv, out);
	}
	if ((result == CSV_BROKEN) != (strncmp(err.text, "line ", 5) == 0))
		abort();
	csv_release(&csv);
	fclose(in);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t once_length, twice_length;
	char *once, *twice;

	if (size == 0 || size > 1 << 16)
		return 0;
	once = rewrite(data, size, &once_length);
	if (once_length > 0) {
		twice = rewrite(once, once_length, &twice_length);
		if (once_length != twice_length || memcmp(once, twice, once_length) != 0)
			abort();
		free(twice);
	}
	free(once);
	return 0;
}
