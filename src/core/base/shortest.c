/* The shortest decimal of a double. */
#include "core/base/shortest.h"

#include <stdio.h>
#include <stdlib.h>

void sotto_shortest(double x, char out[SOTTO_SHORTEST_SIZE])
{
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(out, SOTTO_SHORTEST_SIZE, "%.*g", digits, x);
		if (strtod(out, NULL) == x)
			return;
	}
}
