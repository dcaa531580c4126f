/* Counts of replies, as metrics. */
#include "server/http/http_counts.h"

#include <assert.h>

void sotto_counts_init(struct sotto_http_counts *c, const struct sotto_route_table *routes)
{
	assert(routes->count <= SOTTO_ROUTES_MAX);
	*c = (struct sotto_http_counts){.routes = routes};
	pthread_mutex_init(&c->lock, NULL);
}

void sotto_counts_release(struct sotto_http_counts *c)
{
	pthread_mutex_destroy(&c->lock);
}

void sotto_counts_add(struct sotto_http_counts *c, const struct sotto_route *route,
		      unsigned status)
{
	size_t i = route ? (size_t)(route - c->routes->list) : c->routes->count;

	pthread_mutex_lock(&c->lock);
	c->replies[i][status / 100 % 6]++;
	pthread_mutex_unlock(&c->lock);
}

static enum sotto_status write_count(struct sotto_buffer *out, const struct sotto_route *route,
				     unsigned digit, uint64_t count)
{
	return sotto_buffer_appendf(
		out, "sotto_replies_total{method=\"%s\",path=\"%s\",status=\"%uxx\"} %llu\n",
		route ? route->method : "GET", route ? route->path : "file", digit,
		(unsigned long long)count);
}

void sotto_counts_write(struct sotto_http_counts *c, size_t connections,
			struct sotto_buffer *out)
{
	enum sotto_status st = sotto_buffer_appendf(
		out,
		"# TYPE sotto_connections gauge\nsotto_connections{door=\"http\"} %zu\n"
		"# TYPE sotto_replies_total counter\n",
		connections);

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i <= c->routes->count; i++)
		for (unsigned d = 1; d < 6; d++)
			if (st == SOTTO_OK && c->replies[i][d])
				st = write_count(
					out, i < c->routes->count ? &c->routes->list[i] : NULL,
					d, c->replies[i][d]);
	pthread_mutex_unlock(&c->lock);
}
