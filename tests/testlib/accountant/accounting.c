/*
 * Splits the text at semicolons and calls the public interface; whatever it refuses ends the
 * program with TAP's "Bail out!".
 */
#include "testlib/accountant/accounting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/workload_terms.h"
#include "core/account/loss/loss_curve.h"
#include "core/account/theorem/renyi/renyi_curve.h"
#include "core/base/failure.h"
#include "testlib/number.h"

static void insist(enum sotto_status st, const char *what, const struct sotto_error *err)
{
	if (st == SOTTO_OK)
		return;
	printf("Bail out! %s: %s %s\n", what, sotto_status_text(st), err ? err->text : "");
	exit(1);
}

struct sotto_workload *workload_under(const char *events, enum sotto_neighbours neighbours)
{
	struct sotto_error err = {""};
	struct sotto_workload *w = NULL;
	char *copy = strdup(events), *rest = copy, *one;

	insist(sotto_workload_new(&w), events, NULL);
	if (neighbours != SOTTO_ANY_NEIGHBOURS)
		insist(sotto_workload_set_neighbours(w, neighbours, &err), events, &err);
	while ((one = strsep(&rest, ";")))
		insist(sotto_workload_add_text(w, one, &err), events, &err);
	free(copy);
	return w;
}

struct sotto_workload *workload_of(const char *events)
{
	return workload_under(events, SOTTO_ANY_NEIGHBOURS);
}

struct sotto_account_answer
epsilon_of(const struct sotto_workload *w, const char *delta, enum sotto_method method)
{
	struct sotto_rational d = rational_of(delta);
	struct sotto_account_answer a;

	insist(sotto_account_epsilon(w, &d, method, &a), sotto_method_name(method), NULL);
	sotto_rational_release(&d);
	return a;
}

struct sotto_account_answer
delta_of(const struct sotto_workload *w, const char *epsilon, enum sotto_method method)
{
	struct sotto_rational e = rational_of(epsilon);
	struct sotto_account_answer a;

	insist(sotto_account_delta(w, &e, method, &a), sotto_method_name(method), NULL);
	sotto_rational_release(&e);
	return a;
}

struct sotto_account_answer
epsilon_at(const char *events, const char *delta, enum sotto_method method)
{
	struct sotto_workload *w = workload_of(events);
	struct sotto_account_answer a = epsilon_of(w, delta, method);

	sotto_workload_free(w);
	return a;
}

struct sotto_account_answer
delta_at(const char *events, const char *epsilon, enum sotto_method method)
{
	struct sotto_workload *w = workload_of(events);
	struct sotto_account_answer a = delta_of(w, epsilon, method);

	sotto_workload_free(w);
	return a;
}

double renyi_at(const char *events, double alpha)
{
	struct sotto_workload *w = workload_of(events);
	double divergence = NAN;

	insist(sotto_account_renyi(w, alpha, &divergence), events, NULL);
	sotto_workload_free(w);
	return divergence;
}

void epsilon_one_way(const char *events, const char *delta, enum direction direction,
		     double *lower, double *upper)
{
	struct sotto_workload *w = workload_of(events);
	struct sotto_rational d = rational_of(delta);
	struct sotto_curve *curve = NULL;
	struct sotto_level level;
	struct sotto_terms terms;

	insist(sotto_terms_of(&terms, w), events, NULL);
	insist(sotto_curve_new(&terms, direction == REMOVE ? SOTTO_REMOVE : SOTTO_ADD, &curve),
	       events, NULL);
	sotto_level_init(&level, d.q);
	insist(sotto_curve_epsilon(curve, &level, lower, upper), events, NULL);
	sotto_level_release(&level);
	sotto_curve_free(curve);
	sotto_terms_release(&terms);
	sotto_rational_release(&d);
	sotto_workload_free(w);
}

bool brackets(double lower, double value, double upper, double tolerance)
{
	double slack = tolerance * fabs(value);

	return lower <= value && value <= upper && value - lower <= slack &&
	       upper - value <= slack;
}

enum sotto_status
sotto_account_renyi(const struct sotto_workload *w, double alpha, double *divergence)
{
	struct sotto_terms t;
	enum sotto_status st;

	if (!(alpha > 1) || isinf(alpha))
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_terms_of(&t, w));
	st = sotto_renyi_divergence(&t, alpha, divergence);
	sotto_terms_release(&t);
	return st;
}
