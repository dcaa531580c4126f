/*
 * Ratios of doubles compared exactly, without fractions.
 *
 * p/q > P/Q is p Q > P q.  With mantissas in [1/2, 1) a product and its rounding error
 * (one fused multiply-add) together are the exact product; exponents are added apart, so
 * nothing underflows.  Numbers of moderate size need no mantissas.
 */
#include <math.h>

#include "channel/verify/channel_verify_doubles.h"
#include "channel/matrix/channel_graph.h"
#include "sotto/channel.h"

/* m * 2^e with m in [1/2, 1) */
struct split {
	double m;
	int e;
};

static struct split split(double x)
{
	struct split s;

	s.m = frexp(x, &s.e);
	return s;
}

/* The sign of a b - c d, all positive. */
static int compare_products(struct split a, struct split b, struct split c, struct split d)
{
	int shift = a.e + b.e - c.e - d.e;
	double left, right, left_rest, right_rest;

	if (shift > 2 || shift < -2)
		return shift > 0 ? 1 : -1;
	a.m = ldexp(a.m, shift);
	left = a.m * b.m;
	right = c.m * d.m;
	left_rest = fma(a.m, b.m, -left);
	right_rest = fma(c.m, d.m, -right);
	if (left != right)
		return left > right ? 1 : -1;
	return left_rest > right_rest ? 1 : left_rest < right_rest ? -1 : 0;
}

/* The largest ratio so far: p over q at the witness. */
struct worst {
	double p, q;
	bool is_plain; /* both are */
};

/* Products of two such numbers, and their rounding errors, are far from underflow. */
static bool is_plain(double x)
{
	return x > 0x1p-400 && x < 0x1p400;
}

/* True if p/q is more than the worst.  Equal products are common: ratios of a mechanism tie. */
static bool is_worse(double p, double q, const struct worst *worst)
{
	double left, right;

	if (!worst->is_plain || !is_plain(p) || !is_plain(q))
		return compare_products(split(p), split(worst->q), split(worst->p), split(q)) >
		       0;
	left = p * worst->q;
	right = worst->p * q;
	if (left != right)
		return left > right;
	return fma(p, worst->q, -left) > fma(worst->p, q, -right);
}

static bool look_at_row(const double *p, const double *q, size_t columns, struct worst *worst,
			size_t *column, bool *infinite)
{
	bool found = false;

	for (size_t z = 0; z < columns; z++) {
		if (p[z] <= q[z])
			continue;
		if (q[z] == 0) {
			*infinite = true;
			*column = z;
			return true;
		}
		if (!is_worse(p[z], q[z], worst))
			continue;
		*worst = (struct worst){p[z], q[z], is_plain(p[z]) && is_plain(q[z])};
		*column = z;
		found = true;
	}
	return found;
}

enum sotto_status sotto_verify_doubles(const double *cells, size_t rows, size_t columns,
				       const struct sotto_graph *graph,
				       struct sotto_witness *witness, bool *infinite)
{
	struct worst worst = {1, 1, true};
	size_t column;

	if (!cells || !graph || !witness || !infinite || rows != graph->nodes)
		return SOTTO_EINVAL;
	*infinite = false;
	*witness = (struct sotto_witness){0, 0, 0};
	for (size_t i = 0; i < 2 * graph->edge_count && !*infinite; i++) {
		const struct sotto_edge *e = &graph->edges[i / 2];
		size_t y = i % 2 ? e->to : e->from, neighbour = i % 2 ? e->from : e->to;

		if (look_at_row(cells + y * columns, cells + neighbour * columns, columns,
				&worst, &column, infinite))
			*witness = (struct sotto_witness){y, neighbour, column};
	}
	return SOTTO_OK;
}
