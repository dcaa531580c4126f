/*
 * Takes escapes away first; a pattern with few % becomes equality, prefix, suffix or contains,
 * all others a regular expression.
 */
#include "central/parse/pattern/like_pattern.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/failure.h"

/* A pattern in characters and signs: what was escaped is a character. */
struct reading {
	char *text; /* the characters, and % and _ that are signs */
	bool *sign;
	size_t count, percents;
	bool underscore; /* a sign _ */
};

static enum sotto_status read(struct sotto_arena *a, const char *pattern, struct reading *r)
{
	size_t n = strlen(pattern);

	*r = (struct reading){.text = sotto_arena_alloc(a, n + 1),
			      .sign = sotto_arena_alloc(a, n + 1)};
	if (!r->text || !r->sign)
		return SOTTO_ENOMEM;
	for (const char *s = pattern; *s; s++) {
		bool escaped = *s == '\\';

		s += escaped;
		if (!*s)
			return SOTTO_ERANGE;
		if (*s == '%' && !escaped && r->count > 0 && r->sign[r->count - 1] &&
		    r->text[r->count - 1] == '%')
			continue;
		r->sign[r->count] = !escaped && (*s == '%' || *s == '_');
		r->percents += r->sign[r->count] && *s == '%';
		r->underscore = r->underscore || (r->sign[r->count] && *s == '_');
		r->text[r->count++] = *s;
	}
	return SOTTO_OK;
}

static const char *piece(struct sotto_arena *a, const struct reading *r, size_t from, size_t to)
{
	return sotto_arena_textf(a, "%.*s", (int)(to - from), r->text + from);
}

static bool is_percent(const struct reading *r, size_t i)
{
	return r->sign[i] && r->text[i] == '%';
}

/* At most one % inside, or one at each end. */
static const char *
read_simple(struct sotto_arena *a, const struct reading *r, struct sotto_sql_like *out)
{
	size_t n = r->count, at = 0;

	if (r->percents == 0) {
		out->kind = SOTTO_SQL_LIKE_EXACT;
		return piece(a, r, 0, n);
	}
	if (r->percents == 2) {
		out->kind = SOTTO_SQL_LIKE_INSIDE;
		return piece(a, r, 1, n - 1);
	}
	while (!is_percent(r, at))
		at++;
	out->end = piece(a, r, at + 1, n);
	out->kind = at + 1 == n ? SOTTO_SQL_LIKE_BEGIN
		    : at == 0   ? SOTTO_SQL_LIKE_END
				: SOTTO_SQL_LIKE_BOTH;
	if (!out->end)
		return NULL;
	return at == 0 ? out->end : piece(a, r, 0, at);
}

static bool is_simple(const struct reading *r)
{
	if (r->underscore || r->percents > 2)
		return false;
	return r->percents < 2 || (is_percent(r, 0) && is_percent(r, r->count - 1));
}

static const char *regex(struct sotto_arena *a, const struct reading *r)
{
	char *out = sotto_arena_alloc(a, 2 * r->count + 1), *to = out;

	for (size_t i = 0; out && i < r->count; i++) {
		if (r->sign[i]) {
			*to++ = '.';
			if (r->text[i] == '%')
				*to++ = '*';
			continue;
		}
		if (strchr("\\.^$*+?()[]{}|", r->text[i]))
			*to++ = '\\';
		*to++ = r->text[i];
	}
	return out;
}

enum sotto_status
sotto_sql_like_read(struct sotto_arena *a, const char *pattern, struct sotto_sql_like *out)
{
	struct reading r;

	SOTTO_TRY(read(a, pattern, &r));
	*out = (struct sotto_sql_like){.end = ""};
	if (is_simple(&r)) {
		out->text = read_simple(a, &r, out);
	} else {
		out->kind = SOTTO_SQL_LIKE_REGEX;
		out->text = regex(a, &r);
	}
	return out->text ? SOTTO_OK : SOTTO_ENOMEM;
}
