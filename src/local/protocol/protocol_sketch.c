/* Count mean sketches: bit vectors (CMS), or one Hadamard coefficient of them (HCMS). */
#include <math.h>
#include <stdio.h>

#include "core/base/checked.h"
#include "local/client/primitive/family.h"
#include "local/decode/sketch.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/row_draw.h"
#include "local/protocol/chance/threshold.h"
#include "sotto/local.h"

/* Sketches that Apple published: 1024 columns; rows so that the shared-hash term stays small. */
enum { SKETCH_COLUMNS = 1024, SKETCH_ROWS = 1024 };

static const struct sotto_client_chance never = {0, false};

static void set_cms(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->flip = sotto_chance_flip_up(eps, 2, SOTTO_VECTOR_BITS);
}

static void set_hcms(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->flip = sotto_chance_flip_up(eps, 1, 64);
}

static void cms_odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_flip(p->flip, never, 2, out, unbounded);
}

static void hcms_odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_flip(p->flip, never, 1, out, unbounded);
}

static bool hcms_shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	return sotto_checked_mul_size(p->groups, p->width, &out->cells);
}

static bool cms_shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	out->groups = p->groups;
	return hcms_shape(p, out);
}

static double cms_null_variance(const struct sotto_client_params *p, double n, double d)
{
	return sotto_local_variance_cms(n, 0, n * n / d, p->width, p->groups,
					sotto_local_chance(p->flip));
}

static double hcms_null_variance(const struct sotto_client_params *p, double n, double d)
{
	return sotto_local_variance_hcms(n, 0, n * n / d, p->width, p->groups,
					 sotto_local_chance(p->flip));
}

static double cms_steps(const struct sotto_client_params *p, double n, double d, double cells)
{
	(void)n;
	(void)cells;
	return d * p->groups;
}

static double hcms_steps(const struct sotto_client_params *p, double n, double d, double cells)
{
	(void)n;
	return d * p->groups + cells * log2(p->width);
}

/* The column of a value in a row. */
static void set_cells(const struct sotto_client_params *p, uint32_t row, size_t value,
		      uint64_t users, uint64_t *with)
{
	struct sotto_row_hash h = sotto_row_hash_of(p->salt, row);
	char name[32];
	int length = snprintf(name, sizeof name, "v%zu", value + 1);

	with[sotto_row_hash_at(&h, sotto_family_key(name, (size_t)length), p->width)] += users;
}

static enum sotto_status simulate(struct sotto_simulation_rng *dice,
				  const struct sotto_client_params *p, const uint64_t *holders,
				  size_t values, uint64_t *groups, uint64_t *cells)
{
	const struct sotto_row_law law = {0, 1, set_cells};

	return sotto_draw_rows(dice, &law, p, holders, values, groups, cells);
}

static double cms_likelihood(const struct sotto_client_params *p,
			     const struct sotto_client_value *v, const uint8_t *r)
{
	return like_row(p, sotto_family_key(v->bytes, v->length), p->flip, r);
}

static double hcms_likelihood(const struct sotto_client_params *p,
			      const struct sotto_client_value *v, const uint8_t *r)
{
	return like_sign(p, p->salt, sotto_family_key(v->bytes, v->length), p->flip, r);
}

const struct sotto_protocol sotto_protocol_CMS = {
	.sizes = "width is 2 to 65536 and groups 1 to 16777216",
	.set_chances = set_cms,
	.odds = cms_odds,
	.counting = SOTTO_COUNT_ROWS,
	.shape = cms_shape,
	.report_flaw = part_row,
	.likelihood = cms_likelihood,
	.salted = true,
	.estimate = sotto_sketch_estimate,
	.sketch_columns = SKETCH_COLUMNS,
	.sketch_rows = SKETCH_ROWS,
	.null_variance = cms_null_variance,
	.decode_steps = cms_steps,
	.simulate = simulate,
};

const struct sotto_protocol sotto_protocol_HCMS = {
	.sizes = "width is a power of two up to 65536 and groups 1 to 16777216",
	.set_chances = set_hcms,
	.odds = hcms_odds,
	.counting = SOTTO_COUNT_SIGNED,
	.shape = hcms_shape,
	.report_flaw = part_hadamard,
	.likelihood = hcms_likelihood,
	.salted = true,
	.estimate = sotto_sketch_estimate,
	.sketch_columns = SKETCH_COLUMNS,
	.sketch_rows = SKETCH_ROWS,
	.null_variance = hcms_null_variance,
	.decode_steps = hcms_steps,
};
