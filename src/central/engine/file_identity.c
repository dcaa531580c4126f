/*
 * SHA-256 over the ranges that change with the contents, read from one open descriptor, so that
 * size, times and digest belong to the same file.
 */
#include "central/engine/file_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/digest_text.h"
#include "core/base/failure.h"

/* A DuckDB file begins with three headers of 4 KiB; each checkpoint rewrites one. */
enum { DATABASE_HEADERS = 3 * 4096, PARQUET_END = 8, PIECE = 1 << 17 };

/* length bytes from start on, or all there are. */
static enum sotto_status digest_range(EVP_MD_CTX *d, int file, uint64_t start, uint64_t length)
{
	char piece[PIECE];

	while (length > 0) {
		size_t most = length < sizeof piece ? (size_t)length : sizeof piece;
		ssize_t n = pread(file, piece, most, (off_t)start);

		if (n < 0 || (n > 0 && EVP_DigestUpdate(d, piece, (size_t)n) != 1))
			return SOTTO_EIO;
		if (n == 0)
			break;
		start += (uint64_t)n;
		length -= (uint64_t)n;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_parquet_footer(int file, uint64_t size, uint64_t *start, uint32_t *length)
{
	unsigned char end[PARQUET_END];

	if (size < PARQUET_END + 4 ||
	    pread(file, end, sizeof end, (off_t)(size - PARQUET_END)) != (ssize_t)sizeof end ||
	    memcmp(end + 4, "PAR1", 4) != 0)
		return SOTTO_EIO;
	*length = (uint32_t)end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16 |
		  (uint32_t)end[3] << 24;
	if (*length > size - PARQUET_END - 4)
		return SOTTO_EIO;
	*start = size - PARQUET_END - *length;
	return SOTTO_OK;
}

/* What was written and not yet moved into the database file. */
static enum sotto_status digest_log(EVP_MD_CTX *d, const char *path)
{
	char name[4096];
	enum sotto_status st;
	int file;

	if (snprintf(name, sizeof name, "%s.wal", path) >= (int)sizeof name)
		return SOTTO_EIO;
	file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return errno == ENOENT ? SOTTO_OK : SOTTO_EIO;
	st = digest_range(d, file, 0, UINT64_MAX);
	(void)close(file);
	return st;
}

/* What of the file is looked at every time; a text has no such part. */
static enum sotto_status
digest_part(EVP_MD_CTX *d, int file, const char *path, uint64_t size, enum sotto_file_kind kind)
{
	uint64_t start;
	uint32_t length;

	if (kind == SOTTO_FILE_TEXT)
		return digest_range(d, file, 0, UINT64_MAX);
	if (kind == SOTTO_FILE_DATABASE) {
		SOTTO_TRY(digest_range(d, file, 0, DATABASE_HEADERS));
		return digest_log(d, path);
	}
	SOTTO_TRY(sotto_parquet_footer(file, size, &start, &length));
	return digest_range(d, file, start, (uint64_t)length + PARQUET_END);
}

static enum sotto_status take_digest(int file, const char *path, uint64_t size,
				     enum sotto_file_kind kind, char out[SOTTO_DIGEST_SIZE])
{
	EVP_MD_CTX *d = EVP_MD_CTX_new();
	unsigned char digest[32];
	enum sotto_status st = SOTTO_ENOMEM;

	if (d && EVP_DigestInit_ex(d, EVP_sha256(), NULL) == 1)
		st = digest_part(d, file, path, size, kind);
	if (st == SOTTO_OK && EVP_DigestFinal_ex(d, digest, NULL) != 1)
		st = SOTTO_ENOMEM;
	EVP_MD_CTX_free(d);
	if (st == SOTTO_OK)
		sotto_hex(digest, sizeof digest, out);
	return st;
}

/* All bytes, whatever they are. */
static enum sotto_status take_whole(int file, const char *path, char out[SOTTO_DIGEST_SIZE])
{
	return take_digest(file, path, 0, SOTTO_FILE_TEXT, out);
}

static int64_t nanoseconds(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static enum sotto_status open_file(const char *path, int *file, struct sotto_identity *id)
{
	struct stat s;

	*file = open(path,
		     O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
	if (*file < 0)
		return errno == ENOENT || errno == ENOTDIR ? SOTTO_EMISSING : SOTTO_EIO;
	if (fstat(*file, &s) != 0 || !S_ISREG(s.st_mode)) {
		(void)close(*file);
		return SOTTO_EIO;
	}
	*id = (struct sotto_identity){.size = (uint64_t)s.st_size,
				      .changed = nanoseconds(s.st_mtim),
				      .moved = nanoseconds(s.st_ctim)};
	return SOTTO_OK;
}

static enum sotto_status
take(struct sotto_identity *id, const char *path, enum sotto_file_kind kind, bool whole)
{
	struct sotto_identity taken;
	enum sotto_status st;
	int file;

	SOTTO_TRY(open_file(path, &file, &taken));
	st = take_digest(file, path, taken.size, kind, taken.digest);
	if (st == SOTTO_OK && whole && kind != SOTTO_FILE_TEXT)
		st = take_whole(file, path, taken.whole);
	(void)close(file);
	if (st == SOTTO_OK)
		*id = taken;
	return st;
}

enum sotto_status
sotto_identity_take(struct sotto_identity *id, const char *path, enum sotto_file_kind kind)
{
	return take(id, path, kind, false);
}

enum sotto_status sotto_identity_take_whole(struct sotto_identity *id, const char *path,
					    enum sotto_file_kind kind)
{
	return take(id, path, kind, true);
}

static bool has_times(const struct sotto_identity *id, const struct sotto_identity *now)
{
	return now->changed == id->changed && now->moved == id->moved;
}

bool sotto_identity_is_untouched(const struct sotto_identity *id, const char *path)
{
	struct sotto_identity now;
	int file;

	if (open_file(path, &file, &now) != SOTTO_OK)
		return false;
	(void)close(file);
	return now.size == id->size && has_times(id, &now);
}

static enum sotto_status compare_digests(const char *was, const char *is)
{
	return strcmp(was, is) == 0 ? SOTTO_OK : SOTTO_ESTATE;
}

/* What has to be read of the open file to tell, the part before the whole. */
static enum sotto_status compare_contents(const struct sotto_identity *id, int file,
					  const char *path, enum sotto_file_kind kind,
					  struct sotto_identity *now)
{
	bool touched = !has_times(id, now);

	if (kind != SOTTO_FILE_TEXT || touched) {
		SOTTO_TRY(take_digest(file, path, now->size, kind, now->digest));
		SOTTO_TRY(compare_digests(id->digest, now->digest));
	}
	if (!id->whole[0] || !touched)
		return SOTTO_OK;
	SOTTO_TRY(take_whole(file, path, now->whole));
	return compare_digests(id->whole, now->whole);
}

/* *now has the times from before the file was read: what is written later has others. */
static enum sotto_status compare(const struct sotto_identity *id, const char *path,
				 enum sotto_file_kind kind, struct sotto_identity *now)
{
	enum sotto_status st;
	int file;

	SOTTO_TRY(open_file(path, &file, now));
	st = now->size == id->size ? compare_contents(id, file, path, kind, now) : SOTTO_ESTATE;
	(void)close(file);
	return st;
}

enum sotto_status sotto_identity_check(const struct sotto_identity *id, const char *path,
				       enum sotto_file_kind kind)
{
	struct sotto_identity now;

	return compare(id, path, kind, &now);
}

enum sotto_status
sotto_identity_confirm(struct sotto_identity *id, const char *path, enum sotto_file_kind kind)
{
	struct sotto_identity now;

	SOTTO_TRY(compare(id, path, kind, &now));
	id->changed = now.changed;
	id->moved = now.moved;
	return SOTTO_OK;
}

const char *sotto_identity_contents(const struct sotto_identity *id)
{
	return id->whole[0] ? id->whole : id->digest;
}
