/* Sends a reply, with the headers that every reply has. */
#include "server/http/http_send.h"

#include "server/http/http_events.h"
#include "server/http/http_inside.h"

/* What every reply says to browsers: nothing from elsewhere, nothing kept. */
static void add_headers(const struct sotto_request *r, struct MHD_Response *m,
			const char *cache, const char *type)
{
	const struct sotto_mhd *mhd = &r->http->mhd;
	const char *const always[][2] = {
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Content-Security-Policy",
		 "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
		 "img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
		 "form-action 'none'; frame-ancestors 'none'"},
		{MHD_HTTP_HEADER_CACHE_CONTROL, cache},
		{MHD_HTTP_HEADER_CONTENT_TYPE, type},
	};

	static const char *const to_any_page[][2] = {
		{"Cross-Origin-Resource-Policy", "cross-origin"},
		{"Access-Control-Allow-Origin", "*"},
		{"Access-Control-Allow-Methods", "POST"},
		{"Access-Control-Allow-Headers", "Content-Type"},
		{"Access-Control-Max-Age", "86400"},
	};

	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
		(void)mhd->MHD_add_response_header(m, always[i][0], always[i][1]);
	if (!r->http->options.routes->is_open) {
		(void)mhd->MHD_add_response_header(m, "Cross-Origin-Resource-Policy",
						   "same-origin");
		return;
	}
	for (size_t i = 0; i < sizeof to_any_page / sizeof to_any_page[0]; i++)
		(void)mhd->MHD_add_response_header(m, to_any_page[i][0], to_any_page[i][1]);
}

static void
add_own(const struct sotto_mhd *mhd, const struct sotto_request *r, struct MHD_Response *m)
{
	if (r->file) {
		(void)mhd->MHD_add_response_header(m, MHD_HTTP_HEADER_ETAG, r->file_tag);
		(void)mhd->MHD_add_response_header(m, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
	}
	if (r->file_is_packed)
		(void)mhd->MHD_add_response_header(m, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (r->status == MHD_HTTP_UNAUTHORIZED)
		(void)mhd->MHD_add_response_header(m, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
						   "Bearer");
	if (r->header[0][0])
		(void)mhd->MHD_add_response_header(m, r->header[0], r->header[1]);
}

static enum MHD_Result queue(const struct sotto_mhd *mhd, struct sotto_request *r,
			     unsigned status, struct MHD_Response *m)
{
	enum MHD_Result done = mhd->MHD_queue_response(r->connection, status, m);

	mhd->MHD_destroy_response(m);
	return done;
}

enum MHD_Result sotto_http_send(const struct sotto_mhd *mhd, struct sotto_request *r)
{
	struct MHD_Response *m;

	sotto_reply_settle(r);
	if (r->file)
		m = mhd->MHD_create_response_from_buffer(r->file_length, (void *)r->file,
							 MHD_RESPMEM_PERSISTENT);
	else
		m = mhd->MHD_create_response_from_buffer(
			r->reply.text.length, (void *)sotto_buffer_text(&r->reply.text),
			MHD_RESPMEM_MUST_COPY);
	if (!m)
		return MHD_NO;
	add_headers(r, m, r->file ? "no-cache" : "no-store", r->type);
	add_own(mhd, r, m);
	return queue(mhd, r, r->status, m);
}

/* A lane may be at work on the reply already: nothing of it is looked at here. */
enum MHD_Result sotto_http_send_events(const struct sotto_mhd *mhd, struct sotto_request *r)
{
	struct MHD_Response *m = sotto_events_response(r);

	if (!m)
		return MHD_NO;
	add_headers(r, m, "no-store", "text/event-stream");
	return queue(mhd, r, MHD_HTTP_OK, m);
}
