/* Which bits each candidate sets in each cohort. */
#include <stdlib.h>

#include "core/base/checked.h"
#include "core/base/failure.h"
#include "local/client/compat/compat.h"
#include "local/client/encode.h"
#include "local/client/layout.h"
#include "local/client/primitive/family.h"
#include "sotto/local.h"
#include "sotto/decode.h"

/* Maps and fits of more would take memory that nobody has to spare. */
#define MAP_BYTES_MAX ((size_t)2 << 30)
#define ROWS_MAX ((size_t)1 << 25)

void sotto_local_rappor_rates(double f, double p, double q, double *p_star, double *q_star)
{
	*p_star = p * (1 - f / 2) + q * f / 2;
	*q_star = q * (1 - f / 2) + p * f / 2;
}

enum sotto_status
sotto_local_rappor_cohorts(struct sotto_local_aggregate *a, struct sotto_local_cohorts *out)
{
	if (!a || !out)
		return SOTTO_EINVAL;

	struct sotto_local_counts c = sotto_local_aggregate_counts(a);
	const struct sotto_client_params *p = c.params;

	if ((p->protocol != SOTTO_CLIENT_RAPPOR || p->size > 0) &&
	    p->protocol != SOTTO_CLIENT_CMS)
		return SOTTO_EINVAL;
	if (c.cell_count > ROWS_MAX)
		return SOTTO_ERANGE;
	*out = (struct sotto_local_cohorts){
		.cohorts = p->groups, .bits = p->width, .reports = c.groups, .ones = c.cells};
	if (p->protocol == SOTTO_CLIENT_CMS) {
		out->p = sotto_local_chance(p->flip);
		out->q = 1 - out->p;
		return SOTTO_OK;
	}
	sotto_local_rappor_rates(2 * sotto_local_chance(p->flip), sotto_local_chance(p->zero),
				 sotto_local_chance(p->one), &out->p, &out->q);
	return SOTTO_OK;
}

static enum sotto_status
map_make(size_t candidates, uint32_t cohorts, uint32_t hashes, struct sotto_local_map *out)
{
	size_t n;

	if (!sotto_checked_mul_size(candidates, cohorts, &n) ||
	    !sotto_checked_mul_size(n, (size_t)hashes * sizeof *out->cells, &n) ||
	    n > MAP_BYTES_MAX)
		return SOTTO_ERANGE;
	*out = (struct sotto_local_map){.candidates = candidates,
					.cohorts = cohorts,
					.hashes = hashes,
					.cells = malloc(n + 1)};
	return out->cells ? SOTTO_OK : SOTTO_ENOMEM;
}

void sotto_local_map_release(struct sotto_local_map *map)
{
	if (!map)
		return;
	free(map->cells);
	map->cells = NULL;
}

/* The column of each string in each row. */
static enum sotto_status map_sketch(const struct sotto_client_params *params,
				    const void *const *strings, const size_t *lengths,
				    size_t count, struct sotto_local_map *out)
{
	uint64_t *keys = malloc((count + 1) * sizeof *keys);
	enum sotto_status st = keys ? map_make(count, params->groups, 1, out) : SOTTO_ENOMEM;

	for (size_t s = 0; st == SOTTO_OK && s < count; s++)
		keys[s] = sotto_family_key(strings[s], lengths[s]);
	for (uint32_t row = 0; st == SOTTO_OK && row < params->groups; row++) {
		struct sotto_row_hash h = sotto_row_hash_of(params->salt, row);

		for (size_t s = 0; s < count; s++)
			out->cells[s * params->groups + row] =
				sotto_row_hash_at(&h, keys[s], params->width);
	}
	free(keys);
	return st;
}

enum sotto_status sotto_local_map_native(const struct sotto_client_params *params,
					 const void *const *strings, const size_t *lengths,
					 size_t count, struct sotto_local_map *out)
{
	if (!strings || (!lengths && count > 0) || !out)
		return SOTTO_EINVAL;

	uint8_t bloom[8192];
	uint32_t *at;

	if (params->protocol == SOTTO_CLIENT_CMS &&
	    sotto_client_params_check(params) == SOTTO_OK)
		return map_sketch(params, strings, lengths, count, out);
	if (params->protocol != SOTTO_CLIENT_RAPPOR || params->size > 0 ||
	    sotto_client_params_check(params) != SOTTO_OK)
		return SOTTO_EINVAL;
	SOTTO_TRY(map_make(count, params->groups, params->hashes, out));
	at = out->cells;
	for (size_t s = 0; s < count; s++)
		for (uint32_t cohort = 0; cohort < params->groups; cohort++) {
			struct sotto_client_value v = {.bytes = strings[s],
						       .length = lengths[s]};
			uint32_t found = 0;

			sotto_rappor_bloom(params, cohort, &v, bloom);
			for (uint32_t bit = 0; bit < params->width; bit++)
				if (bloom[bit / 8] >> bit % 8 & 1)
					at[found++] = bit;
			while (found < params->hashes)
				at[found++] = SOTTO_LOCAL_NO_CELL;
			at += params->hashes;
		}
	return SOTTO_OK;
}

enum sotto_status sotto_local_map_compat(const struct sotto_compat *compat,
					 const void *const *strings, const size_t *lengths,
					 size_t count, struct sotto_local_map *out)
{
	if (!compat || !strings || (!lengths && count > 0) || !out ||
	    !sotto_compat_has_sizes(compat))
		return SOTTO_EINVAL;

	enum sotto_status st = SOTTO_OK;
	uint32_t *at;

	SOTTO_TRY(map_make(count, compat->cohorts, compat->hashes, out));
	at = out->cells;
	for (size_t s = 0; s < count && st == SOTTO_OK; s++)
		for (uint32_t cohort = 0; cohort < compat->cohorts && st == SOTTO_OK;
		     cohort++) {
			st = sotto_compat_positions(compat, cohort, strings[s], lengths[s], at);
			at += compat->hashes;
		}
	if (st != SOTTO_OK)
		sotto_local_map_release(out);
	return st;
}
