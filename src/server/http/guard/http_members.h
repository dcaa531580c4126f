/*
 * http_members.h - the members of a body, by the list of its route
 *
 * A member that is misspelt or of another kind would be as if it were not there: a share of the
 * budget that is no text would be no limit, and a question whose epsilon has another name would cost
 * the policy's default.  So a body has members of its route alone, each of its kind.
 */
#ifndef SOTTO_HTTP_MEMBERS_H
#define SOTTO_HTTP_MEMBERS_H

#include "server/http/http_request.h"

/* False with a reply, which names members of the route and never what the client has sent. */
bool sotto_http_has_members(struct sotto_request *r);

#endif
