/* sotto local merge: adds snapshots up. */
#include <string.h>

#include "frame/complaint.h"
#include "local/local_command.h"

struct merge_settings {
	const char *output;
};

static const struct option options[] = {{.name = "output",
					 .letter = 'o',
					 .argument = "FILE",
					 .kind = OPTION_TEXT,
					 .required = true,
					 .help = "write the sum to this file",
					 .offset = offsetof(struct merge_settings, output)},
					OPTIONS_END};

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct merge_settings *s = call->settings;
	struct sotto_local_aggregate *sum = NULL, *next;
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i < call->operands.count && st == SOTTO_OK; i++) {
		st = sotto_local_aggregate_load(call->operands.items[i], &next, err);
		if (st != SOTTO_OK)
			break;
		if (!sum) {
			sum = next;
			continue;
		}
		st = sotto_local_aggregate_merge(sum, next, err);
		sotto_local_aggregate_free(next);
	}
	if (st == SOTTO_OK)
		st = sotto_local_aggregate_store(sum, s->output, err);
	sotto_local_aggregate_free(sum);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

const struct command command_local_merge = {
	.name = "merge",
	.summary = "add aggregates of one collection",
	.usage = "--output FILE AGGREGATE...",
	.details =
		"The order of the aggregates does not matter: the result has the same bytes.\n"
		"Aggregates that contain the same batches are refused.",
	.options = options,
	.settings_size = sizeof(struct merge_settings),
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.run = run,
};
