/*
 * olh_kernel.h - the inner loops of OLH counting, compiled once per instruction set
 *
 * SMALL and WIDE are the names of the two functions.
 */

/* Keys below 2^32: (a x + b) >> 32 of 64-bit a and b from 32-bit products. */
void SMALL(const struct sotto_pair_hash *h, uint32_t symbol, uint32_t range,
	   const uint32_t *restrict low, size_t count, uint32_t *restrict out)
{
	uint32_t a0 = (uint32_t)h->a0, a1 = (uint32_t)(h->a0 >> 32);
	uint32_t b0 = (uint32_t)h->b, b1 = (uint32_t)(h->b >> 32);

	for (size_t i = 0; i < count; i++) {
		uint64_t t = (uint64_t)a0 * low[i] + b0;
		uint32_t hash = (uint32_t)(t >> 32) + a1 * low[i] + b1;

		out[i] += (uint32_t)((uint64_t)hash * range >> 32) == symbol;
	}
}

void WIDE(const struct sotto_pair_hash *h, uint32_t symbol, uint32_t range,
	  const uint64_t *restrict keys, size_t count, uint32_t *restrict out)
{
	uint64_t a0 = h->a0, a1 = h->a1, b = h->b;

	for (size_t i = 0; i < count; i++) {
		uint32_t hash =
			(uint32_t)((a0 * (uint32_t)keys[i] + a1 * (keys[i] >> 32) + b) >> 32);

		out[i] += (uint32_t)((uint64_t)hash * range >> 32) == symbol;
	}
}
