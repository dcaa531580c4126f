/* Copies into new memory and wipes the old before it is freed. */
#include "core/base/wiped_array.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/wipe.h"

enum sotto_status sotto_wiped_array_grow(void **array, size_t old, size_t wanted, size_t size)
{
	void *grown = calloc(wanted + 1, size);

	if (!grown)
		return SOTTO_ENOMEM;
	if (*array) {
		memcpy(grown, *array, old * size);
		sotto_wipe(*array, old * size);
		free(*array);
	}
	*array = grown;
	return SOTTO_OK;
}
