/* SHA-256 of the compact text with sorted keys, so that order and spaces do not matter. */
#include "central/seal/manifest/json_digest.h"

#include <stdlib.h>
#include <string.h>

bool sotto_json_digest(const json_t *value, char digest[SOTTO_DIGEST_SIZE])
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
	bool made = text && sotto_digest_text(text, strlen(text), digest) == SOTTO_OK;

	free(text);
	return made;
}

bool sotto_json_has_digest(const json_t *value, const char *sum)
{
	char digest[SOTTO_DIGEST_SIZE];

	return sum && sotto_json_digest(value, digest) && strcmp(sum, digest) == 0;
}
