/* Mechanisms that add noise to numbers, and randomized response: made, used, calibrated. */
#include "native.h"

#include <stdlib.h>

#include "noise_law.h"

static const char capsule_name[] = "sotto.mechanism";

/* ---- making one ------------------------------------------------------------------------------ */

static void end(PyObject *capsule)
{
	struct noise_mechanism *m = PyCapsule_GetPointer(capsule, capsule_name);

	if (!m)
		return;
	m->law->free(m);
	free(m);
}

/* Takes what is inside *made, also on failure. */
static PyObject *
keep(struct noise_mechanism *made, enum sotto_status st, const struct sotto_error *err)
{
	struct noise_mechanism *m;
	PyObject *out;

	if (st != SOTTO_OK)
		return native_raise(st, err);
	m = malloc(sizeof *m);
	if (!m) {
		made->law->free(made);
		return PyErr_NoMemory();
	}
	*m = *made;
	out = PyCapsule_New(m, capsule_name, end);
	if (!out) {
		m->law->free(m);
		free(m);
	}
	return out;
}

static PyObject *noise_laplace(PyObject *self, PyObject *args)
{
	struct noise_mechanism m = {.law = &noise_laplace_law};
	struct native_number epsilon;
	struct sotto_laplace *made = NULL;
	long long sensitivity;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&L", native_number, &epsilon, &sensitivity))
		return NULL;
	m.sensitivity = sensitivity;
	st = sotto_laplace_new(&epsilon.value, sensitivity, &made);
	m.of = made;
	native_number_release(&epsilon);
	return keep(&m, st, NULL);
}

static PyObject *noise_gaussian(PyObject *self, PyObject *args)
{
	struct noise_mechanism m = {.law = &noise_gaussian_law};
	struct native_number sigma2;
	struct sotto_gaussian *made = NULL;
	long long sensitivity;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&L", native_number, &sigma2, &sensitivity))
		return NULL;
	m.sensitivity = sensitivity;
	NATIVE_UNLOCKED(st, sotto_gaussian_new(&sigma2.value, &made));
	m.of = made;
	native_number_release(&sigma2);
	return keep(&m, st, NULL);
}

static PyObject *noise_staircase(PyObject *self, PyObject *args)
{
	struct noise_mechanism m = {.law = &noise_staircase_law};
	struct sotto_error err = {""};
	struct native_number epsilon;
	struct sotto_staircase *made = NULL;
	long long sensitivity, tread;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&LL", native_number, &epsilon, &sensitivity, &tread))
		return NULL;
	st = sotto_staircase_new(&epsilon.value, sensitivity, tread, &made, &err);
	m.of = made;
	native_number_release(&epsilon);
	return keep(&m, st, &err);
}

static PyObject *noise_truncated(PyObject *self, PyObject *args)
{
	struct noise_mechanism m = {.law = &noise_truncated_law};
	struct sotto_error err = {""};
	struct native_number epsilon;
	struct sotto_truncated *made = NULL;
	long long sensitivity, low, high;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&LLL", native_number, &epsilon, &sensitivity, &low,
			      &high))
		return NULL;
	st = sotto_truncated_new(&epsilon.value, sensitivity, (struct sotto_range){low, high},
				 &made, &err);
	m.of = made;
	native_number_release(&epsilon);
	return keep(&m, st, &err);
}

static PyObject *noise_coins(PyObject *self, PyObject *args)
{
	struct noise_mechanism m = {.law = &noise_coins_law};
	struct sotto_error err = {""};
	struct native_number truth, yes;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O&", native_number, &truth, native_number, &yes))
		return NULL;
	st = sotto_randomized_response_init(&m.coins, &truth.value, &yes.value, &err);
	native_number_release(&truth);
	native_number_release(&yes);
	return keep(&m, st, &err);
}

static PyObject *noise_kary(PyObject *self, PyObject *args)
{
	struct noise_mechanism m = {.law = &noise_kary_law};
	struct sotto_error err = {""};
	struct native_number epsilon;
	struct sotto_kary_response *made = NULL;
	unsigned long long k;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&K", native_number, &epsilon, &k))
		return NULL;
	st = sotto_kary_response_new(&epsilon.value, k, &made, &err);
	m.of = made;
	native_number_release(&epsilon);
	return keep(&m, st, &err);
}

/* ---- using one ------------------------------------------------------------------------------- */

/* (mechanism, address of int64 values, address for as many, how many) */
static PyObject *noise_publish(PyObject *self, PyObject *args)
{
	unsigned long long from, to, n;
	struct noise_mechanism *m;
	struct sotto_rng *rng;
	enum sotto_status st;
	PyObject *capsule;

	(void)self;
	if (!PyArg_ParseTuple(args, "OKKK", &capsule, &from, &to, &n))
		return NULL;
	m = native_get(capsule, capsule_name);
	rng = m ? native_rng() : NULL;
	if (!rng)
		return NULL;
	NATIVE_UNLOCKED(st, m->law->publish(m, rng, (const struct sotto_exact *)(uintptr_t)from,
					    (struct sotto_noisy *)(uintptr_t)to, n));
	return native_done(st, NULL);
}

static PyObject *noise_publish_one(PyObject *self, PyObject *args)
{
	struct sotto_noisy out = {0};
	struct sotto_exact x;
	struct noise_mechanism *m;
	struct sotto_rng *rng;
	enum sotto_status st;
	PyObject *capsule;
	long long value;

	(void)self;
	if (!PyArg_ParseTuple(args, "OL", &capsule, &value))
		return NULL;
	x = sotto_exact_of(value);
	m = native_get(capsule, capsule_name);
	rng = m ? native_rng() : NULL;
	if (!rng)
		return NULL;
	st = m->law->publish(m, rng, &x, &out, 1);
	return st == SOTTO_OK ? PyLong_FromLongLong(out.value) : native_raise(st, NULL);
}

static PyObject *noise_cost(PyObject *self, PyObject *args)
{
	struct sotto_cost cost;
	struct noise_mechanism *m;
	enum sotto_status st;
	PyObject *capsule, *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	m = native_get(capsule, capsule_name);
	if (!m)
		return NULL;
	sotto_cost_init(&cost);
	st = m->law->cost(m, &cost);
	out = st == SOTTO_OK ? native_cost(&cost) : native_raise(st, NULL);
	sotto_cost_release(&cost);
	return out;
}

/* (mechanism, how many values, beta): in steps; None where there is no such bound */
static PyObject *noise_error(PyObject *self, PyObject *args)
{
	struct native_number beta;
	struct noise_mechanism *m;
	enum sotto_status st;
	unsigned long long n;
	int64_t error = 0;
	PyObject *capsule;

	(void)self;
	if (!PyArg_ParseTuple(args, "OKO&", &capsule, &n, native_number, &beta))
		return NULL;
	m = native_get(capsule, capsule_name);
	if (!m || !m->law->error) {
		native_number_release(&beta);
		return m ? native_text(NULL) : NULL;
	}
	NATIVE_UNLOCKED(st, m->law->error(m, n, &beta.value, &error));
	native_number_release(&beta);
	return st == SOTTO_OK ? PyLong_FromLongLong(error) : native_raise(st, NULL);
}

/* ---- before one is made ---------------------------------------------------------------------- */

/* (epsilon, delta, sensitivity, dimension): sigma2 */
static PyObject *noise_gaussian_calibrate(PyObject *self, PyObject *args)
{
	struct native_number epsilon, delta;
	unsigned long long dimension;
	struct sotto_rational sigma2;
	long long sensitivity;
	enum sotto_status st;
	PyObject *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O&LK", native_number, &epsilon, native_number, &delta,
			      &sensitivity, &dimension))
		return NULL;
	sotto_rational_init(&sigma2);
	NATIVE_UNLOCKED(st, sotto_gaussian_calibrate_up(&epsilon.value, &delta.value,
							sensitivity, dimension, &sigma2));
	out = st == SOTTO_OK ? native_fraction(&sigma2) : native_raise(st, NULL);
	sotto_rational_release(&sigma2);
	native_number_release(&epsilon);
	native_number_release(&delta);
	return out;
}

/* (rho, sensitivity): sigma2 */
static PyObject *noise_gaussian_zcdp(PyObject *self, PyObject *args)
{
	struct native_number rho;
	struct sotto_rational sigma2;
	long long sensitivity;
	enum sotto_status st;
	PyObject *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&L", native_number, &rho, &sensitivity))
		return NULL;
	sotto_rational_init(&sigma2);
	st = sotto_gaussian_zcdp(&rho.value, sensitivity, &sigma2);
	out = st == SOTTO_OK ? native_fraction(&sigma2) : native_raise(st, NULL);
	sotto_rational_release(&sigma2);
	native_number_release(&rho);
	return out;
}

/* (step, sensitivity, dimension, Euclidean): the sensitivity in whole steps, after rounding */
static PyObject *noise_grid_sensitivity(PyObject *self, PyObject *args)
{
	struct native_number step, sensitivity;
	unsigned long long dimension;
	struct sotto_grid grid;
	enum sotto_status st;
	int64_t steps = 0;
	int euclidean;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O&Kp", native_number, &step, native_number, &sensitivity,
			      &dimension, &euclidean))
		return NULL;
	sotto_grid_init(&grid);
	st = sotto_grid_set_step(&grid, &step.value);
	if (st == SOTTO_OK)
		st = euclidean ? sotto_grid_sensitivity_l2_up(&grid, &sensitivity.value,
							      dimension, &steps)
			       : sotto_grid_sensitivity_l1_up(&grid, &sensitivity.value,
							      dimension, &steps);
	sotto_grid_release(&grid);
	native_number_release(&step);
	native_number_release(&sensitivity);
	return st == SOTTO_OK ? PyLong_FromLongLong(steps) : native_raise(st, NULL);
}

/* (truth, yes, answers of yes, answers, beta): share, deviation, low, high */
static PyObject *noise_coins_estimate(PyObject *self, PyObject *args)
{
	struct sotto_randomized_response m;
	struct sotto_share_estimate e;
	struct sotto_error err = {""};
	struct native_number truth, yes;
	unsigned long long count, n;
	enum sotto_status st;
	double beta;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O&KKd", native_number, &truth, native_number, &yes,
			      &count, &n, &beta))
		return NULL;
	st = sotto_randomized_response_init(&m, &truth.value, &yes.value, &err);
	if (st == SOTTO_OK) {
		st = sotto_randomized_response_estimate(&m, count, n, beta, &e);
		sotto_randomized_response_release(&m);
	}
	native_number_release(&truth);
	native_number_release(&yes);
	return st == SOTTO_OK ? Py_BuildValue("(dddd)", e.share, e.deviation, e.low, e.high)
			      : native_raise(st, &err);
}

PyMethodDef native_noise_functions[] = {
	{"laplace", noise_laplace, METH_VARARGS, NULL},
	{"gaussian", noise_gaussian, METH_VARARGS, NULL},
	{"staircase", noise_staircase, METH_VARARGS, NULL},
	{"truncated", noise_truncated, METH_VARARGS, NULL},
	{"coins", noise_coins, METH_VARARGS, NULL},
	{"kary", noise_kary, METH_VARARGS, NULL},
	{"publish", noise_publish, METH_VARARGS, NULL},
	{"publish_one", noise_publish_one, METH_VARARGS, NULL},
	{"mechanism_cost", noise_cost, METH_VARARGS, NULL},
	{"mechanism_error", noise_error, METH_VARARGS, NULL},
	{"gaussian_calibrate", noise_gaussian_calibrate, METH_VARARGS, NULL},
	{"gaussian_zcdp", noise_gaussian_zcdp, METH_VARARGS, NULL},
	{"grid_sensitivity", noise_grid_sensitivity, METH_VARARGS, NULL},
	{"coins_estimate", noise_coins_estimate, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
