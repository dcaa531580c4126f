/* Reports that are one symbol or a few: randomized response, Hadamard response, subsets. */
#include "local/client/encoder.h"
#include "local/client/layout.h"
#include "local/client/primitive/bytes.h"

static bool
encode_rr(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	struct sotto_stream s;

	sotto_answer_stream(&s, c, v);
	out[0] = (uint8_t)(sotto_stream_mask(&s, (uint32_t)v->number, c->params->zero,
					     c->params->one) &
			   1);
	return sotto_stream_end(&s);
}

uint32_t sotto_randomize_symbol(struct sotto_stream *s, uint32_t v, uint32_t range,
				struct sotto_client_chance keep)
{
	uint32_t kept = 0u - (uint32_t)sotto_stream_chance(s, keep);
	uint32_t other = sotto_stream_below(s, range - 1);

	other += other >= v;
	return (v & kept) | (other & ~kept);
}

static bool
encode_grr(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	struct sotto_stream s;

	sotto_answer_stream(&s, c, v);
	store_le(out, sotto_randomize_symbol(&s, (uint32_t)v->number, p->size, p->keep),
		 bytes_below(p->size));
	return sotto_stream_end(&s);
}

static bool
encode_unary(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	struct sotto_stream s;

	sotto_answer_stream(&s, c, v);
	for (uint32_t at = 0; at < p->size; at += 32) {
		uint32_t own = (uint32_t)(v->number >> 5 == at >> 5) << (v->number & 31);
		uint32_t bits =
			sotto_stream_mask(&s, own, p->zero, p->one) & vector_lanes(p->size, at);

		store_le(out + at / 8, bits, vector_bytes(p->size, at));
	}
	return sotto_stream_end(&s);
}

static uint32_t parity(uint32_t x)
{
	x ^= x >> 16;
	x ^= x >> 8;
	x ^= x >> 4;
	return 0x6996u >> (x & 15) & 1;
}

/*
 * The value's set is the even columns of its row in its block.  A uniform column
 * moves to the wanted parity by flipping the lowest bit of the row, which pairs
 * the two halves one to one.
 */
static bool
encode_hr(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	uint32_t block = (uint32_t)v->number & (p->groups - 1);
	uint32_t row = (uint32_t)v->number / p->groups + 1;
	uint32_t keep, half, column, other, fix;
	struct sotto_stream s;

	sotto_answer_stream(&s, c, v);
	keep = sotto_stream_chance(&s, p->keep);
	half = sotto_stream_below(&s, 2 * p->groups - 1); /* 0: the odd half of the own block */
	column = sotto_stream_word32(&s) & (p->width - 1);
	half = keep ? 0 : half;
	other = (half - 1) / 2;
	other += other >= block;
	fix = (half == 0) & (parity(column & row) ^ !keep);
	column ^= (row & (0u - row)) & (0u - fix);
	block = half == 0 ? block : other;
	store_le(out, (uint64_t)block * p->width + column,
		 bytes_below((uint64_t)p->groups * p->width));
	return sotto_stream_end(&s);
}

uint32_t sotto_draw_another(struct sotto_stream *s, uint8_t *list, uint32_t count,
			    unsigned bytes, uint32_t n)
{
	uint32_t rank = sotto_stream_below(s, n - count), place = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t past = rank >= load_le(list + (size_t)i * bytes, bytes);

		rank += past;
		place += past;
	}
	for (uint32_t i = count; i > place; i--)
		copy_bytes(list + (size_t)i * bytes, list + (size_t)(i - 1) * bytes, bytes);
	store_le(list + (size_t)place * bytes, rank, bytes);
	return rank;
}

/* Takes drop out of an ascending list and puts v in. */
static void
replace_in_list(uint8_t *list, uint32_t count, unsigned bytes, uint32_t v, uint32_t drop)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t x = (uint32_t)load_le(list + (size_t)i * bytes, bytes);

		if (x != drop)
			store_le(list + (size_t)place++ * bytes, x, bytes);
	}
	while (place > 0 && load_le(list + (size_t)(place - 1) * bytes, bytes) > v) {
		copy_bytes(list + (size_t)place * bytes, list + (size_t)(place - 1) * bytes,
			   bytes);
		place--;
	}
	store_le(list + (size_t)place * bytes, v, bytes);
}

/*
 * w of the d-1 others are drawn whatever happens; if the value is in, it takes
 * the place of the one drawn last, and the w-1 before it stay uniform.
 */
static bool
encode_subset(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	unsigned bytes = bytes_below(p->size);
	uint32_t in, last = 0;
	struct sotto_stream s;

	sotto_answer_stream(&s, c, v);
	in = sotto_stream_chance(&s, p->keep);
	for (uint32_t i = 0; i < p->hashes; i++)
		last = sotto_draw_another(&s, out, i, bytes, p->size - 1);
	for (uint32_t i = 0; i < p->hashes; i++) {
		uint32_t x = (uint32_t)load_le(out + (size_t)i * bytes, bytes);

		store_le(out + (size_t)i * bytes, x + (x >= v->number), bytes);
	}
	last += last >= v->number;
	replace_in_list(out, p->hashes, bytes, in ? (uint32_t)v->number : last, last);
	return sotto_stream_end(&s);
}

/* ---- sizes ---- */

static bool two_values(const struct sotto_client_params *p)
{
	return p->size == 2;
}

static bool several_values(const struct sotto_client_params *p)
{
	return p->size >= 2;
}

static bool hadamard_fits(const struct sotto_client_params *p)
{
	return p->size >= 2 && power_of_two(p->width) && p->width >= 2 &&
	       power_of_two(p->groups) && p->groups <= (1u << 30) / p->width &&
	       (p->size - 1) / p->groups + 1 < p->width;
}

static bool subset_fits(const struct sotto_client_params *p)
{
	return p->hashes >= 1 && p->hashes < p->size;
}

size_t sotto_one_byte(const struct sotto_client_params *p)
{
	(void)p;
	return 1;
}

static size_t symbol_bytes(const struct sotto_client_params *p)
{
	return bytes_below(p->size);
}

static size_t unary_bytes(const struct sotto_client_params *p)
{
	return bit_bytes(p->size);
}

static size_t column_bytes(const struct sotto_client_params *p)
{
	return bytes_below((uint64_t)p->groups * p->width);
}

static size_t subset_bytes(const struct sotto_client_params *p)
{
	return (size_t)p->hashes * bytes_below(p->size);
}

const struct sotto_encoding sotto_encoding_RR = {
	.fits = two_values, .bytes = sotto_one_byte, .encode = encode_rr};
const struct sotto_encoding sotto_encoding_GRR = {
	.fits = several_values, .bytes = symbol_bytes, .encode = encode_grr};
const struct sotto_encoding sotto_encoding_SUE = {
	.fits = several_values, .bytes = unary_bytes, .encode = encode_unary};
const struct sotto_encoding sotto_encoding_OUE = {
	.fits = several_values, .bytes = unary_bytes, .encode = encode_unary};
const struct sotto_encoding sotto_encoding_HR = {
	.fits = hadamard_fits, .bytes = column_bytes, .encode = encode_hr};
const struct sotto_encoding sotto_encoding_SUBSET = {
	.fits = subset_fits, .bytes = subset_bytes, .encode = encode_subset};
