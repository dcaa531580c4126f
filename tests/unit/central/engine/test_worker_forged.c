/*
 * A worker that is none, or has gone mad: whatever it replies, the process that started it
 * gets a status.  The test program plays that worker, by the name under which it is started.
 */
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <unistd.h>

#include "central/engine/engine.h"
#include "central/engine/worker/worker_launch.h"
#include "central/engine/worker/worker_message.h"
#include "central/engine/worker/worker_result.h"
#include "testlib/children.h"
#include "testlib/folder.h"
#include "testlib/fixture/results.h"
#include "testlib/tap.h"

/* ---- the false worker -------------------------------------------------------------- */

static void receive(void *bytes, size_t n)
{
	if (recv(SOTTO_WORKER_SOCKET, bytes, n, MSG_WAITALL) != (ssize_t)n && n > 0)
		_exit(0);
}

static uint32_t receive_request(void)
{
	uint8_t bytes[SOTTO_WORKER_HEADER];
	struct sotto_worker_header h;
	void *message;

	receive(bytes, sizeof bytes);
	if (!sotto_worker_header_read(bytes, SOTTO_WORKER_REQUEST_MAX, &h))
		_exit(0);
	message = malloc(h.length + 1);
	receive(message, h.length);
	free(message);
	return h.type;
}

static void send_bytes(const void *bytes, size_t n)
{
	(void)!send(SOTTO_WORKER_SOCKET, bytes, n, MSG_NOSIGNAL);
}

static void send_message(uint32_t type, uint64_t length, const struct sotto_buffer *b)
{
	const struct sotto_worker_header h = {.type = type, .length = length};
	uint8_t bytes[SOTTO_WORKER_HEADER];

	sotto_worker_header_write(&h, bytes);
	send_bytes(bytes, sizeof bytes);
	send_bytes(b->bytes, b->length);
}

static void put_outcome(struct sotto_buffer *b, uint32_t status)
{
	const struct sotto_worker_outcome o = {
		.status = (enum sotto_status)status, .sentence = "", .detail = ""};

	sotto_buffer_init(b, 1 << 20);
	(void)!sotto_worker_put_outcome(b, &o);
}

static void say_hello(uint32_t protocol, const char *version)
{
	struct sotto_buffer b;

	(void)receive_request();
	put_outcome(&b, SOTTO_OK);
	(void)!sotto_worker_put_u32(&b, protocol);
	(void)!sotto_worker_put_text(&b, version);
	send_message(SOTTO_WORKER_HELLO, b.length, &b);
}

/* After a hello that is right, one reply that is not. */
static void reply_falsely(const char *how)
{
	struct sotto_engine_result *r = results_make();
	uint32_t type;
	struct sotto_buffer b;
	bool other = strcmp(how, "other-type") == 0;

	say_hello(SOTTO_WORKER_PROTOCOL, sotto_worker_build);
	type = receive_request();
	put_outcome(&b, strcmp(how, "bad-status") == 0 ? 77 : SOTTO_OK);
	if (strcmp(how, "no-result") != 0)
		(void)!sotto_worker_put_result(&b, r);
	if (strcmp(how, "noise") == 0)
		memset(b.bytes + 20, 0x5a, b.length - 20);
	if (strcmp(how, "huge") == 0)
		send_message(type, UINT64_MAX, &b);
	else if (strcmp(how, "larger") == 0)
		send_message(type, SOTTO_ENGINE_MEMORY_MIN + 1, &b);
	else if (strcmp(how, "cut") == 0)
		send_message(type, b.length + 1, &b);
	else
		send_message(other ? SOTTO_WORKER_LOCK : type, b.length, &b);
	if (strcmp(how, "right-once") == 0)
		send_message(type, b.length, &b);
	if (strcmp(how, "cut") != 0)
		(void)receive_request(); /* until it is killed */
}

static int play_worker(void)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	const char *how = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : "";

	if (strcmp(how, "other-version") == 0)
		say_hello(SOTTO_WORKER_PROTOCOL, "0.0.0");
	else if (strcmp(how, "other-protocol") == 0)
		say_hello(SOTTO_WORKER_PROTOCOL + 1, sotto_worker_build);
	else if (strcmp(how, "garbage") == 0)
		send_bytes("Usage: something else entirely, and not a worker", 48);
	else if (strcmp(how, "crash") == 0)
		abort();
	else if (strcmp(how, "nothing") != 0)
		reply_falsely(how);
	if (strncmp(how, "other-", 6) == 0)
		(void)receive_request();
	return 0;
}

/* ---- what its parent makes of it ----------------------------------------------------- */

static enum sotto_status
open_false(const struct folder *f, const char *how, struct sotto_engine **e, char *words)
{
	char path[FOLDER_PATH_MAX], self[FOLDER_PATH_MAX] = "";
	struct sotto_error err = {""};
	enum sotto_status st;

	folder_file(f, how, path);
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || symlink(self, path) != 0 ||
	    setenv("SOTTO_WORKER", path, 1) != 0)
		return SOTTO_OK;
	*e = NULL;
	st = sotto_engine_open_within(
		&(const struct sotto_engine_limits){.threads = 1,
						    .memory = SOTTO_ENGINE_MEMORY_MIN},
		e, &err);
	(void)snprintf(words, SOTTO_ERROR_TEXT_MAX, "%s", err.text);
	return st;
}

/* (Kills: a handshake that does not compare.) */
static void another_version_is_refused_with_a_sentence(void)
{
	char words[SOTTO_ERROR_TEXT_MAX];
	struct sotto_engine *e;
	struct folder f;

	folder_open(&f);
	CHECK(open_false(&f, "other-version", &e, words) == SOTTO_ESTATE);
	CHECK(strstr(words, "is sotto 0.0.0, this is sotto " SOTTO_VERSION) != NULL);
	CHECK(open_false(&f, "other-protocol", &e, words) == SOTTO_ESTATE);
	CHECK(strstr(words, "SOTTO_WORKER") != NULL);
	CHECK_INT(children_find(NULL, 0), 0);
	folder_close(&f);
}

static void a_program_that_is_no_worker_is_refused_with_a_sentence(void)
{
	static const char *const programs[] = {"garbage", "nothing", "crash"};
	char words[SOTTO_ERROR_TEXT_MAX];
	struct sotto_engine *e;
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; i < 3; i++) {
		CHECK(open_false(&f, programs[i], &e, words) == SOTTO_EIO);
		CHECK(strstr(words, "did not start") != NULL);
	}
	CHECK_INT(children_find(NULL, 0), 0);
	folder_close(&f);
}

static void a_false_reply_is_a_failure_and_the_end_of_the_worker(void)
{
	static const char *const replies[] = {"bad-status", "no-result", "noise",      "huge",
					      "larger",     "cut",       "other-type", NULL};
	char words[SOTTO_ERROR_TEXT_MAX];
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; replies[i]; i++) {
		struct sotto_engine_result *r = NULL;
		struct sotto_engine *e = NULL;

		if (!tap_check(open_false(&f, replies[i], &e, words) == SOTTO_OK && e, __FILE__,
			       __LINE__, "%s: %s", replies[i], words))
			continue;
		(void)tap_check(sotto_engine_run(e, "SELECT 1", &r) == SOTTO_EIO && !r,
				__FILE__, __LINE__, "%s is believed", replies[i]);
		CHECK(sotto_engine_is_lost(e));
		sotto_engine_close(e);
	}
	CHECK_INT(children_find(NULL, 0), 0);
	folder_close(&f);
}

/* A reply that nobody asked for must not become that of the next request. */
static void a_second_reply_to_one_request_is_the_end_of_the_worker(void)
{
	char words[SOTTO_ERROR_TEXT_MAX];
	struct sotto_engine_result *r = NULL;
	struct sotto_engine *e = NULL;
	struct folder f;

	folder_open(&f);
	REQUIRE(open_false(&f, "right-once", &e, words) == SOTTO_OK && e);
	CHECK(sotto_engine_run(e, "SELECT 1", &r) == SOTTO_OK);
	sotto_engine_result_free(r);
	(void)usleep(20000);
	r = NULL;
	CHECK(sotto_engine_run(e, "SELECT 2", &r) == SOTTO_EIO);
	sotto_engine_result_free(r);
	sotto_engine_close(e);
	folder_close(&f);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		_exit(play_worker()); /* a false worker frees nothing, and nobody minds */
	RUN(another_version_is_refused_with_a_sentence);
	RUN(a_program_that_is_no_worker_is_refused_with_a_sentence);
	RUN(a_false_reply_is_a_failure_and_the_end_of_the_worker);
	RUN(a_second_reply_to_one_request_is_the_end_of_the_worker);
	return tap_done();
}
