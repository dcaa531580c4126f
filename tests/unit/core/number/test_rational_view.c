/*
 * Callers see a fraction and an exact value as plain memory; the library sees what is in
 * it.  Both views have the same size and alignment, or no program would work.
 */
#undef SOTTO_INSIDE /* the caller's view; <gmp.h> is there all the same */
#include <stdlib.h>

#include "sotto/noise.h"
#include "sotto/rational.h"
#include "testlib/tap.h"

static void the_views_of_a_fraction_agree(void)
{
	CHECK_INT(sizeof(struct sotto_rational), sizeof(mpq_t));
	CHECK_INT(_Alignof(struct sotto_rational), _Alignof(mpq_t));
}

static void the_views_of_an_exact_value_agree(void)
{
	CHECK_INT(sizeof(struct sotto_exact), sizeof(int64_t));
	CHECK_INT(_Alignof(struct sotto_exact), _Alignof(int64_t));
}

/* Without _init, as a caller may: a zeroed struct is a valid zero. */
static void a_caller_reckons_with_fractions(void)
{
	struct sotto_rational a = {0}, b = {0};
	int64_t whole;
	char *text = NULL;

	sotto_rational_init(&a);
	CHECK_INT(sotto_rational_parse(&a, "-7/2", NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_floor(&a, &whole), SOTTO_OK);
	CHECK_INT(whole, -4);
	sotto_rational_scale(&a, &a, 3); /* -28 */
	sotto_rational_scale(&a, &a, -4);
	CHECK_INT(sotto_rational_format_fraction(&a, &text), SOTTO_OK);
	CHECK_STR(text, "-7/4");
	free(text);
	CHECK_INT(sotto_rational_floor(&b, &whole), SOTTO_OK);
	CHECK_INT(whole, 0);
	sotto_rational_release(&a);
	sotto_rational_release(&b);
}

static void a_floor_that_does_not_fit_is_refused(void)
{
	struct sotto_rational a;

	sotto_rational_init(&a);
	CHECK_INT(sotto_rational_parse(&a, "1e30", NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_floor(&a, &(int64_t){0}), SOTTO_EOVERFLOW);
	sotto_rational_release(&a);
}

int main(void)
{
	RUN(the_views_of_a_fraction_agree);
	RUN(the_views_of_an_exact_value_agree);
	RUN(a_caller_reckons_with_fractions);
	RUN(a_floor_that_does_not_fit_is_refused);
	return tap_done();
}
