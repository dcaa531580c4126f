/*
 * olh_kernel.h - the inner loops of OLH counting, compiled once per instruction set
 *
 * SMALL and WIDE are the names of the two functions.  Several answers go over the
 * candidates together, so that a key and its counter are read once for all of them.
 */

#define TOGETHER SOTTO_OLH_TOGETHER

/* Keys below 2^32: (a x + b) >> 32 of 64-bit a and b from 32-bit products. */
void SMALL(const struct sotto_olh_answer answers[TOGETHER], const uint32_t *restrict low,
	   size_t count, uint32_t *restrict out)
{
	struct sotto_olh_answer s[TOGETHER];

	for (unsigned r = 0; r < TOGETHER; r++)
		s[r] = answers[r];
	for (size_t i = 0; i < count; i++) {
		uint32_t x = low[i], sum = out[i];

#pragma GCC unroll 8
		for (unsigned r = 0; r < TOGETHER; r++) {
			uint64_t t = (uint64_t)(uint32_t)s[r].a0 * x + (uint32_t)s[r].b;
			uint32_t above = (uint32_t)(t >> 32) + (uint32_t)(s[r].a0 >> 32) * x +
					 (uint32_t)(s[r].b >> 32);

			sum += above < s[r].width;
		}
		out[i] = sum;
	}
}

void WIDE(const struct sotto_olh_answer answers[TOGETHER], const uint64_t *restrict keys,
	  size_t count, uint32_t *restrict out)
{
	struct sotto_olh_answer s[TOGETHER];

	for (unsigned r = 0; r < TOGETHER; r++)
		s[r] = answers[r];
	for (size_t i = 0; i < count; i++) {
		uint64_t x0 = (uint32_t)keys[i], x1 = keys[i] >> 32;
		uint32_t sum = out[i];

#pragma GCC unroll 8
		for (unsigned r = 0; r < TOGETHER; r++)
			sum += (uint32_t)((s[r].a0 * x0 + s[r].a1 * x1 + s[r].b) >> 32) <
			       s[r].width;
		out[i] = sum;
	}
}
