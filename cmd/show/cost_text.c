/*
 * Costs are exact where that is short; otherwise they are rounded up, so that none is shown
 * smaller than it is.
 */
#include "show/cost_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "show/number_text.h"

/* Exact where that is short, else six digits, rounded up. */
static char *brief_up(const struct sotto_rational *r)
{
	char *text = number_text_parameter(r);
	double x;

	if (number_text_survives_double(text))
		return text;
	free(text);
	x = sotto_rational_double_up(r);
	/* half a unit of the sixth digit makes the nearest one the next above */
	return number_text_rounded(x + 0.5 * pow(10, floor(log10(x)) - 5), 6);
}

static void print_part(FILE *out, const char *name, const struct sotto_rational *r)
{
	char *text = brief_up(r);

	fprintf(out, "%s %s", name, text);
	free(text);
}

void cost_text_print(FILE *out, const struct sotto_cost *cost)
{
	if (cost->bounded)
		print_part(out, "epsilon", &cost->epsilon);
	else
		print_part(out, "rho", &cost->rho);
	if (sotto_rational_sign(&cost->delta) > 0)
		print_part(out, ", delta", &cost->delta);
}

/* A denominator of more than 64 bits: its decimals say more. */
static bool is_long(const struct sotto_rational *r)
{
	char *text = NULL, *slash;
	bool long_text;

	if (sotto_rational_format_fraction(r, &text) != SOTTO_OK)
		memory_fail();
	slash = strchr(text, '/');
	long_text = slash && strlen(slash + 1) > 20;
	free(text);
	return long_text;
}

void cost_text_write(struct json_writer *json, const struct sotto_cost *cost)
{
	json_key(json, "cost");
	json_open_object(json);
	json_key(json, "epsilon");
	if (!cost->bounded)
		json_write_null(json);
	else if (is_long(&cost->epsilon))
		json_write_double(json, sotto_rational_double_up(&cost->epsilon));
	else
		json_write_rational(json, &cost->epsilon);
	json_key(json, "delta");
	json_write_rational(json, &cost->delta);
	json_key(json, "rho");
	json_write_double(json, sotto_rational_double_up(&cost->rho));
	json_close_object(json);
}
