/*
 * Doubles the capacity and keeps a NUL behind the last byte; lengths are checked against the
 * cap before anything is written.
 */
#include "core/base/buffer.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"

void sotto_buffer_init(struct sotto_buffer *b, size_t cap)
{
	*b = (struct sotto_buffer){.cap = cap};
}

void sotto_buffer_release(struct sotto_buffer *b)
{
	free(b->bytes);
	*b = (struct sotto_buffer){.cap = b->cap};
}

void sotto_buffer_clear(struct sotto_buffer *b)
{
	b->length = 0;
	if (b->bytes)
		b->bytes[0] = '\0';
}

enum sotto_status sotto_buffer_reserve(struct sotto_buffer *b, size_t more)
{
	size_t want, capacity = b->capacity ? b->capacity : 64;
	char *grown;

	if (more > b->cap || b->length > b->cap - more)
		return SOTTO_ERANGE;
	want = b->length + more + 1;
	if (want <= b->capacity)
		return SOTTO_OK;
	while (capacity < want)
		capacity *= 2;
	grown = realloc(b->bytes, capacity);
	if (!grown)
		return SOTTO_ENOMEM;
	b->bytes = grown;
	b->capacity = capacity;
	return SOTTO_OK;
}

enum sotto_status sotto_buffer_append(struct sotto_buffer *b, const void *bytes, size_t n)
{
	SOTTO_TRY(sotto_buffer_reserve(b, n));
	if (n)
		memcpy(b->bytes + b->length, bytes, n);
	b->length += n;
	b->bytes[b->length] = '\0';
	return SOTTO_OK;
}

enum sotto_status sotto_buffer_append_text(struct sotto_buffer *b, const char *text)
{
	return sotto_buffer_append(b, text, strlen(text));
}

enum sotto_status sotto_buffer_appendf(struct sotto_buffer *b, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_buffer_reserve(b, (size_t)n));
	va_start(args, format);
	(void)vsnprintf(b->bytes + b->length, (size_t)n + 1, format, args);
	va_end(args);
	b->length += (size_t)n;
	return SOTTO_OK;
}

const char *sotto_buffer_text(const struct sotto_buffer *b)
{
	return b->bytes ? b->bytes : "";
}

static enum sotto_status append_stream(struct sotto_buffer *b, FILE *f)
{
	enum sotto_status st = SOTTO_OK;
	char piece[8192];
	size_t n;

	while (st == SOTTO_OK && (n = fread(piece, 1, sizeof piece, f)) > 0)
		st = sotto_buffer_append(b, piece, n);
	if (st == SOTTO_OK && ferror(f))
		st = SOTTO_EIO;
	(void)fclose(f);
	return st;
}

enum sotto_status sotto_buffer_append_file(struct sotto_buffer *b, const char *path)
{
	FILE *f = fopen(path, "re");

	return f ? append_stream(b, f) : SOTTO_EMISSING;
}

enum sotto_status sotto_buffer_append_regular_file(struct sotto_buffer *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat found;
	FILE *f;

	if (fd < 0)
		return SOTTO_EMISSING;
	f = fstat(fd, &found) == 0 && S_ISREG(found.st_mode) ? fdopen(fd, "r") : NULL;
	if (!f) {
		(void)close(fd);
		return SOTTO_EIO;
	}
	return append_stream(b, f);
}
