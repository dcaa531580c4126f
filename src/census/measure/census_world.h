/*
 * census_world.h - plan, nodes, constraints and private counts of one release
 *
 * Filled by census_inputs.c.
 */
#ifndef SOTTO_CENSUS_WORLD_H
#define SOTTO_CENSUS_WORLD_H

#include "census/plan/census_schema.h"
#include "census/plan/shape/census_shape.h"
#include "census/measure/read/census_source.h"

struct sotto_census_truth; /* private counts: only measure/ knows the struct */

struct sotto_census_world {
	struct sotto_census_plan plan;
	struct sotto_census_schema schema;
	struct sotto_census_shape shape;
	struct sotto_census_source source; /* of the private input, by a policy */
	struct sotto_census_truth *truth; /* NULL: not read, or dropped */
	struct sotto_census_meter reading; /* of the private input */
	struct sotto_arena texts; /* labels of nodes */
	bool has_shape;
};

/* Wipes the private counts: everything after this knows only noisy answers. */
void sotto_census_world_forget(struct sotto_census_world *w);

/* Adds the private counts to a digest (OpenSSL's EVP_MD_CTX).  False if it fails. */
struct evp_md_ctx_st;
bool sotto_census_world_digest(const struct sotto_census_world *w, struct evp_md_ctx_st *hash);

void sotto_census_world_close(struct sotto_census_world *w);

#endif
