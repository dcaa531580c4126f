/*
 * adbc_table.h - what a driver reports about a table, and how its columns are read
 */
#ifndef SOTTO_ADBC_TABLE_H
#define SOTTO_ADBC_TABLE_H

#include "central/engine/adbc/adbc_driver.h"
#include "central/engine/adbc/arrow_column.h"

struct sotto_adbc_column {
	const char *name;
	const char *expression; /* SQL of what is sent */
	struct sotto_arrow_column arrives; /* what the driver makes of it */
	struct sotto_arrow_column becomes; /* the same, or digits that stand for a decimal */
};

struct sotto_adbc_table {
	const char *relation; /* as it is written in SQL */
	struct sotto_adbc_column *columns;
	size_t column_count;
};

/* How the other side wants its SQL. */
struct sotto_adbc_dialect {
	bool is_postgres; /* types come from its catalogue, and snapshots can be shared */
	char quote; /* around names */
};

/*
 * Looks a table up by its name in SQL: identifiers, quoted or not, with dots between.
 * No row is read.  In a transaction the table then stays locked, where the other side locks.
 *
 * Fails:    SOTTO_EMISSING if there is none, or it has no column that can be read;
 *           SOTTO_ESTATE if others have it locked; SOTTO_EIO; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_adbc_look(struct sotto_adbc_driver *d, struct AdbcConnection *c,
		const struct sotto_adbc_dialect *dialect, const char *name,
		struct sotto_arena *arena, struct sotto_adbc_table *out);

/* Asks for all columns and no row, to get the lock and to see that reading is allowed. */
SOTTO_MUST_CHECK enum sotto_status sotto_adbc_try_out(struct sotto_adbc_driver *d,
						      struct AdbcConnection *c,
						      const struct sotto_adbc_table *table);

/* Whether a column arrives as it was said to. */
bool sotto_adbc_arrives(const struct sotto_adbc_column *column,
			const struct ArrowSchema *schema);

#endif
