/* The generator: what it says is what its key says, and when the key changes. */
#include "sotto/rng.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>

#include "core/random/generator/keystream.h"
#include "core/random/generator/random_source.h"
#include "fake_system.h"
#include "testlib/tap.h"

enum { KEY = SOTTO_KEY_BYTES, WINDOW = SOTTO_STREAM_BYTES };

/* key <- SHA-256("sotto reseed 1" || key || 32 times the call's number) */
static void expected_reseed(uint8_t key[KEY], int call)
{
	uint8_t text[14 + 2 * KEY];

	memcpy(text, "sotto reseed 1", 14);
	memcpy(text + 14, key, KEY);
	memset(text + 14 + KEY, call, KEY);
	SHA256(text, sizeof text, key);
}

/* The window that a key gives; the key becomes the next one. */
static void expected_window(uint8_t key[KEY], uint8_t window[WINDOW])
{
	static const uint8_t zeros[KEY + WINDOW], counter[16];
	static uint8_t stream[KEY + WINDOW];
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int done = 0;

	if (!c || EVP_EncryptInit_ex(c, EVP_aes_256_ctr(), NULL, key, counter) != 1 ||
	    EVP_EncryptUpdate(c, stream, &done, zeros, sizeof zeros) != 1)
		abort();
	EVP_CIPHER_CTX_free(c);
	memcpy(key, stream, KEY);
	memcpy(window, stream + KEY, WINDOW);
}

static void output_follows_from_the_entropy_alone(void)
{
	static uint8_t want[WINDOW], got[WINDOW];
	uint8_t key[KEY] = {0};
	struct sotto_rng *rng;

	fake_reset();
	fake_system.fixed = true;
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	CHECK_INT(fake_system.calls, 1);
	expected_reseed(key, 1);
	for (int i = 0; i < 3; i++) {
		expected_window(key, want);
		CHECK_INT(sotto_rng_fill(rng, got, 100), SOTTO_OK);
		CHECK_INT(sotto_rng_fill(rng, got + 100, WINDOW - 100), SOTTO_OK);
		CHECK(memcmp(got, want, WINDOW) == 0);
	}
	/* In the middle of a window: the rest of it is dropped. */
	CHECK_INT(sotto_rng_fill(rng, got, 5), SOTTO_OK);
	expected_window(key, want);
	CHECK_INT(sotto_rng_reseed(rng), SOTTO_OK);
	expected_reseed(key, 2);
	expected_window(key, want);
	CHECK_INT(sotto_rng_fill(rng, got, WINDOW), SOTTO_OK);
	CHECK(memcmp(got, want, WINDOW) == 0);
	sotto_rng_close(rng);
}

static bool contains(const void *hay, size_t n, const void *needle, size_t m)
{
	return memmem(hay, n, needle, m) != NULL;
}

/* The mapping: from the start of the page that holds the guard to the end of the scratch. */
static const uint8_t *mapping_of(const struct sotto_rng *rng, size_t *n)
{
	const uint8_t *start = (const uint8_t *)(uintptr_t)rng->alive;

	*n = (size_t)((uint8_t *)rng->scratch + SOTTO_SCRATCH_BYTES - start);
	return start;
}

static void neither_old_keys_nor_old_output_stay_in_memory(void)
{
	static uint8_t window[WINDOW], got[WINDOW];
	uint8_t key[KEY] = {0}, old[KEY];
	struct sotto_rng *rng;
	const uint8_t *mapping;
	size_t n;

	fake_reset();
	fake_system.fixed = true;
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	mapping = mapping_of(rng, &n);
	expected_reseed(key, 1);
	CHECK(contains(mapping, n, key, KEY));
	memcpy(old, key, KEY);
	expected_window(key, window);
	CHECK_INT(sotto_rng_fill(rng, got, 1000), SOTTO_OK);
	CHECK(!contains(mapping, n, old, KEY));
	CHECK(contains(mapping, n, key, KEY));
	for (size_t i = 0; i + 16 <= 1000; i++)
		CHECK(!contains(mapping, n, window + i, 16));
	CHECK(contains(mapping, n, window + 1000, 16));
	CHECK_INT(sotto_rng_reseed(rng), SOTTO_OK);
	CHECK(!contains(mapping, n, key, KEY));
	CHECK(!contains(mapping, n, window + 1000, 16));
	sotto_rng_close(rng);
}

static void draw_bytes(struct sotto_rng *rng, uint64_t n)
{
	static uint8_t buffer[1 << 20];

	while (n) {
		size_t some = n < sizeof buffer ? (size_t)n : sizeof buffer;

		if (sotto_rng_fill(rng, buffer, some) != SOTTO_OK)
			abort();
		n -= some;
	}
}

static void the_key_is_renewed_after_a_gibibyte(void)
{
	struct sotto_rng *rng;

	fake_reset();
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	draw_bytes(rng, UINT64_C(1) << 30);
	CHECK_INT(fake_system.calls, 1);
	draw_bytes(rng, 1);
	CHECK_INT(fake_system.calls, 2);
	draw_bytes(rng, (UINT64_C(1) << 30) - 1);
	CHECK_INT(fake_system.calls, 2);
	draw_bytes(rng, 1);
	CHECK_INT(fake_system.calls, 3);
	sotto_rng_close(rng);
}

/* Looked at whenever a window is used up. */
static void the_key_is_renewed_after_a_minute(void)
{
	struct sotto_rng *rng;

	fake_reset();
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	draw_bytes(rng, WINDOW);
	fake_system.clock_offset = 58;
	draw_bytes(rng, WINDOW);
	CHECK_INT(fake_system.calls, 1);
	fake_system.clock_offset = 61;
	draw_bytes(rng, WINDOW);
	CHECK_INT(fake_system.calls, 2);
	fake_system.clock_offset = 61 + 58;
	draw_bytes(rng, WINDOW);
	CHECK_INT(fake_system.calls, 2);
	sotto_rng_close(rng);
}

/* "dd": not in core files, "wf": wiped in a child; from the mapping's line in smaps. */
static bool mapping_has_flag(const void *address, const char *flag)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512];
	bool inside = false, found = false;

	while (f && fgets(line, sizeof line, f)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = (uintptr_t)address >= from && (uintptr_t)address < to;
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			found = strstr(line, flag) != NULL;
	}
	if (f)
		fclose(f);
	return found;
}

static void secrets_lie_where_no_child_and_no_core_file_sees_them(void)
{
	struct sotto_rng *rng;
	int local;

	fake_reset();
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	draw_bytes(rng, 1);
	CHECK(mapping_has_flag(rng->next, " wf"));
	CHECK(mapping_has_flag(rng->next, " dd"));
	CHECK(mapping_has_flag((const void *)(uintptr_t)rng->alive, " wf"));
	CHECK(mapping_has_flag(rng->scratch, " wf"));
	CHECK(mapping_has_flag((uint8_t *)rng->scratch + SOTTO_SCRATCH_BYTES - 1, " wf"));
	CHECK(!mapping_has_flag(&local, " wf"));
	CHECK_INT((uintptr_t)rng->scratch % 64, 0);
	sotto_rng_close(rng);
}

static void an_interrupted_call_is_made_again(void)
{
	struct sotto_rng *rng;

	fake_reset();
	fake_failure(1, 3, EINTR);
	errno = 0;
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	CHECK_INT(fake_system.calls, 4);
	CHECK_INT(errno, 0);
	sotto_rng_close(rng);
}

int main(void)
{
	RUN(output_follows_from_the_entropy_alone);
	RUN(neither_old_keys_nor_old_output_stay_in_memory);
	RUN(the_key_is_renewed_after_a_gibibyte);
	RUN(the_key_is_renewed_after_a_minute);
	RUN(secrets_lie_where_no_child_and_no_core_file_sees_them);
	RUN(an_interrupted_call_is_made_again);
	return tap_done();
}
