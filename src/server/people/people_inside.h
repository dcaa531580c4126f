/*
 * people_inside.h - the list of users, for the files of this folder
 */
#ifndef SOTTO_PEOPLE_INSIDE_H
#define SOTTO_PEOPLE_INSIDE_H

#include <pthread.h>
#include <sqlite3.h>

#include "server/people/people.h"

struct sotto_people {
	sqlite3 *db;
	pthread_mutex_t lock;
	uint8_t secret[SOTTO_KEY_HASH_BYTES]; /* derives salts for unknown names */
};

/* Turns SQLite's last error into a status and a sentence. */
SOTTO_MUST_CHECK enum sotto_status
sotto_people_failure(const struct sotto_people *p, struct sotto_error *err);

SOTTO_MUST_CHECK enum sotto_status sotto_people_prepare(struct sotto_people *p, const char *sql,
							sqlite3_stmt **out,
							struct sotto_error *err);

#endif
