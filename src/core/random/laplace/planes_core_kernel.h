/*
 * planes_core_kernel.h - one draw: the trusted definition of the sampler
 *
 * A template, so that the tests can run this very text with 4-bit words on
 * every tape there is.  Before including it, define
 *
 *	CORE_WORD                the type of a random word
 *	CORE_WORD_BITS           how many random bits it has
 *	CORE_PLANES, CORE_SOURCE the types of the scale and of the random source
 *	core_words(src, n, spare, &words)  the next n words, borrowed
 *	core_load(words, k)      word k of them
 *	core_continue(p, src, k, offset, &bit)  as sotto_planes_continue
 *	core_compare(p, words, &ones, &ties)    optional: the comparison below, faster
 *
 * The scale has members value_bits, count, has_sign and first[].
 *
 * Tape: one word per plane in ascending order (value bits, sign, tail); then,
 * rarely, the words that go on with tied planes, ascending; then, if the tail
 * bit is set, one comparison with the tail's probability after another until
 * one fails.
 */

/* Draws H ~ Geom(A): how often in a row a comparison with the tail's probability succeeds. */
static enum sotto_status core_draw_tail(const CORE_PLANES *p, CORE_SOURCE *src, sotto_u128 *h)
{
	bool more = true;

	for (*h = 0;; ++*h) {
		SOTTO_TRY(core_continue(p, src, p->count - 1, 0, &more));
		if (!more)
			return SOTTO_OK;
	}
}

/* Combines magnitude and sign, clamped to the range. */
static int64_t core_place(const CORE_PLANES *p, sotto_u128 magnitude, uint64_t sign)
{
	int64_t g = magnitude > INT64_MAX ? INT64_MAX : (int64_t)magnitude;

	return p->has_sign ? g ^ -(int64_t)sign : g;
}

/*
 * Settles ties and the tail, on the same random words; called with probability below (K + 2)
 * 2^-64.
 */
static enum sotto_status
core_finish(const CORE_PLANES *p, CORE_SOURCE *src, uint64_t ones, uint64_t ties, int64_t *out)
{
	const uint64_t value_mask = (UINT64_C(1) << p->value_bits) - 1;
	sotto_u128 magnitude, h;

	for (unsigned k = 0; k < p->count; k++) {
		bool bit;

		if (!(ties >> k & 1))
			continue;
		SOTTO_TRY(core_continue(p, src, k, CORE_WORD_BITS, &bit));
		ones |= (uint64_t)bit << k;
	}
	magnitude = ones & value_mask;
	if (ones >> (p->count - 1) & 1) {
		SOTTO_TRY(core_draw_tail(p, src, &h));
		magnitude += (1 + h) << p->value_bits;
	}
	*out = core_place(p, magnitude, ones >> p->value_bits & 1);
	return SOTTO_OK;
}

#ifndef core_compare
/*
 * Sets bit k of ones and ties if word k is below, or equal to, plane k's first word.  Wipes the
 * words.
 */
static inline void
core_compare(const CORE_PLANES *p, uint8_t *words, uint64_t *ones, uint64_t *ties)
{
	for (unsigned k = 0; k < p->count; k++) {
		CORE_WORD random = core_load(words, k);

		*ones |= (uint64_t)(random < p->first[k]) << k;
		*ties |= (uint64_t)(random == p->first[k]) << k;
	}
	sotto_wipe(words, p->count * sizeof(CORE_WORD));
}
#endif

static inline enum sotto_status core_draw(const CORE_PLANES *p, CORE_SOURCE *src, int64_t *out)
{
	const uint64_t tail = UINT64_C(1) << (p->count - 1);
	const uint64_t value_mask = (UINT64_C(1) << p->value_bits) - 1;
	uint8_t spare[SOTTO_PLANES_MAX * sizeof(CORE_WORD)], *words;
	uint64_t ones = 0, ties = 0, rare;

	SOTTO_TRY(core_words(src, p->count, spare, &words));
	core_compare(p, words, &ones, &ties);
	/* The one branch: taken with probability at most (K + 2) 2^-64. */
	rare = ties | (ones & tail);
	SOTTO_DECLASSIFY(rare);
	if (__builtin_expect(rare != 0, 0))
		return core_finish(p, src, ones, ties, out);
	*out = core_place(p, ones & value_mask, ones >> p->value_bits & 1);
	return SOTTO_OK;
}
