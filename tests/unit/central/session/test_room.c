/*
 * A disk that becomes full between a charge and its answer: nobody pays for an answer that cannot be kept,
 * unless it is too large for the room that is taken; then it is given, and says that it is not kept.
 *
 * The disk is imitated where SQLite writes, for the log of the ledger alone: bytes behind what was taken for
 * it need room.
 *
 * Seen to fail: without sotto_store_reserve there were amounts of room with which a question was charged and
 * not answered, and a large answer was charged and not given.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "central/session/session.h"
#include "core/ledger/ledger_inside.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000}\ndiagnostics: 0\n"
	"tables:\n  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 2\n"
	"    max_rows: 2\n    columns:\n      x: {bounds: [0, 100]}\n"
	"      ward: {keys: [a, b, c]}\n";

static struct {
	off_t taken, room; /* of the log, from its beginning; what is left of the disk */
	bool is_simple; /* a file system that takes no room before it is written */
} disk;

static bool is_log(int fd)
{
	char link[64], path[FOLDER_PATH_MAX];
	ssize_t n;

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	return n >= 4 && memcmp(path + n - 4, "-wal", 4) == 0;
}

static bool take(off_t end)
{
	if (end <= disk.taken)
		return true;
	if (end - disk.taken > disk.room)
		return false;
	disk.room -= end - disk.taken;
	disk.taken = end;
	return true;
}

static ssize_t write_at(int fd, const void *bytes, size_t n, off_t at)
{
	if (is_log(fd) && !take(at + (off_t)n)) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, bytes, n, at);
}

int fallocate(int fd, int mode, off_t at, off_t n)
{
	if (!is_log(fd) || !(mode & FALLOC_FL_KEEP_SIZE) || disk.is_simple) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (take(at + n))
		return 0;
	errno = ENOSPC;
	return -1;
}

static enum sotto_status count(void *context, const struct sotto_ledger_entry *e)
{
	size_t *charged = context;

	*charged += e->kind == SOTTO_LEDGER_RELEASE;
	return SOTTO_OK;
}

static size_t charged(struct clinic *c)
{
	struct sotto_ledger *l = NULL;
	size_t n = 0;

	CHECK_INT(sotto_session_ledger(c->session, &l, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_each(l, count, &n, NULL), SOTTO_OK);
	return n;
}

static bool is_answered(struct clinic *c, unsigned number)
{
	char sql[80];
	struct sotto_answer *a;

	(void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM visits WHERE x > %u",
		       number % 90);
	a = clinic_ask(c, sql, "0.01", NULL, true);
	sotto_answer_free(a);
	return a != NULL;
}

static void plenty(void)
{
	disk.room = (off_t)1 << 40;
}

static void whatever_room_is_left_who_pays_is_answered(void)
{
	size_t answered = 0, refused = 0;
	struct clinic c;

	plenty();
	disk.taken = 0;
	REQUIRE(clinic_open(&c, policy, clinic_csv));
	CHECK(is_answered(&c, 0));
	for (unsigned i = 1; i < 40; i++) {
		size_t before = charged(&c);
		bool is_there;

		disk.room = i < 30 ? (off_t)i * 1500 : (off_t)1 << 21;
		is_there = is_answered(&c, i);
		if (!is_there)
			CHECK(strstr(c.err.text, "the disk is full") != NULL);
		plenty();
		CHECK_INT(charged(&c) - before, is_there);
		answered += is_there;
		refused += !is_there;
	}
	CHECK(answered > 0 && refused > 5);
	clinic_close(&c);
}

static bool says_that_it_is_not_kept(const struct sotto_answer *a)
{
	for (size_t i = 0; i < a->note_count; i++)
		if (strstr(a->notes[i], "could not be stored"))
			return true;
	return false;
}

/* A policy by which ward has so many keys. */
static void write_policy(size_t keys, char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size,
				    "ledger: ledger.db\nbudget: {epsilon: 1000}\n"
				    "tables:\n  visits:\n    source: visits.csv\n    unit: id\n"
				    "    columns:\n      ward: {keys: [a");

	for (size_t i = 1; i < keys; i++)
		n += (size_t)snprintf(out + n, size - n, ", w%zu", i);
	(void)snprintf(out + n, size - n, "]}\n");
}

/* Groups of 10,000 characters, four times the room that is taken before the charge. */
static void an_answer_that_cannot_be_kept_is_given(void)
{
	enum { KEYS = 400 };
	static const char sql[] = "SELECT lpad(ward, 10000, 'x') AS t, COUNT(*) AS n "
				  "FROM visits GROUP BY ward";
	static char text[16 * KEYS];
	struct sotto_answer *a;
	struct clinic c;

	plenty();
	disk.taken = 0;
	write_policy(KEYS, text, sizeof text);
	REQUIRE(clinic_open(&c, text, clinic_csv));
	for (int turn = 0; turn < 3; turn++) {
		size_t before = charged(&c);

		disk.room = turn < 2 ? (off_t)1200 << 10 : (off_t)1 << 40;
		a = clinic_ask(&c, sql, "0.01", NULL, false);
		plenty();
		REQUIRE(a != NULL);
		CHECK_INT(a->row_count, KEYS);
		CHECK_INT(charged(&c) - before, 1);
		CHECK_INT(says_that_it_is_not_kept(a), turn < 2);
		sotto_answer_free(a);
	}
	a = clinic_ask(&c, sql, "0.01", NULL, false);
	CHECK(a && a->repeated && !says_that_it_is_not_kept(a));
	sotto_answer_free(a);
	clinic_close(&c);
}

static void a_file_system_that_takes_no_room_is_written_to(void)
{
	struct clinic c;

	plenty();
	disk.taken = 0;
	disk.is_simple = true;
	REQUIRE(clinic_open(&c, policy, clinic_csv));
	CHECK(is_answered(&c, 0));
	CHECK_INT(charged(&c), 1);
	clinic_close(&c);
}

int main(void)
{
	static const char *const names[] = {"pwrite", "pwrite64"};
	sqlite3_vfs *files = sqlite3_vfs_find(NULL);

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (files->xGetSystemCall(files, names[i]))
			files->xSetSystemCall(files, names[i], (sqlite3_syscall_ptr)write_at);
	RUN(whatever_room_is_left_who_pays_is_answered);
	RUN(an_answer_that_cannot_be_kept_is_given);
	RUN(a_file_system_that_takes_no_room_is_written_to);
	return tap_done();
}
