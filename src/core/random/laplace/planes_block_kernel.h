/*
 * planes_block_kernel.h - many draws at once, bit for bit the same law
 *
 * A template like planes_core_kernel.h, which it includes for the tail; the
 * tests run it with 4-bit heads and words, few lanes and budgets of 0, 1 and 2
 * on every tape.  Besides the core's definitions it needs
 *
 *	BLOCK_HEAD_BITS             random bits in a head (one head a byte)
 *	BLOCK_GROUP, BLOCK_STRIDE   as in sampler_block.h
 *	BLOCK_RECORDS, BLOCK_BUDGET room for records and words
 *	block_budget(p, lanes)      how many ties the list settles
 *	block_heads(src, n, spare, &heads)  the next n heads, borrowed
 *	block_words(src, n, words)  the next n words, copied
 *	block_slot(p, k), block_bit(p, k)   without a branch
 *
 * The scale also has head[], after_head[] and path (struct sotto_block_path).
 *
 * Tape: heads group by group, within a group plane by plane; then `budget`
 * words; then, in the rare case that something is left, words that go on with
 * the same digits: left-over ties in record order, tied words in list order,
 * tails by lane.  Nothing is ever redrawn: being undecided is correlated with
 * the value.
 */
struct block_work {
	uint8_t slots[SOTTO_BLOCK_SLOTS][BLOCK_STRIDE];
	CORE_WORD words[BLOCK_BUDGET];
	struct sotto_block_record records[BLOCK_RECORDS + BLOCK_BUDGET / BLOCK_GROUP + 2];
	uint8_t spare[SOTTO_PLANES_MAX * BLOCK_GROUP];
};

/* How far the list of ties has been worked off, and whether the common path is enough. */
struct block_list {
	size_t records; /* real records; dummies follow them */
	size_t at; /* the record of the next tie */
	uint64_t lanes; /* its lanes that are still to be settled */
	unsigned anomaly; /* a word tied, or a tail bit set */
};

static enum sotto_status block_compare_heads(const CORE_PLANES *p, CORE_SOURCE *src,
					     struct block_work *b, size_t lanes,
					     struct block_list *list)
{
	struct sotto_block_record *end = b->records;
	size_t n = (size_t)p->count * BLOCK_GROUP;

	for (uint32_t group = 0; group < lanes / BLOCK_GROUP; group++) {
		uint8_t *heads;

		SOTTO_TRY(block_heads(src, n, b->spare, &heads));
		end = p->path->heads(p, heads, group, &b->slots[0][group * BLOCK_GROUP], end);
		sotto_wipe(heads, n);
	}
	list->records = (size_t)(end - b->records);
	return SOTTO_OK;
}

/* Adds dummies, ties of no draw, so that the list always has as many entries as the budget. */
static void block_add_dummies(struct block_work *b, size_t records, size_t budget, size_t lanes)
{
	uint64_t all = BLOCK_GROUP == 64 ? UINT64_MAX : (UINT64_C(1) << (BLOCK_GROUP % 64)) - 1;

	for (size_t i = 0; i < budget / BLOCK_GROUP + 2; i++) {
		/* Makes the loop count by i: comparing pointers, it would end on a secret. */
		__asm__("" : "+r"(i));
		b->records[records + i] = (struct sotto_block_record){
			.lanes = all, .plane = 0, .group = (uint32_t)(lanes / BLOCK_GROUP)};
	}
}

/*
 * Settles `budget` ties, real or dummy, with one word each.  The work does not depend on what was
 * drawn; addresses depend on the noise, never on data.  The next record's lanes are loaded one
 * step ahead, off the chain of dependencies.
 */
static void block_settle_ties(const CORE_PLANES *p, struct block_work *b, size_t budget,
			      struct block_list *list)
{
	const struct sotto_block_record *r = b->records;
	const uint32_t tail = p->count - 1;
	uint64_t lanes = r[0].lanes, next = r[1].lanes;
	unsigned anomaly = 0;
	size_t at = 0;

	for (size_t i = 0; i < budget; i++) {
		unsigned k = r[at].plane, lane = (unsigned)__builtin_ctzll(lanes);
		CORE_WORD random = b->words[i];
		unsigned less = random < p->after_head[k], tied = random == p->after_head[k];
		uint8_t *slot = b->slots[block_slot(p, k)];
		uint64_t last;

		slot[r[at].group * BLOCK_GROUP + lane] |= (uint8_t)(less << block_bit(p, k));
		anomaly |= (tied | (less & (k == tail))) & (at < list->records);
		lanes &= lanes - 1;
		last = sotto_mask(lanes == 0);
		lanes |= next & last;
		at += last & 1;
		next = r[at + 1].lanes;
	}
	list->at = at;
	list->lanes = lanes;
	list->anomaly = anomaly;
}

static void block_set(const CORE_PLANES *p, struct block_work *b,
		      const struct sotto_block_record *r, unsigned lane, bool bit)
{
	b->slots[block_slot(p, r->plane)][r->group * BLOCK_GROUP + lane] |=
		(uint8_t)((unsigned)bit << block_bit(p, r->plane));
}

/* Settles the ties that the budget did not reach: their words are the next ones on the tape. */
static enum sotto_status block_settle_leftovers(const CORE_PLANES *p, CORE_SOURCE *src,
						struct block_work *b,
						const struct block_list *list)
{
	uint64_t lanes = list->lanes;

	for (size_t at = list->at; at < list->records; lanes = b->records[++at].lanes)
		for (; lanes; lanes &= lanes - 1) {
			const struct sotto_block_record *r = &b->records[at];
			bool bit;

			SOTTO_TRY(core_continue(p, src, r->plane, BLOCK_HEAD_BITS, &bit));
			block_set(p, b, r, (unsigned)__builtin_ctzll(lanes), bit);
		}
	return SOTTO_OK;
}

/* Walks the list again and continues where the word was equal too. */
static enum sotto_status block_settle_tied_words(const CORE_PLANES *p, CORE_SOURCE *src,
						 struct block_work *b, size_t budget,
						 const struct block_list *list)
{
	uint64_t lanes = b->records[0].lanes;
	size_t at = 0;

	for (size_t i = 0; i < budget && at < list->records; i++) {
		const struct sotto_block_record *r = &b->records[at];
		bool bit;

		if (b->words[i] == p->after_head[r->plane]) {
			SOTTO_TRY(core_continue(p, src, r->plane,
						BLOCK_HEAD_BITS + CORE_WORD_BITS, &bit));
			block_set(p, b, r, (unsigned)__builtin_ctzll(lanes), bit);
		}
		lanes &= lanes - 1;
		if (!lanes)
			lanes = b->records[++at].lanes;
	}
	return SOTTO_OK;
}

/* Completes the draws at or beyond 2^K. */
static enum sotto_status block_draw_tails(const CORE_PLANES *p, CORE_SOURCE *src,
					  const struct block_work *b, size_t n, int64_t *out)
{
	for (size_t lane = 0; lane < n; lane++) {
		unsigned flags = b->slots[SOTTO_BLOCK_FLAGS][lane];
		uint64_t sign = p->has_sign ? flags & 1 : 0;
		sotto_u128 h, low = (uint64_t)(out[lane] ^ -(int64_t)sign);

		if (!(flags & 2))
			continue;
		SOTTO_TRY(core_draw_tail(p, src, &h));
		out[lane] = core_place(p, low + ((1 + h) << p->value_bits), sign);
	}
	return SOTTO_OK;
}

/* Makes n draws; n is a multiple of BLOCK_GROUP that fits a block. */
static enum sotto_status
block_draw(const CORE_PLANES *p, CORE_SOURCE *src, struct block_work *b, int64_t *out, size_t n)
{
	const size_t budget = block_budget(p, n);
	struct block_list list = {0};
	unsigned anomaly;

	SOTTO_TRY(block_compare_heads(p, src, b, n, &list));
	block_add_dummies(b, list.records, budget, n);
	SOTTO_CLASSIFY(b->records, sizeof b->records);
	SOTTO_TRY(block_words(src, budget, b->words));
	block_settle_ties(p, b, budget, &list);
	anomaly = list.anomaly | (list.at < list.records);
	/* Taken with probability below (n + budget) 2^-64 + 2^-123; see planes_block.md. */
	SOTTO_DECLASSIFY(anomaly);
	if (__builtin_expect(anomaly != 0, 0)) {
		SOTTO_TRY(block_settle_leftovers(p, src, b, &list));
		SOTTO_TRY(block_settle_tied_words(p, src, b, budget, &list));
	}
	p->path->widen(p, b->slots[0], out, n);
	if (__builtin_expect(anomaly != 0, 0))
		SOTTO_TRY(block_draw_tails(p, src, b, n, out));
	return SOTTO_OK;
}

/* Wipes what blocks of up to n draws left behind. */
static void block_wipe(const CORE_PLANES *p, struct block_work *b, size_t n)
{
	size_t budget = block_budget(p, n);
	size_t records = n / BLOCK_GROUP * p->count + budget / BLOCK_GROUP + 2;

	for (unsigned s = 0; s < SOTTO_BLOCK_SLOTS; s++)
		sotto_wipe(b->slots[s], n + BLOCK_GROUP);
	sotto_wipe(b->words, budget * sizeof b->words[0]);
	sotto_wipe(b->records, records * sizeof b->records[0]);
	sotto_wipe(b->spare, sizeof b->spare);
}
