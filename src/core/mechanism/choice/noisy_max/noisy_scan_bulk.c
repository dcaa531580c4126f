/*
 * One pass over scores and noise.  Every comparison becomes a mask, so that the time
 * tells nothing of who leads when.
 */
#include "core/mechanism/choice/noisy_max/noisy_scan_bulk.h"
#include "core/mechanism/choice/noisy_max/noisy_max_state.h"

#include "core/base/mask.h"
#include "core/mechanism/choice/noisy_max/noisy_best.h"

/* ~x turns the order of all int64_t around, and -x would not fit for the least of them. */
static inline int64_t flip_of(const struct sotto_noisy_run *run)
{
	return -(int64_t)run->least;
}

static inline sotto_i128 value_at(const struct sotto_noisy_run *run, size_t i)
{
	/* 2^16 times any int64_t, and any noise, fit 128 bits: nothing is cut short */
	sotto_i128 score = run->scores[i].secret ^ flip_of(run);

	return score * ((sotto_i128)1 << run->bits) + run->noise[i];
}

/*
 * A new leader comes after everybody seen before it, so its rival is the old leader
 * plus one; anybody else comes after the leader and counts as he is.
 */
void sotto_noisy_leader_scan(struct sotto_noisy_leader *l, const struct sotto_noisy_run *run)
{
	struct sotto_noisy_leader best = *l;

	for (size_t i = 0; i < run->n; i++) {
		sotto_i128 value = value_at(run, i);
		bool leads = value > best.value;
		sotto_i128 rival = sotto_mask_i128(value > best.rival, value, best.rival);

		best.rival = sotto_mask_i128(leads, best.value + 1, rival);
		best.value = sotto_mask_i128(leads, value, best.value);
		best.index = sotto_mask_size(leads, run->first + i, best.index);
	}
	*l = best;
}

/* Pieces of the run race by themselves; the winner of each meets the leader. */
void sotto_noisy_leader_race(struct sotto_noisy_leader *l, const struct sotto_noisy_run *run)
{
	sotto_noisy_best_function best = sotto_noisy_best_path();

	for (size_t at = 0; at < run->n; at += NOISY_BEST_LANES) {
		size_t n = run->n - at < NOISY_BEST_LANES ? run->n - at : NOISY_BEST_LANES;
		struct sotto_noisy_best b =
			best(run->scores + at, run->noise + at, n, run->bits, flip_of(run));
		sotto_i128 value = (sotto_i128)b.high * ((sotto_i128)1 << 64) + b.low;
		bool leads = value > l->value;

		l->value = sotto_mask_i128(leads, value, l->value);
		l->index = sotto_mask_size(leads, run->first + at + b.lane, l->index);
	}
}

/*
 * Carries the newcomer down the list, swapping it with whoever is worse.  Who was
 * pushed out of a place may be equal to the next in line, and came before it.
 */
static inline void
insert(struct sotto_noisy_place *places, size_t top, struct sotto_noisy_place newcomer)
{
	for (size_t k = 0; k < top; k++) {
		struct sotto_noisy_place held = places[k];
		bool better = (newcomer.value > held.value) |
			      ((newcomer.value == held.value) & (newcomer.index < held.index));

		places[k].value = sotto_mask_i128(better, newcomer.value, held.value);
		places[k].index = sotto_mask_size(better, newcomer.index, held.index);
		newcomer.value = sotto_mask_i128(better, held.value, newcomer.value);
		newcomer.index = sotto_mask_size(better, held.index, newcomer.index);
	}
}

void sotto_noisy_places_scan(struct sotto_noisy_place *places, size_t top,
			     const struct sotto_noisy_run *run)
{
	for (size_t i = 0; i < run->n; i++)
		insert(places, top,
		       (struct sotto_noisy_place){value_at(run, i), run->first + i});
}
