/* Count mean sketches: one row of a public hash table, randomized. */
#include "local/client/encoder.h"
#include "local/client/layout.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/family.h"
#include "local/client/primitive/sha256.h"

static const struct sotto_client_chance never = {0, false};

static uint32_t parity(uint32_t x)
{
	x ^= x >> 16;
	x ^= x >> 8;
	x ^= x >> 4;
	return 0x6996u >> (x & 15) & 1;
}

static void cms_report(struct sotto_stream *s, const struct sotto_client_params *p,
		       uint64_t key, struct sotto_client_chance flip, uint8_t *out)
{
	unsigned bytes = bytes_below(p->groups);
	uint32_t row = sotto_stream_below(s, p->groups);
	struct sotto_row_hash h = sotto_row_hash_of(p->salt, row);
	uint32_t column = sotto_row_hash_at(&h, key, p->width);

	store_le(out, row, bytes);
	for (uint32_t at = 0; at < p->width; at += 32) {
		uint32_t own = (uint32_t)(column >> 5 == at >> 5) << (column & 31);
		uint32_t bits = own ^ sotto_stream_mask(s, 0, flip, never);

		store_le(out + bytes + at / 8, bits & vector_lanes(p->width, at),
			 vector_bytes(p->width, at));
	}
}

static void hcms_report(struct sotto_stream *s, const struct sotto_client_params *p,
			uint64_t salt, uint64_t key, struct sotto_client_chance flip,
			uint8_t *out)
{
	unsigned bytes = bytes_below(p->groups);
	uint32_t row = sotto_stream_below(s, p->groups);
	uint32_t column = sotto_stream_word32(s) & (p->width - 1);
	struct sotto_row_hash h = sotto_row_hash_of(salt, row);
	uint32_t minus = parity(column & sotto_row_hash_at(&h, key, p->width));

	minus ^= sotto_stream_chance(s, flip);
	store_le(out, row, bytes);
	store_le(out + bytes, 2 * (uint64_t)column + minus,
		 bytes_below(2 * (uint64_t)p->width));
}

static bool
encode_cms(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	struct sotto_stream s;

	sotto_answer_stream(&s, c, v);
	cms_report(&s, c->params, sotto_family_key(v->bytes, v->length), c->params->flip, out);
	return sotto_stream_end(&s);
}

static bool
encode_hcms(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	struct sotto_stream s;

	sotto_answer_stream(&s, c, v);
	hcms_report(&s, c->params, c->params->salt, sotto_family_key(v->bytes, v->length),
		    c->params->flip, out);
	return sotto_stream_end(&s);
}

uint32_t sotto_puzzle_hash(const uint8_t *padded, uint32_t length, uint32_t bits)
{
	return (uint32_t)(sotto_family_key(padded, length) & ((1u << bits) - 1));
}

/* Hash and characters side by side, so that two fragments never share a key. */
uint64_t sotto_fragment_key(uint32_t puzzle, const uint8_t *piece, uint32_t length)
{
	uint8_t packed[8] = {(uint8_t)puzzle, (uint8_t)(puzzle >> 8)};

	copy_bytes(packed + 2, piece, length);
	return sotto_family_key(packed, 2 + length);
}

static bool
encode_sfp(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	uint8_t padded[64] = {0};
	struct sotto_stream s;
	uint32_t start;
	uint64_t piece;

	copy_bytes(padded, v->bytes, v->length < p->size ? v->length : p->size);
	sotto_answer_stream(&s, c, v);
	start = sotto_stream_below(&s, sfp_starts(p));
	piece = sotto_fragment_key(sotto_puzzle_hash(padded, p->size, p->grain),
				   padded + (size_t)start * p->hashes, p->hashes);
	out[0] = (uint8_t)start;
	cms_report(&s, p, piece, p->flip, out + 1);
	cms_report(&s, p, sotto_family_key(padded, p->size), p->flip2,
		   out + 1 + sketch_bytes(p));
	wipe_bytes(padded, sizeof padded);
	return sotto_stream_end(&s);
}

static bool
encode_treehist(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	unsigned bytes = bytes_below(tree_levels(p));
	struct sotto_stream s;
	uint32_t level;

	sotto_answer_stream(&s, c, v);
	level = c->secrets.key ? c->group : sotto_stream_below(&s, tree_levels(p));
	store_le(out, level, bytes);
	hcms_report(&s, p, p->salt,
		    sotto_prefix_key(v->bytes, v->length, tree_prefix_bits(p, level)), p->flip,
		    out + bytes);
	hcms_report(&s, p, tree_value_salt(p), sotto_prefix_key(v->bytes, v->length, p->size),
		    p->flip2, out + bytes + hadamard_bytes(p));
	return sotto_stream_end(&s);
}

/* ---- sizes ---- */

static bool rows_fit(const struct sotto_client_params *p)
{
	return between(p->width, 2, 65536) && p->groups >= 1;
}

static bool hadamard_rows_fit(const struct sotto_client_params *p)
{
	return rows_fit(p) && power_of_two(p->width);
}

static bool fragments_fit(const struct sotto_client_params *p)
{
	return rows_fit(p) && between(p->hashes, 1, 4) && between(p->size, p->hashes, 64) &&
	       p->size % p->hashes == 0 && p->grain <= 16;
}

static bool tree_fits(const struct sotto_client_params *p)
{
	return hadamard_rows_fit(p) && between(p->size, 1, 1024) &&
	       between(p->grain, 1, p->size);
}

static size_t sfp_bytes(const struct sotto_client_params *p)
{
	return 1 + 2 * sketch_bytes(p);
}

static size_t tree_bytes(const struct sotto_client_params *p)
{
	return bytes_below(tree_levels(p)) + 2 * hadamard_bytes(p);
}

static const struct sotto_drawn_once tree_level = {.points = tree_levels};

const struct sotto_encoding sotto_encoding_CMS = {
	.domain = SOTTO_STRINGS, .fits = rows_fit, .bytes = sketch_bytes, .encode = encode_cms};
const struct sotto_encoding sotto_encoding_HCMS = {.domain = SOTTO_STRINGS,
						   .fits = hadamard_rows_fit,
						   .bytes = hadamard_bytes,
						   .encode = encode_hcms};
const struct sotto_encoding sotto_encoding_SFP = {.domain = SOTTO_STRINGS,
						  .fits = fragments_fit,
						  .bytes = sfp_bytes,
						  .encode = encode_sfp};
const struct sotto_encoding sotto_encoding_TREEHIST = {.domain = SOTTO_STRINGS,
						       .fits = tree_fits,
						       .bytes = tree_bytes,
						       .encode = encode_treehist,
						       .once = &tree_level};
