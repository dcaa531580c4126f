/* Reads what the local commands share: parameters, lists, files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/local_command.h"

enum outcome local_failed(enum sotto_status status, struct sotto_error *err)
{
	if (err->text[0] == '\0')
		(void)complaint_refuse(err, "%s", sotto_status_text(status));
	return OUTCOME_REFUSED;
}

enum outcome local_read_file(const char *path, char **text, size_t *n, struct sotto_error *err)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	size_t room = 65536, used = 0, got;
	char *bytes;

	if (!in)
		return complaint_refuse(err, "could not open %s", path);
	bytes = memory_new(room, 1);
	while ((got = fread(bytes + used, 1, room - used - 1, in)) > 0) {
		used += got;
		if (used + 1 == room) {
			room *= 2;
			bytes = memory_resize(bytes, room, 1);
		}
	}
	if (ferror(in)) {
		free(bytes);
		if (in != stdin)
			fclose(in);
		return complaint_refuse(err, "could not read %s", path);
	}
	if (in != stdin)
		fclose(in);
	bytes[used] = '\0';
	*text = bytes;
	*n = used;
	return OUTCOME_DONE;
}

/* Reads a file, then parses it into one of the two: parameters of ours or params.csv. */
static enum outcome read_either(const char *path, struct sotto_client_params *ours,
				struct sotto_local_google *google, struct sotto_error *err)
{
	char *text;
	size_t n;
	enum outcome outcome = local_read_file(path, &text, &n, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	st = ours ? sotto_local_params_parse(text, n, ours, err)
		  : sotto_local_google_params(text, n, google, err);
	free(text);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

enum outcome
local_read_params(const char *path, struct sotto_client_params *out, struct sotto_error *err)
{
	return read_either(path, out, NULL, err);
}

enum outcome
local_read_google(const char *path, struct sotto_local_google *out, struct sotto_error *err)
{
	return read_either(path, NULL, out, err);
}

enum outcome
local_read_lines(const char *path, struct local_lines *out, struct sotto_error *err)
{
	size_t n;
	enum outcome outcome = local_read_file(path, &out->text, &n, err);
	char *at;

	if (outcome != OUTCOME_DONE)
		return outcome;
	out->count = 0;
	out->strings = NULL;
	out->lengths = NULL;
	for (at = out->text; at < out->text + n;) {
		char *end = memchr(at, '\n', (size_t)(out->text + n - at));
		size_t length = end ? (size_t)(end - at) : (size_t)(out->text + n - at);

		out->strings = memory_grow(out->strings, out->count, sizeof *out->strings);
		out->lengths = memory_grow(out->lengths, out->count, sizeof *out->lengths);
		if (length > 0 && at[length - 1] == '\r')
			length--;
		out->strings[out->count] = at;
		out->lengths[out->count++] = length;
		at[length] = '\0';
		at = end ? end + 1 : out->text + n;
	}
	return OUTCOME_DONE;
}

struct listed {
	const void *string;
	size_t length, at;
};

static int by_text(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	size_t n = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->string, y->string, n);

	if (order == 0)
		order = (x->length > y->length) - (x->length < y->length);
	return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

static void drop_repeats(struct local_lines *lines)
{
	struct listed *all = memory_new(lines->count + 1, sizeof *all);
	bool *repeated = memory_new(lines->count + 1, sizeof *repeated);
	size_t kept = 0;

	for (size_t i = 0; i < lines->count; i++)
		all[i] = (struct listed){lines->strings[i], lines->lengths[i], i};
	qsort(all, lines->count, sizeof *all, by_text);
	for (size_t i = 0; i < lines->count; i++)
		repeated[all[i].at] =
			i > 0 && all[i].length == all[i - 1].length &&
			memcmp(all[i].string, all[i - 1].string, all[i].length) == 0;
	for (size_t i = 0; i < lines->count; i++) {
		if (repeated[i])
			continue;
		lines->strings[kept] = lines->strings[i];
		lines->lengths[kept++] = lines->lengths[i];
	}
	lines->count = kept;
	free(all);
	free(repeated);
}

enum outcome
local_read_candidates(const char *path, struct local_lines *out, struct sotto_error *err)
{
	enum outcome outcome = local_read_lines(path, out, err);

	if (outcome == OUTCOME_DONE)
		drop_repeats(out);
	return outcome;
}

void local_lines_release(struct local_lines *lines)
{
	free(lines->text);
	free(lines->strings);
	free(lines->lengths);
	*lines = (struct local_lines){.count = 0};
}

bool local_number(const char *text, size_t length, uint64_t *out)
{
	uint64_t x = 0;

	if (length == 0 || length > 19)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		x = 10 * x + (uint64_t)(text[i] - '0');
	}
	*out = x;
	return true;
}
