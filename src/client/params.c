#include "client/bytes.h"
#include "client/layout.h"
#include "client/sha256.h"
#include "sotto/client.h"

/* A report must fit a block of the batch frame many times over. */
#define REPORT_MAX 32768

static bool zero_chance(struct sotto_client_chance p)
{
	return p.numerator == 0 && !p.certain;
}

static bool power_of_two(uint32_t x)
{
	return x > 0 && (x & (x - 1)) == 0;
}

static bool sizes_of_symbols(const struct sotto_client_params *p)
{
	switch (p->protocol) {
	case SOTTO_CLIENT_RR:
		return p->size == 2;
	case SOTTO_CLIENT_GRR:
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE:
		return p->size >= 2;
	case SOTTO_CLIENT_OLH:
		return p->size != 1 && p->hashes >= 2 && p->hashes <= 65536;
	case SOTTO_CLIENT_FLH:
		return p->size != 1 && p->hashes >= 2 && p->hashes <= 65536 && p->groups >= 1;
	case SOTTO_CLIENT_HR:
		return p->size >= 2 && power_of_two(p->width) && p->width >= 2 &&
		       power_of_two(p->groups) && p->groups <= (1u << 30) / p->width &&
		       (p->size - 1) / p->groups + 1 < p->width;
	case SOTTO_CLIENT_SUBSET:
		return p->hashes >= 1 && p->hashes < p->size;
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		return p->size >= 1 && (p->grain == 0 || p->size % p->grain == 0);
	default:
		return p->hashes >= 1 && p->hashes <= p->size && p->size >= 2; /* DBITFLIP */
	}
}

static bool sizes_of_sketches(const struct sotto_client_params *p)
{
	bool rows = p->width >= 2 && p->width <= 65536 && p->groups >= 1;

	switch (p->protocol) {
	case SOTTO_CLIENT_RAPPOR:
		if (p->size > 0)
			return p->size == p->width && p->hashes == 1 && p->groups == 1 &&
			       p->size <= 65536;
		return p->width >= 1 && p->width <= 65536 && p->hashes >= 1 && p->hashes <= 8 &&
		       p->groups >= 1;
	case SOTTO_CLIENT_CMS:
		return rows;
	case SOTTO_CLIENT_HCMS:
		return rows && power_of_two(p->width);
	case SOTTO_CLIENT_SFP:
		return rows && p->hashes >= 1 && p->hashes <= 4 && p->size >= p->hashes &&
		       p->size <= 64 && p->size % p->hashes == 0 && p->grain <= 16;
	case SOTTO_CLIENT_PEM:
		return p->size >= 1 && p->size <= 1024 && p->grain < p->size &&
		       p->groups >= 1 && p->groups <= p->size - p->grain && p->hashes >= 2 &&
		       p->hashes <= 65536;
	default: /* TREEHIST */
		return rows && power_of_two(p->width) && p->size >= 1 && p->size <= 1024 &&
		       p->grain >= 1 && p->grain <= p->size;
	}
}

enum sotto_status sotto_client_params_check(const struct sotto_client_params *p)
{
	bool ok;

	if (!p)
		return SOTTO_EINVAL;
	if (p->protocol < SOTTO_CLIENT_RR || p->protocol > SOTTO_CLIENT_TREEHIST ||
	    p->memoize > 1)
		return SOTTO_EINVAL;
	if (p->size > (1u << 31) && p->protocol != SOTTO_CLIENT_ONE_BIT_MEAN)
		return SOTTO_ERANGE;
	if (p->groups > (1u << 24))
		return SOTTO_ERANGE;
	ok = p->protocol <= SOTTO_CLIENT_SUBSET || p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN ||
			     p->protocol == SOTTO_CLIENT_DBITFLIP
		     ? sizes_of_symbols(p)
		     : sizes_of_sketches(p);
	if (!ok || p->keep.certain || p->flip.certain || p->flip2.certain)
		return SOTTO_EINVAL;
	/* A permanent step that only flips, or a report that is pure noise, says nothing. */
	if (p->protocol == SOTTO_CLIENT_RAPPOR && zero_chance(p->one) && zero_chance(p->zero))
		return SOTTO_EINVAL;
	return sotto_client_report_bytes(p) <= REPORT_MAX ? SOTTO_OK : SOTTO_ERANGE;
}

size_t sotto_client_report_bytes(const struct sotto_client_params *p)
{
	switch (p->protocol) {
	case SOTTO_CLIENT_GRR:
		return bytes_below(p->size);
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE:
		return bit_bytes(p->size);
	case SOTTO_CLIENT_OLH:
		return 8 + bytes_below(p->hashes);
	case SOTTO_CLIENT_FLH:
		return (size_t)bytes_below(p->groups) + bytes_below(p->hashes);
	case SOTTO_CLIENT_HR:
		return bytes_below((uint64_t)p->groups * p->width);
	case SOTTO_CLIENT_SUBSET:
		return (size_t)p->hashes * bytes_below(p->size);
	case SOTTO_CLIENT_RAPPOR:
	case SOTTO_CLIENT_CMS:
		return sketch_bytes(p);
	case SOTTO_CLIENT_HCMS:
		return hadamard_bytes(p);
	case SOTTO_CLIENT_SFP:
		return 1 + 2 * sketch_bytes(p);
	case SOTTO_CLIENT_DBITFLIP:
		return (size_t)p->hashes * bytes_below(p->size) + bit_bytes(p->hashes);
	case SOTTO_CLIENT_PEM:
		return (size_t)bytes_below(p->groups) + 8 + bytes_below(p->hashes);
	case SOTTO_CLIENT_TREEHIST:
		return bytes_below(tree_levels(p)) + 2 * hadamard_bytes(p);
	default:
		return 1;
	}
}

static uint8_t *put(uint8_t *at, uint64_t x, unsigned n)
{
	store_le(at, x, n);
	return at + n;
}

void sotto_client_params_store(const struct sotto_client_params *p,
			       uint8_t out[SOTTO_CLIENT_PARAMS_BYTES])
{
	const uint32_t sizes[5] = {p->size, p->width, p->hashes, p->groups, p->grain};
	const struct sotto_client_chance chances[5] = {p->keep, p->flip, p->flip2, p->zero,
						       p->one};
	uint8_t *at = out;

	at = put(at, 0x31504c53, 4); /* "SLP1" */
	at = put(at, p->protocol, 2);
	at = put(at, p->memoize, 1);
	for (unsigned i = 0; i < 5; i++)
		at = put(at, sizes[i], 4);
	at = put(at, p->salt, 8);
	for (unsigned i = 0; i < 5; i++) {
		at = put(at, chances[i].numerator, 8);
		at = put(at, chances[i].certain, 1);
	}
	(void)put(at, 0, 4); /* room, zero in this version */
}

enum sotto_status sotto_client_params_load(struct sotto_client_params *params,
					   const uint8_t in[SOTTO_CLIENT_PARAMS_BYTES])
{
	if (!params || !in)
		return SOTTO_EINVAL;

	struct sotto_client_params p = {0};
	uint32_t *const sizes[5] = {&p.size, &p.width, &p.hashes, &p.groups, &p.grain};
	struct sotto_client_chance *const chances[5] = {&p.keep, &p.flip, &p.flip2, &p.zero,
							&p.one};
	const uint8_t *at = in + 7;

	if (load32_le(in) != 0x31504c53 || load32_le(in + SOTTO_CLIENT_PARAMS_BYTES - 4) != 0)
		return SOTTO_EPARSE;
	p.protocol = (uint32_t)load_le(in + 4, 2);
	p.memoize = in[6];
	for (unsigned i = 0; i < 5; i++, at += 4)
		*sizes[i] = load32_le(at);
	p.salt = load64_le(at);
	at += 8;
	for (unsigned i = 0; i < 5; i++, at += 9) {
		if (at[8] > 1 || (at[8] == 1 && load64_le(at) != 0))
			return SOTTO_EPARSE; /* one probability, one spelling */
		chances[i]->numerator = load64_le(at);
		chances[i]->certain = at[8] == 1;
	}
	if (sotto_client_params_check(&p) != SOTTO_OK)
		return SOTTO_EINVAL;
	*params = p;
	return SOTTO_OK;
}

void sotto_client_params_digest(const struct sotto_client_params *params,
				uint8_t out[SOTTO_CLIENT_DIGEST_BYTES])
{
	struct sotto_sha256 s;
	uint8_t bytes[SOTTO_CLIENT_PARAMS_BYTES], digest[32];

	sotto_client_params_store(params, bytes);
	sotto_sha256_init(&s);
	sotto_sha256_add(&s, bytes, sizeof bytes);
	sotto_sha256_end(&s, digest);
	copy_bytes(out, digest, SOTTO_CLIENT_DIGEST_BYTES);
}
