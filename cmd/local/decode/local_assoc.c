/*
 * Finds the columns of a file of reports by name, and turns strings of 0 and 1 and numbers of
 * cohorts into integers.
 */
#include "local/decode/local_assoc.h"

#include <string.h>

size_t assoc_column(const struct csv_reader *header, const char *name)
{
	for (size_t i = 0; i < header->field_count; i++)
		if (strcmp(csv_field(header, i), name) == 0)
			return i;
	return SIZE_MAX;
}

bool assoc_bits(const char *text, uint32_t bits, uint64_t *out)
{
	uint64_t x = 0;

	if (strlen(text) != bits || strspn(text, "01") != bits)
		return false;
	for (; *text; text++)
		x = x << 1 | (uint64_t)(*text == '1');
	*out = x;
	return true;
}

bool assoc_cohort(const char *text, uint32_t cohorts, bool fold, uint32_t *out)
{
	uint64_t x;

	if (!local_number(text, strlen(text), &x) || (x >= cohorts && !fold))
		return false;
	*out = (uint32_t)(x % cohorts);
	return true;
}
