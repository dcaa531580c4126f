/* RAPPOR: Bloom filter, permanent response from the key, instantaneous response fresh. */
#include "local/client/encoder.h"
#include "local/client/layout.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/sha256.h"

static const struct sotto_client_chance never = {0, false};

static void bloom_bits(const struct sotto_client_params *p, uint32_t cohort,
		       const struct sotto_client_value *v, uint32_t bit[8])
{
	struct sotto_sha256 h;
	uint8_t digest[32];

	if (p->size > 0) {
		bit[0] = (uint32_t)v->number;
		return;
	}
	store32_be(digest, cohort);
	sotto_sha256_init(&h);
	sotto_sha256_add(&h, digest, 4);
	sotto_sha256_add(&h, v->bytes, v->length);
	sotto_sha256_end(&h, digest);
	for (uint32_t i = 0; i < p->hashes; i++)
		bit[i] = (uint32_t)((uint64_t)load32_be(digest + 4 * i) * p->width >> 32);
	wipe_bytes(digest, sizeof digest);
}

/* Every word is visited for every hash, so that no address depends on the value. */
void sotto_rappor_bloom(const struct sotto_client_params *p, uint32_t cohort,
			const struct sotto_client_value *v, uint8_t *out)
{
	uint32_t bit[8] = {0};

	bloom_bits(p, cohort, v, bit);
	for (uint32_t at = 0; at < p->width; at += 32) {
		uint32_t word = 0;

		for (uint32_t i = 0; i < p->hashes; i++)
			word |= (uint32_t)(bit[i] >> 5 == at >> 5) << (bit[i] & 31);
		store_le(out + at / 8, word, vector_bytes(p->width, at));
	}
	wipe_bytes(bit, sizeof bit);
}

/* The stream is keyed by the filter, not the string: values that collide share one answer. */
static void permanent_response(const struct sotto_client *c, uint8_t *bits)
{
	const struct sotto_client_params *p = c->params;
	struct sotto_stream s;

	if (p->flip.numerator == 0)
		return;
	sotto_stream_derived(&s, c, SOTTO_PURPOSE_ANSWER, bits, bit_bytes(p->width));
	for (uint32_t at = 0; at < p->width; at += 32) {
		unsigned n = vector_bytes(p->width, at);
		uint32_t noise = sotto_stream_mask(&s, 0, p->flip, never);

		store_le(bits + at / 8,
			 load_le(bits + at / 8, n) ^ (noise & vector_lanes(p->width, at)), n);
	}
	(void)sotto_stream_end(&s); /* a derived stream cannot fail */
}

static bool
encode_rappor(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	unsigned bytes = bytes_below(p->groups);
	uint8_t *bits = out + bytes;
	struct sotto_stream s;

	store_le(out, c->group, bytes);
	sotto_rappor_bloom(p, c->group, v, bits);
	permanent_response(c, bits);
	sotto_stream_fresh(&s, c);
	for (uint32_t at = 0; at < p->width; at += 32) {
		unsigned n = vector_bytes(p->width, at);
		uint32_t sent = sotto_stream_mask(&s, (uint32_t)load_le(bits + at / 8, n),
						  p->zero, p->one);

		store_le(bits + at / 8, sent & vector_lanes(p->width, at), n);
	}
	return sotto_stream_end(&s);
}

/* ---- sizes ---- */

/* A permanent step that only flips, or a report that is pure noise, says nothing. */
static bool rappor_fits(const struct sotto_client_params *p)
{
	if (p->size > 0 && (p->size != p->width || p->hashes != 1 || p->groups != 1))
		return false;
	return between(p->width, 1, 65536) && between(p->hashes, 1, 8) && p->groups >= 1 &&
	       (p->one.numerator | p->zero.numerator || p->one.certain || p->zero.certain);
}

uint32_t sotto_groups_of(const struct sotto_client_params *p)
{
	return p->groups;
}

static bool rappor_needs_key(const struct sotto_client_params *p)
{
	return p->groups > 1 || p->flip.numerator > 0;
}

static const struct sotto_drawn_once cohort = {.points = sotto_groups_of,
					       .needs_key = rappor_needs_key};

const struct sotto_encoding sotto_encoding_RAPPOR = {.domain = SOTTO_NUMBERS_OR_STRINGS,
						     .fits = rappor_fits,
						     .bytes = sketch_bytes,
						     .encode = encode_rappor,
						     .once = &cohort};
