/* Processes on this machine. */
#include "central/spread/launcher/launcher.h"
#include "central/engine/worker/worker_find.h"
#include "central/engine/worker/worker_launch.h"
#include "core/base/failure.h"

static enum sotto_status command(struct sotto_arena *a, const struct sotto_spread_settings *s,
				 uint32_t bucket, unsigned attempt, const char *const **out,
				 struct sotto_error *err)
{
	const char **words = NULL;
	size_t count = 0;
	char program[SOTTO_WORKER_PATH];

	(void)bucket;
	(void)attempt;
	if (!s->program)
		SOTTO_TRY(sotto_worker_find_for_buckets(program, sizeof program, err));
	SOTTO_WORDS_NEED(
		sotto_words_add(a, &words, &count,
				sotto_arena_text(a, s->program ? s->program : program)) &&
		sotto_words_add(a, &words, &count, "worker") &&
		sotto_words_add(a, &words, &count, NULL) && words[0]);
	*out = words;
	return SOTTO_OK;
}

const struct sotto_launcher sotto_launcher_local = {.name = "local", .command = command};
