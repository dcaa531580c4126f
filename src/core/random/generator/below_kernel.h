/*
 * below_kernel.h - a uniform integer below n from uniform words
 *
 * A template, so that the tests can run this very text with 4-bit words on
 * every tape there is.  Before including it, define
 *
 *	BELOW_WORD               an unsigned type for words and results
 *	BELOW_WORD_BITS          how many random bits a word has
 *	BELOW_WORD_MAX           the largest word
 *	BELOW_WIDE               an unsigned type for the product of two words
 *	BELOW_SOURCE             the type of the random source
 *	below_word(src, &word)   the next random word
 *
 * Tape: words until one is accepted.
 */

/*
 * Lemire 2019: the high word of word * n is uniform once the low words that would make some
 * results more likely (2^BELOW_WORD_BITS mod n of them) are rejected.  The trials are independent
 * of the result they end with.  n > 0.
 *
 * All rejected low words are below n, so their number is computed only for such a word: except
 * with probability n 2^-BELOW_WORD_BITS there is one trial and no division, whose time would
 * reveal n.
 */
static enum sotto_status below_draw(BELOW_SOURCE *src, BELOW_WORD n, BELOW_WORD *out)
{
	BELOW_WORD word;
	BELOW_WIDE product;
	bool again;

	do {
		BELOW_WORD low;

		SOTTO_TRY(below_word(src, &word));
		product = (BELOW_WIDE)((BELOW_WIDE)word * n);
		low = (BELOW_WORD)(product & BELOW_WORD_MAX);
		again = low < n;
		SOTTO_DECLASSIFY(again);
		if (__builtin_expect(again, 0)) {
			again = low < (BELOW_WORD)(BELOW_WORD_MAX - n + 1) % n;
			SOTTO_DECLASSIFY(again);
		}
	} while (again);
	*out = (BELOW_WORD)(product >> BELOW_WORD_BITS);
	return SOTTO_OK;
}
