/* Tables for every level of a hierarchy that add up: sotto/census.h. */
#include "native.h"

#include <string.h>

/* (plan): JSON */
static PyObject *census_check(PyObject *self, PyObject *args)
{
	struct sotto_error err = {""};
	enum sotto_status st;
	char *text = NULL;
	const char *plan;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &plan))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_census_check(plan, &text, &err));
	return st == SOTTO_OK ? native_take_text(text) : native_raise(st, &err);
}

/* (plan, node): JSON */
static PyObject *census_explain(PyObject *self, PyObject *args)
{
	struct sotto_error err = {""};
	const char *plan, *node;
	enum sotto_status st;
	char *text = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args, "ss", &plan, &node))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_census_explain(plan, node, &text, &err));
	return st == SOTTO_OK ? native_take_text(text) : native_raise(st, &err);
}

/* Python reads the two numbers while the release runs. */
static void note_progress(void *context, uint64_t done, uint64_t total)
{
	uint64_t *numbers = context;

	__atomic_store_n(&numbers[1], total, __ATOMIC_RELAXED);
	__atomic_store_n(&numbers[0], done, __ATOMIC_RELAXED);
}

static enum sotto_status release(struct sotto_census_request *r, struct sotto_error *err)
{
	struct sotto_session *session = NULL;
	enum sotto_status st = SOTTO_OK;

	if (r->policy) {
		st = sotto_session_open(r->policy, &session, err);
		if (st == SOTTO_OK)
			st = sotto_session_ledger(session, &r->ledger, err);
	}
	if (st == SOTTO_OK)
		st = sotto_census_release(r, err);
	sotto_session_close(session);
	return st;
}

/* (plan, policy, analyst, threads, resume, address of two numbers for the progress) */
static PyObject *census_release(PyObject *self, PyObject *args)
{
	struct sotto_census_request r = {.progress = note_progress};
	struct sotto_error err = {""};
	unsigned long long progress;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "szzIzK", &r.plan, &r.policy, &r.analyst, &r.threads,
			      &r.resume, &progress))
		return NULL;
	r.progress_context = (void *)(uintptr_t)progress;
	NATIVE_UNLOCKED(st, release(&r, &err));
	return native_done(st, &err);
}

/* (what, JSON, exact): JSON.  What is estimate, variance, round-l1, round-unbiased, round-fast. */
static PyObject *census_small(PyObject *self, PyObject *args)
{
	enum sotto_rounding rounding = SOTTO_ROUNDING_L1;
	struct sotto_rng *rng = native_rng();
	struct sotto_error err = {""};
	const char *what, *json;
	enum sotto_status st;
	char *text = NULL;
	int exact;

	(void)self;
	if (!rng || !PyArg_ParseTuple(args, "ssp", &what, &json, &exact))
		return NULL;
	if (strcmp(what, "round-unbiased") == 0)
		rounding = SOTTO_ROUNDING_UNBIASED;
	else if (strcmp(what, "round-fast") == 0)
		rounding = SOTTO_ROUNDING_FAST;
	if (strcmp(what, "estimate") == 0)
		NATIVE_UNLOCKED(st, sotto_census_estimate(json, exact, &text, &err));
	else if (strcmp(what, "variance") == 0)
		NATIVE_UNLOCKED(st, sotto_census_variance(json, exact, &text, &err));
	else
		NATIVE_UNLOCKED(st,
				sotto_census_round(json, exact, rounding, rng, &text, &err));
	return st == SOTTO_OK ? native_take_text(text) : native_raise(st, &err);
}

/* (folder, counties, seed) */
static PyObject *census_generate(PyObject *self, PyObject *args)
{
	struct sotto_nation_request r = {0};
	unsigned long long counties, seed;
	struct sotto_error err = {""};
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "sKK", &r.folder, &counties, &seed))
		return NULL;
	r.counties = counties;
	r.seed = seed;
	NATIVE_UNLOCKED(st, sotto_census_generate(&r, &err));
	return native_done(st, &err);
}

/* (rho, delta): (epsilon, epsilon by Bun and Steinke) */
static PyObject *census_convert(PyObject *self, PyObject *args)
{
	struct sotto_census_conversion out;
	struct native_number rho, delta;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O&", native_number, &rho, native_number, &delta))
		return NULL;
	st = sotto_census_convert(&rho.value, &delta.value, &out);
	native_number_release(&rho);
	native_number_release(&delta);
	return st == SOTTO_OK
		       ? Py_BuildValue("(dd)", out.epsilon_up, out.epsilon_bun_steinke_up)
		       : native_raise(st, NULL);
}

PyMethodDef native_census_functions[] = {
	{"census_check", census_check, METH_VARARGS, NULL},
	{"census_explain", census_explain, METH_VARARGS, NULL},
	{"census_release", census_release, METH_VARARGS, NULL},
	{"census_small", census_small, METH_VARARGS, NULL},
	{"census_generate", census_generate, METH_VARARGS, NULL},
	{"census_convert", census_convert, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
