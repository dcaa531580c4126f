#include "local/fields.h"

#include <string.h>

void sotto_fields_init(struct sotto_fields *f, const char *text, size_t n)
{
	*f = (struct sotto_fields){.at = text, .end = text + n, .line_end = text};
}

bool sotto_fields_line(struct sotto_fields *f)
{
	while (f->line_end < f->end || f->line == 0) {
		const char *start = f->line == 0 ? f->line_end : f->line_end + 1;
		const char *newline;

		if (start >= f->end)
			return false;
		newline = memchr(start, '\n', (size_t)(f->end - start));
		f->line_end = newline ? newline : f->end;
		f->at = start;
		f->line++;
		if (f->line_end > start && !(f->line_end == start + 1 && *start == '\r')) {
			f->more = true;
			return true;
		}
	}
	return false;
}

static const char *content_end(const struct sotto_fields *f)
{
	return f->line_end > f->at && f->line_end[-1] == '\r' ? f->line_end - 1 : f->line_end;
}

bool sotto_fields_next(struct sotto_fields *f, char *out, size_t capacity, size_t *length)
{
	const char *end = content_end(f);
	bool quoted;
	size_t n = 0;

	if (!f->more)
		return false;
	quoted = f->at < end && *f->at == '"';
	f->at += quoted;
	for (; f->at < end; f->at++) {
		if (quoted && *f->at == '"') {
			if (f->at + 1 < end && f->at[1] == '"')
				f->at++;
			else
				break;
		} else if (!quoted && *f->at == ',') {
			break;
		}
		if (n + 1 >= capacity)
			f->broken = true;
		else
			out[n++] = *f->at;
	}
	if (quoted) {
		f->broken |= f->at >= end;
		f->at += f->at < end;
		f->broken |= f->at < end && *f->at != ',';
	}
	f->more = f->at < end && *f->at == ',';
	f->at += f->more;
	out[n] = '\0';
	*length = n;
	return true;
}

bool sotto_fields_count(struct sotto_fields *f, uint64_t *out)
{
	char text[32];
	size_t n, i = 0;
	uint64_t x = 0;

	if (!sotto_fields_next(f, text, sizeof text, &n) || f->broken)
		return false;
	while (n > 0 && text[n - 1] == ' ')
		text[--n] = '\0';
	while (text[i] == ' ')
		i++;
	if (text[i] == '\0' || strcmp(text + i, "NA") == 0) {
		*out = UINT64_MAX;
		return true;
	}
	for (; i < n; i++) {
		if (text[i] < '0' || text[i] > '9' || x > (UINT64_MAX - 10) / 10)
			return false;
		x = 10 * x + (uint64_t)(text[i] - '0');
	}
	*out = x;
	return true;
}
