/*
 * A copy of the whole store as it is at one moment, by SQLite's own means: pages
 * are read in one transaction, so that those who charge meanwhile need not wait.
 */
#include "core/base/failure.h"
#include "core/ledger/store/ledger_store.h"
#include "core/ledger/store/ledger_store_error.h"
#include "core/ledger/store/ledger_store_file.h"

struct copy {
	struct sotto_store *from;
	sotto_store_check_fn check;
	void *context;
};

static enum sotto_status
copy_pages(struct sotto_store *to, struct sotto_store *from, struct sotto_error *err)
{
	sqlite3_backup *b = sqlite3_backup_init(to->db, "main", from->db, "main");

	if (!b)
		return sotto_store_failure(to, err);
	(void)sqlite3_backup_step(b, -1);
	return sqlite3_backup_finish(b) == SQLITE_OK ? SOTTO_OK : sotto_store_failure(to, err);
}

static enum sotto_status fill(struct sotto_store *draft, void *context, struct sotto_error *err)
{
	struct copy *c = context;

	SOTTO_TRY(copy_pages(draft, c->from, err));
	return c->check(c->context, draft, err);
}

enum sotto_status sotto_store_backup(struct sotto_store *s, const char *path,
				     sotto_store_check_fn check, void *context,
				     struct sotto_error *err)
{
	struct copy c = {.from = s, .check = check, .context = context};
	bool exists = false;

	SOTTO_TRY(sotto_store_make_file(path, fill, &c, &exists, err));
	if (exists)
		return sotto_fail(err, SOTTO_ESTATE,
				  "%.300s already exists; a copy never overwrites a file",
				  path);
	return SOTTO_OK;
}
