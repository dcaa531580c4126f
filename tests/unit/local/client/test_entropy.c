/*
 * Randomness that fails at its first call, its second, and so on until a report is made:
 * no report, no charge, no slot; the ledger, the key and the parameters keep every byte.
 */
#include "sotto/client.h"

#include "sotto/client.h"
#include "testlib/fixture/local.h"
#include "testlib/tap.h"

enum { REPORT = 512, CALLS_MAX = 4096 };

/* Works `left` times, then writes half of what it should and says that it failed. */
struct failing {
	uint64_t seed;
	unsigned left;
	bool failed;
};

static int fill_until(void *context, uint8_t *out, size_t n)
{
	struct failing *f = context;

	if (f->left == 0) {
		memset(out, 0x77, n / 2);
		f->failed = true;
		return 1;
	}
	f->left--;
	return local_fill(&f->seed, out, n);
}

static bool all_zero(const uint8_t *bytes, size_t n)
{
	uint8_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= bytes[i];
	return any == 0;
}

/* Everything that a device keeps. */
struct kept {
	struct sotto_client_ledger ledger;
	struct sotto_client client;
	uint8_t key[32];
};

/* One attempt under n working calls; false once it made a report. */
static bool
attempt(const struct sotto_client_params *p, bool with_key, unsigned value, unsigned n)
{
	struct failing f = {.seed = n + 1, .left = n};
	struct kept now = {.ledger = {.day = 6,
				      .reports = 2,
				      .daily_limit = 3,
				      .distinct = 1,
				      .distinct_limit = 2,
				      .tags = {99}},
			   .key = {1, 2, 3}},
		    before;
	struct sotto_client_secrets s = {.key = with_key ? now.key : NULL,
					 .id = "m",
					 .id_length = 1,
					 .fill = fill_until,
					 .context = &f,
					 .ledger = with_key ? &now.ledger : NULL,
					 .today = n % 2 ? 7 : 6};
	size_t used = 12345;
	uint8_t out[REPORT];
	enum sotto_status st = sotto_client_init(&now.client, p, &s);

	if (!with_key && st == SOTTO_EMISSING)
		return false;
	CHECK_INT(st, SOTTO_OK);
	before = now;
	memset(out, 0x5a, sizeof out);
	st = local_encode(&now.client, value, out, sizeof out, &used);
	if (st == SOTTO_OK) {
		CHECK(!f.failed);
		CHECK(!with_key || now.ledger.reports == (n % 2 ? 1 : 3));
		CHECK(!with_key || now.ledger.distinct == 2);
		return false;
	}
	CHECK_INT(st, SOTTO_EENTROPY);
	CHECK(f.failed);
	CHECK(all_zero(out, sizeof out));
	CHECK_INT(used, 12345);
	CHECK(memcmp(&before, &now, sizeof now) == 0);
	return true;
}

static void no_report_changes_nothing_that_a_device_keeps(void)
{
	unsigned failures = 0;

	LOCAL_EACH_PROTOCOL(protocol)
	{
		for (unsigned memoize = 0; memoize < 2; memoize++)
			for (unsigned with_key = 0; with_key < 2; with_key++) {
				struct sotto_client_params p = local_sample(protocol);
				unsigned n = 0;

				p.memoize = memoize;
				while (n < CALLS_MAX && attempt(&p, with_key, 1, n))
					n++;
				CHECK(n < CALLS_MAX);
				failures += n;
			}
	}
	CHECK(failures > 30); /* protocols whose reports are fresh did fail first */
}

/* The drawn second flip of counters, after a first answer that is remembered. */
static void a_failing_second_flip_changes_nothing_either(void)
{
	static const uint32_t protocols[] = {SOTTO_CLIENT_ONE_BIT_MEAN, SOTTO_CLIENT_DBITFLIP};

	for (unsigned i = 0; i < 2; i++) {
		struct sotto_client_params p = local_sample(protocols[i]);
		unsigned n = 0;

		p.memoize = 1;
		p.flip2 = (struct sotto_client_chance){UINT64_C(1) << 61, false};
		while (n < CALLS_MAX && attempt(&p, true, 1, n))
			n++;
		CHECK(n > 0 && n < CALLS_MAX);
	}
}

static void a_state_is_made_whole_or_not_at_all(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_GRR);
	uint8_t state[SOTTO_CLIENT_STATE_BYTES], before[SOTTO_CLIENT_STATE_BYTES], key[32];
	struct failing f = {.seed = 1, .left = 1};

	CHECK_INT(sotto_client_state_make(&p, "m", 1, fill_until, &f, state), SOTTO_OK);
	memcpy(before, state, sizeof state);
	CHECK_INT(sotto_client_state_make(&p, "m", 1, fill_until, &f, state), SOTTO_EENTROPY);
	CHECK_INT(sotto_client_state_make(&p, "m", 1, NULL, NULL, state), SOTTO_EINVAL);
	CHECK(memcmp(before, state, sizeof state) == 0);
	CHECK_INT(sotto_client_state_key(state, &p, "m", 1, key), SOTTO_OK);
}

static void the_reservoir_decides_nothing_without_randomness(void)
{
	struct failing f = {.seed = 1, .left = 0};
	bool keep = true;

	CHECK_INT(sotto_client_reservoir_offer(5, fill_until, &f, &keep), SOTTO_EENTROPY);
	CHECK(keep);
	CHECK_INT(sotto_client_reservoir_offer(5, NULL, NULL, &keep), SOTTO_EENTROPY);
	CHECK(keep);
}

/* Reports in the formats of others: zeros or a whole report. */
static void a_compatible_report_is_whole_or_zero(void)
{
	static const enum sotto_compat_mode modes[] = {
		SOTTO_COMPAT_GOOGLE_PY, SOTTO_COMPAT_GOOGLE_CPP, SOTTO_COMPAT_GOOGLE_CPP_VECTOR,
		SOTTO_COMPAT_GOOGLE_JAVA, SOTTO_COMPAT_CHROMIUM};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		const struct sotto_client_chance quarter = {UINT64_C(1) << 62, false},
						 half = {UINT64_C(1) << 63, false},
						 most = {UINT64_C(3) << 62, false};
		uint8_t secret[48] = {1}, permanent[4] = {0xa5, 0x5a, 1, 2}, out[4];
		struct failing f;
		struct sotto_compat c = {.mode = modes[i],
					 .bits = 32,
					 .hashes = 2,
					 .cohorts = 16,
					 .f = half,
					 .p = quarter,
					 .q = most,
					 .secret = secret,
					 .secret_length = sizeof secret,
					 .id = "m",
					 .id_length = 1,
					 .fill = fill_until,
					 .context = &f};
		enum sotto_status st = SOTTO_EENTROPY;
		unsigned n = 0;

		for (; n < CALLS_MAX && st == SOTTO_EENTROPY; n++) {
			f = (struct failing){.seed = n + 1, .left = n};
			memset(out, 0x5a, sizeof out);
			st = sotto_compat_report(&c, permanent, out);
			CHECK(st == SOTTO_OK || all_zero(out, sizeof out));
		}
		CHECK_INT(st, SOTTO_OK);
		CHECK(n > 1);
	}
}

int main(void)
{
	RUN(no_report_changes_nothing_that_a_device_keeps);
	RUN(a_failing_second_flip_changes_nothing_either);
	RUN(a_state_is_made_whole_or_not_at_all);
	RUN(the_reservoir_decides_nothing_without_randomness);
	RUN(a_compatible_report_is_whole_or_zero);
	return tap_done();
}
