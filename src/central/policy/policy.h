/*
 * policy.h - what the data owner wrote: tables, units, bounds, budget
 *
 * Read from YAML.  Every mistake is refused with file, line and a hint; nothing
 * unknown is skipped, because a misspelt limit would be no limit.
 */
#ifndef SOTTO_POLICY_H
#define SOTTO_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/parse/value/sql_type.h"
#include "core/base/arena.h"
#include "core/base/name_index.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct sotto_policy_column {
	const char *name;
	size_t line;
	enum sotto_sql_type type; /* LOOSE if the policy does not say */
	bool has_type; /* the policy gives the type */
	bool has_bounds;
	bool bounds_are_days; /* lo and hi are days after 1970-01-01 */
	struct sotto_rational *lo, *hi;
	struct sotto_rational *step; /* NULL: chosen from the bounds */
	const char **keys; /* a NULL entry is the NULL key */
	size_t key_count;
	bool has_keys;
	bool promises_filled; /* nullable: false */
	bool promises_unique; /* unique: true, no two rows have the same value */
	/* The promises that may be relied on: sealing has checked them; nothing checks a server's. */
	bool nullable, unique;
	int64_t max_text; /* characters of a text that are read; 0: the table's limit */
};

/* How many characters of a text column are read: the default, and the most one can ask for. */
enum { SOTTO_TEXT_DEFAULT = 2000, SOTTO_TEXT_MAX = 100000 };

/* The folder of sealed copies, unless the policy names another one. */
#define SOTTO_SEALED_FOLDER "sotto-sealed"

/* How many rows a preview invents by default. */
enum { SOTTO_ROWS_DEFAULT = 1000 };

struct sotto_policy_table {
	const char *name;
	size_t line;
	const char *written; /* the source as the policy spells it */
	const char *source; /* a path, relative ones resolved against the policy's folder; or
			       the name of a table on the policy's server */
	const char *sealed; /* the folder of copies, whose files are none of the source */
	bool on_server;
	const char *table; /* inside a .duckdb file */
	const char *schema; /* of that table; NULL: main */
	const char
		*inner; /* schema and table as the manifest spells them; NULL: only the table */
	bool has_no_header; /* of CSV: the first line is a record */
	const char **names; /* of the columns, given by the owner; NULL: the header has them */
	size_t name_count;
	const char *delimiter; /* of CSV, one character; NULL: found in the header */
	bool is_public;
	const char *unit; /* column, or NULL */
	bool unit_is_row; /* each row is a unit */
	const char *via_column, *via_table, *via_key; /* a path to the unit, as written */
	const struct sotto_policy_table
		*via; /* where the unit is looked up by via_key; or NULL */
	const struct sotto_policy_table
		*root; /* the table at the end of the path; perhaps this one */
	int64_t max_groups, max_rows; /* 1 where they are auto */
	bool finds_groups, finds_rows; /* auto: found privately, for each grouping */
	int64_t max_text; /* characters of a text that are read */
	int64_t rows; /* that a preview invents; 0: the default */
	struct sotto_policy_column *columns;
	size_t column_count;
	struct sotto_name_index column_names; /* as many as columns, if they were read */
};

struct sotto_policy_analyst {
	const char *name;
	struct sotto_rational *share; /* of the budget, in (0, 1] */
};

/* A collection of reports from devices, which sotto serve accepts. */
struct sotto_policy_collection {
	const char *name;
	const char *params; /* file, resolved */
	const char *store; /* folder, resolved */
	int64_t max_reports; /* in one batch */
};

/* Reports in a batch unless the owner says otherwise: one request does not pose as millions. */
enum { SOTTO_COLLECTION_REPORTS = 1 << 16 };

/* Where tables are kept that are not files: engine: postgres, engine: adbc. */
enum sotto_policy_server { SOTTO_SERVER_NONE, SOTTO_SERVER_POSTGRES, SOTTO_SERVER_ADBC };

/* "postgres" or "adbc"; without a server "duckdb", the engine that reads files. */
const char *sotto_policy_engine(enum sotto_policy_server server);

/* How long a question may take on many workers by default: an hour, in nanoseconds. */
#define SOTTO_SPREAD_LIMIT ((uint64_t)3600 * 1000000000)

/* The workers over which questions are spread (central/spread). */
struct sotto_policy_spread {
	size_t line; /* 0: the policy has no such section */
	const char *launcher;
	const char *master; /* of a scheduler, or NULL */
	uint32_t buckets;
	const char *laid_out_by; /* the unit that files are divided by, or NULL */
	const char **hosts;
	size_t host_count;
	const char *listen; /* the coordinator's address, or NULL */
	const char *program; /* sotto on the workers' hosts, or NULL */
	const char **options; /* of ssh or spark-submit */
	size_t option_count;
};

struct sotto_policy {
	struct sotto_arena arena;
	const char *path, *folder;
	enum sotto_policy_server server;
	const char *dsn; /* of PostgreSQL, or NULL; may hold a password */
	const char *driver; /* of ADBC: a library, by its path (resolved) or by its name */
	const char *uri; /* what the driver takes as the address; may hold a password */
	const char *ledger; /* resolved */
	const char *witness; /* of the ledger, resolved, or NULL */
	const char *log; /* resolved, or NULL */
	const char *sealed; /* folder of what sealing keeps, resolved */
	const char *ledger_written, *witness_written, *log_written, *sealed_written; /* as the
										 policy has them */
	struct sotto_rational *epsilon, *delta;
	struct sotto_rational *default_epsilon, *default_delta; /* NULL if not given */
	struct sotto_rational *min_epsilon; /* of one question */
	struct sotto_rational *diagnostics; /* share of a question that estimates losses */
	bool has_diagnostics; /* the policy gives it */
	struct sotto_rational *auto_epsilon; /* the price of finding limits; never NULL */
	bool has_auto_epsilon;
	int64_t typical_group; /* size of the group, in units, for which explain predicts errors */
	uint64_t memory; /* bytes that the engine may use; 0: its default */
	uint64_t pad, limit; /* nanoseconds; limit is above 0 */
	bool has_pad, has_limit; /* the policy gives them */
	struct sotto_policy_spread spread;
	uint64_t window; /* seconds after which the budget is renewed; 0: never */
	struct sotto_policy_analyst *analysts;
	size_t analyst_count;
	struct sotto_policy_table *tables;
	size_t table_count;
	const char *name; /* the database that PostgreSQL clients connect to, or NULL */
	const char **proxies; /* addresses whose X-Forwarded-For is believed */
	size_t proxy_count;
	struct sotto_policy_collection *collections;
	size_t collection_count;
};

enum { SOTTO_POLICY_OPTION = 260 };

/* " --policy FILE" for a command in a message; "" for sotto.yaml, the default. */
const char *sotto_policy_option(const struct sotto_policy *p, char out[SOTTO_POLICY_OPTION]);

/*
 * Reads a policy from text; path is for messages and for resolving other paths.
 *
 * Fails:    SOTTO_EPARSE with "path:line: what is wrong; what to write";
 *           SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_parse(struct sotto_policy *p, const char *path,
						      const char *text, size_t length,
						      struct sotto_error *err);

/* The same from a file.  Fails also: SOTTO_EMISSING, SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_load(struct sotto_policy *p, const char *path, struct sotto_error *err);
void sotto_policy_release(struct sotto_policy *p);

/* How many rows of a unit count in a subquery about it: max_rows, or 100 if that is auto. */
int64_t sotto_policy_unit_rows(const struct sotto_policy_table *t);

/* NULL if there is none.  Case is ignored, as SQL ignores it in unquoted names. */
const struct sotto_policy_table *
sotto_policy_table_find(const struct sotto_policy *p, const char *name);
const struct sotto_policy_column *
sotto_policy_column_find(const struct sotto_policy_table *t, const char *name);

#endif
