/*
 * route_people.h - routes that manage users and keys, and log browsers in and out
 */
#ifndef SOTTO_ROUTE_PEOPLE_H
#define SOTTO_ROUTE_PEOPLE_H

#include "server/http/http_route.h"

void sotto_route_login(struct sotto_request *r, struct sotto_session *s);
void sotto_route_logout(struct sotto_request *r, struct sotto_session *s);
void sotto_route_me(struct sotto_request *r, struct sotto_session *s);
void sotto_route_users_get(struct sotto_request *r, struct sotto_session *s);
void sotto_route_users_add(struct sotto_request *r, struct sotto_session *s);
void sotto_route_user_rotate(struct sotto_request *r, struct sotto_session *s);
void sotto_route_user_revoke(struct sotto_request *r, struct sotto_session *s);

#endif
