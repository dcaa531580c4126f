/* Series for long lists of Laplace events, against the logarithms of all events. */
#include "core/account/law/laplace_clusters.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "testlib/tap.h"

enum { EVENTS = 500 };

static long double complex log_m(long double complex s, long double e)
{
	return clogl((s + 1) / (2 * s + 1) * cexpl(s * e) +
		     s / (2 * s + 1) * cexpl(-(s + 1) * e));
}

static void make_law(struct sotto_law *law, double low, double high)
{
	static double loss[EVENTS];
	static uint64_t counts[EVENTS];

	for (int i = 0; i < EVENTS; i++) {
		double x = (double)i / (EVENTS - 1);

		loss[i] = low + (high - low) * x * x;
		counts[i] = 1 + (uint64_t)(i % 7);
	}
	*law = (struct sotto_law){.n = EVENTS, .loss = loss, .counts = counts};
}

/* The error at one s in units of its bound; moved adds to one epsilon's part. */
static double ratio_at(const struct sotto_law *law, const struct sotto_cluster *g, double c,
		       double t, double moved)
{
	long double complex s = c + (long double)t * _Complex_I, truth = moved;
	double error;
	struct cx got = sotto_cluster_beyond(g, c, t, &error);

	for (size_t i = g->from; i < g->to; i++)
		truth += (long double)law->counts[i] *
			 (log_m(s, law->loss[i]) - log_m(s, g->middle));
	return cabs((double complex)(truth - got.re - (long double)got.im * _Complex_I)) /
	       error;
}

static void the_series_is_within_its_bound(void)
{
	struct sotto_clusters *clusters;
	struct sotto_law law;
	size_t good = 0;

	make_law(&law, 1e-3, 3e-3);
	REQUIRE(sotto_clusters_new(&law, 40, &clusters) == SOTTO_OK);
	for (size_t i = 0; i < clusters->n; i++)
		for (int k = 0; k < 12; k++) {
			double c = 0.3 + k, t = 3 * k, reach = hypot(c + 1, t);

			if (!sotto_cluster_is_good(&clusters->at[i], reach))
				continue;
			good++;
			CHECK(ratio_at(&law, &clusters->at[i], c, t, 0) < 1);
			CHECK(ratio_at(&law, &clusters->at[i], c, t, 1e-9) > 1);
		}
	CHECK(good > 8);
	sotto_clusters_free(clusters);
}

static void clusters_cover_the_list_once(void)
{
	struct sotto_clusters *clusters;
	struct sotto_law law;
	size_t next = 0;

	make_law(&law, 1e-3, 0.5);
	REQUIRE(sotto_clusters_new(&law, 40, &clusters) == SOTTO_OK);
	CHECK(clusters->n > 3);
	for (size_t i = 0; i < clusters->n; i++) {
		CHECK(clusters->at[i].from == next);
		CHECK(clusters->at[i].to > next);
		next = clusters->at[i].to;
	}
	CHECK(next == law.n);
	sotto_clusters_free(clusters);
}

static void wide_clusters_and_far_nodes_are_not_good(void)
{
	struct sotto_clusters *clusters;
	struct sotto_law law;

	make_law(&law, 1e-3, 1.01e-3);
	REQUIRE(sotto_clusters_new(&law, 40, &clusters) == SOTTO_OK);
	CHECK(clusters->n == 1);
	CHECK(sotto_cluster_is_good(&clusters->at[0], 40));
	CHECK(!sotto_cluster_is_good(&clusters->at[0], 1e4));
	sotto_clusters_free(clusters);
}

int main(void)
{
	RUN(the_series_is_within_its_bound);
	RUN(clusters_cover_the_list_once);
	RUN(wide_clusters_and_far_nodes_are_not_good);
	return tap_done();
}
