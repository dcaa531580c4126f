/*
 * A name for the state of the data that plans read: a digest of what each source was when
 * it was sealed.
 */

#include "central/session/release/releases.h"
#include "core/base/buffer.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"

static bool
reads(const struct sotto_plan *const *plans, size_t count, const struct sotto_schema_table *t)
{
	for (size_t i = 0; i < count; i++)
		if (sotto_plan_names(plans[i], t->scan))
			return true;
	return false;
}

/* *known becomes false for a table on a server: its state cannot be known. */
static enum sotto_status describe(struct sotto_session *s, const struct sotto_policy_table *t,
				  struct sotto_buffer *b, bool *known)
{
	const struct sotto_sealed *e = NULL;

	if (s->has_manifest && !t->on_server)
		SOTTO_TRY(sotto_sealed_find(&s->manifest, t, &s->arena, &e));
	*known = *known && e;
	for (size_t i = 0; e && i < e->file_count; i++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s %s\n", t->name,
					       sotto_identity_contents(&e->files[i].id)));
	return SOTTO_OK;
}

enum sotto_status sotto_session_data_name(struct sotto_session *s,
					  const struct sotto_plan *const *plans, size_t count,
					  char out[SOTTO_DATA_NAME_SIZE])
{
	enum sotto_status st = SOTTO_OK;
	struct sotto_buffer b;
	bool known = true;

	out[0] = '\0';
	sotto_buffer_init(&b, 1 << 20);
	for (size_t i = 0; st == SOTTO_OK && known && i < s->policy.table_count; i++)
		if (s->schemas[i] && reads(plans, count, s->schemas[i]))
			st = describe(s, &s->policy.tables[i], &b, &known);
	if (st == SOTTO_OK && known)
		st = sotto_digest_text(sotto_buffer_text(&b), b.length, out);
	sotto_buffer_release(&b);
	return st;
}
