/*
 * Bounds of a column, found privately: values are counted by magnitude (powers
 * of two, both signs) with noise, as one ordinary charged query, and the range
 * of magnitudes whose noisy counts stand out is taken.  Everything after the
 * query is post-processing.
 */
#include "central/session/owner/column_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/aggregate/measure/magnitude.h"
#include "central/session/session.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

void sotto_found_bounds_init(struct sotto_found_bounds *b)
{
	*b = (struct sotto_found_bounds){0};
	sotto_rational_init(&b->epsilon);
	sotto_rational_init(&b->epsilon_left);
}

void sotto_found_bounds_release(struct sotto_found_bounds *b)
{
	if (!b)
		return;
	sotto_rational_release(&b->epsilon);
	sotto_rational_release(&b->epsilon_left);
}

static enum sotto_status has_column(struct sotto_session *s, const struct sotto_policy_table *t,
				    const char *column, bool *found, struct sotto_error *err)
{
	const struct sotto_schema_table *schema;

	SOTTO_TRY(sotto_session_schema(s, t, &schema, err));
	*found = sotto_schema_column_find(schema, column) != NULL;
	return SOTTO_OK;
}

enum sotto_status sotto_bounds_table(struct sotto_session *s, const char *column,
				     const struct sotto_policy_table **out, const char **name,
				     struct sotto_error *err)
{
	const char *dot = strchr(column, '.');
	bool found;

	*out = NULL;
	*name = dot ? dot + 1 : column;
	for (size_t i = 0; i < s->policy.table_count; i++) {
		const struct sotto_policy_table *t = &s->policy.tables[i];

		if (t->is_public ||
		    (dot && (strncasecmp(t->name, column, (size_t)(dot - column)) != 0 ||
			     strlen(t->name) != (size_t)(dot - column))))
			continue;
		SOTTO_TRY(has_column(s, t, *name, &found, err));
		if (found && *out)
			return sotto_fail(err, SOTTO_EREFUSED,
					  "several private tables have a column %.60s; write "
					  "table.column",
					  *name);
		if (found)
			*out = t;
	}
	if (!*out)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "no private table of the policy has the column "
				  "%.60s; write its name as sotto tables shows it, without "
				  "quotes",
				  column);
	return SOTTO_OK;
}

/* A count must stand out of the noise of all magnitudes together: ln(20 n) / ln 20 intervals. */
static double threshold(const struct sotto_value *count, const struct sotto_value *high)
{
	double buckets = 2 * SOTTO_MAGNITUDE_MAX + 1;
	double error = high->number - count->number;

	return error * log(20 * buckets) / log(20);
}

static void read_answer(const struct sotto_answer *a, struct sotto_found_bounds *out)
{
	for (size_t i = 0; i < a->row_count; i++) {
		const struct sotto_value *row = a->values + 2 * i;
		double lo, hi;

		if (row[0].kind != SOTTO_VALUE_INTEGER)
			continue;
		out->needed = threshold(&row[1], &a->highs[2 * i + 1]);
		if (!(row[1].number > out->needed))
			continue;
		sotto_magnitude_range((int)row[0].integer, &lo, &hi);
		out->lo = out->found ? fmin(out->lo, lo) : lo;
		out->hi = out->found ? fmax(out->hi, hi) : hi;
		out->found = true;
	}
	sotto_rational_set(&out->epsilon, &a->epsilon);
	sotto_rational_set(&out->epsilon_left, &a->epsilon_left);
	out->repeated = a->repeated;
}

/* Magnitudes are of numbers; a text without a type may hold some. */
static enum sotto_status check_type(struct sotto_session *s, const struct sotto_policy_table *t,
				    const char *name, struct sotto_error *err)
{
	const struct sotto_policy_column *declared = sotto_policy_column_find(t, name);
	const struct sotto_schema_table *schema;
	enum sotto_sql_type type;

	SOTTO_TRY(sotto_session_schema(s, t, &schema, err));
	type = sotto_schema_column_find(schema, name)->type;
	if (declared && declared->type != SOTTO_TYPE_LOOSE)
		type = declared->type;
	if (type == SOTTO_TYPE_DATE || type == SOTTO_TYPE_TIMESTAMP)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"bounds are found for numbers, but %.60s is a %s; write the days "
			"that can occur into the policy, like bounds: [2020-01-01, "
			"2024-12-31]",
			name, sotto_sql_type_word(type));
	if (type == SOTTO_TYPE_TEXT)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"bounds are found for numbers, but %.60s is text; say type: number "
			"in the policy if it holds numbers",
			name);
	return SOTTO_OK;
}

static enum sotto_status
find(struct sotto_session *s, const char *column, const struct sotto_question *question,
     struct sotto_found_bounds *out, uint64_t *moment, struct sotto_error *err)
{
	static const struct sotto_rational none; /* what the limits lose does not matter here */
	struct sotto_question q = *question;
	const struct sotto_policy_table *t;
	struct sotto_answer *answer;
	struct sotto_arena arena;
	const char *name, *quoted, *table;
	enum sotto_status st;

	SOTTO_TRY(sotto_bounds_table(s, column, &t, &name, err));
	SOTTO_TRY(check_type(s, t, name, err));
	q.diagnostics = &none;
	sotto_arena_init(&arena, 1 << 20);
	quoted = sotto_sql_quote_name(&arena, name);
	table = sotto_sql_quote_name(&arena, t->name);
	q.sql = quoted && table
			? sotto_arena_textf(&arena,
					    "SELECT magnitude(%s) AS m, COUNT(*) AS n FROM %s "
					    "WHERE magnitude(%s) IS NOT NULL GROUP BY 1",
					    quoted, table, quoted)
			: NULL;
	st = q.sql ? sotto_session_ask(s, &q, &answer, moment, err) : SOTTO_ENOMEM;
	if (st == SOTTO_OK) {
		read_answer(answer, out);
		sotto_answer_free(answer);
	}
	sotto_arena_release(&arena);
	return st;
}

enum sotto_status sotto_session_bounds(struct sotto_session *s, const char *column,
				       const struct sotto_question *question,
				       struct sotto_found_bounds *out, struct sotto_error *err)
{
	uint64_t moment = 0;
	enum sotto_status st;

	if (!column || !question || !out)
		return sotto_fail(err, SOTTO_EINVAL,
				  "finding bounds needs a column, a question and a place");
	SOTTO_TRY(sotto_session_enter(s, err));
	st = find(s, column, question, out, &moment, err);
	st = sotto_session_depart(s, st, moment, err);
	sotto_session_leave(s);
	return st;
}
