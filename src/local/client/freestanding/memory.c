/*
 * memory.c - memcpy and the like, which a compiler may call by itself
 *
 * Weak, so that a platform's own versions win; only in libsotto-client.a.
 */
#include <stddef.h>
#include <stdint.h>

#define WEAK __attribute__((weak))

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* volatile keeps the compiler from turning each loop into a call of itself */
WEAK void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	volatile uint8_t *t = to;
	const uint8_t *f = from;

	for (size_t i = 0; i < n; i++)
		t[i] = f[i];
	return to;
}

WEAK void *memmove(void *to, const void *from, size_t n)
{
	volatile uint8_t *t = to;
	const uint8_t *f = from;

	if ((uintptr_t)to < (uintptr_t)from)
		for (size_t i = 0; i < n; i++)
			t[i] = f[i];
	else
		while (n-- > 0)
			t[n] = f[n];
	return to;
}

WEAK void *memset(void *to, int byte, size_t n)
{
	volatile uint8_t *t = to;

	for (size_t i = 0; i < n; i++)
		t[i] = (uint8_t)byte;
	return to;
}

WEAK int memcmp(const void *a, const void *b, size_t n)
{
	const volatile uint8_t *x = a, *y = b;

	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}
