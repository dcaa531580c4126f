/* Listening sockets of the server. */
#include "server/work/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/failure.h"

enum { HOST_MAX = 256, BACKLOG = 511 };

/* 0 is any that is free. */
static bool is_port(const char *text)
{
	size_t n = strlen(text);

	return n >= 1 && n <= 5 && strspn(text, "0123456789") == n &&
	       strtoul(text, NULL, 10) <= 65535;
}

static enum sotto_status
split(const char *address, char host[HOST_MAX], const char **port, struct sotto_error *err)
{
	const char *colon = strrchr(address, ':');
	size_t n = colon ? (size_t)(colon - address) : 0;

	if (!colon || n >= HOST_MAX || !is_port(colon + 1))
		return sotto_fail(
			err, SOTTO_EPARSE,
			"an address is HOST:PORT, like 127.0.0.1:7654, with a port up to "
			"65535, not %.100s",
			address);
	if (n >= 2 && address[0] == '[' && address[n - 1] == ']') {
		address++;
		n -= 2;
	}
	memcpy(host, address, n);
	host[n] = '\0';
	*port = colon + 1;
	return SOTTO_OK;
}

static int open_at(const struct addrinfo *a)
{
	int on = 1, s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (s < 0)
		return -1;
	(void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(s, a->ai_addr, a->ai_addrlen) == 0 && listen(s, BACKLOG) == 0)
		return s;
	(void)close(s);
	return -1;
}

static unsigned short port_of(int s)
{
	struct sockaddr_storage a;
	socklen_t n = sizeof a;

	if (getsockname(s, (struct sockaddr *)&a, &n) != 0)
		return 0;
	return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
					     : ((struct sockaddr_in *)&a)->sin_port);
}

enum sotto_status
sotto_listen(const char *address, int *socket, unsigned short *port, struct sotto_error *err)
{
	struct addrinfo hint = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
				.ai_socktype = SOCK_STREAM},
			*found = NULL;
	char host[HOST_MAX];
	const char *number = NULL;
	int s = -1;

	SOTTO_TRY(split(address, host, &number, err));
	if (getaddrinfo(host[0] ? host : NULL, number, &hint, &found) == 0)
		for (const struct addrinfo *a = found; a && s < 0; a = a->ai_next)
			s = open_at(a);
	if (found)
		freeaddrinfo(found);
	if (s < 0)
		return sotto_fail(
			err, SOTTO_EIO,
			"could not listen at %.100s; another program may use it, it is not an "
			"address of this machine, or you may not use a port below 1024",
			address);
	*socket = s;
	*port = port_of(s);
	return SOTTO_OK;
}
