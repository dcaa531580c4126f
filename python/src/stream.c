/* A stream of questions, paid for by those above the threshold: sotto/stream.h. */
#include "native.h"

static const char capsule_name[] = "sotto.sparse_vector";

static void end(PyObject *capsule)
{
	sotto_sparse_vector_free(PyCapsule_GetPointer(capsule, capsule_name));
}

/* (epsilon, delta or None, threshold, sensitivity, positives, numeric, monotone, optimized) */
static PyObject *sparse_new(PyObject *self, PyObject *args)
{
	struct sotto_sparse_vector_options o = {0};
	struct native_number epsilon, delta;
	struct sotto_sparse_vector *made = NULL;
	int numeric, monotone, optimized;
	long long threshold, sensitivity;
	struct sotto_error err = {""};
	unsigned long long positives;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O&LLKppp", native_number, &epsilon, native_number,
			      &delta, &threshold, &sensitivity, &positives, &numeric, &monotone,
			      &optimized))
		return NULL;
	o = (struct sotto_sparse_vector_options){.epsilon = &epsilon.value,
						 .delta = native_number_or_null(&delta),
						 .threshold = threshold,
						 .sensitivity = sensitivity,
						 .positives = positives,
						 .numeric = numeric,
						 .monotone = monotone,
						 .optimized = optimized};
	st = sotto_sparse_vector_new(&o, &made, &err);
	native_number_release(&epsilon);
	native_number_release(&delta);
	return st == SOTTO_OK ? PyCapsule_New(made, capsule_name, end) : native_raise(st, &err);
}

/* (interaction, query): (above, value) */
static PyObject *sparse_ask(PyObject *self, PyObject *args)
{
	struct sotto_sparse_answer answer;
	struct sotto_sparse_vector *s;
	struct sotto_rng *rng;
	enum sotto_status st;
	PyObject *capsule;
	long long query;

	(void)self;
	if (!PyArg_ParseTuple(args, "OL", &capsule, &query))
		return NULL;
	s = native_get(capsule, capsule_name);
	rng = s ? native_rng() : NULL;
	if (!rng)
		return NULL;
	st = sotto_sparse_vector_ask(s, rng, sotto_exact_of(query), &answer);
	return st == SOTTO_OK ? Py_BuildValue("(NL)", PyBool_FromLong(answer.above),
					      (long long)answer.value.value)
			      : native_raise(st, NULL);
}

/* (interaction, address, n): (how many were asked, whether the last one is above, value) */
static PyObject *sparse_scan(PyObject *self, PyObject *args)
{
	struct sotto_sparse_answer answer = {0};
	struct sotto_sparse_vector *s;
	unsigned long long from, n;
	struct sotto_rng *rng;
	enum sotto_status st;
	PyObject *capsule;
	size_t asked = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "OKK", &capsule, &from, &n))
		return NULL;
	s = native_get(capsule, capsule_name);
	rng = s ? native_rng() : NULL;
	if (!rng)
		return NULL;
	/* With the lock: one interaction must not be asked by two threads at once. */
	st = sotto_sparse_vector_scan(s, rng, (const struct sotto_exact *)(uintptr_t)from, n,
				      &asked, &answer);
	return st == SOTTO_OK ? Py_BuildValue("(nNL)", (Py_ssize_t)asked,
					      PyBool_FromLong(answer.above),
					      (long long)answer.value.value)
			      : native_raise(st, NULL);
}

static PyObject *sparse_left(PyObject *self, PyObject *args)
{
	struct sotto_sparse_vector *s;
	PyObject *capsule;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	s = native_get(capsule, capsule_name);
	return s ? PyLong_FromUnsignedLongLong(sotto_sparse_vector_left(s)) : NULL;
}

static PyObject *sparse_restart(PyObject *self, PyObject *args)
{
	struct sotto_sparse_vector *s;
	PyObject *capsule;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	s = native_get(capsule, capsule_name);
	if (!s)
		return NULL;
	sotto_sparse_vector_restart(s);
	Py_RETURN_NONE;
}

static PyObject *sparse_cost(PyObject *self, PyObject *args)
{
	struct sotto_sparse_vector *s;
	struct sotto_cost cost;
	PyObject *capsule, *out;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	s = native_get(capsule, capsule_name);
	if (!s)
		return NULL;
	sotto_cost_init(&cost);
	st = sotto_sparse_vector_cost(s, &cost);
	out = st == SOTTO_OK ? native_cost(&cost) : native_raise(st, NULL);
	sotto_cost_release(&cost);
	return out;
}

/* (interaction, queries, beta) */
static PyObject *sparse_error(PyObject *self, PyObject *args)
{
	struct sotto_sparse_vector *s;
	unsigned long long k;
	enum sotto_status st;
	double beta, error;
	PyObject *capsule;

	(void)self;
	if (!PyArg_ParseTuple(args, "OKd", &capsule, &k, &beta))
		return NULL;
	s = native_get(capsule, capsule_name);
	if (!s)
		return NULL;
	st = sotto_sparse_vector_error(s, k, beta, &error);
	return st == SOTTO_OK ? PyFloat_FromDouble(error) : native_raise(st, NULL);
}

PyMethodDef native_stream_functions[] = {
	{"sparse_new", sparse_new, METH_VARARGS, NULL},
	{"sparse_ask", sparse_ask, METH_VARARGS, NULL},
	{"sparse_scan", sparse_scan, METH_VARARGS, NULL},
	{"sparse_left", sparse_left, METH_VARARGS, NULL},
	{"sparse_restart", sparse_restart, METH_VARARGS, NULL},
	{"sparse_cost", sparse_cost, METH_VARARGS, NULL},
	{"sparse_error", sparse_error, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
