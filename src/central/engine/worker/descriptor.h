/*
 * descriptor.h - moves and closes the file descriptors that a new process gets
 */
#ifndef SOTTO_DESCRIPTOR_H
#define SOTTO_DESCRIPTOR_H

#include <stdbool.h>

/*
 * Moves *fd to the first free number from `least` on, so that no descriptor below it, which the
 * new process has for itself, is overwritten.  False if that fails; *fd is then as before.
 */
bool sotto_descriptor_lift(int *fd, int least);

/* Closes *fd unless it is -1, and sets it to -1. */
void sotto_descriptor_close(int *fd);

#endif
