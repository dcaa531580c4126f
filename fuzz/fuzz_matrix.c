/* Matrices as CSV: no crash; what is read is written back the same. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sotto/channel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_error err = {""};
	struct sotto_matrix *m, *again;
	char *text, *second;

	if (size > 4096) /* long numbers make slow denominators */
		return 0;
	if (sotto_matrix_parse((const char *)data, size, "m.csv", &m, &err) != SOTTO_OK) {
		if (!strstr(err.text, "m.csv"))
			abort(); /* a refusal names the file */
		return 0;
	}
	if (sotto_matrix_format(m, &text) != SOTTO_OK ||
	    sotto_matrix_parse(text, strlen(text), "m.csv", &again, &err) != SOTTO_OK ||
	    sotto_matrix_format(again, &second) != SOTTO_OK || strcmp(text, second) != 0)
		abort();
	free(text);
	free(second);
	sotto_matrix_free(m);
	sotto_matrix_free(again);
	return 0;
}
