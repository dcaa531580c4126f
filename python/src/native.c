/* The module sotto._native, and how values and failures go over to Python. */
#include "native.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes an exception of (status name, sentence); set once by sotto.errors. */
static PyObject *make_error;

static PyObject *use_errors(PyObject *self, PyObject *args)
{
	PyObject *function;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &function))
		return NULL;
	Py_INCREF(function);
	Py_XDECREF(make_error);
	make_error = function;
	Py_RETURN_NONE;
}

PyObject *native_raise(enum sotto_status status, const struct sotto_error *err)
{
	const char *text = err && err->text[0] ? err->text : sotto_status_text(status);
	PyObject *error;

	if (!make_error) {
		PyErr_SetString(PyExc_RuntimeError, text);
		return NULL;
	}
	error = PyObject_CallFunction(make_error, "ss", sotto_status_name(status), text);
	if (error) {
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
		Py_DECREF(error);
	}
	return NULL;
}

PyObject *native_refuse(const char *format, ...)
{
	struct sotto_error err;
	va_list list;

	va_start(list, format);
	(void)vsnprintf(err.text, sizeof err.text, format, list);
	va_end(list);
	return native_raise(SOTTO_EINVAL, &err);
}

PyObject *native_done(enum sotto_status status, const struct sotto_error *err)
{
	if (status != SOTTO_OK)
		return native_raise(status, err);
	Py_RETURN_NONE;
}

/* ---- exact numbers --------------------------------------------------------------------------- */

void native_number_release(struct native_number *n)
{
	sotto_rational_release(&n->value);
	n->given = false;
}

int native_number(PyObject *from, void *to)
{
	struct native_number *n = to;
	struct sotto_error err = {""};
	enum sotto_status st;
	PyObject *bytes;

	if (!from) { /* another argument was wrong */
		native_number_release(n);
		return 1;
	}
	*n = (struct native_number){.given = from != Py_None};
	sotto_rational_init(&n->value);
	if (!n->given)
		return Py_CLEANUP_SUPPORTED;
	bytes = PyUnicode_AsUTF8String(from);
	if (!bytes) {
		native_number_release(n);
		return 0;
	}
	st = sotto_rational_parse(&n->value, PyBytes_AsString(bytes), &err);
	Py_DECREF(bytes);
	if (st == SOTTO_OK)
		return Py_CLEANUP_SUPPORTED;
	native_number_release(n);
	(void)native_raise(st, &err);
	return 0;
}

const struct sotto_rational *native_number_or_null(const struct native_number *n)
{
	return n->given ? &n->value : NULL;
}

PyObject *native_text(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *native_take_text(char *text)
{
	PyObject *out = native_text(text);

	free(text);
	return out;
}

PyObject *native_fraction(const struct sotto_rational *r)
{
	char *text = NULL;
	enum sotto_status st = sotto_rational_format_fraction(r, &text);

	return st == SOTTO_OK ? native_take_text(text) : native_raise(st, NULL);
}

PyObject *native_pair(const struct sotto_rational *epsilon, const struct sotto_rational *delta)
{
	PyObject *first = native_fraction(epsilon), *second = native_fraction(delta);

	if (first && second)
		return Py_BuildValue("(NN)", first, second);
	Py_XDECREF(first);
	Py_XDECREF(second);
	return NULL;
}

PyObject *native_cost(const struct sotto_cost *cost)
{
	PyObject *epsilon = cost->bounded ? native_fraction(&cost->epsilon) : native_text(NULL);
	PyObject *delta = native_fraction(&cost->delta);
	PyObject *rho = native_fraction(&cost->rho);

	if (epsilon && delta && rho)
		return Py_BuildValue("(NNN)", epsilon, delta, rho);
	Py_XDECREF(epsilon);
	Py_XDECREF(delta);
	Py_XDECREF(rho);
	return NULL;
}

/* ---- objects --------------------------------------------------------------------------------- */

bool native_put(PyObject *dict, const char *key, PyObject *value)
{
	int failed = !dict || !value || PyDict_SetItemString(dict, key, value) < 0;

	Py_XDECREF(value);
	return !failed;
}

PyObject *native_list(native_item item, const void *from, size_t n)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < n; i++) {
		PyObject *made = item(from, i);

		if (!made || PyList_Append(out, made) < 0)
			Py_CLEAR(out);
		Py_XDECREF(made);
	}
	return out;
}

void *native_get(PyObject *capsule, const char *name)
{
	return PyCapsule_GetPointer(capsule, name);
}

void native_texts_release(struct native_texts *t)
{
	Py_XDECREF(t->keep);
	free(t->texts);
	free(t->lengths);
	*t = (struct native_texts){0};
}

static bool read_one(struct native_texts *t, PyObject *item, size_t i)
{
	char *text;
	Py_ssize_t length;
	PyObject *bytes =
		PyUnicode_Check(item) ? PyUnicode_AsUTF8String(item) : PyBytes_FromObject(item);

	if (!bytes)
		return false;
	if (PyTuple_SetItem(t->keep, (Py_ssize_t)i, bytes) < 0 || /* takes bytes */
	    PyBytes_AsStringAndSize(bytes, &text, &length) < 0)
		return false;
	t->texts[i] = text;
	t->lengths[i] = (size_t)length;
	return true;
}

bool native_texts_read(struct native_texts *t, PyObject *sequence)
{
	Py_ssize_t n = PySequence_Size(sequence);

	*t = (struct native_texts){0};
	if (n < 0)
		return false;
	t->count = (size_t)n;
	t->keep = PyTuple_New(n);
	t->texts = calloc(t->count + 1, sizeof *t->texts);
	t->lengths = calloc(t->count + 1, sizeof *t->lengths);
	if (t->keep && (!t->texts || !t->lengths))
		PyErr_NoMemory();
	for (size_t i = 0; !PyErr_Occurred() && i < t->count; i++) {
		PyObject *item = PySequence_GetItem(sequence, (Py_ssize_t)i);

		if (item)
			(void)read_one(t, item, i);
		Py_XDECREF(item);
	}
	if (!PyErr_Occurred())
		return true;
	native_texts_release(t);
	return false;
}

/* ---- randomness: one generator for each thread, closed when the thread ends ------------------- */

static pthread_key_t rng_key;
static pthread_once_t rng_once = PTHREAD_ONCE_INIT;

static void close_rng(void *rng)
{
	sotto_rng_close(rng);
}

static void make_key(void)
{
	(void)pthread_key_create(&rng_key, close_rng);
}

struct sotto_rng *native_rng(void)
{
	struct sotto_rng *rng;
	enum sotto_status st = SOTTO_OK;

	(void)pthread_once(&rng_once, make_key);
	rng = pthread_getspecific(rng_key);
	if (rng) {
		st = sotto_rng_reseed(rng);
	} else {
		st = sotto_rng_open(&rng);
		if (st == SOTTO_OK && pthread_setspecific(rng_key, rng) != 0) {
			sotto_rng_close(rng);
			st = SOTTO_ENOMEM;
		}
	}
	if (st == SOTTO_OK)
		return rng;
	(void)native_raise(st, NULL);
	return NULL;
}

/* ---- the module -------------------------------------------------------------------------------- */

static PyMethodDef own_functions[] = {
	{"use_errors", use_errors, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "sotto._native",
	.m_doc = "The public C interface of sotto; use the package sotto instead.",
	.m_size = -1,
	.m_methods = own_functions,
};

PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC PyInit__native(void)
{
	PyMethodDef *const tables[] = {
		native_noise_functions,   native_choose_functions,  native_stream_functions,
		native_account_functions, native_session_functions, native_ledger_functions,
		native_owner_functions,   native_frame_functions,   native_export_functions,
		native_local_functions,   native_decode_functions,  native_channel_functions,
		native_user_functions,    native_census_functions,
	};
	PyObject *module = PyModule_Create(&definition);

	for (size_t i = 0; module && i < sizeof tables / sizeof tables[0]; i++)
		if (PyModule_AddFunctions(module, tables[i]) < 0)
			Py_CLEAR(module);
	if (module && PyModule_AddStringConstant(module, "version", SOTTO_VERSION) < 0)
		Py_CLEAR(module);
	return module;
}
