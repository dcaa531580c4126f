/* The owner's acts: making a ledger, sealing, accepting a policy: sotto/query.h, sotto/owner.h. */
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

static PyObject *flaw_of(const void *from, size_t i)
{
	const struct sotto_seal_flaw *flaw = (const struct sotto_seal_flaw *)from + i;

	return Py_BuildValue("(KN)", (unsigned long long)flaw->line, native_text(flaw->reason));
}

static PyObject *unread_of(const void *from, size_t i)
{
	const struct sotto_seal_unread *u = (const struct sotto_seal_unread *)from + i;

	return Py_BuildValue("(NN)", native_text(u->column), native_text(u->type));
}

static PyObject *sealed_table(const void *from, size_t i)
{
	const struct sotto_sealed_table *t = (const struct sotto_sealed_table *)from + i;

	return Py_BuildValue("(NNKNN)", native_text(t->name),
			     PyBool_FromLong(t->state == SOTTO_SEAL_REFUSED),
			     (unsigned long long)t->malformed,
			     native_list(flaw_of, t->flaws, t->flaw_count),
			     native_list(unread_of, t->unread, t->unread_count));
}

/* (policy, drop malformed records): [(table, refused, how many are malformed, flaws,
   columns with values that are not of their type), ...] */
static PyObject *policy_seal(PyObject *self, PyObject *args)
{
	struct sotto_seal_report *report = NULL;
	struct sotto_error err = {""};
	enum sotto_status st;
	struct sotto_seal_options options = {0};
	const char *policy;
	PyObject *out;
	int drop;

	(void)self;
	if (!PyArg_ParseTuple(args, "sp", &policy, &drop))
		return NULL;
	options.drop_malformed = drop;
	NATIVE_UNLOCKED(st, sotto_policy_seal(policy, &options, &report, &err));
	if (st != SOTTO_OK)
		return native_raise(st, &err);
	out = native_list(sealed_table, report->tables, report->table_count);
	sotto_seal_report_free(report);
	return out;
}

PyMethodDef native_owner_functions[] = {
	{"policy_create_ledger", policy_create_ledger, METH_VARARGS, NULL},
	{"policy_accept", policy_accept, METH_VARARGS, NULL},
	{"policy_seal", policy_seal, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
