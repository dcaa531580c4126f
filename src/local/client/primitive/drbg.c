/*
 * Key and value are replaced by HMACs of each other; a byte counter says when the next value is
 * due.
 */
#include "local/client/primitive/drbg.h"

#include "local/client/primitive/bytes.h"
#include "local/client/primitive/sha256.h"

static void next_v(struct sotto_drbg *g)
{
	struct sotto_hmac m;

	sotto_hmac_init(&m, g->key, 32);
	sotto_hmac_add(&m, g->v, 32);
	sotto_hmac_end(&m, g->v);
}

static void
next_key(struct sotto_drbg *g, uint8_t tag, const struct sotto_bytes *parts, size_t count)
{
	struct sotto_hmac m;

	sotto_hmac_init(&m, g->key, 32);
	sotto_hmac_add(&m, g->v, 32);
	sotto_hmac_add(&m, &tag, 1);
	for (size_t i = 0; i < count; i++)
		sotto_hmac_add(&m, parts[i].bytes, parts[i].length);
	sotto_hmac_end(&m, g->key);
	next_v(g);
}

void sotto_drbg_init(struct sotto_drbg *g, const struct sotto_bytes *parts, size_t count)
{
	for (unsigned i = 0; i < 32; i++) {
		g->key[i] = 0;
		g->v[i] = 1;
	}
	next_key(g, 0, parts, count);
	next_key(g, 1, parts, count);
	g->used = 32;
}

void sotto_drbg_read(struct sotto_drbg *g, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (g->used == 32) {
			next_v(g);
			g->used = 0;
		}
		out[i] = g->v[g->used++];
	}
}

void sotto_drbg_step(struct sotto_drbg *g)
{
	next_key(g, 0, NULL, 0);
	g->used = 32;
}

void sotto_drbg_wipe(struct sotto_drbg *g)
{
	wipe_bytes(g, sizeof *g);
}
