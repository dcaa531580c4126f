/*
 * How units are spread over groups and rows (contribution_spread.md): after the rows r,
 *
 *	p: one per unit and group   u, k0.., n
 *	c: one per unit             g groups, n rows in the largest of them
 *
 * and one row with the bins of both.
 */
#include "central/emit/engine_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

static enum sotto_status add_bins(struct sotto_emitter *e, const char *what, size_t first)
{
	for (size_t i = 0; i < SOTTO_SPREAD_BINS; i++) {
		long long above = i ? sotto_spread_edge(i - 1) : 0, most = sotto_spread_edge(i);

		ADD("CAST(coalesce(sum(CASE WHEN %s > %lld", what, above);
		if (i + 1 < SOTTO_SPREAD_BINS)
			ADD(" AND %s <= %lld", what, most);
		ADD(" THEN 1 ELSE 0 END), 0) AS HUGEINT) AS m%zu, ", first + i);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_spread_compose(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	ADD(", p AS (SELECT u, ");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD("k%zu, ", i);
	ADD("count(*) AS n FROM r");
	SOTTO_TRY(sotto_compose_group_by(e, plan, "u"));
	ADD("), c AS (SELECT count(*) AS g, max(n) AS n FROM p");
	if (plan->public_keys)
		SOTTO_TRY(sotto_compose_shown_only(e, plan, "p"));
	ADD(" GROUP BY u) SELECT ");
	SOTTO_TRY(add_bins(e, "g", 0));
	SOTTO_TRY(add_bins(e, "n", SOTTO_SPREAD_BINS));
	return sotto_buffer_append_text(&e->buffer, "CAST(1 AS BIGINT) AS one FROM c");
}

/* Where a quoted text or name ends that begins here; here, if none does. */
static const char *skip_quoted(const char *c)
{
	const char *end = *c == '"' || *c == '\'' ? strchr(c + 1, *c) : NULL;

	return end ? end + 1 : c;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* t7 and t9 become t1 and t2: which aliases there are depends on the query around. */
enum sotto_status
sotto_name_without_aliases(struct sotto_arena *arena, const char *text, const char **out)
{
	enum { ALIASES_MAX = 600, ALIAS_SIZE = 24 };
	char *copy = sotto_arena_alloc(arena, 2 * strlen(text) + ALIAS_SIZE), *to = copy;
	unsigned long seen[ALIASES_MAX];
	size_t count = 0;

	SOTTO_NEED(copy);
	for (const char *c = text; *c;) {
		const char *end = skip_quoted(c);
		size_t digits = *c == 't' ? strspn(c + 1, "0123456789") : 0, i = 0;

		if (end == c && digits > 0 && digits < 7 && !is_word(c[1 + digits]) &&
		    (c == text || !is_word(c[-1]))) {
			unsigned long number = strtoul(c + 1, NULL, 10);

			while (i < count && seen[i] != number)
				i++;
			if (i == count && count < ALIASES_MAX)
				seen[count++] = number;
			to += snprintf(to, ALIAS_SIZE, "t%zu", i + 1);
			c += 1 + digits;
			continue;
		}
		end = end == c ? c + 1 : end;
		memcpy(to, c, (size_t)(end - c));
		to += end - c;
		c = end;
	}
	*to = '\0';
	*out = copy;
	return SOTTO_OK;
}

enum sotto_status
sotto_spread_name(struct sotto_plan *plan, const struct sotto_rowset *from, const char **out)
{
	struct sotto_emitted text;
	struct sotto_emitter emitter, *e = &emitter;
	enum sotto_status st = SOTTO_OK;

	sotto_emitter_init(e, &plan->arena);
	for (size_t i = 0; st == SOTTO_OK && i < plan->key_count; i++) {
		st = sotto_buffer_append_text(&e->buffer, "key ");
		if (st == SOTTO_OK)
			st = sotto_emit_expression(e, plan->keys[i].bound.value);
		if (st == SOTTO_OK)
			st = sotto_buffer_append_text(&e->buffer, "\n");
	}
	if (st == SOTTO_OK)
		st = sotto_buffer_appendf(&e->buffer, "public %d\nfrom ", plan->public_keys);
	if (st == SOTTO_OK)
		st = sotto_emit_from(e, from);
	if (st == SOTTO_OK)
		st = sotto_emitter_finish(e, &text);
	if (st == SOTTO_OK)
		st = sotto_name_without_aliases(&plan->arena, text.sql, out);
	sotto_emitter_release(e);
	return st;
}
