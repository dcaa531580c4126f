/* Asking a policy's tables: sotto/query.h. */
#include "native.h"

#include <stdlib.h>

static const char capsule_name[] = "sotto.session";

struct sotto_session *native_session(PyObject *capsule)
{
	struct sotto_session **held = native_get(capsule, capsule_name);

	if (held && !*held)
		(void)native_raise(
			SOTTO_ESTATE,
			&(struct sotto_error){"the connection was closed; connect again"});
	return held ? *held : NULL;
}

static void end(PyObject *capsule)
{
	struct sotto_session **held = PyCapsule_GetPointer(capsule, capsule_name);

	if (!held)
		return;
	sotto_session_close(*held);
	free(held);
}

/* (path of the policy) */
static PyObject *session_open(PyObject *self, PyObject *args)
{
	struct sotto_session **held = calloc(1, sizeof *held);
	struct sotto_error err = {""};
	enum sotto_status st;
	const char *path;
	PyObject *out;

	(void)self;
	if (!held || !PyArg_ParseTuple(args, "s", &path)) {
		free(held);
		return PyErr_Occurred() ? NULL : PyErr_NoMemory();
	}
	NATIVE_UNLOCKED(st, sotto_session_open(path, held, &err));
	out = st == SOTTO_OK ? PyCapsule_New(held, capsule_name, end) : native_raise(st, &err);
	if (!out)
		free(held);
	return out;
}

static PyObject *session_close(PyObject *self, PyObject *args)
{
	struct sotto_session **held, *closing;
	PyObject *capsule;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	held = native_get(capsule, capsule_name);
	if (!held)
		return NULL;
	closing = *held;
	*held = NULL;
	Py_BEGIN_ALLOW_THREADS;
	sotto_session_close(closing);
	Py_END_ALLOW_THREADS;
	Py_RETURN_NONE;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* (session, sql, analyst, epsilon, delta, error, diagnostics, mechanism, fresh) */
struct asked {
	struct sotto_session *session;
	struct sotto_question question;
	struct native_number epsilon, delta, error, diagnostics;
};

static void asked_release(struct asked *a)
{
	native_number_release(&a->epsilon);
	native_number_release(&a->delta);
	native_number_release(&a->error);
	native_number_release(&a->diagnostics);
}

static bool asked_read(struct asked *a, PyObject *args)
{
	const char *sql, *analyst, *mechanism;
	PyObject *capsule;
	int fresh;

	if (!PyArg_ParseTuple(args, "OszO&O&O&O&zp", &capsule, &sql, &analyst, native_number,
			      &a->epsilon, native_number, &a->delta, native_number, &a->error,
			      native_number, &a->diagnostics, &mechanism, &fresh))
		return false;
	a->session = native_session(capsule);
	if (!a->session)
		asked_release(a);
	a->question =
		(struct sotto_question){.sql = sql,
					.analyst = analyst,
					.epsilon = native_number_or_null(&a->epsilon),
					.delta = native_number_or_null(&a->delta),
					.error = native_number_or_null(&a->error),
					.diagnostics = native_number_or_null(&a->diagnostics),
					.mechanism = mechanism,
					.fresh = fresh};
	return a->session;
}

static PyObject *value_of(const struct sotto_value *v)
{
	switch (v->kind) {
	case SOTTO_VALUE_BOOL:
		return PyBool_FromLong(v->integer != 0);
	case SOTTO_VALUE_INTEGER:
		return PyLong_FromLongLong(v->integer);
	case SOTTO_VALUE_NUMBER:
		return PyFloat_FromDouble(v->number);
	case SOTTO_VALUE_TEXT:
		return native_text(v->text);
	case SOTTO_VALUE_NULL:
		break;
	}
	Py_RETURN_NONE;
}

/* Values row by row, so many in each. */
struct grid {
	const struct sotto_value *values;
	size_t columns;
};

static PyObject *row_of(const void *from, size_t i)
{
	const struct grid *g = from;
	PyObject *row = PyTuple_New((Py_ssize_t)g->columns);

	for (size_t k = 0; row && k < g->columns; k++) {
		PyObject *value = value_of(&g->values[i * g->columns + k]);

		if (!value || PyTuple_SetItem(row, (Py_ssize_t)k, value) < 0)
			Py_CLEAR(row);
	}
	return row;
}

/* As a list of tuples, one a row. */
static PyObject *rows_of(const struct sotto_answer *a, const struct sotto_value *values)
{
	struct grid g = {values, a->column_count};

	return native_list(row_of, &g, a->row_count);
}

static PyObject *column_of(const void *from, size_t i)
{
	const struct sotto_answer_column *c = (const struct sotto_answer_column *)from + i;

	return Py_BuildValue("(NNNN)", native_text(c->name), native_text(c->type),
			     PyBool_FromLong(c->noisy), PyBool_FromLong(c->biased));
}

/* What limits one unit, what that lost, and notes on columns. */
static PyObject *sentence_of(const void *from, size_t i)
{
	return native_text(sotto_answer_sentence(from, i));
}

static PyObject *sentences_of(const struct sotto_answer *a)
{
	size_t n = 0;

	while (sotto_answer_sentence(a, n))
		n++;
	return native_list(sentence_of, a, n);
}

/* How many more fit; None: it is free. */
static PyObject *fits_of(uint64_t fits)
{
	if (fits == UINT64_MAX)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(fits);
}

static PyObject *answer_of(const struct sotto_answer *a)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "columns",
			       native_list(column_of, a->columns, a->column_count)) &&
		    native_put(out, "rows", rows_of(a, a->values)) &&
		    native_put(out, "lows", rows_of(a, a->lows)) &&
		    native_put(out, "highs", rows_of(a, a->highs)) &&
		    native_put(out, "cost", native_pair(&a->epsilon, &a->delta)) &&
		    native_put(out, "left", native_pair(&a->epsilon_left, &a->delta_left)) &&
		    native_put(out, "repeated", PyBool_FromLong(a->repeated)) &&
		    native_put(out, "data_changed", PyBool_FromLong(a->data_changed)) &&
		    native_put(out, "made_up", PyBool_FromLong(a->made_up)) &&
		    native_put(out, "fits", fits_of(a->fits)) &&
		    native_put(out, "mechanism", native_text(a->mechanism)) &&
		    native_put(out, "notes", sentences_of(a));

	if (!done)
		Py_CLEAR(out);
	return out;
}

typedef enum sotto_status ask_fn(struct sotto_session *, const struct sotto_question *,
				 struct sotto_answer **, struct sotto_error *);

static PyObject *answered_by(ask_fn *ask, PyObject *args)
{
	struct sotto_answer *answer = NULL;
	struct sotto_error err = {""};
	PyObject *out = NULL;
	enum sotto_status st;
	struct asked a;

	if (!asked_read(&a, args))
		return NULL;
	NATIVE_UNLOCKED(st, ask(a.session, &a.question, &answer, &err));
	out = st == SOTTO_OK ? answer_of(answer) : native_raise(st, &err);
	sotto_answer_free(answer);
	asked_release(&a);
	return out;
}

static PyObject *session_query(PyObject *self, PyObject *args)
{
	(void)self;
	return answered_by(sotto_session_query, args);
}

static PyObject *session_preview(PyObject *self, PyObject *args)
{
	(void)self;
	return answered_by(sotto_session_preview, args);
}

/* ---- explaining ------------------------------------------------------------------------------ */

static PyObject *line_of(const void *from, size_t i)
{
	const struct sotto_explanation *x = from;

	return Py_BuildValue("(NNN)", native_text(x->lines[i].section),
			     native_text(x->lines[i].name), native_text(x->lines[i].text));
}

static PyObject *explained_column(const void *from, size_t i)
{
	const struct sotto_explained_column *c =
		(const struct sotto_explained_column *)from + i;

	return Py_BuildValue("(NNNddd)", native_text(c->name), native_text(c->type),
			     PyBool_FromLong(c->noisy), c->error, c->error_times_count,
			     c->typical_error);
}

static PyObject *explanation_of(const struct sotto_explanation *x)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "lines", native_list(line_of, x, x->count)) &&
		    native_put(out, "columns",
			       native_list(explained_column, x->columns, x->column_count)) &&
		    native_put(out, "typical_group", PyLong_FromLongLong(x->typical_group)) &&
		    native_put(out, "mechanism", native_text(x->mechanism)) &&
		    native_put(out, "cost", native_pair(&x->epsilon, &x->delta)) &&
		    native_put(out, "left", native_pair(&x->epsilon_left, &x->delta_left)) &&
		    native_put(out, "affordable", PyBool_FromLong(x->affordable)) &&
		    native_put(out, "fits", fits_of(x->fits)) &&
		    native_put(out, "groups", PyLong_FromLongLong(x->groups)) &&
		    native_put(out, "rows", PyLong_FromLongLong(x->rows)) &&
		    native_put(out, "threshold", PyLong_FromLongLong(x->threshold)) &&
		    native_put(out, "assumes_limits", PyBool_FromLong(x->assumes_limits)) &&
		    native_put(out, "data_changed", PyBool_FromLong(x->data_changed)) &&
		    native_put(out, "repeated", PyBool_FromLong(x->repeated));

	if (!done)
		Py_CLEAR(out);
	return out;
}

static PyObject *session_explain(PyObject *self, PyObject *args)
{
	struct sotto_explanation *x = NULL;
	struct sotto_error err = {""};
	PyObject *out = NULL;
	enum sotto_status st;
	struct asked a;

	(void)self;
	if (!asked_read(&a, args))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_session_explain(a.session, &a.question, &x, &err));
	out = st == SOTTO_OK ? explanation_of(x) : native_raise(st, &err);
	sotto_explanation_free(x);
	asked_release(&a);
	return out;
}

/* ---- what can be asked about --------------------------------------------------------------------- */

static PyObject *key_of(const void *from, size_t i)
{
	return native_text(((const struct sotto_table_column *)from)->keys[i]);
}

static PyObject *column_dict(const void *from, size_t i)
{
	const struct sotto_table_column *c = (const struct sotto_table_column *)from + i;
	PyObject *out = PyDict_New();
	bool done = native_put(out, "name", native_text(c->name)) &&
		    native_put(out, "type", native_text(c->type)) &&
		    native_put(out, "nullable", PyBool_FromLong(c->nullable)) &&
		    native_put(out, "low", native_text(c->lo)) &&
		    native_put(out, "high", native_text(c->hi)) &&
		    native_put(out, "days", PyBool_FromLong(c->bounds_are_days)) &&
		    native_put(out, "keys",
			       c->has_keys ? native_list(key_of, c, c->key_count)
					   : native_text(NULL));

	if (!done)
		Py_CLEAR(out);
	return out;
}

static PyObject *table_dict(const void *from, size_t i)
{
	const struct sotto_table *t = &((const struct sotto_tables *)from)->list[i];
	PyObject *out = PyDict_New();
	bool done = native_put(out, "columns",
			       native_list(column_dict, t->columns, t->column_count)) &&
		    native_put(out, "name", native_text(t->name)) &&
		    native_put(out, "public", PyBool_FromLong(t->is_public)) &&
		    native_put(out, "unit", native_text(t->unit)) &&
		    native_put(out, "max_groups", PyLong_FromLongLong(t->max_groups)) &&
		    native_put(out, "max_rows", PyLong_FromLongLong(t->max_rows));

	if (!done)
		Py_CLEAR(out);
	return out;
}

static PyObject *session_tables(PyObject *self, PyObject *args)
{
	struct sotto_tables *tables = NULL;
	struct sotto_session *s;
	struct sotto_error err = {""};
	PyObject *capsule, *out = NULL;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	s = native_session(capsule);
	if (!s)
		return NULL;
	NATIVE_UNLOCKED(st, sotto_session_tables(s, &tables, &err));
	if (st != SOTTO_OK)
		return native_raise(st, &err);
	out = native_list(table_dict, tables, tables->count);
	sotto_tables_free(tables);
	return out;
}

PyMethodDef native_session_functions[] = {
	{"session_open", session_open, METH_VARARGS, NULL},
	{"session_close", session_close, METH_VARARGS, NULL},
	{"session_query", session_query, METH_VARARGS, NULL},
	{"session_explain", session_explain, METH_VARARGS, NULL},
	{"session_preview", session_preview, METH_VARARGS, NULL},
	{"session_tables", session_tables, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
