/* The three encoders of google/rappor: Python, C++ (two APIs) and Java. */
#include "local/client/compat/compat.h"
#include "local/client/layout.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/drbg.h"
#include "local/client/primitive/sha256.h"

static const uint8_t zero_byte = 0, one_byte = 1;

static struct sotto_bytes part(const void *bytes, size_t length)
{
	return (struct sotto_bytes){bytes, length};
}

static uint32_t first_word(const struct sotto_compat *c, bool tagged, bool big_endian)
{
	struct sotto_bytes seed[2] = {part(c->secret, c->secret_length), part(&zero_byte, 1)};
	struct sotto_drbg g;
	uint8_t word[4];

	sotto_drbg_init(&g, seed, tagged ? 2 : 1);
	sotto_drbg_read(&g, word, 4);
	sotto_drbg_wipe(&g);
	return big_endian ? load32_be(word) : load32_le(word);
}

uint32_t sotto_google_cohort(const struct sotto_compat *c)
{
	struct sotto_hmac m;
	uint8_t digest[32];
	uint32_t word;

	if (c->mode == SOTTO_COMPAT_GOOGLE_CPP_VECTOR)
		return first_word(c, false, false) & (c->cohorts - 1);
	if (c->mode == SOTTO_COMPAT_GOOGLE_JAVA) {
		word = first_word(c, true, true);
		word = word >> 31 ? 0u - word : word;
		return word % 128 & (c->cohorts - 1);
	}
	/* A 00 prefix was meant, but that C string literal is empty. */
	sotto_hmac_init(&m, c->secret, c->secret_length);
	sotto_hmac_end(&m, digest);
	return load32_le(digest) & (c->cohorts - 1);
}

static unsigned hash_bytes(const struct sotto_compat *c)
{
	switch (c->mode) {
	case SOTTO_COMPAT_GOOGLE_CPP_VECTOR:
		return bytes_below(c->bits);
	case SOTTO_COMPAT_GOOGLE_JAVA:
		return 2;
	default:
		return 1;
	}
}

void sotto_google_positions(const struct sotto_compat *c, uint32_t cohort, const void *value,
			    size_t length, uint32_t *out)
{
	unsigned n = hash_bytes(c);
	uint8_t digest[16];

	sotto_compat_md5(cohort, value, length, digest);
	for (uint32_t i = 0; i < c->hashes; i++) {
		const uint8_t *at = digest + (size_t)n * i;

		out[i] = c->mode == SOTTO_COMPAT_GOOGLE_JAVA
				 ? (256u * at[0] + at[1]) % c->bits
				 : (uint32_t)load_le(at, n) % c->bits;
	}
	wipe_bytes(digest, sizeof digest);
}

/* One stream byte per bit: its low bit is the fair coin, the rest decides whether it is used. */
static void mix_bit(const struct sotto_compat *c, uint32_t i, uint8_t byte,
		    const uint8_t *bloom, uint8_t *out)
{
	uint32_t use = (uint32_t)(byte >> 1) < sotto_compat_threshold(c);
	uint32_t honest = bloom[i / 8] >> i % 8 & 1;

	out[i / 8] |= (uint8_t)((use ? byte & 1u : honest) << i % 8);
}

static void permanent_hmac(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out)
{
	struct sotto_hmac m;
	uint8_t stream[32], word[4];

	store32_be(word, (uint32_t)load_le(bloom, (unsigned)bit_bytes(c->bits)));
	sotto_hmac_init(&m, c->secret, c->secret_length);
	if (c->mode == SOTTO_COMPAT_GOOGLE_CPP) {
		sotto_hmac_add(&m, &one_byte, 1);
		sotto_hmac_add(&m, c->id, c->id_length);
	}
	sotto_hmac_add(&m, word, 4);
	sotto_hmac_end(&m, stream);
	for (uint32_t i = 0; i < c->bits; i++)
		mix_bit(c, i, stream[i], bloom, out);
	wipe_bytes(stream, sizeof stream);
}

static void permanent_vector(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out)
{
	uint8_t wire[SOTTO_COMPAT_BYTES_MAX], byte;
	struct sotto_bytes seed[4] = {part(c->secret, c->secret_length), part(&one_byte, 1),
				      part(c->id, c->id_length), part(wire, c->bits / 8)};
	struct sotto_drbg g;

	sotto_compat_wire(c, bloom, wire);
	sotto_drbg_init(&g, seed, 4);
	for (uint32_t i = 0; i < c->bits; i++) {
		sotto_drbg_read(&g, &byte, 1);
		mix_bit(c, i, byte, bloom, out);
	}
	sotto_drbg_wipe(&g);
	wipe_bytes(wire, sizeof wire);
}

/* The personalization string: 01 and 19 bytes of SHA-256 over the id and the filter. */
static void
java_personalization(const struct sotto_compat *c, const uint8_t *bloom, uint8_t out[20])
{
	static const uint8_t padding[19];
	struct sotto_sha256 s;
	uint8_t digest[32];
	size_t n = bit_bytes(c->bits);

	while (n > 0 && bloom[n - 1] == 0)
		n--;
	sotto_sha256_init(&s);
	sotto_sha256_add(&s, c->id, c->id_length);
	sotto_sha256_add(&s, &zero_byte, 1);
	sotto_sha256_add(&s, bloom, n);
	sotto_sha256_add(&s, &one_byte, 1);
	sotto_sha256_add(&s, padding, sizeof padding);
	sotto_sha256_end(&s, digest);
	out[0] = 1;
	copy_bytes(out + 1, digest, 19);
}

static void permanent_java(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out)
{
	uint8_t personal[20], byte;
	struct sotto_bytes seed[2] = {part(c->secret, c->secret_length), part(personal, 20)};
	struct sotto_drbg g;

	java_personalization(c, bloom, personal);
	sotto_drbg_init(&g, seed, 2);
	for (uint32_t i = 0; i < c->bits; i++) {
		if (i > 0 && i % 937 == 0) /* the most that one request may ask for */
			sotto_drbg_step(&g);
		sotto_drbg_read(&g, &byte, 1);
		mix_bit(c, i, byte, bloom, out);
	}
	sotto_drbg_wipe(&g);
}

void sotto_google_permanent(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out)
{
	zero_bytes(out, bit_bytes(c->bits));
	if (c->mode == SOTTO_COMPAT_GOOGLE_CPP_VECTOR)
		permanent_vector(c, bloom, out);
	else if (c->mode == SOTTO_COMPAT_GOOGLE_JAVA)
		permanent_java(c, bloom, out);
	else
		permanent_hmac(c, bloom, out);
}

/* One uniform of [0, 1) per bit, 8 bytes little-endian, compared with a probability. */
static bool below(const struct sotto_compat *c, struct sotto_client_chance p, uint32_t *bit)
{
	uint8_t word[8];

	if (c->fill(c->context, word, sizeof word) != 0)
		return false;
	*bit = (load64_le(word) < p.numerator) | p.certain;
	return true;
}

static enum sotto_status
report_py(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out)
{
	uint32_t prr = (uint32_t)load_le(permanent, (unsigned)bit_bytes(c->bits));
	uint32_t mask[2] = {0, 0}, bit;

	for (unsigned which = 0; which < 2; which++)
		for (uint32_t i = 0; i < c->bits; i++) {
			if (!below(c, which ? c->q : c->p, &bit))
				return SOTTO_EENTROPY;
			mask[which] |= bit << i;
		}
	store_le(out, (mask[0] & ~prr) | (mask[1] & prr), (unsigned)bit_bytes(c->bits));
	return SOTTO_OK;
}

static enum sotto_status
report_java(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out)
{
	bool honest = c->q.certain && c->p.numerator == 0 && !c->p.certain;

	for (uint32_t i = 0; i < c->bits; i++) {
		uint32_t bit = permanent[i / 8] >> i % 8 & 1;

		if (!honest && !below(c, bit ? c->q : c->p, &bit))
			return SOTTO_EENTROPY;
		out[i / 8] |= (uint8_t)(bit << i % 8);
	}
	return SOTTO_OK;
}

/* count bytes of entropy, bit i set if byte i is below the threshold */
static bool byte_mask(const struct sotto_compat *c, uint32_t count,
		      struct sotto_client_chance p, uint32_t *out)
{
	uint8_t bytes[32], threshold = (uint8_t)(p.numerator >> 56);

	if (c->fill(c->context, bytes, count) != 0)
		return false;
	*out = 0;
	for (uint32_t i = 0; i < count; i++)
		*out |= (uint32_t)(bytes[i] < threshold) << i;
	return true;
}

static enum sotto_status
report_cpp(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out)
{
	uint32_t prr = (uint32_t)load_le(permanent, (unsigned)bit_bytes(c->bits)), p, q;

	if (!byte_mask(c, c->bits, c->p, &p) || !byte_mask(c, c->bits, c->q, &q))
		return SOTTO_EENTROPY;
	store_le(out, (p & ~prr) | (q & prr), (unsigned)bit_bytes(c->bits));
	return SOTTO_OK;
}

/* The wire order is big-endian: wire byte w is our byte n-1-w. */
static enum sotto_status
report_vector(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out)
{
	uint32_t n = c->bits / 8, p = 0, q = 0;

	for (uint32_t w = 0; w < n; w++) {
		uint8_t prr = permanent[n - 1 - w];
		unsigned shift = 24 - 8 * (w % 4);

		if (w % 4 == 0 && (!byte_mask(c, 32, c->p, &p) || !byte_mask(c, 32, c->q, &q)))
			return SOTTO_EENTROPY;
		out[n - 1 - w] = (uint8_t)((p >> shift & ~prr) | (q >> shift & prr));
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_google_report(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out)
{
	zero_bytes(out, bit_bytes(c->bits));
	switch (c->mode) {
	case SOTTO_COMPAT_GOOGLE_PY:
		return report_py(c, permanent, out);
	case SOTTO_COMPAT_GOOGLE_CPP:
		return report_cpp(c, permanent, out);
	case SOTTO_COMPAT_GOOGLE_CPP_VECTOR:
		return report_vector(c, permanent, out);
	default:
		return report_java(c, permanent, out);
	}
}
