/*
 * A zeroed fraction is replaced by a constant 0/1 that is made of static limbs and never freed.
 */
#include "core/number/rational/rational_value.h"

const struct sotto_rational *sotto_rational_settled(const struct sotto_rational *r)
{
	static const mp_limb_t one[] = {1};
	static const struct sotto_rational zero = {
		.q = {{
			._mp_num = {._mp_d = (mp_limb_t *)one},
			._mp_den = {._mp_size = 1, ._mp_d = (mp_limb_t *)one},
		}}};

	return r && mpz_sgn(mpq_denref(r->q)) == 0 ? &zero : r;
}

mpq_srcptr sotto_rational_value(const struct sotto_rational *r)
{
	return sotto_rational_settled(r)->q;
}
