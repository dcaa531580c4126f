/* The parameters of a collection as "name value" lines. */
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/protocol/design.h"
#include "local/rappor/fields.h"
#include "sotto/local.h"
#include "sotto/decode.h"

enum number { EPSILON, SECOND, GAMMA, F, P, Q, TRUTH, YES, NUMBERS };

static const char *const number_names[NUMBERS] = {"epsilon", "second", "gamma", "f",
						  "p",       "q",      "truth", "yes"};

struct draft {
	struct sotto_client_params params;
	struct sotto_rational numbers[NUMBERS];
	bool given[NUMBERS];
};

static bool read_size(const char *value, uint64_t *out)
{
	uint64_t x = 0;

	if (!*value)
		return false;
	for (; *value; value++) {
		if (*value < '0' || *value > '9' || x > (UINT64_MAX - 9) / 10)
			return false;
		x = 10 * x + (uint64_t)(*value - '0');
	}
	*out = x;
	return true;
}

static uint32_t *size_field(struct sotto_client_params *p, const char *name)
{
	const struct {
		const char *name;
		uint32_t *field;
	} fields[] = {{"size", &p->size},
		      {"width", &p->width},
		      {"hashes", &p->hashes},
		      {"groups", &p->groups},
		      {"grain", &p->grain}};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (strcmp(fields[i].name, name) == 0)
			return fields[i].field;
	return NULL;
}

static bool set_number(struct draft *d, const char *name, const char *value)
{
	for (int i = 0; i < NUMBERS; i++)
		if (strcmp(number_names[i], name) == 0) {
			bool again = d->given[i];

			d->given[i] = true;
			return !again &&
			       sotto_rational_parse(&d->numbers[i], value, NULL) == SOTTO_OK;
		}
	return false;
}

static bool set(struct draft *d, const char *name, const char *value)
{
	uint32_t *field = size_field(&d->params, name);
	uint64_t x;

	if (strcmp(name, "protocol") == 0) {
		bool again = d->params.protocol != 0;

		d->params.protocol = sotto_local_protocol_find(value);
		return !again && d->params.protocol != 0;
	}
	if (strcmp(name, "memoize") == 0) {
		d->params.memoize = strcmp(value, "yes") == 0;
		return d->params.memoize || strcmp(value, "no") == 0;
	}
	if (strcmp(name, "salt") == 0)
		return read_size(value, &d->params.salt);
	if (!field)
		return set_number(d, name, value);
	if (*field != 0 || !read_size(value, &x) || x > UINT32_MAX)
		return false;
	*field = (uint32_t)x;
	return true;
}

/* Splits "name value" in place; false for a line with another number of words. */
static bool split(char *line, char **name, char **value)
{
	char *rest = NULL;

	*name = strtok_r(line, " \t\r", &rest);
	*value = *name ? strtok_r(NULL, " \t\r", &rest) : NULL;
	return *value && !strtok_r(NULL, " \t\r", &rest);
}

static enum sotto_status read_lines(struct draft *d, char *text, struct sotto_error *err)
{
	size_t number = 1;

	for (char *line = text; line; number++) {
		char *next = strchr(line, '\n'), *comment, *name, *value;

		if (next)
			*next++ = '\0';
		comment = strchr(line, '#');
		if (comment)
			*comment = '\0';
		if (line[strspn(line, " \t\r")] != '\0' &&
		    (!split(line, &name, &value) || !set(d, name, value)))
			return sotto_fail(
				err, SOTTO_EPARSE,
				"parameters: line %zu must be a name and its value, each name "
				"once: protocol, size, width, hashes, groups, grain, epsilon, "
				"second, gamma, f, p, q, truth, yes, memoize or salt",
				number);
		line = next;
	}
	return SOTTO_OK;
}

static bool is_csv(const char *text, size_t n)
{
	struct sotto_fields f;
	char word[8];

	sotto_fields_init(&f, text, n);
	return sotto_fields_line(&f) && sotto_fields_word(&f, word, sizeof word) &&
	       strcmp(word, "k") == 0;
}

/* params.csv of google/rappor: the same numbers under other names. */
static enum sotto_status
read_csv(struct draft *d, const char *text, size_t n, struct sotto_error *err)
{
	static const char *const names[] = {"width", "hashes", "groups", "p", "q", "f"};
	struct sotto_local_google form;
	struct sotto_fields f;
	char word[64];

	SOTTO_TRY(sotto_local_google_params(text, n, &form, err));
	d->params.protocol = SOTTO_CLIENT_RAPPOR;
	sotto_fields_init(&f, text, n);
	(void)sotto_fields_line(&f);
	(void)sotto_fields_line(&f);
	for (size_t i = 0; i < 6; i++)
		if (!sotto_fields_word(&f, word, sizeof word) || !set(d, names[i], word))
			return sotto_fail(err, SOTTO_EPARSE,
					  "params: k, h and m must be plain numbers");
	return SOTTO_OK;
}

/* Over numbers each value has a bit of its own, and needs neither hashes nor cohorts. */
static enum sotto_status design_rappor(struct draft *d, struct sotto_error *err)
{
	struct sotto_client_params *p = &d->params;
	const struct sotto_rational *n = d->numbers;

	if (p->size > 0) {
		p->width = p->width ? p->width : p->size;
		p->hashes = p->hashes ? p->hashes : 1;
		p->groups = p->groups ? p->groups : 1;
	}
	if (!p->width || !p->hashes || !p->groups)
		return sotto_fail(err, SOTTO_EINVAL,
				  "parameters: rappor over strings needs width, hashes and "
				  "groups; over numbers, size");
	if (!d->given[F] || !d->given[P] || !d->given[Q])
		return sotto_fail(err, SOTTO_EINVAL, "parameters: rappor needs f, p and q");
	return sotto_local_design_rappor(p, &n[F], &n[P], &n[Q], err);
}

static enum sotto_status design(struct draft *d, struct sotto_error *err)
{
	struct sotto_rational *n = d->numbers;
	const bool *given = d->given;

	if (d->params.protocol == SOTTO_CLIENT_RAPPOR)
		return design_rappor(d, err);
	if (d->params.protocol == SOTTO_CLIENT_RR) {
		if (!given[TRUTH] || !given[YES])
			return sotto_fail(err, SOTTO_EINVAL,
					  "parameters: rr needs truth and yes");
		return sotto_local_design_coin(&d->params, &n[TRUTH], &n[YES], err);
	}
	if (d->params.protocol == 0 || !given[EPSILON])
		return sotto_fail(err, SOTTO_EINVAL,
				  "parameters: protocol and epsilon are needed");
	return sotto_local_design(&d->params, &n[EPSILON], given[SECOND] ? &n[SECOND] : NULL,
				  given[GAMMA] ? &n[GAMMA] : NULL, err);
}

enum sotto_status sotto_local_params_parse(const char *text, size_t n,
					   struct sotto_client_params *out,
					   struct sotto_error *err)
{
	struct draft d = {.given = {false}};
	char *copy;
	enum sotto_status st;

	if (!text || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	if (n > 65536 || memchr(text, '\0', n))
		return sotto_fail(err, SOTTO_EPARSE,
				  "parameters: this is not a text of parameters");
	copy = strndup(text, n);
	if (!copy)
		return SOTTO_ENOMEM;
	for (int i = 0; i < NUMBERS; i++)
		sotto_rational_init(&d.numbers[i]);
	st = is_csv(text, n) ? read_csv(&d, text, n, err) : read_lines(&d, copy, err);
	if (st == SOTTO_OK)
		st = design(&d, err);
	for (int i = 0; i < NUMBERS; i++)
		sotto_rational_release(&d.numbers[i]);
	free(copy);
	if (st == SOTTO_OK)
		*out = d.params;
	return st;
}
