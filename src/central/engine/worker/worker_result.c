/*
 * Writes columns one after the other and reads them back; exact integers beyond 2^62 and lists
 * out of order are refused as damage.
 */
#include "central/engine/worker/worker_result.h"

#include <stdlib.h>
#include <string.h>

#include "central/engine/engine_result.h"
#include "central/engine/worker/worker_message.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

/* ---- writing ------------------------------------------------------------------ */

static enum sotto_status put_byte(struct sotto_buffer *b, unsigned x)
{
	uint8_t byte = (uint8_t)x;

	return sotto_buffer_append(b, &byte, 1);
}

enum sotto_status
sotto_worker_put_cell(struct sotto_buffer *b, const struct sotto_engine_cell *c)
{
	SOTTO_TRY(put_byte(b, c->kind));
	switch (c->kind) {
	case SOTTO_ENGINE_NULL:
		return SOTTO_OK;
	case SOTTO_ENGINE_BOOL:
		return put_byte(b, c->integer != 0);
	case SOTTO_ENGINE_INTEGER:
		return sotto_buffer_append(b, &c->integer, sizeof c->integer);
	case SOTTO_ENGINE_NUMBER:
		return sotto_buffer_append(b, &c->number, sizeof c->number);
	case SOTTO_ENGINE_TEXT:
		return sotto_worker_put_text(b, c->text);
	}
	return SOTTO_ESTATE;
}

/* A list of keys has an odd mark, one of values an even one. */
static enum sotto_status put_list(struct sotto_buffer *b, const struct sotto_engine_list *l)
{
	SOTTO_TRY(put_byte(b, l->keys != NULL));
	SOTTO_TRY(sotto_worker_put_u64(b, l->n));
	SOTTO_TRY(sotto_buffer_append(b, l->counts, l->n * sizeof *l->counts));
	if (!l->keys)
		return sotto_buffer_append(b, l->values, l->n * sizeof *l->values);
	for (size_t i = 0; i < l->n; i++)
		SOTTO_TRY(sotto_worker_put_cell(b, &l->keys[i]));
	return SOTTO_OK;
}

static enum sotto_status
put_values(struct sotto_buffer *b, const struct sotto_result_column *c, size_t rows)
{
	if (c->kind == SOTTO_ENGINE_EXACTS)
		return sotto_buffer_append(b, c->exact, rows * sizeof *c->exact);
	if (c->kind == SOTTO_ENGINE_WIDES)
		return sotto_buffer_append(b, c->wide, rows * sizeof *c->wide);
	for (size_t i = 0; i < rows; i++)
		SOTTO_TRY(c->kind == SOTTO_ENGINE_LISTS
				  ? put_list(b, &c->lists[i])
				  : sotto_worker_put_cell(b, &c->cells[i]));
	return SOTTO_OK;
}

enum sotto_status
sotto_worker_put_result(struct sotto_buffer *b, const struct sotto_engine_result *r)
{
	SOTTO_TRY(sotto_worker_put_u64(b, r->rows));
	SOTTO_TRY(sotto_worker_put_u64(b, r->column_count));
	for (size_t i = 0; i < r->column_count; i++) {
		SOTTO_TRY(put_byte(b, r->columns[i].kind));
		SOTTO_TRY(sotto_worker_put_text(b, r->columns[i].name));
	}
	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(put_values(b, &r->columns[i], r->rows));
	return SOTTO_OK;
}

/* ---- reading ------------------------------------------------------------------ */

static bool take_byte(struct sotto_worker_fields *f, uint8_t *out)
{
	return sotto_worker_take(f, out, 1);
}

/* Whether so many things of at least size bytes can still come. */
static bool can_hold(const struct sotto_worker_fields *f, uint64_t count, size_t size)
{
	return count <= (uint64_t)(f->end - f->next) / size;
}

static bool take_cell(struct sotto_worker_fields *f, struct sotto_engine_cell *out)
{
	uint8_t kind, truth;

	if (!take_byte(f, &kind))
		return false;
	*out = (struct sotto_engine_cell){.kind = (enum sotto_engine_kind)kind};
	switch (kind) {
	case SOTTO_ENGINE_NULL:
		return true;
	case SOTTO_ENGINE_BOOL:
		if (!take_byte(f, &truth) || truth > 1)
			return false;
		out->integer = truth;
		return true;
	case SOTTO_ENGINE_INTEGER:
		return sotto_worker_take(f, &out->integer, sizeof out->integer);
	case SOTTO_ENGINE_NUMBER:
		return sotto_worker_take(f, &out->number, sizeof out->number);
	case SOTTO_ENGINE_TEXT:
		return sotto_worker_take_text(f, &out->text);
	default:
		return false;
	}
}

/* Exact integers stay within +-2^62, as the engine's own were held there. */
static bool are_held(const int64_t *x, size_t n)
{
	const int64_t end = (int64_t)1 << 62;

	for (size_t i = 0; i < n; i++)
		if (x[i] > end || x[i] < -end)
			return false;
	return true;
}

static bool take_exacts(struct sotto_worker_fields *f, int64_t *out, size_t n)
{
	return sotto_worker_take(f, out, n * sizeof *out) && are_held(out, n);
}

static bool take_keys(struct sotto_worker_fields *f, struct sotto_engine_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!take_cell(f, &l->keys[i]))
			return false;
	return true;
}

/* Values come in their order, as mechanisms want them. */
static bool are_sorted(const struct sotto_engine_list *l)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->values[i - 1].secret > l->values[i].secret)
			return false;
	return true;
}

static enum sotto_status take_list(struct sotto_worker_fields *f, struct sotto_engine_list *out)
{
	uint8_t has_keys;
	uint64_t n;

	if (!take_byte(f, &has_keys) || has_keys > 1 || !sotto_worker_take_u64(f, &n) ||
	    !can_hold(f, n, has_keys ? 9 : 16))
		return SOTTO_ECORRUPT;
	out->n = (size_t)n;
	out->counts = calloc(out->n + 1, sizeof *out->counts);
	if (has_keys)
		out->keys = calloc(out->n + 1, sizeof *out->keys);
	else
		out->values = calloc(out->n + 1, sizeof *out->values);
	if (!out->counts || (!out->keys && !out->values))
		return SOTTO_ENOMEM;
	if (!take_exacts(f, &out->counts->secret, out->n))
		return SOTTO_ECORRUPT;
	if (has_keys)
		return take_keys(f, out) ? SOTTO_OK : SOTTO_ECORRUPT;
	return take_exacts(f, &out->values->secret, out->n) && are_sorted(out) ? SOTTO_OK
									       : SOTTO_ECORRUPT;
}

static enum sotto_status
take_values(struct sotto_worker_fields *f, struct sotto_result_column *c, size_t rows)
{
	if (c->kind == SOTTO_ENGINE_EXACTS)
		return take_exacts(f, c->exact, rows) ? SOTTO_OK : SOTTO_ECORRUPT;
	if (c->kind == SOTTO_ENGINE_WIDES)
		return sotto_worker_take(f, c->wide, rows * sizeof *c->wide) ? SOTTO_OK
									     : SOTTO_ECORRUPT;
	for (size_t i = 0; i < rows; i++) {
		if (c->kind == SOTTO_ENGINE_LISTS)
			SOTTO_TRY(take_list(f, &c->lists[i]));
		else if (!take_cell(f, &c->cells[i]))
			return SOTTO_ECORRUPT;
	}
	return SOTTO_OK;
}

static enum sotto_status
take_column(struct sotto_worker_fields *f, struct sotto_engine_result *r, size_t column)
{
	const char *name;
	uint8_t kind;

	if (!take_byte(f, &kind) || kind > SOTTO_ENGINE_WIDES ||
	    !sotto_worker_take_text(f, &name))
		return SOTTO_ECORRUPT;
	return sotto_result_set_column(r, column, name, (enum sotto_engine_column)kind);
}

static enum sotto_status take_all(struct sotto_worker_fields *f, struct sotto_engine_result *r,
				  size_t rows, uint64_t most)
{
	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(take_column(f, r, i));
	if (r->column_count > 0 &&
	    (!can_hold(f, rows, r->column_count) || rows > most / r->column_count))
		return SOTTO_ECORRUPT;
	SOTTO_TRY(sotto_result_grow(r, rows));
	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(take_values(f, &r->columns[i], rows));
	r->rows = rows;
	return f->next == f->end ? SOTTO_OK : SOTTO_ECORRUPT;
}

enum sotto_status sotto_worker_take_result(struct sotto_worker_fields *f, void *message,
					   size_t size, uint64_t most,
					   struct sotto_engine_result **out)
{
	struct sotto_engine_result *r;
	uint64_t rows, columns;
	enum sotto_status st;

	/* A column has a kind and a name, a value at least a byte. */
	if (!sotto_worker_take_u64(f, &rows) || !sotto_worker_take_u64(f, &columns) ||
	    !can_hold(f, columns, 10) || !can_hold(f, rows, 1) || (columns == 0 && rows > 0))
		return SOTTO_ECORRUPT;
	r = sotto_engine_result_new((size_t)columns);
	st = r ? take_all(f, r, (size_t)rows, most) : SOTTO_ENOMEM;
	if (st != SOTTO_OK) {
		sotto_engine_result_free(r);
		return st;
	}
	r->received = message;
	r->received_size = size;
	*out = r;
	return SOTTO_OK;
}
