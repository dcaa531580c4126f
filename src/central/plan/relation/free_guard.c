/*
 * What costs nothing reads nothing private.  Planning sees to that; here the text that
 * the engine gets is looked at once more, whatever planning did.
 */
#include "central/plan/relation/free_guard.h"

#include <string.h>

#include "core/base/failure.h"

static bool is_name(char c)
{
	return c == '_' || c == '"' || c == '.' || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c & 0x80);
}

/* The end of a text or name that begins at s; a quote in it is doubled: another begins. */
static const char *skip_quoted(const char *s)
{
	const char *end = strchr(s + 1, *s);

	return end ? end : s + strlen(s) - 1;
}

/* Does the name stand in the SQL, outside of texts and not as a part of a longer name? */
static bool names(const char *sql, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = sql; *s; s++) {
		if (strncmp(s, name, n) == 0 && !is_name(s[n]) && (s == sql || !is_name(s[-1])))
			return true;
		if (*s == '\'' || *s == '"') /* a name may hold the quote of a text */
			s = skip_quoted(s);
	}
	return false;
}

static bool reads_private(const struct sotto_plan *plan, const char *sql)
{
	for (size_t i = 0; i < plan->private_count; i++)
		if (names(sql, plan->private_scans[i]))
			return true;
	return false;
}

enum sotto_status sotto_plan_guard(const struct sotto_plan *plan, struct sotto_error *err)
{
	bool reads = plan->part_count == 0 && !sotto_plan_is_free(plan)
			     ? false
			     : reads_private(plan, plan->engine_sql);

	for (size_t i = 0; i < plan->check_count; i++)
		reads = reads || reads_private(plan, plan->checks[i].sql);
	if (reads)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"the query would read private rows without a charge, so it is "
			"not run; this is a mistake of sotto, please report it");
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(sotto_plan_guard(plan->parts[i], err));
	return SOTTO_OK;
}
