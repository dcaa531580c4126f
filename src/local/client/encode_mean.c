/* Counters: one bit for a mean, a few bits for a histogram. */
#include "local/client/encoder.h"
#include "local/client/layout.h"
#include "local/client/primitive/bytes.h"

static const struct sotto_client_chance never = {0, false};

/* x, or the grid point that alpha rounds it to; M is a multiple of the step. */
static uint32_t rounded(const struct sotto_client *c, uint32_t x)
{
	uint32_t step = c->params->grain, below, up;

	if (step == 0)
		return x;
	below = x / step * step;
	up = (uint64_t)x + c->alpha >= (uint64_t)below + step;
	return below + (step & (0u - up));
}

/* P(1) = flip + (x/M)(1 - 2 flip): u < x is the honest bit, then the flip. */
static bool
encode_mean(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	uint32_t x = rounded(c, (uint32_t)v->number), bit;
	struct sotto_stream s;
	uint8_t point[4];
	bool ok;

	store_le(point, x, 4);
	if (p->memoize)
		sotto_stream_derived(&s, c, SOTTO_PURPOSE_GRID, point, sizeof point);
	else
		sotto_stream_fresh(&s, c);
	bit = sotto_stream_below(&s, p->size) < x;
	bit ^= sotto_stream_chance(&s, p->flip);
	ok = sotto_stream_end(&s);
	if (p->flip2.numerator > 0) {
		sotto_stream_fresh(&s, c);
		bit ^= sotto_stream_chance(&s, p->flip2);
		ok &= sotto_stream_end(&s);
	}
	out[0] = (uint8_t)bit;
	return ok;
}

static bool draw_buckets(const struct sotto_client *c, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	struct sotto_stream s;

	if (c->secrets.key)
		sotto_stream_derived(&s, c, SOTTO_PURPOSE_BUCKETS, NULL, 0);
	else
		sotto_stream_fresh(&s, c);
	for (uint32_t i = 0; i < p->hashes; i++)
		(void)sotto_draw_another(&s, out, i, bytes_below(p->size), p->size);
	return sotto_stream_end(&s);
}

/* Which of the drawn buckets, 32 from `at` on, is the value's. */
static uint32_t
own_bucket(const struct sotto_client_params *p, const uint8_t *buckets, uint32_t at, uint64_t v)
{
	unsigned bytes = bytes_below(p->size);
	uint32_t own = 0;

	for (uint32_t i = at; i < p->hashes && i < at + 32; i++)
		own |= (uint32_t)(load_le(buckets + (size_t)i * bytes, bytes) == v) << (i - at);
	return own;
}

/* Flips each of the d bits with this chance; one stream at a time is on the stack. */
static bool flip_bits(struct sotto_stream *s, const struct sotto_client_params *p,
		      struct sotto_client_chance flip, uint8_t *bits)
{
	for (uint32_t at = 0; at < p->hashes; at += 32) {
		unsigned n = vector_bytes(p->hashes, at);
		uint32_t noise = sotto_stream_mask(s, 0, flip, never);

		noise &= vector_lanes(p->hashes, at);
		store_le(bits + at / 8, load_le(bits + at / 8, n) ^ noise, n);
	}
	return sotto_stream_end(s);
}

static bool
encode_dbitflip(const struct sotto_client *c, const struct sotto_client_value *v, uint8_t *out)
{
	const struct sotto_client_params *p = c->params;
	uint8_t *bits = out + (size_t)p->hashes * bytes_below(p->size);
	struct sotto_stream s;
	bool ok = draw_buckets(c, out);

	for (uint32_t at = 0; at < p->hashes; at += 32)
		store_le(bits + at / 8, own_bucket(p, out, at, v->number),
			 vector_bytes(p->hashes, at));
	sotto_answer_stream(&s, c, v);
	ok &= flip_bits(&s, p, p->flip, bits);
	if (p->flip2.numerator > 0) {
		sotto_stream_fresh(&s, c);
		ok &= flip_bits(&s, p, p->flip2, bits);
	}
	return ok;
}

/* ---- sizes ---- */

static bool mean_fits(const struct sotto_client_params *p)
{
	return p->size >= 1 && (p->grain == 0 || p->size % p->grain == 0);
}

static bool buckets_fit(const struct sotto_client_params *p)
{
	return p->size >= 2 && between(p->hashes, 1, p->size);
}

static size_t bucket_bytes(const struct sotto_client_params *p)
{
	return (size_t)p->hashes * bytes_below(p->size) + bit_bytes(p->hashes);
}

static uint32_t grid_points(const struct sotto_client_params *p)
{
	return p->grain;
}

static bool mean_needs_key(const struct sotto_client_params *p)
{
	return p->memoize || p->grain > 0;
}

static const struct sotto_drawn_once rounding_point = {
	.points = grid_points, .needs_key = mean_needs_key, .is_rounding = true};

const struct sotto_encoding sotto_encoding_ONE_BIT_MEAN = {.includes_size = true,
							   .fits = mean_fits,
							   .bytes = sotto_one_byte,
							   .encode = encode_mean,
							   .once = &rounding_point};
const struct sotto_encoding sotto_encoding_DBITFLIP = {
	.fits = buckets_fit, .bytes = bucket_bytes, .encode = encode_dbitflip};
