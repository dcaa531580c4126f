#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/failure.h"
#include "base/wide.h"
#include "base/wipe.h"
#include "engine/library.h"

enum { DETAIL_MAX = 2000 };

struct sotto_engine {
	struct sotto_duckdb api;
	duckdb_database database;
	duckdb_connection connection;
	char detail[DETAIL_MAX];
};

struct column {
	char *name;
	duckdb_type type;
	struct sotto_engine_cell *cells; /* or, for an integer aggregate, exact */
	int64_t *exact;
};

struct sotto_engine_result {
	struct column *columns;
	size_t column_count;
	size_t rows, capacity;
	char **pool; /* texts of the cells */
	size_t pool_count, pool_capacity;
};

/* ---- starting and stopping ------------------------------------------------- */

/*
 * Nothing is fetched from the network, nothing is spilled to a disk (exact
 * values would lie in the spilled files).
 */
static const char *const settings[][2] = {
	{"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
	{"allow_community_extensions", "false"},   {"temp_directory", ""},
	{"preserve_insertion_order", "false"},     {"access_mode", "AUTOMATIC"},
};

static enum sotto_status
configure(struct sotto_engine *e, unsigned threads, duckdb_config config)
{
	char number[16];

	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		if (e->api.duckdb_set_config(config, settings[i][0], settings[i][1]) ==
		    DuckDBError)
			return SOTTO_EIO;
	if (threads == 0)
		return SOTTO_OK;
	(void)snprintf(number, sizeof number, "%u", threads);
	return e->api.duckdb_set_config(config, "threads", number) == DuckDBError ? SOTTO_EIO
										  : SOTTO_OK;
}

static enum sotto_status start(struct sotto_engine *e, unsigned threads)
{
	duckdb_config config;
	char *message = NULL;
	enum sotto_status st;

	if (e->api.duckdb_create_config(&config) == DuckDBError)
		return SOTTO_ENOMEM;
	st = configure(e, threads, config);
	if (st == SOTTO_OK &&
	    e->api.duckdb_open_ext(NULL, &e->database, config, &message) == DuckDBError)
		st = SOTTO_EIO;
	e->api.duckdb_destroy_config(&config);
	if (message)
		e->api.duckdb_free(message);
	if (st == SOTTO_OK && e->api.duckdb_connect(e->database, &e->connection) == DuckDBError)
		st = SOTTO_EIO;
	return st;
}

enum sotto_status
sotto_engine_open(unsigned threads, struct sotto_engine **out, struct sotto_error *err)
{
	struct sotto_engine *e = calloc(1, sizeof *e);
	enum sotto_status st;

	if (!e)
		return SOTTO_ENOMEM;
	st = sotto_duckdb_load(&e->api, err);
	if (st == SOTTO_OK && (st = start(e, threads)) != SOTTO_OK)
		st = sotto_fail(err, st, "the engine could not be started");
	if (st != SOTTO_OK) {
		sotto_engine_close(e);
		return st;
	}
	*out = e;
	return SOTTO_OK;
}

/* The library stays loaded: its threads may still be on their way out. */
void sotto_engine_close(struct sotto_engine *e)
{
	if (!e)
		return;
	if (e->connection)
		e->api.duckdb_disconnect(&e->connection);
	if (e->database)
		e->api.duckdb_close(&e->database);
	sotto_wipe(e, sizeof *e);
	free(e);
}

const char *sotto_engine_detail(const struct sotto_engine *e)
{
	return e->detail;
}

static enum sotto_status submit(struct sotto_engine *e, const char *sql, duckdb_result *result)
{
	const char *words;

	if (e->api.duckdb_query(e->connection, sql, result) != DuckDBError)
		return SOTTO_OK;
	words = e->api.duckdb_result_error(result);
	(void)snprintf(e->detail, sizeof e->detail, "%s", words ? words : "unknown error");
	e->api.duckdb_destroy_result(result);
	return SOTTO_EIO;
}

enum sotto_status sotto_engine_execute(struct sotto_engine *e, const char *sql)
{
	duckdb_result result;

	SOTTO_TRY(submit(e, sql, &result));
	e->api.duckdb_destroy_result(&result);
	return SOTTO_OK;
}

static enum sotto_status
append_list(struct sotto_buffer *b, const char *setting, const char *const *items, size_t count)
{
	SOTTO_TRY(sotto_buffer_appendf(b, "SET %s = [", setting));
	for (size_t i = 0; i < count; i++) {
		SOTTO_TRY(sotto_buffer_append_text(b, i ? ", '" : "'"));
		for (const char *s = items[i]; *s; s++)
			SOTTO_TRY(sotto_buffer_append(b, *s == '\'' ? "''" : s,
						      *s == '\'' ? 2 : 1));
		SOTTO_TRY(sotto_buffer_append_text(b, "'"));
	}
	return sotto_buffer_append_text(b, "]; ");
}

enum sotto_status sotto_engine_lock(struct sotto_engine *e, const char *const *paths,
				    size_t path_count, const char *const *folders,
				    size_t folder_count)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 1 << 20);
	st = append_list(&b, "allowed_paths", paths, path_count);
	if (st == SOTTO_OK)
		st = append_list(&b, "allowed_directories", folders, folder_count);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&b, "SET enable_external_access = false; "
						  "SET lock_configuration = true");
	if (st == SOTTO_OK)
		st = sotto_engine_execute(e, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return st;
}

/* ---- results --------------------------------------------------------------- */

static enum sotto_status
add_column(struct sotto_engine *e, duckdb_result *from, size_t i, struct column *c)
{
	c->type = e->api.duckdb_column_type(from, i);
	c->name = strdup(e->api.duckdb_column_name(from, i));
	return c->name ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status grow(struct sotto_engine_result *r, size_t rows)
{
	size_t capacity = r->capacity ? r->capacity : 256;

	if (rows <= r->capacity)
		return SOTTO_OK;
	while (capacity < rows)
		capacity *= 2;
	for (size_t i = 0; i < r->column_count; i++) {
		struct column *c = &r->columns[i];
		bool exact = c->type == DUCKDB_TYPE_HUGEINT;
		size_t size = exact ? sizeof *c->exact : sizeof *c->cells;
		void *old = exact ? (void *)c->exact : (void *)c->cells;
		void *grown = calloc(capacity, size);

		if (!grown)
			return SOTTO_ENOMEM;
		if (old) {
			memcpy(grown, old, r->rows * size);
			sotto_wipe(old, r->rows * size);
			free(old);
		}
		if (exact)
			c->exact = grown;
		else
			c->cells = grown;
	}
	r->capacity = capacity;
	return SOTTO_OK;
}

static char *keep_text(struct sotto_engine_result *r, const char *bytes, size_t n)
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
	text = malloc(n + 1);
	if (!text)
		return NULL;
	memcpy(text, bytes, n);
	text[n] = '\0';
	r->pool[r->pool_count++] = text;
	return text;
}

static int64_t hold(duckdb_hugeint h)
{
	const int64_t end = (int64_t)1 << 62;
	sotto_i128 value = h.upper * ((sotto_i128)1 << 64) + h.lower;

	return value > end ? end : value < -end ? -end : (int64_t)value;
}

/* Values of the types that plans produce; anything else is an error of the plan. */
static enum sotto_status read_cell(struct sotto_engine_result *r, duckdb_type type,
				   const void *data, size_t i, struct sotto_engine_cell *out)
{
	const duckdb_string_t *text;
	uint32_t n;

	switch (type) {
	case DUCKDB_TYPE_BOOLEAN:
		*out = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_BOOL,
						  .integer = ((const bool *)data)[i]};
		return SOTTO_OK;
	case DUCKDB_TYPE_BIGINT:
		*out = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_INTEGER,
						  .integer = ((const int64_t *)data)[i]};
		return SOTTO_OK;
	case DUCKDB_TYPE_DOUBLE:
		*out = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_NUMBER,
						  .number = ((const double *)data)[i]};
		return SOTTO_OK;
	case DUCKDB_TYPE_VARCHAR:
		text = (const duckdb_string_t *)data + i;
		n = text->value.inlined.length;
		*out = (struct sotto_engine_cell){
			.kind = SOTTO_ENGINE_TEXT,
			.text = keep_text(r,
					  n <= 12 ? text->value.inlined.inlined
						  : text->value.pointer.ptr,
					  n)};
		return out->text ? SOTTO_OK : SOTTO_ENOMEM;
	default:
		return SOTTO_ESTATE;
	}
}

static enum sotto_status read_vector(struct sotto_engine *e, struct sotto_engine_result *r,
				     struct column *c, duckdb_vector vector, size_t n)
{
	const uint64_t *valid = e->api.duckdb_vector_get_validity(vector);
	const void *data = e->api.duckdb_vector_get_data(vector);

	for (size_t i = 0; i < n; i++) {
		bool null = valid && !(valid[i / 64] >> (i % 64) & 1);
		size_t row = r->rows + i;

		if (null)
			continue;
		if (c->exact)
			c->exact[row] = hold(((const duckdb_hugeint *)data)[i]);
		else
			SOTTO_TRY(read_cell(r, c->type, data, i, &c->cells[row]));
	}
	return SOTTO_OK;
}

static enum sotto_status
read_chunk(struct sotto_engine *e, struct sotto_engine_result *r, duckdb_data_chunk chunk)
{
	size_t n = e->api.duckdb_data_chunk_get_size(chunk);

	SOTTO_TRY(grow(r, r->rows + n));
	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(read_vector(e, r, &r->columns[i],
				      e->api.duckdb_data_chunk_get_vector(chunk, i), n));
	r->rows += n;
	return SOTTO_OK;
}

static enum sotto_status
read_result(struct sotto_engine *e, duckdb_result *from, struct sotto_engine_result *r)
{
	duckdb_data_chunk chunk;

	r->column_count = e->api.duckdb_column_count(from);
	r->columns = calloc(r->column_count, sizeof *r->columns);
	if (!r->columns)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(add_column(e, from, i, &r->columns[i]));
	while ((chunk = e->api.duckdb_fetch_chunk(*from)) != NULL) {
		enum sotto_status st = read_chunk(e, r, chunk);

		e->api.duckdb_destroy_data_chunk(&chunk);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_engine_run(struct sotto_engine *e, const char *sql, struct sotto_engine_result **out)
{
	struct sotto_engine_result *r;
	duckdb_result result;
	enum sotto_status st;

	SOTTO_TRY(submit(e, sql, &result));
	r = calloc(1, sizeof *r);
	st = r ? read_result(e, &result, r) : SOTTO_ENOMEM;
	e->api.duckdb_destroy_result(&result);
	if (st != SOTTO_OK) {
		sotto_engine_result_free(r);
		return st;
	}
	*out = r;
	return SOTTO_OK;
}

void sotto_engine_result_free(struct sotto_engine_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; r->columns && i < r->column_count; i++) {
		struct column *c = &r->columns[i];

		if (c->exact)
			sotto_wipe(c->exact, r->capacity * sizeof *c->exact);
		if (c->cells)
			sotto_wipe(c->cells, r->capacity * sizeof *c->cells);
		free(c->exact);
		free(c->cells);
		free(c->name);
	}
	for (size_t i = 0; i < r->pool_count; i++) {
		sotto_wipe(r->pool[i], strlen(r->pool[i]));
		free(r->pool[i]);
	}
	free(r->pool);
	free(r->columns);
	free(r);
}

enum sotto_status sotto_engine_columns(struct sotto_engine *e, const char *relation,
				       sotto_engine_column_fn each, void *context)
{
	struct sotto_engine_result *r;
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 1 << 20);
	st = sotto_buffer_appendf(&b,
				  "SELECT column_name, column_type FROM (DESCRIBE SELECT * "
				  "FROM %s)",
				  relation);
	if (st == SOTTO_OK)
		st = sotto_engine_run(e, sotto_buffer_text(&b), &r);
	sotto_buffer_release(&b);
	SOTTO_TRY(st);
	for (size_t i = 0; st == SOTTO_OK && i < r->rows; i++)
		st = each(context, r->columns[0].cells[i].text, r->columns[1].cells[i].text);
	sotto_engine_result_free(r);
	return st;
}

size_t sotto_engine_rows(const struct sotto_engine_result *r)
{
	return r->rows;
}

size_t sotto_engine_column_count(const struct sotto_engine_result *r)
{
	return r->column_count;
}

const char *sotto_engine_column_name(const struct sotto_engine_result *r, size_t column)
{
	return r->columns[column].name;
}

struct sotto_engine_cell
sotto_engine_cell(const struct sotto_engine_result *r, size_t row, size_t column)
{
	return r->columns[column].cells[row];
}

struct sotto_exact
sotto_engine_exact(const struct sotto_engine_result *r, size_t row, size_t column)
{
	return sotto_exact_of(r->columns[column].exact[row]);
}
