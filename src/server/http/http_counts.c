/* Counts of replies, as metrics. */
#include "server/http/http_counts.h"

#include "server/http/http_server.h"

void sotto_counts_init(struct sotto_http_counts *c)
{
	*c = (struct sotto_http_counts){.replies = {{0}}};
	pthread_mutex_init(&c->lock, NULL);
}

void sotto_counts_release(struct sotto_http_counts *c)
{
	pthread_mutex_destroy(&c->lock);
}

void sotto_counts_add(struct sotto_http_counts *c, const struct sotto_route *route,
		      unsigned status)
{
	size_t i = 0;

	while (sotto_http_route(i) && sotto_http_route(i) != route)
		i++;
	pthread_mutex_lock(&c->lock);
	if (i < SOTTO_ROUTES_MAX)
		c->replies[i][status / 100 % 6]++;
	pthread_mutex_unlock(&c->lock);
}

static enum sotto_status
write_count(struct sotto_buffer *out, size_t i, unsigned digit, uint64_t count)
{
	const struct sotto_route *route = sotto_http_route(i);

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
	for (size_t i = 0; i < SOTTO_ROUTES_MAX; i++)
		for (unsigned d = 1; d < 6; d++)
			if (st == SOTTO_OK && c->replies[i][d])
				st = write_count(out, i, d, c->replies[i][d]);
	pthread_mutex_unlock(&c->lock);
}
