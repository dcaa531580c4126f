/*
 * The engine is confined to what the tables of the policy are read from, before the first query.
 */
#include "central/session/session.h"

#include "core/base/failure.h"

/* For a preview: what the public tables are read from, and nothing else. */
static enum sotto_status lock_made_up(struct sotto_session *s)
{
	const char **paths = NULL;
	size_t count = 0;

	for (size_t i = 0; i < s->policy.table_count; i++) {
		const struct sotto_policy_table *t = &s->policy.tables[i];
		struct sotto_sealed_paths found;
		const struct sotto_sealed *e;

		if (!t->is_public || t->on_server || !s->schemas[i])
			continue;
		SOTTO_TRY(sotto_sealed_open(&s->manifest, &s->policy, t, &s->arena, &e, &found,
					    NULL));
		for (size_t k = 0; k < found.count; k++) {
			const char **slot = SOTTO_PUSH(&s->arena, paths, count);

			if (!slot)
				return SOTTO_ENOMEM;
			*slot = found.items[k];
		}
	}
	return sotto_engine_lock(s->engine, paths, count, NULL, 0);
}

/* The folder of the copies, and files that are read as they are. */
static enum sotto_status lock_real(struct sotto_session *s)
{
	const char *folder = sotto_arena_textf(&s->arena, "%s/", s->policy.sealed);
	const char **paths = NULL;
	size_t count = 0;

	if (!folder)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < s->policy.table_count; i++) {
		const struct sotto_policy_table *t = &s->policy.tables[i];
		struct sotto_files files;

		if (t->on_server || sotto_source_is_text(sotto_source_kind(t->source)))
			continue;
		SOTTO_TRY(sotto_files_find(&files, &s->arena, t));
		for (size_t k = 0; k < files.count; k++) {
			const char **slot = SOTTO_PUSH(&s->arena, paths, count);

			if (!slot)
				return SOTTO_ENOMEM;
			*slot = files.paths[k];
		}
	}
	return sotto_engine_lock(s->engine, paths, count, &folder, 1);
}

enum sotto_status sotto_source_lock(struct sotto_session *s)
{
	if (s->locked)
		return SOTTO_OK;
	SOTTO_TRY(s->is_made_up ? lock_made_up(s) : lock_real(s));
	s->locked = true;
	return SOTTO_OK;
}
