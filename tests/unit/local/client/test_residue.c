/*
 * What the device's primitives leave behind: their contexts are zeros, and neither the
 * key nor the value is on the stack.  Sixteen bytes in a row are looked for, as they are
 * and as a hash reads them.
 */
#include "local/client/primitive/chacha.h"
#include "local/client/primitive/drbg.h"
#include "local/client/primitive/md5.h"
#include "local/client/primitive/sha256.h"
#include "local/client/primitive/word_source.h"
#include "testlib/statistics/residue.h"
#include "testlib/tap.h"

/* One block of a hash: nothing comes after it that would overwrite it. */
static const uint8_t secret[] = "a value that nobody but this device knows of";
enum { SECRET_BYTES = sizeof secret - 1 };

static void hash_with_sha256(void *context)
{
	struct sotto_sha256 s;

	sotto_sha256_init(&s);
	sotto_sha256_add(&s, secret, SECRET_BYTES);
	sotto_sha256_end(&s, context);
}

static void hash_with_md5(void *context)
{
	struct sotto_md5 s;

	sotto_md5_init(&s);
	sotto_md5_add(&s, secret, SECRET_BYTES);
	sotto_md5_end(&s, context);
}

static void authenticate(void *context)
{
	struct sotto_hmac m;

	sotto_hmac_init(&m, secret, 32);
	sotto_hmac_add(&m, secret, SECRET_BYTES);
	sotto_hmac_end(&m, context);
}

static void encrypt(void *context)
{
	sotto_chacha_block(secret, 0, context);
}

/* What a wipe is there to prevent, to show that it would be found. */
static void leave_a_copy(void *context)
{
	volatile uint8_t copies[200][SECRET_BYTES]; /* a thread that ends writes over some */

	for (size_t i = 0; i < sizeof copies; i++)
		copies[i / SECRET_BYTES][i % SECRET_BYTES] = secret[i % SECRET_BYTES];
	*(uint8_t *)context = copies[0][0];
}

/* Any sixteen bytes of the secret; a key enters an HMAC with each byte changed by a pad. */
static bool leaves_the_secret(void (*f)(void *))
{
	static const uint8_t pads[] = {0, 0x36, 0x5c};
	uint8_t out[64], piece[16];
	struct residue *left = residue_of(f, out);
	bool found = false;

	for (size_t pad = 0; pad < sizeof pads; pad++)
		for (size_t i = 0; i + sizeof piece <= SECRET_BYTES; i++) {
			for (size_t j = 0; j < sizeof piece; j++)
				piece[j] = secret[i + j] ^ pads[pad];
			found = found || residue_has(left, piece, sizeof piece);
		}
	residue_free(left);
	return found;
}

static void the_stack_holds_no_key_and_no_value(void)
{
	CHECK(!leaves_the_secret(hash_with_sha256));
	CHECK(!leaves_the_secret(hash_with_md5));
	CHECK(!leaves_the_secret(authenticate));
	CHECK(!leaves_the_secret(encrypt));
	CHECK(leaves_the_secret(leave_a_copy));
}

static bool is_zero(const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	uint8_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= b[i];
	return any == 0;
}

static void contexts_end_as_zeros(void)
{
	struct sotto_bytes seed = {secret, SECRET_BYTES};
	struct sotto_client client = {.secrets = {.key = secret, .id = "m", .id_length = 1}};
	struct sotto_sha256 sha256;
	struct sotto_stream stream;
	struct sotto_hmac hmac;
	struct sotto_drbg drbg;
	struct sotto_md5 md5;
	uint8_t out[32];

	sotto_sha256_init(&sha256);
	sotto_sha256_add(&sha256, secret, SECRET_BYTES);
	sotto_sha256_end(&sha256, out);
	CHECK(is_zero(&sha256, sizeof sha256));
	sotto_hmac_init(&hmac, secret, 32);
	sotto_hmac_end(&hmac, out);
	CHECK(is_zero(&hmac, sizeof hmac));
	sotto_md5_init(&md5);
	sotto_md5_add(&md5, secret, SECRET_BYTES);
	sotto_md5_end(&md5, out);
	CHECK(is_zero(&md5, sizeof md5));
	sotto_drbg_init(&drbg, &seed, 1);
	sotto_drbg_read(&drbg, out, sizeof out);
	sotto_drbg_wipe(&drbg);
	CHECK(is_zero(&drbg, sizeof drbg));
	sotto_stream_derived(&stream, &client, SOTTO_PURPOSE_ANSWER, "x", 1);
	(void)sotto_stream_word32(&stream);
	CHECK(sotto_stream_end(&stream));
	CHECK(is_zero(&stream, sizeof stream));
}

int main(void)
{
	RUN(the_stack_holds_no_key_and_no_value);
	RUN(contexts_end_as_zeros);
	return tap_done();
}
