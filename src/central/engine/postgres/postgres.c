/*
 * Opens the connections of a statement before it runs, each checked to be on the keeper's
 * server; scans take them from a list under a lock, and some stay reserved for scans to come.
 */
#include "central/engine/postgres/postgres.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/postgres/postgres_connect.h"
#include "central/engine/postgres/postgres_transaction.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

enum { LINES_MAX = 256, SNAPSHOT_MAX = 64, TABLES_MEMORY = 64 << 20, LOOK_SECONDS = 60 };

struct known_table {
	const char *name;
	struct sotto_postgres_table table;
};

struct sotto_postgres {
	struct sotto_libpq api;
	char *dsn; /* may hold a password */
	unsigned threads;
	PGconn *keeper; /* of the snapshot; also answers questions about the catalogue */
	char identity[SOTTO_POSTGRES_IDENTITY]; /* of the server's process */

	/* the moment */
	bool has_begun;
	unsigned seconds;
	char snapshot[SNAPSHOT_MAX];
	struct sotto_arena arena; /* of tables */
	struct known_table *tables; /* that are locked */
	size_t table_count;
	enum sotto_status trouble; /* of the last description */
	size_t scans; /* at once, at most, in a statement of this moment */

	/* connections on the snapshot */
	pthread_mutex_t lock;
	PGconn *idle[LINES_MAX];
	size_t idle_count;
	size_t reserved; /* of them, for scans that have not begun */
};

const struct sotto_libpq *sotto_postgres_api(const struct sotto_postgres *p)
{
	return &p->api;
}

bool sotto_postgres_has_begun(const struct sotto_postgres *p)
{
	return p->has_begun;
}

/* ---- opening ----------------------------------------------------------------- */

static enum sotto_status connect_keeper(struct sotto_postgres *p, struct sotto_error *err)
{
	enum sotto_status st;

	if (p->keeper)
		p->api.PQfinish(p->keeper);
	p->keeper = sotto_postgres_connect(&p->api, p->dsn, err);
	if (!p->keeper)
		return SOTTO_EIO;
	st = sotto_postgres_check(&p->api, p->keeper, p->identity, err);
	if (st != SOTTO_OK) {
		p->api.PQfinish(p->keeper);
		p->keeper = NULL;
	}
	return st;
}

enum sotto_status sotto_postgres_open(const char *dsn, unsigned threads,
				      struct sotto_postgres **out, struct sotto_error *err)
{
	struct sotto_postgres *p = calloc(1, sizeof *p);
	enum sotto_status st;

	if (!p)
		return SOTTO_ENOMEM;
	if (pthread_mutex_init(&p->lock, NULL) != 0) {
		free(p);
		return SOTTO_ENOMEM;
	}
	p->threads = threads > 0 ? threads : 1;
	st = sotto_libpq_load(&p->api, err);
	if (st == SOTTO_OK && dsn && !(p->dsn = strdup(dsn)))
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = connect_keeper(p, err);
	if (st != SOTTO_OK) {
		sotto_postgres_close(p);
		return st;
	}
	*out = p;
	return SOTTO_OK;
}

void sotto_postgres_close(struct sotto_postgres *p)
{
	if (!p)
		return;
	sotto_postgres_end(p);
	if (p->keeper)
		p->api.PQfinish(p->keeper);
	if (p->dsn)
		sotto_wipe(p->dsn, strlen(p->dsn));
	free(p->dsn);
	(void)pthread_mutex_destroy(&p->lock);
	free(p);
}

/* ---- tables ------------------------------------------------------------------ */

/* A keeper that the server has closed since (a restart, a time limit) is replaced. */
static enum sotto_status
begin_keeper(struct sotto_postgres *p, unsigned seconds, struct sotto_error *err)
{
	if (p->keeper && sotto_postgres_begin_on(&p->api, p->keeper, seconds))
		return SOTTO_OK;
	SOTTO_TRY(connect_keeper(p, err));
	if (!sotto_postgres_begin_on(&p->api, p->keeper, seconds))
		return sotto_fail(err, SOTTO_EIO, "PostgreSQL gave no transaction");
	return SOTTO_OK;
}

static const struct known_table *find_known(const struct sotto_postgres *p, const char *name)
{
	for (size_t i = 0; i < p->table_count; i++)
		if (strcmp(p->tables[i].name, name) == 0)
			return &p->tables[i];
	return NULL;
}

static enum sotto_status look_and_keep(struct sotto_postgres *p, const char *name)
{
	struct sotto_postgres_table table;
	struct known_table *k;

	SOTTO_TRY(sotto_postgres_look(&p->api, p->keeper, name, &p->arena, &table));
	k = SOTTO_PUSH(&p->arena, p->tables, p->table_count);
	if (!k)
		return SOTTO_ENOMEM;
	*k = (struct known_table){sotto_arena_text(&p->arena, name), table};
	return k->name ? SOTTO_OK : SOTTO_ENOMEM;
}

/* A description of the moment lives as long as that, which is longer than any statement. */
static enum sotto_status
describe_in_moment(struct sotto_postgres *p, const char *name, struct sotto_postgres_table *out)
{
	if (!find_known(p, name))
		SOTTO_TRY(look_and_keep(p, name));
	*out = find_known(p, name)->table;
	return SOTTO_OK;
}

enum sotto_status sotto_postgres_describe(struct sotto_postgres *p, const char *name,
					  struct sotto_arena *arena,
					  struct sotto_postgres_table *out)
{
	if (p->has_begun) {
		p->trouble = describe_in_moment(p, name, out);
		return p->trouble;
	}
	p->trouble = begin_keeper(p, LOOK_SECONDS, NULL);
	if (p->trouble == SOTTO_OK)
		p->trouble = sotto_postgres_look(&p->api, p->keeper, name, arena, out);
	if (p->keeper)
		(void)sotto_postgres_execute(&p->api, p->keeper, "ROLLBACK");
	return p->trouble;
}

enum sotto_status sotto_postgres_refuse(const struct sotto_postgres *p, struct sotto_error *err)
{
	if (p->trouble == SOTTO_ESTATE)
		return sotto_fail(err, SOTTO_EIO,
				  "a change of a table is under way in PostgreSQL; ask again "
				  "when it is done");
	return sotto_fail(err, SOTTO_EIO,
			  "a table in PostgreSQL is gone, has other columns than before, or "
			  "may no longer be read");
}

/* ---- the moment ---------------------------------------------------------------- */

enum sotto_status
sotto_postgres_begin(struct sotto_postgres *p, unsigned seconds, struct sotto_error *err)
{
	if (p->has_begun)
		return SOTTO_OK;
	SOTTO_TRY(begin_keeper(p, seconds, err));
	if (!sotto_postgres_answer(&p->api, p->keeper, "SELECT pg_catalog.pg_export_snapshot()",
				   p->snapshot, sizeof p->snapshot)) {
		(void)sotto_postgres_execute(&p->api, p->keeper, "ROLLBACK");
		return sotto_fail(err, SOTTO_EIO, "PostgreSQL gave no snapshot");
	}
	sotto_arena_init(&p->arena, TABLES_MEMORY);
	p->seconds = seconds;
	p->trouble = SOTTO_OK;
	p->has_begun = true;
	return SOTTO_OK;
}

void sotto_postgres_end(struct sotto_postgres *p)
{
	if (!p->has_begun)
		return;
	for (size_t i = 0; i < p->idle_count; i++)
		p->api.PQfinish(p->idle[i]);
	(void)sotto_postgres_execute(&p->api, p->keeper, "ROLLBACK");
	sotto_arena_release(&p->arena);
	p->tables = NULL;
	p->table_count = p->idle_count = p->reserved = p->scans = 0;
	p->has_begun = false;
}

static enum sotto_status lock_tables(const struct sotto_postgres *p, PGconn *c)
{
	for (size_t i = 0; i < p->table_count; i++)
		SOTTO_TRY(sotto_postgres_lock(&p->api, c, &p->tables[i].table));
	return SOTTO_OK;
}

/* On the server of the keeper and on its snapshot. */
static enum sotto_status join_moment(const struct sotto_postgres *p, PGconn *c)
{
	char sql[SNAPSHOT_MAX + 64], identity[SOTTO_POSTGRES_IDENTITY];

	(void)snprintf(sql, sizeof sql, "SET TRANSACTION SNAPSHOT '%s'", p->snapshot);
	if (!sotto_postgres_begin_on(&p->api, c, p->seconds) ||
	    !sotto_postgres_execute(&p->api, c, sql) ||
	    !sotto_postgres_execute(&p->api, c, "SET LOCAL search_path = pg_catalog") ||
	    !sotto_postgres_identify(&p->api, c, identity) ||
	    strcmp(identity, p->identity) != 0)
		return SOTTO_EMISSING;
	return lock_tables(p, c);
}

/* SOTTO_EMISSING: it is another server. */
static enum sotto_status open_line(const struct sotto_postgres *p, PGconn **out)
{
	PGconn *c = sotto_postgres_connect(&p->api, p->dsn, NULL);
	enum sotto_status st = c ? join_moment(p, c) : SOTTO_EIO;

	if (st == SOTTO_OK)
		*out = c;
	else if (c)
		p->api.PQfinish(c);
	return st;
}

static enum sotto_status
too_few(const struct sotto_postgres *p, enum sotto_status st, struct sotto_error *err)
{
	if (st == SOTTO_ESTATE)
		return sotto_fail(err, SOTTO_EIO,
				  "a change of a table is under way in PostgreSQL; ask again "
				  "when it is done");
	if (st == SOTTO_EMISSING)
		return sotto_fail(err, SOTTO_EIO,
				  "the connections to PostgreSQL do not all lead to one "
				  "server; name one server in dsn");
	return sotto_fail(err, SOTTO_EIO,
			  "the query needs %zu connections to PostgreSQL at once and got %zu; "
			  "raise the CONNECTION LIMIT of the role or max_connections, or ask "
			  "about fewer tables at once",
			  p->scans + 1, p->idle_count + 1);
}

/* More threads than a table has ranges find nothing to do. */
static size_t spare_threads(const struct sotto_postgres *p)
{
	uint64_t most = 0;

	for (size_t i = 0; i < p->table_count; i++) {
		uint64_t ranges = p->tables[i].table.blocks / SOTTO_POSTGRES_RANGE;

		most = ranges > most ? ranges : most;
	}
	if (most >= SOTTO_POSTGRES_THREADS)
		most = SOTTO_POSTGRES_THREADS - 1;
	return most < p->threads ? (size_t)most : p->threads - 1;
}

enum sotto_status
sotto_postgres_reserve(struct sotto_postgres *p, size_t scans, struct sotto_error *err)
{
	size_t wanted;

	if (scans >= LINES_MAX - SOTTO_POSTGRES_THREADS)
		return sotto_fail(err, SOTTO_EIO,
				  "the query reads tables of PostgreSQL %zu times; %d times "
				  "is the most",
				  scans, LINES_MAX - SOTTO_POSTGRES_THREADS - 1);
	p->scans = scans > p->scans ? scans : p->scans;
	for (size_t i = 0; i < p->idle_count; i++) {
		enum sotto_status st = lock_tables(p, p->idle[i]);

		if (st != SOTTO_OK)
			return too_few(p, st, err);
	}
	wanted = p->scans ? p->scans + spare_threads(p) : 0;
	while (p->idle_count < wanted) {
		enum sotto_status st = open_line(p, &p->idle[p->idle_count]);

		if (st != SOTTO_OK && p->idle_count >= p->scans)
			break;
		if (st != SOTTO_OK)
			return too_few(p, st, err);
		p->idle_count++;
	}
	return SOTTO_OK;
}

void sotto_postgres_start(struct sotto_postgres *p)
{
	p->reserved = p->scans;
}

static PGconn *take(struct sotto_postgres *p, bool is_spare)
{
	PGconn *c = NULL;

	(void)pthread_mutex_lock(&p->lock);
	if (p->idle_count > (is_spare ? p->reserved : 0))
		c = p->idle[--p->idle_count];
	if (!is_spare && p->reserved > 0)
		p->reserved--;
	(void)pthread_mutex_unlock(&p->lock);
	return c;
}

PGconn *sotto_postgres_borrow(struct sotto_postgres *p)
{
	return take(p, false);
}

PGconn *sotto_postgres_borrow_spare(struct sotto_postgres *p)
{
	return take(p, true);
}

void sotto_postgres_give_back(struct sotto_postgres *p, PGconn *connection, bool is_idle)
{
	if (!connection)
		return;
	(void)pthread_mutex_lock(&p->lock);
	if (is_idle && p->idle_count < LINES_MAX) {
		p->idle[p->idle_count++] = connection;
		connection = NULL;
	}
	(void)pthread_mutex_unlock(&p->lock);
	if (connection)
		p->api.PQfinish(connection);
}
