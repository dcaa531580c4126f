/*
 * Connections are opened and tried out before the statement runs and are lent to scans under a
 * lock; a server without shared snapshots may not have a table read twice.
 */
#include "central/engine/adbc/adbc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/adbc/adbc_transaction.h"
#include "core/base/failure.h"

enum { LINES_MAX = 64, LOOK_SECONDS = 60, TABLES_MEMORY = 64 << 20 };

struct known_table {
	const char *name;
	struct sotto_adbc_table table;
	size_t reads; /* of the statement that is being planned */
	size_t scans; /* of the statement that runs */
};

struct sotto_adbc {
	struct sotto_adbc_driver driver;
	struct sotto_adbc_dialect dialect;
	struct AdbcConnection keeper; /* of the snapshot; also answers questions about tables */
	bool has_keeper;

	/* the moment */
	bool has_begun;
	unsigned seconds;
	char snapshot[SOTTO_ADBC_SNAPSHOT];
	struct sotto_arena arena; /* of tables */
	struct known_table *tables;
	size_t table_count;
	enum sotto_status trouble; /* of the last description */

	pthread_mutex_t lock;
	struct AdbcConnection idle[LINES_MAX];
	size_t idle_count;
};

bool sotto_adbc_shares_moment(const struct sotto_adbc *a)
{
	return a->dialect.is_postgres;
}

struct sotto_adbc_driver *sotto_adbc_driver(struct sotto_adbc *a)
{
	return &a->driver;
}

bool sotto_adbc_has_begun(const struct sotto_adbc *a)
{
	return a->has_begun;
}

/* ---- opening ----------------------------------------------------------------------- */

static enum sotto_status connect_keeper(struct sotto_adbc *a, struct sotto_error *err)
{
	if (a->has_keeper)
		sotto_adbc_disconnect(&a->driver, &a->keeper);
	a->has_keeper = sotto_adbc_connect(&a->driver, &a->keeper) == SOTTO_OK;
	if (!a->has_keeper)
		return sotto_fail(err, SOTTO_EIO,
				  "the ADBC driver could not connect; check uri in the policy, "
				  "and whether the server runs");
	return sotto_adbc_know(&a->driver, &a->keeper, &a->dialect, err);
}

enum sotto_status sotto_adbc_open(const char *driver, const char *uri, struct sotto_adbc **out,
				  struct sotto_error *err)
{
	struct sotto_adbc *a = calloc(1, sizeof *a);
	enum sotto_status st;

	if (!a)
		return SOTTO_ENOMEM;
	if (pthread_mutex_init(&a->lock, NULL) != 0) {
		free(a);
		return SOTTO_ENOMEM;
	}
	st = sotto_adbc_driver_open(&a->driver, driver, uri, err);
	if (st == SOTTO_OK)
		st = connect_keeper(a, err);
	if (st != SOTTO_OK) {
		sotto_adbc_close(a);
		return st;
	}
	*out = a;
	return SOTTO_OK;
}

void sotto_adbc_close(struct sotto_adbc *a)
{
	if (!a)
		return;
	sotto_adbc_end(a);
	if (a->has_keeper)
		sotto_adbc_disconnect(&a->driver, &a->keeper);
	sotto_adbc_driver_close(&a->driver);
	(void)pthread_mutex_destroy(&a->lock);
	free(a);
}

/* ---- tables ------------------------------------------------------------------------- */

/* A keeper that the server has closed since (a restart, a time limit) is replaced. */
static enum sotto_status
begin_keeper(struct sotto_adbc *a, unsigned seconds, struct sotto_error *err)
{
	if (a->has_keeper &&
	    sotto_adbc_begin_on(&a->driver, &a->keeper, &a->dialect, seconds, NULL) == SOTTO_OK)
		return SOTTO_OK;
	SOTTO_TRY(connect_keeper(a, err));
	if (sotto_adbc_begin_on(&a->driver, &a->keeper, &a->dialect, seconds, NULL) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EIO, "the server gave no transaction");
	return SOTTO_OK;
}

static struct known_table *find_known(struct sotto_adbc *a, const char *name)
{
	for (size_t i = 0; i < a->table_count; i++)
		if (strcmp(a->tables[i].name, name) == 0)
			return &a->tables[i];
	return NULL;
}

static enum sotto_status look_and_keep(struct sotto_adbc *a, const char *name)
{
	struct sotto_adbc_table table;
	struct known_table *k;

	SOTTO_TRY(
		sotto_adbc_look(&a->driver, &a->keeper, &a->dialect, name, &a->arena, &table));
	k = SOTTO_PUSH(&a->arena, a->tables, a->table_count);
	if (!k)
		return SOTTO_ENOMEM;
	*k = (struct known_table){sotto_arena_text(&a->arena, name), table, 0, 0};
	return k->name ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
describe_in_moment(struct sotto_adbc *a, const char *name, struct sotto_adbc_table *out)
{
	struct known_table *k = find_known(a, name);

	if (!k) {
		SOTTO_TRY(look_and_keep(a, name));
		k = find_known(a, name);
	}
	k->reads++;
	*out = k->table;
	return SOTTO_OK;
}

enum sotto_status sotto_adbc_describe(struct sotto_adbc *a, const char *name,
				      struct sotto_arena *arena, struct sotto_adbc_table *out)
{
	if (a->has_begun) {
		a->trouble = describe_in_moment(a, name, out);
		return a->trouble;
	}
	a->trouble = begin_keeper(a, LOOK_SECONDS, NULL);
	if (a->trouble == SOTTO_OK)
		a->trouble =
			sotto_adbc_look(&a->driver, &a->keeper, &a->dialect, name, arena, out);
	if (a->has_keeper)
		sotto_adbc_end_on(&a->driver, &a->keeper);
	return a->trouble;
}

enum sotto_status sotto_adbc_refuse(const struct sotto_adbc *a, struct sotto_error *err)
{
	if (a->trouble == SOTTO_ESTATE)
		return sotto_fail(err, SOTTO_EIO,
				  "a change of a table is under way on the server; ask again "
				  "when it is done");
	return sotto_fail(
		err, SOTTO_EIO,
		"a table on the server is gone, has other columns than before, or may "
		"no longer be read");
}

/* ---- the moment ---------------------------------------------------------------------- */

enum sotto_status
sotto_adbc_begin(struct sotto_adbc *a, unsigned seconds, struct sotto_error *err)
{
	for (size_t i = 0; a->has_begun && i < a->table_count; i++)
		a->tables[i].reads = 0;
	if (a->has_begun)
		return SOTTO_OK;
	SOTTO_TRY(begin_keeper(a, seconds, err));
	if (a->dialect.is_postgres &&
	    sotto_adbc_take_snapshot(&a->driver, &a->keeper, a->snapshot) != SOTTO_OK) {
		sotto_adbc_end_on(&a->driver, &a->keeper);
		return sotto_fail(err, SOTTO_EIO, "PostgreSQL gave no snapshot");
	}
	sotto_arena_init(&a->arena, TABLES_MEMORY);
	a->seconds = seconds;
	a->trouble = SOTTO_OK;
	a->has_begun = true;
	return SOTTO_OK;
}

void sotto_adbc_end(struct sotto_adbc *a)
{
	if (!a->has_begun)
		return;
	for (size_t i = 0; i < a->idle_count; i++)
		sotto_adbc_disconnect(&a->driver, &a->idle[i]);
	sotto_adbc_end_on(&a->driver, &a->keeper);
	sotto_arena_release(&a->arena);
	a->tables = NULL;
	a->table_count = a->idle_count = 0;
	a->has_begun = false;
}

static enum sotto_status try_out_tables(struct sotto_adbc *a, struct AdbcConnection *c)
{
	for (size_t i = 0; i < a->table_count; i++)
		SOTTO_TRY(sotto_adbc_try_out(&a->driver, c, &a->tables[i].table));
	return SOTTO_OK;
}

static enum sotto_status open_line(struct sotto_adbc *a, struct AdbcConnection *out)
{
	struct AdbcConnection c;
	enum sotto_status st = sotto_adbc_connect(&a->driver, &c);

	if (st != SOTTO_OK)
		return st;
	st = sotto_adbc_begin_on(&a->driver, &c, &a->dialect, a->seconds, a->snapshot);
	if (st == SOTTO_OK)
		st = try_out_tables(a, &c);
	if (st != SOTTO_OK)
		sotto_adbc_disconnect(&a->driver, &c);
	else
		*out = c;
	return st;
}

/* A table read at two moments may have the rows of a person at both: then no bound holds. */
static enum sotto_status
check_reads(const struct sotto_adbc *a, size_t scans, struct sotto_error *err)
{
	size_t reads = 0;

	for (size_t i = 0; i < a->table_count; i++) {
		if (a->tables[i].reads > 1)
			return sotto_fail(
				err, SOTTO_EREFUSED,
				"the question reads table %.100s more than once, and this ADBC "
				"driver has no snapshot that two reads can share; ask in a way "
				"that names the table once, or keep the table in PostgreSQL "
				"or in files",
				a->tables[i].name);
		reads += a->tables[i].reads;
	}
	if (scans > reads)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "the engine would read a table more than once, and this ADBC "
				  "driver has no snapshot that two reads can share");
	return SOTTO_OK;
}

enum sotto_status
sotto_adbc_reserve(struct sotto_adbc *a, size_t scans, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	if (!a->dialect.is_postgres)
		SOTTO_TRY(check_reads(a, scans, err));
	if (scans > LINES_MAX)
		return sotto_fail(err, SOTTO_EIO,
				  "the query reads tables of the server %zu times; %d times "
				  "is the most",
				  scans, LINES_MAX);
	for (size_t i = 0; st == SOTTO_OK && i < a->idle_count; i++)
		st = try_out_tables(a, &a->idle[i]);
	while (st == SOTTO_OK && a->idle_count < scans) {
		st = open_line(a, &a->idle[a->idle_count]);
		a->idle_count += st == SOTTO_OK;
	}
	if (st == SOTTO_ESTATE)
		return sotto_fail(err, SOTTO_EIO,
				  "a change of a table is under way on the server; ask again "
				  "when it is done");
	if (st != SOTTO_OK)
		return sotto_fail(
			err, SOTTO_EIO,
			"the query needs %zu connections at once and got %zu; let the "
			"server give more, or ask about fewer tables at once",
			scans + 1, a->idle_count + 1);
	return SOTTO_OK;
}

void sotto_adbc_start(struct sotto_adbc *a)
{
	for (size_t i = 0; a->has_begun && i < a->table_count; i++)
		a->tables[i].scans = 0;
}

/* A plan is counted as a whole, so that of two tables one might be read twice and one never. */
static bool may_scan(struct sotto_adbc *a, const struct sotto_adbc_table *table)
{
	for (size_t i = 0; !a->dialect.is_postgres && i < a->table_count; i++)
		if (strcmp(a->tables[i].table.relation, table->relation) == 0 &&
		    ++a->tables[i].scans > 1)
			return false;
	return true;
}

bool sotto_adbc_borrow(struct sotto_adbc *a, const struct sotto_adbc_table *table,
		       struct AdbcConnection *out)
{
	bool found;

	(void)pthread_mutex_lock(&a->lock);
	found = a->idle_count > 0 && may_scan(a, table);
	if (found)
		*out = a->idle[--a->idle_count];
	(void)pthread_mutex_unlock(&a->lock);
	return found;
}

void sotto_adbc_give_back(struct sotto_adbc *a, struct AdbcConnection *c, bool is_idle)
{
	bool is_kept;

	(void)pthread_mutex_lock(&a->lock);
	is_kept = is_idle && a->has_begun && a->idle_count < LINES_MAX;
	if (is_kept)
		a->idle[a->idle_count++] = *c;
	(void)pthread_mutex_unlock(&a->lock);
	if (!is_kept)
		sotto_adbc_disconnect(&a->driver, c);
}
