/* Reports from devices: designing, encoding, counting: sotto/local.h, client.h, collect.h. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

#include "local.h"

const char native_aggregate_name[] = "sotto.aggregate";

/* Parameters from their bytes; false with an exception. */
static bool params_read(const char *bytes, Py_ssize_t n, struct sotto_client_params *out)
{
	enum sotto_status st = SOTTO_EINVAL;

	if (n == SOTTO_CLIENT_PARAMS_BYTES)
		st = sotto_client_params_load(out, (const uint8_t *)bytes);
	if (st == SOTTO_OK)
		return true;
	(void)native_raise(
		st, &(struct sotto_error){"these are not the parameters of a collection"});
	return false;
}

static PyObject *params_bytes(const struct sotto_client_params *params)
{
	uint8_t bytes[SOTTO_CLIENT_PARAMS_BYTES];

	sotto_client_params_store(params, bytes);
	return PyBytes_FromStringAndSize((const char *)bytes, sizeof bytes);
}

/* (text): the parameters as bytes */
static PyObject *local_params(PyObject *self, PyObject *args)
{
	struct sotto_client_params params;
	struct sotto_error err = {""};
	enum sotto_status st;
	const char *text;
	Py_ssize_t n;

	(void)self;
	if (!PyArg_ParseTuple(args, "s#", &text, &n))
		return NULL;
	st = sotto_local_params_parse(text, (size_t)n, &params, &err);
	return st == SOTTO_OK ? params_bytes(&params) : native_raise(st, &err);
}

/* (parameters, reports): what they are and what they cost */
static PyObject *local_describe(PyObject *self, PyObject *args)
{
	struct sotto_client_params params;
	struct sotto_local_privacy privacy;
	unsigned long long reports;
	enum sotto_status st;
	const char *bytes;
	PyObject *out;
	Py_ssize_t n;
	bool done;

	(void)self;
	if (!PyArg_ParseTuple(args, "y#K", &bytes, &n, &reports) ||
	    !params_read(bytes, n, &params))
		return NULL;
	sotto_local_privacy_init(&privacy);
	st = sotto_local_privacy_state(&params, reports, &privacy);
	out = st == SOTTO_OK ? PyDict_New() : native_raise(st, NULL);
	done = out &&
	       native_put(out, "protocol",
			  native_text(sotto_local_protocol_name(params.protocol))) &&
	       native_put(out, "size", PyLong_FromUnsignedLong(params.size)) &&
	       native_put(out, "width", PyLong_FromUnsignedLong(params.width)) &&
	       native_put(out, "hashes", PyLong_FromUnsignedLong(params.hashes)) &&
	       native_put(out, "groups", PyLong_FromUnsignedLong(params.groups)) &&
	       native_put(out, "memoize", PyBool_FromLong((long)params.memoize)) &&
	       native_put(out, "takes_number",
			  PyBool_FromLong(sotto_client_takes_number(&params))) &&
	       native_put(out, "report_bytes",
			  PyLong_FromSize_t(sotto_client_report_bytes(&params))) &&
	       native_put(out, "epsilon", PyFloat_FromDouble(privacy.report)) &&
	       native_put(out, "after", PyFloat_FromDouble(privacy.after)) &&
	       native_put(out, "permanent", PyFloat_FromDouble(privacy.permanent)) &&
	       native_put(out, "lifetime", PyFloat_FromDouble(privacy.lifetime));
	sotto_local_privacy_release(&privacy);
	if (!done)
		Py_CLEAR(out);
	return out;
}

/* ---- which protocol -------------------------------------------------------------------------- */

static PyObject *choice_dict(const struct sotto_local_choice *c)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "protocol",
			       native_text(sotto_local_protocol_name(c->params.protocol))) &&
		    native_put(out, "params", params_bytes(&c->params)) &&
		    native_put(out, "report_bytes", PyLong_FromSize_t(c->report_bytes)) &&
		    native_put(out, "sd", PyFloat_FromDouble(c->sd)) &&
		    native_put(out, "detects", PyFloat_FromDouble(c->detects)) &&
		    native_put(out, "epsilon", PyFloat_FromDouble(c->epsilon)) &&
		    native_put(out, "after", PyFloat_FromDouble(c->after)) &&
		    native_put(out, "permanent", PyFloat_FromDouble(c->permanent)) &&
		    native_put(out, "best", PyBool_FromLong(c->best));

	if (!done)
		Py_CLEAR(out);
	return out;
}

/* (users, values, epsilon, reports, memoize, alpha) */
static PyObject *local_plan(PyObject *self, PyObject *args)
{
	struct sotto_local_choice choices[SOTTO_LOCAL_CHOICES];
	struct sotto_local_question q;
	unsigned long long users, values, reports;
	struct sotto_error err = {""};
	struct native_number epsilon;
	enum sotto_status st;
	size_t count = 0;
	PyObject *out;
	double alpha;
	int memoize;

	(void)self;
	if (!PyArg_ParseTuple(args, "KKO&Kpd", &users, &values, native_number, &epsilon,
			      &reports, &memoize, &alpha))
		return NULL;
	q = (struct sotto_local_question){users,   values,  &epsilon.value,
					  reports, memoize, alpha};
	st = sotto_local_plan(&q, choices, &count, &err);
	native_number_release(&epsilon);
	if (st != SOTTO_OK)
		return native_raise(st, &err);
	out = PyList_New(0);
	for (size_t i = 0; out && i < count; i++) {
		PyObject *choice = choice_dict(&choices[i]);

		if (!choice || PyList_Append(out, choice) < 0)
			Py_CLEAR(out);
		Py_XDECREF(choice);
	}
	return out;
}

/* ---- encoding -------------------------------------------------------------------------------- */

static int fill(void *rng, uint8_t *out, size_t n)
{
	return sotto_rng_fill(rng, out, n) == SOTTO_OK ? 0 : -1;
}

struct encoding {
	struct sotto_client_params params;
	struct sotto_client_secrets secrets;
	const uint8_t *keys; /* 32 bytes a device; NULL: every device is new */
	const uint64_t *numbers; /* or texts */
	struct native_texts texts;
	size_t count, each;
	uint8_t *out;
};

static enum sotto_status encode_one(const struct encoding *e, struct sotto_rng *rng, size_t i)
{
	struct sotto_client_secrets secrets = e->secrets;
	struct sotto_client client;
	uint8_t key[32], *out = e->out + i * e->each;
	enum sotto_status st;
	size_t used = 0;

	secrets.key = e->keys ? e->keys + 32 * i : key;
	if (!e->keys && sotto_rng_fill(rng, key, sizeof key) != SOTTO_OK)
		return SOTTO_EENTROPY;
	st = sotto_client_init(&client, &e->params, &secrets);
	if (st == SOTTO_OK)
		st = e->numbers ? sotto_client_encode_number(&client, e->numbers[i], out,
							     e->each, &used)
				: sotto_client_encode(&client, e->texts.texts[i],
						      e->texts.lengths[i], out, e->each, &used);
	return st;
}

static enum sotto_status encode_all(const struct encoding *e, struct sotto_rng *rng)
{
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < e->count; i++)
		st = encode_one(e, rng, i);
	return st;
}

static PyObject *encode_into(struct encoding *e)
{
	struct sotto_rng *rng = native_rng();
	PyObject *out = NULL;
	enum sotto_status st;

	e->each = sotto_client_report_bytes(&e->params);
	e->secrets.fill = fill;
	e->secrets.context = rng;
	e->out = rng ? calloc(e->count + 1, e->each) : NULL;
	if (e->out) {
		NATIVE_UNLOCKED(st, encode_all(e, rng));
		out = st == SOTTO_OK
			      ? PyBytes_FromStringAndSize((const char *)e->out,
							  (Py_ssize_t)(e->count * e->each))
			      : native_raise(st, NULL);
	} else if (rng) {
		PyErr_NoMemory();
	}
	free(e->out);
	return out;
}

/* (parameters, metric, keys or None, address of numbers or 0, how many, list of values or None) */
static PyObject *local_encode(PyObject *self, PyObject *args)
{
	const char *bytes, *metric, *keys;
	Py_ssize_t n, metric_length, keys_length;
	struct encoding e = {.count = 0};
	unsigned long long numbers, count;
	PyObject *values, *out = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args, "y#y#z#KKO", &bytes, &n, &metric, &metric_length, &keys,
			      &keys_length, &numbers, &count, &values) ||
	    !params_read(bytes, n, &e.params))
		return NULL;
	if (!numbers && !native_texts_read(&e.texts, values))
		return NULL;
	e.numbers = (const uint64_t *)(uintptr_t)numbers;
	e.count = numbers ? count : e.texts.count;
	e.keys = (const uint8_t *)keys;
	e.secrets.id = metric;
	e.secrets.id_length = (size_t)metric_length;
	if (keys && (size_t)keys_length != 32 * e.count)
		(void)native_refuse("a key has 32 bytes, one for each device");
	else
		out = encode_into(&e);
	native_texts_release(&e.texts);
	return out;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void end(PyObject *capsule)
{
	sotto_local_aggregate_free(PyCapsule_GetPointer(capsule, native_aggregate_name));
}

static PyObject *aggregate_new(PyObject *self, PyObject *args)
{
	struct sotto_local_aggregate *made = NULL;
	struct sotto_client_params params;
	enum sotto_status st;
	const char *bytes;
	Py_ssize_t n;

	(void)self;
	if (!PyArg_ParseTuple(args, "y#", &bytes, &n) || !params_read(bytes, n, &params))
		return NULL;
	st = sotto_local_aggregate_new(&params, &made);
	return st == SOTTO_OK ? PyCapsule_New(made, native_aggregate_name, end)
			      : native_raise(st, NULL);
}

/* Making a batch of reports checks them: foreign bytes are not counted. */
static enum sotto_status
add_checked(struct sotto_local_aggregate *a, const uint8_t *reports, size_t count)
{
	struct sotto_local_batch batch = {.params = *sotto_local_aggregate_counts(a).params,
					  .reports = count};
	uint8_t *made = NULL;
	size_t length;
	enum sotto_status st = sotto_local_batch_make(&batch, reports, &made, &length);

	free(made);
	return st == SOTTO_OK ? sotto_local_aggregate_add(a, reports, count) : st;
}

/* (aggregate, reports): how many there are now */
static PyObject *aggregate_add(PyObject *self, PyObject *args)
{
	struct sotto_local_aggregate *a;
	const char *bytes;
	PyObject *capsule;
	enum sotto_status st = SOTTO_EINVAL;
	Py_ssize_t n;
	size_t each;

	(void)self;
	if (!PyArg_ParseTuple(args, "Oy#", &capsule, &bytes, &n))
		return NULL;
	a = native_get(capsule, native_aggregate_name);
	if (!a)
		return NULL;
	each = sotto_client_report_bytes(sotto_local_aggregate_counts(a).params);
	if (n > 0 && (size_t)n % each == 0)
		NATIVE_UNLOCKED(st, add_checked(a, (const uint8_t *)bytes, (size_t)n / each));
	if (st != SOTTO_OK && n > 0)
		return native_raise(
			st, &(struct sotto_error){"some of these bytes are not reports of this "
						  "collection; none was counted"});
	return PyLong_FromUnsignedLongLong(sotto_local_aggregate_counts(a).reports);
}

static PyObject *aggregate_merge(PyObject *self, PyObject *args)
{
	struct sotto_local_aggregate *into, *from;
	struct sotto_error err = {""};
	PyObject *first, *second;

	(void)self;
	if (!PyArg_ParseTuple(args, "OO", &first, &second))
		return NULL;
	into = native_get(first, native_aggregate_name);
	from = into ? native_get(second, native_aggregate_name) : NULL;
	return from ? native_done(sotto_local_aggregate_merge(into, from, &err), &err) : NULL;
}

PyMethodDef native_local_functions[] = {
	{"local_params", local_params, METH_VARARGS, NULL},
	{"local_describe", local_describe, METH_VARARGS, NULL},
	{"local_plan", local_plan, METH_VARARGS, NULL},
	{"local_encode", local_encode, METH_VARARGS, NULL},
	{"aggregate_new", aggregate_new, METH_VARARGS, NULL},
	{"aggregate_add", aggregate_add, METH_VARARGS, NULL},
	{"aggregate_merge", aggregate_merge, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
