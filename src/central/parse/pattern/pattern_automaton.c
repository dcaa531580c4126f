/*
 * A state is the set of positions that a text may have reached; the states are found from the
 * start on, one step for each kind of character.  A search may begin at the beginning only or
 * anywhere, which depends on ^: the larger counts.
 */
#include "central/parse/pattern/pattern_automaton.h"

#include <stdlib.h>
#include <string.h>

#include "central/parse/pattern/pattern_beyond.h"
#include "central/parse/pattern/pattern_machine.h"
#include "central/parse/pattern/text_pattern.h"
#include "core/base/failure.h"

enum { STATES_MAX = SOTTO_SQL_AUTOMATON_MAX };

struct automaton {
	struct sotto_pattern_machine machine;
	struct sotto_positions states[STATES_MAX + 1];
};

static bool is_new_state(struct automaton *a, unsigned count, const struct sotto_positions *s)
{
	for (unsigned i = 0; i < count; i++)
		if (memcmp(&a->states[i], s, sizeof *s) == 0)
			return false;
	a->states[count] = *s;
	return true;
}

/* From the beginning of the text only, or from anywhere in it. */
static unsigned count_states(struct automaton *a, bool anywhere)
{
	const struct sotto_pattern_machine *m = &a->machine;
	unsigned count = 1;

	a->states[0] = (struct sotto_positions){{0}};
	sotto_positions_add(&a->states[0], SOTTO_POSITION_BEGIN);
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < m->kind_count; k++) {
			struct sotto_positions next;

			sotto_pattern_step(m, &a->states[i], m->kinds[k], anywhere, &next);
			if (is_new_state(a, count, &next) && ++count > STATES_MAX)
				return count;
		}
	return count;
}

/* The most places that one character is compared with, in the states that were found. */
static unsigned most_ahead(const struct automaton *a, unsigned states)
{
	unsigned most = 0;

	for (unsigned i = 0; i < states; i++) {
		struct sotto_positions ahead;
		unsigned n = 0;

		sotto_pattern_look_at(&a->machine, &a->states[i], &ahead);
		for (unsigned k = 0; k < a->machine.positions; k++)
			n += sotto_positions_has(&ahead, k);
		most = n > most ? n : most;
	}
	return most;
}

/* From one place, of which ahead is known where there are not too many, and from anywhere. */
static unsigned most_states(struct automaton *a, unsigned *ahead)
{
	bool is_large = a->machine.positions > SOTTO_POSITIONS_LARGE;
	unsigned fixed = is_large ? STATES_MAX + 1 : count_states(a, false), anywhere;

	*ahead = fixed > STATES_MAX ? a->machine.positions : most_ahead(a, fixed);
	anywhere = fixed > STATES_MAX ? fixed : count_states(a, true);
	return fixed > anywhere ? fixed : anywhere;
}

/* Once as it is at the ends of a text, once as it is inside: there ^ and $ are passed nowhere. */
static enum sotto_status
make(struct automaton *a, const char *pattern, bool fold, struct sotto_sql_automaton *out)
{
	bool empty;

	a->machine.fold = fold;
	if (!sotto_pattern_machine_read(&a->machine, pattern, &empty))
		return SOTTO_ERANGE;
	*out = (struct sotto_sql_automaton){.positions = a->machine.positions};
	out->states = most_states(a, &out->ahead);
	memset(&a->machine, 0, sizeof a->machine);
	a->machine.fold = fold;
	a->machine.is_inside = true;
	if (!sotto_pattern_machine_read(&a->machine, pattern, &empty))
		return SOTTO_ERANGE;
	return sotto_pattern_beyond(&a->machine, empty, &out->beyond);
}

enum sotto_status
sotto_sql_automaton_make(const char *pattern, bool fold, struct sotto_sql_automaton *out)
{
	struct automaton *a;
	enum sotto_status st;

	if (!sotto_sql_pattern_is_plain(pattern))
		return SOTTO_ERANGE;
	a = calloc(1, sizeof *a);
	if (!a)
		return SOTTO_ENOMEM;
	st = make(a, pattern, fold, out);
	free(a);
	return st;
}
