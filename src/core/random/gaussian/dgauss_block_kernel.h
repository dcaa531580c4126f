/*
 * dgauss_block_kernel.h - from judged groups to accepted values, exactly
 *
 * A template, so that the tests can run this very text with few lanes and few
 * digits on every tape there is.  Before including it, define
 *
 *	BLOCK_LAW, BLOCK_SOURCE     the types of the law and of the random source
 *	BLOCK_WORD                  the type of a random word
 *	BLOCK_GROUP, BLOCK_LANES    lanes of a group, at most 64, and of a block
 *	BLOCK_BUDGET, BLOCK_SPARE   room for words, and for the bytes of a group
 *	block_budget(law, lanes)    how many open candidates the list decides, at least 1
 *	block_take(law, src, spare, &bytes)    the bytes of the next group, borrowed
 *	block_forget(law, bytes)    wipes them
 *	block_words(src, n, words)  the next n words, copied
 *	block_judge(law, bytes, value, head, verdict)
 *	block_weigh(law, value, head, word)       a verdict on more digits, and
 *	block_weigh_wide(law, value, head, word)  one on still more:
 *	                                          an enum sotto_dgauss_answer
 *	block_settle(law, src, &value, head, word or NULL, &yes)  without end
 *
 * Tape: the bytes of each group; then `budget` words, one for each entry of the
 * list of open candidates, dummies included; then, rarely, the words that settle
 * what is left: candidates past the end of the list, then open entries in order.
 * Nothing is ever redrawn: being open is correlated with the value.
 */
struct block_record {
	uint64_t lanes;
	uint32_t group;
};

struct block_work {
	int64_t value[BLOCK_LANES + BLOCK_GROUP]; /* the last group is for dummies */
	uint16_t head[BLOCK_LANES + BLOCK_GROUP];
	uint64_t yes[BLOCK_LANES / BLOCK_GROUP + 1];
	struct block_record records[BLOCK_LANES / BLOCK_GROUP + BLOCK_BUDGET / BLOCK_GROUP + 2];
	BLOCK_WORD words[BLOCK_BUDGET];
	uint32_t lane[BLOCK_BUDGET]; /* the candidate of each entry of the list */
	uint8_t spare[BLOCK_SPARE];
};

/* How far the list of open candidates has been worked off. */
struct block_list {
	size_t records; /* real records; dummies follow them */
	size_t at; /* the record of the next candidate */
	uint64_t lanes; /* its candidates that are still to come */
	size_t entries; /* entries that are not dummies */
	size_t open; /* entries that one word did not decide */
	size_t last_open;
};

static enum sotto_status block_judge_groups(const BLOCK_LAW *law, BLOCK_SOURCE *src,
					    struct block_work *b, size_t lanes,
					    struct block_list *list)
{
	for (uint32_t group = 0; group < lanes / BLOCK_GROUP; group++) {
		struct sotto_dgauss_verdict verdict;
		uint8_t *bytes;

		SOTTO_TRY(block_take(law, src, b->spare, &bytes));
		block_judge(law, bytes, b->value + group * BLOCK_GROUP,
			    b->head + group * BLOCK_GROUP, &verdict);
		block_forget(law, bytes);
		b->yes[group] = verdict.yes;
		b->records[list->records] = (struct block_record){verdict.open, group};
		list->records += verdict.open != 0;
	}
	return SOTTO_OK;
}

/* Adds dummies, so that the list always has as many entries as the budget. */
static void block_add_dummies(struct block_work *b, size_t records, size_t budget, size_t lanes)
{
	const uint64_t all = UINT64_MAX >> (64 - BLOCK_GROUP);

	for (size_t i = 0; i < budget / BLOCK_GROUP + 2; i++)
		b->records[records + i] =
			(struct block_record){all, (uint32_t)(lanes / BLOCK_GROUP)};
	memset(b->value + lanes, 0, BLOCK_GROUP * sizeof b->value[0]);
	memset(b->head + lanes, 0, BLOCK_GROUP * sizeof b->head[0]);
}

static void block_accept(struct block_work *b, uint32_t lane, unsigned yes)
{
	b->yes[lane / BLOCK_GROUP] |= (uint64_t)yes << lane % BLOCK_GROUP;
}

/*
 * Weighs `budget` candidates, real or dummy.  The work does not depend on what was drawn;
 * addresses depend on the noise, never on data.
 */
static void block_weigh_list(const BLOCK_LAW *law, struct block_work *b, size_t budget,
			     struct block_list *list)
{
	uint64_t lanes = b->records[0].lanes;
	size_t at = 0;

	for (size_t i = 0; i < budget; i++) {
		uint32_t lane =
			b->records[at].group * BLOCK_GROUP + (uint32_t)__builtin_ctzll(lanes);
		enum sotto_dgauss_answer answer =
			block_weigh(law, b->value[lane], b->head[lane], b->words[i]);
		size_t real = at < list->records, open = real & (answer == SOTTO_DGAUSS_OPEN);

		b->lane[i] = lane;
		block_accept(b, lane, answer == SOTTO_DGAUSS_YES);
		list->entries += real;
		list->open += open;
		list->last_open ^= (list->last_open ^ i) & sotto_mask(open);
		lanes &= lanes - 1;
		at += lanes == 0;
		lanes |= b->records[at].lanes & sotto_mask(lanes == 0);
	}
	list->at = at;
	list->lanes = lanes;
}

/* Weighs one entry once more, whether or not one is open. */
static void
block_weigh_last(const BLOCK_LAW *law, struct block_work *b, struct block_list *list)
{
	uint32_t lane = b->lane[list->last_open];
	enum sotto_dgauss_answer answer =
		block_weigh_wide(law, b->value[lane], b->head[lane], b->words[list->last_open]);

	block_accept(b, lane, answer == SOTTO_DGAUSS_YES);
	list->open -= (list->open != 0) & (answer != SOTTO_DGAUSS_OPEN);
}

/* Settles the candidates that the list did not reach. */
static enum sotto_status block_settle_leftovers(const BLOCK_LAW *law, BLOCK_SOURCE *src,
						struct block_work *b,
						const struct block_list *list)
{
	uint64_t lanes = list->lanes;

	for (size_t at = list->at; at < list->records; lanes = b->records[++at].lanes)
		for (; lanes; lanes &= lanes - 1) {
			uint32_t lane = b->records[at].group * BLOCK_GROUP +
					(uint32_t)__builtin_ctzll(lanes);
			bool yes;

			SOTTO_TRY(block_settle(law, src, &b->value[lane], b->head[lane], NULL,
					       &yes));
			block_accept(b, lane, yes);
		}
	return SOTTO_OK;
}

/* Walks the list again and continues where neither verdict decided. */
static enum sotto_status block_settle_open(const BLOCK_LAW *law, BLOCK_SOURCE *src,
					   struct block_work *b, const struct block_list *list)
{
	for (size_t i = 0; i < list->entries; i++) {
		uint32_t lane = b->lane[i];
		enum sotto_dgauss_answer answer =
			block_weigh_wide(law, b->value[lane], b->head[lane], b->words[i]);
		bool yes = answer == SOTTO_DGAUSS_YES;

		if (answer == SOTTO_DGAUSS_OPEN)
			SOTTO_TRY(block_settle(law, src, &b->value[lane], b->head[lane],
					       &b->words[i], &yes));
		block_accept(b, lane, yes);
	}
	return SOTTO_OK;
}

/* Judges `lanes` candidates (a multiple of BLOCK_GROUP); the values and yes bits go to b. */
static enum sotto_status
block_draw(const BLOCK_LAW *law, BLOCK_SOURCE *src, struct block_work *b, size_t lanes)
{
	const size_t budget = block_budget(law, lanes);
	struct block_list list = {0};
	bool rare;

	SOTTO_TRY(block_judge_groups(law, src, b, lanes, &list));
	block_add_dummies(b, list.records, budget, lanes);
	SOTTO_TRY(block_words(src, budget, b->words));
	block_weigh_list(law, b, budget, &list);
	block_weigh_last(law, b, &list);
	rare = (list.at < list.records) | (list.open != 0);
	/* Taken with probability below 2^-63; see dgauss_block.md. */
	SOTTO_DECLASSIFY(rare);
	if (__builtin_expect(rare, 0)) {
		SOTTO_TRY(block_settle_leftovers(law, src, b, &list));
		SOTTO_TRY(block_settle_open(law, src, b, &list));
	}
	return SOTTO_OK;
}

/* Wipes what blocks of up to `lanes` candidates left behind. */
static void block_wipe(const BLOCK_LAW *law, struct block_work *b, size_t lanes)
{
	size_t groups = lanes / BLOCK_GROUP, budget = block_budget(law, lanes);

	sotto_wipe(b->value, (lanes + BLOCK_GROUP) * sizeof b->value[0]);
	sotto_wipe(b->head, (lanes + BLOCK_GROUP) * sizeof b->head[0]);
	sotto_wipe(b->yes, (groups + 1) * sizeof b->yes[0]);
	sotto_wipe(b->records, (groups + budget / BLOCK_GROUP + 2) * sizeof b->records[0]);
	sotto_wipe(b->words, budget * sizeof b->words[0]);
	sotto_wipe(b->lane, budget * sizeof b->lane[0]);
	sotto_wipe(b->spare, sizeof b->spare);
}
