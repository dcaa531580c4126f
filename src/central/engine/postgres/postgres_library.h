/*
 * postgres_library.h - libpq, loaded at run time
 */
#ifndef SOTTO_POSTGRES_LIBRARY_H
#define SOTTO_POSTGRES_LIBRARY_H

#include <libpq-fe.h>

#include "sotto/status.h"

/* The functions that are used, each under its own name. */
#define SOTTO_LIBPQ_LIST(X)                                                                    \
	X(PQconnectdbParams)                                                                   \
	X(PQpingParams)                                                                        \
	X(PQconninfoParse)                                                                     \
	X(PQconninfoFree)                                                                      \
	X(PQconnectionNeedsPassword)                                                           \
	X(PQstatus)                                                                            \
	X(PQserverVersion)                                                                     \
	X(PQbackendPID)                                                                        \
	X(PQsetNoticeReceiver)                                                                 \
	X(PQfinish)                                                                            \
	X(PQexec)                                                                              \
	X(PQexecParams)                                                                        \
	X(PQresultStatus)                                                                      \
	X(PQresultErrorField)                                                                  \
	X(PQclear)                                                                             \
	X(PQntuples)                                                                           \
	X(PQgetvalue)                                                                          \
	X(PQgetisnull)                                                                         \
	X(PQgetCopyData)                                                                       \
	X(PQgetResult)                                                                         \
	X(PQfreemem)

struct sotto_libpq {
	void *handle;
#define SOTTO_LIBPQ_MEMBER(name) __typeof__(name) *name;
	SOTTO_LIBPQ_LIST(SOTTO_LIBPQ_MEMBER)
#undef SOTTO_LIBPQ_MEMBER
};

/* Fails: SOTTO_EMISSING; err says what to install. */
SOTTO_MUST_CHECK enum sotto_status
sotto_libpq_load(struct sotto_libpq *l, struct sotto_error *err);

#endif
