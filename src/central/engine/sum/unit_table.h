/*
 * unit_table.h - inside this folder: a table of units that counts what limits lost
 */
#ifndef SOTTO_UNIT_TABLE_H
#define SOTTO_UNIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The number of a unit, mixed one to one: where in a table the unit lies.  It has the ledger's key
 * by XOR, so units that were chosen to agree in their last bits agree in them under every key,
 * and looking for one would mean going past all of them.
 */
static inline uint64_t sotto_unit_mixed(uint64_t hash)
{
	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 32;
}

/* In the order of enum sotto_loss_kind. */
enum sotto_unit_sum {
	SOTTO_UNIT_COUNT,
	SOTTO_UNIT_OF_ROWS,
	SOTTO_UNIT_OF_GROUPS,
	SOTTO_UNIT_CLIPPED,
	SOTTO_UNIT_ROWS,
	SOTTO_UNIT_ROWS_KEPT,
	SOTTO_UNIT_PAIRS,
	SOTTO_UNIT_PAIRS_KEPT,
	SOTTO_UNIT_SUMS
};

/* One row for each unit and group: the columns of unit_loss.h. */
struct sotto_unit_pairs {
	const uint64_t *units;
	const int64_t *places, *read, *clipped;
};

struct sotto_unit_table;

/* With the limits G and M; NULL without memory. */
struct sotto_unit_table *sotto_unit_table_new(uint64_t groups, uint64_t rows);
void sotto_unit_table_free(struct sotto_unit_table *t);

/* Rows that are added soon. */
void sotto_unit_table_fetch(const struct sotto_unit_table *t, const uint64_t *units,
			    size_t count);

/* Row i, or the first so many.  False without memory. */
bool sotto_unit_table_add(struct sotto_unit_table *t, const struct sotto_unit_pairs *in,
			  size_t i);
bool sotto_unit_table_add_all(struct sotto_unit_table *t, const struct sotto_unit_pairs *in,
			      size_t count);

/* All of from too.  False without memory. */
bool sotto_unit_table_merge(struct sotto_unit_table *to, const struct sotto_unit_table *from);

void sotto_unit_table_sums(const struct sotto_unit_table *t, int64_t sums[SOTTO_UNIT_SUMS]);

#endif
