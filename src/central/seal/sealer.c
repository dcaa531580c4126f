/*
 * Keeps the first findings of a report and all counts; a copy is named after the digest of its
 * contents and of how it was read.
 */
#include "central/seal/sealer.h"

#include <string.h>

#include "central/seal/parquet_copy.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

static enum sotto_status fail_reading(const struct sotto_sealer *s, const char *advice)
{
	return sotto_fail(s->err, SOTTO_EIO,
			  "%.160s:%zu: the source of table %.60s could not be read: %.120s; %s",
			  s->policy->path, s->table->line, s->table->name, s->table->source,
			  advice);
}

enum sotto_status sotto_sealer_unreadable(const struct sotto_sealer *s)
{
	return fail_reading(s, "check that it exists, that you may read it, and that it is the "
			       "kind of file that the end of its name says");
}

enum sotto_status sotto_sealer_attach(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *advice = NULL;
	enum sotto_status st = sotto_database_attach(d, s->arena, s->table->source, &advice);

	return st == SOTTO_EIO ? fail_reading(s, advice) : st;
}

enum sotto_status
sotto_sealer_add_flaw(struct sotto_sealer *s, const struct sotto_seal_flaw *flaw)
{
	struct sotto_seal_flaw *slot;

	if (s->report->flaw_count >= SOTTO_FINDINGS_MAX)
		return SOTTO_OK;
	slot = SOTTO_PUSH(s->arena, s->report->flaws, s->report->flaw_count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = *flaw;
	slot->file = sotto_arena_text(s->arena, flaw->file);
	return slot->file ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_sealer_add_column(struct sotto_sealer *s, const char *name, const char *type)
{
	struct sotto_sealed_column *c =
		SOTTO_PUSH(s->arena, s->entry.columns, s->entry.column_count);

	if (!c)
		return SOTTO_ENOMEM;
	c->name = sotto_arena_text(s->arena, name);
	c->type = type ? sotto_arena_text(s->arena, type) : NULL;
	return c->name && (c->type || !type) ? SOTTO_OK : SOTTO_ENOMEM;
}

bool sotto_sealer_refuses(struct sotto_sealer *s)
{
	if (s->report->ambiguous == 0 &&
	    (s->report->malformed == 0 || s->options->drop_malformed))
		return false;
	s->report->state = SOTTO_SEAL_REFUSED;
	return true;
}

const char *sotto_sealer_list(struct sotto_sealer *s, const char *const *paths, size_t count)
{
	const char *list = "[";

	for (size_t i = 0; list && i < count; i++) {
		const char *path = sotto_sql_quote_text(s->arena, paths[i]);

		list = path ? sotto_arena_textf(s->arena, "%s%s%s", list, i ? ", " : "", path)
			    : NULL;
	}
	return list ? sotto_arena_textf(s->arena, "%s]", list) : NULL;
}

/* ---- what queries will read ---------------------------------------------------------------- */

enum sotto_status
sotto_sealer_relation(struct sotto_sealer *s, struct sotto_database *d, const char **out)
{
	const char *copy;

	if (s->entry.copy) {
		copy = sotto_arena_textf(s->arena, "%s/%s", s->policy->sealed, s->entry.copy);
		*out = copy ? sotto_parquet_relation(s->arena, &copy, NULL, 1, NULL) : NULL;
	} else if (s->entry.kind == SOTTO_FILE_DATABASE) {
		SOTTO_TRY(sotto_sealer_attach(s, d));
		*out = sotto_database_relation(s->arena, "sealed_source", s->table);
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	} else {
		*out = sotto_parquet_relation(s->arena, s->files.paths, s->files.names,
					      s->files.count, NULL);
	}
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- the copy ----------------------------------------------------------------------------------- */

const char *sotto_sealer_name(struct sotto_sealer *s, const char *seed, const char *end)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-";
	char digest[SOTTO_DIGEST_SIZE], stem[64] = "";

	for (size_t i = 0; seed && i < s->entry.file_count; i++)
		seed = sotto_arena_textf(s->arena, "%s\n%s", seed,
					 sotto_identity_contents(&s->entry.files[i].id));
	if (!seed || sotto_digest_text(seed, strlen(seed), digest) != SOTTO_OK)
		return NULL;
	for (size_t i = 0; i + 1 < sizeof stem && s->table->name[i]; i++)
		stem[i] = s->table->name[i];
	for (size_t at = strspn(stem, plain); stem[at]; at = strspn(stem, plain))
		stem[at] = '_';
	return sotto_arena_textf(s->arena, "%s-%.16s%s", stem, digest, end);
}

/* Another content or another reading is another file. */
static const char *copy_name(struct sotto_sealer *s, bool drop_malformed)
{
	const char *seed = sotto_arena_textf(s->arena, "%d %d %s", drop_malformed,
					     (int)s->options->line_breaks, s->entry.layout);

	for (size_t i = 0; seed && i < s->entry.column_count; i++)
		seed = sotto_arena_textf(s->arena, "%s\n%s", seed, s->entry.columns[i].name);
	return sotto_sealer_name(s, seed, ".parquet");
}

enum sotto_status sotto_sealer_reads_alike(struct sotto_sealer *s, bool *alike)
{
	*alike = s->options->line_breaks == SOTTO_LINE_BREAKS_ASK || !s->entry.copy ||
		 s->files.count == 0 ||
		 !sotto_source_is_text(sotto_source_kind(s->table->source));
	for (int drop = 0; !*alike && drop < 2; drop++) {
		const char *name = copy_name(s, drop);

		if (!name)
			return SOTTO_ENOMEM;
		*alike = strcmp(name, s->entry.copy) == 0;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_sealer_write_copy(struct sotto_sealer *s, struct sotto_database *d, const char *query)
{
	const char *name = copy_name(s, s->options->drop_malformed), *path, *temporary;
	enum sotto_status st;

	path = name ? sotto_arena_textf(s->arena, "%s/%s", s->policy->sealed, name) : NULL;
	if (!path)
		return SOTTO_ENOMEM;
	st = sotto_parquet_copy_write(d, s->arena, query, path, &temporary);
	if (st == SOTTO_ENOMEM)
		return st;
	if (st == SOTTO_OK)
		st = sotto_parquet_copy_keep(temporary, path);
	if (st == SOTTO_OK)
		st = sotto_identity_take(&s->entry.copy_id, path, SOTTO_FILE_PARQUET);
	if (st != SOTTO_OK)
		return sotto_fail(s->err, SOTTO_EIO,
				  "the copy of table %.60s could not be written to %.200s; is "
				  "there room on the disk, and can all of the source be read?",
				  s->table->name, s->policy->sealed);
	s->entry.copy = name;
	s->report->is_copied = true;
	return SOTTO_OK;
}
