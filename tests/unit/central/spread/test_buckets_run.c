/*
 * The coordinator against workers of every kind: good ones, ones that are lost, strangers,
 * forgers, ones of another version, ones that come twice.  The sum is right or there is none,
 * and no process is left.
 *
 * This program is its own worker and its own scheduler.
 */
#include "central/spread/buckets_run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "central/engine/engine_result.h"
#include "central/spread/channel/spread_channel.h"
#include "central/spread/refusal.h"
#include "central/spread/channel/spread_socket.h"
#include "central/engine/whole_io.h"
#include "core/base/failure.h"
#include "testlib/fixture/bucket_worker.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum {
	BUCKETS = 5,
	SECOND = 1000000000,
	CROWD = 120, /* more than the coordinator has room for */
	FILES = 50, /* fewer than it has room for */
	LONG_JOB = 280 << 20, /* what answers with private keys make of one */
	OF_THE_NEXT = 1000, /* what is sent is said to be of the next bucket */
};

static char self[4096];

/* ---- the worker ---------------------------------------------------------------------------- */

static bool is(const char *kind)
{
	const char *wanted = getenv("TEST_WORKER");

	return wanted && strcmp(wanted, kind) == 0;
}

/* One row with one integer: the bucket's number plus one. */
static enum sotto_status
put_partial(struct sotto_buffer *b, const struct sotto_bucket_job *job, int64_t extra)
{
	struct sotto_engine_result *r = sotto_engine_result_new(1);
	uint8_t digest[SOTTO_JOB_DIGEST];

	SOTTO_TRY(sotto_bucket_job_digest(job, digest));
	if (is("of another job"))
		digest[0] ^= 1;
	SOTTO_TRY(sotto_result_set_column(r, 0, "m0", SOTTO_ENGINE_WIDES));
	SOTTO_TRY(sotto_result_grow(r, 1));
	r->rows = 1;
	r->columns[0].wide[0] = (sotto_i128)job->bucket + 1 + extra;
	SOTTO_TRY(sotto_partial_put(b, digest,
				    is("of another bucket") || extra == OF_THE_NEXT
					    ? (job->bucket + 1) % BUCKETS
					    : job->bucket,
				    r));
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

/* What a worker has sent, for replaying it. */
static char sent_bytes[1 << 16];
static size_t sent_count;

static bool write_noted(int fd, const void *bytes, size_t n)
{
	if (sent_count + n <= sizeof sent_bytes) {
		memcpy(sent_bytes + sent_count, bytes, n);
		sent_count += n;
	}
	return sotto_write_all(fd, bytes, n);
}

static bool send_frame(struct sotto_channel *c, int fd, enum sotto_frame_type type,
		       const struct sotto_buffer *b)
{
	struct sotto_buffer frame;
	bool sent;

	sotto_buffer_init(&frame, 1 << 20);
	sent = sotto_channel_seal(c, type, sotto_buffer_text(b), b->length, &frame) == SOTTO_OK;
	if (type == SOTTO_FRAME_PARTIAL && is("tampering"))
		frame.bytes[frame.length - 20] ^= 1;
	sent = sent && write_noted(fd, frame.bytes, frame.length);
	sotto_buffer_release(&frame);
	return sent;
}

static bool greet(struct sotto_channel *c, const struct sotto_ticket *t, int fd)
{
	uint8_t opening[SOTTO_CHANNEL_OPENING];
	struct sotto_buffer b;
	bool sent;

	sotto_buffer_init(&b, 4096);
	sent = sotto_channel_begin(c, t, opening) == SOTTO_OK &&
	       write_noted(fd, opening, sizeof opening) &&
	       sotto_worker_put_u32(&b, t->bucket) == SOTTO_OK &&
	       sotto_worker_put_text(&b, is("of another version") ? "0.0.0" : SOTTO_VERSION) ==
		       SOTTO_OK &&
	       send_frame(c, fd, SOTTO_FRAME_HELLO, &b);
	sotto_buffer_release(&b);
	return sent;
}

/* The first worker of all, told by a file that it makes. */
static bool is_first(void)
{
	const char *path = getenv("TEST_FILE");
	int fd = path ? open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

static int
finish(struct sotto_channel *c, int fd, const struct sotto_bucket_job *job, int64_t extra)
{
	struct sotto_buffer b;
	bool sent = false;

	sotto_buffer_init(&b, 1 << 20);
	if (is("refusing") || (is("refusing once") && is_first())) {
		sent = sotto_refusal_put(
			       &b, is("refusing") ? SOTTO_REFUSAL_FILES : SOTTO_REFUSAL_ENGINE,
			       "words") == SOTTO_OK &&
		       send_frame(c, fd, SOTTO_FRAME_REFUSAL, &b);
	} else if (is("telling of strays") || is("telling of strays twice")) {
		sent = sotto_worker_put_u64(&b, 7) == SOTTO_OK &&
		       send_frame(c, fd, SOTTO_FRAME_STRAYS, &b);
		sotto_buffer_clear(&b);
		sent = sent && put_partial(&b, job, extra) == SOTTO_OK &&
		       send_frame(c, fd, SOTTO_FRAME_PARTIAL, &b);
	} else if (is("telling nonsense of strays")) {
		sent = sotto_worker_put_u32(&b, 7) == SOTTO_OK &&
		       send_frame(c, fd, SOTTO_FRAME_STRAYS, &b);
	} else if (put_partial(&b, job, extra) == SOTTO_OK) {
		sent = send_frame(c, fd, SOTTO_FRAME_PARTIAL, &b);
	}
	sotto_buffer_release(&b);
	return sent ? 0 : 1;
}

static int work(const struct sotto_ticket *ticket, int in, int out, int64_t extra)
{
	static char message[LONG_JOB + (1 << 20)];
	struct sotto_bucket_job job;
	struct sotto_channel c;
	int status;

	if (is("dying") || (is("dying once") && is_first()))
		return 9;
	if (is("talking nonsense"))
		return sotto_write_all(out, self, sizeof self) ? 0 : 1;
	if (!greet(&c, ticket, out) ||
	    !bucket_worker_job(&c, in, message, sizeof message, &job))
		return 1;
	if (is("hanging"))
		(void)pause();
	if (is("dying late once") && is_first()) {
		sotto_bucket_job_release(&job);
		return 9;
	}
	status = finish(&c, out, &job, extra);
	sotto_bucket_job_release(&job);
	return status;
}

static int act_as_worker(void)
{
	struct sotto_ticket ticket;

	if (!bucket_worker_ticket(&ticket))
		return 1;
	if (is("holding another token"))
		ticket.token[0] ^= 1;
	return work(&ticket, 0, 1, 0);
}

/* ---- the scheduler ------------------------------------------------------------------------- */

static int connect_and_work(struct sotto_ticket ticket, uint32_t bucket, int64_t extra)
{
	int fd, status;

	ticket.bucket = bucket;
	if (sotto_socket_connect(ticket.address, &fd) != SOTTO_OK)
		return 1;
	status = work(&ticket, fd, fd, extra);
	(void)close(fd);
	return status;
}

/* Sends so many bytes to the coordinator, and waits until it is sent away. */
static void send_raw(const struct sotto_ticket *ticket, const void *bytes, size_t n)
{
	char back[4096];
	int fd;

	if (sotto_socket_connect(ticket->address, &fd) != SOTTO_OK)
		return;
	if (sotto_write_all(fd, bytes, n))
		while (read(fd, back, sizeof back) > 0)
			continue;
	(void)close(fd);
}

/* What looks like the beginning of a very long frame. */
static void flood(const struct sotto_ticket *ticket)
{
	const struct sotto_worker_header header = {.type = SOTTO_FRAME_HELLO,
						   .length = 100 << 20};
	uint8_t start[SOTTO_WORKER_HEADER];
	static char bytes[1 << 20];
	struct sotto_ticket wrong = *ticket;
	struct sotto_channel c;

	wrong.token[0] ^= 1;
	if (sotto_channel_begin(&c, &wrong, (uint8_t *)bytes) != SOTTO_OK)
		return;
	sotto_worker_header_write(&header, start);
	memcpy(bytes + SOTTO_CHANNEL_OPENING, start, sizeof start);
	send_raw(ticket, bytes, sizeof bytes);
}

/* They open a channel each, without the token, and then keep silent. */
static void crowd(const struct sotto_ticket *ticket)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	for (int i = 0; i < CROWD; i++) {
		uint8_t opening[SOTTO_CHANNEL_OPENING];
		struct sotto_ticket wrong = *ticket;
		struct sotto_channel c;
		int fd;

		wrong.token[0] ^= 1;
		if (sotto_channel_begin(&c, &wrong, opening) != SOTTO_OK ||
		    sotto_socket_connect(ticket->address, &fd) != SOTTO_OK ||
		    !sotto_write_all(fd, opening, sizeof opening))
			return;
	}
}

/* One after the other, so that what comes first comes first. */
static int act_as_scheduler(void)
{
	struct sotto_ticket ticket, wrong;
	uint32_t most = is("leaving early") ? BUCKETS - 1 : BUCKETS;

	if (!bucket_worker_ticket(&ticket))
		return 1;
	wrong = ticket;
	wrong.token[0] ^= 1;
	if (is("with a stranger"))
		(void)connect_and_work(wrong, 0, 100);
	if (is("with a flood"))
		flood(&ticket);
	if (is("with a crowd"))
		crowd(&ticket);
	for (uint32_t b = 0; b < most; b++) {
		if (b == 1 && is("with a replay"))
			send_raw(&ticket, sent_bytes, sent_count);
		if (connect_and_work(ticket, b, 0) != 0)
			return 1;
		if ((is("speculating") || is("telling of strays twice")) && b < BUCKETS - 1)
			(void)connect_and_work(ticket, b, 0);
		if (is("refusing once") && b == 0)
			(void)connect_and_work(ticket, b, 0);
		if (is("differing") && b == 0)
			(void)connect_and_work(ticket, b, 1);
		if (is("speculating about the next") && b == 0)
			(void)connect_and_work(ticket, b, OF_THE_NEXT);
	}
	if (!is("leaving early"))
		(void)pause();
	return 0;
}

/* ---- the coordinator ------------------------------------------------------------------------ */

static const char *long_text;

static enum sotto_status make_job(void *context, uint32_t bucket, struct sotto_bucket_job *out)
{
	(void)context;
	*out = (struct sotto_bucket_job){.version = SOTTO_VERSION,
					 .engine = "v1",
					 .plan = "a plan",
					 .bucket = bucket,
					 .buckets = BUCKETS,
					 .check = "SELECT TRUE",
					 .statements = &long_text,
					 .statement_count = long_text && bucket == 1,
					 .sql = "SELECT 1"};
	return SOTTO_OK;
}

static enum sotto_status schedule(struct sotto_arena *a, const struct sotto_spread_settings *s,
				  uint32_t bucket, unsigned attempt, const char *const **out,
				  struct sotto_error *err)
{
	static const char *const words[] = {self, "scheduler", NULL};

	(void)a;
	(void)s;
	(void)bucket;
	(void)attempt;
	if (is("that is not there"))
		return sotto_fail(err, SOTTO_EMISSING, "the program was not found");
	*out = words;
	return SOTTO_OK;
}

static const char *listen_here(struct sotto_arena *a, const struct sotto_spread_settings *s)
{
	(void)a;
	(void)s;
	return "127.0.0.1";
}

static const struct sotto_launcher scheduler = {
	.name = "test", .is_scheduler = true, .command = schedule, .listen = listen_here};

static void count_done(void *context, uint32_t done, uint32_t buckets)
{
	*(uint32_t *)context = done;
	CHECK(buckets == BUCKETS);
}

static enum sotto_status
run(const char *kind, bool by_scheduler, int64_t *sum, struct sotto_spread_account *account)
{
	const struct sotto_spread_settings settings = {
		.launcher = by_scheduler ? &scheduler : &sotto_launcher_local,
		.buckets = BUCKETS,
		.parallel = 2,
		.program = self,
		.keeps_environment = true};
	const struct sotto_partial_shape shape = {.measures = 1};
	struct sotto_engine_result *r = NULL;
	uint32_t done = 0;
	const struct sotto_spread_work work_of_all = {
		.settings = &settings,
		.shape = &shape,
		.job = make_job,
		.done = count_done,
		.done_context = &done,
		.time = (uint64_t)(strcmp(kind, "hanging") == 0 ? 1 : 300) * SECOND};
	char path[FOLDER_PATH_MAX];
	struct folder folder;
	enum sotto_status st;

	folder_open(&folder);
	folder_file(&folder, "first", path);
	(void)setenv("TEST_WORKER", kind, 1);
	(void)setenv("TEST_FILE", path, 1);
	st = sotto_buckets_run(&work_of_all, &r, account);
	*sum = st == SOTTO_OK ? sotto_engine_exact(r, 0, 0).secret : -1;
	CHECK((st == SOTTO_OK) == (done == BUCKETS));
	CHECK(waitpid(-1, NULL, WNOHANG) < 0); /* no child is left */
	sotto_engine_result_free(r);
	folder_close(&folder);
	return st;
}

enum { SUM = 1 + 2 + 3 + 4 + 5 };

static void good_workers_add_up(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("good", false, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK(a.started == BUCKETS && a.lost == 0 && a.detail[0] == '\0');
	CHECK(run("good", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK(a.started == BUCKETS && a.lost == 0 && a.strangers == 0);
}

static void a_worker_that_is_lost_is_started_again(void)
{
	static const char *const kinds[] = {"dying once", "dying late once", "refusing once"};
	struct sotto_spread_account a;
	int64_t sum;

	for (size_t i = 0; i < 3; i++) {
		CHECK(run(kinds[i], false, &sum, &a) == SOTTO_OK && sum == SUM);
		CHECK(a.lost == 1 && a.started == BUCKETS + 1);
	}
}

/* A scheduler starts it again; what it said would be in nobody's log but the owner's. */
static void the_owner_is_told_what_a_worker_of_a_scheduler_said(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("refusing once", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK_STR(a.words, "words");
}

static void workers_that_are_always_lost_end_the_query(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("dying", false, &sum, &a) == SOTTO_EIO && a.detail[0]);
	CHECK(run("talking nonsense", false, &sum, &a) == SOTTO_EIO && a.detail[0]);
	CHECK(run("holding another token", false, &sum, &a) == SOTTO_EIO && a.detail[0]);
	CHECK(run("hanging", false, &sum, &a) == SOTTO_EIO && strstr(a.detail, "time"));
}

static void what_is_forged_ends_the_query(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("tampering", false, &sum, &a) == SOTTO_ECORRUPT && a.detail[0]);
	CHECK(run("of another job", false, &sum, &a) == SOTTO_ECORRUPT && a.detail[0]);
	CHECK(run("of another bucket", false, &sum, &a) != SOTTO_OK && a.detail[0]);
	CHECK(run("of another version", false, &sum, &a) == SOTTO_ESTATE);
	CHECK(strstr(a.detail, "version") != NULL);
	CHECK(run("refusing", false, &sum, &a) == SOTTO_ESTATE);
	CHECK(strstr(a.detail, "file") != NULL);
}

static void a_task_that_runs_twice_counts_once(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("speculating", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK_INT(a.repeated, BUCKETS - 1);
}

static void two_partials_of_a_bucket_that_differ_end_the_query(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("differing", true, &sum, &a) == SOTTO_ESTATE);
	CHECK(strstr(a.detail, "different") != NULL);
}

/* The bucket that it was given is there already, so that it seems to have done its work. */
static void a_task_that_runs_twice_is_of_its_bucket_both_times(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("speculating about the next", true, &sum, &a) == SOTTO_ECORRUPT);
	CHECK(strstr(a.detail, "not a partial of its bucket") != NULL);
}

static void a_stranger_is_sent_away(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("with a stranger", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK_INT(a.strangers, 1);
}

/* It holds no token: what it says is not kept, however long it is. */
static void a_stranger_that_talks_without_end_is_sent_away(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("with a flood", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK_INT(a.strangers, 1);
}

/* Nobody who holds no token keeps a worker out, not even by taking every place. */
static void strangers_that_stay_make_room_for_workers(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("with a crowd", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK(a.strangers > CROWD / 4);
}

static void strangers_make_room_where_few_files_can_be_open(void)
{
	struct sotto_spread_account a;
	struct rlimit files, few;
	int64_t sum;

	REQUIRE(getrlimit(RLIMIT_NOFILE, &files) == 0);
	few = (struct rlimit){.rlim_cur = FILES, .rlim_max = files.rlim_max};
	REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
	CHECK(run("with a crowd", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK(a.strangers > CROWD / 2);
	CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
}

static void what_a_worker_sent_is_not_taken_a_second_time(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("with a replay", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK_INT(a.repeated, 0);
	CHECK_INT(a.strangers, 1);
}

static void rows_in_wrong_buckets_are_counted_once(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("telling of strays", false, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK_INT(a.strays, 7 * BUCKETS);
	CHECK(run("telling of strays twice", true, &sum, &a) == SOTTO_OK && sum == SUM);
	CHECK_INT(a.strays, 7 * BUCKETS);
	CHECK_INT(a.repeated, BUCKETS - 1);
	CHECK(run("good", false, &sum, &a) == SOTTO_OK && a.strays == 0);
	CHECK(run("telling nonsense of strays", false, &sum, &a) == SOTTO_ECORRUPT);
}

static void a_scheduler_that_leaves_early_ends_the_query(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("leaving early", true, &sum, &a) == SOTTO_EIO);
	CHECK(strstr(a.detail, "scheduler") != NULL);
}

/* Seen to fail: jobs of more than 256 MiB ended the query, after its charge. */
static void a_job_may_be_as_long_as_noisy_answers_make_it(void)
{
	struct sotto_spread_account a;
	char *text = malloc(LONG_JOB);
	int64_t sum;

	REQUIRE(text != NULL);
	memset(text, 'x', LONG_JOB - 1);
	text[LONG_JOB - 1] = '\0';
	long_text = text;
	CHECK(run("good", false, &sum, &a) == SOTTO_OK);
	CHECK_INT(sum, 15);
	long_text = NULL;
	free(text);
}

static void the_owner_is_told_why_nobody_could_be_started(void)
{
	struct sotto_spread_account a;
	int64_t sum;

	CHECK(run("that is not there", true, &sum, &a) == SOTTO_EMISSING);
	CHECK(strstr(a.detail, "the program was not found") != NULL);
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n <= 0)
		return tap_skip_all("/proc is not there");
	if (argc > 1)
		return strcmp(argv[1], "worker") == 0 ? act_as_worker() : act_as_scheduler();
	RUN(good_workers_add_up);
	RUN(a_worker_that_is_lost_is_started_again);
	RUN(the_owner_is_told_what_a_worker_of_a_scheduler_said);
	RUN(workers_that_are_always_lost_end_the_query);
	RUN(what_is_forged_ends_the_query);
	RUN(a_task_that_runs_twice_counts_once);
	RUN(two_partials_of_a_bucket_that_differ_end_the_query);
	RUN(a_task_that_runs_twice_is_of_its_bucket_both_times);
	RUN(a_stranger_is_sent_away);
	RUN(a_stranger_that_talks_without_end_is_sent_away);
	RUN(strangers_that_stay_make_room_for_workers);
	RUN(strangers_make_room_where_few_files_can_be_open);
	RUN(what_a_worker_sent_is_not_taken_a_second_time);
	RUN(rows_in_wrong_buckets_are_counted_once);
	RUN(a_scheduler_that_leaves_early_ends_the_query);
	RUN(a_job_may_be_as_long_as_noisy_answers_make_it);
	RUN(the_owner_is_told_why_nobody_could_be_started);
	return tap_done();
}
