/* Checks the parameters of a collection, and turns them into bytes and back. */
#include "local/client/encode.h"
#include "local/client/primitive/bytes.h"
#include "sotto/client.h"

/* A report must fit a block of the batch frame many times over. */
#define REPORT_MAX 32768

enum sotto_status sotto_client_params_check(const struct sotto_client_params *p)
{
	const struct sotto_encoding *encoding;

	if (!p)
		return SOTTO_EINVAL;
	encoding = sotto_encoding_of(p->protocol);
	if (!encoding || p->memoize > 1)
		return SOTTO_EINVAL;
	if (p->size > (1u << 31) && !encoding->includes_size)
		return SOTTO_ERANGE;
	if (p->groups > (1u << 24))
		return SOTTO_ERANGE;
	if (!encoding->fits(p) || p->keep.certain || p->flip.certain || p->flip2.certain)
		return SOTTO_EINVAL;
	return encoding->bytes(p) <= REPORT_MAX ? SOTTO_OK : SOTTO_ERANGE;
}

size_t sotto_client_report_bytes(const struct sotto_client_params *p)
{
	const struct sotto_encoding *encoding = sotto_encoding_of(p->protocol);

	return encoding ? encoding->bytes(p) : 0;
}

bool sotto_client_takes_number(const struct sotto_client_params *p)
{
	const struct sotto_encoding *encoding = sotto_encoding_of(p->protocol);

	return encoding && encoding->domain != SOTTO_STRINGS &&
	       (encoding->domain == SOTTO_NUMBERS || p->size > 0);
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
