/*
 * pattern_machine.h - a pattern as positions that follow each other, for the files of this folder
 */
#ifndef SOTTO_PATTERN_MACHINE_H
#define SOTTO_PATTERN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "central/parse/pattern/pattern_alphabet.h"

enum {
	SOTTO_POSITIONS_MAX = 1024,
	SOTTO_POSITION_BEGIN = SOTTO_POSITIONS_MAX - 1, /* where no character was read yet */
	SOTTO_POSITION_WORDS = SOTTO_POSITIONS_MAX / 64,
	SOTTO_POSITIONS_LARGE = 256, /* what follows in a longer pattern is not looked for */
};

struct sotto_positions {
	uint64_t words[SOTTO_POSITION_WORDS];
};

struct sotto_pattern_machine {
	const char *at;
	unsigned positions;
	struct sotto_positions follow[SOTTO_POSITIONS_MAX];
	struct sotto_positions
		takes[SOTTO_ALPHABET_MAX]; /* positions that a kind of character matches */
	struct sotto_pattern_alphabet alphabet;
	bool fold; /* upper and lower case are the same */
	bool is_inside; /* the text goes on to both sides */
	struct sotto_positions start; /* positions at which a match may begin */
	struct sotto_positions ends; /* positions at which a match may end */
	unsigned kinds[SOTTO_ALPHABET_MAX], kind_count; /* that lead to different states */
};

static inline void sotto_positions_add(struct sotto_positions *s, unsigned i)
{
	s->words[i / 64] |= (uint64_t)1 << i % 64;
}

static inline bool sotto_positions_has(const struct sotto_positions *s, unsigned i)
{
	return s->words[i / 64] >> i % 64 & 1;
}

static inline void
sotto_positions_join(struct sotto_positions *s, const struct sotto_positions *more)
{
	for (unsigned i = 0; i < SOTTO_POSITION_WORDS; i++)
		s->words[i] |= more->words[i];
}

/*
 * Reads a plain pattern into a machine that is zeroed except for fold and is_inside.  *empty: it
 * matches nothing, too.  False if it has too many positions.
 */
bool sotto_pattern_machine_read(struct sotto_pattern_machine *m, const char *pattern,
				bool *empty);

/* What the next character is compared with. */
void sotto_pattern_look_at(const struct sotto_pattern_machine *m,
			   const struct sotto_positions *from, struct sotto_positions *ahead);

/* The positions after one more character; anywhere: a match may also begin behind it. */
void sotto_pattern_step(const struct sotto_pattern_machine *m,
			const struct sotto_positions *from, unsigned kind, bool anywhere,
			struct sotto_positions *to);

#endif
