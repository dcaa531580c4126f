/*
 * batch.h - one batch of columns as Arrow describes it, on its way in or out
 *
 * Descriptions are on the heap and free themselves, as Arrow wants; the memory of the values
 * is borrowed or handed over, column by column.  No Python object is in them: whoever has
 * them may release them in any thread, with or without the interpreter's lock.
 */
#ifndef SOTTO_PYTHON_BATCH_H
#define SOTTO_PYTHON_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/owner.h"

enum { BATCH_BUFFERS = 3 }; /* of a column at most */

/* Both texts are copied, or constants. */
struct batch_field {
	const char *name, *format;
};

struct batch_values {
	const void *buffers[BATCH_BUFFERS]; /* the first one: Arrow's bitmap, or NULL */
	int buffer_count;
	int64_t nulls, offset; /* of the first value, counted in values */
	bool handed_over; /* they were malloc'd and are freed with the column */
};

/* Columns of a table.  Fails with ENOMEM; *out is then released. */
int batch_schema(const struct batch_field *fields, size_t n, struct ArrowSchema *out);

/* Their values.  Fails with ENOMEM; *out is released, and what was to be handed over is not. */
int batch_array(const struct batch_values *columns, size_t n, int64_t rows,
		struct ArrowArray *out);

#endif
