/*
 * Repeats read and write after interruptions and short counts; a file that ends early is a
 * failure.
 */
#include "central/engine/whole_io.h"

#include <errno.h>
#include <unistd.h>

bool sotto_read_all(int fd, void *bytes, size_t n)
{
	for (char *next = bytes; n > 0;) {
		ssize_t got = read(fd, next, n);

		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		if (got > 0) {
			next += got;
			n -= (size_t)got;
		}
	}
	return true;
}

/* A pipe without a reader would end this process with a signal, which it may. */
bool sotto_write_all(int fd, const void *bytes, size_t n)
{
	for (const char *next = bytes; n > 0;) {
		ssize_t sent = write(fd, next, n);

		if (sent < 0 && errno != EINTR)
			return false;
		if (sent > 0) {
			next += sent;
			n -= (size_t)sent;
		}
	}
	return true;
}
