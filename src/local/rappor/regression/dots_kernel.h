/*
 * dots_kernel.h - the loop of dots.h, compiled once per instruction set as NAME
 */
#include <string.h>

#define LANES 8

typedef double dots_lanes __attribute__((vector_size(LANES * sizeof(double))));

static inline double sum_of(const dots_lanes *v)
{
	double sum = 0;

	for (int i = 0; i < LANES; i++)
		sum += (*v)[i];
	return sum;
}

void NAME(const double *a, const double *b, size_t stride, size_t n, double out[4])
{
	dots_lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, x, y;
	const double *b1 = b + stride, *b2 = b1 + stride, *b3 = b2 + stride;
	size_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		memcpy(&x, a + i, sizeof x);
		memcpy(&y, b + i, sizeof y);
		s0 += x * y;
		memcpy(&y, b1 + i, sizeof y);
		s1 += x * y;
		memcpy(&y, b2 + i, sizeof y);
		s2 += x * y;
		memcpy(&y, b3 + i, sizeof y);
		s3 += x * y;
	}
	out[0] = sum_of(&s0);
	out[1] = sum_of(&s1);
	out[2] = sum_of(&s2);
	out[3] = sum_of(&s3);
	for (; i < n; i++) {
		out[0] += a[i] * b[i];
		out[1] += a[i] * b1[i];
		out[2] += a[i] * b2[i];
		out[3] += a[i] * b3[i];
	}
}
