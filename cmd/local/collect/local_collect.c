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
	 .help = "the collection's parameters; needed for a new store",
	 .offset = offsetof(struct collect_settings, params)},
	{.name = "http",
	 .argument = "HOST:PORT",
	 .kind = OPTION_TEXT,
	 .help = "take batches over HTTP until SIGINT or SIGTERM; port 0: any free port",
	 .offset = offsetof(struct collect_settings, http)},
	{.name = "tls-cert",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "with --http: certificate for TLS, in PEM",
	 .offset = offsetof(struct collect_settings, tls_cert)},
	{.name = "tls-key",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "with --http: key of the certificate, in PEM",
	 .offset = offsetof(struct collect_settings, tls_key)},
	{.name = "max-reports",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .help = "reject batches of more than N reports; default: 65536 with --http, else "
		 "16777216",
	 .offset = offsetof(struct collect_settings, max_reports)},
	{.name = "snapshot",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "write the aggregate for decode and merge",
	 .offset = offsetof(struct collect_settings, snapshot)},
	{.name = "import",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "make an aggregate from a counts.csv; no store is needed",
	 .offset = offsetof(struct collect_settings, import)},
	{.name = "compact",
	 .kind = OPTION_FLAG,
	 .help = "keep only the sums and the batch ids, and delete the batches",
	 .offset = offsetof(struct collect_settings, compact)},
	{.name = "verify",
	 .kind = OPTION_FLAG,
	 .help = "check every byte of the store, and do nothing else",
	 .offset = offsetof(struct collect_settings, verify)},
	OPTIONS_END};

/* A commit is made after so many batches; a file is read in pieces of so many bytes. */
enum { COMMIT_BATCHES = 100, READ_BYTES = 1 << 20 };

/* The most reports of a batch from strangers: a device has few, a relay of many devices more. */
enum { HTTP_BATCH_REPORTS = 1 << 16 };

/* Bytes that have arrived; whole batches are taken from `at` on. */
struct batch_stream {
	uint8_t *bytes;
	size_t at, used, room;
};

/* Reads more; what was taken makes room first.  False at the end of the file. */
static bool read_more(struct batch_stream *s, FILE *in)
{
	size_t got;

	memmove(s->bytes, s->bytes + s->at, s->used - s->at);
	s->used -= s->at;
	s->at = 0;
	if (s->used == s->room) {
		s->room *= 2;
		s->bytes = memory_resize(s->bytes, s->room, 1);
	}
	got = fread(s->bytes + s->used, 1, s->room - s->used, in);
	s->used += got;
	return got > 0;
}

/* Is a whole batch there?  *hopeless: there is none, and no further byte makes one. */
static bool has_batch(const struct batch_stream *s, size_t *length, bool *hopeless)
{
	struct sotto_local_batch b;
	enum sotto_local_reason reason;
	bool is_read = sotto_local_batch_read(s->bytes + s->at, s->used - s->at, &b, length,
					      &reason) == SOTTO_OK;

	*hopeless = !is_read && reason != SOTTO_LOCAL_REASON_SHORT;
	return is_read && *length <= s->used - s->at;
}

/* Every batch of a stream; what is none, and all after it, is one broken batch. */
static enum outcome
take_stream(struct sotto_local_collector *c, FILE *in, struct sotto_error *err)
{
	struct batch_stream s = {.bytes = memory_new(READ_BYTES, 1), .room = READ_BYTES};
	enum sotto_local_verdict verdict;
	enum sotto_local_reason reason;
	enum sotto_status st = SOTTO_OK;
	unsigned waiting = 0;
	bool hopeless = false;
	size_t length;

	while (st == SOTTO_OK && !hopeless && read_more(&s, in))
		for (; st == SOTTO_OK && has_batch(&s, &length, &hopeless); s.at += length) {
			st = sotto_local_collector_take(c, s.bytes + s.at, length, &verdict,
							&reason);
			if (st == SOTTO_OK && ++waiting % COMMIT_BATCHES == 0)
				st = sotto_local_collector_commit(c, err);
		}
	if (st == SOTTO_OK && s.used > s.at)
		st = sotto_local_collector_take(c, s.bytes + s.at, s.used - s.at, &verdict,
						&reason);
	if (st == SOTTO_OK || st == SOTTO_EIO) /* after a failure it says what went wrong */
		st = sotto_local_collector_commit(c, err);
	free(s.bytes);
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
	const struct collect_settings *s = call->settings;
	struct sotto_local_collector_counts counts;
	enum outcome outcome = OUTCOME_DONE;
	enum sotto_status st = SOTTO_OK;
	uint64_t bad_files; /* what strangers post fails nothing */

	for (size_t i = 0; i < call->operands.count && outcome == OUTCOME_DONE; i++)
		outcome = take_file(c, call->operands.items[i], call, err);
	counts = sotto_local_collector_counts(c);
	bad_files = rejected(&counts);
	if (outcome == OUTCOME_DONE && s->http)
		outcome = local_intake(c, call, err);
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
	return bad_files ? complaint_refuse(err, "some batches of the files were rejected")
			 : OUTCOME_DONE;
}

static enum outcome set_limit(struct sotto_local_collector *c, const struct collect_settings *s,
			      struct sotto_error *err)
{
	uint64_t most = s->max_reports.given ? (uint64_t)s->max_reports.value
			: s->http            ? HTTP_BATCH_REPORTS
					     : SOTTO_LOCAL_BATCH_REPORTS_MAX;

	return sotto_local_collector_limit(c, most) == SOTTO_OK
		       ? OUTCOME_DONE
		       : complaint_usage(err,
					 "--max-reports is at most %u, the most that a "
					 "batch can hold",
					 SOTTO_LOCAL_BATCH_REPORTS_MAX);
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
	if ((s->tls_cert || s->tls_key) && !s->http)
		return complaint_usage(err, "--tls-cert and --tls-key go with --http");
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
	outcome = set_limit(c, s, err);
	if (outcome == OUTCOME_DONE)
		outcome = work(c, call, err);
	sotto_local_collector_close(c);
	return outcome;
}

const struct command command_local_collect = {
	.name = "collect",
	.summary = "store batches of reports durably, and count each once",
	.usage = "--store DIR [--params FILE] [OPTION]... [BATCH]...\n"
		 "--import FILE --params FILE --snapshot FILE",
	.details = "BATCH is a file of batches; - is standard input.  Acknowledged batches "
		   "survive\n"
		   "any crash, and a batch that is sent twice counts once.  A bad batch is\n"
		   "rejected as a whole.  The exit status is 1 if a batch from a file was\n"
		   "rejected; batches rejected over HTTP do not change it.",
	.options = options,
	.settings_size = sizeof(struct collect_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
