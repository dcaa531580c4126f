/*
 * Makes each name from level and query, and refuses plans in which two files or columns would
 * be called the same or a name could leave the folder.
 */
#include "census/publish/census_file_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/failure.h"

enum { NAME_MAX_BYTES = 200 };

/* "Level.table.csv", * in a query becoming -. */
char *sotto_census_file_name(const struct sotto_census_plan *p, size_t level, size_t table)
{
	char *name = NULL;

	if (asprintf(&name, "%s.%s%s", p->levels[level].name, p->queries[p->tables[table]].name,
		     p->parquet ? ".parquet" : ".csv") < 0)
		return NULL;
	for (char *c = name + strlen(p->levels[level].name); *c; c++)
		if (*c == '*')
			*c = '-';
	return name;
}

static bool is_file_name(const char *name)
{
	for (const char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ')
			return false;
	return name[0] != '\0' && name[0] != '.' && strlen(name) <= NAME_MAX_BYTES;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum sotto_status
check_names(const struct sotto_census_plan *p, char **names, size_t n, struct sotto_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (!names[i])
			return SOTTO_ENOMEM;
		else if (!is_file_name(names[i]))
			return sotto_fail(err, SOTTO_EPARSE,
					  "%.160s: output: \"%.200s\" cannot be the name of a "
					  "file; rename the level, the query or the microdata",
					  p->path, names[i]);
	qsort(names, n, sizeof *names, compare_names);
	for (size_t i = 1; i < n; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			return sotto_fail(err, SOTTO_EPARSE,
					  "%.160s: output: two tables would be the file "
					  "%.200s; list each table once",
					  p->path, names[i]);
	return SOTTO_OK;
}

/* The columns of a table: levels, attributes, and what the numbers are called. */
static enum sotto_status
check_columns(const struct sotto_census_plan *p, struct sotto_error *err)
{
	static const char *const numbers[] = {"value", "estimate", "sd",
					      "lo",    "hi",       "NOT_PRIVATE"};
	const char *names[SOTTO_CENSUS_LEVELS_MAX + SOTTO_CENSUS_ATTRIBUTES_MAX + 6];
	size_t n = 0;

	for (size_t i = 1; i < p->level_count; i++)
		names[n++] = p->levels[i].name;
	for (size_t i = 0; i < p->attribute_count; i++)
		names[n++] = p->attributes[i].name;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		names[n++] = numbers[i];
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcasecmp(names[i], names[k]) == 0)
				return sotto_fail(
					err, SOTTO_EPARSE,
					"%.160s: output: tables would have two columns called "
					"%.100s; rename the level or the attribute",
					p->path, names[i]);
	return SOTTO_OK;
}

enum sotto_status
sotto_census_names_check(const struct sotto_census_plan *p, struct sotto_error *err)
{
	size_t n = 0, room = p->level_count * p->table_count + 3;
	char **names = calloc(room, sizeof *names);
	enum sotto_status st;

	if (!names)
		return SOTTO_ENOMEM;
	if (p->microdata_output && p->mode == SOTTO_CENSUS_NAIVE) {
		free(names);
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.160s: mode naive makes no tables that add up, so no "
				  "microdata; leave output.microdata out",
				  p->path);
	}
	for (size_t l = 0; l < p->level_count; l++)
		for (size_t t = 0; t < p->table_count; t++)
			names[n++] = sotto_census_file_name(p, l, t);
	names[n++] = strdup("release.json");
	names[n++] = strdup("report.html");
	if (p->microdata_output)
		names[n++] = strdup(p->microdata_output);
	st = check_names(p, names, n, err);
	if (st == SOTTO_OK)
		st = check_columns(p, err);
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return st;
}
