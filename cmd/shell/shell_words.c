/* What can be completed: names of the policy, words of SQL, backslash commands. */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "shell/shell.h"

static const char *const sql_words[] = {
	"SELECT",   "FROM",        "WHERE",   "GROUP BY",  "ORDER BY",
	"HAVING",   "LIMIT",       "JOIN",    "LEFT JOIN", "ON",
	"USING",    "AS",          "AND",     "OR",        "NOT",
	"IN",       "BETWEEN",     "LIKE",    "IS NULL",   "CASE",
	"WHEN",     "THEN",        "ELSE",    "END",       "WITH",
	"DISTINCT", "COUNT(",      "SUM(",    "AVG(",      "MIN(",
	"MAX(",     "MEDIAN(",     "STDDEV(", "VARIANCE(", "PERCENTILE_CONT(",
	"EXTRACT(", "DATE_TRUNC(", "CAST(",   "INTERVAL",  "ASC",
	"DESC",     "CLIP(",       "ROUND(",  "ROLLUP(",   "CUBE("};

/* Of one table, each as "table.column" where the table was typed. */
static void
offer_columns(const struct sotto_table *t, bool with_table, line_offer offer, void *context)
{
	for (size_t i = 0; i < t->column_count; i++) {
		char *word = with_table ? memory_text("%s.%s", t->name, t->columns[i].name)
					: memory_copy_text(t->columns[i].name);

		offer(context, word);
		free(word);
	}
}

static void offer_names(const struct shell *s, bool dotted, line_offer offer, void *context)
{
	for (size_t i = 0; s->tables && i < s->tables->count; i++) {
		offer(context, s->tables->list[i].name);
		offer_columns(&s->tables->list[i], dotted, offer, context);
	}
}

/* The last word of a line: where its letters begin. */
static const char *last_word(const char *line)
{
	const char *at = line + strlen(line);

	while (at > line && !strchr(" \t(,=<>+-*/", at[-1]))
		at--;
	return at;
}

void shell_complete(void *shell, const char *line, line_offer offer, void *context)
{
	const struct shell *s = shell;
	const char *word = last_word(line), *name;

	if (line[0] == '\\' && word == line) {
		for (size_t i = 0; (name = shell_command_name(i)); i++)
			offer(context, name);
		return;
	}
	offer_names(s, strchr(word, '.') != NULL, offer, context);
	if (*word && !strchr(word, '.'))
		for (size_t i = 0; i < sizeof sql_words / sizeof sql_words[0]; i++)
			offer(context, sql_words[i]);
}
