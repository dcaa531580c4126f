/* The vector passes of noisy max against its plain one, on every instruction set. */
#include "core/mechanism/choice/noisy_max/noisy_best.h"

#include "core/mechanism/choice/noisy_max/noisy_max_state.h"
#include "core/mechanism/choice/noisy_max/noisy_scan_bulk.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

/* Scores and noise at the ends, in the middle and tied, by the kind of the run. */
static void make_run(uint64_t seed, struct sotto_exact *scores, int64_t *noise, size_t n)
{
	uint64_t random[2 * NOISY_BEST_LANES];

	tape_noise(seed, (uint8_t *)random, sizeof random);
	for (size_t i = 0; i < n; i++) {
		uint64_t score = random[i];
		int64_t z = (int64_t)(random[NOISY_BEST_LANES + i] >> 1);

		scores[i].secret = seed % 3 == 0   ? (int64_t)score
				   : seed % 3 == 1 ? (int64_t)(score % 4) - 2
				   : score % 2     ? INT64_MAX - (int64_t)(score % 3)
						   : INT64_MIN + (int64_t)(score % 3);
		noise[i] = seed % 5 == 0 ? z : z % 3;
	}
}

static void check_path(const char *name, sotto_noisy_best_function best)
{
	struct sotto_exact scores[NOISY_BEST_LANES];
	int64_t noise[NOISY_BEST_LANES];

	for (uint64_t seed = 1; seed <= 600; seed++)
		for (int least = 0; least <= 1; least++) {
			size_t n = seed % NOISY_BEST_LANES + 1;
			unsigned bits = (unsigned)(seed % 17);
			struct sotto_noisy_run run = {scores, noise, n, 0, bits, least};
			struct sotto_noisy_leader l = {SOTTO_NOISY_NOBODY, SOTTO_NOISY_NOBODY,
						       0};
			struct sotto_noisy_best b;
			sotto_i128 value;

			make_run(seed, scores, noise, n);
			sotto_noisy_leader_scan(&l, &run);
			b = best(scores, noise, n, bits, -(int64_t)least);
			value = (sotto_i128)b.high * ((sotto_i128)1 << 64) + b.low;
			if (!tap_check(b.lane == l.index && value == l.value, __FILE__,
				       __LINE__, "%s, seed %d: lane %zu, not %zu", name,
				       (int)seed, b.lane, l.index))
				return;
		}
}

static void every_instruction_set_finds_the_same_winner(void)
{
	check_path("portable", sotto_noisy_best_portable);
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		check_path("avx2", sotto_noisy_best_avx2);
	if (sotto_noisy_best_path() == sotto_noisy_best_avx512)
		check_path("avx512", sotto_noisy_best_avx512);
#endif
}

/* A run longer than one piece, through the function that select uses. */
static void pieces_of_a_run_meet_the_leader_in_order(void)
{
	enum { N = 3 * NOISY_BEST_LANES + 7 };
	static struct sotto_exact scores[N];
	static int64_t noise[N];
	struct sotto_noisy_run run = {scores, noise, N, 100, 3, false};

	for (size_t winner = 0; winner < N; winner += 37) {
		struct sotto_noisy_leader l = {SOTTO_NOISY_NOBODY, SOTTO_NOISY_NOBODY, 0};

		scores[winner].secret = 5;
		if (winner + 600 < N)
			scores[winner + 600].secret = 5; /* an equal one that comes later */
		sotto_noisy_leader_race(&l, &run);
		CHECK_INT(l.index, 100 + winner);
		CHECK_INT(l.value, 40);
		scores[winner].secret = 0;
		if (winner + 600 < N)
			scores[winner + 600].secret = 0;
	}
}

int main(void)
{
	RUN(every_instruction_set_finds_the_same_winner);
	RUN(pieces_of_a_run_meet_the_leader_in_order);
	return tap_done();
}
