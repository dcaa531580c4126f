/* Chromium's uploads: what a client makes is counted; anything else is refused whole. */
#include "local/client/compat/compat_chromium.h"
#include "local/rappor/chromium.h"

#include "sotto/client.h"

#include "testlib/fixture/local.h"
#include "testlib/tap.h"

static const struct sotto_local_google params = {.bits = 16, .hashes = 2, .cohorts = 8};

static struct {
	uint64_t reports[8], ones[8 * 16];
} counts;

static enum sotto_status add(const uint8_t *upload, size_t n)
{
	return sotto_local_chromium_add(upload, n, &params,
					sotto_local_chromium_name("metric", 6), counts.reports,
					counts.ones, NULL);
}

static uint64_t counted(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 8; i++)
		sum += counts.reports[i];
	return sum;
}

static size_t upload_of(const char *name, uint32_t seed, const uint8_t bits[2], uint8_t *out)
{
	struct sotto_compat c = {.mode = SOTTO_COMPAT_CHROMIUM,
				 .bits = 16,
				 .hashes = 2,
				 .cohorts = 8,
				 .id = name,
				 .id_length = strlen(name)};
	size_t used = 0;

	CHECK_INT(sotto_compat_chromium_upload(&c, seed, bits, out, 64, &used), SOTTO_OK);
	return used;
}

static void a_client_s_upload_is_counted_in_its_cohort(void)
{
	uint8_t upload[64];

	memset(&counts, 0, sizeof counts);
	for (uint32_t seed = 0; seed < 512; seed++) {
		uint8_t bits[2] = {(uint8_t)seed, (uint8_t)(seed >> 8)};

		CHECK_INT(add(upload, upload_of("metric", seed, bits, upload)), SOTTO_OK);
	}
	for (unsigned cohort = 0; cohort < 8; cohort++) {
		CHECK_INT(counts.reports[cohort], 64); /* the seed modulo the cohorts */
		for (unsigned bit = 0; bit < 3; bit++)
			CHECK_INT(counts.ones[cohort * 16 + bit], cohort >> bit & 1 ? 64 : 0);
		CHECK_INT(counts.ones[cohort * 16 + 8], 32);
		CHECK_INT(counts.ones[cohort * 16 + 9], 0);
	}
}

static void other_metrics_and_unknown_fields_are_passed_over(void)
{
	static const uint8_t unknown[] = {0x18, 0x96, 0x01, /* 3: varint 150 */
					  0x22, 0x02, 'h',  'i', /* 4: bytes */
					  0x2d, 1,    2,    3,   4, /* 5: fixed32 */
					  0x31, 1,    2,    3,   4,
					  5,    6,    7,    8}; /* 6: fixed64 */
	uint8_t bits[2] = {1, 2}, upload[256];
	size_t n = upload_of("another", 3, bits, upload);

	memset(&counts, 0, sizeof counts);
	CHECK_INT(add(upload, n), SOTTO_OK);
	CHECK_INT(counted(), 0);
	memcpy(upload + n, unknown, sizeof unknown);
	n += sizeof unknown;
	n += upload_of("metric", 5, bits, upload + n); /* the last seed counts */
	CHECK_INT(add(upload, n), SOTTO_OK);
	CHECK_INT(counts.reports[5], 1);
	CHECK_INT(counts.ones[5 * 16], 1);
	CHECK_INT(counts.ones[5 * 16 + 9], 1);
	CHECK_INT(counted(), 1);
}

static void what_no_client_sends_is_refused_whole(void)
{
	uint8_t bits[3] = {255, 255, 255}, good[64], bad[128];
	size_t n = upload_of("metric", 7, bits, good);
	struct sotto_compat wide = {.bits = 24, .id = "metric", .id_length = 6};
	size_t used;

	memset(&counts, 0, sizeof counts);
	for (size_t cut = 1; cut < n; cut++) /* after the seed a metric is cut */
		if (cut != 2)
			CHECK_INT(add(good, cut), SOTTO_EPARSE);
	CHECK_INT(add(good, 0), SOTTO_EPARSE); /* no seed */
	CHECK_INT(add(good + 2, n - 2), SOTTO_EPARSE);
	memcpy(bad, good, n);
	bad[n] = 0x08; /* a seed of 512 */
	bad[n + 1] = 0x80;
	bad[n + 2] = 0x04;
	CHECK_INT(add(bad, n + 3), SOTTO_EPARSE);
	bad[n] = 0x0b; /* a group, which nobody sends any more */
	CHECK_INT(add(bad, n + 1), SOTTO_EPARSE);
	memset(bad + n, 0xff, 12); /* a number of too many bytes */
	CHECK_INT(add(bad, n + 12), SOTTO_EPARSE);
	CHECK_INT(sotto_compat_chromium_upload(&wide, 7, bits, bad + n, 64, &used), SOTTO_OK);
	CHECK_INT(add(bad, n + used), SOTTO_EPARSE); /* a good vector and one too long */
	CHECK_INT(counted(), 0);
	CHECK_INT(add(good, n), SOTTO_OK);
	CHECK_INT(counted(), 1);
}

int main(void)
{
	RUN(a_client_s_upload_is_counted_in_its_cohort);
	RUN(other_metrics_and_unknown_fields_are_passed_over);
	RUN(what_no_client_sends_is_refused_whole);
	return tap_done();
}
