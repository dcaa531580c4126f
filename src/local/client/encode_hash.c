/* Local hashing: the value is hashed to a small range, the hash is randomized. */
#include "local/client/encoder.h"
#include "local/client/layout.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/family.h"
#include "local/client/primitive/sha256.h"

static uint64_t
value_key(const struct sotto_client_params *p, const struct sotto_client_value *v)
{
	return p->size > 0 ? sotto_family_number_key(v->number)
			   : sotto_family_key(v->bytes, v->length);
}

static void hashed_report(struct sotto_stream *s, const struct sotto_client_params *p,
			  uint64_t seed, uint64_t key, uint8_t *out)
{
	struct sotto_pair_hash h = sotto_pair_hash_of_seed(seed);
	uint32_t symbol = sotto_scale32(sotto_pair_hash_at(&h, key), p->hashes);

	store_le(out, sotto_randomize_symbol(s, symbol, p->hashes, p->keep),
		 bytes_below(p->hashes));
}

static bool
encode_olh(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	struct sotto_stream s;
	uint64_t seed;

	sotto_answer_stream(&s, c, v);
	seed = sotto_stream_word64(&s);
	store_le(out, seed, 8);
	hashed_report(&s, c->params, seed, value_key(c->params, v), out + 8);
	return sotto_stream_end(&s);
}

static bool
encode_flh(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	unsigned bytes = bytes_below(p->groups);
	struct sotto_stream s;
	uint32_t index;

	sotto_answer_stream(&s, c, v);
	index = sotto_stream_below(&s, p->groups);
	store_le(out, index, bytes);
	hashed_report(&s, p, sotto_family_seed(p->salt, index), value_key(p, v), out + bytes);
	return sotto_stream_end(&s);
}

/* The first bits of a value that ends in zero bytes without end, and their number. */
uint64_t sotto_prefix_key(const uint8_t *bytes, size_t length, uint32_t bits)
{
	struct sotto_sha256 h;
	uint8_t digest[32], count[4];

	store_le(count, bits, 4);
	sotto_sha256_init(&h);
	sotto_sha256_add(&h, count, 4);
	for (uint32_t at = 0; at < bits; at += 8) {
		uint8_t byte = at / 8 < length ? bytes[at / 8] : 0;

		if (bits - at < 8)
			byte &= (uint8_t)(0xff00 >> (bits - at));
		sotto_sha256_add(&h, &byte, 1);
	}
	sotto_sha256_end(&h, digest);
	return load64_le(digest);
}

static bool
encode_pem(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	unsigned bytes = bytes_below(p->groups);
	struct sotto_stream s;
	uint32_t group;
	uint64_t seed;

	sotto_answer_stream(&s, c, v);
	group = c->secrets.key ? c->group : sotto_stream_below(&s, p->groups);
	seed = sotto_stream_word64(&s);
	store_le(out, group, bytes);
	store_le(out + bytes, seed, 8);
	hashed_report(&s, p, seed,
		      sotto_prefix_key(v->bytes, v->length, pem_prefix_bits(p, group)),
		      out + bytes + 8);
	return sotto_stream_end(&s);
}

/* ---- sizes ---- */

static bool range_fits(const struct sotto_client_params *p)
{
	return p->size != 1 && between(p->hashes, 2, 65536);
}

static bool seeds_fit(const struct sotto_client_params *p)
{
	return p->groups >= 1 && range_fits(p);
}

static bool prefixes_fit(const struct sotto_client_params *p)
{
	return between(p->size, 1, 1024) && p->grain < p->size &&
	       between(p->groups, 1, p->size - p->grain) && between(p->hashes, 2, 65536);
}

static size_t olh_bytes(const struct sotto_client_params *p)
{
	return 8 + bytes_below(p->hashes);
}

static size_t flh_bytes(const struct sotto_client_params *p)
{
	return (size_t)bytes_below(p->groups) + bytes_below(p->hashes);
}

static size_t pem_bytes(const struct sotto_client_params *p)
{
	return 8 + flh_bytes(p);
}

static const struct sotto_drawn_once pem_group = {.points = sotto_groups_of};

const struct sotto_encoding sotto_encoding_OLH = {.domain = SOTTO_NUMBERS_OR_STRINGS,
						  .fits = range_fits,
						  .bytes = olh_bytes,
						  .encode = encode_olh};
const struct sotto_encoding sotto_encoding_FLH = {.domain = SOTTO_NUMBERS_OR_STRINGS,
						  .fits = seeds_fit,
						  .bytes = flh_bytes,
						  .encode = encode_flh};
const struct sotto_encoding sotto_encoding_PEM = {.domain = SOTTO_STRINGS,
						  .fits = prefixes_fit,
						  .bytes = pem_bytes,
						  .encode = encode_pem,
						  .once = &pem_group};
