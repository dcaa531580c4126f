/* Finite mechanisms as matrices: sotto/channel.h. */
#include "channel.h"

#include <string.h>

/* A matrix is CSV text on its way from Python and rows of exact texts on its way back. */
struct sotto_matrix *channel_matrix(const char *text)
{
	struct sotto_error err = {""};
	struct sotto_matrix *m = NULL;
	enum sotto_status st = sotto_matrix_parse(text, strlen(text), "the matrix", &m, &err);

	if (st != SOTTO_OK)
		(void)native_raise(st, &err);
	return m;
}

static PyObject *row_of(const struct sotto_matrix *m, size_t row)
{
	size_t n = sotto_matrix_columns(m);
	PyObject *out = PyTuple_New((Py_ssize_t)n);
	struct sotto_rational cell;

	sotto_rational_init(&cell);
	for (size_t k = 0; out && k < n; k++) {
		enum sotto_status st = sotto_matrix_get(m, row, k, &cell);
		PyObject *text =
			st == SOTTO_OK ? native_fraction(&cell) : native_raise(st, NULL);

		if (!text || PyTuple_SetItem(out, (Py_ssize_t)k, text) < 0)
			Py_CLEAR(out);
	}
	sotto_rational_release(&cell);
	return out;
}

PyObject *channel_rows(const struct sotto_matrix *m)
{
	PyObject *out = m ? PyList_New(0) : NULL;

	for (size_t i = 0; out && i < sotto_matrix_rows(m); i++) {
		PyObject *row = row_of(m, i);

		if (!row || PyList_Append(out, row) < 0)
			Py_CLEAR(out);
		Py_XDECREF(row);
	}
	return out;
}

/* A text with a line break is a matrix; any other is a name, or the path of a file. */
bool channel_is_matrix(const char *text)
{
	return text && strchr(text, '\n');
}

enum sotto_status channel_graph(const char *text, size_t answers, struct sotto_graph **out,
				struct sotto_error *err)
{
	struct sotto_matrix *m = NULL;
	enum sotto_status st;

	if (!channel_is_matrix(text))
		return sotto_graph_read(text, answers, out, err);
	st = sotto_matrix_parse(text, strlen(text), "the graph", &m, err);
	if (st == SOTTO_OK)
		st = sotto_graph_of_matrix(m, answers, out, err);
	sotto_matrix_free(m);
	return st;
}

static struct sotto_graph *graph_of(const char *text, size_t answers)
{
	struct sotto_error err = {""};
	struct sotto_graph *g = NULL;
	enum sotto_status st = channel_graph(text, answers, &g, &err);

	if (st != SOTTO_OK)
		(void)native_raise(st, &err);
	return g;
}

/* (mechanism, answers, graph, epsilon) */
static PyObject *channel_build(PyObject *self, PyObject *args)
{
	struct sotto_matrix *m = NULL;
	struct sotto_graph *g = NULL;
	struct sotto_eps *eps = NULL;
	struct sotto_error err = {""};
	const char *name, *graph, *epsilon;
	unsigned long long answers;
	enum sotto_build build;
	enum sotto_status st;
	PyObject *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "sKss", &name, &answers, &graph, &epsilon))
		return NULL;
	st = sotto_build_parse(name, &build, &err);
	if (st == SOTTO_OK)
		st = sotto_eps_new(epsilon, &eps, &err);
	if (st == SOTTO_OK)
		st = channel_graph(graph, answers, &g, &err);
	if (st == SOTTO_OK)
		NATIVE_UNLOCKED(st, sotto_channel_build(build, g, eps, &m, &err));
	out = st == SOTTO_OK ? channel_rows(m) : native_raise(st, &err);
	sotto_matrix_free(m);
	sotto_graph_free(g);
	sotto_eps_free(eps);
	return out;
}

static PyObject *verdict_dict(const struct sotto_verdict *v)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "infinite", PyBool_FromLong(v->infinite)) &&
		    native_put(out, "ratio", native_fraction(&v->ratio)) &&
		    native_put(out, "lower", PyFloat_FromDouble(v->epsilon_down)) &&
		    native_put(out, "upper", PyFloat_FromDouble(v->epsilon_up)) &&
		    native_put(out, "witness",
			       Py_BuildValue("(nnn)", (Py_ssize_t)v->witness.row,
					     (Py_ssize_t)v->witness.neighbour,
					     (Py_ssize_t)v->witness.column));

	if (!done)
		Py_CLEAR(out);
	return out;
}

/* (matrix, graph, delta): the least epsilon */
static PyObject *channel_epsilon(PyObject *self, PyObject *args)
{
	struct native_number delta;
	struct sotto_matrix *m;
	struct sotto_graph *g;
	struct sotto_verdict v;
	const char *text, *graph;
	PyObject *out = NULL;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "ssO&", &text, &graph, native_number, &delta))
		return NULL;
	m = channel_matrix(text);
	g = m ? graph_of(graph, sotto_matrix_rows(m)) : NULL;
	if (g) {
		sotto_verdict_init(&v);
		NATIVE_UNLOCKED(st, delta.given
					    ? sotto_verify_epsilon_at(m, g, &delta.value, &v)
					    : sotto_verify_epsilon(m, g, &v));
		out = st == SOTTO_OK ? verdict_dict(&v) : native_raise(st, NULL);
		sotto_verdict_release(&v);
	}
	sotto_graph_free(g);
	sotto_matrix_free(m);
	native_number_release(&delta);
	return out;
}

/* (matrix, graph, epsilon, delta or None): is it private? */
static PyObject *channel_private(PyObject *self, PyObject *args)
{
	const char *text, *graph, *epsilon;
	struct sotto_eps *eps = NULL;
	struct sotto_error err = {""};
	struct native_number delta;
	struct sotto_matrix *m;
	struct sotto_graph *g;
	PyObject *out = NULL;
	enum sotto_status st;
	bool is = false;

	(void)self;
	if (!PyArg_ParseTuple(args, "sssO&", &text, &graph, &epsilon, native_number, &delta))
		return NULL;
	m = channel_matrix(text);
	g = m ? graph_of(graph, sotto_matrix_rows(m)) : NULL;
	if (g) {
		st = sotto_eps_new(epsilon, &eps, &err);
		if (st == SOTTO_OK)
			NATIVE_UNLOCKED(st, sotto_verify_private(m, g, eps,
								 native_number_or_null(&delta),
								 &is));
		out = st == SOTTO_OK ? PyBool_FromLong(is) : native_raise(st, &err);
	}
	sotto_eps_free(eps);
	sotto_graph_free(g);
	sotto_matrix_free(m);
	native_number_release(&delta);
	return out;
}

/* (matrix, graph, e^epsilon): the least delta */
static PyObject *channel_delta(PyObject *self, PyObject *args)
{
	struct sotto_matrix *m = NULL;
	struct sotto_graph *g = NULL;
	struct native_number factor;
	struct sotto_rational delta;
	const char *text, *graph;
	PyObject *out = NULL;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "ssO&", &text, &graph, native_number, &factor))
		return NULL;
	m = channel_matrix(text);
	g = m ? graph_of(graph, sotto_matrix_rows(m)) : NULL;
	if (g) {
		sotto_rational_init(&delta);
		NATIVE_UNLOCKED(st, sotto_verify_delta(m, g, &factor.value, &delta));
		out = st == SOTTO_OK ? native_fraction(&delta) : native_raise(st, NULL);
		sotto_rational_release(&delta);
	}
	sotto_graph_free(g);
	sotto_matrix_free(m);
	native_number_release(&factor);
	return out;
}

PyMethodDef native_channel_functions[] = {
	{"channel_build", channel_build, METH_VARARGS, NULL},
	{"channel_epsilon", channel_epsilon, METH_VARARGS, NULL},
	{"channel_private", channel_private, METH_VARARGS, NULL},
	{"channel_delta", channel_delta, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
