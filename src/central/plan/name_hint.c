/*
 * Looks in the query's text for names of tables and columns that are not plain words and stand
 * there without quotes, and adds the first to the message.
 */
#include "central/plan/name_hint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_plain(const char *name)
{
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				 "0123456789")] == '\0';
}

/* Does the text have the name as words of their own, and not in quotes? */
static bool is_bare(const char *sql, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = sql; *s; s++)
		if (strncasecmp(s, name, n) == 0 &&
		    (s == sql || !isalnum((unsigned char)s[-1])) &&
		    (s == sql || (s[-1] != '"' && s[-1] != '\'')) &&
		    !isalnum((unsigned char)s[n]))
			return true;
	return false;
}

static bool hint(const char *sql, const char *name, struct sotto_error *err)
{
	char before[sizeof err->text];

	if (is_plain(name) || strchr(name, '"') || !is_bare(sql, name))
		return false;
	(void)snprintf(before, sizeof before, "%s", err->text);
	(void)snprintf(
		err->text, sizeof err->text,
		"%.300s; write \"%.80s\" in double quotes, because its name is not a plain "
		"word",
		before, name);
	return true;
}

void sotto_name_hint(const struct sotto_plan_request *request, const char *sql,
		     struct sotto_error *err)
{
	if (!err || !strstr(err->text, "syntax error"))
		return;
	for (size_t i = 0; i < request->policy->table_count; i++) {
		const struct sotto_policy_table *t = &request->policy->tables[i];
		const struct sotto_schema_table *schema;

		if (hint(sql, t->name, err))
			return;
		if (request->schema(request->schema_context, t, &schema, NULL) != SOTTO_OK)
			continue;
		for (size_t k = 0; k < schema->column_count; k++)
			if (hint(sql, schema->columns[k].name, err))
				return;
	}
}
