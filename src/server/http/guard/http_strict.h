/*
 * http_strict.h - refuses requests that two programs could read in two different ways
 *
 * A proxy in front of the server decides where a request ends, and so does the server.  Where
 * they disagree, one client's bytes become another client's request.  Requests that leave room
 * for that are refused, and their connection is closed:
 *
 * (1) a length and a transfer coding, a coding other than chunked, or either of them twice;
 * (2) a second Host or Authorization;
 * (3) a header whose name is not a token, for example with a blank before the colon.
 */
#ifndef SOTTO_HTTP_STRICT_H
#define SOTTO_HTTP_STRICT_H

#include "server/http/http_request.h"

/* If it returns false, r has a reply that must be sent before anything else is read. */
bool sotto_http_is_plain(struct sotto_request *r);

#endif
