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

static struct sotto_client_chance chance(double p)
{
	return (struct sotto_client_chance){(uint64_t)ldexp(p, 64), false};
}

struct sotto_client_params local_sample(uint32_t protocol)
{
	struct sotto_client_params p = {.protocol = protocol, .memoize = 1};

	switch (protocol) {
	case SOTTO_CLIENT_RR:
		p.size = 2;
		p.one = chance(.75);
		p.zero = chance(.25);
		break;
	case SOTTO_CLIENT_GRR:
		p.size = 300;
		p.keep = chance(.5);
		break;
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE:
		p.size = 100;
		p.one = chance(.5);
		p.zero = chance(.25);
		break;
	case SOTTO_CLIENT_OLH:
		p.hashes = 4;
		p.keep = chance(.5);
		break;
	case SOTTO_CLIENT_FLH:
		p.hashes = 4;
		p.groups = 1000;
		p.keep = chance(.5);
		break;
	case SOTTO_CLIENT_HR:
		p.size = 100;
		p.width = 128;
		p.groups = 1;
		p.keep = chance(.75);
		break;
	case SOTTO_CLIENT_SUBSET:
		p.size = 100;
		p.hashes = 20;
		p.keep = chance(.5);
		break;
	case SOTTO_CLIENT_RAPPOR:
		p.width = 128;
		p.hashes = 2;
		p.groups = 64;
		p.flip = chance(.25);
		p.zero = chance(0);
		p.one = (struct sotto_client_chance){
			0, true}; /* reports show the permanent bits */
		p.memoize = 0;
		break;
	case SOTTO_CLIENT_CMS:
	case SOTTO_CLIENT_HCMS:
		p.width = 256;
		p.groups = 1024;
		p.flip = chance(.125);
		break;
	case SOTTO_CLIENT_SFP:
		p.size = 10;
		p.hashes = 2;
		p.width = 64;
		p.groups = 16;
		p.grain = 8;
		p.flip = p.flip2 = chance(.25);
		break;
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		p.size = 100;
		p.grain = 10;
		p.flip = chance(.25);
		break;
	case SOTTO_CLIENT_DBITFLIP:
		p.size = 100;
		p.hashes = 8;
		p.flip = chance(.25);
		break;
	case SOTTO_CLIENT_PEM:
		p.size = 64;
		p.grain = 6;
		p.groups = 8;
		p.hashes = 4;
		p.keep = chance(.5);
		break;
	default:
		p.size = 64;
		p.grain = 8;
		p.width = 256;
		p.groups = 16;
		p.flip = p.flip2 = chance(.25);
		break;
	}
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
