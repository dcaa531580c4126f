/* The keyed cipher and many draws at once (noise.md). */
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "census/measure/noise/census_noise_law.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/random/generator/random_source.h"

enum { BATCH = 256, WINDOW = 256, MAIN_STREAM = 0, MORE_STREAM = 1 };

/* A counter block: no two places share one. */
struct block {
	uint32_t node;
	uint16_t query;
	uint8_t stream;
	uint8_t unused;
	uint32_t cell; /* main stream: two cells per block */
	uint32_t counter;
};
_Static_assert(sizeof(struct block) == 16, "one cipher block");

/* The second stream as a generator. */
struct stream {
	struct sotto_rng source; /* first */
	struct sotto_noise *noise;
	struct block at;
	uint64_t alive;
	uint8_t window[WINDOW];
	_Alignas(64) uint8_t scratch[SOTTO_SCRATCH_BYTES];
};

struct sotto_noise {
	EVP_CIPHER_CTX *cipher;
	struct stream *stream;
	struct block blocks[BATCH];
	uint64_t words[2 * BATCH];
};

static enum sotto_status
encrypt(struct sotto_noise *n, const void *from, void *to, size_t bytes)
{
	int length = 0;

	return EVP_EncryptUpdate(n->cipher, to, &length, from, (int)bytes) == 1 &&
			       (size_t)length == bytes
		       ? SOTTO_OK
		       : SOTTO_EENTROPY;
}

static enum sotto_status renew(struct sotto_rng *rng)
{
	struct stream *s = (struct stream *)(void *)rng;
	struct block blocks[WINDOW / 16];

	for (size_t i = 0; i < WINDOW / 16; i++) {
		blocks[i] = s->at;
		s->at.counter++;
	}
	SOTTO_TRY(encrypt(s->noise, blocks, s->window, WINDOW));
	rng->next = s->window;
	rng->end = s->window + WINDOW;
	s->alive = 1;
	return SOTTO_OK;
}

static enum sotto_status open_parts(struct sotto_noise *n, const uint8_t *key)
{
	n->cipher = EVP_CIPHER_CTX_new();
	n->stream = aligned_alloc(64, (sizeof *n->stream + 63) / 64 * 64);
	if (!n->cipher || !n->stream)
		return SOTTO_ENOMEM;
	memset(n->stream, 0, sizeof *n->stream);
	n->stream->noise = n;
	n->stream->source = (struct sotto_rng){
		.alive = &n->stream->alive, .renew = renew, .scratch = n->stream->scratch};
	if (EVP_EncryptInit_ex(n->cipher, EVP_aes_256_ecb(), NULL, key, NULL) != 1 ||
	    EVP_CIPHER_CTX_set_padding(n->cipher, 0) != 1)
		return SOTTO_EENTROPY;
	return SOTTO_OK;
}

enum sotto_status
sotto_noise_open(const uint8_t key[SOTTO_NOISE_KEY_BYTES], struct sotto_noise **out)
{
	struct sotto_noise *n = calloc(1, sizeof *n);
	enum sotto_status st;

	if (!n)
		return SOTTO_ENOMEM;
	st = open_parts(n, key);
	if (st == SOTTO_OK)
		*out = n;
	else
		sotto_noise_close(n);
	return st;
}

void sotto_noise_close(struct sotto_noise *n)
{
	if (!n)
		return;
	EVP_CIPHER_CTX_free(n->cipher);
	if (n->stream)
		sotto_wipe(n->stream, sizeof *n->stream);
	free(n->stream);
	sotto_wipe(n, sizeof *n);
	free(n);
}

struct sotto_rng *
sotto_noise_stream(struct sotto_noise *n, struct sotto_noise_place place, uint32_t cell)
{
	struct stream *s = n->stream;

	s->at = (struct block){
		.node = place.node, .query = place.query, .stream = MORE_STREAM, .cell = cell};
	s->alive = 0;
	s->source.next = s->source.end = s->window;
	return &s->source;
}

/* The words of up to BATCH cells; neighbours share a block. */
static enum sotto_status draw_words(struct sotto_noise *n, struct sotto_noise_place place,
				    const uint32_t *cells, uint32_t first, size_t count,
				    uint16_t *where)
{
	struct block block = {.node = place.node, .query = place.query, .stream = MAIN_STREAM};
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t cell = cells ? cells[i] : first + (uint32_t)i;

		if (used == 0 || n->blocks[used - 1].cell != cell >> 1) {
			block.cell = cell >> 1;
			n->blocks[used++] = block;
		}
		where[i] = (uint16_t)(2 * (used - 1) + (cell & 1));
	}
	return encrypt(n, n->blocks, n->words, used * sizeof block);
}

static enum sotto_status draw_batch(struct sotto_noise *n, const struct sotto_noise_law *law,
				    struct sotto_noise_place place, const uint32_t *cells,
				    uint32_t first, size_t count, int64_t *out)
{
	uint16_t where[BATCH];

	SOTTO_TRY(draw_words(n, place, cells, first, count, where));
	for (size_t j = 0; j < count; j++) {
		uint64_t word = n->words[where[j]];
		size_t i = law->guide[word >> (64 - SOTTO_NOISE_GUIDE_BITS)];

		while (i < law->size && law->cdf[i] < word)
			i++;
		if (__builtin_expect(i > 0 && i < law->size && law->cdf[i] != word, 1))
			out[j] = (int64_t)i - law->reach;
		else
			SOTTO_TRY(sotto_noise_from_word(
				law, word,
				sotto_noise_stream(n, place,
						   cells ? cells[j] : first + (uint32_t)j),
				&out[j]));
	}
	return SOTTO_OK;
}

/* Laws without a table are drawn by the exact sampler from the second stream. */
static enum sotto_status draw_single(struct sotto_noise *n, const struct sotto_noise_law *law,
				     struct sotto_noise_place place, uint32_t cell,
				     int64_t *out)
{
	return sotto_noise_from_word(law, 0, sotto_noise_stream(n, place, cell), out);
}

enum sotto_status sotto_noise_draw(struct sotto_noise *n, const struct sotto_noise_law *law,
				   struct sotto_noise_place place, const uint32_t *cells,
				   uint32_t first, size_t count, int64_t *out)
{
	if (!law->cdf) {
		for (size_t i = 0; i < count; i++)
			SOTTO_TRY(draw_single(n, law, place,
					      cells ? cells[i] : first + (uint32_t)i, &out[i]));
		return SOTTO_OK;
	}
	for (size_t done = 0; done < count;) {
		size_t part = count - done < BATCH ? count - done : BATCH;

		SOTTO_TRY(draw_batch(n, law, place, cells ? cells + done : NULL,
				     first + (uint32_t)done, part, out + done));
		done += part;
	}
	return SOTTO_OK;
}
