/*
 * Data frames into files: sotto/arrow.h.
 *
 * A frame that speaks Arrow hands out a stream in a capsule.  One that does not is described
 * by its columns, whose buffers lie in numpy arrays that Python holds on to; here
 * they become a stream of one batch, without a copy.
 */
#include "native.h"

#include <errno.h>
#include <stdlib.h>

enum { BUFFERS = 3 };

/* One column: Arrow's format, and where its buffers lie. */
struct column {
	const char *name, *format;
	const void *buffers[BUFFERS];
	int buffer_count;
	long long nulls;
};

struct frame {
	struct column *columns;
	size_t count;
	long long rows;
	bool given; /* the one batch was handed out */
};

/* ---- what is handed out is borrowed: releasing frees the descriptions alone -------------------- */

static void release_schema(struct ArrowSchema *s)
{
	for (int64_t i = 0; i < s->n_children; i++) {
		if (s->children[i]->release)
			s->children[i]->release(s->children[i]);
		free(s->children[i]);
	}
	free(s->children);
	s->release = NULL;
}

static void release_array(struct ArrowArray *a)
{
	for (int64_t i = 0; i < a->n_children; i++) {
		if (a->children[i]->release)
			a->children[i]->release(a->children[i]);
		free(a->children[i]);
	}
	free(a->children);
	free(a->buffers);
	a->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	const struct frame *f = stream->private_data;

	*out = (struct ArrowSchema){.format = "+s", .name = "", .release = release_schema};
	out->children = calloc(f->count + 1, sizeof(struct ArrowSchema *));
	for (size_t i = 0; out->children && i < f->count; i++) {
		struct ArrowSchema *child = calloc(1, sizeof *child);

		if (!child)
			break;
		*child = (struct ArrowSchema){.format = f->columns[i].format,
					      .name = f->columns[i].name,
					      .flags = ARROW_FLAG_NULLABLE,
					      .release = release_schema};
		out->children[out->n_children++] = child;
	}
	if (out->n_children == (int64_t)f->count)
		return 0;
	release_schema(out);
	return ENOMEM;
}

static struct ArrowArray *column_array(const struct column *c, int64_t rows)
{
	struct ArrowArray *out = calloc(1, sizeof *out);
	const void **buffers = calloc(BUFFERS, sizeof *buffers);

	if (!out || !buffers) {
		free(out);
		free(buffers);
		return NULL;
	}
	for (int i = 0; i < c->buffer_count; i++)
		buffers[i] = c->buffers[i];
	*out = (struct ArrowArray){.length = rows,
				   .null_count = c->nulls,
				   .n_buffers = c->buffer_count,
				   .buffers = buffers,
				   .release = release_array};
	return out;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct frame *f = stream->private_data;

	*out = (struct ArrowArray){0}; /* released: the end */
	if (f->given)
		return 0;
	*out = (struct ArrowArray){.length = f->rows, .n_buffers = 1, .release = release_array};
	out->buffers = calloc(1, sizeof *out->buffers);
	out->children = calloc(f->count + 1, sizeof(struct ArrowArray *));
	for (size_t i = 0; out->buffers && out->children && i < f->count; i++) {
		struct ArrowArray *child = column_array(&f->columns[i], f->rows);

		if (!child)
			break;
		out->children[out->n_children++] = child;
	}
	if (out->n_children < (int64_t)f->count || !out->buffers) {
		release_array(out);
		return ENOMEM;
	}
	f->given = true;
	return 0;
}

static const char *last_error(struct ArrowArrayStream *stream)
{
	(void)stream;
	return "out of memory";
}

static void release_stream(struct ArrowArrayStream *stream)
{
	stream->release = NULL;
}

/* ---- for Python ------------------------------------------------------------------------------ */

static bool read_column(PyObject *item, struct column *c)
{
	unsigned long long bits, first, second;

	if (!PyArg_ParseTuple(item, "ssiLKKK", &c->name, &c->format, &c->buffer_count,
			      &c->nulls, &bits, &first, &second))
		return false;
	c->buffers[0] = (const void *)(uintptr_t)bits;
	c->buffers[1] = (const void *)(uintptr_t)first;
	c->buffers[2] = (const void *)(uintptr_t)second;
	if (c->buffer_count >= 2 && c->buffer_count <= BUFFERS)
		return true;
	PyErr_SetString(PyExc_ValueError, "a column has two or three buffers");
	return false;
}

/* (columns, rows, path); a column is (name, format, buffers, nulls, address, address, address) */
static PyObject *frame_store(PyObject *self, PyObject *args)
{
	struct frame f = {0};
	struct ArrowArrayStream stream = {.get_schema = get_schema,
					  .get_next = get_next,
					  .get_last_error = last_error,
					  .release = release_stream,
					  .private_data = &f};
	struct sotto_error err = {""};
	enum sotto_status st = SOTTO_OK;
	PyObject *columns, *out = NULL;
	const char *path;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!Ls", &PyTuple_Type, &columns, &f.rows, &path))
		return NULL;
	f.count = (size_t)PyTuple_Size(columns);
	f.columns = calloc(f.count + 1, sizeof *f.columns);
	if (!f.columns)
		return PyErr_NoMemory();
	for (size_t i = 0; !PyErr_Occurred() && i < f.count; i++)
		(void)read_column(PyTuple_GetItem(columns, (Py_ssize_t)i), &f.columns[i]);
	if (!PyErr_Occurred()) {
		NATIVE_UNLOCKED(st, sotto_arrow_store(&stream, path, &err));
		out = native_done(st, &err);
	}
	free(f.columns);
	return out;
}

/* (capsule of a stream, path) */
static PyObject *frame_store_stream(PyObject *self, PyObject *args)
{
	struct ArrowArrayStream *stream;
	struct sotto_error err = {""};
	enum sotto_status st;
	PyObject *capsule;
	const char *path;

	(void)self;
	if (!PyArg_ParseTuple(args, "Os", &capsule, &path))
		return NULL;
	stream = native_get(capsule, "arrow_array_stream");
	if (!stream)
		return NULL;
	NATIVE_UNLOCKED(st, sotto_arrow_store(stream, path, &err));
	return native_done(st, &err);
}

PyMethodDef native_frame_functions[] = {
	{"frame_store", frame_store, METH_VARARGS, NULL},
	{"frame_store_stream", frame_store_stream, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
