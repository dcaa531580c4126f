/*
 * listen.h - a socket that waits for connections at an address
 */
#ifndef SOTTO_LISTEN_H
#define SOTTO_LISTEN_H

#include "sotto/status.h"

/*
 * address is "HOST:PORT" with a number for the port (0: any that is free), IPv6 in brackets.
 * *port gets the number.
 *
 * Fails:    SOTTO_EPARSE, SOTTO_EIO with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_listen(const char *address, int *socket, unsigned short *port, struct sotto_error *err);

#endif
