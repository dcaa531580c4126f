/*
 * Reads with jansson, and takes a real number from its shortest decimal text, not from the bits
 * of the double; writes fractions as quoted texts.
 */
#include "census/exact/census_json_text.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/shortest.h"
#include "core/base/failure.h"
#include "sotto/rational.h"

enum sotto_status sotto_json_load(const char *text, json_t **out, struct sotto_error *err)
{
	json_error_t why;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);

	if (!root)
		return sotto_fail(err, SOTTO_EPARSE,
				  "line %d, column %d: this is not JSON: %.160s", why.line,
				  why.column, why.text);
	*out = root;
	return SOTTO_OK;
}

enum sotto_status
sotto_json_number(const json_t *value, const char *path, mpq_t out, struct sotto_error *err)
{
	struct sotto_rational r;
	char text[64] = "";
	enum sotto_status st;

	if (json_is_integer(value))
		(void)snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
			       json_integer_value(value));
	else if (json_is_real(value))
		sotto_shortest(json_real_value(value), text);
	sotto_rational_init(&r);
	st = sotto_rational_parse(&r, json_is_string(value) ? json_string_value(value) : text,
				  NULL);
	if (st == SOTTO_OK)
		mpq_set(out, r.q);
	else
		st = sotto_fail(err, SOTTO_EPARSE,
				"%.300s must be a number such as 3, 0.25 or \"202/7\"", path);
	sotto_rational_release(&r);
	return st;
}

static bool is_one_of(const char *key, const char *const *keys)
{
	for (; *keys; keys++)
		if (strcmp(key, *keys) == 0)
			return true;
	return false;
}

enum sotto_status sotto_json_keys(json_t *object, const char *path, const char *const *keys,
				  struct sotto_error *err)
{
	char list[256] = "";
	size_t n = 0;

	if (!json_is_object(object))
		return sotto_fail(err, SOTTO_EPARSE, "%.300s must be an object", path);
	for (const char *const *k = keys; *k && n < sizeof list; k++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", *k);
	for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
		if (!is_one_of(json_object_iter_key(at), keys))
			return sotto_fail(err, SOTTO_EPARSE,
					  "%.160s: unknown key \"%.40s\"; the keys are %s",
					  path, json_object_iter_key(at), list);
	return SOTTO_OK;
}

enum sotto_status sotto_json_truth(const json_t *object, const char *key, bool fallback,
				   bool *out, struct sotto_error *err)
{
	const json_t *value = json_object_get(object, key);

	if (value && !json_is_boolean(value))
		return sotto_fail(err, SOTTO_EPARSE, "%s must be true or false", key);
	*out = value ? json_is_true(value) : fallback;
	return SOTTO_OK;
}

double sotto_rational_nearest(const mpq_t q)
{
	mpfr_t x;
	double d;

	mpfr_init2(x, 53);
	mpfr_set_q(x, q, MPFR_RNDN);
	d = mpfr_get_d(x, MPFR_RNDN);
	mpfr_clear(x);
	return d;
}

enum sotto_status sotto_json_put_double(struct sotto_buffer *b, double x)
{
	char text[40];

	if (!isfinite(x))
		return sotto_buffer_append_text(b, "null");
	sotto_shortest(x, text);
	return sotto_buffer_append_text(b, text);
}

enum sotto_status sotto_json_put_number(struct sotto_buffer *b, const mpq_t q, bool exact)
{
	enum sotto_status st;
	char *text;

	if (!exact && mpz_cmp_ui(mpq_denref(q), 1) != 0)
		return sotto_json_put_double(b, sotto_rational_nearest(q));
	text = mpq_get_str(NULL, 10, q);
	st = sotto_buffer_appendf(b, exact ? "\"%s\"" : "%s", text);
	free(text);
	return st;
}

enum sotto_status sotto_json_put_text(struct sotto_buffer *b, const char *text)
{
	json_t *value = json_string(text);
	char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
	enum sotto_status st = quoted ? sotto_buffer_append_text(b, quoted) : SOTTO_ENOMEM;

	free(quoted);
	json_decref(value);
	return st;
}

enum sotto_status
sotto_json_finish(struct sotto_buffer *b, enum sotto_status so_far, char **out)
{
	char *text = so_far == SOTTO_OK ? strdup(sotto_buffer_text(b)) : NULL;

	sotto_buffer_release(b);
	if (so_far != SOTTO_OK)
		return so_far;
	if (!text)
		return SOTTO_ENOMEM;
	*out = text;
	return SOTTO_OK;
}
