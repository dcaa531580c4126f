/*
 * http_counts.h - how many replies of each kind were sent, for the owner's metrics
 *
 * Counts by route and status only: nothing of rows, groups, bytes or names.
 */
#ifndef SOTTO_HTTP_COUNTS_H
#define SOTTO_HTTP_COUNTS_H

#include <pthread.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "server/http/http_route.h"

enum { SOTTO_ROUTES_MAX = 64 };

struct sotto_http_counts {
	pthread_mutex_t lock;
	const struct sotto_route_table *routes;
	uint64_t replies[SOTTO_ROUTES_MAX + 1][6]; /* by route and first digit of the status */
};

/* The table of routes is borrowed; what has no route is counted as a file. */
void sotto_counts_init(struct sotto_http_counts *c, const struct sotto_route_table *routes);
void sotto_counts_release(struct sotto_http_counts *c);
void sotto_counts_add(struct sotto_http_counts *c, const struct sotto_route *route,
		      unsigned status);

/* In the text format of Prometheus. */
void sotto_counts_write(struct sotto_http_counts *c, size_t connections,
			struct sotto_buffer *out);

#endif
