/* SHA-256, HMAC, ChaCha20, MD5, DRBG and CityHash against published vectors. */
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/chacha.h"
#include "local/client/primitive/cityhash.h"
#include "local/client/primitive/drbg.h"
#include "local/client/primitive/md5.h"
#include "local/client/primitive/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "testlib/tap.h"

static const char *hex(const uint8_t *p, size_t n)
{
	static char text[256];

	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", p[i]);
	return text;
}

static void sha256_of(const void *p, size_t n, uint8_t out[32])
{
	struct sotto_sha256 s;

	sotto_sha256_init(&s);
	sotto_sha256_add(&s, p, n);
	sotto_sha256_end(&s, out);
}

static void sha256_and_md5_agree_with_openssl_at_every_length(void)
{
	uint8_t data[300], got[32], want[32];
	unsigned n;
	struct sotto_md5 m;

	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i * 167 + 13);
	for (size_t length = 0; length <= sizeof data; length++) {
		sha256_of(data, length, got);
		EVP_Digest(data, length, want, &n, EVP_sha256(), NULL);
		CHECK(memcmp(got, want, 32) == 0);
		sotto_md5_init(&m);
		sotto_md5_add(&m, data, length / 2);
		sotto_md5_add(&m, data + length / 2, length - length / 2);
		sotto_md5_end(&m, got);
		EVP_Digest(data, length, want, &n, EVP_md5(), NULL);
		CHECK(memcmp(got, want, 16) == 0);
	}
}

static void hmac_agrees_with_openssl_for_short_and_long_keys(void)
{
	uint8_t data[200], got[32], want[32];
	struct sotto_hmac m;
	unsigned n;

	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i * 91 + 7);
	for (int key = 0; key <= 150; key += 5) {
		sotto_hmac_init(&m, data, (size_t)key);
		sotto_hmac_add(&m, data, 77);
		sotto_hmac_add(&m, data + 77, 100);
		sotto_hmac_end(&m, got);
		HMAC(EVP_sha256(), data, key, data, 177, want, &n);
		CHECK(memcmp(got, want, 32) == 0);
	}
}

static void chacha20_gives_the_vectors_of_rfc_7539(void)
{
	uint8_t key[32] = {0}, block[64];

	sotto_chacha_block(key, 0, block);
	CHECK_STR(hex(block, 16), "76b8e0ada0f13d90405d6ae55386bd28");
	sotto_chacha_block(key, 1, block);
	CHECK_STR(hex(block, 16), "9f07e7be5551387a98ba977c732d080d");
	key[31] = 1;
	sotto_chacha_block(key, 1, block);
	CHECK_STR(hex(block, 16), "3aeb5224ecf849929b9d828db1ced4dd");
}

static void drbg_gives_the_published_streams(void)
{
	static const uint8_t zero[48];
	struct sotto_bytes text = {(const uint8_t *)"keyvalue", 8}, zeros = {zero, 48};
	struct sotto_bytes split[2] = {{(const uint8_t *)"key", 3},
				       {(const uint8_t *)"value", 5}};
	struct sotto_drbg g;
	uint8_t out[100], again[100];

	sotto_drbg_init(&g, &text, 1);
	sotto_drbg_read(&g, out, 100);
	CHECK_STR(hex(out, 8), "89d71bb8a37d80c2");
	sotto_drbg_init(&g, split, 2);
	for (int i = 0; i < 100; i++)
		sotto_drbg_read(&g, again + i, 1);
	CHECK(memcmp(out, again, 100) == 0);
	sotto_drbg_init(&g, &zeros, 1);
	sotto_drbg_read(&g, out, 1);
	CHECK_INT(out[0], 0x0b);
}

static void cityhash_gives_the_values_of_version_one(void)
{
	static const struct {
		const char *text;
		uint64_t want;
	} cases[] = {{"abc", 0xd5c4a1dc518ed967},
		     {"google.com", 0xe3afa5c1cd4bb202},
		     {"https://www.example.com/index.html", 0x2c411a713f568e5b}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK(sotto_cityhash64_seeded((const uint8_t *)cases[i].text,
					      strlen(cases[i].text), 5) == cases[i].want);
	CHECK(sotto_cityhash64(NULL, 0) == 0x9ae16a3b2f90404f);
}

/* Each length class must read the whole text: changing any byte changes the hash. */
static void cityhash_depends_on_every_byte(void)
{
	uint8_t data[200];

	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i * 131 + 17);
	for (size_t n = 1; n <= sizeof data; n++) {
		uint64_t h = sotto_cityhash64(data, n);

		for (size_t i = 0; i < n; i++) {
			data[i] ^= 1;
			CHECK(sotto_cityhash64(data, n) != h);
			data[i] ^= 1;
		}
	}
}

int main(void)
{
	RUN(sha256_and_md5_agree_with_openssl_at_every_length);
	RUN(hmac_agrees_with_openssl_for_short_and_long_keys);
	RUN(chacha20_gives_the_vectors_of_rfc_7539);
	RUN(drbg_gives_the_published_streams);
	RUN(cityhash_gives_the_values_of_version_one);
	RUN(cityhash_depends_on_every_byte);
	return tap_done();
}
