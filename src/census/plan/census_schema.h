/*
 * census_schema.h - cells: turns categories into numbers, and queries into maps of cells
 *
 * Attributes that a query groups, or that bounds concern, come first and are explicit; the others
 * are regular (marginals.md).  A cell is e * regular + m: the place on the explicit axes, then
 * the place on the regular ones.
 */
#ifndef SOTTO_CENSUS_SCHEMA_H
#define SOTTO_CENSUS_SCHEMA_H

#include "census/plan/census_plan.h"

enum { SOTTO_CENSUS_EXPLICIT_MAX = 64, SOTTO_CENSUS_REGULAR_MAX = 6 };

struct sotto_census_schema {
	const struct sotto_census_plan *plan;
	size_t order[SOTTO_CENSUS_ATTRIBUTES_MAX]; /* attributes, explicit ones first */
	size_t explicit_count, regular_count; /* attributes */
	size_t places; /* product of the explicit attributes' sizes */
	size_t regular; /* product of the regular attributes' sizes */
	size_t cells;
	size_t components; /* 2^regular_count */
	uint32_t **maps; /* for each query: its cell for each cell */
	uint8_t *zero; /* for each cell: it cannot occur */
	size_t frame; /* the query that bounds concern; SIZE_MAX: none */
	size_t groups; /* of the frame; 1 without one */
	uint8_t group_of_place[SOTTO_CENSUS_EXPLICIT_MAX]; /* of the frame */
	uint64_t group_mask[SOTTO_CENSUS_GROUPS_MAX]; /* places of each group */
	uint32_t excluded; /* bit g: structural zeros leave group g no cell */
	size_t known; /* the query whose counts are given at every leaf; SIZE_MAX: none */
	bool *told; /* for each query: the known counts answer it */
	uint32_t *example; /* for each cell of the known query: a cell in it */
};

/*
 * Makes the schema.  Fails: SOTTO_EPARSE with a sentence, SOTTO_ENOMEM.  Pair with _release in
 * any case.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_schema_init(struct sotto_census_schema *s, const struct sotto_census_plan *plan,
			 struct sotto_error *err);
void sotto_census_schema_release(struct sotto_census_schema *s);

/* Convert a cell to its categories, in the plan's order of attributes, and back. */
void sotto_census_cell_categories(const struct sotto_census_schema *s, size_t cell,
				  uint32_t *categories);
size_t sotto_census_cell_of(const struct sotto_census_schema *s, const uint32_t *categories);

/* Writes the label of a group of the frame: its first category of each attribute, joined by *. */
void sotto_census_group_label(const struct sotto_census_schema *s, size_t group, char *out,
			      size_t size);

#endif
