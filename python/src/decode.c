/* Estimates from counted reports, simulation, and the bound of an auditor: sotto/decode.h,
 * rappor.h, local.h, audit.h. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

#include "local.h"

/* What is asked about, and how sure one wants to be. */
struct decoding {
	struct sotto_local_aggregate *aggregate;
	struct sotto_local_options options;
	struct native_texts texts;
	uint64_t *numbers; /* NULL: texts, or all numbers */
	size_t count;
	bool is_text;
	struct sotto_local_estimate *estimates;
	struct sotto_local_fit fit;
	bool has_fit;
};

/* RAPPOR over strings is explained by regression, whatever else has its own decoder. */
static enum sotto_status decode_rappor(struct decoding *d, struct sotto_error *err)
{
	const struct sotto_client_params *params =
		sotto_local_aggregate_counts(d->aggregate).params;
	const void *const *texts = (const void *const *)(const void *)d->texts.texts;
	struct sotto_local_cohorts cohorts;
	struct sotto_local_map map = {0};
	enum sotto_status st = sotto_local_rappor_cohorts(d->aggregate, &cohorts);

	if (st == SOTTO_OK)
		st = sotto_local_map_native(params, texts, d->texts.lengths, d->count, &map);
	if (st == SOTTO_OK)
		st = sotto_local_rappor_decode(&cohorts, &map, &d->options, d->estimates,
					       &d->fit, err);
	d->has_fit = st == SOTTO_OK;
	sotto_local_map_release(&map);
	return st;
}

static enum sotto_status decode(struct decoding *d, struct sotto_error *err)
{
	struct sotto_local_candidates c = {.count = d->count, .numbers = d->numbers};

	if (d->is_text &&
	    sotto_local_aggregate_counts(d->aggregate).params->protocol == SOTTO_CLIENT_RAPPOR)
		return decode_rappor(d, err);
	if (d->is_text) {
		c.strings = (const void *const *)(const void *)d->texts.texts;
		c.lengths = d->texts.lengths;
	}
	return sotto_local_decode(d->aggregate, &c, &d->options, d->estimates, err);
}

static PyObject *estimate_list(const struct decoding *d)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < d->count; i++) {
		const struct sotto_local_estimate *e = &d->estimates[i];
		PyObject *row =
			Py_BuildValue("(dddddNd)", e->count, e->sd, e->low, e->high,
				      e->p_adjusted, PyBool_FromLong(e->significant), e->post);

		if (!row || PyList_Append(out, row) < 0)
			Py_CLEAR(out);
		Py_XDECREF(row);
	}
	return out;
}

static bool read_numbers(struct decoding *d, PyObject *list)
{
	Py_ssize_t n = PySequence_Size(list);

	d->count = n > 0 ? (size_t)n : 0;
	d->numbers = calloc(d->count + 1, sizeof *d->numbers);
	if (!d->numbers)
		PyErr_NoMemory();
	for (size_t i = 0; !PyErr_Occurred() && i < d->count; i++) {
		PyObject *item = PySequence_GetItem(list, (Py_ssize_t)i);

		if (item)
			d->numbers[i] = PyLong_AsUnsignedLongLong(item);
		Py_XDECREF(item);
	}
	return !PyErr_Occurred();
}

/* (aggregate, is text, candidates, alpha, simultaneous): (estimates, fit or None) */
static PyObject *local_decode(PyObject *self, PyObject *args)
{
	struct decoding d = {.options = {.alpha = 0.05}};
	struct sotto_error err = {""};
	PyObject *capsule, *list, *out = NULL;
	int is_text, simultaneous;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "OpOdp", &capsule, &is_text, &list, &d.options.alpha,
			      &simultaneous))
		return NULL;
	d.is_text = is_text;
	d.options.simultaneous = simultaneous;
	d.aggregate = native_get(capsule, native_aggregate_name);
	if (!d.aggregate ||
	    !(is_text ? native_texts_read(&d.texts, list) : read_numbers(&d, list)))
		return NULL;
	if (is_text)
		d.count = d.texts.count;
	d.estimates = calloc(d.count + 1, sizeof *d.estimates);
	if (d.estimates) {
		NATIVE_UNLOCKED(st, decode(&d, &err));
		if (st != SOTTO_OK)
			out = native_raise(st, &err);
		else if (d.has_fit)
			out = Py_BuildValue("(N{s:d,s:d,s:d})", estimate_list(&d), "dispersion",
					    d.fit.dispersion, "misfit_p", d.fit.misfit_p,
					    "other", d.fit.other);
		else
			out = Py_BuildValue("(NO)", estimate_list(&d), Py_None);
	} else {
		PyErr_NoMemory();
	}
	free(d.estimates);
	free(d.numbers);
	native_texts_release(&d.texts);
	return out;
}

/* (aggregate, alpha): (mean, sd, low, high) */
static PyObject *local_decode_mean(PyObject *self, PyObject *args)
{
	struct sotto_local_aggregate *a;
	struct sotto_local_mean m;
	PyObject *capsule;
	enum sotto_status st;
	double alpha;

	(void)self;
	if (!PyArg_ParseTuple(args, "Od", &capsule, &alpha))
		return NULL;
	a = native_get(capsule, native_aggregate_name);
	if (!a)
		return NULL;
	st = sotto_local_decode_mean(a, alpha, &m);
	return st == SOTTO_OK ? Py_BuildValue("(dddd)", m.mean, m.sd, m.low, m.high)
			      : native_raise(st, NULL);
}

/* (distribution, values, users, seed, address for the counts) */
static PyObject *local_population(PyObject *self, PyObject *args)
{
	unsigned long long values, users, seed, to;
	struct sotto_error err = {""};
	const char *distribution;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "sKKKK", &distribution, &values, &users, &seed, &to))
		return NULL;
	NATIVE_UNLOCKED(st, sotto_local_population(distribution, values, users, seed,
						   (uint64_t *)(uintptr_t)to, &err));
	return native_done(st, &err);
}

/* (aggregate, address of counts, how many): every user is a client of its own */
static PyObject *local_simulate(PyObject *self, PyObject *args)
{
	struct sotto_local_aggregate *a;
	unsigned long long holders, values;
	struct sotto_error err = {""};
	struct sotto_rng *rng;
	PyObject *capsule;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "OKK", &capsule, &holders, &values))
		return NULL;
	a = native_get(capsule, native_aggregate_name);
	rng = a ? native_rng() : NULL;
	if (!rng)
		return NULL;
	NATIVE_UNLOCKED(st, sotto_local_simulate(a, (const uint64_t *)(uintptr_t)holders,
						 values, rng, &err));
	return native_done(st, &err);
}

/* (hits, misses, trials, alpha): what they prove */
static PyObject *epsilon_at_least(PyObject *self, PyObject *args)
{
	unsigned long long hits, misses, trials;
	double alpha;

	(void)self;
	if (!PyArg_ParseTuple(args, "KKKd", &hits, &misses, &trials, &alpha))
		return NULL;
	return PyFloat_FromDouble(sotto_audit_epsilon_down(
		hits, misses, trials, &(struct sotto_audit_level){.alpha = alpha}));
}

PyMethodDef native_decode_functions[] = {
	{"local_decode", local_decode, METH_VARARGS, NULL},
	{"local_decode_mean", local_decode_mean, METH_VARARGS, NULL},
	{"local_population", local_population, METH_VARARGS, NULL},
	{"local_simulate", local_simulate, METH_VARARGS, NULL},
	{"epsilon_at_least", epsilon_at_least, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
