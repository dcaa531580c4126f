/*
 * http_routes.h - the handlers behind the routes
 */
#ifndef SOTTO_HTTP_ROUTES_H
#define SOTTO_HTTP_ROUTES_H

#include "server/http/http_request.h"

/* What `sotto serve` offers, and what a collector that takes reports from anybody does. */
extern const struct sotto_route_table sotto_server_routes, sotto_intake_routes;

/* The route; NULL with a reply if there is none of that method.  Fills r->name. */
const struct sotto_route *
sotto_http_find_route(struct sotto_request *r, const char *method, const char *path);

/* Lets another lane finish the request; the caller does nothing more with it. */
void sotto_http_pass_on(struct sotto_request *r, enum sotto_lane lane, sotto_route_fn run);

/* The reply of a route that another thread finishes is there. */
void sotto_http_finish(struct sotto_request *r);

/* http_ask.c: questions. */
void sotto_route_query(struct sotto_request *r, struct sotto_session *s);
void sotto_route_explain(struct sotto_request *r, struct sotto_session *s);

/* http_budget.c: what was spent, what is left, what was asked. */
void sotto_route_budget(struct sotto_request *r, struct sotto_session *s);
void sotto_route_history(struct sotto_request *r, struct sotto_session *s);

/* http_owner.c: what the owner does. */
void sotto_route_bounds(struct sotto_request *r, struct sotto_session *s);
void sotto_route_metrics(struct sotto_request *r, struct sotto_session *s);

/* http_policy.c */
void sotto_route_policy_get(struct sotto_request *r, struct sotto_session *s);
void sotto_route_policy_put(struct sotto_request *r, struct sotto_session *s);

/* http_collections.c; the first has the batch of the body taken and finishes the request. */
struct sotto_collection;
void sotto_http_take_batch(struct sotto_request *r, struct sotto_collection *c);
void sotto_route_collections(struct sotto_request *r, struct sotto_session *s);
void sotto_route_reports(struct sotto_request *r, struct sotto_session *s);
void sotto_route_estimates(struct sotto_request *r, struct sotto_session *s);

/* http_people.c: names and keys, logging in and out. */
void sotto_route_login(struct sotto_request *r, struct sotto_session *s);
void sotto_route_logout(struct sotto_request *r, struct sotto_session *s);
void sotto_route_me(struct sotto_request *r, struct sotto_session *s);
void sotto_route_users_get(struct sotto_request *r, struct sotto_session *s);
void sotto_route_users_add(struct sotto_request *r, struct sotto_session *s);
void sotto_route_user_rotate(struct sotto_request *r, struct sotto_session *s);
void sotto_route_user_revoke(struct sotto_request *r, struct sotto_session *s);

/* http_tables.c: what can be asked about. */
void sotto_route_tables(struct sotto_request *r, struct sotto_session *s);

/* http_account.c: the accountant, which needs no data. */
void sotto_route_account(struct sotto_request *r, struct sotto_session *s);

void sotto_route_health(struct sotto_request *r, struct sotto_session *s);

#endif
