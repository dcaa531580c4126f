/*
 * Answers as a stream of Arrow, which every library of data frames reads: sotto/owner.h.
 *
 * Values are written once, from Python's lists into buffers that then belong to the stream, and
 * whoever reads it gets those buffers without another copy.
 */
#include "native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

static const char capsule_name[] = "arrow_array_stream";

struct table {
	struct batch_field *fields;
	struct batch_values *values;
	size_t count;
	long long rows;
	bool given; /* the one batch was handed out, and its buffers with it */
};

static void table_free(struct table *t)
{
	for (size_t i = 0; t->fields && i < t->count; i++)
		free((void *)(uintptr_t)t->fields[i].name);
	for (size_t i = 0; t->values && !t->given && i < t->count; i++)
		for (int k = 0; k < BATCH_BUFFERS; k++)
			free((void *)(uintptr_t)t->values[i].buffers[k]);
	free(t->fields);
	free(t->values);
	free(t);
}

/* ---- the stream ---------------------------------------------------------------------------------- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	const struct table *t = stream->private_data;

	return batch_schema(t->fields, t->count, out);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct table *t = stream->private_data;

	*out = (struct ArrowArray){0}; /* released: the end */
	if (t->given)
		return 0;
	if (batch_array(t->values, t->count, t->rows, out) != 0)
		return ENOMEM;
	t->given = true;
	return 0;
}

static const char *last_error(struct ArrowArrayStream *stream)
{
	(void)stream;
	return "out of memory";
}

static void release_stream(struct ArrowArrayStream *stream)
{
	table_free(stream->private_data);
	stream->release = NULL;
}

/* Whoever took the stream out has marked it as released. */
static void end(PyObject *capsule)
{
	struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, capsule_name);

	if (!stream)
		return;
	if (stream->release)
		stream->release(stream);
	free(stream);
}

/* ---- columns of lists: None is missing ------------------------------------------------------------- */

static void set_bit(void *bits, size_t i)
{
	((unsigned char *)bits)[i / 8] |= (unsigned char)(1U << (i % 8));
}

/* One value into its place; false with an exception. */
typedef bool (*put_fn)(void *data, size_t i, PyObject *item);

static bool put_integer(void *data, size_t i, PyObject *item)
{
	((int64_t *)data)[i] = PyLong_AsLongLong(item);
	return !PyErr_Occurred();
}

static bool put_number(void *data, size_t i, PyObject *item)
{
	((double *)data)[i] = PyFloat_AsDouble(item);
	return !PyErr_Occurred();
}

static bool put_truth(void *data, size_t i, PyObject *item)
{
	int truth = PyObject_IsTrue(item);

	if (truth > 0)
		set_bit(data, i);
	return truth >= 0;
}

static bool put_day(void *data, size_t i, PyObject *item)
{
	long long day = PyLong_AsLongLong(item);

	if (!PyErr_Occurred() && (day < INT32_MIN || day > INT32_MAX))
		PyErr_SetString(PyExc_OverflowError, "a date is too far away for Arrow");
	((int32_t *)data)[i] = (int32_t)day;
	return !PyErr_Occurred();
}

/* Arrow's formats; a text has another shape and no width. */
static const struct kind {
	const char *format;
	size_t bits; /* of a value */
	put_fn put;
} kinds[] = {
	{"l", 64, put_integer}, {"g", 64, put_number},     {"b", 1, put_truth},
	{"tdD", 32, put_day},   {"tsu:", 64, put_integer}, {"u", 0, NULL},
};

static const struct kind *find_kind(const char *format)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].format, format) == 0)
			return &kinds[i];
	PyErr_Format(PyExc_ValueError, "no column has the format '%s'", format);
	return NULL;
}

/* Texts that lie one after the other. */
struct texts {
	char *data;
	size_t size, room;
};

static bool append(struct texts *t, PyObject *item)
{
	PyObject *bytes = PyUnicode_AsUTF8String(item);
	Py_ssize_t n = 0;
	char *from = NULL;
	size_t room;

	if (!bytes || PyBytes_AsStringAndSize(bytes, &from, &n) < 0) {
		Py_XDECREF(bytes);
		return false;
	}
	room = 2 * t->room > t->size + (size_t)n ? 2 * t->room : t->size + (size_t)n;
	if (t->size + (size_t)n > INT32_MAX) {
		PyErr_SetString(PyExc_OverflowError, "the texts of a column are over 2 GiB");
	} else if (t->size + (size_t)n > t->room) {
		char *larger = realloc(t->data, room);

		if (larger) {
			t->data = larger;
			t->room = room;
		} else {
			PyErr_NoMemory();
		}
	}
	if (!PyErr_Occurred()) {
		memcpy(t->data + t->size, from, (size_t)n);
		t->size += (size_t)n;
	}
	Py_DECREF(bytes);
	return !PyErr_Occurred();
}

/* offsets has one place more than there are rows. */
static bool fill_texts(struct batch_values *v, int32_t *offsets, PyObject *list)
{
	struct texts t = {.data = malloc(1), .room = 1};
	size_t n = (size_t)PyList_Size(list);

	if (!t.data)
		PyErr_NoMemory();
	for (size_t i = 0; !PyErr_Occurred() && i < n; i++) {
		PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);

		if (item != Py_None)
			(void)append(&t, item);
		offsets[i + 1] = (int32_t)t.size;
	}
	v->buffers[2] = t.data; /* the caller's on failure too */
	v->buffer_count = 3;
	return !PyErr_Occurred();
}

static bool fill_fixed(const struct kind *kind, void *data, PyObject *list)
{
	size_t n = (size_t)PyList_Size(list);

	for (size_t i = 0; i < n; i++) {
		PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);

		if (item != Py_None && !kind->put(data, i, item))
			return false;
	}
	return true;
}

/* The bitmap of what is there. */
static void mark(struct batch_values *v, unsigned char *bits, PyObject *list)
{
	size_t n = (size_t)PyList_Size(list);

	for (size_t i = 0; i < n; i++) {
		if (PyList_GetItem(list, (Py_ssize_t)i) == Py_None)
			v->nulls++;
		else
			set_bit(bits, i);
	}
}

/* Buffers that were made are v's, also on failure. */
static bool read_values(struct batch_values *v, const char *format, PyObject *list)
{
	const struct kind *kind = find_kind(format);
	size_t n = (size_t)PyList_Size(list);
	void *bits, *data;

	if (!kind)
		return false;
	bits = calloc(n / 8 + 1, 1);
	data = kind->put ? calloc(n * kind->bits / 8 + 1, 1) : calloc(n + 1, sizeof(int32_t));
	*v = (struct batch_values){
		.buffers = {bits, data}, .buffer_count = 2, .handed_over = true};
	if (!bits || !data) {
		PyErr_NoMemory();
		return false;
	}
	mark(v, bits, list);
	return kind->put ? fill_fixed(kind, data, list) : fill_texts(v, data, list);
}

/* (name, format, list) */
static bool read_column(struct table *t, size_t i, PyObject *item)
{
	const char *name, *format;
	PyObject *list;

	if (!PyArg_ParseTuple(item, "ssO!", &name, &format, &PyList_Type, &list))
		return false;
	if (PyList_Size(list) != t->rows) {
		PyErr_SetString(PyExc_ValueError, "the columns have different lengths");
		return false;
	}
	t->fields[i].name = strdup(name);
	if (!t->fields[i].name) {
		PyErr_NoMemory();
		return false;
	}
	if (!read_values(&t->values[i], format, list))
		return false;
	t->fields[i].format = find_kind(format)->format;
	return true;
}

static struct table *table_read(PyObject *columns, long long rows)
{
	struct table *t = calloc(1, sizeof *t);

	if (!t) {
		PyErr_NoMemory();
		return NULL;
	}
	t->rows = rows;
	t->count = (size_t)PyTuple_Size(columns);
	t->fields = calloc(t->count + 1, sizeof *t->fields);
	t->values = calloc(t->count + 1, sizeof *t->values);
	if (!t->fields || !t->values)
		PyErr_NoMemory();
	for (size_t i = 0; !PyErr_Occurred() && i < t->count; i++)
		(void)read_column(t, i, PyTuple_GetItem(columns, (Py_ssize_t)i));
	if (!PyErr_Occurred())
		return t;
	table_free(t);
	return NULL;
}

/* (columns, rows): a capsule with the stream; a column is (name, format, list of values) */
static PyObject *export_stream(PyObject *self, PyObject *args)
{
	struct ArrowArrayStream *stream;
	struct table *t;
	PyObject *columns, *out;
	long long rows;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!L", &PyTuple_Type, &columns, &rows))
		return NULL;
	t = table_read(columns, rows);
	if (!t)
		return NULL;
	stream = malloc(sizeof *stream);
	if (!stream) {
		table_free(t);
		return PyErr_NoMemory();
	}
	*stream = (struct ArrowArrayStream){.get_schema = get_schema,
					    .get_next = get_next,
					    .get_last_error = last_error,
					    .release = release_stream,
					    .private_data = t};
	out = PyCapsule_New(stream, capsule_name, end);
	if (!out) {
		table_free(t);
		free(stream);
	}
	return out;
}

PyMethodDef native_export_functions[] = {
	{"export_stream", export_stream, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
