/* The names of the formats, in the order of the enum. */
#include "show/output_format.h"

#include <stddef.h>

const char *const format_names[] = {"table", "csv", "json", NULL};
