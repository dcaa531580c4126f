/*
 * What one question may use: the least that it costs, the engine's memory, its time.
 */
#include <stdlib.h>
#include <string.h>

#include "central/policy/policy_read.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

enum {
	LIMIT_DEFAULT = 60,
	LEAST_DEFAULT = 10000,
	DIAGNOSTICS_PARTS = 20,
	AUTO_PARTS = 100,
	TYPICAL_GROUP = 100,
	DIGITS_MAX = 12
};
static const uint64_t second = 1000000000;
static const uint64_t day = 86400 * (uint64_t)1000000000;

struct unit {
	const char *name;
	uint64_t size;
};

/* A whole number with a unit after it, like 500ms; false if it is not, or too large. */
static bool measure(const char *text, const struct unit *units, uint64_t *out)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t count;

	if (digits == 0 || digits > DIGITS_MAX)
		return false;
	count = strtoull(text, NULL, 10);
	text += digits;
	text += *text == ' ';
	for (; units->name; units++)
		if (strcmp(text, units->name) == 0)
			return !__builtin_mul_overflow(count, units->size, out);
	return false;
}

/* ---- time -------------------------------------------------------------------------- */

static enum sotto_status
read_duration(struct sotto_yaml *y, yaml_node_t *value, const char *what, uint64_t *out)
{
	static const struct unit units[] = {{"ms", 1000000},
					    {"s", 1000000000},
					    {"m", 60 * (uint64_t)1000000000},
					    {"h", 3600 * (uint64_t)1000000000},
					    {NULL, 0}};
	const char *text;
	uint64_t time;

	SOTTO_TRY(sotto_yaml_text(y, value, what, &text));
	if (!measure(text, units, &time) || time > day)
		return sotto_yaml_fail(
			y, value, "%s must be a time of at most 24h, like 500ms, 1s, 2m or 1h",
			what);
	*out = time;
	return SOTTO_OK;
}

static enum sotto_status read_pad(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	p->has_pad = true;
	return read_duration(y, value, "pad", &p->pad);
}

static enum sotto_status read_limit(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(read_duration(y, value, "limit", &p->limit));
	p->has_limit = true;
	if (p->limit == 0)
		return sotto_yaml_fail(y, value, "limit must be above 0, like 60s");
	return SOTTO_OK;
}

static const struct sotto_yaml_field time_fields[] = {
	{"pad", read_pad}, {"limit", read_limit}, {NULL, NULL}};

enum sotto_status sotto_policy_read_time(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_fields(y, value, "time", time_fields, target);
}

/* ---- memory and price ------------------------------------------------------------- */

enum sotto_status
sotto_policy_read_memory(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	static const struct unit units[] = {{"MiB", (uint64_t)1 << 20},
					    {"GiB", (uint64_t)1 << 30},
					    {"TiB", (uint64_t)1 << 40},
					    {"MB", 1000000},
					    {"GB", 1000000000},
					    {"TB", (uint64_t)1000000000000},
					    {NULL, 0}};
	const uint64_t least = (uint64_t)256 << 20, most = (uint64_t)1 << 50;
	struct sotto_policy *p = target;
	const char *text;

	SOTTO_TRY(sotto_yaml_text(y, value, "memory", &text));
	if (!measure(text, units, &p->memory) || p->memory < least || p->memory > most)
		return sotto_yaml_fail(y, value,
				       "memory must be at least 256MiB, like 512MiB, 4GiB or "
				       "1TiB");
	return SOTTO_OK;
}

enum sotto_status
sotto_policy_read_min_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "min_epsilon", &p->min_epsilon));
	if (sotto_rational_sign(p->min_epsilon) <= 0)
		return sotto_yaml_fail(y, value, "min_epsilon must be above 0");
	return SOTTO_OK;
}

/* "5 %", or the fraction itself; not more than half, or the question gets too little. */
static bool read_share(const char *text, struct sotto_rational *out)
{
	size_t n = strlen(text);
	bool percent = n > 0 && text[n - 1] == '%';
	char digits[64];

	if (percent)
		n--;
	while (percent && n > 0 && text[n - 1] == ' ')
		n--;
	if (n == 0 || n >= sizeof digits)
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	if (sotto_rational_parse(out, digits, NULL) != SOTTO_OK)
		return false;
	if (percent)
		mpz_mul_ui(mpq_denref(out->q), mpq_denref(out->q), 100);
	mpq_canonicalize(out->q);
	return sotto_rational_sign(out) >= 0 && mpq_cmp_ui(out->q, 1, 2) <= 0;
}

enum sotto_status
sotto_policy_read_diagnostics(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;
	const char *text;

	SOTTO_TRY(sotto_yaml_text(y, value, "diagnostics", &text));
	p->has_diagnostics = true;
	if (!read_share(text, p->diagnostics))
		return sotto_yaml_fail(y, value,
				       "diagnostics must be a share of each question from 0 to "
				       "50 %%, like 5 %%; 0 switches it off");
	return SOTTO_OK;
}

enum sotto_status
sotto_policy_read_auto_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_policy *p = target;

	SOTTO_TRY(sotto_yaml_number(y, value, "auto_epsilon", &p->auto_epsilon));
	p->has_auto_epsilon = true;
	if (sotto_rational_sign(p->auto_epsilon) <= 0)
		return sotto_yaml_fail(y, value, "auto_epsilon must be above 0");
	return SOTTO_OK;
}

enum sotto_status
sotto_policy_read_typical_group(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_count(y, value, "typical_group",
				&((struct sotto_policy *)target)->typical_group);
}

enum sotto_status sotto_policy_set_auto_epsilon(struct sotto_yaml *y, struct sotto_policy *p)
{
	if (p->auto_epsilon)
		return SOTTO_OK;
	p->auto_epsilon = sotto_arena_rational(y->arena);
	if (!p->auto_epsilon)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_rational_set_ratio(p->auto_epsilon, 1, AUTO_PARTS));
	sotto_rational_multiply(p->auto_epsilon, p->auto_epsilon, p->epsilon);
	return SOTTO_OK;
}

enum sotto_status sotto_policy_set_limits(struct sotto_yaml *y, struct sotto_policy *p)
{
	p->limit = LIMIT_DEFAULT * second;
	p->typical_group = TYPICAL_GROUP;
	p->min_epsilon = sotto_arena_rational(y->arena);
	p->diagnostics = sotto_arena_rational(y->arena);
	if (!p->min_epsilon || !p->diagnostics)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_rational_set_ratio(p->diagnostics, 1, DIAGNOSTICS_PARTS));
	return sotto_rational_set_ratio(p->min_epsilon, 1, LEAST_DEFAULT);
}
