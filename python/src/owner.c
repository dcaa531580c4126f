/* The owner's acts: making a ledger, sealing, accepting a policy: sotto/query.h, sotto/seal.h. */
#include "native.h"

#include <stdlib.h>

/* (policy): the path of the ledger */
static PyObject *policy_create_ledger(PyObject *self, PyObject *args)
{
	struct sotto_error err = {""};
	enum sotto_status st;
	const char *policy;
	char *path = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &policy))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_policy_create_ledger(policy, SOTTO_NEIGHBOURS_ADD_REMOVE,
						       &path, &err));
	return st == SOTTO_OK ? native_take_text(path) : native_raise(st, &err);
}

/* (policy, who): what changed */
static PyObject *policy_accept(PyObject *self, PyObject *args)
{
	struct sotto_error err = {""};
	const char *policy, *who;
	char *difference = NULL;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "ss", &policy, &who))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_policy_accept(policy, who, &difference, &err));
	return st == SOTTO_OK ? native_take_text(difference) : native_raise(st, &err);
}

static PyObject *flaws_of(const struct sotto_sealed_table *t)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < t->flaw_count; i++) {
		PyObject *flaw = Py_BuildValue("(KN)", (unsigned long long)t->flaws[i].line,
					       native_text(t->flaws[i].reason));

		if (!flaw || PyList_Append(out, flaw) < 0)
			Py_CLEAR(out);
		Py_XDECREF(flaw);
	}
	return out;
}

/* (policy): [(table, refused, records, flaws), ...] */
static PyObject *policy_seal(PyObject *self, PyObject *args)
{
	struct sotto_seal_report *report = NULL;
	struct sotto_error err = {""};
	enum sotto_status st;
	const char *policy;
	PyObject *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &policy))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_policy_seal(policy, NULL, &report, &err));
	if (st != SOTTO_OK)
		return native_raise(st, &err);
	out = PyList_New(0);
	for (size_t i = 0; out && i < report->table_count; i++) {
		const struct sotto_sealed_table *t = &report->tables[i];
		PyObject *table = Py_BuildValue("(NNKN)", native_text(t->name),
						PyBool_FromLong(t->state == SOTTO_SEAL_REFUSED),
						(unsigned long long)t->records, flaws_of(t));

		if (!table || PyList_Append(out, table) < 0)
			Py_CLEAR(out);
		Py_XDECREF(table);
	}
	sotto_seal_report_free(report);
	return out;
}

PyMethodDef native_owner_functions[] = {
	{"policy_create_ledger", policy_create_ledger, METH_VARARGS, NULL},
	{"policy_accept", policy_accept, METH_VARARGS, NULL},
	{"policy_seal", policy_seal, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
