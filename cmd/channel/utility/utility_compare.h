/*
 * utility_compare.h - compares all mechanisms for one user
 */
#ifndef SOTTO_CMD_UTILITY_COMPARE_H
#define SOTTO_CMD_UTILITY_COMPARE_H

#include "frame/command.h"
#include "sotto/utility.h"

enum outcome utility_compare(const struct sotto_user_case *p, const struct invocation *call,
			     struct sotto_error *err);

#endif
