/*
 * Numbers the n-grams in the order in which they appear; the width of an n-gram, not a
 * separator, tells where a node ends, so that n-grams may hold blanks.
 */
#include "local/decode/local_graph.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"

enum { NAMES_MAX = 1000000 };

void graph_names_release(struct graph_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->texts[i]);
	free(n->texts);
	free(n->lengths);
	*n = (struct graph_names){.count = 0};
}

static size_t add_name(struct graph_names *n, const char *text, size_t length)
{
	n->texts = memory_grow(n->texts, n->count, sizeof *n->texts);
	n->lengths = memory_grow(n->lengths, n->count, sizeof *n->lengths);
	n->texts[n->count] = memory_text("%.*s", (int)length, text);
	n->lengths[n->count] = length;
	return n->count++;
}

bool graph_names_all(struct graph_names *n, const char *alphabet, uint64_t size)
{
	size_t letters = strlen(alphabet), total = 1;
	char text[32];

	if (letters == 0 || size >= sizeof text)
		return false;
	for (uint64_t i = 0; i < size; i++) {
		total *= letters;
		if (total > NAMES_MAX)
			return false;
	}
	for (size_t i = 0; i < total; i++) {
		size_t rest = i;

		for (uint64_t at = size; at-- > 0; rest /= letters)
			text[at] = alphabet[rest % letters];
		(void)add_name(n, text, (size_t)size);
	}
	return true;
}

char *graph_string(const struct sotto_local_graph *g, const struct graph_names *names,
		   const size_t *grams)
{
	size_t length = 0;
	char *text, *at;

	for (uint32_t p = 0; p < g->positions; p++)
		length += names->lengths[grams[p]];
	text = at = memory_new(length + 1, 1);
	for (uint32_t p = 0; p < g->positions; at += names->lengths[grams[p++]])
		memcpy(at, names->texts[grams[p]], names->lengths[grams[p]]);
	return text;
}

/* The number of a name that may be new. */
static size_t find_name(struct graph_names *n, const char *text, size_t length)
{
	for (size_t i = 0; i < n->count; i++)
		if (n->lengths[i] == length && memcmp(n->texts[i], text, length) == 0)
			return i;
	return add_name(n, text, length);
}

/* "<part>.<gram>" */
static bool read_node(const char *text, size_t length, size_t size, struct graph_names *names,
		      uint32_t positions, uint32_t *part, size_t *gram)
{
	const char *dot = memchr(text, '.', length);
	size_t digits = dot ? (size_t)(dot - text) : 0;
	uint64_t x;

	if (!dot || !local_number(text, digits, &x) || x >= positions ||
	    length - digits - 1 != size)
		return false;
	*part = (uint32_t)x;
	*gram = find_name(names, dot + 1, size);
	return true;
}

static bool read_edge(const char *text, size_t length, size_t size, struct graph_names *names,
		      uint32_t positions, struct sotto_local_edge *out)
{
	size_t half = 0;

	if (length < 6 || strncmp(text, "edge ", 5) != 0)
		return false;
	text += 5;
	length -= 5;
	/* a gram may hold blanks: the left node's length follows from its size */
	while (half < length && text[half] != '.')
		half++;
	half += 1 + size;
	return half + 1 < length && text[half] == ' ' &&
	       read_node(text, half, size, names, positions, &out->left, &out->first) &&
	       read_node(text + half + 1, length - half - 1, size, names, positions,
			 &out->right, &out->second) &&
	       out->left < out->right;
}

static bool read_setting(const struct local_lines *lines, size_t i, const char *name,
			 uint64_t least, uint64_t *out)
{
	const char *text = i < lines->count ? lines->strings[i] : "";
	size_t n = strlen(name);

	return strncmp(text, name, n) == 0 && text[n] == ' ' &&
	       local_number(text + n + 1, strlen(text + n + 1), out) && *out >= least &&
	       *out <= 64;
}

enum outcome graph_read(const char *path, struct graph_names *names,
			struct sotto_local_graph *out, struct sotto_error *err)
{
	struct local_lines lines;
	uint64_t positions = 0, size = 0;
	enum outcome outcome = local_read_lines(path, &lines, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (!read_setting(&lines, 0, "num_partitions", 2, &positions) ||
	    !read_setting(&lines, 1, "ngram_size", 1, &size))
		outcome = complaint_refuse(err, "graph: the first lines must be num_partitions "
						"and ngram_size");
	out->positions = (uint32_t)positions;
	for (size_t i = 2; outcome == OUTCOME_DONE && i < lines.count; i++) {
		struct sotto_local_edge e = {.share = 0};

		if (lines.lengths[i] == 0)
			continue;
		if (!read_edge(lines.strings[i], lines.lengths[i], (size_t)size, names,
			       out->positions, &e)) {
			outcome = complaint_refuse(
				err, "graph: line %zu is not edge <part>.<gram> <part>.<gram>",
				i + 1);
			break;
		}
		out->edges = memory_grow(out->edges, out->count, sizeof *out->edges);
		out->edges[out->count++] = e;
	}
	local_lines_release(&lines);
	return outcome;
}

enum outcome graph_write(const char *path, const struct graph_names *names,
			 const struct sotto_local_graph *g, uint64_t size,
			 struct sotto_error *err)
{
	FILE *out = fopen(path, "w");
	bool ok = out != NULL;

	if (ok) {
		fprintf(out, "num_partitions %u\nngram_size %llu\n", g->positions,
			(unsigned long long)size);
		for (size_t i = 0; i < g->count; i++)
			fprintf(out, "edge %u.%s %u.%s\n", g->edges[i].left,
				names->texts[g->edges[i].first], g->edges[i].right,
				names->texts[g->edges[i].second]);
		ok = !ferror(out);
		ok = fclose(out) == 0 && ok;
	}
	return ok ? OUTCOME_DONE : complaint_refuse(err, "could not write %s", path);
}
