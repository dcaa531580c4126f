/*
 * adbc_abi.h - the C interface of ADBC drivers, version 1.0
 *
 * Layouts that the specification fixes (Arrow Database Connectivity, C API 1.0.0).  A
 * driver of a later version fills these same first members.  Functions that are not called
 * here have a place but no type.
 */
#ifndef SOTTO_ADBC_ABI_H
#define SOTTO_ADBC_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/owner.h"

enum { ADBC_OK = 0, ADBC_VERSION = 1000000, ADBC_INFO_VENDOR_NAME = 0 };

/* message and vendor_code are never looked at: the words may quote rows and passwords. */
struct AdbcError {
	char *message;
	int32_t vendor_code;
	char sqlstate[5];
	void (*release)(struct AdbcError *);
};

struct AdbcDriver;

struct AdbcDatabase {
	void *private_data;
	struct AdbcDriver *private_driver;
};

struct AdbcConnection {
	void *private_data;
	struct AdbcDriver *private_driver;
};

struct AdbcStatement {
	void *private_data;
	struct AdbcDriver *private_driver;
};

typedef uint8_t (*adbc_database_fn)(struct AdbcDatabase *, struct AdbcError *);
typedef uint8_t (*adbc_connection_fn)(struct AdbcConnection *, struct AdbcError *);
typedef uint8_t (*adbc_statement_fn)(struct AdbcStatement *, struct AdbcError *);
typedef void (*adbc_unused_fn)(void);

struct AdbcDriver {
	void *private_data;
	void *private_manager;
	uint8_t (*release)(struct AdbcDriver *, struct AdbcError *);

	adbc_database_fn DatabaseInit;
	adbc_database_fn DatabaseNew;
	uint8_t (*DatabaseSetOption)(struct AdbcDatabase *, const char *, const char *,
				     struct AdbcError *);
	adbc_database_fn DatabaseRelease;

	adbc_connection_fn ConnectionCommit;
	uint8_t (*ConnectionGetInfo)(struct AdbcConnection *, const uint32_t *, size_t,
				     struct ArrowArrayStream *, struct AdbcError *);
	adbc_unused_fn ConnectionGetObjects;
	adbc_unused_fn ConnectionGetTableSchema;
	adbc_unused_fn ConnectionGetTableTypes;
	uint8_t (*ConnectionInit)(struct AdbcConnection *, struct AdbcDatabase *,
				  struct AdbcError *);
	adbc_connection_fn ConnectionNew;
	uint8_t (*ConnectionSetOption)(struct AdbcConnection *, const char *, const char *,
				       struct AdbcError *);
	adbc_unused_fn ConnectionReadPartition;
	adbc_connection_fn ConnectionRelease;
	adbc_connection_fn ConnectionRollback;

	adbc_unused_fn StatementBind;
	adbc_unused_fn StatementBindStream;
	uint8_t (*StatementExecuteQuery)(struct AdbcStatement *, struct ArrowArrayStream *,
					 int64_t *, struct AdbcError *);
	adbc_unused_fn StatementExecutePartitions;
	adbc_unused_fn StatementGetParameterSchema;
	uint8_t (*StatementNew)(struct AdbcConnection *, struct AdbcStatement *,
				struct AdbcError *);
	adbc_statement_fn StatementPrepare;
	adbc_statement_fn StatementRelease;
	adbc_unused_fn StatementSetOption;
	uint8_t (*StatementSetSqlQuery)(struct AdbcStatement *, const char *,
					struct AdbcError *);
	adbc_unused_fn StatementSetSubstraitPlan;
};

typedef uint8_t (*adbc_init_fn)(int version, void *driver, struct AdbcError *);

#endif
