/*
 * utility_draw.h - utility against epsilon as SVG
 */
#ifndef SOTTO_CMD_UTILITY_DRAW_H
#define SOTTO_CMD_UTILITY_DRAW_H

#include "frame/option.h"
#include "sotto/utility.h"

/* range is A:B:N.  One line for each mechanism, with a remap solid, without dashed. */
enum outcome utility_draw(const struct sotto_user_case *problem, const char *range,
			  const char *path, struct sotto_error *err);

#endif
