/* The owner's policy: read, and replaced once it is checked and its changes are agreed to. */
#include "server/route/route_policy.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "central/policy/policy_change.h"
#include "central/policy/policy_terms.h"
#include "central/session/owner/ledger_owner.h"
#include "core/base/failure.h"
#include "local/collect/durable_file.h"
#include "server/http/http_inside.h"
#include "server/http/http_request.h"
#include "sotto/owner.h"

enum { POLICY_MAX = 16 << 20 };

static const char *path_of(const struct sotto_request *r)
{
	return r->http->options.policy;
}

void sotto_route_policy_get(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);
	struct sotto_buffer text;

	(void)s;
	sotto_buffer_init(&text, POLICY_MAX);
	if (sotto_buffer_append_regular_file(&text, path_of(r)) != SOTTO_OK) {
		sotto_buffer_release(&text);
		sotto_reply_problem(r, MHD_HTTP_INTERNAL_SERVER_ERROR, "no-policy",
				    "the policy's file cannot be read");
		return;
	}
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "text", sotto_buffer_text(&text));
	sotto_json_close(j, '}');
	sotto_buffer_release(&text);
}

/* ---- what a new text changes -------------------------------------------------------------------- */

static enum sotto_status terms_of(const struct sotto_policy *p, struct sotto_buffer *out)
{
	sotto_buffer_init(out, SOTTO_TERMS_MAX);
	return sotto_policy_terms(p, out);
}

/* Against the file as it is; where that cannot be read, everything is new. */
static enum sotto_status compare(const char *path, const struct sotto_policy *new,
				 struct sotto_arena *arena, struct sotto_policy_changes *out)
{
	struct sotto_buffer before, after;
	struct sotto_policy old;
	bool has_old = sotto_policy_load(&old, path, NULL) == SOTTO_OK;
	enum sotto_status st = terms_of(new, &after);

	sotto_buffer_init(&before, SOTTO_TERMS_MAX);
	if (st == SOTTO_OK && has_old)
		st = sotto_policy_terms(&old, &before);
	if (st == SOTTO_OK)
		st = sotto_policy_compare(arena, has_old ? sotto_buffer_text(&before) : NULL,
					  sotto_buffer_text(&after), out);
	sotto_buffer_release(&before);
	sotto_buffer_release(&after);
	if (has_old)
		sotto_policy_release(&old);
	return st;
}

static bool has(const struct sotto_policy_changes *c, const char *text)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->list[i].text, text) == 0)
			return true;
	return false;
}

/*
 * The file may have been edited, and what it says then never accepted: that is a change of what
 * was promised too, and so is a ledger that its witness does not know.
 */
static enum sotto_status
add_unaccepted(const struct sotto_policy *new, struct sotto_arena *arena,
	       struct sotto_policy_changes *changes, struct sotto_error *err)
{
	struct sotto_policy_changes more = {0};

	SOTTO_TRY(sotto_policy_unaccepted(new, arena, &more, err));
	for (size_t i = 0; i < more.count; i++) {
		struct sotto_policy_change *slot;

		if (has(changes, more.list[i].text))
			continue;
		slot = SOTTO_PUSH(arena, changes->list, changes->count);
		if (!slot)
			return SOTTO_ENOMEM;
		*slot = more.list[i];
	}
	return SOTTO_OK;
}

static bool needs_accept(const struct sotto_policy_changes *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->list[i].needs_accept)
			return true;
	return false;
}

static void write_changes(struct sotto_json *j, const struct sotto_policy_changes *c)
{
	sotto_json_key(j, "changes");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < c->count; i++) {
		sotto_json_open(j, '{');
		sotto_json_member_text(j, "text", c->list[i].text);
		sotto_json_member_bool(j, "weakens", c->list[i].needs_accept);
		sotto_json_close(j, '}');
	}
	sotto_json_close(j, ']');
}

/* ---- saving ------------------------------------------------------------------------------------- */

static void refuse_changes(struct sotto_request *r, const struct sotto_policy_changes *c)
{
	struct sotto_json *j = sotto_reply_open_problem(
		r, MHD_HTTP_CONFLICT, "needs-accept",
		"this changes what was promised to the people in the data; send accept: true "
		"if that is meant");

	write_changes(j, c);
	sotto_json_close(j, '}');
}

/* The file is replaced as one step; if the ledger does not take it, the old one comes back. */
static enum sotto_status
save(struct sotto_request *r, const char *text, struct sotto_error *err)
{
	struct sotto_buffer before;
	char *difference = NULL;
	enum sotto_status st;

	sotto_buffer_init(&before, POLICY_MAX);
	st = sotto_buffer_append_regular_file(&before, path_of(r));
	if (st == SOTTO_OK)
		st = sotto_file_replace(path_of(r), (const uint8_t *)text, strlen(text), err);
	if (st == SOTTO_OK) {
		st = sotto_policy_accept(path_of(r), r->person.name, &difference, err);
		if (st != SOTTO_OK)
			(void)!sotto_file_replace(path_of(r), (const uint8_t *)before.bytes,
						  before.length, NULL);
		sotto_work_reload(r->http->options.work);
	}
	free(difference);
	sotto_buffer_release(&before);
	return st;
}

static void
reply_saved(struct sotto_request *r, const struct sotto_policy_changes *c, bool saved)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	sotto_json_open(j, '{');
	sotto_json_member_bool(j, "saved", saved);
	write_changes(j, c);
	sotto_json_close(j, '}');
}

static void replace(struct sotto_request *r, const char *text, const struct sotto_policy *new)
{
	bool look = sotto_request_flag(r, "look");
	struct sotto_policy_changes changes = {0};
	struct sotto_error err = {""};
	struct sotto_arena arena;
	enum sotto_status st;

	sotto_arena_init(&arena, SOTTO_TERMS_MAX);
	st = compare(path_of(r), new, &arena, &changes);
	if (st == SOTTO_OK)
		st = add_unaccepted(new, &arena, &changes, &err);
	if (st != SOTTO_OK)
		sotto_reply_failure(r, st, &err);
	else if (look)
		reply_saved(r, &changes, false);
	else if (needs_accept(&changes) && !sotto_request_flag(r, "accept"))
		refuse_changes(r, &changes);
	else if ((st = save(r, text, &err)) == SOTTO_OK)
		reply_saved(r, &changes, true);
	else
		sotto_reply_failure(r, st, &err);
	sotto_arena_release(&arena);
}

void sotto_route_policy_put(struct sotto_request *r, struct sotto_session *s)
{
	const char *text = sotto_request_text(r, "text");
	struct sotto_error err = {""};
	struct sotto_policy p;

	(void)s;
	if (!text) {
		sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "no-text",
				    "the body needs a member text with the whole policy");
		return;
	}
	if (sotto_policy_parse(&p, path_of(r), text, strlen(text), &err) != SOTTO_OK) {
		sotto_reply_problem(r, MHD_HTTP_UNPROCESSABLE_CONTENT, "bad-policy", err.text);
		return;
	}
	pthread_mutex_lock(&r->http->policy_lock);
	replace(r, text, &p);
	pthread_mutex_unlock(&r->http->policy_lock);
	sotto_policy_release(&p);
}
