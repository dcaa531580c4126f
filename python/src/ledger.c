/* What a policy's ledger says: sotto/ledger.h. */
#include "native.h"

static PyObject *totals_of(const struct sotto_ledger_totals *t)
{
	PyObject *out = PyDict_New();
	bool done =
		native_put(out, "budget", native_pair(&t->budget.epsilon, &t->budget.delta)) &&
		native_put(out, "spent", native_pair(&t->spent.epsilon, &t->spent.delta)) &&
		native_put(out, "rho",
			   t->spent.bounded ? native_text(NULL)
					    : native_fraction(&t->spent.rho)) &&
		native_put(out, "left", native_pair(&t->left.epsilon, &t->left.delta)) &&
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
	s = native_session(capsule);
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
	case SOTTO_LEDGER_PARTLY_SHARED:
		return "partly shared";
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
	s = native_session(capsule);
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

PyMethodDef native_ledger_functions[] = {
	{"session_budget", session_budget, METH_VARARGS, NULL},
	{"session_history", session_history, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
