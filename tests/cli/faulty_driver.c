/*
 * A driver of ADBC that breaks promises, for adbc.t.  The address names the fault; the
 * database has one table with ROWS rows in batches, and one row of it is odd.
 *
 * Every message that it gives has the word "secret" in it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/adbc/adbc_abi.h"

enum { ROWS = 1000, BATCH = 300, ODD = 500, HUGE_TEXT = 100 << 20, SQL_MAX = 1 << 16 };

static const struct {
	const char *name, *format;
} columns[] = {{"id", "l"},       {"age", "i"},    {"name", "u"},
	       {"pay", "d:12,2"}, {"born", "tdD"}, {"seen", "tss:"},
	       {"height", "g"},   {"city", "i"},   {"tags", "+l"}};
enum { COLUMNS = sizeof columns / sizeof columns[0], CITY = 7 };

static char fault[64];

static bool has(const char *what)
{
	return strcmp(fault, what) == 0;
}

static uint8_t fail(struct AdbcError *e)
{
	static char words[] = "the secret password and a secret row";

	e->message = words;
	memcpy(e->sqlstate, "XX000", 5);
	return 9;
}

/* ---- schemas ------------------------------------------------------------------------ */

static void release_schema(struct ArrowSchema *s)
{
	for (int64_t i = 0; i < s->n_children; i++) {
		if (s->children[i]->dictionary)
			free(s->children[i]->dictionary);
		for (int64_t k = 0; k < s->children[i]->n_children; k++)
			free(s->children[i]->children[k]);
		free(s->children[i]->children);
		free(s->children[i]);
	}
	free(s->children);
	s->release = NULL;
}

static void no_release(struct ArrowSchema *s)
{
	s->release = NULL;
}

static struct ArrowSchema *schema_of(const char *format, const char *name)
{
	struct ArrowSchema *s = calloc(1, sizeof *s);

	*s = (struct ArrowSchema){.format = format, .name = name, .release = no_release};
	return s;
}

static struct ArrowSchema *schema_of_column(size_t i)
{
	struct ArrowSchema *s = schema_of(columns[i].format, columns[i].name);

	if (i == CITY)
		s->dictionary = schema_of("u", "");
	if (strcmp(columns[i].format, "+l") == 0) {
		s->n_children = 1;
		s->children = calloc(1, sizeof *s->children);
		s->children[0] = schema_of("i", "item");
	}
	return s;
}

/* ---- arrays -------------------------------------------------------------------------- */

struct owned {
	const void *buffers[3];
	void *memory[3];
};

static void release_array(struct ArrowArray *a)
{
	struct owned *o = a->private_data;

	for (int i = 0; i < 3; i++)
		free(o->memory[i]);
	free(o);
	for (int64_t i = 0; i < a->n_children; i++) {
		if (a->children[i]->release)
			a->children[i]->release(a->children[i]);
		free(a->children[i]);
	}
	free(a->children);
	if (a->dictionary) {
		a->dictionary->release(a->dictionary);
		free(a->dictionary);
	}
	a->release = NULL;
}

static void begin_array(struct ArrowArray *a, int64_t length, int64_t buffers)
{
	struct owned *o = calloc(1, sizeof *o);

	*a = (struct ArrowArray){.length = length,
				 .n_buffers = buffers,
				 .buffers = o->buffers,
				 .release = release_array,
				 .private_data = o};
}

static void *give(struct ArrowArray *a, int i, size_t size)
{
	struct owned *o = a->private_data;

	o->memory[i] = calloc(1, size + 16);
	o->buffers[i] = o->memory[i];
	return o->memory[i];
}

/* "p17", or what the fault makes of the odd row. */
static void fill_names(struct ArrowArray *a, int64_t first, int64_t n)
{
	int32_t *offsets = give(a, 1, sizeof *offsets * ((size_t)n + 1));
	char *bytes = give(a, 2, (size_t)n * 16 + (has("huge") ? HUGE_TEXT : 0));
	int32_t at = 0;

	for (int64_t i = 0; i < n; i++) {
		offsets[i] = at;
		at += sprintf(bytes + at, "p%d", (int)(first + i));
		if (first + i != ODD)
			continue;
		if (has("utf8"))
			bytes[at - 1] = (char)0xff;
		if (has("huge")) {
			memset(bytes + at, 'x', HUGE_TEXT);
			at += HUGE_TEXT;
		}
	}
	offsets[n] = at;
	if (has("offsets") && first <= ODD && ODD < first + n)
		offsets[ODD - first] = INT32_MAX; /* ends before it begins, here and before */
}

static void fill_dictionary(struct ArrowArray *a)
{
	int32_t *offsets;

	a->dictionary = calloc(1, sizeof *a->dictionary);
	begin_array(a->dictionary, 2, 3);
	offsets = give(a->dictionary, 1, 3 * sizeof *offsets);
	memcpy(give(a->dictionary, 2, 8), "RomeParis", 9);
	offsets[1] = 4;
	offsets[2] = 9;
}

static void fill_column(struct ArrowArray *a, size_t column, int64_t first, int64_t n)
{
	int64_t odd = ODD - first;
	bool is_odd = odd >= 0 && odd < n && has("values");
	void *data;

	begin_array(a, n, column == 2 ? 3 : 2);
	if (column == 2) {
		fill_names(a, first, n);
		return;
	}
	data = give(a, 1, (size_t)n * 16);
	for (int64_t i = 0; i < n; i++) {
		int64_t id = first + i;

		switch (column) {
		case 0:
		case 5:
			((int64_t *)data)[i] = id;
			break;
		case 3:
			((int64_t *)data)[2 * i] = id * 100;
			break;
		case 6:
			((double *)data)[i] = 1.7;
			break;
		default:
			((int32_t *)data)[i] =
				column == CITY ? (int32_t)(id % 2) : 20 + (int32_t)(id % 50);
		}
	}
	if (column == CITY)
		fill_dictionary(a);
	if (column == CITY && odd >= 0 && odd < n && has("dictionary"))
		((int32_t *)data)[odd] = 123456789;
	if (is_odd && column == 3)
		memset((char *)data + 16 * odd, 0x7f, 16); /* more digits than declared */
	if (is_odd && column == 4)
		((int32_t *)data)[odd] = INT32_MIN;
	if (is_odd && column == 5)
		((int64_t *)data)[odd] = INT64_MIN;
	if (is_odd && column == 6)
		((double *)data)[odd] = __builtin_nan("");
}

/* ---- streams --------------------------------------------------------------------------- */

struct rows {
	size_t chosen[COLUMNS + 1], count;
	int64_t next;
	bool is_empty, is_numbers;
};

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
	const struct rows *r = s->private_data;
	size_t n = r->is_numbers ? 1 : r->count;

	*out = (struct ArrowSchema){.format = "+s",
				    .n_children = (int64_t)n,
				    .children = calloc(n + 1, sizeof *out->children),
				    .release = release_schema};
	for (size_t i = 0; i < n; i++)
		out->children[i] =
			r->is_numbers ? schema_of("i", "a") : schema_of_column(r->chosen[i]);
	if (has("schema") && !r->is_empty && !r->is_numbers)
		out->children[0]->format = "u";
	return 0;
}

static void spoil(struct ArrowArray *a)
{
	if (has("buffers"))
		a->children[0]->buffers[1] = NULL;
	if (has("short"))
		a->children[0]->length = a->length - 1;
	if (has("negative"))
		a->children[0]->offset = -5;
	if (has("count"))
		a->children[0]->n_buffers = 1;
	if (has("nulls"))
		a->children[0]->null_count = 7;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
	struct rows *r = s->private_data;
	int64_t n = ROWS - r->next < BATCH ? ROWS - r->next : BATCH;
	size_t children = r->is_numbers ? 1 : r->count;

	memset(out, 0, sizeof *out);
	if (has("stream") && r->next > 0)
		return EIO;
	if (has("crash") && r->next > 0)
		abort();
	if (r->is_empty || n == 0)
		return 0;
	begin_array(out, n, 1);
	out->children = calloc(children + 1, sizeof *out->children);
	out->n_children = (int64_t)children;
	for (size_t i = 0; i < children; i++) {
		out->children[i] = calloc(1, sizeof **out->children);
		fill_column(out->children[i], r->is_numbers ? 1 : r->chosen[i], r->next, n);
	}
	r->next += n;
	spoil(out);
	if (has("children"))
		free(out->children[--out->n_children]);
	return 0;
}

static const char *get_words(struct ArrowArrayStream *s)
{
	(void)s;
	return "a secret row";
}

static void release_stream(struct ArrowArrayStream *s)
{
	free(s->private_data);
	s->release = NULL;
}

/* ---- statements ------------------------------------------------------------------------- */

static uint8_t
statement_new(struct AdbcConnection *c, struct AdbcStatement *s, struct AdbcError *e)
{
	(void)c;
	(void)e;
	s->private_data = calloc(1, SQL_MAX);
	return 0;
}

static uint8_t set_sql(struct AdbcStatement *s, const char *sql, struct AdbcError *e)
{
	(void)e;
	(void)snprintf(s->private_data, SQL_MAX, "%s", sql);
	return 0;
}

static void choose(struct rows *r, const char *sql)
{
	const char *from = strstr(sql, " FROM ");
	bool is_all = strncmp(sql, "SELECT *", 8) == 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		char quoted[32];
		const char *found;

		(void)snprintf(quoted, sizeof quoted, "\"%s\"", columns[i].name);
		found = strstr(sql, quoted);
		if (is_all || (found && found < from))
			r->chosen[r->count++] = i;
	}
	/* in the order of the statement */
	for (size_t i = 0; !is_all && i < r->count; i++)
		for (size_t k = i + 1; k < r->count; k++) {
			char x[32], y[32];

			(void)snprintf(x, sizeof x, "\"%s\"", columns[r->chosen[i]].name);
			(void)snprintf(y, sizeof y, "\"%s\"", columns[r->chosen[k]].name);
			if (strstr(sql, x) > strstr(sql, y)) {
				size_t kept = r->chosen[i];

				r->chosen[i] = r->chosen[k];
				r->chosen[k] = kept;
			}
		}
	r->is_numbers = r->count == 0;
}

static uint8_t
execute(struct AdbcStatement *s, struct ArrowArrayStream *out, int64_t *n, struct AdbcError *e)
{
	const char *sql = s->private_data;
	struct rows *r;

	(void)n;
	if (has("execute") && !strstr(sql, "1 = 0") && !strstr(sql, "\"a\""))
		return fail(e);
	r = calloc(1, sizeof *r);
	choose(r, sql);
	r->is_empty = strstr(sql, "1 = 0") != NULL;
	*out = (struct ArrowArrayStream){get_schema, get_next, get_words, release_stream, r};
	return 0;
}

static uint8_t statement_release(struct AdbcStatement *s, struct AdbcError *e)
{
	(void)e;
	free(s->private_data);
	return 0;
}

/* ---- the rest --------------------------------------------------------------------------- */

static uint8_t database_ok(struct AdbcDatabase *d, struct AdbcError *e)
{
	(void)d;
	(void)e;
	return 0;
}

static uint8_t database_option(struct AdbcDatabase *d, const char *name, const char *value,
			       struct AdbcError *e)
{
	(void)d;
	(void)e;
	if (strcmp(name, "uri") == 0)
		(void)snprintf(fault, sizeof fault, "%s", value);
	return 0;
}

static uint8_t connection_ok(struct AdbcConnection *c, struct AdbcError *e)
{
	(void)c;
	(void)e;
	return 0;
}

static uint8_t
connection_init(struct AdbcConnection *c, struct AdbcDatabase *d, struct AdbcError *e)
{
	static int made;

	(void)c;
	(void)d;
	(void)fprintf(stderr, "secret words of the driver\n");
	return has("connect") || (has("connections") && made++ > 0) ? fail(e) : 0;
}

uint8_t AdbcDriverInit(int version, void *out, struct AdbcError *e);
uint8_t AdbcDriverInit(int version, void *out, struct AdbcError *e)
{
	struct AdbcDriver *d = out;

	if (version != ADBC_VERSION)
		return fail(e);
	*d = (struct AdbcDriver){.DatabaseNew = database_ok,
				 .DatabaseInit = database_ok,
				 .DatabaseSetOption = database_option,
				 .DatabaseRelease = database_ok,
				 .ConnectionNew = connection_ok,
				 .ConnectionInit = connection_init,
				 .ConnectionRelease = connection_ok,
				 .StatementNew = statement_new,
				 .StatementSetSqlQuery = set_sql,
				 .StatementExecuteQuery = execute,
				 .StatementRelease = statement_release};
	return 0;
}
