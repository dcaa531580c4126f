#include "central/plan/expression/public_domain.h"

#include <stdio.h>
#include <string.h>

#include "central/parse/sql_print.h"
#include "core/base/failure.h"

static enum sotto_status
make(struct sotto_arena *a, const char *sql, int64_t size, const struct sotto_domain **out)
{
	struct sotto_domain *d = sotto_arena_alloc(a, sizeof *d);

	if (!d || !sql)
		return SOTTO_ENOMEM;
	*d = (struct sotto_domain){.sql = sql, .size = size};
	*out = d;
	return SOTTO_OK;
}

enum sotto_status sotto_domain_values(struct sotto_arena *a, const char *const *values,
				      size_t count, enum sotto_sql_type type,
				      const struct sotto_domain **out)
{
	const char *engine = sotto_sql_type_engine(type);
	size_t length = 1, at = 0;
	char *list;

	for (size_t i = 0; i < count; i++)
		length += strlen(values[i]) + strlen(engine) + 16;
	list = sotto_arena_alloc(a, length);
	if (!list)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(list + at, length - at, "%s(%s)", i ? ", " : "",
				       values[i]);
	return make(a,
		    sotto_arena_textf(a, "SELECT CAST(k AS %s) AS k FROM (VALUES %s) AS v(k)",
				      engine, list),
		    (int64_t)count, out);
}

enum sotto_status
sotto_domain_boolean(struct sotto_arena *a, bool with_null, const struct sotto_domain **out)
{
	static const char *const values[] = {"FALSE", "TRUE", "NULL"};

	return sotto_domain_values(a, values, with_null ? 3 : 2, SOTTO_TYPE_BOOLEAN, out);
}

enum sotto_status sotto_domain_integers(struct sotto_arena *a, int64_t lo, int64_t hi,
					bool with_null, const struct sotto_domain **out)
{
	const struct sotto_domain *d;

	SOTTO_TRY(make(a,
		       sotto_arena_textf(a, "SELECT range AS k FROM range(%lld, %lld)",
					 (long long)lo, (long long)hi + 1),
		       hi - lo + 1, &d));
	if (with_null)
		return sotto_domain_with_null(a, d, out);
	*out = d;
	return SOTTO_OK;
}

enum sotto_status sotto_domain_with_null(struct sotto_arena *a, const struct sotto_domain *d,
					 const struct sotto_domain **out)
{
	return make(a, sotto_arena_textf(a, "%s UNION SELECT NULL", d->sql),
		    d->size < 0 ? -1 : d->size + 1, out);
}

enum { MANY = 100, SEPARATOR = 0x1f };

/* Can the keys be written as one text with separators between them? */
static bool can_be_joined(const struct sotto_policy_column *c)
{
	for (size_t i = 0; i < c->key_count; i++)
		if (c->keys[i] && strchr(c->keys[i], SEPARATOR))
			return false;
	return c->key_count > MANY;
}

/*
 * Many keys as one literal that the engine splits: it reads that a hundred times
 * faster than as many literals.
 */
static enum sotto_status joined_keys(struct sotto_arena *a, const struct sotto_policy_column *c,
				     const struct sotto_domain **out)
{
	size_t length = 1, at = 0;
	bool with_null = false, first = true;
	const char *literal;
	char *joined;

	for (size_t i = 0; i < c->key_count; i++)
		length += (c->keys[i] ? strlen(c->keys[i]) : 0) + 1;
	joined = sotto_arena_alloc(a, length);
	if (!joined)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < c->key_count; i++) {
		with_null = with_null || !c->keys[i];
		if (!c->keys[i])
			continue;
		if (!first)
			joined[at++] = SEPARATOR;
		first = false;
		at += (size_t)snprintf(joined + at, length - at, "%s", c->keys[i]);
	}
	literal = sotto_sql_print_text(a, joined);
	if (!literal)
		return SOTTO_ENOMEM;
	return make(a,
		    sotto_arena_textf(a,
				      "SELECT CAST(k AS %s) AS k FROM (SELECT "
				      "unnest(string_split(%s, chr(%d))) AS k) AS v%s",
				      sotto_sql_type_engine(c->type), literal, SEPARATOR,
				      with_null ? " UNION ALL SELECT NULL" : ""),
		    (int64_t)c->key_count, out);
}

enum sotto_status sotto_domain_keys(struct sotto_arena *a, const struct sotto_policy_column *c,
				    const struct sotto_domain **out)
{
	const char **values;

	if (can_be_joined(c))
		return joined_keys(a, c, out);
	values = sotto_arena_alloc(a, c->key_count * sizeof *values);
	if (!values)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < c->key_count; i++) {
		if (!c->keys[i])
			values[i] = "NULL";
		else
			values[i] = sotto_sql_print_text(a, c->keys[i]);
		if (!values[i])
			return SOTTO_ENOMEM;
	}
	return sotto_domain_values(a, values, c->key_count, c->type, out);
}
