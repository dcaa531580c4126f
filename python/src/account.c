/* What many releases cost together: sotto/account.h. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

static const char capsule_name[] = "sotto.workload";

static void end(PyObject *capsule)
{
	sotto_workload_free(PyCapsule_GetPointer(capsule, capsule_name));
}

static bool read_neighbours(const char *name, enum sotto_neighbours *out)
{
	static const enum sotto_neighbours all[] = {SOTTO_ANY_NEIGHBOURS, SOTTO_ADD_REMOVE,
						    SOTTO_REPLACE};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (strcmp(name, sotto_neighbours_name(all[i])) == 0) {
			*out = all[i];
			return true;
		}
	(void)native_refuse("neighbours is '%s', '%s' or '%s', not '%.50s'",
			    sotto_neighbours_name(all[0]), sotto_neighbours_name(all[1]),
			    sotto_neighbours_name(all[2]), name);
	return false;
}

/* (neighbours) */
static PyObject *workload_new(PyObject *self, PyObject *args)
{
	enum sotto_neighbours neighbours;
	struct sotto_workload *w = NULL;
	struct sotto_error err = {""};
	enum sotto_status st;
	const char *name;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &name) || !read_neighbours(name, &neighbours))
		return NULL;
	st = sotto_workload_new(&w);
	if (st == SOTTO_OK && neighbours != SOTTO_ANY_NEIGHBOURS)
		st = sotto_workload_set_neighbours(w, neighbours, &err);
	if (st == SOTTO_OK)
		return PyCapsule_New(w, capsule_name, end);
	sotto_workload_free(w);
	return native_raise(st, &err);
}

/* (workload, text, count) */
static PyObject *workload_add(PyObject *self, PyObject *args)
{
	struct sotto_event *event = NULL;
	struct sotto_error err = {""};
	unsigned long long count;
	struct sotto_workload *w;
	enum sotto_status st;
	PyObject *capsule;
	const char *text;

	(void)self;
	if (!PyArg_ParseTuple(args, "OsK", &capsule, &text, &count))
		return NULL;
	w = native_get(capsule, capsule_name);
	if (!w)
		return NULL;
	st = sotto_event_parse(text, NULL, NULL, &event, &err);
	if (st == SOTTO_OK)
		st = sotto_workload_add(w, event, count, &err);
	sotto_event_free(event);
	return native_done(st, &err);
}

/* (workload): [(text, count), ...] */
static PyObject *workload_list(PyObject *self, PyObject *args)
{
	struct sotto_workload *w;
	PyObject *capsule, *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "O", &capsule))
		return NULL;
	w = native_get(capsule, capsule_name);
	out = w ? PyList_New(0) : NULL;
	for (size_t i = 0; out && i < sotto_workload_size(w); i++) {
		uint64_t count = 0;
		const struct sotto_event *e = sotto_workload_at(w, i, &count);
		char *text = NULL;
		enum sotto_status st = sotto_event_format(e, &text);
		PyObject *item = st == SOTTO_OK ? Py_BuildValue("(NK)", native_take_text(text),
								(unsigned long long)count)
						: native_raise(st, NULL);

		if (!item || PyList_Append(out, item) < 0)
			Py_CLEAR(out);
		Py_XDECREF(item);
	}
	return out;
}

static PyObject *answer_dict(const struct sotto_account_answer *a)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "method", native_text(sotto_method_name(a->method))) &&
		    native_put(out, "adaptivity",
			       native_text(sotto_adaptivity_name(a->adaptivity))) &&
		    native_put(out, "neighbours",
			       native_text(sotto_neighbours_name(a->neighbours))) &&
		    native_put(out, "finite", PyBool_FromLong(a->finite)) &&
		    native_put(out, "reason", native_text(a->reason)) &&
		    native_put(out, "lower", PyFloat_FromDouble(a->lower)) &&
		    native_put(out, "upper", PyFloat_FromDouble(a->upper));

	if (!done)
		Py_CLEAR(out);
	return out;
}

/* -1: the best of all; -2 with an exception */
static int read_method(const char *name)
{
	if (strcmp(name, "best") == 0)
		return -1;
	for (int i = 0; i < SOTTO_METHODS; i++)
		if (strcmp(name, sotto_method_name((enum sotto_method)i)) == 0)
			return i;
	(void)native_refuse(
		"method is best, basic, advanced, kov, zcdp, rdp or pld, not '%.50s'", name);
	return -2;
}

/*
 * The events as they are now: other threads may add to the workload while this one is priced
 * without the interpreter's lock.  NULL with an exception; the caller frees it.
 */
static struct sotto_workload *copy_of(PyObject *capsule)
{
	const struct sotto_workload *from = native_get(capsule, capsule_name);
	struct sotto_workload *out = NULL;
	struct sotto_error err = {""};
	enum sotto_status st;

	if (!from)
		return NULL;
	st = sotto_workload_new(&out);
	if (st == SOTTO_OK && sotto_workload_neighbours(from) != SOTTO_ANY_NEIGHBOURS)
		st = sotto_workload_set_neighbours(out, sotto_workload_neighbours(from), &err);
	for (size_t i = 0; st == SOTTO_OK && i < sotto_workload_size(from); i++) {
		uint64_t count = 0;
		const struct sotto_event *e = sotto_workload_at(from, i, &count);

		st = sotto_workload_add(out, e, count, &err);
	}
	if (st == SOTTO_OK)
		return out;
	sotto_workload_free(out);
	(void)native_raise(st, &err);
	return NULL;
}

/* The least delta over all methods. */
static enum sotto_status best_delta(const struct sotto_workload *w,
				    const struct sotto_rational *epsilon,
				    struct sotto_account_answer *best)
{
	struct sotto_account_answer one;
	bool found = false;

	for (int i = 0; i < SOTTO_METHODS; i++) {
		enum sotto_status st =
			sotto_account_delta(w, epsilon, (enum sotto_method)i, &one);

		if (st != SOTTO_OK)
			return st;
		if (!found || (one.finite && (!best->finite || one.upper < best->upper)))
			*best = one;
		found = true;
	}
	return SOTTO_OK;
}

/* One of two numbers by the other; method as read_method has it. */
typedef enum sotto_status price_fn(const struct sotto_workload *, const struct sotto_rational *,
				   int method, struct sotto_account_answer *);

static enum sotto_status price_epsilon(const struct sotto_workload *w,
				       const struct sotto_rational *delta, int method,
				       struct sotto_account_answer *out)
{
	return method < 0 ? sotto_account_best_epsilon(w, delta, out)
			  : sotto_account_epsilon(w, delta, (enum sotto_method)method, out);
}

static enum sotto_status price_delta(const struct sotto_workload *w,
				     const struct sotto_rational *epsilon, int method,
				     struct sotto_account_answer *out)
{
	return method < 0 ? best_delta(w, epsilon, out)
			  : sotto_account_delta(w, epsilon, (enum sotto_method)method, out);
}

/* (workload, method, number) */
static PyObject *priced_by(price_fn *price, PyObject *args)
{
	struct sotto_workload *w = NULL;
	struct sotto_account_answer answer;
	struct native_number given;
	enum sotto_status st;
	PyObject *capsule, *out = NULL;
	const char *name;
	int method;

	if (!PyArg_ParseTuple(args, "OsO&", &capsule, &name, native_number, &given))
		return NULL;
	method = read_method(name);
	if (method != -2)
		w = copy_of(capsule);
	if (w) {
		NATIVE_UNLOCKED(st, price(w, &given.value, method, &answer));
		out = st == SOTTO_OK ? answer_dict(&answer) : native_raise(st, NULL);
	}
	sotto_workload_free(w);
	native_number_release(&given);
	return out;
}

static PyObject *account_epsilon(PyObject *self, PyObject *args)
{
	(void)self;
	return priced_by(price_epsilon, args);
}

static PyObject *account_delta(PyObject *self, PyObject *args)
{
	(void)self;
	return priced_by(price_delta, args);
}

/* (workload, address of doubles, address for lower, for upper, n): logarithms of delta */
static PyObject *account_curve(PyObject *self, PyObject *args)
{
	unsigned long long epsilon, low, high, n;
	struct sotto_workload *w;
	enum sotto_status st;
	PyObject *capsule;

	(void)self;
	if (!PyArg_ParseTuple(args, "OKKKK", &capsule, &epsilon, &low, &high, &n))
		return NULL;
	w = copy_of(capsule);
	if (!w)
		return NULL;
	NATIVE_UNLOCKED(st, sotto_account_curve(w, (const double *)(uintptr_t)epsilon, n,
						(double *)(uintptr_t)low,
						(double *)(uintptr_t)high));
	sotto_workload_free(w);
	return native_done(st, NULL);
}

static PyObject *solution_of(const struct sotto_solution *s)
{
	PyObject *value = native_fraction(&s->value);
	PyObject *answer = answer_dict(&s->answer);

	if (value && answer)
		return Py_BuildValue("(NN)", value, answer);
	Py_XDECREF(value);
	Py_XDECREF(answer);
	return NULL;
}

/* (texts, parameter, epsilon, delta, neighbours): (value, answer) */
static PyObject *account_solve(PyObject *self, PyObject *args)
{
	struct native_number epsilon, delta;
	struct sotto_solution solution;
	struct sotto_problem problem;
	struct sotto_error err = {""};
	struct native_texts texts;
	const char *parameter, *name;
	PyObject *list, *out = NULL;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "OssO&O&", &list, &parameter, &name, native_number,
			      &epsilon, native_number, &delta))
		return NULL;
	problem = (struct sotto_problem){.parameter = parameter,
					 .target_epsilon = &epsilon.value,
					 .delta = &delta.value};
	if (read_neighbours(name, &problem.neighbours) && native_texts_read(&texts, list)) {
		problem.events = texts.texts;
		problem.n_events = texts.count;
		sotto_rational_init(&solution.value);
		NATIVE_UNLOCKED(st, sotto_account_solve(&problem, &solution, &err));
		out = st == SOTTO_OK ? solution_of(&solution) : native_raise(st, &err);
		sotto_rational_release(&solution.value);
		native_texts_release(&texts);
	}
	native_number_release(&epsilon);
	native_number_release(&delta);
	return out;
}

PyMethodDef native_account_functions[] = {
	{"workload_new", workload_new, METH_VARARGS, NULL},
	{"workload_add", workload_add, METH_VARARGS, NULL},
	{"workload_list", workload_list, METH_VARARGS, NULL},
	{"account_epsilon", account_epsilon, METH_VARARGS, NULL},
	{"account_delta", account_delta, METH_VARARGS, NULL},
	{"account_curve", account_curve, METH_VARARGS, NULL},
	{"account_solve", account_solve, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
