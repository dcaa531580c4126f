/*
 * complaint.h - writes the sentence that a user will read
 */
#ifndef SOTTO_COMPLAINT_H
#define SOTTO_COMPLAINT_H

#include "frame/outcome.h"
#include "sotto/status.h"

/* Write the sentence to err and return the outcome, so that a refusal is one line. */
__attribute__((format(printf, 2, 3))) enum outcome
complaint_refuse(struct sotto_error *err, const char *format, ...);
__attribute__((format(printf, 2, 3))) enum outcome
complaint_usage(struct sotto_error *err, const char *format, ...);

#endif
