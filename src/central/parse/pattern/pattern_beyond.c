/*
 * A search for the leftmost match goes on behind it as long as a longer one is possible, or one that
 * began further to the left.  All ways to the end of a match are walked, with everything that is
 * on its way there; which of these count less than the match, and end with it, is not asked, so
 * what is found is at least what is read.
 */
#include "central/parse/pattern/pattern_beyond.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { PLACES_MAX = 400 };

/*
 * Where a search can be: own has the positions that were reached from one beginning, before those
 * from beginnings further to the left, which count first if they match.
 */
struct place {
	struct sotto_positions before, own;
	bool has_begun; /* own has; until then `before` may begin anywhere */
};

struct places {
	struct place list[PLACES_MAX];
	unsigned count;
	bool is_full;
};

static void note_place(struct places *p, const struct place *x)
{
	for (unsigned i = 0; i < p->count; i++)
		if (memcmp(&p->list[i], x, sizeof *x) == 0)
			return;
	if (p->count == PLACES_MAX)
		p->is_full = true;
	else
		p->list[p->count++] = *x;
}

static bool is_empty(const struct sotto_positions *s)
{
	static const struct sotto_positions none;

	return memcmp(s, &none, sizeof none) == 0;
}

static bool meets(const struct sotto_positions *x, const struct sotto_positions *y)
{
	for (unsigned i = 0; i < SOTTO_POSITION_WORDS; i++)
		if (x->words[i] & y->words[i])
			return true;
	return false;
}

/* Both one character further; unless something to the left matches, or own ends, it is noted. */
static void go_to(const struct sotto_pattern_machine *m, const struct place *x, unsigned kind,
		  struct places *p)
{
	struct place next;

	memset(&next, 0, sizeof next); /* places are compared as bytes */
	next.has_begun = x->has_begun;
	sotto_pattern_step(m, &x->before, kind, !x->has_begun, &next.before);
	sotto_pattern_step(m, &x->own, kind, false, &next.own);
	if (!meets(&next.before, &m->ends) && !(x->has_begun && is_empty(&next.own)))
		note_place(p, &next);
}

/* One character further: the match begins there, or it began before, or will later. */
static void
go_on(const struct sotto_pattern_machine *m, const struct place *x, struct places *p)
{
	struct place begins = *x;

	begins.before.words[SOTTO_POSITION_BEGIN / 64] &=
		~((uint64_t)1 << SOTTO_POSITION_BEGIN % 64);
	sotto_positions_add(&begins.own, SOTTO_POSITION_BEGIN);
	begins.has_begun = true;
	for (unsigned k = 0; k < m->kind_count; k++) {
		go_to(m, x, m->kinds[k], p);
		if (!x->has_begun)
			go_to(m, &begins, m->kinds[k], p);
	}
}

/* All characters further; what matches again is another end, from which to look. */
static void look_ahead(const struct sotto_pattern_machine *m, const struct places *from,
		       struct places *to, struct places *ends)
{
	to->count = 0;
	for (unsigned i = 0; i < from->count; i++)
		for (unsigned k = 0; k < m->kind_count; k++) {
			struct place next;

			memset(&next, 0, sizeof next);
			sotto_pattern_step(m, &from->list[i].own, m->kinds[k], false,
					   &next.own);
			if (!is_empty(&next.own))
				note_place(meets(&next.own, &m->ends) ? ends : to, &next);
		}
}

/* How far a search may go on behind one of the ends before it has to stop. */
static unsigned look_behind(const struct sotto_pattern_machine *m, struct places *ends,
			    struct places *now, struct places *next)
{
	unsigned most = 0;

	for (unsigned i = 0; i < ends->count; i++) {
		now->list[0] = ends->list[i];
		now->count = 1;
		for (unsigned far = 0; now->count > 0; far++) {
			struct places *done = now;

			if (far > SOTTO_SQL_BEYOND_MAX)
				return far;
			most = far > most ? far : most;
			look_ahead(m, now, next, ends);
			if (next->is_full || ends->is_full)
				return SOTTO_SQL_BEYOND_MAX + 1;
			now = next;
			next = done;
		}
	}
	return most;
}

/* Each end of a match with everything that is still on its way there. */
static void find_ends(const struct sotto_pattern_machine *m, bool empty, struct places *all,
		      struct places *ends)
{
	struct place x;

	memset(&x, 0, sizeof x);
	sotto_positions_add(empty ? &x.own : &x.before, SOTTO_POSITION_BEGIN);
	if (empty) { /* it matches nothing, anywhere */
		note_place(ends, &x);
		return;
	}
	note_place(all, &x);
	for (unsigned i = 0; i < all->count && !all->is_full; i++) {
		x = all->list[i];
		if (!meets(&x.own, &m->ends)) {
			go_on(m, &x, all);
			continue;
		}
		sotto_positions_join(&x.own, &x.before);
		memset(&x.before, 0, sizeof x.before);
		x.has_begun = false;
		note_place(ends, &x);
	}
}

enum sotto_status
sotto_pattern_beyond(const struct sotto_pattern_machine *m, bool empty, unsigned *out)
{
	struct places *p = calloc(4, sizeof *p);

	if (!p)
		return SOTTO_ENOMEM;
	*out = SOTTO_SQL_BEYOND_MAX + 1;
	if (m->positions <= SOTTO_POSITIONS_LARGE)
		find_ends(m, empty, &p[0], &p[1]);
	if (m->positions <= SOTTO_POSITIONS_LARGE && !p[0].is_full && !p[1].is_full)
		*out = look_behind(m, &p[1], &p[2], &p[3]);
	free(p);
	return SOTTO_OK;
}
