/*
 * Functions of texts that questions about the catalog call.
 */
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/sql_quote.h"
#include "server/catalog/catalog_inside.h"

static const char *text_of(sqlite3_value *v)
{
	return (const char *)sqlite3_value_text(v);
}

/* A name in small letters needs no quotes. */
static enum sotto_status add_name(struct sotto_buffer *b, const char *name)
{
	bool plain = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(name) &&
		     *name && (*name < '0' || *name > '9');

	return plain ? sotto_buffer_append_text(b, name)
		     : sotto_sql_append_quoted(b, name, '"');
}

static void give(sqlite3_context *c, struct sotto_buffer *b)
{
	sqlite3_result_text(c, sotto_buffer_text(b), -1, SQLITE_TRANSIENT);
	sotto_buffer_release(b);
}

void sotto_catalog_quote_name(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct sotto_buffer b;

	(void)n;
	if (!text_of(v[0]))
		return;
	sotto_buffer_init(&b, 1 << 16);
	(void)add_name(&b, text_of(v[0]));
	give(c, &b);
}

void sotto_catalog_concat(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct sotto_buffer b;
	enum sotto_status st = SOTTO_OK;

	sotto_buffer_init(&b, 1 << 20);
	for (int i = 0; st == SOTTO_OK && i < n; i++)
		if (text_of(v[i]))
			st = sotto_buffer_append_text(&b, text_of(v[i]));
	give(c, &b);
}

/* format with %s, %I and %%. */
void sotto_catalog_format(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *f = n > 0 ? text_of(v[0]) : NULL;
	enum sotto_status st = SOTTO_OK;
	struct sotto_buffer b;
	int used = 1;

	if (!f)
		return;
	sotto_buffer_init(&b, 1 << 20);
	for (; st == SOTTO_OK && *f; f++) {
		const char *x = used < n ? text_of(v[used]) : NULL;

		if (*f != '%' || !f[1] || !strchr("sI%", f[1])) {
			st = sotto_buffer_append(&b, f, 1);
			continue;
		}
		f++;
		used += *f != '%';
		if (*f == '%')
			st = sotto_buffer_append(&b, "%", 1);
		else if (*f == 'I')
			st = add_name(&b, x ? x : "");
		else
			st = sotto_buffer_append_text(&b, x ? x : "");
	}
	give(c, &b);
}
