/*
 * census_generate.h - makes up a nation with the shape of the United States, of any size
 *
 * It is for tests, benchmarks and the tour; nobody in it is real.  sotto-release(1) describes the
 * numbers in census_generate.c.
 */
#ifndef SOTTO_CENSUS_GENERATE_H
#define SOTTO_CENSUS_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/census.h"
#include "sotto/status.h"

enum {
	SOTTO_NATION_GQ = 8,
	SOTTO_NATION_RACES = 63,
	SOTTO_NATION_CELLS = 2016,
	SOTTO_NATION_COUNTIES = 3143
};

/* One block: where it is, who lives there, and which buildings it has. */
struct sotto_nation_block {
	uint32_t state, county, tract, group, block; /* each counted within its parent */
	size_t n;
	const uint16_t *cells; /* ((hhgq * 2 + adult) * 2 + hispanic) * 63 + race */
	const uint32_t *counts;
	uint32_t facilities
		[SOTTO_NATION_GQ]; /* housing units, then seven kinds of group quarters */
};

typedef enum sotto_status (*sotto_nation_fn)(void *context, const struct sotto_nation_block *b);

struct sotto_nation {
	size_t counties; /* up to 3143 */
	enum sotto_nation_variant variant;
	double mixing; /* how many kinds of people share a block group: 15 gives about 35 cells */
	uint64_t seed;
};

/*
 * Calls `each` for every block in the order of the hierarchy.  Fails: as `each` does,
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_nation_generate(const struct sotto_nation *nation, sotto_nation_fn each, void *context);

#endif
