/* Mistakes that published code has made, each looked for here. */
#include "local/protocol/design.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "local/client/primitive/family.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

/* A permanent step that never turns a true 1 into 0 has no epsilon, and is said to have none. */
static void certain_ones_have_no_finite_epsilon(void)
{
	struct sotto_client_params p = {.width = 16, .hashes = 2, .groups = 1};
	struct sotto_local_privacy s;

	REQUIRE(sotto_local_design_rappor(&p, ratio("0"), ratio(".5"), ratio("1"), NULL) ==
		SOTTO_OK);
	sotto_local_privacy_init(&s);
	CHECK_INT(sotto_local_privacy_state(&p, 1, &s), SOTTO_OK);
	CHECK(isinf(s.report) && isinf(s.permanent));
	sotto_local_privacy_release(&s);
	/* f = 0 with noisy sending is bounded once, and not forever */
	REQUIRE(sotto_local_design_rappor(&p, ratio("0"), ratio(".25"), ratio(".75"), NULL) ==
		SOTTO_OK);
	sotto_local_privacy_init(&s);
	CHECK_INT(sotto_local_privacy_state(&p, 1, &s), SOTTO_OK);
	CHECK(isfinite(s.report) && isinf(s.permanent));
	sotto_local_privacy_release(&s);
}

/* epsilon to f through two decimals would be off by percents. */
static void probabilities_are_not_rounded_to_decimals(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_SUE, .size = 10};

	REQUIRE(sotto_local_design(&p, ratio("1.337"), NULL, NULL, NULL) == SOTTO_OK);
	CHECK_REL(sotto_local_chance(p.one), exp(.6685) / (exp(.6685) + 1), 1e-12);
}

/* Sketches hash into all m columns, evenly: into m - 1 of them would bias every estimate. */
static void sketch_rows_use_every_column(void)
{
	enum { COLUMNS = 16, KEYS = 32000 };
	struct sotto_row_hash h = sotto_row_hash_of(7, 3);
	double chi = 0, want = (double)KEYS / COLUMNS;
	unsigned hits[COLUMNS] = {0};

	for (uint64_t i = 0; i < KEYS; i++)
		hits[sotto_row_hash_at(&h, sotto_family_key(&i, sizeof i), COLUMNS)]++;
	for (int c = 0; c < COLUMNS; c++)
		chi += (hits[c] - want) * (hits[c] - want) / want;
	CHECK(chi < 75); /* 15 degrees: p < 1e-9 */
}

/* The formula with its fractions: k((c/2)(2 O - N) + N/2), mean over rows, less n/m. */
static void sketch_estimates_are_not_divided_as_integers(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_CMS, .width = 256, .groups = 2};
	static uint64_t cells[512];
	uint64_t groups[2] = {2, 1};
	const void *names[1] = {"a"};
	size_t lengths[1] = {1};
	struct sotto_local_candidates one = {.count = 1, .strings = names, .lengths = lengths};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_estimate e;
	double flip, c, sum = 0, m = 256, k = 2, n = 3;

	REQUIRE(sotto_local_design(&p, ratio("2"), NULL, NULL, NULL) == SOTTO_OK);
	flip = sotto_local_chance(p.flip);
	c = 1 / (1 - 2 * flip);
	for (uint32_t row = 0; row < 2; row++) {
		struct sotto_row_hash h = sotto_row_hash_of(p.salt, row);
		uint32_t at = sotto_row_hash_at(&h, sotto_family_key("a", 1), 256);

		cells[row * 256 + at] = 1;
		sum += k * (c / 2 * (2 - (double)groups[row]) + (double)groups[row] / 2);
	}
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_import(a, 3, groups, cells) == SOTTO_OK);
	REQUIRE(sotto_local_decode(a, &one, &o, &e, NULL) == SOTTO_OK);
	CHECK_REL(e.count, m / (m - 1) * (sum / k - n / m), 1e-9);
	sotto_local_aggregate_free(a);
}

/* Clipping or normalising must not reach tests and intervals. */
static void consistent_values_do_not_touch_tests(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_GRR, .size = 6};
	uint64_t cells[6] = {900, 300, 200, 220, 180, 200};
	struct sotto_local_candidates all = {.count = 6};
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_estimate raw[6], e[6];

	REQUIRE(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_import(a, 2000, NULL, cells) == SOTTO_OK);
	for (int post = 0; post <= SOTTO_LOCAL_POST_IBU; post++) {
		struct sotto_local_options o = {.alpha = .05,
						.post = (enum sotto_local_post)post};
		bool moved = false;

		REQUIRE(sotto_local_decode(a, &all, &o, post == 0 ? raw : e, NULL) == SOTTO_OK);
		for (int i = 0; post > 0 && i < 6; i++) {
			CHECK(e[i].count == raw[i].count && e[i].sd == raw[i].sd);
			CHECK(e[i].low == raw[i].low && e[i].high == raw[i].high);
			CHECK(e[i].p_value == raw[i].p_value &&
			      e[i].significant == raw[i].significant);
			moved |= e[i].post != e[i].count;
		}
		CHECK(post == 0 || moved == (post != SOTTO_LOCAL_POST_NONE));
	}
	sotto_local_aggregate_free(a);
}

/* Production counts pass 2^32. */
static void counts_beyond_32_bits_are_decoded(void)
{
	static const char counts[] = "8000000000,4000000000,3000000000\n";
	static const char map[] = "a,1\nb,2\n";
	struct sotto_local_google g = {
		.bits = 2, .hashes = 1, .cohorts = 1, .p = .25, .q = .75, .f = .5};
	struct sotto_local_options o = {.alpha = .05};
	struct sotto_local_names names;
	struct sotto_local_map m;
	struct sotto_local_estimate e[2];
	struct sotto_local_fit fit;
	uint64_t *reports, *ones;
	struct sotto_local_cohorts d = {.cohorts = 1, .bits = 2, .p = .375, .q = .625};

	REQUIRE(sotto_local_google_counts(counts, strlen(counts), &g, false, &reports, &ones,
					  NULL) == SOTTO_OK);
	REQUIRE(sotto_local_google_map(map, strlen(map), &g, &m, &names, NULL) == SOTTO_OK);
	d.reports = reports;
	d.ones = ones;
	CHECK_INT(sotto_local_rappor_decode(&d, &m, &o, e, &fit, NULL), SOTTO_OK);
	CHECK_REL(e[0].count, 4e9, 1e-9);
	CHECK(fabs(e[1].count) < 1);
	free(reports);
	free(ones);
	sotto_local_map_release(&m);
	sotto_local_names_release(&names);
}

/* A map.csv of other sizes, or whose cells belong to another cohort, is refused. */
static void maps_of_other_sizes_are_refused(void)
{
	static const char *const maps[] = {"a,1,2\n",  "a,1,9\n",   "a,1,3,5\n", "a,0,3\n",
					   "a,1,-3\n", "a,1,3.5\n", ""};
	struct sotto_local_google g = {
		.bits = 4, .hashes = 1, .cohorts = 2, .p = .25, .q = .75, .f = .5};
	struct sotto_local_names names;
	struct sotto_local_map m;

	for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
		struct sotto_error err = {""};

		CHECK_INT(
			sotto_local_google_map(maps[i], strlen(maps[i]), &g, &m, &names, &err),
			SOTTO_EPARSE);
		CHECK(err.text[0] != '\0');
	}
	/* blank, NA and repeated cells are self-collisions; "" is Empty; repeats are dropped */
	REQUIRE(sotto_local_google_map("a,,NA\n\"\",1,5\na,2,6\n", 19, &g, &m, &names, NULL) ==
		SOTTO_OK);
	CHECK_INT(names.count, 2);
	CHECK_STR(names.names[1], "Empty");
	CHECK(m.cells[0] == SOTTO_LOCAL_NO_CELL && m.cells[2] == 0);
	sotto_local_map_release(&m);
	sotto_local_names_release(&names);
}

/* Apple's emoji sketch with all its values would be gigabytes of map. */
static void regressions_that_nobody_can_hold_are_refused(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_CMS, .width = 1024, .groups = 65536};
	static const char *strings[10000];
	static size_t lengths[10000];
	struct sotto_local_map map;

	for (size_t i = 0; i < 10000; i++)
		strings[i] = "x";
	REQUIRE(sotto_local_design(&p, ratio("4"), NULL, NULL, NULL) == SOTTO_OK);
	CHECK_INT(
		sotto_local_map_native(&p, (const void *const *)strings, lengths, 10000, &map),
		SOTTO_ERANGE);
}

static int zeros(void *context, uint8_t *out, size_t n)
{
	(void)context;
	memset(out, 0, n);
	return 0;
}

/* A generator seeded without the metric's name would give equal bits one permanent answer. */
static void two_metrics_do_not_share_a_permanent_response(void)
{
	static const uint8_t secret[48] = {1, 2, 3};
	struct sotto_compat c = {.mode = SOTTO_COMPAT_CHROMIUM,
				 .bits = 32,
				 .hashes = 2,
				 .cohorts = 128,
				 .f = {UINT64_C(1) << 63, false},
				 .p = {UINT64_C(1) << 62, false},
				 .q = {UINT64_C(3) << 62, false},
				 .secret = secret,
				 .secret_length = sizeof secret,
				 .fill = zeros};
	uint8_t bloom[4] = {0x11, 0, 0x80, 0}, one[4], other[4], again[4];

	c.id = "Homepage";
	c.id_length = 8;
	REQUIRE(sotto_compat_permanent(&c, bloom, one) == SOTTO_OK);
	REQUIRE(sotto_compat_permanent(&c, bloom, again) == SOTTO_OK);
	c.id = "StartupURL";
	c.id_length = 10;
	REQUIRE(sotto_compat_permanent(&c, bloom, other) == SOTTO_OK);
	CHECK(memcmp(one, again, 4) == 0);
	CHECK(memcmp(one, other, 4) != 0);
}

int main(void)
{
	RUN(certain_ones_have_no_finite_epsilon);
	RUN(probabilities_are_not_rounded_to_decimals);
	RUN(sketch_rows_use_every_column);
	RUN(sketch_estimates_are_not_divided_as_integers);
	RUN(consistent_values_do_not_touch_tests);
	RUN(counts_beyond_32_bits_are_decoded);
	RUN(maps_of_other_sizes_are_refused);
	RUN(regressions_that_nobody_can_hold_are_refused);
	RUN(two_metrics_do_not_share_a_permanent_response);
	return tap_done();
}
