/*
 * file_window.h - reads a text source, plain or gzip, through a moving window
 *
 * Only the bytes in the window are held in memory, so a file may have any size.
 */
#ifndef SOTTO_FILE_WINDOW_H
#define SOTTO_FILE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_gzip;

struct sotto_window {
	int file;
	struct sotto_gzip *zipped; /* NULL: plain */
	char *bytes;
	size_t start, end, capacity; /* the window is bytes[start..end) */
	size_t touched; /* how much of bytes ever held something */
	bool at_end; /* the file ends with the window */
	uint64_t taken; /* bytes of the file itself that were read, for progress */
};

/* Fails: SOTTO_EIO, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_window_open(struct sotto_window *w, const char *path);
void sotto_window_close(struct sotto_window *w);

/*
 * Makes the window hold at least `want` bytes, or all that are left.
 *
 * Fails:    SOTTO_EIO, also for a .gz file that is not gzip to its end; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_window_fill(struct sotto_window *w, size_t want);

/* The bytes in the window; their number; moving past some of them. */
static inline const char *sotto_window_bytes(const struct sotto_window *w)
{
	return w->bytes + w->start;
}

static inline size_t sotto_window_length(const struct sotto_window *w)
{
	return w->end - w->start;
}

static inline void sotto_window_skip(struct sotto_window *w, size_t n)
{
	w->start += n;
}

#endif
