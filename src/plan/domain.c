#include "plan/domain.h"

#include <stdio.h>
#include <string.h>

#include "base/failure.h"
#include "sql/print.h"

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

enum sotto_status sotto_domain_keys(struct sotto_arena *a, const struct sotto_policy_column *c,
				    const struct sotto_domain **out)
{
	const char **values = sotto_arena_alloc(a, c->key_count * sizeof *values);

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

/* The columns of one alias, crossed: what stands in for a table in the image. */
static enum sotto_status stand_in(struct sotto_arena *a, const struct sotto_bound *x,
				  const char *alias, const char **out)
{
	const char *list = "", *from = "";

	for (size_t i = 0; i < x->column_count; i++) {
		const struct sotto_scope_column *c = x->columns[i];
		const char *comma = *list ? ", " : "";

		if (strcmp(c->alias, alias) != 0)
			continue;
		list = sotto_arena_textf(a, "%s%sd%zu.k AS %s", list, comma, i, c->field);
		from = list ? sotto_arena_textf(a, "%s%s(%s%s) AS d%zu", from, comma,
						c->bound.domain->sql,
						c->bound.nullable ? " UNION SELECT NULL" : "",
						i)
			    : NULL;
		if (!from)
			return SOTTO_ENOMEM;
	}
	*out = sotto_arena_textf(a, "(SELECT %s FROM %s) AS %s", list, from, alias);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

static bool seen_before(const struct sotto_bound *x, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(x->columns[j]->alias, x->columns[i]->alias) == 0)
			return true;
	return false;
}

/* -1: some column has no domain; 0: one is of unknown size; else the product. */
static int64_t image_size(const struct sotto_bound *x)
{
	int64_t size = 1;

	for (size_t i = 0; i < x->column_count; i++) {
		const struct sotto_domain *d = x->columns[i]->bound.domain;

		if (!d)
			return -1;
		if (d->size < 0)
			size = 0;
		else if (size * (d->size + 1) > SOTTO_DOMAIN_MAX)
			return -1;
		else
			size *= d->size + x->columns[i]->bound.nullable;
	}
	return size;
}

enum sotto_status sotto_domain_image(struct sotto_arena *a, const struct sotto_bound *x,
				     const struct sotto_domain **out)
{
	int64_t size = image_size(x);
	const char *from = "", *one;

	*out = NULL;
	if (x->column_count == 0 || size < 0)
		return SOTTO_OK;
	for (size_t i = 0; i < x->column_count; i++) {
		if (seen_before(x, i))
			continue;
		SOTTO_TRY(stand_in(a, x, x->columns[i]->alias, &one));
		from = sotto_arena_textf(a, "%s%s%s", from, *from ? ", " : "", one);
		if (!from)
			return SOTTO_ENOMEM;
	}
	return make(a, sotto_arena_textf(a, "SELECT DISTINCT %s AS k FROM %s", x->sql, from),
		    size == 0 ? -1 : size, out);
}
