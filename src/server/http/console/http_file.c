/* Replies with the files of the web console: compressed where that is welcome, once each. */
#include "server/http/console/http_file.h"

#include <string.h>

#include "server/http/console/console_files.h"

/* "gzip" as a word of the list, without a weight: one of zero would forbid it. */
static bool accepts_gzip(const char *list)
{
	for (const char *at = list; at && (at = strstr(at, "gzip")) != NULL; at += 4) {
		const char *after = at + 4 + strspn(at + 4, " ");

		if (at != list && at[-1] != ' ' && at[-1] != ',')
			continue;
		if (*after == '\0' || *after == ',')
			return true;
	}
	return false;
}

/* A browser that has the file asks again whether it is still the one. */
void sotto_http_find_file(struct sotto_request *r, const char *method, const char *path)
{
	const struct sotto_console_file *f = sotto_console_file(path);
	const char *known =
		sotto_request_value(r, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);

	if (!f || strcmp(method, "GET") != 0) {
		sotto_reply_problem(r, MHD_HTTP_NOT_FOUND, "no-such-page",
				    "there is no such page");
		return;
	}
	r->type = f->type;
	r->file = f->bytes;
	r->file_tag = f->tag;
	if (known && strcmp(known, f->tag) == 0) {
		r->status = MHD_HTTP_NOT_MODIFIED;
		return;
	}
	r->status = MHD_HTTP_OK;
	r->file_is_packed = accepts_gzip(
		sotto_request_value(r, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	r->file = r->file_is_packed ? f->packed : f->bytes;
	r->file_length = r->file_is_packed ? f->packed_length : f->length;
}
