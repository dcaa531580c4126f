/*
 * oracle.h - delta(epsilon) of a small workload in many digits
 *
 * A second implementation, from the definitions: every outcome of the finite laws is
 * listed; one continuous law is integrated in closed form over them, further ones by
 * quadrature.  Events that it cannot do end the program.
 */
#ifndef SOTTO_TESTS_ORACLE_H
#define SOTTO_TESTS_ORACLE_H

#include <mpfr.h>

#include "testlib/accountant/accounting.h"

enum oracle_kind {
	ORACLE_PURE, /* a = epsilon */
	ORACLE_APPROX, /* a = epsilon, b = delta */
	ORACLE_RESPONSE, /* a = epsilon, n answers */
	ORACLE_GEOMETRIC, /* a = epsilon, n = sensitivity */
	ORACLE_DISCRETE_GAUSSIAN, /* a = sigma, n = sensitivity */
	ORACLE_SHUFFLE, /* a = local epsilon, n users */
	ORACLE_BINARY_SHUFFLE,
	ORACLE_LAPLACE, /* a = epsilon */
	ORACLE_GAUSSIAN /* a = sigma */
};

struct oracle_event {
	enum oracle_kind kind;
	const char *a, *b;
	unsigned n;
	const char *rate; /* of Poisson sampling; NULL for none */
	const struct oracle_event *beside; /* the other one of two disjoint cells, or NULL */
	unsigned count;
};

struct oracle;

struct oracle *oracle_new(const struct oracle_event *list, size_t n, enum direction direction);
void oracle_free(struct oracle *o);

/* delta at epsilon; delta has been initialised. */
void oracle_delta(const struct oracle *o, double epsilon, mpfr_t delta);

/* The larger delta of the two directions. */
double oracle_worst_delta(const struct oracle_event *list, size_t n, double epsilon);

#endif
