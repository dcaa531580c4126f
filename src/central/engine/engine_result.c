/*
 * Results as integers, lists and keys.  Values are wiped when they are freed, and when an
 * array grows.
 */
#include "central/engine/engine_result.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"

struct sotto_engine_result *sotto_engine_result_new(size_t columns)
{
	struct sotto_engine_result *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->columns = calloc(columns + 1, sizeof *r->columns);
	if (!r->columns) {
		free(r);
		return NULL;
	}
	r->column_count = columns;
	return r;
}

enum sotto_status sotto_result_set_column(struct sotto_engine_result *r, size_t column,
					  const char *name, enum sotto_engine_column kind)
{
	struct sotto_result_column *c = &r->columns[column];

	c->kind = kind;
	c->name = strdup(name);
	return c->name ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Where the column's values are kept, and how large one is. */
static void *values_of(const struct sotto_result_column *c, size_t *size)
{
	switch (c->kind) {
	case SOTTO_ENGINE_EXACTS:
		*size = sizeof *c->exact;
		return c->exact;
	case SOTTO_ENGINE_LISTS:
		*size = sizeof *c->lists;
		return c->lists;
	case SOTTO_ENGINE_WIDES:
		*size = sizeof *c->wide;
		return c->wide;
	default:
		*size = sizeof *c->cells;
		return c->cells;
	}
}

static void set_values(struct sotto_result_column *c, void *values)
{
	if (c->kind == SOTTO_ENGINE_EXACTS)
		c->exact = values;
	else if (c->kind == SOTTO_ENGINE_LISTS)
		c->lists = values;
	else if (c->kind == SOTTO_ENGINE_WIDES)
		c->wide = values;
	else
		c->cells = values;
}

static enum sotto_status
grow_column(const struct sotto_engine_result *r, struct sotto_result_column *c, size_t capacity)
{
	size_t size;
	void *old = values_of(c, &size), *grown = calloc(capacity, size);

	if (!grown)
		return SOTTO_ENOMEM;
	if (old) {
		memcpy(grown, old, r->rows * size);
		sotto_wipe(old, r->rows * size);
		free(old);
	}
	set_values(c, grown);
	c->capacity = capacity;
	return SOTTO_OK;
}

enum sotto_status sotto_result_grow(struct sotto_engine_result *r, size_t rows)
{
	for (size_t i = 0; i < r->column_count; i++) {
		struct sotto_result_column *c = &r->columns[i];
		size_t capacity = c->capacity ? c->capacity : 64;

		while (capacity < rows)
			capacity *= 2;
		if (capacity > c->capacity)
			SOTTO_TRY(grow_column(r, c, capacity));
	}
	return SOTTO_OK;
}

enum { ESCAPE = '\1' };

/* A NUL in a text is shown as its symbol: cut off there, different keys would look alike. */
static void copy_shown(char *out, const char *bytes, size_t n)
{
	static const char symbol[] = "\xe2\x90\x80";

	for (size_t i = 0; i < n; i++) {
		if (bytes[i]) {
			*out++ = bytes[i];
		} else {
			memcpy(out, symbol, 3);
			out += 3;
		}
	}
	*out = '\0';
}

/*
 * Texts of a partial result are compared with those of others: no two may become alike.  A
 * NUL is \1 0 there, and a \1 is \1 1.
 */
static void copy_escaped(char *out, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\0' || bytes[i] == ESCAPE) {
			*out++ = ESCAPE;
			*out++ = bytes[i] ? '1' : '0';
		} else {
			*out++ = bytes[i];
		}
	}
	*out = '\0';
}

char *sotto_result_show_text(struct sotto_engine_result *r, const char *escaped)
{
	size_t n = 0, length = strlen(escaped);
	char *plain = malloc(length + 1), *kept;

	if (!plain)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		bool is_escape = escaped[i] == ESCAPE && i + 1 < length;

		plain[n++] = is_escape ? (escaped[i + 1] == '0' ? '\0' : ESCAPE) : escaped[i];
		i += is_escape;
	}
	kept = sotto_result_keep_text(r, plain, n);
	sotto_wipe(plain, length + 1);
	free(plain);
	return kept;
}

static size_t count_special(const char *bytes, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += bytes[i] == '\0' || bytes[i] == ESCAPE;
	return count;
}

char *sotto_result_keep_text(struct sotto_engine_result *r, const char *bytes, size_t n)
{
	char *text;

	if (r->pool_count == r->pool_capacity) {
		size_t capacity = r->pool_capacity ? 2 * r->pool_capacity : 256;
		char **grown = realloc(r->pool, capacity * sizeof *grown);

		if (!grown)
			return NULL;
		r->pool = grown;
		r->pool_capacity = capacity;
	}
	text = malloc(n + 2 * count_special(bytes, n) + 1);
	if (!text)
		return NULL;
	if (r->is_partial)
		copy_escaped(text, bytes, n);
	else
		copy_shown(text, bytes, n);
	r->pool[r->pool_count++] = text;
	return text;
}

static void list_release(struct sotto_engine_list *l)
{
	if (l->values)
		sotto_wipe(l->values, l->n * sizeof *l->values);
	if (l->keys)
		sotto_wipe(l->keys, l->n * sizeof *l->keys);
	if (l->counts)
		sotto_wipe(l->counts, l->n * sizeof *l->counts);
	free(l->values);
	free(l->keys);
	free(l->counts);
}

static void column_release(struct sotto_result_column *c)
{
	size_t size;
	void *values = values_of(c, &size);

	for (size_t i = 0; c->lists && i < c->capacity; i++)
		list_release(&c->lists[i]);
	if (values)
		sotto_wipe(values, c->capacity * size);
	free(values);
	free(c->name);
}

void sotto_engine_result_free(struct sotto_engine_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->column_count; i++)
		column_release(&r->columns[i]);
	for (size_t i = 0; i < r->pool_count; i++) {
		sotto_wipe(r->pool[i], strlen(r->pool[i]));
		free(r->pool[i]);
	}
	free(r->pool);
	if (r->received)
		sotto_wipe(r->received, r->received_size);
	free(r->received);
	free(r->columns);
	free(r);
}

size_t sotto_engine_rows(const struct sotto_engine_result *r)
{
	return r->rows;
}

size_t sotto_engine_column_count(const struct sotto_engine_result *r)
{
	return r->column_count;
}

enum sotto_engine_column
sotto_engine_column_kind(const struct sotto_engine_result *r, size_t column)
{
	return r->columns[column].kind;
}

bool sotto_engine_has_shape(const struct sotto_engine_result *r, size_t cells, size_t exacts,
			    size_t lists)
{
	if (r->column_count < cells + exacts + lists)
		return false;
	for (size_t i = 0; i < cells + exacts + lists; i++)
		if (r->columns[i].kind != (i < cells            ? SOTTO_ENGINE_CELLS
					   : i < cells + exacts ? SOTTO_ENGINE_EXACTS
								: SOTTO_ENGINE_LISTS))
			return false;
	return true;
}

const char *sotto_engine_column_name(const struct sotto_engine_result *r, size_t column)
{
	return r->columns[column].name;
}

struct sotto_engine_cell
sotto_engine_cell(const struct sotto_engine_result *r, size_t row, size_t column)
{
	assert(r->columns[column].kind == SOTTO_ENGINE_CELLS && row < r->rows);
	return r->columns[column].cells[row];
}

struct sotto_exact
sotto_engine_exact(const struct sotto_engine_result *r, size_t row, size_t column)
{
	assert(r->columns[column].kind == SOTTO_ENGINE_EXACTS && row < r->rows);
	return sotto_exact_of(r->columns[column].exact[row]);
}

const struct sotto_engine_list *
sotto_engine_list(const struct sotto_engine_result *r, size_t row, size_t column)
{
	assert(r->columns[column].kind == SOTTO_ENGINE_LISTS && row < r->rows);
	return &r->columns[column].lists[row];
}
