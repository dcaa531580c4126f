/*
 * json_document.h - what the library writes in a shape of its own, through the JSON writer
 */
#ifndef SOTTO_JSON_DOCUMENT_H
#define SOTTO_JSON_DOCUMENT_H

#include "show/json.h"
#include "sotto/answer.h"

struct sotto_document json_document(struct json_writer *w);

#endif
