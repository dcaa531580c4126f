/* Reads and checks the owner's policy file. */
#include "central/policy/policy.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "central/policy/policy_read.h"
#include "core/base/arena_rational.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

enum { POLICY_MAX = 16 << 20 };

static const char *folder_of(struct sotto_arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return sotto_arena_text(a, ".");
	return sotto_arena_textf(a, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static const char *resolve(struct sotto_policy *p, const char *path)
{
	if (path[0] == '/' || strstr(path, "://") || strcmp(p->folder, ".") == 0)
		return path;
	return sotto_arena_textf(&p->arena, "%s/%s", p->folder, path);
}

/* The engine is let into the folder of what was sealed, which it wants to know in full. */
static const char *in_full(struct sotto_policy *p, const char *path)
{
	char here[PATH_MAX];

	if (!path || path[0] == '/' || !getcwd(here, sizeof here))
		return path;
	return sotto_arena_textf(&p->arena, "%s/%s", here, path);
}

static enum sotto_status resolve_paths(struct sotto_policy *p)
{
	p->ledger_written = p->ledger ? p->ledger : "sotto-ledger.db";
	p->sealed_written = p->sealed ? p->sealed : SOTTO_SEALED_FOLDER;
	p->witness_written = p->witness;
	p->log_written = p->log;
	p->ledger = resolve(p, p->ledger_written);
	p->sealed = in_full(p, resolve(p, p->sealed_written));
	if (!p->sealed || (p->log && !(p->log = resolve(p, p->log))) ||
	    (p->witness && !(p->witness = resolve(p, p->witness))))
		return SOTTO_ENOMEM;
	if (p->driver && strchr(p->driver, '/') &&
	    !(p->driver = in_full(p, resolve(p, p->driver))))
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < p->table_count; i++) {
		p->tables[i].written = p->tables[i].source;
		if (!p->tables[i].on_server)
			p->tables[i].source = resolve(p, p->tables[i].source);
		p->tables[i].sealed = p->sealed;
		if (!p->tables[i].source)
			return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < p->collection_count; i++) {
		struct sotto_policy_collection *c = &p->collections[i];

		c->params = resolve(p, c->params);
		c->store = resolve(p, c->store);
		if (!c->params || !c->store)
			return SOTTO_ENOMEM;
	}
	if (!p->delta)
		p->delta = sotto_arena_rational(&p->arena);
	return p->ledger && p->delta ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
parse(struct sotto_policy *p, const char *text, size_t length, struct sotto_error *err)
{
	struct sotto_yaml y = {.path = p->path, .arena = &p->arena, .err = err};
	enum sotto_status st;

	SOTTO_TRY(sotto_yaml_load(&y, text, length));
	st = sotto_policy_read(&y, p);
	sotto_yaml_release(&y);
	return st == SOTTO_OK ? resolve_paths(p) : st;
}

enum sotto_status sotto_policy_parse(struct sotto_policy *p, const char *path, const char *text,
				     size_t length, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_ENOMEM;

	*p = (struct sotto_policy){0};
	sotto_arena_init(&p->arena, (size_t)128 << 20);
	p->path = sotto_arena_text(&p->arena, path);
	p->folder = folder_of(&p->arena, path);
	if (p->path && p->folder)
		st = parse(p, text, length, err);
	if (st != SOTTO_OK)
		sotto_arena_release(&p->arena);
	return st;
}

enum sotto_status
sotto_policy_load(struct sotto_policy *p, const char *path, struct sotto_error *err)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, POLICY_MAX);
	st = sotto_buffer_append_regular_file(&b, path);
	if (st == SOTTO_EMISSING && access(path, F_OK) == 0)
		return sotto_fail(
			err, SOTTO_EMISSING,
			"the policy %.200s could not be opened; check who may read it", path);
	if (st == SOTTO_EMISSING)
		return sotto_fail(
			err, SOTTO_EMISSING,
			"the policy %.200s could not be opened; name it with --policy or "
			"make one with sotto init",
			path);
	if (st == SOTTO_OK)
		st = sotto_policy_parse(p, path, sotto_buffer_text(&b), b.length, err);
	else
		st = sotto_fail(err, st,
				"the policy %.200s could not be read; it must be a file, not a "
				"folder, pipe or device",
				path);
	sotto_buffer_release(&b);
	return st;
}

void sotto_policy_release(struct sotto_policy *p)
{
	sotto_arena_release(&p->arena);
}

int64_t sotto_policy_unit_rows(const struct sotto_policy_table *t)
{
	enum { FEW = 100 };

	return t->finds_rows ? FEW : t->max_rows;
}

const struct sotto_policy_table *
sotto_policy_table_find(const struct sotto_policy *p, const char *name)
{
	for (size_t i = 0; i < p->table_count; i++)
		if (strcasecmp(p->tables[i].name, name) == 0)
			return &p->tables[i];
	return NULL;
}

const struct sotto_policy_column *
sotto_policy_column_find(const struct sotto_policy_table *t, const char *name)
{
	size_t i = 0;

	if (t->column_names.count == t->column_count)
		i = sotto_name_index_first(&t->column_names, name);
	else
		while (i < t->column_count && strcasecmp(t->columns[i].name, name) != 0)
			i++;
	return i < t->column_count ? &t->columns[i] : NULL;
}

const char *sotto_policy_option(const struct sotto_policy *p, char out[SOTTO_POLICY_OPTION])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./";
	const char *path = p->path;
	bool is_plain = path && path[strspn(path, plain)] == '\0';

	out[0] = '\0';
	if (path && strcmp(path, "sotto.yaml") != 0 && !strchr(path, '\''))
		(void)snprintf(out, SOTTO_POLICY_OPTION,
			       is_plain ? " --policy %.240s" : " --policy '%.240s'", path);
	return out;
}
