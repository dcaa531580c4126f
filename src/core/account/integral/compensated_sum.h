/*
 * compensated_sum.h - compensated summation (Ogita, Rump and Oishi 2005)
 *
 * The error of the whole is 2 u of the sum plus O(n u^2) of the sum of magnitudes.
 */
#ifndef SOTTO_COMPENSATED_SUM_H
#define SOTTO_COMPENSATED_SUM_H

struct sotto_sum {
	double value, rest;
};

static inline void sotto_sum_add(struct sotto_sum *s, double x)
{
	double next = s->value + x, part = next - s->value;

	s->rest += (s->value - (next - part)) + (x - part);
	s->value = next;
}

static inline double sotto_sum_total(const struct sotto_sum *s)
{
	return s->value + s->rest;
}

#endif
