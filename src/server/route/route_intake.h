/*
 * route_intake.h - the routes of a collector that takes reports from anybody
 */
#ifndef SOTTO_ROUTE_INTAKE_H
#define SOTTO_ROUTE_INTAKE_H

#include "server/http/http_route.h"

extern const struct sotto_route_table sotto_intake_routes;

#endif
