/*
 * ratio_kernel.h - is a random number in [0, 1) below the fraction num/den?
 *
 * A template, so that the tests can run this very text with 4-bit words on
 * every tape there is.  Before including it, define
 *
 *	RATIO_WORD               an unsigned type for digits, random words and den
 *	RATIO_WORD_BITS          how many digits a word has
 *	RATIO_WIDE               an unsigned type that holds den << RATIO_WORD_BITS
 *	RATIO_SOURCE             the type of the random source
 *	ratio_word(src, &word)   the next random word
 *
 * Tape: words until one differs from the digits of num/den.
 */

/*
 * Compares random digits with the digits of num/den, a word of each at a time;
 * long division gives the next word when they are equal.  num < den.
 */
static enum sotto_status
ratio_above_random(RATIO_SOURCE *src, RATIO_WORD num, RATIO_WORD den, bool *out)
{
	RATIO_WORD random, digits;
	bool undecided;

	do {
		RATIO_WIDE shifted = (RATIO_WIDE)((RATIO_WIDE)num << RATIO_WORD_BITS);

		digits = (RATIO_WORD)(shifted / den);
		num = (RATIO_WORD)(shifted % den);
		SOTTO_TRY(ratio_word(src, &random));
		/* True with probability 2^-64. */
		undecided = random == digits;
		SOTTO_DECLASSIFY(undecided);
	} while (undecided && num != 0);
	*out = random < digits;
	return SOTTO_OK;
}
