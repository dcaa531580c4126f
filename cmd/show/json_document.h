/*
 * json_document.h - lets the library write a document (sotto/answer.h) with the JSON writer
 */
#ifndef SOTTO_JSON_DOCUMENT_H
#define SOTTO_JSON_DOCUMENT_H

#include "show/json.h"
#include "sotto/answer.h"

struct sotto_document json_document(struct json_writer *w);

#endif
