/*
 * stats.h - is a sample what a law says?  With a proved rate of false alarms.
 *
 * Every question is answered by an upper bound of the probability that a right
 * sampler looks as bad or worse (Chernoff; Dvoretzky, Kiefer and Wolfowitz with
 * Massart's constant), as a natural logarithm.  A verdict adds up to STATS_MAX
 * such answers and finds a fault only below 1e-9/STATS_SUITE each, so that all
 * statistical tests of the noise together raise a false alarm with probability
 * at most 1e-9.  Seeds are fixed: a rerun gives the same answer.
 */
#ifndef SOTTO_TESTS_STATS_H
#define SOTTO_TESTS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STATS_MAX = 2000, /* answers in one verdict */
	STATS_SUITE = 20000, /* answers in all statistical tests of core/random */
};

struct verdict {
	unsigned answers;
	unsigned faults;
	double worst; /* the smallest logarithm */
	char worst_name[64]; /* and what it was asked of */
};

void verdict_init(struct verdict *v);
bool verdict_is_clean(const struct verdict *v);

/* Adds one answer under a printf name. */
void verdict_add(struct verdict *v, double log_p, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* `count` successes of n independent ones with probability p each: two-sided. */
double log_p_count(double n, double p, double count);

/* Pearson's sum over `cells` cells with the given expectations (at least 100 each). */
double log_p_chi_square(const double *expected, const double *observed, size_t cells);

/* The largest distance between the distribution functions, of n draws. */
double log_p_distance(double n, double distance);

#endif
