/*
 * toy_gauss_kernel.h - the product's bulk Gaussian block, made for a law of fractions
 *
 * Before including it, define TOY_GROUP, the lanes of a group.  Words have 3
 * bits.  A candidate is a word for its cell and a word for its head; cell 3 is the
 * tail, whose value is 3 or 4 by one more word that only settling reads.  The
 * acceptances are fractions, so the joint law can be written down.
 */
#include <gmp.h>
#include <stdlib.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/random/gaussian/dgauss_block.h"
#include "core/random/generator/random_source.h"
#include "testlib/sampler/all_tapes.h"
#include "testlib/tap.h"

enum {
	TOY_BITS = 3,
	TOY_WORDS = 1 << TOY_BITS,
	TOY_LANES = 2,
	TOY_TAIL = 3,
	TOY_VALUES = 5,
	TOY_REJECTED = 5,
	TOY_BUDGET = 4,
};

/* What is wrong with the sampler, for the tests of the test. */
enum toy_fault {
	TOY_RIGHT,
	TOY_OPEN_IS_NO, /* what the list leaves open is rejected */
	TOY_REDRAW, /* settling starts with fresh digits */
	TOY_WORD_TWICE, /* settling forgets the word that was read */
};

struct toy_gauss {
	unsigned budget;
	unsigned width; /* heads this near to p are open */
	enum toy_fault fault;
};

static const unsigned toy_weight[TOY_VALUES] = {3, 2, 2, 1, 0};
static const struct {
	unsigned num, den;
} toy_acceptance[TOY_VALUES] = {{1, 1}, {5, 7}, {3, 5}, {1, 9}, {1, 13}};

/* floor(8^words p) of a value */
static unsigned toy_floor(int64_t value, unsigned words)
{
	return (toy_acceptance[value].num << TOY_BITS * words) / toy_acceptance[value].den;
}

static int64_t toy_cell(unsigned word)
{
	int64_t cell = 0;

	for (unsigned sum = toy_weight[0]; word >= sum; sum += toy_weight[cell])
		cell++;
	return cell;
}

static enum sotto_dgauss_answer toy_compare(unsigned digits, unsigned floor, unsigned width)
{
	if (digits + width < floor)
		return SOTTO_DGAUSS_YES;
	return digits > floor + width ? SOTTO_DGAUSS_NO : SOTTO_DGAUSS_OPEN;
}

#define BLOCK_LAW struct toy_gauss
#define BLOCK_SOURCE struct all_tapes
#define BLOCK_WORD uint8_t
#define BLOCK_GROUP TOY_GROUP
#define BLOCK_LANES TOY_LANES
#define BLOCK_BUDGET TOY_BUDGET
#define BLOCK_SPARE (2 * TOY_GROUP)
#define block_forget(law, bytes) ((void)(law), (void)(bytes))
#define block_weigh_wide(law, value, head, word) toy_weigh(law, value, head, word, 0)
#define block_weigh(law, value, head, word) toy_weigh(law, value, head, word, 2)
#define block_words(src, n, words) all_tapes_read(src, n, words)

static inline size_t block_budget(const struct toy_gauss *law, size_t lanes)
{
	(void)lanes;
	return law->budget;
}

static inline enum sotto_status
block_take(const struct toy_gauss *law, struct all_tapes *t, uint8_t *spare, uint8_t **bytes)
{
	(void)law;
	*bytes = spare;
	return all_tapes_read(t, 2 * TOY_GROUP, spare);
}

static inline void block_judge(const struct toy_gauss *law, const uint8_t *bytes,
			       int64_t *value, uint16_t *head,
			       struct sotto_dgauss_verdict *verdict)
{
	*verdict = (struct sotto_dgauss_verdict){0, 0};
	for (unsigned i = 0; i < TOY_GROUP; i++) {
		enum sotto_dgauss_answer answer;

		value[i] = toy_cell(bytes[i]);
		head[i] = bytes[TOY_GROUP + i];
		answer = toy_compare(head[i], toy_floor(value[i], 1), law->width);
		verdict->yes |= (uint64_t)(answer == SOTTO_DGAUSS_YES) << i;
		verdict->open |= (uint64_t)(answer == SOTTO_DGAUSS_OPEN) << i;
	}
}

/* The tail's true value is not known here: below its largest acceptance all is open. */
static inline enum sotto_dgauss_answer toy_weigh(const struct toy_gauss *law, int64_t value,
						 unsigned head, unsigned word, unsigned width)
{
	unsigned digits = head << TOY_BITS | word, floor = toy_floor(value, 2);

	(void)law;
	if (value == TOY_TAIL)
		return digits <= floor ? SOTTO_DGAUSS_OPEN : SOTTO_DGAUSS_NO;
	return toy_compare(digits, floor, width);
}

/* Compares further words with further digits of the acceptance. */
static enum sotto_status
toy_go_on(struct all_tapes *t, int64_t value, unsigned digits, unsigned words, bool *yes)
{
	uint8_t word;

	while (digits == toy_floor(value, words)) {
		if (words == 9) /* 27 digits: as good as none left */
			return SOTTO_EENTROPY;
		SOTTO_TRY(all_tapes_read(t, 1, &word));
		digits = digits << TOY_BITS | word;
		words++;
	}
	*yes = digits < toy_floor(value, words);
	return SOTTO_OK;
}

static enum sotto_status block_settle(const struct toy_gauss *law, struct all_tapes *t,
				      int64_t *value, unsigned head, const uint8_t *word,
				      bool *yes)
{
	uint8_t half;

	*yes = false;
	if (law->fault == TOY_OPEN_IS_NO)
		return SOTTO_OK;
	if (*value == TOY_TAIL) {
		SOTTO_TRY(all_tapes_read(t, 1, &half));
		*value += half >= TOY_WORDS / 2;
	}
	if (law->fault == TOY_REDRAW)
		return toy_go_on(t, *value, 0, 0, yes);
	if (word && law->fault != TOY_WORD_TWICE)
		return toy_go_on(t, *value, head << TOY_BITS | *word, 2, yes);
	return toy_go_on(t, *value, head, 1, yes);
}

#include "core/random/gaussian/dgauss_block_kernel.h"

/* Of one candidate: accepted as 0..4, or rejected. */
static mpq_t *toy_gauss_law(void)
{
	mpq_t *law = calloc(2 * TOY_REJECTED + 1, sizeof *law), *at = law + TOY_REJECTED, part;

	if (!law)
		abort();
	for (unsigned i = 0; i <= 2 * TOY_REJECTED; i++)
		mpq_init(law[i]);
	mpq_init(part);
	mpq_set_ui(at[TOY_REJECTED], 1, 1);
	for (unsigned v = 0; v < TOY_VALUES; v++) {
		/* Half of the tail's weight each. */
		unsigned weight = v < TOY_TAIL ? 2 * toy_weight[v] : toy_weight[TOY_TAIL];

		mpq_set_ui(part, weight * toy_acceptance[v].num,
			   2 * TOY_WORDS * toy_acceptance[v].den);
		mpq_canonicalize(part);
		mpq_set(at[v], part);
		mpq_sub(at[TOY_REJECTED], at[TOY_REJECTED], part);
	}
	mpq_clear(part);
	return law;
}

/* Runs every tape of so many words and counts where the joint law is not met. */
static unsigned toy_gauss_faults(const struct toy_gauss *law, unsigned length)
{
	mpq_t *masses = toy_gauss_law();
	struct all_tapes t;
	struct tally tally;
	uint64_t not_wiped = 0;
	unsigned faults;

	all_tapes_first(&t, TOY_BITS, length);
	tally_init(&tally, &t, TOY_LANES, TOY_REJECTED);
	for (bool more = true; more; more = all_tapes_next(&t)) {
		static const struct block_work empty;
		struct block_work b;
		int64_t out[TOY_LANES];
		enum sotto_status st;

		memset(&b, 0, sizeof b);
		st = block_draw(law, &t, &b, TOY_LANES);
		for (unsigned i = 0; i < TOY_LANES; i++)
			out[i] = b.yes[i / TOY_GROUP] >> i % TOY_GROUP & 1 ? b.value[i]
									   : TOY_REJECTED;
		tally_add(&tally, &t, st, out);
		block_wipe(law, &b, TOY_LANES);
		not_wiped += memcmp(&b, &empty, sizeof b) != 0;
	}
	CHECK((double)tally.undecided < 0.1 * (double)tally.total);
	CHECK_INT(not_wiped, 0);
	faults = tally_faults(&tally, masses);
	tally_release(&tally);
	for (unsigned i = 0; i <= 2 * TOY_REJECTED; i++)
		mpq_clear(masses[i]);
	free(masses);
	return faults;
}
