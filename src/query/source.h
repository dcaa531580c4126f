/*
 * source.h - what a table of the policy is read from
 */
#ifndef SOTTO_QUERY_SOURCE_H
#define SOTTO_QUERY_SOURCE_H

#include "query/session.h"

/* SOTTO_EIO, with the line of the policy. */
enum sotto_status sotto_source_unreadable(const struct sotto_session *s,
					  const struct sotto_policy_table *t,
					  struct sotto_error *err);

#endif
