/* A folder for one test, made in the working folder and removed with everything in it. */
#ifndef HEDDLE_TESTS_SUPPORT_TEMP_FOLDER_H
#define HEDDLE_TESTS_SUPPORT_TEMP_FOLDER_H

#include <stddef.h>

typedef struct temp_folder {
  char path[64];
} temp_folder;

/* Ends the test when it cannot be made. */
temp_folder temp_folder_make(void);
void temp_folder_remove(const temp_folder *folder);
/* "<folder>/<name>" in a static buffer that the next call overwrites. */
const char *temp_folder_path(const temp_folder *folder, const char *name);
/* Writes a file; folders on the way are made. */
void temp_folder_write(const temp_folder *folder, const char *name, const void *data, size_t size_bytes);
void temp_folder_write_text(const temp_folder *folder, const char *name, const char *text);
/* Number of entries in the folder, hidden ones included. */
size_t temp_folder_count(const temp_folder *folder);

#endif
