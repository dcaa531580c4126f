/*
 * Reads a plan.  A profile is a plan too: a key that the plan itself does not have is taken
 * from there.  Keys are read in an order of ours, so that the file may have any.
 */
#include "census/plan/census_plan_read.h"
#include "census/plan/census_profile.h"
#include "census/account/census_budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { PLAN_BYTES_MAX = 1 << 24, ARENA_MAX = 1 << 28 };

static const struct {
	const char *name;
	enum sotto_status (*read)(struct sotto_yaml *y, yaml_node_t *value, void *plan);
} keys[] = {
	{"hierarchy", sotto_census_read_hierarchy},
	{"attributes", sotto_census_read_attributes},
	{"queries", sotto_census_read_groupings},
	{"privacy", sotto_census_read_privacy},
	{"budget", sotto_census_read_budget},
	{"invariants", sotto_census_read_invariants},
	{"acknowledge_invariants", sotto_census_read_acknowledgement},
	{"bounds", sotto_census_read_bounds},
	{"structural_zeros", sotto_census_read_zeros},
	{"input", sotto_census_read_input},
	{"nodes", sotto_census_read_nodes},
	{"fanout", sotto_census_read_fanout},
	{"estimate", sotto_census_read_estimate},
	{"output", sotto_census_read_output},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

/* The values of one document, by the order of `keys`. */
struct document {
	struct sotto_yaml yaml;
	yaml_node_t *values[KEYS];
	const char *profile;
};

static enum sotto_status note_key(struct sotto_yaml *y, const char *name, yaml_node_t *key,
				  yaml_node_t *value, void *target)
{
	struct document *d = target;

	if (strcmp(name, "profile") == 0)
		return sotto_yaml_text(y, value, "profile", &d->profile);
	for (size_t i = 0; i < KEYS; i++)
		if (strcmp(keys[i].name, name) == 0) {
			d->values[i] = value;
			return SOTTO_OK;
		}
	return sotto_yaml_fail(
		y, key,
		"unknown key \"%.40s\"; the keys are profile, input, nodes, fanout, "
		"hierarchy, attributes, queries, privacy, budget, invariants, "
		"acknowledge_invariants, bounds, structural_zeros, estimate, output",
		name);
}

static enum sotto_status document_load(struct document *d, const char *text, size_t length)
{
	enum sotto_status st = sotto_yaml_load(&d->yaml, text, length);

	if (st != SOTTO_OK)
		return st;
	st = sotto_yaml_entries(&d->yaml, yaml_document_get_root_node(&d->yaml.document),
				"the plan", note_key, d);
	if (st != SOTTO_OK)
		sotto_yaml_release(&d->yaml);
	return st;
}

static enum sotto_status
read_keys(struct sotto_census_plan *p, struct document *own, struct document *profile)
{
	for (size_t i = 0; i < KEYS; i++) {
		if (own->values[i])
			SOTTO_TRY(keys[i].read(&own->yaml, own->values[i], p));
		else if (profile && profile->values[i])
			SOTTO_TRY(keys[i].read(&profile->yaml, profile->values[i], p));
	}
	return SOTTO_OK;
}

static enum sotto_status
read_both(struct sotto_census_plan *p, struct document *own, struct sotto_error *err)
{
	struct document profile = {
		.yaml = {.path = own->profile, .arena = &p->arena, .err = err}};
	const char *text = own->profile ? sotto_census_profile(own->profile) : NULL;
	enum sotto_status st;

	if (!own->profile)
		return read_keys(p, own, NULL);
	if (!text)
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.160s: there is no profile %.60s; the profiles are %s",
				  p->path, own->profile, sotto_census_profile_names());
	p->profile = own->profile;
	SOTTO_TRY(document_load(&profile, text, strlen(text)));
	st = read_keys(p, own, &profile);
	sotto_yaml_release(&profile.yaml);
	return st;
}

static enum sotto_status
check_complete(const struct sotto_census_plan *p, struct sotto_error *err)
{
	const char *missing = p->level_count == 0       ? "hierarchy: [{level: ...}, ...]"
			      : p->attribute_count == 0 ? "attributes: [{name: ...}, ...]"
			      : p->level_share_count == 0
				      ? "budget: {levels: ..., queries: ...}"
				      : NULL;

	if (missing)
		return sotto_fail(err, SOTTO_EPARSE, "%.160s: the plan needs %s", p->path,
				  missing);
	return SOTTO_OK;
}

static enum sotto_status
parse(struct sotto_census_plan *p, const char *text, size_t length, struct sotto_error *err)
{
	struct document own = {.yaml = {.path = p->path, .arena = &p->arena, .err = err}};
	enum sotto_status st;

	if (!p->path || !p->folder)
		return SOTTO_ENOMEM;
	SOTTO_TRY(document_load(&own, text, length));
	st = read_both(p, &own, err);
	sotto_yaml_release(&own.yaml);
	if (st == SOTTO_OK)
		st = check_complete(p, err);
	return st == SOTTO_OK ? sotto_census_budget_set(p, err) : st;
}

static const char *folder_of(struct sotto_arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? sotto_arena_textf(a, "%.*s/", (int)(slash - path), path)
		     : sotto_arena_text(a, "");
}

enum sotto_status sotto_census_plan_parse(struct sotto_census_plan *p, const char *path,
					  const char *text, size_t length,
					  struct sotto_error *err)
{
	enum sotto_status st;

	*p = (struct sotto_census_plan){
		.mode = SOTTO_CENSUS_GLS, .bypass = true, .up_auto = true};
	sotto_arena_init(&p->arena, ARENA_MAX);
	p->path = sotto_arena_text(&p->arena, path);
	p->folder = folder_of(&p->arena, path);
	st = parse(p, text, length, err);
	if (st != SOTTO_OK)
		sotto_census_plan_release(p);
	return st;
}

enum sotto_status
sotto_census_plan_load(struct sotto_census_plan *p, const char *path, struct sotto_error *err)
{
	FILE *f = fopen(path, "re");
	char *text = f ? malloc(PLAN_BYTES_MAX) : NULL;
	size_t n = text ? fread(text, 1, PLAN_BYTES_MAX, f) : 0;
	enum sotto_status st = SOTTO_OK;

	if (!f)
		st = sotto_fail(err, SOTTO_EMISSING, "the plan %.200s could not be opened",
				path);
	else if (!text)
		st = SOTTO_ENOMEM;
	else if (ferror(f) || n == PLAN_BYTES_MAX)
		st = sotto_fail(err, SOTTO_EPARSE,
				"the plan %.200s could not be read, or is too long", path);
	if (st == SOTTO_OK)
		st = sotto_census_plan_parse(p, path, text, n, err);
	free(text);
	if (f)
		(void)fclose(f);
	return st;
}

void sotto_census_plan_release(struct sotto_census_plan *p)
{
	sotto_arena_release(&p->arena);
}
