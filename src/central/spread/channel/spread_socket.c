/*
 * Tries the addresses of a name in order and takes the first that works; listening takes any
 * free port and says which.
 */
#include "central/spread/channel/spread_socket.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/failure.h"

/* HOST:PORT taken apart; brackets go. */
static bool split(const char *address, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(address, ':'), *start = address;
	size_t n = colon ? (size_t)(colon - address) : 0;

	if (n >= 2 && address[0] == '[' && address[n - 1] == ']') {
		start++;
		n -= 2;
	}
	if (n == 0 || n >= size)
		return false;
	memcpy(host, start, n);
	host[n] = '\0';
	*port = colon + 1;
	return true;
}

static int
open_first(const struct addrinfo *list, int (*use)(int, const struct sockaddr *, socklen_t))
{
	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);

		if (fd >= 0 && use(fd, a->ai_addr, a->ai_addrlen) == 0)
			return fd;
		if (fd >= 0)
			(void)close(fd);
	}
	return -1;
}

enum sotto_status sotto_socket_connect(const char *address, int *fd)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	const char *port;
	char host[256];

	if (!split(address, host, sizeof host, &port) ||
	    getaddrinfo(host, port, &hints, &found) != 0)
		return SOTTO_EIO;
	*fd = open_first(found, connect);
	freeaddrinfo(found);
	return *fd >= 0 ? SOTTO_OK : SOTTO_EIO;
}

static int bind_and_listen(int fd, const struct sockaddr *a, socklen_t n)
{
	return bind(fd, a, n) == 0 ? listen(fd, 128) : -1;
}

enum sotto_status sotto_socket_listen(const char *host, int *fd, char *address, size_t size)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	struct sockaddr_storage bound;
	struct addrinfo *found = NULL;
	socklen_t n = sizeof bound;
	char port[16];
	int opened;

	if (getaddrinfo(host, "0", &hints, &found) != 0)
		return SOTTO_EIO;
	opened = open_first(found, bind_and_listen);
	freeaddrinfo(found);
	if (opened < 0)
		return SOTTO_EIO;
	if (getsockname(opened, (struct sockaddr *)&bound, &n) != 0 ||
	    getnameinfo((struct sockaddr *)&bound, n, NULL, 0, port, sizeof port,
			NI_NUMERICSERV) != 0 ||
	    snprintf(address, size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port) >=
		    (int)size) {
		(void)close(opened);
		return SOTTO_EIO;
	}
	*fd = opened;
	return SOTTO_OK;
}
