/*
 * The noisy answer of a finished query as a table of the engine, for the query
 * around it to read.  Nothing exact goes in here.
 */
#include "central/session/answer/answer_table.h"

#include "central/session/answer/answer_stretch.h"

#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/* One statement inserts so many rows, or fewer if they are long. */
enum { ROWS_AT_ONCE = 500, BYTES_AT_ONCE = 16 << 20, STATEMENT_MAX = 200 << 20 };

/* Those of all parts have 512 MiB at most (plan_shape_text.c); each character may be a quote. */
#define TEXTS_MAX ((size_t)2 << 30)

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(b, __VA_ARGS__))

static const char *column_type(enum sotto_sql_type type)
{
	return sotto_sql_type_engine(type == SOTTO_TYPE_INTEGER ? SOTTO_TYPE_NUMBER : type);
}

static enum sotto_status
add_create(struct sotto_buffer *b, const struct sotto_plan *part, size_t index)
{
	ADD("CREATE OR REPLACE TEMP TABLE \"sotto part %zu\" (", index);
	for (size_t i = 0; i < part->output_count; i++)
		ADD("%sc%zu %s", i ? ", " : "", i, column_type(part->outputs[i].type));
	for (size_t i = 0; i < part->output_count; i++)
		if (sotto_output_has_interval(&part->outputs[i]))
			ADD(", low%zu DOUBLE, high%zu DOUBLE", i, i);
	return sotto_buffer_append_text(b, ", numbers DOUBLE, stretch DOUBLE)");
}

static enum sotto_status
add_value(struct sotto_buffer *b, struct sotto_arena *a, const struct sotto_value *v)
{
	const char *text;

	switch (v->kind) {
	case SOTTO_VALUE_NULL:
		break;
	case SOTTO_VALUE_BOOL:
		return sotto_buffer_append_text(b, v->integer ? "TRUE" : "FALSE");
	case SOTTO_VALUE_INTEGER:
	case SOTTO_VALUE_NUMBER:
		return sotto_buffer_appendf(b, "'%.17g'", v->number);
	case SOTTO_VALUE_TEXT:
		text = sotto_sql_quote_text(a, v->text);
		return text ? sotto_buffer_append_text(b, text) : SOTTO_ENOMEM;
	}
	return sotto_buffer_append_text(b, "NULL");
}

/* The intervals of a row. */
static enum sotto_status add_ends(struct sotto_buffer *b, struct sotto_arena *a,
				  const struct sotto_plan *part,
				  const struct sotto_answer *answer, size_t row)
{
	size_t n = answer->column_count;

	for (size_t i = 0; i < n; i++) {
		if (!sotto_output_has_interval(&part->outputs[i]))
			continue;
		ADD(", ");
		SOTTO_TRY(add_value(b, a, &answer->lows[row * n + i]));
		ADD(", ");
		SOTTO_TRY(add_value(b, a, &answer->highs[row * n + i]));
	}
	return SOTTO_OK;
}

/* Values are cast by the engine, with casts that try: a value that does not fit is NULL. */
static enum sotto_status
add_rows(struct sotto_buffer *b, struct sotto_arena *a, const struct sotto_plan *part,
	 size_t index, const struct sotto_answer *answer, size_t numbers, size_t *next)
{
	size_t n = answer->column_count, first = *next, row;

	ADD("INSERT INTO \"sotto part %zu\" SELECT ", index);
	for (size_t i = 0; i < n; i++)
		ADD("%sTRY_CAST(c%zu AS %s)", i ? ", " : "", i,
		    column_type(part->outputs[i].type));
	for (size_t i = 0; i < n; i++)
		if (sotto_output_has_interval(&part->outputs[i]))
			ADD(", TRY_CAST(low%zu AS DOUBLE), TRY_CAST(high%zu AS DOUBLE)", i, i);
	ADD(", CAST('%zu' AS DOUBLE), CAST('%.17g' AS DOUBLE) FROM (VALUES ", numbers,
	    sotto_answer_stretch(part, numbers));
	for (row = first;
	     row < answer->row_count && row < first + ROWS_AT_ONCE && b->length < BYTES_AT_ONCE;
	     row++) {
		ADD("%s(", row > first ? ", " : "");
		for (size_t i = 0; i < n; i++) {
			ADD("%s", i ? ", " : "");
			SOTTO_TRY(add_value(b, a, &answer->values[row * n + i]));
		}
		SOTTO_TRY(add_ends(b, a, part, answer, row));
		ADD(")");
	}
	*next = row;
	ADD(") AS v(");
	for (size_t i = 0; i < n; i++)
		ADD("%sc%zu", i ? ", " : "", i);
	for (size_t i = 0; i < n; i++)
		if (sotto_output_has_interval(&part->outputs[i]))
			ADD(", low%zu, high%zu", i, i);
	return sotto_buffer_append_text(b, ")");
}

void sotto_answer_table_texts_init(struct sotto_answer_table_texts *t)
{
	*t = (struct sotto_answer_table_texts){0};
	sotto_arena_init(&t->arena, SIZE_MAX / 4);
}

void sotto_answer_table_texts_release(struct sotto_answer_table_texts *t)
{
	sotto_arena_release(&t->arena);
	sotto_answer_table_texts_init(t);
}

static enum sotto_status keep(struct sotto_answer_table_texts *kept, const char *sql)
{
	const char **slot = kept ? SOTTO_PUSH(&kept->arena, kept->list, kept->count) : NULL;

	if (!kept)
		return SOTTO_OK;
	if (slot)
		*slot = sotto_arena_text(&kept->arena, sql);
	return slot && *slot ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status run(struct sotto_engine *e, struct sotto_buffer *b,
			     struct sotto_answer_table_texts *kept, enum sotto_status st)
{
	if (st == SOTTO_OK)
		st = sotto_engine_execute(e, sotto_buffer_text(b));
	if (st == SOTTO_OK)
		st = keep(kept, sotto_buffer_text(b));
	sotto_buffer_release(b);
	return st;
}

static enum sotto_status create(struct sotto_engine *e, const struct sotto_plan *part,
				size_t index, struct sotto_answer_table_texts *kept)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, 1 << 20);
	return run(e, &b, kept, add_create(&b, part, index));
}

enum sotto_status
sotto_answer_table_create(struct sotto_engine *e, const struct sotto_plan *part, size_t index)
{
	return create(e, part, index, NULL);
}

/* How many noisy numbers there are in so many groups. */
static size_t numbers_in(const struct sotto_plan *part, size_t groups)
{
	size_t noisy = 0;

	for (size_t i = 0; i < part->output_count; i++)
		noisy += sotto_output_has_interval(&part->outputs[i]);
	return noisy > 0 && groups > 0 ? noisy * groups : 1;
}

enum sotto_status sotto_answer_table_write(struct sotto_engine *e,
					   const struct sotto_plan *part, size_t index,
					   size_t groups, const struct sotto_answer *answer,
					   struct sotto_answer_table_texts *kept)
{
	size_t numbers = numbers_in(part, groups);
	struct sotto_arena arena;
	struct sotto_buffer b;
	enum sotto_status st = create(e, part, index, kept);

	sotto_arena_init(&arena, TEXTS_MAX);
	for (size_t next = 0; st == SOTTO_OK && next < answer->row_count;) {
		sotto_buffer_init(&b, STATEMENT_MAX);
		st = run(e, &b, kept,
			 add_rows(&b, &arena, part, index, answer, numbers, &next));
	}
	sotto_arena_release(&arena);
	return st;
}

void sotto_answer_table_drop(struct sotto_engine *e, size_t index)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, 256);
	(void)run(e, &b, NULL,
		  sotto_buffer_appendf(&b, "DROP TABLE IF EXISTS \"sotto part %zu\"", index));
}
