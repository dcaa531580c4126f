/* Tables: every digit certified, twice over; K, plane counts and published hashes. */
#include "core/random/laplace/planes.h"

#include <openssl/sha.h>

#include "core/number/exp/expansion.h"
#include "testlib/tap.h"

static void planes_of(const char *eps, bool has_sign, struct sotto_planes *p)
{
	struct sotto_rational r;

	sotto_rational_init(&r);
	CHECK_INT(sotto_rational_parse(&r, eps, NULL), SOTTO_OK);
	CHECK_INT(sotto_planes_init(p, &r, has_sign), SOTTO_OK);
	sotto_rational_release(&r);
}

static void hex(const uint8_t *bytes, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void plane_counts_are_8_18_and_48(void)
{
	static const struct {
		const char *eps;
		unsigned count;
	} cases[] = {{"1", 8},    {"1/1000", 18}, {"1/1099511627776", 48},   {"45", 2},
		     {"1024", 2}, {"44.999", 3},  {"1/1125899906842624", 58}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_planes p;

		planes_of(cases[i].eps, true, &p);
		CHECK_INT(p.count, cases[i].count);
		sotto_planes_release(&p);
	}
}

static void hash_of_planes(const char *eps, const char *want)
{
	struct sotto_planes p;
	uint8_t sum[32];
	char text[65];

	planes_of(eps, true, &p);
	SHA256(p.digits[0], p.count * (size_t)SOTTO_PLANE_BYTES, sum);
	hex(sum, sizeof sum, text);
	CHECK_STR(text, want);
	sotto_planes_release(&p);
}

static void digits_are_the_published_ones(void)
{
	struct sotto_planes p;
	char text[2 * SOTTO_PLANE_BYTES + 1];

	planes_of("1", true, &p);
	hex(p.digits[0], SOTTO_PLANE_BYTES, text);
	CHECK_STR(text, "44d9585152ea1935dae23bc7349ee58b066cd42fa414b2df6931a02fd276d1141c");
	sotto_planes_release(&p);
	hash_of_planes("1", "6d28b86a656542ff5b92d71d0cab870b743da0448099b1c1b2a94c0c92ccab31");
	hash_of_planes("1/1000",
		       "363b5c4e594eb91483826b3fb1f9077d366ce7117cf30c9ea3bba02e301e626b");
}

static long double plane_value(const struct sotto_planes *p, unsigned k)
{
	return ldexpl((long double)p->first[k], -64);
}

/* What the table's probabilities, as independent bits, say about Z = G ^ -s. */
static void check_moments(const char *eps, double at_zero, double variance)
{
	long double zero = 1, mean = 0, spread = 0, square, sign;
	struct sotto_planes p;

	planes_of(eps, true, &p);
	for (unsigned k = 0; k < p.value_bits; k++) {
		long double bit = plane_value(&p, k);

		zero *= 1 - bit;
		mean += ldexpl(bit, (int)k);
		spread += ldexpl(bit * (1 - bit), 2 * (int)k);
	}
	square = spread + mean * mean;
	sign = plane_value(&p, p.value_bits);
	CHECK_REL((double)(zero * (1 - sign)), at_zero, 1e-14);
	CHECK_REL((double)(square + sign * (1 + 2 * mean)), variance, 1e-14);
	CHECK(fabsl((1 - sign) * mean - sign * (1 + mean)) < 1e-12L);
	sotto_planes_release(&p);
}

static void moments_are_the_published_ones(void)
{
	check_moments("1", 0.46211715726001, 1.84134718841558);
	check_moments("1/1000", 4.99999958333337e-4, 1999999.83333334);
}

int main(void)
{
	RUN(plane_counts_are_8_18_and_48);
	RUN(digits_are_the_published_ones);
	RUN(moments_are_the_published_ones);
	return tap_done();
}
