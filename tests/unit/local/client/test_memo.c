/* Memoization over time, stored state, ledger, refusals: what a device relies on. */
#include "sotto/client.h"

#include "local/client/encode.h"
#include "local/client/params_digest.h"
#include "local/client/primitive/family.h"
#include "testlib/fixture/local.h"
#include "testlib/tap.h"

static int failing_fill(void *context, uint8_t *out, size_t n)
{
	(void)context;
	memset(out, 0x77, n);
	return 1;
}

static struct sotto_client_chance chance(double p)
{
	return (struct sotto_client_chance){(uint64_t)ldexp(p, 64), false};
}

static void one_value_gives_one_answer_for_a_thousand_reports(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t key[32] = {1, 2, 3}, first[512], later[512];
		uint64_t seed = protocol;
		struct sotto_client_secrets s = {.key = key,
						 .id = "m",
						 .id_length = 1,
						 .fill = local_fill,
						 .context = &seed};
		struct sotto_client c;
		size_t used = 0;

		CHECK_INT(sotto_client_init(&c, &p, &s), SOTTO_OK);
		CHECK_INT(local_encode(&c, 1, first, sizeof first, &used), SOTTO_OK);
		for (int i = 0; i < 1000; i++) {
			struct sotto_client restarted;

			REQUIRE(sotto_client_init(&restarted, &p, &s) == SOTTO_OK);
			REQUIRE(local_encode(&restarted, 1, later, sizeof later, &used) ==
				SOTTO_OK);
			REQUIRE(memcmp(first, later, used) == 0);
		}
	}
}

/* The fault this catches: a "memoized" client that redraws on each call. */
static void without_memoization_reports_differ(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t key[32] = {1, 2, 3}, out[512], first[512];
		uint64_t seed = protocol;
		struct sotto_client_secrets s = {
			.key = key, .fill = local_fill, .context = &seed};
		struct sotto_client c;
		size_t used = 0;
		int differ = 0;

		p.memoize = 0;
		if (protocol == SOTTO_CLIENT_RAPPOR)
			p.one = chance(.75);
		REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
		CHECK_INT(local_encode(&c, 1, first, sizeof first, &used), SOTTO_OK);
		for (int i = 0; i < 200; i++) {
			CHECK_INT(local_encode(&c, 1, out, sizeof out, &used), SOTTO_OK);
			differ += memcmp(first, out, used) != 0;
		}
		CHECK(differ > 0);
	}
}

static void another_key_metric_or_parameter_draws_anew(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_CMS), q = p;
	uint8_t key[32] = {1}, other[32] = {2}, out[4][64];
	struct sotto_client_secrets s[4] = {{.key = key, .id = "ab", .id_length = 2},
					    {.key = other, .id = "ab", .id_length = 2},
					    {.key = key, .id = "a", .id_length = 1},
					    {.key = key, .id = "ab", .id_length = 2}};
	struct sotto_client c;
	size_t used;

	q.salt = 1;
	for (int i = 0; i < 4; i++) {
		/* "ab" + "cd" and "a" + "bcd" must not meet either */
		const char *text = i == 2 ? "bcd" : "cd";

		CHECK_INT(sotto_client_init(&c, i == 3 ? &q : &p, &s[i]), SOTTO_OK);
		CHECK_INT(sotto_client_encode(&c, text, strlen(text), out[i], 64, &used),
			  SOTTO_OK);
	}
	for (int i = 1; i < 4; i++)
		CHECK(memcmp(out[0], out[i], used) != 0);
}

/* P(permanent bit differs from the Bloom bit) = f/2, over 4000 keys, within 6.5 sigma. */
static void permanent_bits_flip_with_probability_half_f(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_RAPPOR);
	uint64_t seed = 7;
	double flipped = 0, n = 0, ones = 0, set = 0;

	for (int i = 0; i < 4000; i++) {
		uint8_t key[32], bloom[16], out[32];
		struct sotto_client_secrets s = {
			.key = key, .fill = local_fill, .context = &seed};
		struct sotto_client_value v = {.bytes = (const uint8_t *)"v1", .length = 2};
		struct sotto_client c;
		size_t used;

		local_fill(&seed, key, 32);
		REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
		REQUIRE(local_encode(&c, 1, out, sizeof out, &used) == SOTTO_OK);
		REQUIRE(used == 17 && out[0] == c.group && c.group < 64);
		sotto_rappor_bloom(&p, c.group, &v, bloom);
		for (int b = 0; b < 128; b++) {
			int was = bloom[b / 8] >> b % 8 & 1, is = out[1 + b / 8] >> b % 8 & 1;

			flipped += was != is;
			n++;
			ones += was && !is;
			set += was;
		}
	}
	CHECK(fabs(flipped / n - .25) < 6.5 * sqrt(.25 * .75 / n));
	CHECK(fabs(ones / set - .25) < 6.5 * sqrt(.25 * .75 / set));
}

static void cohorts_are_spread_evenly_over_devices(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_RAPPOR);
	double count[64] = {0}, chi = 0;
	uint64_t seed = 3;

	for (int i = 0; i < 64000; i++) {
		uint8_t key[32];
		struct sotto_client_secrets s = {.key = key};
		struct sotto_client c;

		local_fill(&seed, key, 32);
		REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
		count[c.group]++;
	}
	for (int i = 0; i < 64; i++)
		chi += (count[i] - 1000) * (count[i] - 1000) / 1000;
	CHECK(chi < 63 + 7 * sqrt(2 * 63)); /* false alarm below 1e-9 */
}

static void failed_entropy_gives_no_report(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t key[32] = {1}, out[512];
		struct sotto_client_secrets s = {.key = key, .fill = failing_fill};
		struct sotto_client c;
		size_t used = 12345;
		int sum = 0;

		p.memoize = 0;
		memset(out, 0xee, sizeof out);
		if (protocol == SOTTO_CLIENT_RAPPOR)
			p.one = chance(.75);
		CHECK_INT(sotto_client_init(&c, &p, &s), SOTTO_OK);
		CHECK_INT(local_encode(&c, 1, out, sizeof out, &used), SOTTO_EENTROPY);
		CHECK_INT(used, 12345);
		for (size_t i = 0; i < sizeof out; i++)
			sum += out[i];
		CHECK_INT(sum, 0);
	}
}

static void bad_values_and_short_buffers_are_refused(void)
{
	struct sotto_client_params g = local_sample(SOTTO_CLIENT_GRR),
				   m = local_sample(SOTTO_CLIENT_CMS);
	uint8_t key[32] = {1}, out[64];
	struct sotto_client_secrets s = {.key = key}, none = {0};
	struct sotto_client c;
	size_t used;

	CHECK_INT(sotto_client_init(&c, &g, &none), SOTTO_EMISSING);
	CHECK_INT(sotto_client_init(&c, &g, &s), SOTTO_OK);
	CHECK_INT(sotto_client_encode_number(&c, 300, out, 64, &used), SOTTO_ERANGE);
	CHECK_INT(sotto_client_encode_number(&c, 299, out, 1, &used), SOTTO_ERANGE);
	CHECK_INT(sotto_client_encode(&c, "x", 1, out, 64, &used), SOTTO_EINVAL);
	CHECK_INT(sotto_client_init(&c, &m, &s), SOTTO_OK);
	CHECK_INT(sotto_client_encode_number(&c, 1, out, 64, &used), SOTTO_EINVAL);
	g.size = 1;
	CHECK_INT(sotto_client_init(&c, &g, &s), SOTTO_EINVAL);
	m.width = 70000;
	CHECK_INT(sotto_client_init(&c, &m, &s), SOTTO_EINVAL);
}

static void parameters_survive_as_bytes_and_damage_is_noticed(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol), q;
		uint8_t bytes[SOTTO_CLIENT_PARAMS_BYTES], again[SOTTO_CLIENT_PARAMS_BYTES];
		uint8_t one[16], two[16];

		sotto_client_params_store(&p, bytes);
		CHECK_INT(sotto_client_params_load(&q, bytes), SOTTO_OK);
		sotto_client_params_store(&q, again);
		CHECK(memcmp(bytes, again, sizeof bytes) == 0);
		sotto_client_params_digest(&p, one);
		q.salt ^= 1;
		sotto_client_params_digest(&q, two);
		CHECK(memcmp(one, two, 16) != 0);
		bytes[0] ^= 1;
		CHECK(sotto_client_params_load(&q, bytes) != SOTTO_OK);
	}
}

static void stored_state_gives_the_key_back_and_nothing_else(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_CMS), q = p;
	uint8_t state[SOTTO_CLIENT_STATE_BYTES], key[32], again[32];
	uint64_t seed = 1;

	CHECK_INT(sotto_client_state_make(&p, "m", 1, local_fill, &seed, state), SOTTO_OK);
	CHECK_INT(sotto_client_state_key(state, &p, "m", 1, key), SOTTO_OK);
	CHECK_INT(sotto_client_state_key(state, &p, "m", 1, again), SOTTO_OK);
	CHECK(memcmp(key, again, 32) == 0);
	CHECK_INT(sotto_client_state_key(state, &p, "n", 1, key), SOTTO_ESTATE);
	q.groups++;
	CHECK_INT(sotto_client_state_key(state, &q, "m", 1, key), SOTTO_ESTATE);
	for (int bit = 0; bit < 8 * SOTTO_CLIENT_STATE_BYTES; bit++) {
		state[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK_INT(sotto_client_state_key(state, &p, "m", 1, key), SOTTO_ECORRUPT);
		state[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	CHECK_INT(sotto_client_state_make(&p, "m", 1, failing_fill, NULL, state),
		  SOTTO_EENTROPY);
	CHECK_INT(sotto_client_state_key(state, &p, "m", 1, key), SOTTO_OK); /* untouched */
}

static void the_ledger_refuses_past_its_limits(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR);
	struct sotto_client_ledger l = {.daily_limit = 5, .distinct_limit = 2}, copy;
	uint8_t key[32] = {1}, out[8], bytes[SOTTO_CLIENT_LEDGER_BYTES];
	struct sotto_client_secrets s = {.key = key, .ledger = &l, .today = 100};
	struct sotto_client c;
	size_t used;

	REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
	for (int i = 0; i < 2; i++)
		CHECK_INT(local_encode(&c, 7, out, 8, &used), SOTTO_OK);
	CHECK_INT(local_encode(&c, 8, out, 8, &used), SOTTO_OK);
	CHECK_INT(local_encode(&c, 9, out, 8, &used), SOTTO_EBUDGET); /* a third value */
	CHECK_INT(local_encode(&c, 7, out, 8, &used), SOTTO_OK);
	CHECK_INT(local_encode(&c, 7, out, 8, &used), SOTTO_OK);
	CHECK_INT(local_encode(&c, 7, out, 8, &used), SOTTO_EBUDGET); /* a sixth report */
	c.secrets.today++;
	CHECK_INT(local_encode(&c, 7, out, 8, &used), SOTTO_OK);
	c.secrets.today--; /* a clock set back gives nothing */
	l.reports = 5;
	CHECK_INT(local_encode(&c, 7, out, 8, &used), SOTTO_EBUDGET);
	sotto_client_ledger_store(&l, bytes);
	CHECK_INT(sotto_client_ledger_load(&copy, bytes), SOTTO_OK);
	CHECK_INT(copy.distinct, 2);
	CHECK_INT(copy.tags[1], l.tags[1]);
	bytes[40] ^= 4;
	CHECK_INT(sotto_client_ledger_load(&copy, bytes), SOTTO_ECORRUPT);
}

/* alpha-point rounding: the grid point is x's neighbour below or above, in proportion. */
static void rounding_points_are_right_in_the_mean(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_ONE_BIT_MEAN);
	uint64_t seed = 5;
	double sum = 0, n = 20000;

	p.flip = chance(0);
	for (int i = 0; i < (int)n; i++) {
		uint8_t key[32], out[1];
		struct sotto_client_secrets s = {.key = key};
		struct sotto_client c;
		size_t used;

		local_fill(&seed, key, 32);
		REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
		REQUIRE(sotto_client_encode_number(&c, 37, out, 1, &used) == SOTTO_OK);
		sum += out[0];
	}
	CHECK(fabs(sum / n - .37) < 6.5 * sqrt(.37 * .63 / n));
}

static void few_grid_points_have_few_answers(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_ONE_BIT_MEAN);
	uint8_t key[32] = {9}, out[1], last = 2;
	struct sotto_client_secrets s = {.key = key};
	struct sotto_client c;
	int changes = 0;
	size_t used;

	p.grain = 100; /* two memo bits */
	REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
	for (uint64_t x = 0; x <= 100; x++) {
		REQUIRE(sotto_client_encode_number(&c, x, out, 1, &used) == SOTTO_OK);
		changes += out[0] != last;
		last = out[0];
	}
	CHECK(changes <= 2);
}

static void reservoir_keeps_each_value_equally_often(void)
{
	double kept[5] = {0};
	uint64_t seed = 11;

	for (int run = 0; run < 20000; run++) {
		unsigned at = 0;

		for (unsigned i = 1; i <= 5; i++) {
			bool keep = false;

			REQUIRE(sotto_client_reservoir_offer(i, local_fill, &seed, &keep) ==
				SOTTO_OK);
			at = keep ? i - 1 : at;
		}
		kept[at]++;
	}
	for (int i = 0; i < 5; i++)
		CHECK(fabs(kept[i] / 20000 - .2) < 6.5 * sqrt(.16 / 20000));
}

/* P(h(x) = h(y)) = 1/range over seeds and over rows, for neighbouring keys too. */
static void hash_families_collide_one_time_in_their_range(void)
{
	const double n = 200000, range = 7;
	double pair = 0, row = 0, high = 0;

	for (uint32_t i = 0; i < (uint32_t)n; i++) {
		struct sotto_pair_hash h = sotto_pair_hash_of_seed(i);
		struct sotto_row_hash r = sotto_row_hash_of(5, i);

		pair += sotto_scale32(sotto_pair_hash_at(&h, 10), 7) ==
			sotto_scale32(sotto_pair_hash_at(&h, 11), 7);
		high += sotto_scale32(sotto_pair_hash_at(&h, 10), 7) ==
			sotto_scale32(sotto_pair_hash_at(&h, 10 + (UINT64_C(1) << 32)), 7);
		row += sotto_row_hash_at(&r, 10, 7) == sotto_row_hash_at(&r, 11, 7);
	}
	CHECK(fabs(pair / n - 1 / range) < 6.5 * sqrt(1 / range * (1 - 1 / range) / n));
	CHECK(fabs(high / n - 1 / range) < 6.5 * sqrt(1 / range * (1 - 1 / range) / n));
	CHECK(fabs(row / n - 1 / range) < 6.5 * sqrt(1 / range * (1 - 1 / range) / n));
}

int main(void)
{
	RUN(one_value_gives_one_answer_for_a_thousand_reports);
	RUN(without_memoization_reports_differ);
	RUN(another_key_metric_or_parameter_draws_anew);
	RUN(permanent_bits_flip_with_probability_half_f);
	RUN(cohorts_are_spread_evenly_over_devices);
	RUN(failed_entropy_gives_no_report);
	RUN(bad_values_and_short_buffers_are_refused);
	RUN(parameters_survive_as_bytes_and_damage_is_noticed);
	RUN(stored_state_gives_the_key_back_and_nothing_else);
	RUN(the_ledger_refuses_past_its_limits);
	RUN(rounding_points_are_right_in_the_mean);
	RUN(few_grid_points_have_few_answers);
	RUN(reservoir_keeps_each_value_equally_often);
	RUN(hash_families_collide_one_time_in_their_range);
	return tap_done();
}
