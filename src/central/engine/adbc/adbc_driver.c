/*
 * Calls the driver through its table of functions; each call discards the error's text, and
 * what comes back as Arrow is checked for its shape before it is read.
 */
#include "central/engine/adbc/adbc_driver.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "central/engine/adbc/arrow_column.h"
#include "core/base/failure.h"

/* ---- errors --------------------------------------------------------------------- */

/* Five letters and digits, or nothing. */
static void take_code(const struct AdbcError *e, char code[SOTTO_ADBC_CODE])
{
	for (size_t i = 0; i < sizeof e->sqlstate; i++)
		if (!isalnum((unsigned char)e->sqlstate[i])) {
			code[0] = '\0';
			return;
		}
	memcpy(code, e->sqlstate, sizeof e->sqlstate);
	code[sizeof e->sqlstate] = '\0';
}

static bool is_ok(uint8_t result, struct AdbcError *e, char code[SOTTO_ADBC_CODE])
{
	if (result != ADBC_OK && code)
		take_code(e, code);
	if (e->release)
		e->release(e);
	return result == ADBC_OK;
}

/* One call: what the driver says besides success is forgotten. */
#define TRY_CALL(call)                                                                         \
	__extension__({                                                                        \
		struct AdbcError error = {0};                                                  \
		uint8_t result = (call);                                                       \
		is_ok(result, &error, NULL);                                                   \
	})

/* ---- loading -------------------------------------------------------------------- */

static void *open_library(const char *driver)
{
	char name[PATH_MAX];
	void *handle = dlopen(driver, RTLD_NOW | RTLD_LOCAL);

	if (!handle && !strchr(driver, '/') &&
	    snprintf(name, sizeof name, "lib%s.so", driver) < (int)sizeof name)
		handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	return handle;
}

/* What is called here and may not be missing. */
static bool is_whole(const struct AdbcDriver *f)
{
	return f->DatabaseNew && f->DatabaseSetOption && f->DatabaseInit &&
	       f->DatabaseRelease && f->ConnectionNew && f->ConnectionInit &&
	       f->ConnectionRelease && f->StatementNew && f->StatementSetSqlQuery &&
	       f->StatementExecuteQuery && f->StatementRelease;
}

static enum sotto_status
load(struct sotto_adbc_driver *d, const char *driver, struct sotto_error *err)
{
	void *handle = open_library(driver);
	adbc_init_fn init;

	if (!handle)
		return sotto_fail(err, SOTTO_EMISSING,
				  "the ADBC driver %.200s could not be loaded; write the path "
				  "of its library as driver, with a /",
				  driver);
	init = (adbc_init_fn)(uintptr_t)dlsym(handle, "AdbcDriverInit");
	if (!init || !TRY_CALL(init(ADBC_VERSION, &d->functions, &error)) ||
	    !is_whole(&d->functions)) {
		(void)dlclose(handle);
		return sotto_fail(err, SOTTO_EMISSING,
				  "%.200s is not an ADBC driver of version 1.0 or later",
				  driver);
	}
	return SOTTO_OK;
}

static enum sotto_status
open_database(struct sotto_adbc_driver *d, const char *uri, struct sotto_error *err)
{
	const struct AdbcDriver *f = &d->functions;

	d->database = (struct AdbcDatabase){.private_driver = &d->functions};
	d->has_database = TRY_CALL(f->DatabaseNew(&d->database, &error));
	if (!d->has_database ||
	    !TRY_CALL(f->DatabaseSetOption(&d->database, "uri", uri, &error)) ||
	    !TRY_CALL(f->DatabaseInit(&d->database, &error)))
		return sotto_fail(err, SOTTO_EIO,
				  "the ADBC driver could not open the database; check the form "
				  "of uri, and whether the server runs");
	return SOTTO_OK;
}

enum sotto_status sotto_adbc_driver_open(struct sotto_adbc_driver *d, const char *driver,
					 const char *uri, struct sotto_error *err)
{
	enum sotto_status st;

	*d = (struct sotto_adbc_driver){0};
	SOTTO_TRY(load(d, driver, err));
	st = open_database(d, uri, err);
	if (st != SOTTO_OK)
		sotto_adbc_driver_close(d);
	return st;
}

void sotto_adbc_driver_close(struct sotto_adbc_driver *d)
{
	if (d->has_database)
		(void)TRY_CALL(d->functions.DatabaseRelease(&d->database, &error));
	d->has_database = false;
}

/* ---- connections ------------------------------------------------------------------ */

enum sotto_status sotto_adbc_connect(struct sotto_adbc_driver *d, struct AdbcConnection *out)
{
	struct AdbcConnection c = {.private_driver = &d->functions};

	if (!TRY_CALL(d->functions.ConnectionNew(&c, &error)))
		return SOTTO_EIO;
	if (!TRY_CALL(d->functions.ConnectionInit(&c, &d->database, &error))) {
		sotto_adbc_disconnect(d, &c);
		return SOTTO_EIO;
	}
	*out = c;
	return SOTTO_OK;
}

void sotto_adbc_disconnect(struct sotto_adbc_driver *d, struct AdbcConnection *c)
{
	(void)TRY_CALL(d->functions.ConnectionRelease(c, &error));
	*c = (struct AdbcConnection){0};
}

bool sotto_adbc_set(struct sotto_adbc_driver *d, struct AdbcConnection *c, const char *option,
		    const char *value)
{
	return d->functions.ConnectionSetOption &&
	       TRY_CALL(d->functions.ConnectionSetOption(c, option, value, &error));
}

void sotto_adbc_rollback(struct sotto_adbc_driver *d, struct AdbcConnection *c)
{
	if (d->functions.ConnectionRollback)
		(void)TRY_CALL(d->functions.ConnectionRollback(c, &error));
}

/* ---- rows ------------------------------------------------------------------------ */

static bool run(struct sotto_adbc_driver *d, struct AdbcConnection *c, const char *sql,
		struct AdbcStatement *s, struct ArrowArrayStream *stream, char *code)
{
	struct AdbcError why = {0};
	uint8_t outcome;

	*s = (struct AdbcStatement){.private_driver = &d->functions};
	if (!TRY_CALL(d->functions.StatementNew(c, s, &error))) {
		*s = (struct AdbcStatement){0};
		return false;
	}
	if (!TRY_CALL(d->functions.StatementSetSqlQuery(s, sql, &error)))
		return false;
	outcome = d->functions.StatementExecuteQuery(s, stream, NULL, &why);
	return is_ok(outcome, &why, code);
}

static bool has_shape(const struct ArrowSchema *s)
{
	if (!s->release || !s->format || strcmp(s->format, "+s") != 0 || s->n_children < 0 ||
	    (s->n_children > 0 && !s->children))
		return false;
	for (int64_t i = 0; i < s->n_children; i++)
		if (!s->children[i])
			return false;
	return true;
}

enum sotto_status sotto_adbc_rows_open(struct sotto_adbc_driver *d, struct AdbcConnection *c,
				       const char *sql, struct sotto_adbc_rows *out)
{
	*out = (struct sotto_adbc_rows){0};
	if (!run(d, c, sql, &out->statement, &out->stream, out->code))
		return SOTTO_EIO;
	if (!out->stream.release || !out->stream.get_schema || !out->stream.get_next)
		return SOTTO_EPARSE;
	if (out->stream.get_schema(&out->stream, &out->schema) != 0)
		return SOTTO_EIO;
	return has_shape(&out->schema) ? SOTTO_OK : SOTTO_EPARSE;
}

static void forget_batch(struct sotto_adbc_rows *r)
{
	if (r->batch.release)
		r->batch.release(&r->batch);
	r->batch = (struct ArrowArray){0};
}

void sotto_adbc_rows_close(struct sotto_adbc_driver *d, struct sotto_adbc_rows *r)
{
	forget_batch(r);
	if (r->schema.release)
		r->schema.release(&r->schema);
	if (r->stream.release)
		r->stream.release(&r->stream);
	if (r->statement.private_driver)
		(void)TRY_CALL(d->functions.StatementRelease(&r->statement, &error));
	*r = (struct sotto_adbc_rows){0};
}

static bool batch_has_shape(const struct sotto_adbc_rows *r)
{
	const struct ArrowArray *b = &r->batch;

	if (b->n_children != r->schema.n_children || b->length < 0 || b->offset < 0 ||
	    b->offset > INT32_MAX || b->length > INT64_MAX / 2 || b->n_buffers != 1 ||
	    !b->buffers || (b->null_count > 0 && !b->buffers[0]) ||
	    (b->n_children > 0 && !b->children))
		return false;
	for (int64_t i = 0; i < b->n_children; i++)
		if (!b->children[i])
			return false;
	return true;
}

enum sotto_status sotto_adbc_rows_next(struct sotto_adbc_rows *r, bool *found)
{
	forget_batch(r);
	if (r->stream.get_next(&r->stream, &r->batch) != 0) {
		r->batch.release = NULL; /* nothing was handed over */
		return SOTTO_EIO;
	}
	*found = r->batch.release != NULL;
	return *found && !batch_has_shape(r) ? SOTTO_EPARSE : SOTTO_OK;
}

enum sotto_status
sotto_adbc_execute(struct sotto_adbc_driver *d, struct AdbcConnection *c, const char *sql)
{
	static const char lock_not_available[] = "55P03";
	struct sotto_adbc_rows r = {0};
	char code[SOTTO_ADBC_CODE] = "";
	bool ok = run(d, c, sql, &r.statement, &r.stream, code);

	sotto_adbc_rows_close(d, &r);
	return ok ? SOTTO_OK : strcmp(code, lock_not_available) == 0 ? SOTTO_ESTATE : SOTTO_EIO;
}

/* ---- short answers ----------------------------------------------------------------- */

static enum sotto_status take_texts(const struct sotto_adbc_rows *r, size_t columns,
				    struct sotto_arena *arena, const char ***out, size_t *cells,
				    struct sotto_arrow_scratch *scratch)
{
	for (int64_t row = 0; row < r->batch.length; row++)
		for (size_t i = 0; i < columns; i++) {
			const struct ArrowArray *a = r->batch.children[i];
			struct sotto_arrow_column c;
			struct sotto_arrow_value v;
			const char **slot;

			if (!sotto_arrow_column_read(r->schema.children[i], &c) ||
			    c.values.meaning != SOTTO_ARROW_TEXT ||
			    !sotto_arrow_array_fits(&c, a, r->batch.offset + r->batch.length))
				return SOTTO_EPARSE;
			v = sotto_arrow_value(&c, a, r->batch.offset + row, scratch);
			slot = SOTTO_PUSH(arena, *out, *cells);
			if (!slot)
				return SOTTO_ENOMEM;
			*slot = v.is_null ? ""
					  : sotto_arena_textf(arena, "%.*s", (int)v.length,
							      v.text);
			if (!*slot)
				return SOTTO_ENOMEM;
		}
	return SOTTO_OK;
}

enum sotto_status sotto_adbc_ask(struct sotto_adbc_driver *d, struct AdbcConnection *c,
				 const char *sql, size_t columns, struct sotto_arena *arena,
				 const char ***out, size_t *rows)
{
	struct sotto_arrow_scratch *scratch = sotto_arena_alloc(arena, sizeof *scratch);
	const char **texts = NULL;
	struct sotto_adbc_rows r;
	size_t cells = 0;
	bool found = true;
	enum sotto_status st;

	if (!scratch)
		return SOTTO_ENOMEM;
	st = sotto_adbc_rows_open(d, c, sql, &r);
	if (st == SOTTO_OK && r.schema.n_children != (int64_t)columns)
		st = SOTTO_EPARSE;
	while (st == SOTTO_OK && found) {
		st = sotto_adbc_rows_next(&r, &found);
		if (st == SOTTO_OK && found)
			st = take_texts(&r, columns, arena, &texts, &cells, scratch);
	}
	sotto_adbc_rows_close(d, &r);
	if (st == SOTTO_OK) {
		*out = texts;
		*rows = cells / columns;
	}
	return st;
}

/*
 * A row of (number, union) whose first kind is a text; anything else is not a name.  The
 * union is dense: which kind, and where in that kind's array.
 */
static void read_vendor(const struct sotto_adbc_rows *r, char *out)
{
	static const struct ArrowSchema text = {.format = "u"};
	const struct ArrowArray *u;
	struct sotto_arrow_scratch *unused = NULL;
	struct sotto_arrow_column c;
	struct sotto_arrow_value v;
	int32_t at;

	if (r->batch.length < 1 || r->batch.n_children != 2 || r->batch.offset != 0)
		return;
	u = r->batch.children[1];
	if (u->length < 1 || u->offset != 0 || u->n_buffers != 2 || u->n_children < 1 ||
	    !u->buffers || !u->buffers[0] || !u->buffers[1] || !u->children ||
	    !u->children[0] || *(const int8_t *)u->buffers[0] != 0)
		return;
	memcpy(&at, u->buffers[1], sizeof at);
	(void)sotto_arrow_column_read(&text, &c);
	if (at < 0 || !sotto_arrow_array_fits(&c, u->children[0], (int64_t)at + 1))
		return;
	v = sotto_arrow_value(&c, u->children[0], at, unused);
	if (!v.is_null && v.length < SOTTO_ADBC_VENDOR)
		(void)snprintf(out, SOTTO_ADBC_VENDOR, "%.*s", (int)v.length, v.text);
}

void sotto_adbc_vendor(struct sotto_adbc_driver *d, struct AdbcConnection *c,
		       char out[SOTTO_ADBC_VENDOR])
{
	static const uint32_t wanted[] = {ADBC_INFO_VENDOR_NAME};
	struct sotto_adbc_rows r = {0};
	bool found;

	out[0] = '\0';
	if (d->functions.ConnectionGetInfo &&
	    TRY_CALL(d->functions.ConnectionGetInfo(c, wanted, 1, &r.stream, &error)) &&
	    r.stream.release && r.stream.get_schema && r.stream.get_next &&
	    r.stream.get_schema(&r.stream, &r.schema) == 0 && has_shape(&r.schema) &&
	    sotto_adbc_rows_next(&r, &found) == SOTTO_OK && found)
		read_vendor(&r, out);
	sotto_adbc_rows_close(d, &r);
}
