/* Compatible modes: published vectors, and the quirks that go with them. */
#include "local/client/compat/compat_chromium.h"
#include "sotto/client.h"

#include <openssl/evp.h>

#include "local/client/compat/compat.h"
#include "sotto/decode.h"
#include "testlib/tap.h"

static struct sotto_client_chance chance(double p)
{
	if (p >= 1)
		return (struct sotto_client_chance){0, true};
	return (struct sotto_client_chance){(uint64_t)ldexp(p, 64), false};
}

/* 0, .6, 0, 0, .6, 0 ... as 64-bit fractions, from the start again every `period` draws */
struct cycle {
	unsigned drawn, period;
};

static int cycle_fill(void *context, uint8_t *out, size_t n)
{
	struct cycle *c = context;
	uint64_t x = c->drawn++ % c->period % 3 == 1 ? (uint64_t)ldexp(0.6, 64) : 0;

	if (n != 8)
		return -1;
	memcpy(out, &x, 8);
	return 0;
}

static int counter_fill(void *context, uint8_t *out, size_t n)
{
	unsigned *i = context;

	for (size_t j = 0; j < n; j++)
		out[j] = (uint8_t)(17 * (*i)++);
	return 0;
}

static uint32_t word(const uint8_t *p, unsigned n)
{
	uint32_t x = 0;

	memcpy(&x, p, n);
	return x;
}

static void python_client_gives_its_published_report(void)
{
	struct cycle cycle = {0, 16};
	struct sotto_compat c = {.mode = SOTTO_COMPAT_GOOGLE_PY,
				 .bits = 16,
				 .hashes = 2,
				 .cohorts = 64,
				 .f = chance(.5),
				 .p = chance(.5),
				 .q = chance(.75),
				 .secret = "secret",
				 .secret_length = 6,
				 .fill = cycle_fill,
				 .context = &cycle};
	uint8_t bits[4] = {0}, prr[4] = {0}, irr[4] = {0};

	CHECK_INT(sotto_compat_bloom(&c, 0, "abc", 3, bits), SOTTO_OK);
	CHECK_INT(word(bits, 2), 0x2040);
	CHECK_INT(sotto_compat_permanent(&c, bits, prr), SOTTO_OK);
	CHECK_INT(word(prr, 2), 0xe0e8);
	CHECK_INT(sotto_compat_report(&c, prr, irr), SOTTO_OK);
	CHECK_INT(word(irr, 2), 64493);
}

static void python_map_row_has_the_published_cells(void)
{
	static const uint32_t want[8] = {5, 1, 26, 26, 38, 34, 63, 62};
	struct sotto_compat c = {
		.mode = SOTTO_COMPAT_GOOGLE_PY, .bits = 16, .hashes = 2, .cohorts = 4};
	uint32_t at[2];

	for (uint32_t cohort = 0; cohort < 4; cohort++) {
		CHECK_INT(sotto_compat_positions(&c, cohort, "apple", 5, at), SOTTO_OK);
		for (uint32_t i = 0; i < 2; i++)
			CHECK_INT(cohort * 16 + at[i] + 1, want[2 * cohort + i]);
	}
}

static struct sotto_compat cpp_client(unsigned *counter)
{
	return (struct sotto_compat){.mode = SOTTO_COMPAT_GOOGLE_CPP,
				     .bits = 32,
				     .hashes = 2,
				     .cohorts = 128,
				     .f = chance(.25),
				     .p = chance(.75),
				     .q = chance(.5),
				     .secret = "client-secret",
				     .secret_length = 13,
				     .id = "client-secret",
				     .id_length = 13,
				     .fill = counter_fill,
				     .context = counter};
}

static void cpp_client_gives_its_published_report(void)
{
	unsigned counter = 0;
	struct sotto_compat c = cpp_client(&counter);
	uint8_t bits[4], prr[4], irr[4];
	uint32_t cohort = 0;

	CHECK_INT(sotto_compat_cohort(&c, &cohort), SOTTO_OK);
	CHECK_INT(cohort, 3);
	CHECK_INT(sotto_compat_bloom(&c, cohort, "foo", 3, bits), SOTTO_OK);
	CHECK_INT(word(bits, 4), 0x1010);
	CHECK_INT(sotto_compat_permanent(&c, bits, prr), SOTTO_OK);
	CHECK_INT(word(prr, 4), 0x61314);
	CHECK_INT(sotto_compat_report(&c, prr, irr), SOTTO_OK);
	CHECK_INT(word(irr, 4), 2281639167u);
	CHECK_INT(counter, 64);
}

static void java_client_gives_its_published_permanent_response(void)
{
	uint8_t secret[48], bits[1] = {0xfd}, prr[1];
	struct sotto_compat c = {.mode = SOTTO_COMPAT_GOOGLE_JAVA,
				 .bits = 8,
				 .hashes = 1,
				 .cohorts = 128,
				 .f = chance(.25),
				 .q = chance(1),
				 .secret = secret,
				 .secret_length = 48,
				 .id = "Foo",
				 .id_length = 3};
	unsigned n;

	for (int i = 0; i < 3; i++)
		EVP_Digest("Bar", 3, secret + 16 * i, &n, EVP_md5(), NULL);
	CHECK_INT(sotto_compat_permanent(&c, bits, prr), SOTTO_OK);
	CHECK_INT(prr[0], 0x75);
	c.f = chance(0);
	CHECK_INT(sotto_compat_permanent(&c, bits, prr), SOTTO_OK);
	CHECK_INT(prr[0], 0xfd);
	CHECK_INT(sotto_compat_report(&c, bits, prr), SOTTO_OK); /* p = 0, q = 1: no entropy */
	CHECK_INT(prr[0], 0xfd);
}

/* Two bytes of MD5(cohort, big-endian, then the value) a hash, the first one the greater. */
static void java_client_sets_the_bits_of_two_byte_hashes(void)
{
	static const uint8_t hashed[] = {0, 0, 0, 77, 'F', 'o', 'o'};
	struct sotto_compat c = {
		.mode = SOTTO_COMPAT_GOOGLE_JAVA, .bits = 200, .hashes = 8, .cohorts = 128};
	uint32_t positions[8];
	uint8_t digest[16];
	unsigned n;

	EVP_Digest(hashed, sizeof hashed, digest, &n, EVP_md5(), NULL);
	sotto_google_positions(&c, 77, "Foo", 3, positions);
	for (unsigned i = 0; i < 8; i++)
		CHECK_INT(positions[i], (digest[2 * i] << 8 | digest[2 * i + 1]) % 200);
}

static void chromium_bloom_filter_is_the_published_one(void)
{
	struct sotto_compat c = {.mode = SOTTO_COMPAT_CHROMIUM,
				 .bits = 8,
				 .hashes = 4,
				 .cohorts = 128,
				 .f = chance(.5),
				 .p = chance(.25),
				 .q = chance(.75)};
	uint8_t bits[1];

	CHECK_INT(sotto_compat_bloom(&c, 0, "Test", 4, bits), SOTTO_OK);
	CHECK_INT(bits[0], 0x2a);
}

static void chromium_upload_is_the_documented_message(void)
{
	struct sotto_compat c = {.mode = SOTTO_COMPAT_CHROMIUM,
				 .bits = 8,
				 .hashes = 2,
				 .cohorts = 128,
				 .id = "Metric",
				 .id_length = 6};
	uint8_t bits[1] = {0xa5}, out[32], name[16];
	size_t used = 0;
	unsigned n;

	EVP_Digest("Metric", 6, name, &n, EVP_md5(), NULL);
	CHECK_INT(sotto_compat_chromium_upload(&c, 300, bits, out, sizeof out, &used),
		  SOTTO_OK);
	CHECK_INT(used, 3 + 2 + 9 + 2 + 1);
	CHECK(memcmp(out, "\x08\xac\x02\x12\x0c\x09", 6) == 0);
	for (int i = 0; i < 8; i++)
		CHECK_INT(out[6 + i], name[7 - i]);
	CHECK(memcmp(out + 14, "\x12\x01\xa5", 3) == 0);
	CHECK_INT(sotto_compat_chromium_upload(&c, 300, bits, out, 10, &used), SOTTO_ERANGE);
}

/* f = .1 is 12/128 in the C++ client, 13/128 in the others: quantisation changes epsilon. */
static void each_client_rounds_f_its_own_way(void)
{
	unsigned counter = 0;
	struct sotto_compat c = cpp_client(&counter);
	struct sotto_client_chance f, p, q;

	c.f = chance(.1);
	c.q = chance(1);
	sotto_compat_realised(&c, &f, &p, &q);
	CHECK(ldexp((double)f.numerator, -57) == 12);
	CHECK(q.numerator == 0 && !q.certain);
	c.mode = SOTTO_COMPAT_GOOGLE_PY;
	sotto_compat_realised(&c, &f, &p, &q);
	CHECK(ldexp((double)f.numerator, -57) == 13);
	CHECK(q.certain);
	c.mode = SOTTO_COMPAT_GOOGLE_JAVA;
	sotto_compat_realised(&c, &f, &p, &q);
	CHECK(ldexp((double)f.numerator, -57) == 13);
}

/* The vector API sends big-endian bytes; with 32 bits and the same masks it is the word API. */
static void cpp_vector_report_is_big_endian(void)
{
	unsigned counter = 0, again = 0;
	struct sotto_compat c = cpp_client(&counter);
	uint8_t prr[4] = {0x14, 0x13, 0x06, 0x00}, one[4], two[4], wire[4];

	CHECK_INT(sotto_compat_report(&c, prr, one), SOTTO_OK);
	c.mode = SOTTO_COMPAT_GOOGLE_CPP_VECTOR;
	c.context = &again;
	CHECK_INT(sotto_compat_report(&c, prr, two), SOTTO_OK);
	CHECK(memcmp(one, two, 4) == 0);
	sotto_compat_wire(&c, two, wire);
	for (int i = 0; i < 4; i++)
		CHECK_INT(wire[i], two[3 - i]);
}

/* Who decodes has neither the secret of a device nor its chances. */
static void hashing_needs_sizes_alone(void)
{
	const void *const strings[] = {"Test"};
	const size_t lengths[] = {4};

	for (int mode = SOTTO_COMPAT_GOOGLE_PY; mode <= SOTTO_COMPAT_CHROMIUM; mode++) {
		struct sotto_compat c = {.mode = (enum sotto_compat_mode)mode,
					 .bits = 16,
					 .hashes = 2,
					 .cohorts = 4};
		struct sotto_local_map map;
		uint8_t bloom[2];

		CHECK_INT(sotto_compat_bloom(&c, 3, "Test", 4, bloom), SOTTO_OK);
		REQUIRE(sotto_local_map_compat(&c, strings, lengths, 1, &map) == SOTTO_OK);
		CHECK(bloom[map.cells[6] / 8] >> map.cells[6] % 8 & 1);
		CHECK(bloom[map.cells[7] / 8] >> map.cells[7] % 8 & 1);
		sotto_local_map_release(&map);
		c.bits = 4097;
		CHECK_INT(sotto_local_map_compat(&c, strings, lengths, 0, &map), SOTTO_EINVAL);
	}
}

static int no_fill(void *context, uint8_t *out, size_t n)
{
	(void)context;
	memset(out, 0x5a, n);
	return -1;
}

static void failed_entropy_fails_every_mode_and_leaves_zeros(void)
{
	for (int mode = SOTTO_COMPAT_GOOGLE_PY; mode <= SOTTO_COMPAT_CHROMIUM; mode++) {
		uint8_t secret[48] = {1}, prr[4] = {1, 2, 3, 4}, irr[4] = {9, 9, 9, 9};
		struct sotto_compat c = {.mode = (enum sotto_compat_mode)mode,
					 .bits = 32,
					 .hashes = 2,
					 .cohorts = 128,
					 .f = chance(.5),
					 .p = chance(.25),
					 .q = chance(.75),
					 .secret = secret,
					 .secret_length = 48,
					 .fill = no_fill};

		CHECK_INT(sotto_compat_report(&c, prr, irr), SOTTO_EENTROPY);
		CHECK_INT(word(irr, 4), 0);
	}
}

int main(void)
{
	RUN(python_client_gives_its_published_report);
	RUN(python_map_row_has_the_published_cells);
	RUN(cpp_client_gives_its_published_report);
	RUN(java_client_sets_the_bits_of_two_byte_hashes);
	RUN(java_client_gives_its_published_permanent_response);
	RUN(chromium_bloom_filter_is_the_published_one);
	RUN(chromium_upload_is_the_documented_message);
	RUN(each_client_rounds_f_its_own_way);
	RUN(cpp_vector_report_is_big_endian);
	RUN(hashing_needs_sizes_alone);
	RUN(failed_entropy_fails_every_mode_and_leaves_zeros);
	return tap_done();
}
