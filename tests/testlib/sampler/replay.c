/*
 * Collects heads, then words for tied heads, then tails, in the order of the definition, and
 * gives each draw's digits to the single-draw core as a tape.
 */
#include "testlib/sampler/replay.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/random/laplace/sampler_block.h"
#include "testlib/tape.h"

enum {
	GROUP = 64,
	LANES = 4096,
	TIED_WORDS = 8, /* a written tape never ties further than this */
	STRING_WORDS = TIED_WORDS + 4,
	TAIL_STEPS = 64,
};

/* The random digits of one plane of one draw: a head, then words. */
struct string {
	unsigned lane, plane;
	uint8_t head;
	unsigned words;
	uint64_t word[STRING_WORDS];
};

struct replay {
	const struct sotto_planes *p;
	uint8_t *tape;
	size_t at;
	const struct replay_odds *odds; /* NULL: the tape is only read */
	uint64_t state;
	struct string *ties; /* of this block, in record order */
	uint32_t count;
	uint32_t *tie_of; /* lane * planes + plane: 1 + its place in ties, or 0 */
	uint64_t *tails; /* per lane, the words of its tail */
	unsigned *tail_words;
	struct tape *core; /* what the core reads for one draw */
};

/* Steele, Lea and Flood 2014 (SplitMix64): reproducible, not random. */
static uint64_t mix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static bool chance(struct replay *r, unsigned of_256)
{
	return mix(&r->state) % 256 < of_256;
}

static uint8_t next_head(struct replay *r, unsigned plane)
{
	if (r->odds)
		r->tape[r->at] = chance(r, r->odds->tied_head) ? r->p->head[plane]
							       : (uint8_t)mix(&r->state);
	return r->tape[r->at++];
}

static uint64_t next_word(struct replay *r, unsigned plane, unsigned offset)
{
	uint64_t word;

	if (r->odds) {
		const bool may_tie = offset < 64 * TIED_WORDS;

		word = mix(&r->state);
		if (may_tie && chance(r, r->odds->tied_word))
			word = sotto_planes_digits(r->p, plane, offset);
		else if (may_tie && chance(r, r->odds->zero_word))
			word = 0;
		for (int i = 0; i < 8; i++)
			r->tape[r->at + i] = (uint8_t)(word >> 8 * i);
	}
	word = sotto_load_word(r->tape + r->at);
	r->at += 8;
	return word;
}

static uint32_t *tie_of(const struct replay *r, size_t lane, unsigned plane)
{
	return &r->tie_of[lane * r->p->count + plane];
}

static void read_head(struct replay *r, size_t lane, unsigned k)
{
	uint8_t head = next_head(r, k);

	*tie_of(r, lane, k) = 0;
	if (head != r->p->head[k])
		return;
	r->ties[r->count++] = (struct string){.lane = (unsigned)lane, .plane = k, .head = head};
	*tie_of(r, lane, k) = r->count;
}

/* The block's heads, and the list of those that are tied. */
static void read_heads(struct replay *r, size_t lanes)
{
	r->count = 0;
	for (size_t group = 0; group < lanes; group += GROUP)
		for (unsigned k = 0; k < r->p->count; k++)
			for (size_t lane = group; lane < group + GROUP; lane++)
				read_head(r, lane, k);
}

static void add_word(struct replay *r, struct string *s)
{
	unsigned offset = 8 + 64 * s->words;

	assert(s->words < STRING_WORDS);
	s->word[s->words++] = next_word(r, s->plane, offset);
}

static bool still_tied(const struct replay *r, const struct string *s)
{
	return s->word[s->words - 1] ==
	       sotto_planes_digits(r->p, s->plane, 8 + 64 * (s->words - 1));
}

static void read_words(struct replay *r, size_t lanes)
{
	size_t budget = 2 * ((lanes * r->p->count + 255) / 256) + 64;
	size_t settled = r->count < budget ? r->count : budget;

	for (size_t i = 0; i < settled; i++)
		add_word(r, &r->ties[i]);
	for (size_t i = settled; i < budget; i++)
		(void)next_word(r, 0, 8); /* for a dummy */
	for (size_t i = settled; i < r->count; i++)
		do
			add_word(r, &r->ties[i]);
		while (still_tied(r, &r->ties[i]));
	for (size_t i = 0; i < settled; i++)
		while (still_tied(r, &r->ties[i]))
			add_word(r, &r->ties[i]);
}

static bool is_below(const struct replay *r, const struct string *s)
{
	return s->word[s->words - 1] <
	       sotto_planes_digits(r->p, s->plane, 8 + 64 * (s->words - 1));
}

/* Comparisons with the tail's probability until one fails. */
static void read_tail(struct replay *r, unsigned lane)
{
	const unsigned tail = r->p->count - 1;
	uint64_t *words = r->tails + (size_t)lane * TAIL_STEPS;
	unsigned offset = 0;

	for (unsigned n = 0;; offset += 64) {
		uint64_t digits = sotto_planes_digits(r->p, tail, offset);

		assert(n < TAIL_STEPS);
		words[n] = next_word(r, tail, offset);
		r->tail_words[lane] = n + 1;
		if (words[n] > digits)
			return;
		if (words[n++] < digits)
			offset = 0u - 64; /* one more success: a new comparison */
	}
}

static void read_tails(struct replay *r, size_t lanes)
{
	for (unsigned lane = 0; lane < lanes; lane++) {
		uint32_t tie = *tie_of(r, lane, r->p->count - 1);

		r->tail_words[lane] = 0;
		if (tie && is_below(r, &r->ties[tie - 1]))
			read_tail(r, lane);
	}
}

/* 64 digits of the string from the offset on; zeros past its end. */
static uint64_t string_digits(const struct string *s, unsigned offset)
{
	uint64_t digits = 0;

	for (unsigned i = offset; i < offset + 64; i++) {
		unsigned bit = 0;

		if (i < 8)
			bit = s->head >> (7 - i) & 1;
		else if ((i - 8) / 64 < s->words)
			bit = s->word[(i - 8) / 64] >> (63 - (i - 8) % 64) & 1;
		digits = digits << 1 | bit;
	}
	return digits;
}

/* The core's tape for one draw: the same digits, cut into words. */
static size_t
core_tape(const struct replay *r, const uint8_t *heads, unsigned lane, uint64_t *words)
{
	const struct sotto_planes *p = r->p;
	struct string own[SOTTO_PLANES_MAX] = {{0}};
	size_t n = 0;

	for (unsigned k = 0; k < p->count; k++) {
		uint32_t tie = *tie_of(r, lane, k);

		own[k].head = heads[(lane / GROUP * p->count + k) * GROUP + lane % GROUP];
		if (tie)
			own[k] = r->ties[tie - 1];
	}
	for (unsigned k = 0; k < p->count; k++)
		words[n++] = string_digits(&own[k], 0);
	for (unsigned k = 0; k < p->count; k++)
		for (unsigned o = 0; string_digits(&own[k], o) == sotto_planes_digits(p, k, o);
		     o += 64)
			words[n++] = string_digits(&own[k], o + 64);
	for (unsigned i = 0; i < r->tail_words[lane]; i++)
		words[n++] = r->tails[(size_t)lane * TAIL_STEPS + i];
	return n;
}

static void draw_by_core(struct replay *r, const void *bytes, size_t n, int64_t *out)
{
	tape_load(r->core, bytes, n);
	if (sotto_planes_draw(r->p, &r->core->rng, out) != SOTTO_OK || tape_used(r->core) != n)
		abort();
}

static void read_block(struct replay *r, int64_t *out, size_t lanes)
{
	const uint8_t *heads = r->tape + r->at;
	uint64_t words[SOTTO_PLANES_MAX * (STRING_WORDS + 2) + TAIL_STEPS];

	read_heads(r, lanes);
	read_words(r, lanes);
	read_tails(r, lanes);
	for (unsigned lane = 0; lane < lanes; lane++)
		draw_by_core(r, words, 8 * core_tape(r, heads, lane, words), &out[lane]);
}

/* One draw of the rest by the core: its words are on the tape as they are. */
static void read_single(struct replay *r, int64_t *out)
{
	const struct sotto_planes *p = r->p;
	size_t start = r->at;
	bool tied[SOTTO_PLANES_MAX], tail = false;

	for (unsigned k = 0; k < p->count; k++) {
		uint64_t word = next_word(r, k, 0);

		tied[k] = word == p->first[k];
		tail = word < p->first[k];
	}
	for (unsigned k = 0; k < p->count; k++)
		for (unsigned offset = 64; tied[k]; offset += 64) {
			uint64_t digits = sotto_planes_digits(p, k, offset);
			uint64_t word = next_word(r, k, offset);

			tied[k] = word == digits;
			if (k == p->count - 1)
				tail = word < digits;
		}
	if (tail)
		read_tail(r, 0);
	draw_by_core(r, r->tape + start, r->at - start, out);
}

static void *zeros(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		abort();
	return p;
}

static size_t run(struct replay *r, int64_t *out, size_t n)
{
	size_t most = n < LANES ? n + 1 : LANES;

	r->ties = zeros(most * r->p->count, sizeof *r->ties);
	r->tie_of = zeros(most * r->p->count, sizeof *r->tie_of);
	r->tails = zeros(most * TAIL_STEPS, sizeof *r->tails);
	r->tail_words = zeros(most, sizeof *r->tail_words);
	r->core = tape_open(NULL, 0, 0);
	while (n >= GROUP) {
		size_t lanes = n < LANES ? n / GROUP * GROUP : LANES;

		read_block(r, out, lanes);
		out += lanes;
		n -= lanes;
	}
	for (; n; n--)
		read_single(r, out++);
	tape_close(r->core);
	free(r->ties);
	free(r->tie_of);
	free(r->tails);
	free(r->tail_words);
	return r->at;
}

size_t replay_room(const struct sotto_planes *p, size_t n)
{
	return 16 * replay_plain_bytes(p, n) + 8 * TAIL_STEPS * n + 4096;
}

size_t replay_fill(const struct sotto_planes *p, const uint8_t *tape, int64_t *out, size_t n)
{
	struct replay r = {.p = p, .tape = (uint8_t *)(uintptr_t)tape};

	return run(&r, out, n);
}

size_t replay_write(const struct sotto_planes *p, uint64_t seed, const struct replay_odds *odds,
		    uint8_t *tape, int64_t *out, size_t n)
{
	struct replay r = {.p = p, .tape = tape, .odds = odds, .state = seed};

	return run(&r, out, n);
}

size_t replay_plain_bytes(const struct sotto_planes *p, size_t n)
{
	size_t bytes = 0;

	while (n >= GROUP) {
		size_t lanes = n < LANES ? n / GROUP * GROUP : LANES;

		bytes += lanes * p->count + 8 * (2 * ((lanes * p->count + 255) / 256) + 64);
		n -= lanes;
	}
	return bytes + 8 * n * p->count;
}
