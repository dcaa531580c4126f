/*
 * A growing list in which the counts of the table are collected one by one, and the release of
 * the finished table, level by level.
 */
#include "census/plan/shape/census_known.h"

#include <stdlib.h>

enum sotto_status sotto_census_known_add(struct sotto_census_known_list *list,
					 const struct sotto_census_known_entry *entry)
{
	if (list->n == list->room) {
		size_t room = 2 * list->room + 1024;
		struct sotto_census_known_entry *grown =
			realloc(list->entries, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		list->entries = grown;
		list->room = room;
	}
	list->entries[list->n++] = *entry;
	return SOTTO_OK;
}

void sotto_census_known_list_release(struct sotto_census_known_list *list)
{
	free(list->entries);
	*list = (struct sotto_census_known_list){0};
}

void sotto_census_known_release(struct sotto_census_known *k)
{
	for (size_t l = 0; l < SOTTO_CENSUS_LEVELS_MAX; l++) {
		free(k->levels[l].starts);
		free(k->levels[l].cells);
		free(k->levels[l].counts);
	}
	*k = (struct sotto_census_known){.is_given = false};
}
