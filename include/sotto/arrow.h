/*
 * sotto/arrow.h - tables that are in memory: data frames, Arrow tables
 *
 * A data frame becomes a Parquet file that a policy names as a source and that is sealed
 * as any other (sotto/seal.h).  It comes through the C stream interface of Apache Arrow,
 * which pandas, polars, pyarrow and DuckDB speak.
 */
#ifndef SOTTO_ARROW_H
#define SOTTO_ARROW_H

#include <stdint.h>

#include "sotto/status.h"

/* The three structs of Arrow, as its specification has them and every producer repeats. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};
#endif

/*
 * Writes every batch of a stream of structs into a new Parquet file that only its owner can
 * read.  The stream is read to its end; it stays the caller's, who releases it.
 *
 * Fails:    SOTTO_EINVAL for a stream that was released; SOTTO_ESTATE if there is such a
 *           file; SOTTO_EREFUSED if a column has a type that cannot be kept, or the
 *           producer fails; SOTTO_EMISSING without libduckdb; SOTTO_EIO.  There is then no
 *           file, and err holds no value of the table.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_arrow_store(struct ArrowArrayStream *stream, const char *path, struct sotto_error *err);

#endif
