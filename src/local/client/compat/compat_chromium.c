/* Chromium's RAPPOR client. */
#include "local/client/compat/compat_chromium.h"
#include "local/client/compat/compat.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/cityhash.h"
#include "local/client/primitive/drbg.h"
#include "local/client/primitive/md5.h"

void sotto_chromium_positions(const struct sotto_compat *c, uint32_t cohort, const void *value,
			      size_t length, uint32_t *out)
{
	for (uint32_t i = 0; i < c->hashes; i++) {
		uint32_t x = (uint32_t)sotto_cityhash64_seeded(
			value, length, (uint64_t)cohort * c->hashes + i);

		out[i] = x / 8 % (c->bits / 8) * 8 + x % 8;
	}
}

/* A vector of bits that are 1 with a quarter, a half or three quarters, from whole vectors. */
static enum sotto_status mask(sotto_client_fill fill, void *context, size_t n,
			      struct sotto_client_chance p, uint8_t *out)
{
	uint8_t second[SOTTO_COMPAT_BYTES_MAX];
	uint64_t quarters = p.numerator >> 62;

	if (fill(context, out, n) != 0)
		return SOTTO_EENTROPY;
	if (quarters == 2)
		return SOTTO_OK;
	if (fill(context, second, n) != 0)
		return SOTTO_EENTROPY;
	for (size_t i = 0; i < n; i++)
		out[i] = quarters == 1 ? out[i] & second[i] : out[i] | second[i];
	wipe_bytes(second, n);
	return SOTTO_OK;
}

static int read_drbg(void *context, uint8_t *out, size_t n)
{
	sotto_drbg_read(context, out, n);
	return 0;
}

void sotto_chromium_permanent(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out)
{
	const struct sotto_client_chance half = {UINT64_C(1) << 63, false};
	size_t n = c->bits / 8;
	struct sotto_bytes seed[3] = {
		{c->secret, c->secret_length}, {c->id, c->id_length}, {bloom, n}};
	uint8_t use[SOTTO_COMPAT_BYTES_MAX], coin[SOTTO_COMPAT_BYTES_MAX];
	struct sotto_drbg g;

	sotto_drbg_init(&g, seed, 3);
	(void)mask(read_drbg, &g, n, c->f, use); /* a generator without entropy cannot fail */
	(void)mask(read_drbg, &g, n, half, coin);
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)((bloom[i] & ~use[i]) | (coin[i] & use[i]));
	sotto_drbg_wipe(&g);
	wipe_bytes(use, n);
	wipe_bytes(coin, n);
}

enum sotto_status
sotto_chromium_report(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out)
{
	size_t n = c->bits / 8;
	uint8_t p[SOTTO_COMPAT_BYTES_MAX], q[SOTTO_COMPAT_BYTES_MAX];

	if (mask(c->fill, c->context, n, c->p, p) != SOTTO_OK ||
	    mask(c->fill, c->context, n, c->q, q) != SOTTO_OK)
		return SOTTO_EENTROPY;
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)((p[i] & ~permanent[i]) | (q[i] & permanent[i]));
	return SOTTO_OK;
}

static size_t put_varint(uint8_t *out, uint32_t x)
{
	size_t n = 0;

	for (; x >= 128; x >>= 7)
		out[n++] = (uint8_t)(x | 128);
	out[n++] = (uint8_t)x;
	return n;
}

/* field 1: varint seed; field 2: { field 1: fixed64 name hash; field 2: bytes } */
enum sotto_status sotto_compat_chromium_upload(const struct sotto_compat *c, uint32_t seed,
					       const uint8_t *bits, uint8_t *out,
					       size_t capacity, size_t *used)
{
	if (!c || !bits || !out || !used)
		return SOTTO_EINVAL;

	uint32_t n = c->bits / 8;
	uint8_t name[16], head[32], length[5];
	size_t at = 0, inner = 10 + put_varint(length, n) + n;
	struct sotto_md5 m;

	sotto_md5_init(&m);
	sotto_md5_add(&m, c->id, c->id_length);
	sotto_md5_end(&m, name);
	head[at++] = 0x08;
	at += put_varint(head + at, seed);
	head[at++] = 0x12;
	at += put_varint(head + at, (uint32_t)inner);
	head[at++] = 0x09;
	store_le(head + at, load64_be(name), 8);
	at += 8;
	head[at++] = 0x12;
	at += put_varint(head + at, n);
	if (capacity < at + n)
		return SOTTO_ERANGE;
	copy_bytes(out, head, at);
	copy_bytes(out + at, bits, n);
	*used = at + n;
	return SOTTO_OK;
}
