/*
 * Checks sizes and the quirks of each mode (how f is rounded, which byte order) and calls the
 * family's own functions for cohort, positions and bits.
 */
#include "local/client/compat/compat.h"

#include "local/client/layout.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/md5.h"

static bool quarters(struct sotto_client_chance x)
{
	return !x.certain && x.numerator != 0 && (x.numerator & (UINT64_MAX >> 2)) == 0;
}

bool sotto_compat_has_sizes(const struct sotto_compat *c)
{
	uint32_t k = c->bits, h = c->hashes, m = c->cohorts;
	bool power = (m & (m - 1)) == 0;

	if (k < 1 || h < 1 || m < 1)
		return false;
	switch (c->mode) {
	case SOTTO_COMPAT_GOOGLE_PY:
		return k <= 32 && h <= 16;
	case SOTTO_COMPAT_GOOGLE_CPP:
		return k <= 32 && h <= 16 && power;
	case SOTTO_COMPAT_GOOGLE_CPP_VECTOR:
		return k % 8 == 0 && k <= SOTTO_COMPAT_BITS_MAX && h <= (k <= 256 ? 16 : 8) &&
		       power;
	case SOTTO_COMPAT_GOOGLE_JAVA:
		return k <= SOTTO_COMPAT_BITS_MAX && h <= 8 && power && m <= 128;
	case SOTTO_COMPAT_CHROMIUM:
		return k % 8 == 0 && k <= SOTTO_COMPAT_BITS_MAX && h <= 16;
	default:
		return false;
	}
}

enum sotto_status sotto_compat_check(const struct sotto_compat *c)
{
	if (!c || !sotto_compat_has_sizes(c))
		return SOTTO_EINVAL;
	if (c->mode == SOTTO_COMPAT_GOOGLE_JAVA && c->secret_length < SOTTO_COMPAT_SECRET_BYTES)
		return SOTTO_EINVAL;
	if (c->mode == SOTTO_COMPAT_CHROMIUM &&
	    !(quarters(c->f) && quarters(c->p) && quarters(c->q)))
		return SOTTO_EINVAL;
	return SOTTO_OK;
}

uint32_t sotto_compat_threshold(const struct sotto_compat *c)
{
	uint64_t f = c->f.numerator;

	if (c->f.certain)
		return 128;
	switch (c->mode) {
	case SOTTO_COMPAT_GOOGLE_PY:
		return (uint32_t)(f >> 57) + ((f & (UINT64_MAX >> 7)) != 0);
	case SOTTO_COMPAT_GOOGLE_JAVA:
		return (uint32_t)((f >> 57) + (f >> 56 & 1));
	default:
		return (uint32_t)(f >> 57);
	}
}

/* numerator / 2^bits */
static struct sotto_client_chance ratio(uint64_t numerator, unsigned bits)
{
	if (numerator >> bits)
		return (struct sotto_client_chance){0, true};
	return (struct sotto_client_chance){numerator << (64 - bits), false};
}

void sotto_compat_realised(const struct sotto_compat *c, struct sotto_client_chance *f,
			   struct sotto_client_chance *p, struct sotto_client_chance *q)
{
	*f = c->mode == SOTTO_COMPAT_CHROMIUM ? c->f : ratio(sotto_compat_threshold(c), 7);
	*p = c->p;
	*q = c->q;
	if (c->mode == SOTTO_COMPAT_GOOGLE_CPP || c->mode == SOTTO_COMPAT_GOOGLE_CPP_VECTOR) {
		*p = ratio(c->p.numerator >> 56, 8); /* 256 cast to a byte is 0 */
		*q = ratio(c->q.numerator >> 56, 8);
	}
}

void sotto_compat_md5(uint32_t cohort, const void *value, size_t length, uint8_t out[16])
{
	struct sotto_md5 s;
	uint8_t prefix[4];

	store32_be(prefix, cohort);
	sotto_md5_init(&s);
	sotto_md5_add(&s, prefix, 4);
	sotto_md5_add(&s, value, length);
	sotto_md5_end(&s, out);
}

enum sotto_status sotto_compat_cohort(const struct sotto_compat *c, uint32_t *out)
{
	if (!out)
		return SOTTO_EINVAL;

	enum sotto_status status = sotto_compat_check(c);

	if (status != SOTTO_OK)
		return status;
	if (c->mode == SOTTO_COMPAT_GOOGLE_PY || c->mode == SOTTO_COMPAT_CHROMIUM)
		return SOTTO_EINVAL;
	*out = sotto_google_cohort(c);
	return SOTTO_OK;
}

enum sotto_status sotto_compat_positions(const struct sotto_compat *c, uint32_t cohort,
					 const void *value, size_t length, uint32_t *out)
{
	if (!c || (!value && length > 0) || !out || !sotto_compat_has_sizes(c))
		return SOTTO_EINVAL;
	if (cohort >= c->cohorts)
		return SOTTO_ERANGE;
	if (c->mode == SOTTO_COMPAT_CHROMIUM)
		sotto_chromium_positions(c, cohort, value, length, out);
	else
		sotto_google_positions(c, cohort, value, length, out);
	return SOTTO_OK;
}

enum sotto_status sotto_compat_bloom(const struct sotto_compat *c, uint32_t cohort,
				     const void *value, size_t length, uint8_t *out)
{
	if (!c || (!value && length > 0) || !out)
		return SOTTO_EINVAL;

	uint32_t at[16];
	enum sotto_status status = sotto_compat_positions(c, cohort, value, length, at);

	if (status != SOTTO_OK)
		return status;
	zero_bytes(out, bit_bytes(c->bits));
	for (uint32_t i = 0; i < c->hashes; i++)
		out[at[i] / 8] |= (uint8_t)(1u << at[i] % 8);
	wipe_bytes(at, sizeof at);
	return SOTTO_OK;
}

enum sotto_status
sotto_compat_permanent(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out)
{
	if (!c || !bloom || !out)
		return SOTTO_EINVAL;

	enum sotto_status status = sotto_compat_check(c);

	if (status != SOTTO_OK)
		return status;
	if (c->mode == SOTTO_COMPAT_CHROMIUM)
		sotto_chromium_permanent(c, bloom, out);
	else
		sotto_google_permanent(c, bloom, out);
	return SOTTO_OK;
}

enum sotto_status
sotto_compat_report(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out)
{
	if (!c || !permanent || !out)
		return SOTTO_EINVAL;

	enum sotto_status status = sotto_compat_check(c);

	if (status == SOTTO_OK)
		status = c->mode == SOTTO_COMPAT_CHROMIUM
				 ? sotto_chromium_report(c, permanent, out)
				 : sotto_google_report(c, permanent, out);
	if (status != SOTTO_OK)
		zero_bytes(out, bit_bytes(c->bits));
	return status;
}

void sotto_compat_wire(const struct sotto_compat *c, const uint8_t *bits, uint8_t *out)
{
	size_t n = bit_bytes(c->bits);

	for (size_t i = 0; i < n; i++)
		out[i] = bits[c->mode == SOTTO_COMPAT_GOOGLE_CPP_VECTOR ? n - 1 - i : i];
}
