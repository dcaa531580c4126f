/* Asking a policy's tables: sotto/query.h. */
#include "native.h"

#include <stdlib.h>

static const char capsule_name[] = "sotto.session";

/* The session of a capsule, or NULL with an exception once it was closed. */
static struct sotto_session *session_of(PyObject *capsule)
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

/* (session, sql, analyst, epsilon, delta, error, fresh) */
struct asked {
	struct sotto_session *session;
	struct sotto_question question;
	struct native_number epsilon, delta, error;
};

static void asked_release(struct asked *a)
{
	native_number_release(&a->epsilon);
	native_number_release(&a->delta);
	native_number_release(&a->error);
}

static bool asked_read(struct asked *a, PyObject *args)
{
	const char *sql, *analyst;
	PyObject *capsule;
	int fresh;

	if (!PyArg_ParseTuple(args, "OszO&O&O&p", &capsule, &sql, &analyst, native_number,
			      &a->epsilon, native_number, &a->delta, native_number, &a->error,
			      &fresh))
		return false;
	a->session = session_of(capsule);
	if (!a->session)
		asked_release(a);
	a->question = (struct sotto_question){.sql = sql,
					      .analyst = analyst,
					      .epsilon = native_number_or_null(&a->epsilon),
					      .delta = native_number_or_null(&a->delta),
					      .error = native_number_or_null(&a->error),
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

/* As a list of tuples, one a row. */
static PyObject *rows_of(const struct sotto_answer *a, const struct sotto_value *values)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < a->row_count; i++) {
		PyObject *row = PyTuple_New((Py_ssize_t)a->column_count);

		for (size_t k = 0; row && k < a->column_count; k++)
			if (PyTuple_SetItem(row, (Py_ssize_t)k,
					    value_of(&values[i * a->column_count + k])) < 0)
				Py_CLEAR(row);
		if (!row || PyErr_Occurred() || PyList_Append(out, row) < 0)
			Py_CLEAR(out);
		Py_XDECREF(row);
	}
	return out;
}

static PyObject *columns_of(const struct sotto_answer *a)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < a->column_count; i++) {
		const struct sotto_answer_column *c = &a->columns[i];
		PyObject *column =
			Py_BuildValue("(NNN)", native_text(c->name), native_text(c->type),
				      PyBool_FromLong(c->noisy));

		if (!column || PyList_Append(out, column) < 0)
			Py_CLEAR(out);
		Py_XDECREF(column);
	}
	return out;
}

static PyObject *texts_of(const char *const *texts, size_t n)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < n; i++) {
		PyObject *text = native_text(texts[i]);

		if (!text || PyList_Append(out, text) < 0)
			Py_CLEAR(out);
		Py_XDECREF(text);
	}
	return out;
}

static PyObject *
pair_of(const struct sotto_rational *epsilon, const struct sotto_rational *delta)
{
	PyObject *first = native_fraction(epsilon), *second = native_fraction(delta);

	if (first && second)
		return Py_BuildValue("(NN)", first, second);
	Py_XDECREF(first);
	Py_XDECREF(second);
	return NULL;
}

/* What limits one unit, what that lost, and notes on columns. */
static PyObject *sentences_of(const struct sotto_answer *a)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && sotto_answer_sentence(a, i); i++) {
		PyObject *text = native_text(sotto_answer_sentence(a, i));

		if (!text || PyList_Append(out, text) < 0)
			Py_CLEAR(out);
		Py_XDECREF(text);
	}
	return out;
}

static PyObject *answer_of(const struct sotto_answer *a)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "columns", columns_of(a)) &&
		    native_put(out, "rows", rows_of(a, a->values)) &&
		    native_put(out, "lows", rows_of(a, a->lows)) &&
		    native_put(out, "highs", rows_of(a, a->highs)) &&
		    native_put(out, "cost", pair_of(&a->epsilon, &a->delta)) &&
		    native_put(out, "left", pair_of(&a->epsilon_left, &a->delta_left)) &&
		    native_put(out, "repeated", PyBool_FromLong(a->repeated)) &&
		    native_put(out, "data_changed", PyBool_FromLong(a->data_changed)) &&
		    native_put(out, "mechanism", native_text(a->mechanism)) &&
		    native_put(out, "notes", sentences_of(a));

	if (!done)
		Py_CLEAR(out);
	return out;
}

static PyObject *session_preview(PyObject *self, PyObject *args)
{
	struct sotto_answer *answer = NULL;
	struct sotto_error err = {""};
	PyObject *out = NULL;
	enum sotto_status st;
	struct asked a;

	(void)self;
	if (!asked_read(&a, args))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_session_preview(a.session, &a.question, &answer, &err));
	out = st == SOTTO_OK ? answer_of(answer) : native_raise(st, &err);
	sotto_answer_free(answer);
	asked_release(&a);
	return out;
}

static PyObject *session_query(PyObject *self, PyObject *args)
{
	struct sotto_answer *answer = NULL;
	struct sotto_error err = {""};
	PyObject *out = NULL;
	enum sotto_status st;
	struct asked a;

	(void)self;
	if (!asked_read(&a, args))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_session_query(a.session, &a.question, &answer, &err));
	out = st == SOTTO_OK ? answer_of(answer) : native_raise(st, &err);
	sotto_answer_free(answer);
	asked_release(&a);
	return out;
}

/* ---- explaining ------------------------------------------------------------------------------ */

static PyObject *lines_of(const struct sotto_explanation *x)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < x->count; i++) {
		PyObject *line = Py_BuildValue("(NNN)", native_text(x->lines[i].section),
					       native_text(x->lines[i].name),
					       native_text(x->lines[i].text));

		if (!line || PyList_Append(out, line) < 0)
			Py_CLEAR(out);
		Py_XDECREF(line);
	}
	return out;
}

static PyObject *explained_columns(const struct sotto_explanation *x)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < x->column_count; i++) {
		const struct sotto_explained_column *c = &x->columns[i];
		PyObject *column = Py_BuildValue(
			"(NNNdd)", native_text(c->name), native_text(c->type),
			PyBool_FromLong(c->noisy), c->error, c->error_times_count);

		if (!column || PyList_Append(out, column) < 0)
			Py_CLEAR(out);
		Py_XDECREF(column);
	}
	return out;
}

static PyObject *explanation_of(const struct sotto_explanation *x)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "lines", lines_of(x)) &&
		    native_put(out, "columns", explained_columns(x)) &&
		    native_put(out, "mechanism", native_text(x->mechanism)) &&
		    native_put(out, "cost", pair_of(&x->epsilon, &x->delta)) &&
		    native_put(out, "left", pair_of(&x->epsilon_left, &x->delta_left)) &&
		    native_put(out, "affordable", PyBool_FromLong(x->affordable)) &&
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

static PyObject *column_dict(const struct sotto_table_column *c)
{
	PyObject *out = PyDict_New();
	bool done =
		native_put(out, "name", native_text(c->name)) &&
		native_put(out, "type", native_text(c->type)) &&
		native_put(out, "nullable", PyBool_FromLong(c->nullable)) &&
		native_put(out, "low", native_text(c->lo)) &&
		native_put(out, "high", native_text(c->hi)) &&
		native_put(out, "days", PyBool_FromLong(c->bounds_are_days)) &&
		native_put(out, "keys",
			   c->has_keys ? texts_of(c->keys, c->key_count) : native_text(NULL));

	if (!done)
		Py_CLEAR(out);
	return out;
}

static PyObject *table_dict(const struct sotto_table *t)
{
	PyObject *out = PyDict_New(), *columns = PyList_New(0);

	for (size_t i = 0; columns && i < t->column_count; i++) {
		PyObject *column = column_dict(&t->columns[i]);

		if (!column || PyList_Append(columns, column) < 0)
			Py_CLEAR(columns);
		Py_XDECREF(column);
	}
	if (!native_put(out, "columns", columns) ||
	    !native_put(out, "name", native_text(t->name)) ||
	    !native_put(out, "public", PyBool_FromLong(t->is_public)) ||
	    !native_put(out, "unit", native_text(t->unit)) ||
	    !native_put(out, "max_groups", PyLong_FromLongLong(t->max_groups)) ||
	    !native_put(out, "max_rows", PyLong_FromLongLong(t->max_rows)))
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
	s = session_of(capsule);
	if (!s)
		return NULL;
	NATIVE_UNLOCKED(st, sotto_session_tables(s, &tables, &err));
	if (st != SOTTO_OK)
		return native_raise(st, &err);
	out = PyList_New(0);
	for (size_t i = 0; out && i < tables->count; i++) {
		PyObject *table = table_dict(&tables->list[i]);

		if (!table || PyList_Append(out, table) < 0)
			Py_CLEAR(out);
		Py_XDECREF(table);
	}
	sotto_tables_free(tables);
	return out;
}

/* ---- the ledger ------------------------------------------------------------------------------ */

static PyObject *totals_of(const struct sotto_ledger_totals *t)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "budget", pair_of(&t->budget.epsilon, &t->budget.delta)) &&
		    native_put(out, "spent", pair_of(&t->spent.epsilon, &t->spent.delta)) &&
		    native_put(out, "left", pair_of(&t->left.epsilon, &t->left.delta)) &&
		    native_put(out, "releases", PyLong_FromUnsignedLongLong(t->entries)) &&
		    native_put(out, "renews", PyLong_FromLongLong(t->renews));

	if (!done)
		Py_CLEAR(out);
	return out;
}

/* (session, analyst with a share, or None for the whole) */
static PyObject *session_budget(PyObject *self, PyObject *args)
{
	struct sotto_ledger *ledger = NULL;
	struct sotto_ledger_totals t;
	struct sotto_error err = {""};
	struct sotto_session *s;
	PyObject *capsule, *out;
	const char *analyst;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "Oz", &capsule, &analyst))
		return NULL;
	s = session_of(capsule);
	if (!s)
		return NULL;
	sotto_ledger_totals_init(&t);
	NATIVE_UNLOCKED(st, sotto_session_ledger(s, &ledger, &err));
	if (st == SOTTO_OK)
		NATIVE_UNLOCKED(st, sotto_ledger_totals(ledger, analyst, &t, &err));
	out = st == SOTTO_OK ? totals_of(&t) : native_raise(st, &err);
	sotto_ledger_totals_release(&t);
	return out;
}

static const char *kind_name(enum sotto_ledger_kind kind)
{
	switch (kind) {
	case SOTTO_LEDGER_RELEASE:
		return "release";
	case SOTTO_LEDGER_CLOCK:
		return "clock";
	case SOTTO_LEDGER_POLICY:
		return "policy";
	case SOTTO_LEDGER_SHARED:
		return "shared";
	}
	return "release";
}

/* An exception ends the visit. */
static enum sotto_status add_entry(PyObject *list, const struct sotto_ledger_entry *e)
{
	PyObject *entry = PyDict_New();
	bool done = native_put(entry, "kind", native_text(kind_name(e->kind))) &&
		    native_put(entry, "number", PyLong_FromUnsignedLongLong(e->number)) &&
		    native_put(entry, "time", PyLong_FromLongLong(e->time)) &&
		    native_put(entry, "analyst", native_text(e->analyst)) &&
		    native_put(entry, "query", native_text(e->query)) &&
		    native_put(entry, "cost", native_cost(e->cost)) &&
		    native_put(entry, "answered", PyBool_FromLong(e->answered)) &&
		    PyList_Append(list, entry) == 0;

	Py_XDECREF(entry);
	return done ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status list_entry(void *context, const struct sotto_ledger_entry *e)
{
	PyGILState_STATE lock = PyGILState_Ensure();
	enum sotto_status st = add_entry(context, e);

	PyGILState_Release(lock);
	return st;
}

static PyObject *session_history(PyObject *self, PyObject *args)
{
	struct sotto_ledger *ledger = NULL;
	struct sotto_error err = {""};
	struct sotto_session *s;
	PyObject *capsule, *out;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	s = session_of(capsule);
	out = s ? PyList_New(0) : NULL;
	if (!out)
		return NULL;
	NATIVE_UNLOCKED(st, sotto_session_ledger(s, &ledger, &err));
	if (st == SOTTO_OK)
		NATIVE_UNLOCKED(st, sotto_ledger_each(ledger, list_entry, out, &err));
	if (st == SOTTO_OK)
		return out;
	Py_DECREF(out);
	return PyErr_Occurred() ? NULL : native_raise(st, &err);
}

PyMethodDef native_session_functions[] = {
	{"session_open", session_open, METH_VARARGS, NULL},
	{"session_close", session_close, METH_VARARGS, NULL},
	{"session_query", session_query, METH_VARARGS, NULL},
	{"session_explain", session_explain, METH_VARARGS, NULL},
	{"session_preview", session_preview, METH_VARARGS, NULL},
	{"session_tables", session_tables, METH_VARARGS, NULL},
	{"session_budget", session_budget, METH_VARARGS, NULL},
	{"session_history", session_history, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
