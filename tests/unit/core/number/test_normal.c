/* The normal law: known values, and a quantile that is the inverse of the tail far out. */
#include "core/number/normal.h"

#include "testlib/tap.h"

static void tails_and_quantiles_have_known_values(void)
{
	CHECK_REL(sotto_normal_upper(.025), 1.959963984540054, 1e-12);
	CHECK_REL(sotto_normal_upper(.0005), 3.290526731491926, 1e-12);
	CHECK_REL(sotto_normal_tail(6), 9.865876450376946e-10, 1e-9);
}

static void the_quantile_inverts_the_tail(void)
{
	for (double z = -8; z < 37; z += .37)
		CHECK(fabs(sotto_normal_upper(sotto_normal_tail(z)) - z) <
		      (z < -5 ? .1 : 1e-9));
	CHECK(sotto_normal_upper(0) == INFINITY && sotto_normal_upper(1) == -INFINITY);
}

int main(void)
{
	RUN(tails_and_quantiles_have_known_values);
	RUN(the_quantile_inverts_the_tail);
	return tap_done();
}
