#include "show/output_format.h"

#include <stddef.h>

const char *const format_names[] = {"table", "csv", "json", NULL};
