/*
 * http_options.h - how to start the HTTP server
 */
#ifndef SOTTO_HTTP_OPTIONS_H
#define SOTTO_HTTP_OPTIONS_H

#include <stddef.h>

struct sotto_login;
struct sotto_people;
struct sotto_work_queue;
struct sotto_collections;

struct sotto_route_table;

struct sotto_http_options {
	const struct sotto_route_table *routes;
	const char *address; /* "127.0.0.1:7654", "[::1]:7654"; port 0: any that is free */
	const char *tls_cert, *tls_key; /* files; both or none */
	struct sotto_people *people;
	struct sotto_login *login;
	struct sotto_work_queue *work;
	const char *policy; /* path of the file */
	unsigned short wire_port; /* for PostgreSQL clients; 0: none */
	const char *database; /* the name that these clients use */
	struct sotto_collections *collections;
	const char *const *proxies; /* addresses whose X-Forwarded-For is believed */
	size_t proxy_count;
};

#endif
