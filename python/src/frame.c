/*
 * Data frames into files: sotto/owner.h.
 *
 * A frame that speaks Arrow hands out a stream in a capsule.  One that does not is described
 * by its columns, whose buffers lie in numpy arrays that Python holds on to; here
 * they become a stream of one batch, without a copy.
 */
#include "native.h"

#include <stdlib.h>

#include "batch.h"

static const char stream_name[] = "arrow_array_stream";

struct frame {
	struct batch_field *fields;
	struct batch_values *values; /* borrowed from Python */
	size_t count;
	long long rows;
	bool given; /* the one batch was handed out */
};

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	const struct frame *f = stream->private_data;

	return batch_schema(f->fields, f->count, out);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct frame *f = stream->private_data;

	*out = (struct ArrowArray){0}; /* released: the end */
	if (f->given)
		return 0;
	f->given = true;
	return batch_array(f->values, f->count, f->rows, out);
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

static bool read_column(PyObject *item, struct batch_field *field, struct batch_values *v)
{
	unsigned long long bits, first, second;
	long long nulls, offset;

	if (!PyArg_ParseTuple(item, "ssiLLKKK", &field->name, &field->format, &v->buffer_count,
			      &nulls, &offset, &bits, &first, &second))
		return false;
	v->nulls = nulls;
	v->offset = offset;
	v->buffers[0] = (const void *)(uintptr_t)bits;
	v->buffers[1] = (const void *)(uintptr_t)first;
	v->buffers[2] = (const void *)(uintptr_t)second;
	if (v->buffer_count >= 2 && v->buffer_count <= BATCH_BUFFERS)
		return true;
	PyErr_SetString(PyExc_ValueError, "a column has two or three buffers");
	return false;
}

static void frame_read(struct frame *f, PyObject *columns)
{
	f->count = (size_t)PyTuple_Size(columns);
	f->fields = calloc(f->count + 1, sizeof *f->fields);
	f->values = calloc(f->count + 1, sizeof *f->values);
	if (!f->fields || !f->values)
		PyErr_NoMemory();
	for (size_t i = 0; !PyErr_Occurred() && i < f->count; i++)
		(void)read_column(PyTuple_GetItem(columns, (Py_ssize_t)i), &f->fields[i],
				  &f->values[i]);
}

/* (columns, rows, path); a column is (name, format, buffers, nulls, offset, three addresses) */
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
	frame_read(&f, columns);
	if (!PyErr_Occurred()) {
		NATIVE_UNLOCKED(st, sotto_arrow_store(&stream, path, &err));
		out = native_done(st, &err);
	}
	free(f.fields);
	free(f.values);
	return out;
}

static PyObject *child_name(const void *from, size_t i)
{
	const struct ArrowSchema *s = from;

	return native_text(s->children[i]->name ? s->children[i]->name : "");
}

/* (capsule of a stream): the names of its columns */
static PyObject *frame_columns(PyObject *self, PyObject *args)
{
	struct ArrowArrayStream *stream;
	struct ArrowSchema schema = {0};
	PyObject *capsule, *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	stream = native_get(capsule, stream_name);
	if (!stream)
		return NULL;
	if (!stream->release || stream->get_schema(stream, &schema) != 0 || !schema.release)
		return native_raise(
			SOTTO_EREFUSED,
			&(struct sotto_error){"the table does not say which columns it has"});
	out = native_list(child_name, &schema, (size_t)schema.n_children);
	schema.release(&schema);
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
	stream = native_get(capsule, stream_name);
	if (!stream)
		return NULL;
	NATIVE_UNLOCKED(st, sotto_arrow_store(stream, path, &err));
	return native_done(st, &err);
}

PyMethodDef native_frame_functions[] = {
	{"frame_store", frame_store, METH_VARARGS, NULL},
	{"frame_columns", frame_columns, METH_VARARGS, NULL},
	{"frame_store_stream", frame_store_stream, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
