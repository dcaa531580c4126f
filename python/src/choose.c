/* Choosing one of a list by private scores: sotto/choose.h. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* What all three ways are asked. */
struct choice {
	const char *way;
	struct native_number epsilon, sensitivity;
	struct sotto_selection selection;
	unsigned long long top, scores, n;
	int monotone, least, gap;
};

struct outcome {
	size_t *indices;
	struct sotto_noisy gap;
};

static bool read_choice(PyObject *args, struct choice *c)
{
	if (!PyArg_ParseTuple(args, "sO&O&ppKpKK", &c->way, native_number, &c->epsilon,
			      native_number, &c->sensitivity, &c->monotone, &c->least, &c->top,
			      &c->gap, &c->scores, &c->n))
		return false;
	c->selection = (struct sotto_selection){.epsilon = &c->epsilon.value,
						.sensitivity = &c->sensitivity.value,
						.monotone = c->monotone,
						.least = c->least};
	return true;
}

static void choice_release(struct choice *c)
{
	native_number_release(&c->epsilon);
	native_number_release(&c->sensitivity);
}

static const struct sotto_exact *scores_of(const struct choice *c)
{
	return (const struct sotto_exact *)(uintptr_t)c->scores;
}

/* ---- the three ways; each with scores chooses, without them prices ----------------------------- */

static enum sotto_status by_exponential(const struct choice *c, struct sotto_rng *rng,
					struct outcome *out, struct sotto_cost *cost,
					struct sotto_error *err)
{
	struct sotto_exponential *m = NULL;
	enum sotto_status st = sotto_exponential_new(&c->selection, &m, err);

	if (st == SOTTO_OK)
		st = cost ? sotto_exponential_cost(m, cost)
			  : sotto_exponential_select(m, rng, scores_of(c), c->n, out->indices);
	sotto_exponential_free(m);
	return st;
}

static enum sotto_status by_permute_and_flip(const struct choice *c, struct sotto_rng *rng,
					     struct outcome *out, struct sotto_cost *cost,
					     struct sotto_error *err)
{
	struct sotto_permute_and_flip *m = NULL;
	enum sotto_status st = sotto_permute_and_flip_new(&c->selection, &m, err);

	if (st == SOTTO_OK)
		st = cost ? sotto_permute_and_flip_cost(m, cost)
			  : sotto_permute_and_flip_select(m, rng, scores_of(c), c->n,
							  out->indices);
	sotto_permute_and_flip_free(m);
	return st;
}

static enum sotto_status by_noisy_max(const struct choice *c, struct sotto_rng *rng,
				      struct outcome *out, struct sotto_cost *cost,
				      struct sotto_error *err)
{
	struct sotto_noisy_max *m = NULL;
	enum sotto_status st = sotto_noisy_max_new(&c->selection, c->top, &m, err);

	if (st == SOTTO_OK && cost)
		st = sotto_noisy_max_cost(m, cost);
	else if (st == SOTTO_OK && c->gap)
		st = sotto_noisy_max_select_gap(m, rng, scores_of(c), c->n, out->indices,
						&out->gap);
	else if (st == SOTTO_OK)
		st = sotto_noisy_max_select(m, rng, scores_of(c), c->n, out->indices);
	if (st == SOTTO_OK && !cost && c->gap) /* in steps of the scores, rounded down */
		out->gap.value >>= sotto_noisy_max_bits(m);
	sotto_noisy_max_free(m);
	return st;
}

static enum sotto_status choose(const struct choice *c, struct sotto_rng *rng,
				struct outcome *out, struct sotto_cost *cost,
				struct sotto_error *err)
{
	if (strcmp(c->way, "exponential") == 0)
		return by_exponential(c, rng, out, cost, err);
	if (strcmp(c->way, "permute-and-flip") == 0)
		return by_permute_and_flip(c, rng, out, cost, err);
	return by_noisy_max(c, rng, out, cost, err);
}

/* ---- for Python ------------------------------------------------------------------------------ */

static PyObject *index_list(const size_t *indices, size_t n)
{
	PyObject *out = PyList_New((Py_ssize_t)n);

	for (size_t i = 0; out && i < n; i++)
		if (PyList_SetItem(out, (Py_ssize_t)i, PyLong_FromSize_t(indices[i])) < 0)
			Py_CLEAR(out);
	return out;
}

/* (way, epsilon, sensitivity, monotone, least, top, gap, address, n): (indices, gap) */
static PyObject *choose_select(PyObject *self, PyObject *args)
{
	struct outcome out = {NULL, {0}};
	struct sotto_error err = {""};
	struct sotto_rng *rng;
	PyObject *result = NULL;
	enum sotto_status st;
	struct choice c;

	(void)self;
	if (!read_choice(args, &c))
		return NULL;
	rng = native_rng();
	out.indices = rng ? calloc(c.top ? c.top : 1, sizeof *out.indices) : NULL;
	if (out.indices) {
		NATIVE_UNLOCKED(st, choose(&c, rng, &out, NULL, &err));
		result = st == SOTTO_OK ? Py_BuildValue("(NL)", index_list(out.indices, c.top),
							(long long)out.gap.value)
					: native_raise(st, &err);
	} else if (rng) {
		PyErr_NoMemory();
	}
	free(out.indices);
	choice_release(&c);
	return result;
}

/* The same arguments: what it costs. */
static PyObject *choose_cost(PyObject *self, PyObject *args)
{
	struct sotto_error err = {""};
	struct sotto_cost cost;
	enum sotto_status st;
	struct choice c;
	PyObject *out;

	(void)self;
	if (!read_choice(args, &c))
		return NULL;
	sotto_cost_init(&cost);
	st = choose(&c, NULL, NULL, &cost, &err);
	out = st == SOTTO_OK ? native_cost(&cost) : native_raise(st, &err);
	sotto_cost_release(&cost);
	choice_release(&c);
	return out;
}

PyMethodDef native_choose_functions[] = {
	{"select", choose_select, METH_VARARGS, NULL},
	{"select_cost", choose_cost, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
