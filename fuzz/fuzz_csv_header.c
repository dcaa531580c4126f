/* CSV headers: no crash; every name that is accepted is new and not empty. */
#include "fuzz.h"

#include <stdlib.h>
#include <strings.h>

#include "central/policy/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_error err = {""};
	struct sotto_arena arena;
	const char **names;
	size_t count;
	char delimiter;

	sotto_arena_init(&arena, 1 << 24);
	if (sotto_csv_header(&arena, (const char *)data, size, &names, &count, &delimiter,
			     &err) == SOTTO_OK)
		for (size_t i = 0; i < count; i++) {
			if (!names[i][0])
				abort();
			for (size_t j = 0; j < i; j++)
				if (strcasecmp(names[i], names[j]) == 0)
					abort();
		}
	sotto_arena_release(&arena);
	return 0;
}
