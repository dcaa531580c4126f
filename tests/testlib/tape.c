/*
 * Two generators behind the product's own window of bytes: one over given bytes, one over
 * AES-256-CTR with a seed.
 */
#include "testlib/tape.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static const volatile uint64_t always_alive = 1;

/* The last one that was given back: under the sanitizers, new memory costs more than most tapes. */
static void *spare_scratch;

/* Full of rubbish: a sampler must not read what it did not write. */
static void *scratch_new(void)
{
	void *p = __atomic_exchange_n(&spare_scratch, NULL, __ATOMIC_ACQ_REL);

	if (!p && posix_memalign(&p, 64, SOTTO_SCRATCH_BYTES))
		abort();
	memset(p, 0xa5, SOTTO_SCRATCH_BYTES);
	return p;
}

static void scratch_free(void *p)
{
	free(__atomic_exchange_n(&spare_scratch, p, __ATOMIC_ACQ_REL));
}

static enum sotto_status tape_renew(struct sotto_rng *rng)
{
	struct tape *t = (struct tape *)(void *)rng;
	size_t left = (size_t)(t->bytes + t->length - rng->end);

	if (left == 0)
		return SOTTO_EENTROPY;
	rng->end += t->window && t->window < left ? t->window : left;
	return SOTTO_OK;
}

void tape_load(struct tape *t, const void *bytes, size_t n)
{
	uint8_t *copy = realloc(t->bytes, n + 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, bytes, n);
	t->bytes = copy;
	t->length = n;
	t->rng.next = t->rng.end = t->bytes;
}

struct tape *tape_open(const void *bytes, size_t n, size_t window)
{
	struct tape *t = calloc(1, sizeof *t);

	if (!t)
		abort();
	tape_load(t, bytes, n);
	t->window = window;
	t->rng.alive = &always_alive;
	t->rng.renew = tape_renew;
	t->rng.scratch = scratch_new();
	return t;
}

static EVP_CIPHER_CTX *keystream_of(uint64_t seed)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t key[32] = {0}, counter[16] = {0};

	memcpy(key, &seed, sizeof seed);
	if (!c || EVP_EncryptInit_ex(c, EVP_aes_256_ctr(), NULL, key, counter) != 1)
		abort();
	return c;
}

static void keystream_read(EVP_CIPHER_CTX *c, uint8_t *out, size_t n)
{
	memset(out, 0, n);
	while (n) {
		int some = n > 1 << 20 ? 1 << 20 : (int)n, done;

		if (EVP_EncryptUpdate(c, out, &done, out, some) != 1)
			abort();
		out += some;
		n -= (size_t)some;
	}
}

void tape_noise(uint64_t seed, uint8_t *out, size_t n)
{
	EVP_CIPHER_CTX *c = keystream_of(seed);

	keystream_read(c, out, n);
	EVP_CIPHER_CTX_free(c);
}

struct tape *tape_open_random(uint64_t seed, size_t n, size_t window)
{
	uint8_t *bytes = malloc(n + 1);
	struct tape *t;

	if (!bytes)
		abort();
	tape_noise(seed, bytes, n);
	t = tape_open(bytes, n, window);
	free(bytes);
	return t;
}

size_t tape_used(const struct tape *t)
{
	return (size_t)(t->rng.next - t->bytes);
}

void tape_close(struct tape *t)
{
	scratch_free(t->rng.scratch);
	free(t->bytes);
	free(t);
}

struct stream {
	struct sotto_rng rng;
	EVP_CIPHER_CTX *keystream;
	uint8_t window[16384];
};

static enum sotto_status stream_renew(struct sotto_rng *rng)
{
	struct stream *s = (struct stream *)(void *)rng;

	keystream_read(s->keystream, s->window, sizeof s->window);
	rng->next = s->window;
	rng->end = s->window + sizeof s->window;
	return SOTTO_OK;
}

struct sotto_rng *stream_open(uint64_t seed)
{
	struct stream *s = calloc(1, sizeof *s);

	if (!s)
		abort();
	s->keystream = keystream_of(seed);
	s->rng.next = s->rng.end = s->window;
	s->rng.alive = &always_alive;
	s->rng.renew = stream_renew;
	s->rng.scratch = scratch_new();
	return &s->rng;
}

void stream_close(struct sotto_rng *rng)
{
	struct stream *s = (struct stream *)(void *)rng;

	EVP_CIPHER_CTX_free(s->keystream);
	scratch_free(rng->scratch);
	free(s);
}
