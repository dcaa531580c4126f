/* What channels are worth to a user with a prior and a gain: sotto/utility.h. */
#include <string.h>

#include "channel.h"

/* ---- who the user is ------------------------------------------------------------------------------ */

static enum sotto_status matrix_read(const char *text, const char *name,
				     struct sotto_matrix **out, struct sotto_error *err)
{
	return sotto_matrix_parse(text, strlen(text), name, out, err);
}

static enum sotto_status replace_prior(const char *text, size_t answers,
				       struct sotto_user_case *user, struct sotto_error *err)
{
	struct sotto_matrix *weights = NULL, *prior = NULL;
	enum sotto_status st = matrix_read(text, "the prior", &weights, err);

	if (st == SOTTO_OK)
		st = sotto_prior_of(weights, answers, false, &prior, err);
	sotto_matrix_free(weights);
	if (st != SOTTO_OK)
		return st;
	sotto_matrix_free(user->prior);
	user->prior = prior;
	return SOTTO_OK;
}

static enum sotto_status
replace_gain(const char *text, struct sotto_user_case *user, struct sotto_error *err)
{
	struct sotto_matrix *gain = NULL;
	enum sotto_status st = matrix_read(text, "the gain", &gain, err);

	if (st != SOTTO_OK)
		return st;
	sotto_matrix_free(user->gain);
	user->gain = gain;
	return SOTTO_OK;
}

static enum sotto_status replace_graph(const char *text, size_t answers,
				       struct sotto_user_case *user, struct sotto_error *err)
{
	struct sotto_graph *graph = NULL;
	enum sotto_status st = channel_graph(text, answers, &graph, err);

	if (st != SOTTO_OK)
		return st;
	sotto_graph_free(user->graph);
	user->graph = graph;
	return SOTTO_OK;
}

/* Names are read by the library, matrices take their place; *user is released on failure. */
static enum sotto_status user_make(const struct sotto_user_case_texts *said,
				   struct sotto_user_case *user, struct sotto_error *err)
{
	struct sotto_user_case_texts names = *said;
	enum sotto_status st;

	if (channel_is_matrix(said->graph))
		names.graph = NULL;
	if (channel_is_matrix(said->prior))
		names.prior = NULL;
	if (channel_is_matrix(said->gain))
		names.gain = NULL;
	st = sotto_user_case_make(&names, user, err);
	if (st != SOTTO_OK)
		return st;
	if (channel_is_matrix(said->graph))
		st = replace_graph(said->graph, said->answers, user, err);
	if (st == SOTTO_OK && channel_is_matrix(said->prior))
		st = replace_prior(said->prior, said->answers, user, err);
	if (st == SOTTO_OK && channel_is_matrix(said->gain))
		st = replace_gain(said->gain, user, err);
	if (st != SOTTO_OK)
		sotto_user_case_release(user);
	return st;
}

/* ---- the worth of a channel ------------------------------------------------------------------------ */

static PyObject *guess_of(const void *from, size_t i)
{
	return PyLong_FromSize_t(((const size_t *)from)[i]);
}

static bool put_leakage(PyObject *out, const struct sotto_leakage *l)
{
	const struct {
		const char *name;
		double value;
	} numbers[] = {
		{"min_entropy", l->min_entropy},
		{"capacity", l->capacity},
		{"additive_capacity", l->additive_capacity},
		{"entropy", l->entropy},
		{"entropy_after", l->entropy_after},
		{"information", l->information},
		{"shannon_capacity", l->shannon_capacity},
		{"shannon_capacity_up", l->shannon_capacity_up},
		{"guessing_before", l->guessing_before},
		{"guessing_after", l->guessing_after},
		{"bayes_risk", l->bayes_risk},
		{"predicate", l->predicate},
	};

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (!native_put(out, numbers[i].name, PyFloat_FromDouble(numbers[i].value)))
			return false;
	return true;
}

static PyObject *use_dict(const struct sotto_use *u, const struct sotto_leakage *l)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "remap", native_list(guess_of, u->remap, u->outputs)) &&
		    native_put(out, "utility", native_fraction(&u->utility)) &&
		    native_put(out, "prior_value", native_fraction(&u->prior_value)) &&
		    native_put(out, "worst_loss", native_fraction(&u->worst_loss)) &&
		    put_leakage(out, l);

	if (!done)
		Py_CLEAR(out);
	return out;
}

/* (matrix, prior, gain): what it is worth and what it tells */
static PyObject *channel_utility(PyObject *self, PyObject *args)
{
	struct sotto_user_case_texts texts = {0};
	struct sotto_user_case user = {0};
	struct sotto_error err = {""};
	struct sotto_leakage leakage;
	struct sotto_use use = {0};
	struct sotto_matrix *m;
	const char *text;
	PyObject *out;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "szz", &text, &texts.prior, &texts.gain))
		return NULL;
	m = channel_matrix(text);
	if (!m)
		return NULL;
	texts.answers = sotto_matrix_rows(m);
	st = user_make(&texts, &user, &err);
	if (st != SOTTO_OK) {
		sotto_matrix_free(m);
		return native_raise(st, &err);
	}
	NATIVE_UNLOCKED(st, sotto_use_find(m, user.prior, user.gain, &use));
	if (st == SOTTO_OK)
		NATIVE_UNLOCKED(st, sotto_leakage_find(m, user.prior, &leakage));
	out = st == SOTTO_OK ? use_dict(&use, &leakage) : native_raise(st, &err);
	sotto_use_release(&use);
	sotto_user_case_release(&user);
	sotto_matrix_free(m);
	return out;
}

/* ---- the best mechanism ----------------------------------------------------------------------------- */

static PyObject *optimal_dict(const struct sotto_optimal *o)
{
	PyObject *out = PyDict_New();
	bool done =
		native_put(out, "rows", channel_rows(o->channel)) &&
		native_put(out, "method", native_text(sotto_optimal_method_name(o->method))) &&
		native_put(out, "lower", native_fraction(&o->lower)) &&
		native_put(out, "upper", native_fraction(&o->upper));

	if (!done)
		Py_CLEAR(out);
	return out;
}

/* (answers, graph, epsilon, prior, gain): the best mechanism */
static PyObject *channel_optimal(PyObject *self, PyObject *args)
{
	struct sotto_user_case_texts texts = {0};
	struct sotto_user_case user = {0};
	struct sotto_error err = {""};
	struct sotto_optimal best = {0};
	unsigned long long answers;
	PyObject *out;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "Kzszz", &answers, &texts.graph, &texts.epsilon,
			      &texts.prior, &texts.gain))
		return NULL;
	texts.answers = answers;
	st = user_make(&texts, &user, &err);
	if (st != SOTTO_OK)
		return native_raise(st, &err);
	NATIVE_UNLOCKED(st, sotto_optimal_find(user.graph, user.eps, user.prior, user.gain,
					       SOTTO_WAYS_ALL, &best, &err));
	out = st == SOTTO_OK ? optimal_dict(&best) : native_raise(st, &err);
	sotto_optimal_release(&best);
	sotto_user_case_release(&user);
	return out;
}

static PyObject *minimax_dict(const struct sotto_minimax *m)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "rows", channel_rows(m->channel)) &&
		    native_put(out, "prior", channel_rows(m->prior)) &&
		    native_put(out, "loss", native_fraction(&m->loss)) &&
		    native_put(out, "lower", native_fraction(&m->lower));

	if (!done)
		Py_CLEAR(out);
	return out;
}

/* (answers, graph, epsilon, gain): the least worst loss */
static PyObject *channel_minimax(PyObject *self, PyObject *args)
{
	struct sotto_user_case_texts texts = {0};
	struct sotto_user_case user = {0};
	struct sotto_error err = {""};
	struct sotto_minimax best = {0};
	unsigned long long answers;
	PyObject *out;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "Kzsz", &answers, &texts.graph, &texts.epsilon,
			      &texts.gain))
		return NULL;
	texts.answers = answers;
	st = user_make(&texts, &user, &err);
	if (st != SOTTO_OK)
		return native_raise(st, &err);
	NATIVE_UNLOCKED(st,
			sotto_minimax_find(user.graph, user.eps, user.gain, NULL, &best, &err));
	out = st == SOTTO_OK ? minimax_dict(&best) : native_raise(st, &err);
	sotto_minimax_release(&best);
	sotto_user_case_release(&user);
	return out;
}

/* ---- what one release can serve ----------------------------------------------------------------------- */

static PyObject *refinement_dict(const struct sotto_refinement *r)
{
	PyObject *out = PyDict_New();
	bool done = native_put(out, "derivable", PyBool_FromLong(r->derivable)) &&
		    native_put(out, "remap",
			       r->derivable ? channel_rows(r->remap) : native_text(NULL)) &&
		    native_put(out, "gain",
			       r->derivable ? native_text(NULL) : channel_rows(r->gain));

	if (!done)
		Py_CLEAR(out);
	return out;
}

/* (from, to): can the second be made from the output of the first? */
static PyObject *channel_refine(PyObject *self, PyObject *args)
{
	struct sotto_matrix *from, *to = NULL;
	struct sotto_refinement found = {0};
	struct sotto_error err = {""};
	const char *first, *second;
	PyObject *out = NULL;
	enum sotto_status st;

	(void)self;
	if (!PyArg_ParseTuple(args, "ss", &first, &second))
		return NULL;
	from = channel_matrix(first);
	to = from ? channel_matrix(second) : NULL;
	if (to) {
		NATIVE_UNLOCKED(st, sotto_refine(from, to, &found, &err));
		out = st == SOTTO_OK ? refinement_dict(&found) : native_raise(st, &err);
		sotto_refinement_release(&found);
	}
	sotto_matrix_free(from);
	sotto_matrix_free(to);
	return out;
}

PyMethodDef native_user_functions[] = {
	{"channel_utility", channel_utility, METH_VARARGS, NULL},
	{"channel_optimal", channel_optimal, METH_VARARGS, NULL},
	{"channel_minimax", channel_minimax, METH_VARARGS, NULL},
	{"channel_refine", channel_refine, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
