/*
 * channels.h - problems about channels from texts, for tests
 */
#ifndef SOTTO_TESTS_CHANNELS_H
#define SOTTO_TESTS_CHANNELS_H

#include <stdbool.h>

#include "sotto/utility.h"

/* Each ends the test program if the texts are wrong. */
struct sotto_user_case channels_problem(const char *graph, size_t answers, const char *epsilon,
					const char *prior, const char *gain);
struct sotto_matrix *channels_matrix(const char *csv);
struct sotto_matrix *channels_build(enum sotto_build b, const struct sotto_user_case *p);

/* r = text, exactly */
bool channels_is(const struct sotto_rational *r, const char *text);
double channels_near(const struct sotto_rational *r);

/* A cell of a matrix is text, exactly. */
bool channels_cell_is(const struct sotto_matrix *m, size_t row, size_t column,
		      const char *text);

/* Small random numbers for test cases; the state is any seed. */
unsigned channels_below(unsigned long *state, unsigned n);

/* Random stochastic matrix with cells k/12 or so; zeros where allowed. */
struct sotto_matrix *
channels_random(unsigned long *state, size_t rows, size_t columns, bool zeros);

/* A gain table with cells 0 to 4. */
struct sotto_matrix *channels_gain(unsigned long *state, size_t guesses, size_t answers);

/* The definition: sum over z of max over w of sum over y, in fractions, cell by cell. */
void channels_slow_utility(const struct sotto_matrix *m, const struct sotto_user_case *p,
			   struct sotto_rational *out);

/* Linear programs can be solved here. */
bool channels_has_solver(void);

#endif
