/*
 * sotto/arrow.h - tables in memory: data frames, Arrow tables
 *
 * A data frame is written to a Parquet file, which a policy names as a source and which is
 * sealed like any other (sotto/seal.h).  It is read through the C stream interface of Apache
 * Arrow, which pandas, polars, pyarrow and DuckDB provide.
 */
#ifndef SOTTO_ARROW_H
#define SOTTO_ARROW_H

#include <stdint.h>

#include "sotto/status.h"

/* The three structs of Arrow, copied from its specification as every producer does. */
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
 * read.  The stream is read to its end; the caller still owns it and releases it.
 *
 * Fails:    SOTTO_EINVAL for a stream that was released; SOTTO_ESTATE if the file already
 *           exists; SOTTO_EREFUSED if a column has a type that cannot be stored, or the
 *           producer fails; SOTTO_EMISSING without libduckdb; SOTTO_EIO.  No file is
 *           left then, and err contains no value of the table.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_arrow_store(struct ArrowArrayStream *stream, const char *path, struct sotto_error *err);

#endif
