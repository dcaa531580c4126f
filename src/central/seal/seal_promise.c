/*
 * What the policy promises about columns, looked up in what was sealed: `unique: true`
 * and `nullable: false` are worth something only if they hold.
 */
#include "central/seal/seal_promise.h"

#include <string.h>

#include "central/policy/schema.h"
#include "central/seal/manifest/sealed.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/* As another type the same texts may be other values, or none. */
static bool
was_looked_at(const struct sotto_policy_column *c, const struct sotto_sealed_column *sealed)
{
	return sealed && sealed->read_as &&
	       strcmp(sealed->read_as, sotto_sql_type_word(c->type)) == 0;
}

/* The promise that sealing has not found kept; NULL if there is none. */
static const char *
unkept(const struct sotto_policy_column *c, const struct sotto_sealed_column *sealed)
{
	if (c->promises_unique && !(was_looked_at(c, sealed) && sealed->is_unique))
		return "unique: true";
	if (c->promises_filled && !(was_looked_at(c, sealed) && sealed->is_filled))
		return "nullable: false";
	return NULL;
}

const struct sotto_policy_column *sotto_promise_unkept(const struct sotto_policy_table *t,
						       const struct sotto_sealed *e,
						       const char **promise)
{
	for (size_t i = 0; i < t->column_count; i++) {
		*promise =
			unkept(&t->columns[i], sotto_sealed_column_find(e, t->columns[i].name));
		if (*promise)
			return &t->columns[i];
	}
	return NULL;
}

/* ---- looking ---------------------------------------------------------------------------------- */

/*
 * The value as it lies there, and as queries read it: both must be one of a kind.  A NaN is no
 * value: it is not filled.
 */
struct value {
	const char *plain, *read, *filled;
};

static enum sotto_status value_of(struct sotto_sealer *s, const struct sotto_policy_column *c,
				  const struct sotto_sealed_column *sealed, struct value *out)
{
	struct sotto_schema_column source = {.type = SOTTO_TYPE_LOOSE};
	const char *name = sotto_sealed_column_sql(s->arena, &s->entry, sealed);
	bool is_text;

	if (sealed->type)
		sotto_schema_column_type(&source, sealed->type);
	is_text = source.type == SOTTO_TYPE_LOOSE || source.type == SOTTO_TYPE_TEXT;
	out->plain = name && is_text && !source.as_text
			     ? sotto_arena_textf(s->arena, "%s COLLATE \"binary\"", name)
			     : name;
	out->read = out->plain;
	if (name && is_text && c->type != SOTTO_TYPE_LOOSE && c->type != SOTTO_TYPE_TEXT)
		out->read = sotto_schema_read_sql(s->arena, name, c->type);
	out->filled = out->read;
	if (out->read &&
	    (source.type == SOTTO_TYPE_NUMBER || (is_text && c->type == SOTTO_TYPE_NUMBER)))
		out->filled = sotto_arena_textf(
			s->arena, "nullif(CAST(%s AS DOUBLE), 'NaN'::DOUBLE)", out->read);
	return out->plain && out->read && out->filled ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status look(struct sotto_sealer *s, struct sotto_database *d,
			      const char *relation, const struct sotto_policy_column *c,
			      struct sotto_sealed_column *sealed)
{
	struct sotto_engine_result *r = NULL;
	const char *sql;
	struct value v;

	SOTTO_TRY(value_of(s, c, sealed, &v));
	sql = sotto_arena_textf(s->arena,
				"SELECT (COUNT(*) = COUNT(%s))::BIGINT, (COUNT(%s) = COUNT("
				"DISTINCT %s) AND COUNT(%s) = COUNT(DISTINCT %s))::BIGINT FROM "
				"%s",
				v.filled, v.plain, v.plain, v.read, v.read, relation);
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	sealed->is_filled = sotto_engine_cell(r, 0, 0).integer == 1;
	sealed->is_unique = sotto_engine_cell(r, 0, 1).integer == 1;
	sealed->read_as = sotto_sql_type_word(c->type);
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status look_at_all(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *relation = NULL;

	SOTTO_TRY(sotto_sealer_relation(s, d, &relation));
	for (size_t i = 0; i < s->table->column_count; i++) {
		const struct sotto_policy_column *c = &s->table->columns[i];
		struct sotto_sealed_column *sealed =
			sotto_sealed_column_find(&s->entry, c->name);

		if (sealed && (c->promises_unique || c->promises_filled))
			SOTTO_TRY(look(s, d, relation, c, sealed));
	}
	return SOTTO_OK;
}

/* ---- telling ---------------------------------------------------------------------------------- */

static enum sotto_status tell(struct sotto_sealer *s, const struct sotto_policy_column *c,
			      const struct sotto_sealed_column *sealed)
{
	struct sotto_seal_flaw flaw = {.file = s->table->written, .is_promise = true};

	if (c->promises_unique && !sealed->is_unique)
		flaw.reason = sotto_arena_textf(
			s->arena,
			"the policy says unique: true of column %.60s, but records have the "
			"same value there",
			c->name);
	else
		flaw.reason = sotto_arena_textf(
			s->arena,
			"the policy says nullable: false of column %.60s, but records have "
			"no value there, or none of its type",
			c->name);
	s->report->broken_promises++;
	s->report->state = SOTTO_SEAL_REFUSED;
	return flaw.reason ? sotto_sealer_add_flaw(s, &flaw) : SOTTO_ENOMEM;
}

enum sotto_status sotto_seal_promises(struct sotto_sealer *s)
{
	struct sotto_database d;
	enum sotto_status st;
	const char *promise;

	if (!sotto_promise_unkept(s->table, &s->entry, &promise))
		return SOTTO_OK;
	SOTTO_TRY(sotto_database_open(&d, s->err));
	st = look_at_all(s, &d);
	sotto_database_close(&d);
	for (size_t i = 0; st == SOTTO_OK && i < s->table->column_count; i++) {
		const struct sotto_policy_column *c = &s->table->columns[i];
		const struct sotto_sealed_column *sealed =
			sotto_sealed_column_find(&s->entry, c->name);

		/* A column that is not there is refused when it is planned with, by its line. */
		if (sealed && unkept(c, sealed))
			st = tell(s, c, sealed);
	}
	return st;
}
