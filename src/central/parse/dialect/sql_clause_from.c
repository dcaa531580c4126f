/*
 * Clauses of FROM that other databases have: semi and anti joins, and FROM before SELECT.
 */
#include "central/parse/dialect/sql_clause_from.h"

#include <string.h>

/* The first of the words outside brackets from s on, before this bracket ends; NULL: none. */
static const char *find_own(const char *s, const char *const *words)
{
	while (*s && *s != ')') {
		const char *next = *s == '(' ? sotto_sql_past_bracket(s) : sotto_sql_past(s);

		for (size_t i = 0; words[i]; i++)
			if (sotto_sql_starts_word(s, words[i]))
				return s;
		while (next && sotto_sql_is_name(*s) && sotto_sql_is_name(*next))
			next++;
		if (!next)
			return NULL;
		s = next;
	}
	return NULL;
}

#define FIND_OWN(s, ...) find_own(s, (const char *const[]){__VA_ARGS__, NULL})

/*
 * x ANTI JOIN y ON c becomes x JOIN y ON "sotto anti"() OR c: nothing binds less than OR, so the
 * call stands first in the condition (parse_from.c).  USING gets a name of that kind.
 */
bool sotto_sql_half_join_mark(struct sotto_sql_dialect *d, const char *s)
{
	bool left = sotto_sql_starts_word(s, "LEFT");
	const char *word = left ? sotto_sql_past_spaces(s + 4) : s, *join, *on;
	bool anti = sotto_sql_starts_word(word, "ANTI");
	size_t at = sotto_sql_place(d, s), length;

	join = SOTTO_SQL_AFTER(word, anti ? "ANTI" : "SEMI", "JOIN");
	on = join ? FIND_OWN(join, "ON", "USING", "JOIN", "WHERE", "GROUP") : NULL;
	if (!on || at == 0)
		return false;
	length = (size_t)(join - s);
	if (sotto_sql_starts_word(on, "ON")) {
		if (!sotto_sql_put_in(d, sotto_sql_place(d, on) + 2,
				      anti ? " \"" SOTTO_SQL_ANTI "\"() OR"
					   : " \"" SOTTO_SQL_SEMI "\"() OR"))
			return false;
	} else if (sotto_sql_starts_word(on, "USING")) {
		on = sotto_sql_past_spaces(on + 5);
		if (*on != '(' || !sotto_sql_put_in(d, sotto_sql_place(d, on) + 1,
						    anti ? "\"" SOTTO_SQL_ANTI "\", "
							 : "\"" SOTTO_SQL_SEMI "\", "))
			return false;
	} else {
		return false;
	}
	return sotto_sql_put_over(d, at, length, "JOIN");
}

/* Does a query begin at s: the text, what a bracket holds, or what follows WITH queries? */
static bool begins_query(const struct sotto_sql_dialect *d, const char *s)
{
	const char *before = s, *select;

	while (before > d->text && strchr(" \t\r\n", before[-1]))
		before--;
	if (before == d->text || before[-1] == '(')
		return true;
	select = FIND_OWN(d->text, "SELECT", "FROM");
	return before[-1] == ')' && select == s &&
	       sotto_sql_starts_word(sotto_sql_past_spaces(d->text), "WITH");
}

/* The next clause after the outputs, or the end of the bracket or of the text. */
static const char *end_of_outputs(const char *select)
{
	const char *end =
		FIND_OWN(select, "FROM", "WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW",
			 "ORDER", "LIMIT", "OFFSET", "FETCH", "UNION", "EXCEPT", "INTERSECT");

	while (!end && *select && *select != ')' && *select != ';')
		select = *select == '(' ? sotto_sql_past_bracket(select)
					: sotto_sql_past(select);
	return end ? end : select;
}

/* FROM t SELECT x WHERE ...: FROM goes after the outputs. */
bool sotto_sql_from_first(struct sotto_sql_dialect *d, const char *s)
{
	const char *select, *end;
	size_t at = sotto_sql_place(d, s), length;
	char *from;

	if (!sotto_sql_starts_word(s, "FROM") || !begins_query(d, s))
		return false;
	select = FIND_OWN(s + 4, "SELECT", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT",
			  "UNION", "EXCEPT", "INTERSECT");
	if (!select || !sotto_sql_starts_word(select, "SELECT"))
		return false;
	end = end_of_outputs(select + 6);
	length = (size_t)(select - s);
	from = sotto_arena_alloc(d->arena, length + 3);
	if (!from || sotto_sql_starts_word(end, "FROM"))
		return false;
	from[0] = from[length + 1] = ' ';
	memcpy(from + 1, s, length);
	from[length + 2] = '\0';
	return sotto_sql_put_in(d, sotto_sql_place(d, end), from) &&
	       sotto_sql_put_over(d, at, length, "");
}
