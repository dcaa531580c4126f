/* The cipher step: published values, and our own AES against OpenSSL's. */
#include "core/random/generator/keystream.h"

#include <openssl/sha.h>
#include <stdlib.h>

#include "testlib/tap.h"
#include "testlib/tape.h"

static void hex(const uint8_t *bytes, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* The way of machines without VAES, on any machine. */
static void open_by_openssl(struct sotto_keystream *k)
{
	k->cipher = EVP_CIPHER_CTX_new();
	if (!k->cipher ||
	    EVP_EncryptInit_ex(k->cipher, EVP_aes_256_ctr(), NULL, NULL, NULL) != 1)
		abort();
}

static void check_published_stretch(struct sotto_keystream *k)
{
	static uint8_t stretch[SOTTO_STRETCH_BYTES];
	uint8_t sum[32];
	char text[65];

	memset(stretch, 0, sizeof stretch);
	for (int i = 0; i < SOTTO_KEY_BYTES; i++)
		stretch[i] = (uint8_t)i;
	CHECK_INT(sotto_keystream_rekey(k, stretch), SOTTO_OK);
	CHECK_INT(sotto_keystream_next(k, stretch), SOTTO_OK);
	hex(stretch, SOTTO_KEY_BYTES, text);
	CHECK(strncmp(text, "f29000b6", 8) == 0);
	CHECK_STR(text + 56, "48c2363d");
	SHA256(stretch + SOTTO_KEY_BYTES, SOTTO_STREAM_BYTES, sum);
	hex(sum, sizeof sum, text);
	CHECK_STR(text, "52ce8de3dac225cca1bd809a6ad4feed4f9ea4753dfc035f1f1d3d4d88f89ad3");
}

static void openssl_gives_the_published_stretch(void)
{
	struct sotto_keystream k;

	open_by_openssl(&k);
	check_published_stretch(&k);
	sotto_keystream_release(&k);
	CHECK(k.cipher == NULL);
}

static void the_way_of_this_machine_gives_the_published_stretch(void)
{
	struct sotto_keystream k;

	REQUIRE(sotto_keystream_init(&k) == SOTTO_OK);
	tap_note("%s", k.cipher ? "OpenSSL" : "VAES");
	check_published_stretch(&k);
	sotto_keystream_release(&k);
}

/* A chain of keys goes on equally only if each step forgets its key at once. */
static void both_ways_stay_together_over_many_stretches(void)
{
	static uint8_t a[SOTTO_STRETCH_BYTES], b[SOTTO_STRETCH_BYTES];
	struct sotto_keystream own, openssl;

	REQUIRE(sotto_keystream_init(&own) == SOTTO_OK);
	open_by_openssl(&openssl);
	for (uint64_t seed = 0; seed < 20; seed++) {
		memset(a, 0, sizeof a);
		tape_noise(seed, a, SOTTO_KEY_BYTES);
		memcpy(b, a, sizeof b);
		CHECK_INT(sotto_keystream_rekey(&own, a), SOTTO_OK);
		CHECK_INT(sotto_keystream_rekey(&openssl, b), SOTTO_OK);
		for (int i = 0; i < 20; i++) {
			CHECK_INT(sotto_keystream_next(&own, a), SOTTO_OK);
			CHECK_INT(sotto_keystream_next(&openssl, b), SOTTO_OK);
			CHECK(memcmp(a, b, sizeof a) == 0);
			memset(a + SOTTO_KEY_BYTES, 0, SOTTO_STREAM_BYTES);
			memset(b + SOTTO_KEY_BYTES, 0, SOTTO_STREAM_BYTES);
		}
	}
	sotto_keystream_release(&own);
	sotto_keystream_release(&openssl);
}

int main(void)
{
	RUN(openssl_gives_the_published_stretch);
	RUN(the_way_of_this_machine_gives_the_published_stretch);
	RUN(both_ways_stay_together_over_many_stretches);
	return tap_done();
}
