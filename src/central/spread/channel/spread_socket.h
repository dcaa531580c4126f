/*
 * spread_socket.h - sockets between a coordinator and its workers
 */
#ifndef SOTTO_SPREAD_SOCKET_H
#define SOTTO_SPREAD_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/status.h"

/* address is HOST:PORT, an IPv6 host in brackets.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_socket_connect(const char *address, int *fd);

/*
 * Waits for connections on a free port of this host's address; *address, HOST:PORT, is what
 * workers are told.  Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_socket_listen(const char *host, int *fd, char *address, size_t size);

#endif
