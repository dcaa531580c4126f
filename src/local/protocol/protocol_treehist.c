/* TreeHist: one level of the prefix tree and the whole value, each in a sketch (HCMS). */
#include "core/base/checked.h"
#include "local/discover/discover_inside.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/threshold.h"

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	p->flip = sotto_chance_flip_up(eps, 1, 64);
	p->flip2 = sotto_chance_flip_up(second, 1, 64);
}

/* Two reports in one. */
static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	const struct sotto_client_chance never = {0, false};
	mpq_t level;

	mpq_init(level);
	sotto_odds_of_flip(p->flip, never, 1, level, unbounded);
	sotto_odds_of_flip(p->flip2, never, 1, out, unbounded);
	mpq_mul(out, out, level);
	mpq_clear(level);
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	size_t table;

	out->groups = tree_levels(p);
	return sotto_checked_mul_size(p->groups, p->width, &table) &&
	       sotto_checked_mul_size(table, (size_t)tree_levels(p) + 1, &out->cells);
}

static enum sotto_local_reason
report_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	const uint8_t *level = r + bytes_below(tree_levels(p));

	return part_both(part_group(r, tree_levels(p)),
			 part_both(part_hadamard(p, level),
				   part_hadamard(p, level + hadamard_bytes(p))));
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	unsigned head = bytes_below(tree_levels(p));
	uint32_t bits = tree_prefix_bits(p, (uint32_t)load_le(r, head));

	return like_sign(p, p->salt, sotto_prefix_key(v->bytes, v->length, bits), p->flip,
			 r + head) +
	       like_sign(p, tree_value_salt(p), sotto_prefix_key(v->bytes, v->length, p->size),
			 p->flip2, r + head + hadamard_bytes(p));
}

const struct sotto_protocol sotto_protocol_TREEHIST = {
	.sizes = "size is 1 to 1024 bits, grain 1 to size, width a power of two up to 65536, "
		 "groups at least 1",
	.given = SOTTO_GIVEN_TWO_EPSILONS,
	.needs_size = true,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_TREE,
	.shape = shape,
	.report_flaw = report_flaw,
	.likelihood = likelihood,
	.salted = true,
	.discover = sotto_discover_tree,
};
