/* Numbers: what parses formats to text that parses to the same number. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sotto/rational.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_rational a, b;
	struct sotto_error err = {""};
	char *text, *formatted = NULL;

	if (size > 5000 || memchr(data, 0, size))
		return 0;
	text = strndup((const char *)data, size);
	sotto_rational_init(&a);
	sotto_rational_init(&b);
	if (sotto_rational_parse(&a, text, &err) == SOTTO_OK) {
		if (sotto_rational_format(&a, &formatted) != SOTTO_OK)
			abort();
		if (strlen(formatted) <= 4096 &&
		    (sotto_rational_parse(&b, formatted, &err) != SOTTO_OK ||
		     sotto_rational_compare(&a, &b) != 0))
			abort();
	} else if (err.text[0] == '\0' || sotto_rational_sign(&a) != 0) {
		abort();
	}
	free(formatted);
	free(text);
	sotto_rational_release(&a);
	sotto_rational_release(&b);
	return 0;
}
