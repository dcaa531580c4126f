/* Describes columns to Arrow. */
#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- schema: private_data holds the copy of the name ------------------------------------------- */

static void release_schema(struct ArrowSchema *s)
{
	for (int64_t i = 0; i < s->n_children; i++) {
		if (s->children[i]->release)
			s->children[i]->release(s->children[i]);
		free(s->children[i]);
	}
	free(s->children);
	free(s->private_data);
	s->release = NULL;
}

static struct ArrowSchema *field_schema(const struct batch_field *f)
{
	struct ArrowSchema *out = calloc(1, sizeof *out);
	char *name = strdup(f->name);

	if (!out || !name) {
		free(out);
		free(name);
		return NULL;
	}
	*out = (struct ArrowSchema){.format = f->format,
				    .name = name,
				    .flags = ARROW_FLAG_NULLABLE,
				    .release = release_schema,
				    .private_data = name};
	return out;
}

int batch_schema(const struct batch_field *fields, size_t n, struct ArrowSchema *out)
{
	*out = (struct ArrowSchema){.format = "+s", .name = "", .release = release_schema};
	out->children = calloc(n + 1, sizeof(struct ArrowSchema *));
	for (size_t i = 0; out->children && i < n; i++) {
		struct ArrowSchema *child = field_schema(&fields[i]);

		if (!child)
			break;
		out->children[out->n_children++] = child;
	}
	if (out->children && out->n_children == (int64_t)n)
		return 0;
	release_schema(out);
	return ENOMEM;
}

/* ---- values: private_data is where buffers are that were handed over --------------------------- */

static void release_array(struct ArrowArray *a)
{
	void **owned = a->private_data;

	for (int64_t i = 0; i < a->n_children; i++) {
		if (a->children[i]->release)
			a->children[i]->release(a->children[i]);
		free(a->children[i]);
	}
	for (int i = 0; owned && i < BATCH_BUFFERS; i++)
		free(owned[i]);
	free(owned);
	free(a->children);
	free(a->buffers);
	a->release = NULL;
}

/* Without a release, which comes when nothing can fail any more. */
static struct ArrowArray *column_array(const struct batch_values *c, int64_t rows)
{
	struct ArrowArray *out = calloc(1, sizeof *out);
	const void **buffers = calloc(BATCH_BUFFERS, sizeof *buffers);
	void **owned = c->handed_over ? calloc(BATCH_BUFFERS, sizeof *owned) : NULL;

	if (!out || !buffers || (c->handed_over && !owned)) {
		free(out);
		free(buffers);
		free(owned);
		return NULL;
	}
	memcpy(buffers, c->buffers, sizeof c->buffers);
	*out = (struct ArrowArray){.length = rows,
				   .null_count = c->nulls,
				   .offset = c->offset,
				   .n_buffers = c->buffer_count,
				   .buffers = buffers,
				   .release = release_array,
				   .private_data = owned};
	return out;
}

int batch_array(const struct batch_values *columns, size_t n, int64_t rows,
		struct ArrowArray *out)
{
	*out = (struct ArrowArray){.length = rows, .n_buffers = 1, .release = release_array};
	out->buffers = calloc(1, sizeof *out->buffers);
	out->children = calloc(n + 1, sizeof(struct ArrowArray *));
	for (size_t i = 0; out->buffers && out->children && i < n; i++) {
		struct ArrowArray *child = column_array(&columns[i], rows);

		if (!child)
			break;
		out->children[out->n_children++] = child;
	}
	if (!out->buffers || !out->children || out->n_children < (int64_t)n) {
		release_array(out);
		return ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		if (columns[i].handed_over)
			memcpy(out->children[i]->private_data, columns[i].buffers,
			       sizeof columns[i].buffers);
	return 0;
}
