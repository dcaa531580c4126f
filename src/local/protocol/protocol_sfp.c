/* Sequence fragment puzzle: a fragment and the whole word, each in a sketch (CMS). */
#include <string.h>

#include "core/base/checked.h"
#include "local/discover/discover_inside.h"
#include "local/discover/sfp.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/threshold.h"

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	p->flip = sotto_chance_flip_up(eps, 2, SOTTO_VECTOR_BITS);
	p->flip2 = sotto_chance_flip_up(second, 2, SOTTO_VECTOR_BITS);
}

/* Two reports in one. */
static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	const struct sotto_client_chance never = {0, false};
	mpq_t fragment;

	mpq_init(fragment);
	sotto_odds_of_flip(p->flip, never, 2, fragment, unbounded);
	sotto_odds_of_flip(p->flip2, never, 2, out, unbounded);
	mpq_mul(out, out, fragment);
	mpq_clear(fragment);
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	size_t table, tables = (size_t)sfp_starts(p) + 1;

	out->groups = tables * p->groups;
	return sotto_checked_mul_size(p->groups, p->width, &table) &&
	       sotto_checked_mul_size(table, tables, &out->cells);
}

static enum sotto_local_reason
report_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	return part_both(part_value(r, 1, sfp_starts(p)),
			 part_both(part_row(p, r + 1), part_row(p, r + 1 + sketch_bytes(p))));
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	uint8_t padded[64] = {0};
	uint64_t piece;

	memcpy(padded, v->bytes, v->length < p->size ? v->length : p->size);
	piece = sotto_fragment_key(sotto_puzzle_hash(padded, p->size, p->grain),
				   padded + (size_t)r[0] * p->hashes, p->hashes);
	return like_row(p, piece, p->flip, r + 1) + like_row(p,
							     sotto_family_key(padded, p->size),
							     p->flip2, r + 1 + sketch_bytes(p));
}

const struct sotto_protocol sotto_protocol_SFP = {
	.sizes = "size is at most 64 and a multiple of hashes, which is 1 to 4; grain is at "
		 "most 16, width 2 to 65536, groups at least 1",
	.given = SOTTO_GIVEN_TWO_EPSILONS,
	.needs_size = true,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_FRAGMENTS,
	.shape = shape,
	.report_flaw = report_flaw,
	.likelihood = likelihood,
	.salted = true,
	.discover = sotto_discover_sfp,
};
