/*
 * listen.h - opens a socket that listens at an address
 */
#ifndef SOTTO_LISTEN_H
#define SOTTO_LISTEN_H

#include "sotto/status.h"

/*
 * address is "HOST:PORT", with IPv6 in brackets and a number for the port (0: any free one).
 * *port is set to the port that is used.
 *
 * Fails:    SOTTO_EPARSE, SOTTO_EIO with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_listen(const char *address, int *socket, unsigned short *port, struct sotto_error *err);

#endif
