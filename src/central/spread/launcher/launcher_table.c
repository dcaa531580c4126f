/* The launchers, by name; words of their commands. */
#include "central/spread/launcher/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct sotto_launcher *const launchers[] = {
#define ENTRY(name) &sotto_launcher_##name,
	SOTTO_LAUNCHERS(ENTRY)
#undef ENTRY
};

const struct sotto_launcher *sotto_launcher_at(size_t i)
{
	return i < sizeof launchers / sizeof launchers[0] ? launchers[i] : NULL;
}

const struct sotto_launcher *sotto_launcher_find(const char *name)
{
	for (size_t i = 0; sotto_launcher_at(i); i++)
		if (strcmp(sotto_launcher_at(i)->name, name) == 0)
			return sotto_launcher_at(i);
	return NULL;
}

bool sotto_words_add(struct sotto_arena *a, const char ***words, size_t *count,
		     const char *word)
{
	const char **slot = SOTTO_PUSH(a, *words, *count);

	if (slot)
		*slot = word;
	return slot != NULL;
}

bool sotto_program_is_there(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	for (path = path ? path : "/usr/bin:/bin"; *path;) {
		size_t n = strcspn(path, ":");

		if (snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name) <
			    (int)sizeof file &&
		    access(file, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}
