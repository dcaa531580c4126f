/*
 * Reads pieces of one megabyte behind what is held, and moves what is left to the front when it
 * needs room.
 */
#include "central/seal/text/file_window.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/seal/text/gzip_file.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

enum { PIECE = 1 << 20 };

/* True if the name says that the file is compressed (.gz). */
static bool is_zipped(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

/* A pipe is not a file: it would wait for a writer, and can be read only once. */
static int open_file(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat s;

	if (file >= 0 && (fstat(file, &s) != 0 || !S_ISREG(s.st_mode))) {
		(void)close(file);
		file = -1;
	}
	return file;
}

enum sotto_status sotto_window_open(struct sotto_window *w, const char *path)
{
	*w = (struct sotto_window){.file = open_file(path)};
	if (w->file < 0)
		return SOTTO_EIO;
	if (!is_zipped(path))
		return SOTTO_OK;
	if (sotto_gzip_new(w->file, &w->zipped) != SOTTO_OK) {
		(void)close(w->file);
		return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

void sotto_window_close(struct sotto_window *w)
{
	sotto_gzip_free(w->zipped);
	if (w->file >= 0)
		(void)close(w->file);
	if (w->bytes)
		sotto_wipe(w->bytes, w->touched);
	free(w->bytes);
	*w = (struct sotto_window){.file = -1};
}

static enum sotto_status grow(struct sotto_window *w, size_t want)
{
	size_t capacity = w->capacity ? w->capacity : (size_t)4 * PIECE;
	char *bytes;

	if (w->start > 0) {
		memmove(w->bytes, w->bytes + w->start, w->end - w->start);
		w->end -= w->start;
		w->start = 0;
	}
	while (capacity < want + PIECE)
		capacity *= 2;
	if (capacity == w->capacity)
		return SOTTO_OK;
	bytes = realloc(w->bytes, capacity);
	if (!bytes)
		return SOTTO_ENOMEM;
	w->bytes = bytes;
	w->capacity = capacity;
	return SOTTO_OK;
}

/* -1 if it cannot be read, 0 at the end. */
static ssize_t read_piece(struct sotto_window *w)
{
	size_t room = w->capacity - w->end;
	unsigned most = room < PIECE ? (unsigned)room : PIECE;
	ssize_t n;

	if (!w->zipped) {
		n = read(w->file, w->bytes + w->end, most);
		w->taken += n > 0 ? (uint64_t)n : 0;
		return n;
	}
	n = sotto_gzip_read(w->zipped, w->bytes + w->end, most);
	w->taken = sotto_gzip_taken(w->zipped);
	return n;
}

enum sotto_status sotto_window_fill(struct sotto_window *w, size_t want)
{
	if (w->end - w->start >= want || w->at_end)
		return SOTTO_OK;
	SOTTO_TRY(grow(w, want));
	while (w->end - w->start < want && !w->at_end) {
		ssize_t n = read_piece(w);

		if (n < 0)
			return SOTTO_EIO;
		w->end += (size_t)n;
		w->touched = w->end > w->touched ? w->end : w->touched;
		w->at_end = n == 0;
	}
	return SOTTO_OK;
}
