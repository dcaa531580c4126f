#include "testlib/local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 */
int local_fill(void *context, uint8_t *out, size_t n)
{
	uint64_t *state = context;

	for (size_t i = 0; i < n; i += 8) {
		uint64_t x = *state += 0x9e3779b97f4a7c15u;

		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
		x = (x ^ x >> 27) * 0x94d049bb133111ebu;
		x ^= x >> 31;
		memcpy(out + i, &x, n - i < 8 ? n - i : 8);
	}
	return 0;
}

#define QUARTERS(n)                                                                            \
	{                                                                                      \
		(uint64_t)(n) << 62, false                                                     \
	}
#define EIGHTH                                                                                 \
	{                                                                                      \
		(uint64_t)1 << 61, false                                                       \
	}
#define CERTAIN                                                                                \
	{                                                                                      \
		0, true                                                                        \
	}

/* Small ones of each protocol. */
static const struct sotto_client_params samples[] = {
	[SOTTO_CLIENT_RR] = {.size = 2, .one = QUARTERS(3), .zero = QUARTERS(1)},
	[SOTTO_CLIENT_GRR] = {.size = 300, .keep = QUARTERS(2)},
	[SOTTO_CLIENT_SUE] = {.size = 100, .one = QUARTERS(2), .zero = QUARTERS(1)},
	[SOTTO_CLIENT_OUE] = {.size = 100, .one = QUARTERS(2), .zero = QUARTERS(1)},
	[SOTTO_CLIENT_OLH] = {.hashes = 4, .keep = QUARTERS(2)},
	[SOTTO_CLIENT_FLH] = {.hashes = 4, .groups = 1000, .keep = QUARTERS(2)},
	[SOTTO_CLIENT_HR] = {.size = 100, .width = 128, .groups = 1, .keep = QUARTERS(3)},
	[SOTTO_CLIENT_SUBSET] = {.size = 100, .hashes = 20, .keep = QUARTERS(2)},
	/* reports show the permanent bits */
	[SOTTO_CLIENT_RAPPOR] =
		{.width = 128, .hashes = 2, .groups = 64, .flip = QUARTERS(1), .one = CERTAIN},
	[SOTTO_CLIENT_CMS] = {.width = 256, .groups = 1024, .flip = EIGHTH},
	[SOTTO_CLIENT_HCMS] = {.width = 256, .groups = 1024, .flip = EIGHTH},
	[SOTTO_CLIENT_SFP] = {.size = 10,
			      .hashes = 2,
			      .width = 64,
			      .groups = 16,
			      .grain = 8,
			      .flip = QUARTERS(1),
			      .flip2 = QUARTERS(1)},
	[SOTTO_CLIENT_ONE_BIT_MEAN] = {.size = 100, .grain = 10, .flip = QUARTERS(1)},
	[SOTTO_CLIENT_DBITFLIP] = {.size = 100, .hashes = 8, .flip = QUARTERS(1)},
	[SOTTO_CLIENT_PEM] =
		{.size = 64, .grain = 6, .groups = 8, .hashes = 4, .keep = QUARTERS(2)},
	[SOTTO_CLIENT_TREEHIST] = {.size = 64,
				   .grain = 8,
				   .width = 256,
				   .groups = 16,
				   .flip = QUARTERS(1),
				   .flip2 = QUARTERS(1)},
};

struct sotto_client_params local_sample(uint32_t protocol)
{
	struct sotto_client_params p = samples[protocol];

	p.protocol = protocol;
	p.memoize = protocol != SOTTO_CLIENT_RAPPOR;
	return p;
}

enum sotto_status local_encode(struct sotto_client *c, unsigned value, uint8_t *out,
			       size_t capacity, size_t *used)
{
	char text[16];
	enum sotto_status st = sotto_client_encode_number(c, value, out, capacity, used);

	if (st != SOTTO_EINVAL)
		return st;
	return sotto_client_encode(c, text, (size_t)snprintf(text, sizeof text, "v%u", value),
				   out, capacity, used);
}

uint8_t *local_reports(const struct sotto_client_params *p, size_t n, uint64_t seed)
{
	size_t stride = sotto_client_report_bytes(p), used;
	uint8_t *out = calloc(n + 1, stride), key[32];
	struct sotto_client_secrets s = {.key = key, .fill = local_fill, .context = &seed};
	struct sotto_client c;

	for (size_t i = 0; out && i < n; i++) {
		local_fill(&seed, key, 32);
		if (sotto_client_init(&c, p, &s) != SOTTO_OK ||
		    local_encode(&c, (unsigned)(i % 2), out + i * stride, stride, &used) !=
			    SOTTO_OK) {
			free(out);
			return NULL;
		}
	}
	return out;
}
