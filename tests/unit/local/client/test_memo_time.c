/*
 * A device over its life: values that change and come back, restarts, stored
 * state that is lost or damaged, a ledger that is carried along, attackers who
 * average.
 */
#include "local/protocol/design.h"
#include "sotto/client.h"
#include "sotto/local.h"

#include "local/client/encode.h"
#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

static int failing_fill(void *context, uint8_t *out, size_t n)
{
	(void)context;
	memset(out, 0, n);
	return 1;
}

struct device {
	uint8_t key[32];
	uint64_t seed;
	struct sotto_client_secrets secrets;
	struct sotto_client client;
};

/* Switched on; the key is what it was. */
static void boot(struct device *d, const struct sotto_client_params *p)
{
	d->secrets.key = d->key;
	d->secrets.id = "m";
	d->secrets.id_length = 1;
	d->secrets.fill = local_fill;
	d->secrets.context = &d->seed;
	CHECK_INT(sotto_client_init(&d->client, p, &d->secrets), SOTTO_OK);
}

static void make(struct device *d, uint64_t number)
{
	*d = (struct device){.seed = 1000 + number};
	local_fill(&d->seed, d->key, 32);
}

static void values_that_come_back_get_their_old_answers(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t first[2][512], later[512];
		struct device d;
		size_t used = 0;

		make(&d, protocol);
		boot(&d, &p);
		for (unsigned v = 0; v < 2; v++)
			CHECK_INT(local_encode(&d.client, v, first[v], 512, &used), SOTTO_OK);
		for (unsigned i = 0; i < 50; i++) {
			unsigned v = (i * 7 / 3) % 2; /* there and back, with restarts */

			if (i % 5 == 0)
				boot(&d, &p);
			CHECK_INT(local_encode(&d.client, v, later, 512, &used), SOTTO_OK);
			CHECK(memcmp(first[v], later, used) == 0);
		}
	}
}

/* What a device does wrong on purpose, to show that the tests below would see it. */
enum fault {
	NO_FAULT,
	ONE_ANSWER_FOR_ALL, /* whatever the value is, what was drawn for the first one */
	A_KEY_A_START, /* drawn again each time it is switched on */
	NOTHING_FRESH, /* the second draw is remembered like the first */
};

/* Covariance of what one device says about two values, over many devices, in errors. */
static double covariance_of_answers(enum fault fault)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_GRR, .size = 2, .memoize = 1};
	const unsigned n = 20000;
	double both = 0, one = 0, two = 0;

	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	for (unsigned i = 0; i < n; i++) {
		uint8_t a[1], b[1];
		struct device d;
		size_t used;

		make(&d, i);
		boot(&d, &p);
		CHECK_INT(local_encode(&d.client, 0, a, 1, &used), SOTTO_OK);
		CHECK_INT(local_encode(&d.client, fault == NO_FAULT, b, 1, &used), SOTTO_OK);
		both += a[0] && b[0];
		one += a[0];
		two += b[0];
	}
	return fabs(both / n - one / n * two / n) / (.25 / sqrt(n));
}

static void a_new_value_is_drawn_anew(void)
{
	CHECK(covariance_of_answers(NO_FAULT) < 6.5);
	CHECK(covariance_of_answers(ONE_ANSWER_FOR_ALL) > 65);
}

/* What changes cost is stated: one epsilon a value, up to the answers there can be. */
static void changes_cost_what_is_stated(void)
{
	struct sotto_client_params grr = {
		.protocol = SOTTO_CLIENT_GRR, .size = 5, .memoize = 1};
	struct sotto_client_params d = {
		.protocol = SOTTO_CLIENT_DBITFLIP, .size = 10, .hashes = 3, .memoize = 1};
	struct sotto_client_params mean = {
		.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 100, .grain = 25, .memoize = 1};
	struct sotto_client_params filter = {.width = 32, .hashes = 2, .groups = 8};
	struct sotto_local_privacy s;

	sotto_local_privacy_init(&s);
	CHECK_INT(sotto_local_design(&grr, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_INT(sotto_local_privacy_state(&grr, 1000, &s), SOTTO_OK);
	CHECK_REL(s.after, 1, 1e-9);
	CHECK_REL(s.permanent, 1, 1e-9);
	CHECK_REL(s.lifetime, 5, 1e-9);
	CHECK_INT(sotto_local_design(&d, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_INT(sotto_local_privacy_state(&d, 1000, &s), SOTTO_OK);
	CHECK_REL(s.permanent, 1, 1e-9);
	CHECK_REL(s.lifetime, 4, 1e-9); /* min(d + 1, k) epsilon */
	CHECK_INT(sotto_local_design(&mean, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_INT(sotto_local_privacy_state(&mean, 1000, &s), SOTTO_OK);
	CHECK(s.lifetime <= 5 * (1 + 1e-9)); /* five grid points, one bit each */
	CHECK_INT(sotto_local_design_rappor(&filter, ratio(".5"), ratio(".25"), ratio(".75"),
					    NULL),
		  SOTTO_OK);
	CHECK_INT(sotto_local_privacy_state(&filter, 1000, &s), SOTTO_OK);
	CHECK(isinf(s.lifetime)); /* strings without end */
	sotto_local_privacy_release(&s);
}

static void buckets_are_drawn_once_for_all_values(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_DBITFLIP);
	uint8_t first[64], later[64];
	struct device d;
	size_t used;

	for (p.memoize = 0; p.memoize <= 1; p.memoize++) {
		make(&d, 3);
		boot(&d, &p);
		CHECK_INT(local_encode(&d.client, 0, first, 64, &used), SOTTO_OK);
		for (unsigned v = 1; v < 100; v++) {
			boot(&d, &p);
			CHECK_INT(local_encode(&d.client, v, later, 64, &used), SOTTO_OK);
			CHECK(memcmp(first, later, p.hashes) == 0);
		}
	}
}

/* Bits of the permanent response, as the mean of very many reports shows it. */
struct averages {
	unsigned bits;
	unsigned moved; /* differ between two halves of a device's life */
	unsigned lies; /* differ from the value */
};

static void average(const struct sotto_client_params *p, unsigned number, enum fault fault,
		    struct averages *out)
{
	struct sotto_client_value v = {.bytes = (const uint8_t *)"v1", .length = 2};
	uint32_t sums[2][32] = {{0}}, truth;
	uint8_t report[8], bloom[4];
	struct device d;
	size_t used;

	make(&d, number);
	for (unsigned r = 0; r < 600; r++) {
		if (r == 300 && fault == A_KEY_A_START)
			d.key[0]++;
		if (r % 300 == 0)
			boot(&d, p);
		CHECK_INT(local_encode(&d.client, 1, report, 8, &used), SOTTO_OK);
		for (unsigned b = 0; b < 32; b++)
			sums[r / 300][b] += report[1 + b / 8] >> b % 8 & 1;
	}
	sotto_rappor_bloom(p, d.client.group, &v, bloom);
	memcpy(&truth, bloom, 4);
	for (unsigned b = 0; b < 32; b++) {
		bool found = sums[0][b] > 150;

		out->bits++;
		out->moved += found != (sums[1][b] > 150);
		out->lies += found != (truth >> b & 1);
	}
}

static void averaging_finds_the_permanent_response_and_no_more(void)
{
	struct sotto_client_params p = {.width = 32, .hashes = 2, .groups = 4};
	struct averages honest = {0}, forgetful = {0};

	CHECK_INT(sotto_local_design_rappor(&p, ratio(".5"), ratio(".25"), ratio(".75"), NULL),
		  SOTTO_OK);
	for (unsigned i = 0; i < 40; i++) {
		average(&p, i, NO_FAULT, &honest);
		average(&p, i, A_KEY_A_START, &forgetful);
	}
	CHECK_INT(honest.moved, 0);
	CHECK(fabs(honest.lies / (double)honest.bits - .25) <
	      6.5 * sqrt(.25 * .75 / honest.bits));
	CHECK(forgetful.moved > forgetful.bits / 4);
}

/* The share of ones in a device's reports of the greatest number. */
static double
share_of_ones(const struct sotto_client_params *p, unsigned number, double n, enum fault fault)
{
	struct device d;
	double ones = 0;
	uint8_t out[1];
	size_t used;

	make(&d, number);
	boot(&d, p);
	for (unsigned r = 0; r < (unsigned)n; r++) {
		if (fault == NOTHING_FRESH)
			d.seed = 1;
		CHECK_INT(sotto_client_encode_number(&d.client, 10, out, 1, &used), SOTTO_OK);
		ones += out[0];
	}
	return ones / n;
}

/* Perturbed outputs flip each time, with gamma, around a bit that stays. */
static void output_perturbation_is_fresh_around_one_bit(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 10, .grain = 10, .memoize = 1};
	const double n = 20000;

	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, ratio(".2"), NULL), SOTTO_OK);
	for (unsigned i = 0; i < 4; i++) {
		double share = share_of_ones(&p, i, n, NO_FAULT);
		double stale = share_of_ones(&p, i, n, NOTHING_FRESH);

		CHECK(fabs(share - (share > .5 ? .8 : .2)) < 6.5 * sqrt(.16 / n));
		CHECK(stale == 0 || stale == 1);
	}
}

/* What the device answers about x if that is its alpha. */
static uint8_t answer_with(struct device *d, uint32_t alpha, uint64_t x)
{
	uint8_t out[1];
	size_t used;

	d->client.alpha = alpha;
	CHECK_INT(sotto_client_encode_number(&d->client, x, out, 1, &used), SOTTO_OK);
	return out[0];
}

/* Of ten alphas exactly x round x up, so that rounding moves no mean. */
static void x_tenths_of_the_alphas_round_up(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 10, .grain = 10, .memoize = 1};
	struct device d;
	unsigned i = 0;

	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	do { /* a device that says something else at either end */
		make(&d, i++);
		boot(&d, &p);
	} while (answer_with(&d, 0, 0) == answer_with(&d, 0, 10));
	for (uint64_t x = 0; x <= 10; x++) {
		unsigned up = 0;

		for (uint32_t alpha = 0; alpha < 10; alpha++)
			up += answer_with(&d, alpha, x) == answer_with(&d, 0, 10);
		CHECK_INT(up, x);
	}
}

/* The whole way of a device without a persistent key. */
static void stored_state_carries_the_answers_over_restarts(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR);
	uint8_t state[SOTTO_CLIENT_STATE_BYTES], disk[SOTTO_CLIENT_STATE_BYTES];
	uint8_t first[2], later[2], lost[SOTTO_CLIENT_STATE_BYTES] = {0};
	struct device d = {.seed = 4};
	size_t used;

	CHECK_INT(sotto_client_state_make(&p, "m", 1, local_fill, &d.seed, state), SOTTO_OK);
	memcpy(disk, state, sizeof disk); /* durable before the first report */
	CHECK_INT(sotto_client_state_key(state, &p, "m", 1, d.key), SOTTO_OK);
	boot(&d, &p);
	CHECK_INT(local_encode(&d.client, 7, first, 2, &used), SOTTO_OK);
	memset(d.key, 0, 32);
	CHECK_INT(sotto_client_state_key(disk, &p, "m", 1, d.key), SOTTO_OK);
	boot(&d, &p);
	CHECK_INT(local_encode(&d.client, 7, later, 2, &used), SOTTO_OK);
	CHECK(memcmp(first, later, 2) == 0);
	/* lost, cut or damaged state is an error, and the key stays what it was */
	memset(d.key, 0x5a, 32);
	CHECK_INT(sotto_client_state_key(lost, &p, "m", 1, d.key), SOTTO_ECORRUPT);
	for (size_t n = 0; n < sizeof disk; n++) {
		uint8_t cut[SOTTO_CLIENT_STATE_BYTES] = {0};

		memcpy(cut, disk, n);
		CHECK_INT(sotto_client_state_key(cut, &p, "m", 1, d.key), SOTTO_ECORRUPT);
	}
	p.memoize = 0; /* other parameters: a state of its own */
	CHECK_INT(sotto_client_state_key(disk, &p, "m", 1, d.key), SOTTO_ESTATE);
	for (unsigned i = 0; i < 32; i++)
		CHECK_INT(d.key[i], 0x5a);
}

static void a_key_is_needed_wherever_something_is_kept(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		struct sotto_client_secrets none = {.fill = local_fill};
		struct sotto_client_ledger l = {.daily_limit = 1, .distinct_limit = 1};
		struct sotto_client c;

		CHECK_INT(sotto_client_init(&c, &p, &none), SOTTO_EMISSING);
		p.memoize = 0; /* what is drawn once for all values, and tags */
		none.ledger = &l;
		CHECK_INT(sotto_client_init(&c, &p, &none), SOTTO_EMISSING);
		none.ledger = NULL;
		p.groups = protocol == SOTTO_CLIENT_RAPPOR ? 1 : p.groups;
		CHECK_INT(sotto_client_init(&c, &p, &none),
			  protocol == SOTTO_CLIENT_RAPPOR ||
					  protocol == SOTTO_CLIENT_ONE_BIT_MEAN
				  ? SOTTO_EMISSING
				  : SOTTO_OK);
	}
}

/* Encodes from a ledger that is read from bytes before and written after each report. */
static enum sotto_status
report(uint8_t bytes[SOTTO_CLIENT_LEDGER_BYTES], uint32_t today, unsigned value)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR);
	struct sotto_client_ledger l;
	struct device d;
	uint8_t out[2];
	enum sotto_status st;
	size_t used;

	if (sotto_client_ledger_load(&l, bytes) != SOTTO_OK)
		return SOTTO_ECORRUPT;
	make(&d, 1);
	d.secrets.ledger = &l;
	d.secrets.today = today;
	boot(&d, &p);
	st = local_encode(&d.client, value, out, 2, &used);
	sotto_client_ledger_store(&l, bytes);
	return st;
}

static void a_ledger_on_disk_limits_days_and_values(void)
{
	struct sotto_client_ledger l = {.daily_limit = 4, .distinct_limit = 3};
	uint8_t bytes[SOTTO_CLIENT_LEDGER_BYTES];
	unsigned sent = 0;

	sotto_client_ledger_store(&l, bytes);
	for (uint32_t day = 10; day < 20; day++)
		for (unsigned i = 0; i < 6; i++)
			sent += report(bytes, day, i % 3) == SOTTO_OK;
	CHECK_INT(sent, 40); /* four a day */
	for (unsigned value = 3; value < 100; value++)
		CHECK_INT(report(bytes, 30, value), SOTTO_EBUDGET);
	CHECK_INT(report(bytes, 30, 2), SOTTO_OK); /* a value it has paid for */
	CHECK_INT(report(bytes, 5, 1), SOTTO_OK); /* a clock set back is the same day still */
	CHECK_INT(report(bytes, 5, 1), SOTTO_OK);
	CHECK_INT(report(bytes, 5, 1), SOTTO_OK);
	CHECK_INT(report(bytes, 5, 1), SOTTO_EBUDGET);
	for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK_INT(report(bytes, 40, 1), SOTTO_ECORRUPT);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void the_ledger_s_table_is_never_overrun(void)
{
	struct sotto_client_ledger l = {.daily_limit = 1000, .distinct_limit = 1000};
	uint8_t bytes[SOTTO_CLIENT_LEDGER_BYTES];
	unsigned sent = 0;

	sotto_client_ledger_store(&l, bytes);
	for (unsigned value = 0; value < 40; value++)
		sent += report(bytes, 1, value) == SOTTO_OK;
	CHECK_INT(sent, 16); /* what the table can tell apart */
	l.distinct = 17;
	sotto_client_ledger_store(&l, bytes);
	CHECK_INT(report(bytes, 1, 1), SOTTO_ECORRUPT);
}

/* What is refused costs nothing.  test_entropy.c: nor does what randomness failed. */
static void a_refused_value_costs_nothing(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR);
	struct sotto_client_ledger l = {.daily_limit = 10, .distinct_limit = 10};
	struct device d;
	uint8_t out[2];
	size_t used;

	make(&d, 2);
	d.secrets.ledger = &l;
	p.memoize = 0;
	boot(&d, &p);
	CHECK_INT(sotto_client_encode_number(&d.client, p.size, out, 2, &used), SOTTO_ERANGE);
	CHECK_INT(sotto_client_encode_number(&d.client, 1, out, 1, &used), SOTTO_ERANGE);
	CHECK_INT(sotto_client_encode(&d.client, "x", 1, out, 2, &used), SOTTO_EINVAL);
	CHECK_INT(l.reports, 0);
	CHECK_INT(l.distinct, 0);
	CHECK_INT(sotto_client_encode_number(&d.client, 1, out, 2, &used), SOTTO_OK);
	CHECK_INT(l.reports, 1);
}

static void nothing_is_said_without_a_source_of_randomness(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t out[512];
		struct device d;
		size_t used;

		make(&d, 3);
		p.memoize = 0;
		boot(&d, &p);
		d.client.secrets.fill = NULL;
		memset(out, 0x5a, sizeof out);
		CHECK_INT(local_encode(&d.client, 1, out, 512, &used), SOTTO_EENTROPY);
		for (size_t i = 0; i < sizeof out; i++)
			CHECK_INT(out[i], 0);
	}
}

/* The answer is remembered, its second flip is not: that needs randomness each time. */
static void a_second_flip_without_randomness_says_nothing(void)
{
	static const uint32_t protocols[] = {SOTTO_CLIENT_ONE_BIT_MEAN, SOTTO_CLIENT_DBITFLIP};

	for (unsigned i = 0; i < 2; i++) {
		struct sotto_client_params p = local_sample(protocols[i]);
		uint8_t out[64], report = 0;
		struct device d;
		size_t used;

		CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, ratio(".2"), NULL),
			  SOTTO_OK);
		make(&d, 5);
		boot(&d, &p);
		CHECK_INT(local_encode(&d.client, 1, out, 64, &used), SOTTO_OK);
		d.client.secrets.fill = failing_fill;
		CHECK_INT(local_encode(&d.client, 1, out, 64, &used), SOTTO_EENTROPY);
		for (unsigned j = 0; j < 64; j++)
			report |= out[j];
		CHECK_INT(report, 0);
	}
}

/* Tags name values to nobody but the device, and tell nothing about answers. */
static void tags_belong_to_one_device_and_share_no_draw_with_answers(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR);
	struct sotto_client_value v = {.number = 5};
	struct sotto_stream answer;
	uint32_t tag[2];

	for (unsigned i = 0; i < 2; i++) {
		struct sotto_client_ledger l = {.daily_limit = 10, .distinct_limit = 10};
		struct device d;
		uint8_t out[2];
		size_t used;

		make(&d, i);
		d.secrets.ledger = &l;
		boot(&d, &p);
		CHECK_INT(local_encode(&d.client, 5, out, 2, &used), SOTTO_OK);
		tag[i] = l.tags[0];
		sotto_answer_stream(&answer, &d.client, &v);
		CHECK(sotto_stream_word32(&answer) != tag[i]);
	}
	CHECK(tag[0] != tag[1]);
}

static void the_reservoir_keeps_the_first_and_fails_without_entropy(void)
{
	uint64_t seed = 1;
	bool keep = false;

	for (int i = 0; i < 100; i++) {
		keep = false;
		CHECK_INT(sotto_client_reservoir_offer(1, local_fill, &seed, &keep), SOTTO_OK);
		CHECK(keep);
	}
	CHECK_INT(sotto_client_reservoir_offer(0, local_fill, &seed, &keep), SOTTO_EINVAL);
	keep = true;
	CHECK_INT(sotto_client_reservoir_offer(3, failing_fill, NULL, &keep), SOTTO_EENTROPY);
	CHECK(keep); /* written on success only */
	keep = false;
	CHECK_INT(sotto_client_reservoir_offer(3, failing_fill, NULL, &keep), SOTTO_EENTROPY);
	CHECK(!keep);
}

int main(void)
{
	RUN(values_that_come_back_get_their_old_answers);
	RUN(a_new_value_is_drawn_anew);
	RUN(changes_cost_what_is_stated);
	RUN(buckets_are_drawn_once_for_all_values);
	RUN(averaging_finds_the_permanent_response_and_no_more);
	RUN(output_perturbation_is_fresh_around_one_bit);
	RUN(x_tenths_of_the_alphas_round_up);
	RUN(stored_state_carries_the_answers_over_restarts);
	RUN(a_key_is_needed_wherever_something_is_kept);
	RUN(a_ledger_on_disk_limits_days_and_values);
	RUN(the_ledger_s_table_is_never_overrun);
	RUN(a_refused_value_costs_nothing);
	RUN(nothing_is_said_without_a_source_of_randomness);
	RUN(a_second_flip_without_randomness_says_nothing);
	RUN(tags_belong_to_one_device_and_share_no_draw_with_answers);
	RUN(the_reservoir_keeps_the_first_and_fails_without_entropy);
	return tap_done();
}
