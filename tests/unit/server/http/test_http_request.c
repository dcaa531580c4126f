/*
 * A reply that does not fit is told as a problem, and the problem says what became of a charge.
 *
 * Seen to fail: a stream of events passed half of an answer on as the answer, and neither it nor the
 * plain reply said that the question was charged.
 */
#include <string.h>

#include "server/http/http_request.h"
#include "testlib/tap.h"

static void write_numbers(struct sotto_json *j, int count)
{
	sotto_json_open(j, '[');
	for (int i = 0; i < count; i++)
		sotto_json_integer(j, i);
	sotto_json_close(j, ']');
}

static void half_a_reply_becomes_a_problem(void)
{
	struct sotto_request r = {.status = 200};
	const char *text;

	sotto_json_init(&r.reply, 1000);
	write_numbers(&r.reply, 1000);
	CHECK(sotto_json_status(&r.reply) != SOTTO_OK);
	sotto_reply_settle(&r);
	text = sotto_buffer_text(&r.reply.text);
	CHECK_INT(r.status, 503);
	CHECK_INT(sotto_json_status(&r.reply), SOTTO_OK);
	CHECK(strstr(text, "\"code\":\"too-large\"") != NULL);
	CHECK(strstr(text, "may have been charged: then its answer is kept") != NULL);
	sotto_json_release(&r.reply);
}

static void a_whole_reply_stays(void)
{
	struct sotto_request r = {.status = 200};

	sotto_json_init(&r.reply, 1000);
	write_numbers(&r.reply, 3);
	sotto_reply_settle(&r);
	CHECK_INT(r.status, 200);
	CHECK_STR(sotto_buffer_text(&r.reply.text), "[0,1,2]");
	sotto_json_release(&r.reply);
}

int main(void)
{
	RUN(half_a_reply_becomes_a_problem);
	RUN(a_whole_reply_stays);
	return tap_done();
}
