/*
 * linked.h - random relations over several private tables with the same unit
 */
#ifndef SOTTO_TESTS_LINKED_H
#define SOTTO_TESTS_LINKED_H

#include "testlib/question/expression.h"

/* Tables that reach their unit by another one, joins and unions of them. */
void writer_linked(struct writer *q);

#endif
