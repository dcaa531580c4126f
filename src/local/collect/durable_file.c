/*
 * Reads whole files up to a cap; replaces one by writing NAME.new, synchronizing it, renaming
 * it and synchronizing the folder.
 */
#include "local/collect/durable_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"

static enum sotto_status read_all(int fd, uint8_t *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = read(fd, bytes + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return SOTTO_EIO;
		done += (size_t)got;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_file_read(const char *path, size_t cap, uint8_t **out, size_t *length,
				  struct sotto_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum sotto_status st = SOTTO_OK;
	uint8_t *bytes = NULL;
	struct stat info;

	if (fd < 0)
		return sotto_fail(err, errno == ENOENT ? SOTTO_EMISSING : SOTTO_EIO,
				  "could not open %s", path);
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < 0)
		st = sotto_fail(err, SOTTO_EIO, "%s is not a regular file", path);
	else if ((uint64_t)info.st_size > cap)
		st = sotto_fail(err, SOTTO_ERANGE, "%s is too large", path);
	else if (!(bytes = malloc((size_t)info.st_size + 1)))
		st = SOTTO_ENOMEM;
	else if (read_all(fd, bytes, (size_t)info.st_size) != SOTTO_OK)
		st = sotto_fail(err, SOTTO_EIO, "could not read %s", path);
	close(fd);
	if (st != SOTTO_OK) {
		free(bytes);
		return st;
	}
	bytes[info.st_size] = 0;
	*out = bytes;
	*length = (size_t)info.st_size;
	return SOTTO_OK;
}

bool sotto_disk_is_full(void)
{
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
}

enum sotto_status sotto_file_write(int fd, const uint8_t *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = write(fd, bytes + done, n - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return SOTTO_EIO;
		done += (size_t)put;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_directory_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed;

	if (fd < 0)
		return SOTTO_EIO;
	failed = fsync(fd);
	close(fd);
	return failed ? SOTTO_EIO : SOTTO_OK;
}

static enum sotto_status sync_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	enum sotto_status st;

	if (!slash)
		return sotto_directory_sync(".");
	parent = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!parent)
		return SOTTO_ENOMEM;
	st = sotto_directory_sync(parent);
	free(parent);
	return st;
}

static enum sotto_status write_new(const char *path, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	enum sotto_status st;

	if (fd < 0)
		return SOTTO_EIO;
	st = sotto_file_write(fd, bytes, n);
	if (st == SOTTO_OK && fsync(fd) != 0)
		st = SOTTO_EIO;
	if (close(fd) != 0 && st == SOTTO_OK)
		st = SOTTO_EIO;
	return st;
}

enum sotto_status
sotto_file_replace(const char *path, const uint8_t *bytes, size_t n, struct sotto_error *err)
{
	size_t size = strlen(path) + sizeof ".new";
	char *aside = malloc(size);
	enum sotto_status st;

	if (!aside)
		return SOTTO_ENOMEM;
	(void)snprintf(aside, size, "%s.new", path);
	st = write_new(aside, bytes, n);
	if (st == SOTTO_OK && rename(aside, path) != 0)
		st = SOTTO_EIO;
	if (st == SOTTO_OK)
		st = sync_parent(path);
	else
		(void)unlink(aside);
	free(aside);
	return st == SOTTO_OK ? st : sotto_fail(err, st, "could not write %s", path);
}
