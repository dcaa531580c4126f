/*
 * table_function.h - functions of the engine that read tables from elsewhere
 *
 * adbc('…') and postgres('…') stand in SQL where a table would.  What they have in common
 * is here: the name of the table becomes its columns, a scan reads those that a query uses,
 * and a chunk of rows is filled column by column.  Their error messages to the engine
 * contain nothing that the other side said.
 */
#ifndef SOTTO_TABLE_FUNCTION_H
#define SOTTO_TABLE_FUNCTION_H

#include "central/engine/duckdb_library.h"
#include "core/base/arena.h"
#include "sotto/status.h"

/* How much may be kept of one table or scan; a chunk ends when its texts have so many bytes. */
enum { SOTTO_TABLE_MEMORY = 16 << 20, SOTTO_CHUNK_BYTES = 8 << 20 };

/* A function as it is registered. */
struct sotto_table_function {
	const char *name;
	size_t table_size;

	/*
	 * Looks a table up by its name in SQL; what is kept of it is in the arena.
	 *
	 * Fails:    SOTTO_EMISSING if there is none, or it has no column that can be read;
	 *           SOTTO_ESTATE if others have it locked; SOTTO_EIO; SOTTO_ENOMEM.
	 */
	enum sotto_status (*describe)(void *source, const char *name, struct sotto_arena *arena,
				      void *table);

	/* Tells the engine the columns of a table that was looked up. */
	void (*add_columns)(const struct sotto_duckdb *api, duckdb_bind_info info,
			    const void *table);

	duckdb_table_function_init_t begin; /* a scan */
	duckdb_table_function_init_t begin_thread; /* of a scan; NULL: one thread reads */
	duckdb_table_function_t read; /* the next chunk */
};

/* A function with the source that it reads from: what callbacks are registered with. */
struct sotto_table_source {
	const struct sotto_duckdb *api;
	const struct sotto_table_function *function;
	void *source;
};

/* A table that a query names: the bind data of a scan. */
struct sotto_table_bound {
	const struct sotto_table_source *from;
	struct sotto_arena arena;
	void *table;
};

/* A column of the chunk that is being filled. */
struct sotto_table_target {
	size_t place; /* which vector of the engine's */
	size_t column; /* of the table */
	duckdb_vector vector;
	void *data;
	uint64_t *validity; /* NULL until a NULL is met */
};

/* The source must outlive the connection. */
SOTTO_MUST_CHECK enum sotto_status
sotto_table_function_register(const struct sotto_duckdb *api, duckdb_connection connection,
			      const struct sotto_table_function *function, void *source);

/*
 * The columns that a scan is asked for, of a table with so many.  The engine asks for a
 * column past the last when rows are only counted; that one is left out.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_table_targets(const struct sotto_duckdb *api, duckdb_init_info info, size_t column_count,
		    struct sotto_arena *arena, struct sotto_table_target **targets,
		    size_t *target_count);

/* Before a chunk is filled. */
void sotto_table_targets_aim(const struct sotto_duckdb *api, duckdb_data_chunk chunk,
			     struct sotto_table_target *targets, size_t target_count);

void sotto_table_target_null(const struct sotto_duckdb *api, struct sotto_table_target *target,
			     size_t row);

#endif
