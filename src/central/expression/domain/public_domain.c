/*
 * A domain is a query that yields the column k; listed values become VALUES, or one literal
 * that the engine splits if there are many of them.
 */
#include "central/expression/domain/public_domain.h"

#include <stdio.h>
#include <string.h>

#include "central/tree/engine_tree.h"
#include "core/base/failure.h"

static enum sotto_status make(struct sotto_arena *a, const struct sotto_rowset *rows,
			      int64_t size, const struct sotto_domain **out)
{
	struct sotto_domain *d = sotto_arena_alloc(a, sizeof *d);

	if (!d || !rows)
		return SOTTO_ENOMEM;
	*d = (struct sotto_domain){.rows = rows, .size = size};
	*out = d;
	return SOTTO_OK;
}

/* SELECT CAST(k AS type) AS k FROM rows */
static const struct sotto_rowset *
as_type(struct sotto_arena *a, const struct sotto_rowset *rows, enum sotto_sql_type type)
{
	return sotto_rowset_one(a,
				sotto_expression_cast(a, SOTTO_OP_CAST,
						      sotto_expression_column(a, NULL, "k"),
						      type),
				"k", rows);
}

static const struct sotto_rowset *only_null(struct sotto_arena *a)
{
	struct sotto_rowset_select s = {0};

	return sotto_rowset_output(a, &s, sotto_expression_word(a, SOTTO_OP_NULL), NULL)
		       ? sotto_rowset_select(a, &s, NULL)
		       : NULL;
}

enum sotto_status
sotto_domain_values(struct sotto_arena *a, const struct sotto_expression *const *values,
		    size_t count, enum sotto_sql_type type, const struct sotto_domain **out)
{
	return make(a, as_type(a, sotto_rowset_values(a, values, count, "v", "k"), type),
		    (int64_t)count, out);
}

/* NULL among the texts is NULL. */
static enum sotto_status written(struct sotto_arena *a, const char *const *texts, size_t count,
				 bool with_null, enum sotto_sql_type type,
				 const struct sotto_domain **out)
{
	const struct sotto_expression **values =
		sotto_arena_alloc(a, (count + 1) * sizeof(struct sotto_expression *));

	if (!values)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count; i++)
		values[i] = texts[i] ? sotto_expression_text(a, texts[i])
				     : sotto_expression_word(a, SOTTO_OP_NULL);
	values[count] = sotto_expression_word(a, SOTTO_OP_NULL);
	return sotto_domain_values(a, values, count + with_null, type, out);
}

enum sotto_status sotto_domain_texts(struct sotto_arena *a, const char *const *texts,
				     size_t count, bool with_null,
				     const struct sotto_domain **out)
{
	return written(a, texts, count, with_null, SOTTO_TYPE_TEXT, out);
}

enum sotto_status
sotto_domain_boolean(struct sotto_arena *a, bool with_null, const struct sotto_domain **out)
{
	const struct sotto_expression **values =
		sotto_arena_alloc(a, 3 * sizeof(struct sotto_expression *));

	if (!values)
		return SOTTO_ENOMEM;
	values[0] = sotto_expression_word(a, SOTTO_OP_FALSE);
	values[1] = sotto_expression_word(a, SOTTO_OP_TRUE);
	values[2] = sotto_expression_word(a, SOTTO_OP_NULL);
	return sotto_domain_values(a, values, with_null ? 3 : 2, SOTTO_TYPE_BOOLEAN, out);
}

enum sotto_status sotto_domain_integers(struct sotto_arena *a, int64_t lo, int64_t hi,
					bool with_null, const struct sotto_domain **out)
{
	const struct sotto_domain *d;

	SOTTO_TRY(make(a,
		       sotto_rowset_one(a, sotto_expression_column(a, NULL, "range"), "k",
					sotto_rowset_range(a, lo, hi)),
		       hi - lo + 1, &d));
	if (with_null)
		return sotto_domain_with_null(a, d, out);
	*out = d;
	return SOTTO_OK;
}

enum sotto_status sotto_domain_with_null(struct sotto_arena *a, const struct sotto_domain *d,
					 const struct sotto_domain **out)
{
	return make(a, sotto_rowset_set(a, SOTTO_SQL_UNION, false, d->rows, only_null(a)),
		    d->size < 0 ? -1 : d->size + 1, out);
}

enum sotto_status sotto_domain_column(struct sotto_arena *a, const char *name,
				      const struct sotto_rowset *from,
				      const struct sotto_domain **out)
{
	struct sotto_rowset_select s = {.distinct = true};

	if (!sotto_rowset_output(a, &s, sotto_expression_column(a, NULL, name), "k") ||
	    !sotto_rowset_from(a, &s, from))
		return SOTTO_ENOMEM;
	return make(a, sotto_rowset_select(a, &s, NULL), -1, out);
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

/* The texts of the keys with separators between them. */
static const char *
joined_texts(struct sotto_arena *a, const struct sotto_policy_column *c, bool *with_null)
{
	size_t length = 1, at = 0;
	bool first = true;
	char *joined;

	for (size_t i = 0; i < c->key_count; i++)
		length += (c->keys[i] ? strlen(c->keys[i]) : 0) + 1;
	joined = sotto_arena_alloc(a, length);
	for (size_t i = 0; joined && i < c->key_count; i++) {
		*with_null = *with_null || !c->keys[i];
		if (!c->keys[i])
			continue;
		if (!first)
			joined[at++] = SEPARATOR;
		first = false;
		at += (size_t)snprintf(joined + at, length - at, "%s", c->keys[i]);
	}
	return joined;
}

/*
 * Many keys as one literal that the engine splits: it reads that a hundred times
 * faster than as many literals.
 */
static enum sotto_status joined_keys(struct sotto_arena *a, const struct sotto_policy_column *c,
				     const struct sotto_domain **out)
{
	bool with_null = false;
	const char *joined = joined_texts(a, c, &with_null);
	struct sotto_rowset_select split = {0};
	const struct sotto_rowset *rows;

	if (!joined || !sotto_rowset_output(a, &split,
					    SOTTO_APPLY(a, SOTTO_OP_SPLIT,
							sotto_expression_text(a, joined),
							sotto_expression_whole(a, SEPARATOR)),
					    "k"))
		return SOTTO_ENOMEM;
	rows = as_type(a, sotto_rowset_select(a, &split, "v"), c->type);
	if (with_null)
		rows = sotto_rowset_set(a, SOTTO_SQL_UNION, true, rows, only_null(a));
	return make(a, rows, (int64_t)c->key_count, out);
}

/* In a partial \1 takes two bytes. */
static void measure_texts(const struct sotto_policy_column *c, struct sotto_domain *d)
{
	for (size_t i = 0; c->type == SOTTO_TYPE_TEXT && i < c->key_count; i++) {
		size_t n = c->keys[i] ? strlen(c->keys[i]) : 0;

		d->longest = n > d->longest ? n : d->longest;
		d->total += n;
		for (size_t k = 0; k < n; k++)
			d->total += c->keys[i][k] == '\1';
	}
}

enum sotto_status sotto_domain_keys(struct sotto_arena *a, const struct sotto_policy_column *c,
				    const struct sotto_domain **out)
{
	struct sotto_domain *d = sotto_arena_alloc(a, sizeof *d);
	const struct sotto_domain *made;

	SOTTO_NEED(d);
	if (can_be_joined(c))
		SOTTO_TRY(joined_keys(a, c, &made));
	else
		SOTTO_TRY(written(a, (const char *const *)c->keys, c->key_count, false, c->type,
				  &made));
	*d = *made;
	measure_texts(c, d);
	*out = d;
	return SOTTO_OK;
}
