/*
 * The manual names every reviewed function.
 */
#include <stdio.h>
#include <string.h>

#include "central/plan/expression/row_function.h"
#include "testlib/tap.h"

static char text[1 << 16];

static void every_reviewed_function_is_in_the_manual(void)
{
	FILE *f = fopen("man/sotto-sql.7", "re");
	const char *name, *args;
	size_t count = 0;

	REQUIRE(f != NULL);
	CHECK(fread(text, 1, sizeof text - 1, f) > 1000);
	(void)fclose(f);
	for (size_t i = 0; (name = sotto_bind_function(i, &args)) != NULL; i++, count++) {
		const char *at = strstr(text, name);

		(void)tap_check(at != NULL, __FILE__, __LINE__, "%s is not in the manual",
				name);
	}
	CHECK(count > 40);
}

int main(void)
{
	RUN(every_reviewed_function_is_in_the_manual);
	return tap_done();
}
