/*
 * The fields of a JSON object that is known to be well-formed.
 */
#include <string.h>

#include "central/seal/text/record_values.h"
#include "core/base/failure.h"

struct cursor {
	struct sotto_values *cells;
	const char *at, *stop;
};

static void skip_space(struct cursor *k)
{
	while (k->at < k->stop && *k->at && strchr(" \t\r\n", *k->at))
		k->at++;
}

static bool take(struct cursor *k, char c)
{
	skip_space(k);
	if (k->at >= k->stop || *k->at != c)
		return false;
	k->at++;
	return true;
}

static unsigned hex(const char *digits)
{
	unsigned unit = 0;

	for (int i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)digits[i];

		unit = unit << 4 | (c <= '9' ? c - 0x30u : (c | 0x20u) - 'a' + 10u) % 16u;
	}
	return unit;
}

static char *put_character(char *out, unsigned c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

/* After "\u": four digits, and for a surrogate its other half. */
static bool take_unit(struct cursor *k, char **out)
{
	unsigned c;

	if (k->stop - k->at < 4)
		return false;
	c = hex(k->at);
	k->at += 4;
	if (c >= 0xd800 && c <= 0xdbff) {
		unsigned low = k->stop - k->at >= 6 ? hex(k->at + 2) : 0;

		if (low < 0xdc00 || low > 0xdfff)
			return false;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		k->at += 6;
	}
	*out = put_character(*out, c);
	return true;
}

static bool take_escape(struct cursor *k, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *which;
	char c;

	if (k->at >= k->stop)
		return false;
	c = *k->at++;
	if (c == 'u')
		return take_unit(k, out);
	which = c ? strchr(from, c) : NULL;
	if (!which)
		return false;
	*(*out)++ = to[which - from];
	return true;
}

/* A text, from behind its first quote on. */
static bool take_text(struct cursor *k, struct sotto_record_cell *cell)
{
	struct sotto_values *c = k->cells;
	const char *quote = k->at;
	char *out = c->scratch + c->scratch_used;

	while (quote < k->stop && *quote != '"' && *quote != '\\')
		quote++;
	if (quote < k->stop && *quote == '"') {
		*cell = (struct sotto_record_cell){k->at, (size_t)(quote - k->at)};
		k->at = quote + 1;
		return true;
	}
	cell->bytes = out;
	while (k->at < k->stop && *k->at != '"') {
		if (*k->at != '\\')
			*out++ = *k->at++;
		else if (k->at++, !take_escape(k, &out))
			return false;
	}
	cell->length = (size_t)(out - cell->bytes);
	c->scratch_used += cell->length;
	return take(k, '"');
}

/* Anything but a text, as it is written: up to a comma or bracket of the outer object. */
static bool take_other(struct cursor *k, struct sotto_record_cell *cell)
{
	const char *start = k->at, *end;
	bool text = false;
	size_t depth = 0;

	for (; k->at < k->stop; k->at++) {
		char c = *k->at;

		if (text && c == '\\')
			k->at++;
		else if (c == '"')
			text = !text;
		else if (!text && depth == 0 && (c == ',' || c == '}'))
			break;
		else if (!text && (c == '{' || c == '['))
			depth++;
		else if (!text && (c == '}' || c == ']'))
			depth -= depth > 0;
	}
	if (k->at >= k->stop)
		return false;
	for (end = k->at; end > start && strchr(" \t\r\n", end[-1]) && end[-1];)
		end--;
	*cell = (struct sotto_record_cell){start, (size_t)(end - start)};
	if (cell->length == 4 && memcmp(start, "null", 4) == 0)
		cell->bytes = NULL;
	return true;
}

static bool take_field(struct cursor *k, struct sotto_record_cell *name,
		       struct sotto_record_cell *value, bool *is_object)
{
	if (!take(k, '"') || !take_text(k, name) || !take(k, ':'))
		return false;
	skip_space(k);
	*is_object = k->at < k->stop && *k->at == '{'; /* a text may begin so too */
	return take(k, '"') ? take_text(k, value) : take_other(k, value);
}

/* To behind the object's first bracket; false if there is no object. */
static bool find_object(struct cursor *k)
{
	while (k->at < k->stop && *k->at && strchr(" \t\r\n[],", *k->at))
		k->at++;
	return take(k, '{');
}

/* The fields around an object: a of a.b. */
struct path {
	const struct path *above;
	struct sotto_record_cell name;
};

/* What is left of a column's name behind the path and a dot; NULL if it does not begin so. */
static const char *behind(const struct path *p, const char *name)
{
	if (!p)
		return name;
	name = behind(p->above, name);
	if (!name || strlen(name) <= p->name.length ||
	    memcmp(name, p->name.bytes, p->name.length) != 0 || name[p->name.length] != '.')
		return NULL;
	return name + p->name.length + 1;
}

/*
 * If several fields have the same name, the last one counts, and so do the fields of its object alone.
 * True if a column is one of these.
 */
static bool keep(struct sotto_values *c, const struct path *above,
		 struct sotto_record_cell name, struct sotto_record_cell value)
{
	const struct path here = {above, name};
	bool leads = false;

	for (size_t i = 0; i < c->count; i++) {
		const char *left = behind(above, c->names[i]);

		if (left && strlen(left) == name.length &&
		    memcmp(left, name.bytes, name.length) == 0) {
			c->cells[i] = value;
		} else if (left && behind(&here, c->names[i])) {
			c->cells[i] = (struct sotto_record_cell){NULL, 0};
			leads = true;
		}
	}
	return leads;
}

/* From behind the first bracket on.  As deep as a column's name has dots. */
static bool take_fields(struct cursor *k, const struct path *above)
{
	struct sotto_record_cell name, value;
	bool is_object;

	if (take(k, '}'))
		return true;
	do {
		if (!take_field(k, &name, &value, &is_object))
			return false;
		if (keep(k->cells, above, name, value) && is_object) {
			struct cursor inner = {k->cells, value.bytes + 1,
					       value.bytes + value.length};
			const struct path here = {above, name};

			if (!take_fields(&inner, &here))
				return false;
		}
	} while (take(k, ','));
	return take(k, '}');
}

enum sotto_status
sotto_json_values(struct sotto_values *c, const char *bytes, size_t n, bool *found)
{
	struct cursor k = {c, bytes, bytes + n};

	memset(c->cells, 0, c->count * sizeof *c->cells);
	*found = find_object(&k);
	if (!*found)
		return k.at >= k.stop ? SOTTO_OK : SOTTO_ESTATE;
	return take_fields(&k, NULL) ? SOTTO_OK : SOTTO_ESTATE;
}
