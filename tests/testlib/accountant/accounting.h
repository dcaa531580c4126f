/*
 * accounting.h - workloads written as text, and what they cost
 *
 * Several events in one text are separated by ";".  Bad text ends the program: a
 * test that means to be refused calls the interface itself.
 */
#ifndef SOTTO_TESTS_ACCOUNTING_H
#define SOTTO_TESTS_ACCOUNTING_H

#include <stdbool.h>

#include "sotto/account.h"

/* The caller frees. */
struct sotto_workload *workload_of(const char *events);
struct sotto_workload *workload_under(const char *events, enum sotto_neighbours neighbours);

struct sotto_account_answer
epsilon_at(const char *events, const char *delta, enum sotto_method method);
struct sotto_account_answer
delta_at(const char *events, const char *epsilon, enum sotto_method method);

/* The same of a workload made before. */
struct sotto_account_answer
epsilon_of(const struct sotto_workload *w, const char *delta, enum sotto_method method);
struct sotto_account_answer
delta_of(const struct sotto_workload *w, const char *epsilon, enum sotto_method method);

/* The Renyi divergence of order alpha. */
double renyi_at(const char *events, double alpha);

/* What a workload costs in one direction: one person is there and then is not, or joins. */
enum direction { REMOVE, ADD };
void epsilon_one_way(const char *events, const char *delta, enum direction direction,
		     double *lower, double *upper);

/* lower <= value <= upper, either side no further off than tolerance times value */
bool brackets(double lower, double value, double upper, double tolerance);

/*
 * The Renyi divergence of order alpha > 1 of the whole workload, rounded up; INFINITY if
 * none is known.  Fails: SOTTO_EINVAL unless alpha > 1 and finite; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_account_renyi(const struct sotto_workload *w, double alpha, double *divergence);

#endif
