/*
 * The exponential mechanism at the largest rate that is private: its usual rate, half the
 * epsilon, wastes part of it.
 */
#include "channel/optimal/channel_retune.h"

#include <math.h>
#include <stdlib.h>

#include "channel/matrix/channel_build.h"
#include "channel/verify/channel_verify.h"
#include "core/base/failure.h"

enum { RATE_BITS = 30 };

/* rate/epsilon = n / 2^RATE_BITS */
static enum sotto_status try_rate(const struct sotto_graph *graph, const struct sotto_eps *eps,
				  unsigned long n, struct sotto_matrix **out, bool *private)
{
	enum sotto_status st;
	mpq_t times;

	mpq_init(times);
	mpq_set_ui(times, n, 1);
	mpq_div_2exp(times, times, RATE_BITS);
	st = sotto_channel_exponential(graph, eps, times, out);
	mpq_clear(times);
	if (st == SOTTO_OK)
		*private = sotto_channel_is_private(*out, graph, eps);
	return st;
}

/*
 * The least epsilon of weights exp(-rate d), in doubles: along an edge from y to y' of
 * length l the largest ratio is at the output y, exp(rate l) Z(y')/Z(y).
 */
static double
epsilon_of_rate(const struct sotto_graph *graph, const double *d, double rate, double *log_sums)
{
	size_t n = graph->nodes;
	double most = 0;

	for (size_t y = 0; y < n; y++) {
		double sum = 0;

		for (size_t z = 0; z < n; z++)
			sum += d[y * n + z] < 0 ? 0 : exp(-rate * d[y * n + z]);
		log_sums[y] = log(sum);
	}
	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct sotto_edge *e = &graph->edges[i];
		double length = mpq_get_d(e->length);

		most = fmax(most, rate + fabs(log_sums[e->to] - log_sums[e->from]) / length);
	}
	return most;
}

/* Where the search in fractions should look first; 0 without memory. */
static unsigned long guess_rate(const struct sotto_graph *graph, const struct sotto_eps *eps)
{
	unsigned long low = 1ul << (RATE_BITS - 1), high = 1ul << RATE_BITS;
	double allowed = sotto_eps_double(eps), *d, *log_sums;
	struct sotto_matrix *distances;
	size_t n = graph->nodes;

	if (sotto_graph_distances(graph, &distances) != SOTTO_OK)
		return 0;
	d = calloc(n * n, sizeof *d);
	log_sums = calloc(n, sizeof *log_sums);
	for (size_t i = 0; d && i < n * n; i++)
		d[i] = mpq_get_d(distances->cells[i]);
	sotto_matrix_free(distances);
	while (d && log_sums && high - low > 1) {
		unsigned long next = low + (high - low) / 2;
		double rate = allowed * ldexp((double)next, -RATE_BITS);

		if (epsilon_of_rate(graph, d, rate, log_sums) <= allowed)
			low = next;
		else
			high = next;
	}
	low = d && log_sums ? low : 0;
	free(d);
	free(log_sums);
	return low;
}

/*
 * The rate is at least epsilon/2, which is always private, and at most epsilon.  The last
 * matrix that passed the exact check is the result, whatever the search did.  Doubles tell
 * where to look first: the steps away from there double.
 */
enum sotto_status sotto_channel_retuned(const struct sotto_graph *graph,
					const struct sotto_eps *eps, struct sotto_matrix **out)
{
	const unsigned long most = 1ul << RATE_BITS;
	unsigned long low = most / 2, high = most + 1, step = 4;
	unsigned long next = guess_rate(graph, eps);
	struct sotto_matrix *best = NULL;
	enum sotto_status st = SOTTO_OK;

	if (next + 1 >= most)
		next = most;
	while (st == SOTTO_OK && high - low > 1) {
		struct sotto_matrix *m = NULL;
		bool private = false;

		if (next <= low || next >= high)
			next = low + (high - low) / 2;
		st = try_rate(graph, eps, next, &m, &private);
		if (st == SOTTO_OK && private) {
			sotto_matrix_free(best);
			best = m;
			low = next;
			next += step;
		} else {
			sotto_matrix_free(m);
			high = next;
			next = next > step ? next - step : 0;
		}
		step *= 2;
	}
	if (st == SOTTO_OK && !best) {
		mpq_t half;

		mpq_init(half);
		mpq_set_ui(half, 1, 2);
		st = sotto_channel_exponential(graph, eps, half, &best);
		mpq_clear(half);
	}
	if (st == SOTTO_OK)
		*out = best;
	else
		sotto_matrix_free(best);
	return st;
}
