/*
 * audit_inside.h - what a level must be
 */
#ifndef SOTTO_AUDIT_INSIDE_H
#define SOTTO_AUDIT_INSIDE_H

#include <stdbool.h>

#include "sotto/audit.h"

/* 0 < alpha < 1 and 0 <= delta < 1. */
bool sotto_audit_level_is_valid(const struct sotto_audit_level *level);

#endif
