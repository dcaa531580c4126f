/*
 * json_limits.h - what limits one unit, and what that loses, as JSON
 */
#ifndef SOTTO_JSON_LIMITS_H
#define SOTTO_JSON_LIMITS_H

#include "server/http/json_reply.h"
#include "sotto/limits.h"

/* As `sotto query --format json` has them; null if nothing private was asked. */
void sotto_json_limits(struct sotto_json *j, const char *key, const struct sotto_limits *l,
		       size_t count);

#endif
