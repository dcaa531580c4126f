/*
 * Bounds into the policy.  The new text is read as a policy before it takes the
 * place of the old one, in one step: a policy is never half written.
 */
#include <stdio.h>

#include "central/policy/policy_edit.h"
#include "central/session/owner/policy_rewrite.h"
#include "central/session/owner/column_bounds.h"
#include "central/session/session.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/* Does the new text say what it should? */
static enum sotto_status check(const struct sotto_policy *old, const struct sotto_buffer *b,
			       const char *table, const char *column,
			       const struct sotto_found_bounds *found)
{
	const struct sotto_policy_column *c;
	const struct sotto_policy_table *t;
	struct sotto_policy p;
	bool right;

	SOTTO_TRY(sotto_policy_parse(&p, old->path, b->bytes, b->length, NULL));
	t = sotto_policy_table_find(&p, table);
	c = t ? sotto_policy_column_find(t, column) : NULL;
	right = p.table_count == old->table_count && c && c->has_bounds &&
		sotto_nearest_double(c->lo->q) == found->lo &&
		sotto_nearest_double(c->hi->q) == found->hi;
	sotto_policy_release(&p);
	return right ? SOTTO_OK : SOTTO_EREFUSED;
}

static enum sotto_status rewrite(struct sotto_session *s, const char *table, const char *column,
				 const struct sotto_found_bounds *found,
				 struct sotto_buffer *text, struct sotto_buffer *edited,
				 struct sotto_error *err)
{
	enum sotto_status st;
	char bounds[80];
	mode_t mode = 0;

	(void)snprintf(bounds, sizeof bounds, "[%.17g, %.17g]", found->lo, found->hi);
	SOTTO_TRY(sotto_policy_file_read(s->policy.path, text, &mode, err));
	st = sotto_policy_set_bounds(sotto_buffer_text(text), text->length, table, column,
				     bounds, edited, NULL);
	if (st == SOTTO_OK)
		st = check(&s->policy, edited, table, column, found);
	if (st != SOTTO_OK)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"they cannot be inserted automatically into %.160s; write bounds: %s "
			"for %.60s of %.60s yourself",
			s->policy.path, bounds, column, table);
	return sotto_policy_file_replace(s->policy.path, edited, mode, err);
}

static enum sotto_status write_bounds(struct sotto_session *s, const char *column,
				      const struct sotto_found_bounds *found,
				      struct sotto_error *err)
{
	const struct sotto_policy_table *table;
	struct sotto_buffer text, edited;
	enum sotto_status st;
	const char *name;

	SOTTO_TRY(sotto_bounds_table(s, column, &table, &name, err));
	sotto_buffer_init(&text, SOTTO_POLICY_MAX);
	sotto_buffer_init(&edited, SOTTO_POLICY_MAX);
	st = rewrite(s, table->name, name, found, &text, &edited, err);
	sotto_buffer_release(&text);
	sotto_buffer_release(&edited);
	return st;
}

enum sotto_status sotto_session_write_bounds(struct sotto_session *s, const char *column,
					     const struct sotto_found_bounds *found,
					     struct sotto_error *err)
{
	enum sotto_status st;

	if (!column || !found)
		return sotto_fail(err, SOTTO_EINVAL,
				  "writing bounds needs a column and bounds");
	if (!found->found)
		return sotto_fail(err, SOTTO_EREFUSED, "no bounds were found");
	SOTTO_TRY(sotto_session_enter(s, err));
	st = write_bounds(s, column, found, err);
	sotto_session_leave(s);
	return st;
}
