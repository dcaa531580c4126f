/* The fast Walsh-Hadamard transform; chooses the fastest way at run time. */
#include "local/decode/kernel/fwht.h"

/* Two levels at a time: half the passes over memory. */
#define DEFINE_FWHT(name, type)                                                                \
	static void name##_pass4(type *restrict x, size_t n, size_t h)                         \
	{                                                                                      \
		for (size_t i = 0; i < n; i += 4 * h)                                          \
			for (size_t j = i; j < i + h; j++) {                                   \
				type a = x[j], b = x[j + h], c = x[j + 2 * h],                 \
				     d = x[j + 3 * h];                                         \
				type s = a + b, t = a - b, u = c + d, v = c - d;               \
                                                                                               \
				x[j] = s + u;                                                  \
				x[j + h] = t + v;                                              \
				x[j + 2 * h] = s - u;                                          \
				x[j + 3 * h] = t - v;                                          \
			}                                                                      \
	}                                                                                      \
                                                                                               \
	static void name##_pass2(type *restrict x, size_t n, size_t h)                         \
	{                                                                                      \
		for (size_t i = 0; i < n; i += 2 * h)                                          \
			for (size_t j = i; j < i + h; j++) {                                   \
				type a = x[j], b = x[j + h];                                   \
                                                                                               \
				x[j] = a + b;                                                  \
				x[j + h] = a - b;                                              \
			}                                                                      \
	}                                                                                      \
                                                                                               \
	void name(type *x, size_t n)                                                           \
	{                                                                                      \
		size_t h = 1;                                                                  \
                                                                                               \
		for (; 4 * h <= n; h *= 4)                                                     \
			name##_pass4(x, n, h);                                                 \
		if (2 * h <= n)                                                                \
			name##_pass2(x, n, h);                                                 \
	}

DEFINE_FWHT(sotto_fwht_i64, int64_t)
DEFINE_FWHT(sotto_fwht_i32_portable, int32_t)

void sotto_fwht_i32(int32_t *x, size_t n)
{
#if defined(__x86_64__)
	if (n >= 64 && __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw")) {
		sotto_fwht_i32_avx512(x, n);
		return;
	}
	if (n >= 32 && __builtin_cpu_supports("avx2")) {
		sotto_fwht_i32_avx2(x, n);
		return;
	}
#endif
	sotto_fwht_i32_portable(x, n);
}
