/*
 * native.h - what the files of the extension share
 *
 * The extension is thin: it takes texts, whole numbers and addresses from Python, calls one
 * function of a public header, and gives tuples, dictionaries and texts back.  Exact numbers
 * are texts both ways ("1/3"), so that nothing is rounded between the two.  Arrays come as an
 * address and a length, because the limited API of CPython 3.9 has no buffers; the
 * Python side holds on to what lies there.
 *
 * Whatever takes time runs without the interpreter's lock.
 */
#ifndef SOTTO_PYTHON_NATIVE_H
#define SOTTO_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "sotto/sotto.h"

/* Runs a call that gives a status without the interpreter's lock. */
#define NATIVE_UNLOCKED(status, call)                                                          \
	do {                                                                                   \
		Py_BEGIN_ALLOW_THREADS;                                                        \
		(status) = (call);                                                             \
		Py_END_ALLOW_THREADS;                                                          \
	} while (0)

/* Raises the exception for a status, with err's sentence or the status's own; gives NULL. */
PyObject *native_raise(enum sotto_status status, const struct sotto_error *err);

/* The same for a parameter that is not allowed, with a sentence of our own. */
PyObject *native_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* None, or the exception for a status. */
PyObject *native_done(enum sotto_status status, const struct sotto_error *err);

/* An exact number that may be missing: None in Python. */
struct native_number {
	struct sotto_rational value;
	bool given;
};

/* For "O&" of PyArg_ParseTuple: a text or None.  Released by it on failure, else by you. */
int native_number(PyObject *from, void *to);
void native_number_release(struct native_number *n);
const struct sotto_rational *native_number_or_null(const struct native_number *n);

/* "1/3", "5": exactly. */
PyObject *native_fraction(const struct sotto_rational *r);
/* A decimal or fraction as sotto_rational_format writes it. */
PyObject *native_text(const char *text); /* None for NULL */
/* A malloc'd text, which is freed. */
PyObject *native_take_text(char *text);

/* (epsilon, delta) */
PyObject *native_pair(const struct sotto_rational *epsilon, const struct sotto_rational *delta);
/* (epsilon or None, delta, rho) */
PyObject *native_cost(const struct sotto_cost *cost);

/* Sets a key of a dictionary and takes the value; false with an exception. */
bool native_put(PyObject *dict, const char *key, PyObject *value);

/* A list of n objects that item makes, one after the other; NULL with an exception. */
typedef PyObject *(*native_item)(const void *from, size_t i);
PyObject *native_list(native_item item, const void *from, size_t n);

/* What lies behind a capsule of this name; NULL with an exception. */
void *native_get(PyObject *capsule, const char *name);

/* The session of a capsule, or NULL with an exception once it was closed. */
struct sotto_session *native_session(PyObject *capsule);

/* The generator of this thread, keyed anew; NULL with an exception. */
struct sotto_rng *native_rng(void);

/* A list of texts as bytes objects in a tuple that keeps them; NULL with an exception. */
struct native_texts {
	PyObject *keep;
	const char **texts;
	size_t *lengths;
	size_t count;
};
bool native_texts_read(struct native_texts *t, PyObject *sequence);
void native_texts_release(struct native_texts *t);

/* One table of functions for each file. */
extern PyMethodDef native_noise_functions[];
extern PyMethodDef native_choose_functions[];
extern PyMethodDef native_stream_functions[];
extern PyMethodDef native_account_functions[];
extern PyMethodDef native_session_functions[];
extern PyMethodDef native_ledger_functions[];
extern PyMethodDef native_owner_functions[];
extern PyMethodDef native_frame_functions[];
extern PyMethodDef native_export_functions[];
extern PyMethodDef native_local_functions[];
extern PyMethodDef native_decode_functions[];
extern PyMethodDef native_channel_functions[];
extern PyMethodDef native_user_functions[];
extern PyMethodDef native_census_functions[];

#endif
