/*
 * whole_io.h - reads or writes all bytes of a message or a file, with as many calls as needed
 */
#ifndef SOTTO_WHOLE_IO_H
#define SOTTO_WHOLE_IO_H

#include <stdbool.h>
#include <stddef.h>

/* All of it, waiting as long as it takes; false if the other end is gone, or on an error. */
bool sotto_read_all(int fd, void *bytes, size_t n);
bool sotto_write_all(int fd, const void *bytes, size_t n);

#endif
