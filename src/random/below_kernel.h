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
 * Lemire 2019: the high word of word * n is uniform once the low words that
 * would make some results more likely (2^BELOW_WORD_BITS mod n of them) are
 * rejected.  The trials are independent of the result they end with.  n > 0.
 */
static enum sotto_status below_draw(BELOW_SOURCE *src, BELOW_WORD n, BELOW_WORD *out)
{
	const BELOW_WORD reject = (BELOW_WORD)(BELOW_WORD_MAX - n + 1) % n;
	BELOW_WORD word;
	BELOW_WIDE product;
	bool again;

	do {
		SOTTO_TRY(below_word(src, &word));
		product = (BELOW_WIDE)((BELOW_WIDE)word * n);
		again = (BELOW_WORD)(product & BELOW_WORD_MAX) < reject;
		SOTTO_DECLASSIFY(again);
	} while (again);
	*out = (BELOW_WORD)(product >> BELOW_WORD_BITS);
	return SOTTO_OK;
}
