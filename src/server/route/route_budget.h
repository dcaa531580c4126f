/*
 * route_budget.h - routes for the budget and the history of questions
 */
#ifndef SOTTO_ROUTE_BUDGET_H
#define SOTTO_ROUTE_BUDGET_H

#include "server/http/http_route.h"

void sotto_route_budget(struct sotto_request *r, struct sotto_session *s);
void sotto_route_history(struct sotto_request *r, struct sotto_session *s);

#endif
