/*
 * Two slots of one line each; the valid one with the larger number counts.  A head is
 * written into the other slot and synced, so that a crash leaves the older head at worst: a
 * witness is never ahead of its ledger, which is on the disk before the witness is written.
 */
#include "core/ledger/ledger_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"

enum { SLOT = 192, SLOTS = 2 };

static enum sotto_status cannot(const char *path, const char *what, struct sotto_error *err)
{
	return sotto_fail(
		err, SOTTO_EIO,
		"the witness of the ledger, %.300s, could not be %s; check the rights "
		"of the file and its folder",
		path, what);
}

/* ---- slots ---------------------------------------------------------------------------------- */

/* "sotto witness NUMBER HASH CHECK", filled up with blanks to a line. */
static void write_slot(const struct sotto_store_head *head, char out[SLOT + 1])
{
	char hash[SOTTO_HASH_HEX], check[SOTTO_HASH_HEX], text[SLOT - 20];
	uint8_t digest[SOTTO_HASH_BYTES];

	sotto_chain_hex(head->hash, hash);
	(void)snprintf(text, sizeof text, "sotto witness %" PRIu64 " %s", head->number, hash);
	sotto_chain_fingerprint("sotto ledger witness 1", text, digest);
	sotto_chain_hex(digest, check);
	(void)snprintf(out, SLOT + 1, "%s %.16s", text, check);
	memset(out + strlen(out), ' ', SLOT - strlen(out));
	out[SLOT - 1] = '\n';
	out[SLOT] = '\0';
}

static bool read_hash(const char *hex, uint8_t out[SOTTO_HASH_BYTES])
{
	for (size_t i = 0; i < SOTTO_HASH_BYTES; i++) {
		unsigned byte;

		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			return false;
		out[i] = (uint8_t)byte;
	}
	return true;
}

/* What is written is compared as a whole, so that nothing else passes for it. */
static bool read_slot(const char *text, struct sotto_store_head *out)
{
	struct sotto_store_head head;
	char again[SLOT + 1], hash[SOTTO_HASH_HEX];

	if (sscanf(text, "sotto witness %" SCNu64 " %64s", &head.number, hash) != 2 ||
	    strlen(hash) != SOTTO_HASH_HEX - 1 || !read_hash(hash, head.hash))
		return false;
	write_slot(&head, again);
	if (memcmp(again, text, SLOT) != 0)
		return false;
	*out = head;
	return true;
}

/* The slot that counts; -1: none does. */
static int latest(int fd, struct sotto_store_head *out)
{
	int which = -1;

	for (int i = 0; i < SLOTS; i++) {
		struct sotto_store_head head;
		char text[SLOT + 1] = "";

		if (pread(fd, text, SLOT, (off_t)i * SLOT) == SLOT && read_slot(text, &head) &&
		    (which < 0 || head.number > out->number)) {
			*out = head;
			which = i;
		}
	}
	return which;
}

static bool put_slot(int fd, int which, const struct sotto_store_head *head)
{
	char text[SLOT + 1];

	write_slot(head, text);
	return pwrite(fd, text, SLOT, (off_t)which * SLOT) == SLOT;
}

/* Whether the slot that does not count can be written: it is, with what stands there. */
static bool try_slot(int fd, int which)
{
	char text[SLOT];

	memset(text, ' ', sizeof text);
	return pread(fd, text, SLOT, (off_t)which * SLOT) >= 0 &&
	       pwrite(fd, text, SLOT, (off_t)which * SLOT) == SLOT;
}

/* ---- the file ------------------------------------------------------------------------------- */

static enum sotto_status missing(const char *path, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EMISSING,
			  "the witness of the ledger, %.300s, is missing; restore it, or, if "
			  "the ledger is known to be the latest, the owner runs: sotto policy "
			  "accept",
			  path);
}

static enum sotto_status damaged(const char *path, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_ECORRUPT,
			  "the witness of the ledger, %.300s, is damaged; restore it, or, if "
			  "the ledger is known to be the latest, the owner runs: sotto policy "
			  "accept",
			  path);
}

enum sotto_status
sotto_witness_read(const char *path, struct sotto_store_head *out, struct sotto_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
	    which; /* no pipe is a witness */

	if (fd < 0)
		return errno == ENOENT ? missing(path, err) : cannot(path, "read", err);
	while (flock(fd, LOCK_SH) != 0 && errno == EINTR)
		continue;
	which = latest(fd, out);
	(void)close(fd);
	return which < 0 ? damaged(path, err) : SOTTO_OK;
}

/* A file that cannot be written, or a disk without room, is found before anything is charged. */
enum sotto_status sotto_witness_hold(const char *path, int *held, struct sotto_error *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK), which;
	struct sotto_store_head known = {0};
	bool ok = true;

	if (fd < 0)
		return errno == ENOENT ? missing(path, err) : cannot(path, "written", err);
	while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	which = latest(fd, &known);
	if (which >= 0)
		ok = try_slot(fd, 1 - which);
	(void)flock(fd, LOCK_UN);
	if (which >= 0 && ok) {
		*held = fd;
		return SOTTO_OK;
	}
	(void)close(fd);
	return which < 0 ? damaged(path, err) : cannot(path, "written", err);
}

bool sotto_witness_tell(int held, const struct sotto_store_head *head)
{
	struct sotto_store_head known = {0};
	bool ok = true;
	int which;

	while (flock(held, LOCK_EX) != 0 && errno == EINTR)
		continue;
	which = latest(held, &known);
	if (which >= 0 && known.number < head->number)
		ok = put_slot(held, 1 - which, head) && fsync(held) == 0;
	(void)close(held);
	return which >= 0 && ok;
}

enum sotto_status sotto_witness_set(const char *path, const struct sotto_store_head *head,
				    struct sotto_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, S_IRUSR | S_IWUSR);
	bool ok;

	if (fd < 0)
		return cannot(path, "made", err);
	while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	ok = ftruncate(fd, 0) == 0 && put_slot(fd, 0, head) && put_slot(fd, 1, head) &&
	     fsync(fd) == 0;
	ok = close(fd) == 0 && ok;
	return ok ? SOTTO_OK : cannot(path, "written", err);
}
