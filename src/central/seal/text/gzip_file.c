/* One member after another is inflated; zlib checks the sum and the length at the end of each. */
#include "central/seal/text/gzip_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"

enum { PIECE = 1 << 17, GZIP_ALONE = 16 + MAX_WBITS };

struct sotto_gzip {
	int file;
	z_stream z;
	bool in_member, had_member, had_zeros;
	uint64_t taken;
	unsigned char in[PIECE];
};

enum sotto_status sotto_gzip_new(int file, struct sotto_gzip **out)
{
	struct sotto_gzip *g = calloc(1, sizeof *g);

	if (!g)
		return SOTTO_ENOMEM;
	g->file = file;
	if (inflateInit2(&g->z, GZIP_ALONE) != Z_OK) {
		free(g);
		return SOTTO_ENOMEM;
	}
	*out = g;
	return SOTTO_OK;
}

void sotto_gzip_free(struct sotto_gzip *g)
{
	if (!g)
		return;
	(void)inflateEnd(&g->z);
	sotto_wipe(g, sizeof *g);
	free(g);
}

/* 1: there are bytes that were not looked at; 0: the file is at its end; -1: it cannot be read. */
static int fill(struct sotto_gzip *g)
{
	ssize_t n;

	if (g->z.avail_in > 0)
		return 1;
	do
		n = read(g->file, g->in, sizeof g->in);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return (int)n;
	g->z.next_in = g->in;
	g->z.avail_in = (unsigned)n;
	g->taken += (uint64_t)n;
	return 1;
}

/* Goes to the next member; 0: there is none. */
static int find_member(struct sotto_gzip *g)
{
	int found;

	while ((found = fill(g)) > 0 && g->had_member && *g->z.next_in == 0) {
		g->had_zeros = true;
		g->z.next_in++;
		g->z.avail_in--;
	}
	if (found == 0)
		return g->had_member ? 0 : -1;
	if (found < 0 || g->had_zeros || inflateReset(&g->z) != Z_OK)
		return -1;
	g->in_member = g->had_member = true;
	return 1;
}

ssize_t sotto_gzip_read(struct sotto_gzip *g, void *out, size_t most)
{
	unsigned room = most < INT_MAX ? (unsigned)most : INT_MAX;

	g->z.next_out = out;
	g->z.avail_out = room;
	while (g->z.avail_out == room) {
		int there = g->in_member ? 1 : find_member(g), code;

		if (there <= 0)
			return there;
		if (fill(g) <= 0)
			return -1;
		code = inflate(&g->z, Z_NO_FLUSH);
		if (code != Z_OK && code != Z_STREAM_END)
			return -1;
		g->in_member = code == Z_OK;
	}
	return (ssize_t)(room - g->z.avail_out);
}

uint64_t sotto_gzip_taken(const struct sotto_gzip *g)
{
	return g->taken;
}
