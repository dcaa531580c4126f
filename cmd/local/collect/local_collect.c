/* sotto local collect: takes batches of reports into a store. */
#include "local/collect/local_collecting.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/table.h"

static const struct option options[] = {
	{.name = "store",
	 .argument = "DIR",
	 .kind = OPTION_TEXT,
	 .help = "the collection's directory",
	 .offset = offsetof(struct collect_settings, store)},
	{.name = "params",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "the collection's parameters; needed to start one",
	 .offset = offsetof(struct collect_settings, params)},
	{.name = "listen",
	 .argument = "PORT",
	 .kind = OPTION_COUNT,
	 .help = "take batches on this port of 127.0.0.1 (0: any) until a signal",
	 .offset = offsetof(struct collect_settings, listen)},
	{.name = "snapshot",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "write the aggregate for decode and merge",
	 .offset = offsetof(struct collect_settings, snapshot)},
	{.name = "import",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "make an aggregate of a counts.csv, without a store",
	 .offset = offsetof(struct collect_settings, import)},
	{.name = "compact",
	 .kind = OPTION_FLAG,
	 .help = "fold the segments into the checkpoint and remove them",
	 .offset = offsetof(struct collect_settings, compact)},
	{.name = "verify",
	 .kind = OPTION_FLAG,
	 .help = "only read every byte of the store again",
	 .offset = offsetof(struct collect_settings, verify)},
	OPTIONS_END};

void batch_stream_add(struct batch_stream *s, const uint8_t *bytes, size_t n)
{
	while (s->used + n > s->room) {
		s->room = s->room ? 2 * s->room : 65536;
		s->bytes = memory_resize(s->bytes, s->room, 1);
	}
	memcpy(s->bytes + s->used, bytes, n);
	s->used += n;
}

enum batch_stream_state batch_stream_next(const struct batch_stream *s, size_t *length)
{
	struct sotto_local_batch b;
	enum sotto_local_reason reason;

	if (s->used == 0)
		return BATCH_NONE;
	if (sotto_local_batch_read(s->bytes, s->used, &b, length, &reason) != SOTTO_OK)
		return reason == SOTTO_LOCAL_REASON_SHORT ? BATCH_NONE : BATCH_BROKEN;
	return *length <= s->used ? BATCH_WHOLE : BATCH_NONE;
}

void batch_stream_drop(struct batch_stream *s, size_t n)
{
	memmove(s->bytes, s->bytes + n, s->used - n);
	s->used -= n;
}

void batch_stream_release(struct batch_stream *s)
{
	free(s->bytes);
	*s = (struct batch_stream){.used = 0};
}

/* Every batch of a stream; what is left over at its end is one broken batch. */
static enum outcome
take_stream(struct sotto_local_collector *c, FILE *in, struct sotto_error *err)
{
	static uint8_t piece[65536];
	struct batch_stream s = {.used = 0};
	enum sotto_local_verdict verdict;
	enum sotto_local_reason reason;
	enum sotto_status st = SOTTO_OK;
	unsigned waiting = 0;
	size_t got, length;

	while (st == SOTTO_OK && (got = fread(piece, 1, sizeof piece, in)) > 0) {
		batch_stream_add(&s, piece, got);
		while (st == SOTTO_OK && batch_stream_next(&s, &length) == BATCH_WHOLE) {
			st = sotto_local_collector_take(c, s.bytes, length, &verdict, &reason);
			batch_stream_drop(&s, length);
			if (st == SOTTO_OK && ++waiting == COMMIT_BATCHES) {
				st = sotto_local_collector_commit(c, err);
				waiting = 0;
			}
		}
	}
	if (st == SOTTO_OK && s.used > 0)
		st = sotto_local_collector_take(c, s.bytes, s.used, &verdict, &reason);
	if (st == SOTTO_OK || st == SOTTO_EIO) /* after a failure it says what went wrong */
		st = sotto_local_collector_commit(c, err);
	batch_stream_release(&s);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome take_file(struct sotto_local_collector *c, const char *path,
			      const struct invocation *call, struct sotto_error *err)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *in = standard ? call->in : fopen(path, "rb");
	enum outcome outcome;

	if (!in)
		return complaint_refuse(err, "could not open %s", path);
	outcome = take_stream(c, in, err);
	if (!standard)
		fclose(in);
	return outcome;
}

static uint64_t rejected(const struct sotto_local_collector_counts *n)
{
	uint64_t sum = 0;

	for (int i = 0; i < SOTTO_LOCAL_REASON_COUNT; i++)
		sum += n->rejected[i];
	return sum;
}

static void
print_counts(const struct sotto_local_collector_counts *n, const struct invocation *call)
{
	static const struct column columns[] = {{"what", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"count", NULL, COLUMN_INTEGER, ALIGN_BY_KIND}};
	const struct {
		const char *what;
		uint64_t count;
	} rows[] = {{"batches accepted", n->accepted},
		    {"batches known already", n->duplicate},
		    {"batches rejected", rejected(n)},
		    {"batches in the store", n->batches},
		    {"reports in the store", n->reports},
		    {"bytes cut from an unfinished write", n->cut}};
	struct table t;

	table_init(&t, columns, 2);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		table_add_text(&t, rows[i].what);
		table_add_integer(&t, (int64_t)rows[i].count);
	}
	for (int i = 1; i < SOTTO_LOCAL_REASON_COUNT; i++)
		if (n->rejected[i]) {
			char *what = memory_text(
				"rejected: %s",
				sotto_local_reason_name((enum sotto_local_reason)i));

			table_add_text(&t, what);
			table_add_integer(&t, (int64_t)n->rejected[i]);
			free(what);
		}
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static enum outcome
work(struct sotto_local_collector *c, const struct invocation *call, struct sotto_error *err)
{
	static const struct listen_limits limits = {(size_t)64 << 20, 30000, 600000};
	const struct collect_settings *s = call->settings;
	struct sotto_local_collector_counts counts;
	enum outcome outcome = OUTCOME_DONE;
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i < call->operands.count && outcome == OUTCOME_DONE; i++)
		outcome = take_file(c, call->operands.items[i], call, err);
	if (outcome == OUTCOME_DONE && s->listen.given)
		outcome = local_listen(c, (uint16_t)s->listen.value, &limits, call->out, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (s->compact)
		st = sotto_local_collector_compact(c, err);
	if (st == SOTTO_OK && s->snapshot)
		st = sotto_local_aggregate_store(sotto_local_collector_aggregate(c),
						 s->snapshot, err);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	counts = sotto_local_collector_counts(c);
	print_counts(&counts, call);
	return rejected(&counts) ? complaint_refuse(err, "some batches were rejected")
				 : OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct collect_settings *s = call->settings;
	struct sotto_client_params p;
	struct sotto_local_collector *c;
	enum outcome outcome = OUTCOME_DONE;
	enum sotto_status st;

	if (s->import)
		return local_import(call, err);
	if (!s->store)
		return complaint_usage(err, "--store is needed");
	if (s->listen.given && s->listen.value > 65535)
		return complaint_usage(err, "a port is at most 65535");
	if (s->verify) {
		st = sotto_local_collector_verify(s->store, err);
		return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
	}
	if (s->params)
		outcome = local_read_params(s->params, &p, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	st = sotto_local_collector_open(s->store, s->params ? &p : NULL, &c, err);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	outcome = work(c, call, err);
	sotto_local_collector_close(c);
	return outcome;
}

const struct command command_local_collect = {
	.name = "collect",
	.summary = "take batches of reports, durably and once each",
	.usage = "--store DIR [--params FILE] [OPTION]... [BATCH]...\n"
		 "--import FILE --params FILE --snapshot FILE",
	.details = "BATCH is a file of batches, - for standard input.  What was acknowledged "
		   "survives\n"
		   "any crash; a batch sent twice counts once.  A bad batch is rejected whole, "
		   "and the\n"
		   "exit status is 1 then.",
	.options = options,
	.settings_size = sizeof(struct collect_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
