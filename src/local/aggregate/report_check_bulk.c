/* Whether reports can have come from a client at all. */
#include "local/aggregate/report_check.h"
#include "local/client/layout.h"
#include "sotto/collect.h"

static bool below(const uint8_t *at, unsigned bytes, uint64_t limit)
{
	return load_le(at, bytes) < limit;
}

static bool padding_zero(const uint8_t *vector, uint32_t bits)
{
	return bits % 8 == 0 || vector[bits / 8] >> bits % 8 == 0;
}

static bool ascending(const uint8_t *list, uint32_t count, unsigned bytes, uint64_t limit)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t x = load_le(list + (size_t)i * bytes, bytes);

		if (x >= limit || (i > 0 && x <= last))
			return false;
		last = x;
	}
	return true;
}

static bool sketch_ok(const struct sotto_client_params *p, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);

	return below(r, head, p->groups) && padding_zero(r + head, p->width);
}

static bool hadamard_ok(const struct sotto_client_params *p, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);

	return below(r, head, p->groups) &&
	       below(r + head, bytes_below(2 * (uint64_t)p->width), 2 * (uint64_t)p->width);
}

static bool report_ok(const struct sotto_client_params *p, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups ? p->groups : 1);

	switch (p->protocol) {
	case SOTTO_CLIENT_RR:
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		return r[0] <= 1;
	case SOTTO_CLIENT_GRR:
		return below(r, bytes_below(p->size), p->size);
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE:
		return padding_zero(r, p->size);
	case SOTTO_CLIENT_OLH:
		return below(r + 8, bytes_below(p->hashes), p->hashes);
	case SOTTO_CLIENT_FLH:
		return below(r, head, p->groups) &&
		       below(r + head, bytes_below(p->hashes), p->hashes);
	case SOTTO_CLIENT_HR:
		return below(r, bytes_below((uint64_t)p->groups * p->width),
			     (uint64_t)p->groups * p->width);
	case SOTTO_CLIENT_SUBSET:
		return ascending(r, p->hashes, bytes_below(p->size), p->size);
	case SOTTO_CLIENT_RAPPOR:
	case SOTTO_CLIENT_CMS:
		return sketch_ok(p, r);
	case SOTTO_CLIENT_HCMS:
		return hadamard_ok(p, r);
	case SOTTO_CLIENT_SFP:
		return r[0] < sfp_starts(p) && sketch_ok(p, r + 1) &&
		       sketch_ok(p, r + 1 + sketch_bytes(p));
	case SOTTO_CLIENT_DBITFLIP:
		return ascending(r, p->hashes, bytes_below(p->size), p->size) &&
		       padding_zero(r + (size_t)p->hashes * bytes_below(p->size), p->hashes);
	case SOTTO_CLIENT_PEM:
		return below(r, head, p->groups) &&
		       below(r + head + 8, bytes_below(p->hashes), p->hashes);
	default: /* TREEHIST */
		head = bytes_below(tree_levels(p));
		return below(r, head, tree_levels(p)) && hadamard_ok(p, r + head) &&
		       hadamard_ok(p, r + head + hadamard_bytes(p));
	}
}

/*
 * One byte of row number and whole bytes of bits: all there is to check is that
 * byte.  The bits of many, or, where rows are no power of two, a borrow from any.
 */
static bool byte_rows_ok(const uint8_t *r, size_t stride, size_t n, uint32_t groups)
{
	const uint32_t most = groups - 1;
	bool power = (groups & most) == 0;
	uint32_t a = 0, b = 0;

	for (; power && n >= 4; n -= 4, r += 4 * stride) {
		a |= r[0] | r[stride];
		b |= r[2 * stride] | r[3 * stride];
	}
	if ((a | b) > most)
		return false;
	for (a = 0; n > 0; n--, r += stride)
		a |= most - r[0];
	return a >> 31 == 0;
}

enum sotto_status sotto_local_reports_check(const struct sotto_client_params *params,
					    const uint8_t *reports, size_t n)
{
	if (!params || (!reports && n > 0))
		return SOTTO_EINVAL;

	size_t stride = sotto_client_report_bytes(params);
	bool rows =
		params->protocol == SOTTO_CLIENT_RAPPOR || params->protocol == SOTTO_CLIENT_CMS;

	if (rows && params->groups <= 256 && params->width % 8 == 0)
		return byte_rows_ok(reports, stride, n, params->groups) ? SOTTO_OK
									: SOTTO_EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!report_ok(params, reports + i * stride))
			return SOTTO_EINVAL;
	return SOTTO_OK;
}
