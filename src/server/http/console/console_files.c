/* Finds a file of the console by its path. */
#include "server/http/console/console_files.h"

#include <string.h>

const struct sotto_console_file *sotto_console_file(const char *path)
{
	for (const struct sotto_console_file *f = sotto_console_list; f->path; f++)
		if (strcmp(f->path, path) == 0)
			return f;
	return NULL;
}
