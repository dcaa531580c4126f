/*
 * One sentence for each kind of failure that an owner can do something about; a missing table
 * counts as damage.
 */
#include "core/ledger/store/ledger_store_error.h"

#include "core/base/failure.h"

enum sotto_status sotto_store_damage(const struct sotto_store *s, struct sotto_error *err)
{
	return sotto_fail(
		err, SOTTO_ECORRUPT,
		"the ledger %s is damaged; restore it from a backup, nothing is answered "
		"until then",
		s->path);
}

enum sotto_status sotto_store_failure(const struct sotto_store *s, struct sotto_error *err)
{
	switch (sqlite3_errcode(s->db)) {
	case SQLITE_NOMEM:
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR: /* a table is missing: our statements are right */
	case SQLITE_MISMATCH:
		return sotto_store_damage(s, err);
	case SQLITE_FULL:
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s could not be written: the disk is full",
				  s->path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return sotto_fail(
			err, SOTTO_EIO,
			"the ledger %s cannot be written; check the rights of the file "
			"and its folder",
			s->path);
	case SQLITE_CANTOPEN:
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s could not be opened; check who may read and "
				  "write it and its folder",
				  s->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s could not be locked: another process holds it",
				  s->path);
	case SQLITE_IOERR:
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s could not be read or written; check its disk, "
				  "and the space on it",
				  s->path);
	default:
		return sotto_fail(err, SOTTO_EIO,
				  "the ledger %s could not be used (SQLite: %s)", s->path,
				  sqlite3_errstr(sqlite3_errcode(s->db)));
	}
}
