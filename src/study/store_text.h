// SPDX-License-Identifier: Apache-2.0
// The words of a store: SQL that depends on the ensemble's columns, and what keys mean to people.
#pragma once
#include "study/ensemble.h"

/// Statements that make the tables (from the host), or NULL without memory.
char *carom_store_schema(const CaromHost *host, const CaromEnsembleData *data);
/// The statement that inserts one sample, or NULL without memory.
char *carom_store_insert(const CaromHost *host, const CaromEnsembleData *data);
/// What differs, for a message: "variables".
const char *carom_store_word(const char *key);
