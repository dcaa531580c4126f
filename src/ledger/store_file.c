#include "ledger/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "ledger/store_error.h"

enum { BUSY_MILLISECONDS = 30000, PATH_CAP = 4096 };

enum sotto_status
sotto_store_execute(struct sotto_store *s, const char *sql, struct sotto_error *err)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? SOTTO_OK
		       : sotto_store_failure(s, err);
}

enum sotto_status
sotto_store_connect(struct sotto_store *s, const char *path, struct sotto_error *err)
{
	int opened = sqlite3_open_v2(
		path, &s->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_FULLMUTEX, NULL);

	if (!s->db)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	if (opened != SQLITE_OK)
		return sotto_store_failure(s, err);
	sqlite3_busy_timeout(s->db, BUSY_MILLISECONDS);
	return sotto_store_execute(s,
				   "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
				   "PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;",
				   err);
}

void sotto_store_disconnect(struct sotto_store *s)
{
	sqlite3_close(s->db);
	s->db = NULL;
}

/* Makes the name durable too. */
static void sync_folder_of(const char *path)
{
	char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
	int fd;

	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd);
		(void)close(fd);
	}
	free(folder);
}

static enum sotto_status cannot_make(const char *path, struct sotto_error *err)
{
	return sotto_fail(
		err, SOTTO_EIO,
		"the ledger %s could not be made; check that its folder exists and can "
		"be written",
		path);
}

/* Fills the draft and gives it its name, unless somebody was quicker. */
static enum sotto_status make_from_draft(const char *path, char *draft,
					 sotto_store_fill_fn fill, void *context, bool *exists,
					 struct sotto_error *err)
{
	struct sotto_store s = {.path = draft};
	enum sotto_status st = sotto_store_connect(&s, draft, err);

	if (st == SOTTO_OK)
		st = fill(&s, context, err);
	sotto_store_disconnect(&s);
	SOTTO_TRY(st);
	*exists = link(draft, path) != 0;
	if (*exists && errno != EEXIST)
		return cannot_make(path, err);
	sync_folder_of(path);
	return SOTTO_OK;
}

enum sotto_status sotto_store_make_file(const char *path, sotto_store_fill_fn fill,
					void *context, bool *exists, struct sotto_error *err)
{
	struct sotto_buffer draft;
	enum sotto_status st;
	int fd;

	sotto_buffer_init(&draft, PATH_CAP);
	st = sotto_buffer_appendf(&draft, "%s.new-XXXXXX", path);
	if (st != SOTTO_OK) {
		sotto_buffer_release(&draft);
		return st;
	}
	fd = mkstemp(draft.bytes); /* readable by its owner only */
	if (fd < 0) {
		sotto_buffer_release(&draft);
		return cannot_make(path, err);
	}
	(void)close(fd);
	st = make_from_draft(path, draft.bytes, fill, context, exists, err);
	(void)unlink(draft.bytes);
	sotto_buffer_release(&draft);
	return st;
}
