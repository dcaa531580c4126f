/*
 * fwht_kernel.h - the transform on vectors, included once per instruction set
 *
 * VEC holds LANES numbers; LOAD, STORE, PLUS, MINUS do what they say; WITHIN does
 * the levels inside one vector.  Four vectors go through two levels and, at the
 * first pass, through those inside a vector as well.
 */

static inline void four(int32_t *x, size_t h, int first)
{
	VEC a = LOAD(x), b = LOAD(x + h), c = LOAD(x + 2 * h), d = LOAD(x + 3 * h), s, t, u, v;

	if (first) {
		a = WITHIN(a);
		b = WITHIN(b);
		c = WITHIN(c);
		d = WITHIN(d);
	}
	s = PLUS(a, b);
	t = MINUS(a, b);
	u = PLUS(c, d);
	v = MINUS(c, d);
	STORE(x, PLUS(s, u));
	STORE(x + h, PLUS(t, v));
	STORE(x + 2 * h, MINUS(s, u));
	STORE(x + 3 * h, MINUS(t, v));
}

void NAME(int32_t *x, size_t n)
{
	size_t h = LANES;

	for (size_t i = 0; i < n; i += 4 * h)
		four(x + i, h, 1);
	for (h *= 4; 4 * h <= n; h *= 4)
		for (size_t i = 0; i < n; i += 4 * h)
			for (size_t j = i; j < i + h; j += LANES)
				four(x + j, h, 0);
	for (size_t i = 0; 2 * h <= n && i < n; i += 2 * h)
		for (size_t j = i; j < i + h; j += LANES) {
			VEC a = LOAD(x + j), b = LOAD(x + j + h);

			STORE(x + j, PLUS(a, b));
			STORE(x + j + h, MINUS(a, b));
		}
}
