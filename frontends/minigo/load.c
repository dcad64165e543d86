/* Loads Go files: finds those of a folder that belong to the build, in the order of their names, tells the package of
 * outside tests apart, and looks for the go.mod that says which Go the files are for.
 *
 * Paths are made longer as text, never changed into: the working folder stays, and any number of loads may run at once.
 * Cost: that of reading the files. */
#include "frontends/minigo/load.h"

#include "frontends/minigo/constraint.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HD_ARRAY_NAME text_list
#define HD_ARRAY_TYPE hd_text *
#include "core/base/array.h"

#define HD_ARRAY_NAME skipped_list
#define HD_ARRAY_TYPE hd_go_skipped
#include "core/base/array.h"

#define HD_ARRAY_NAME name_list
#define HD_ARRAY_TYPE char *
#include "core/base/array.h"

typedef struct load_state {
  hd_diag *diag;
  bool tests;
  text_list texts;      /* owned until the end */
  skipped_list skipped; /* the same */
} load_state;

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static hd_status cannot(hd_diag *diag, const char *path, const char *why) {
  hd_diag_add(diag, HD_DIAG_READ, NULL, (hd_span){0, 0}, why, "cannot read %s", path);
  return HD_E_IO;
}

/* "folder/name"; NULL when memory is out. */
static char *join_path(const char *folder, const char *name) {
  hd_buffer path = {0};
  hd_buffer_printf(&path, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", name);
  return hd_buffer_take(&path);
}

static hd_status skip(load_state *loading, const char *path) {
  hd_buffer copy = {0};
  hd_buffer_add_text(&copy, path);
  hd_go_skipped skipped = {hd_buffer_take(&copy)};
  hd_status status = skipped.path == NULL ? HD_E_NOMEM : skipped_list_push(&loading->skipped, skipped);
  if (status != HD_OK) {
    free(skipped.path);
  }
  return status;
}

static hd_status add_file(load_state *loading, const char *path, bool always) {
  hd_text *text = NULL;
  hd_status status = hd_text_read(path, &text);
  if (status == HD_E_IO) {
    return cannot(loading->diag, path, strerror(errno));
  }
  if (status == HD_OK && !always && !hdi_go_text_fits(text)) {
    hd_text_free(text);
    return skip(loading, path);
  }
  status = status == HD_OK ? text_list_push(&loading->texts, text) : status;
  if (status != HD_OK) {
    hd_text_free(text);
  }
  return status;
}

static hd_status add_entry(load_state *loading, const char *folder, const char *name) {
  if (!ends_with(name, ".go") || name[0] == '_' || name[0] == '.' || (ends_with(name, "_test.go") && !loading->tests)) {
    return HD_OK;
  }
  char *path = join_path(folder, name);
  if (path == NULL) {
    return HD_E_NOMEM;
  }
  hd_status status = hdi_go_name_fits(name) ? add_file(loading, path, false) : skip(loading, path);
  free(path);
  return status;
}

static int by_bytes(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entries' names, in the order of their bytes: the user's locale must not matter. */
static hd_status list_folder(load_state *loading, const char *folder, name_list *names) {
  DIR *open = opendir(folder);
  if (open == NULL) {
    return errno == ENOMEM ? HD_E_NOMEM : cannot(loading->diag, folder, strerror(errno));
  }
  hd_status status = HD_OK;
  for (const struct dirent *entry = readdir(open); entry != NULL && status == HD_OK; entry = readdir(open)) {
    hd_buffer copy = {0};
    hd_buffer_add_text(&copy, entry->d_name);
    char *name = hd_buffer_take(&copy);
    status = name == NULL ? HD_E_NOMEM : name_list_push(names, name);
    if (status != HD_OK) {
      free(name);
    }
  }
  (void)closedir(open);
  if (names->count > 0) {
    qsort(names->data, names->count, sizeof names->data[0], by_bytes);
  }
  return status;
}

static hd_status add_folder(load_state *loading, const char *folder) {
  name_list names = {0};
  hd_status status = list_folder(loading, folder, &names);
  for (size_t i = 0; i < names.count; i++) {
    status = status == HD_OK ? add_entry(loading, folder, names.data[i]) : status;
    free(names.data[i]);
  }
  name_list_free(&names);
  if (status == HD_OK && loading->texts.count == 0) {
    return cannot(loading->diag, folder, "no Go file in it belongs to a build for linux on amd64");
  }
  return status;
}

/* ---- go.mod ---- */

/* 22 of a line `go 1.22` or `go 1.22.3`; 0: none. */
static uint32_t minor_of(const hd_text *text) {
  for (uint32_t l = 1; l <= text->line_count; l++) {
    size_t length = 0;
    const char *line = hd_text_line(text, l, &length);
    if (length > 5 && memcmp(line, "go 1.", 5) == 0) {
      uint32_t minor = 0;
      for (size_t i = 5; i < length && line[i] >= '0' && line[i] <= '9' && minor < 10000; i++) {
        minor = minor * 10 + (uint32_t)(line[i] - '0');
      }
      return minor;
    }
  }
  return 0;
}

/* Is the folder above this one the same: the root? */
static bool is_root(const char *folder, const char *above) {
  struct stat a, b;
  return stat(folder, &a) != 0 || stat(above, &b) != 0 || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* Looks in the folder and those above it, up to the root. */
static hd_status find_go_minor(const char *folder, uint32_t *minor) {
  char *here = join_path(folder, ".");
  hd_status status = here == NULL ? HD_E_NOMEM : HD_OK;
  for (bool more = true; more && status == HD_OK;) {
    char *path = join_path(here, "go.mod"), *above = join_path(here, "..");
    hd_text *text = NULL;
    status = path == NULL || above == NULL ? HD_E_NOMEM : hd_text_read(path, &text);
    if (status == HD_OK) {
      *minor = minor_of(text);
    }
    more = status == HD_E_IO && !is_root(here, above);
    status = status == HD_E_IO ? HD_OK : status;
    hd_text_free(text);
    free(path);
    free(here);
    here = above;
  }
  free(here);
  return status;
}

static hd_status find_version(const char *path, bool is_folder, uint32_t *minor) {
  if (is_folder) {
    return find_go_minor(path, minor);
  }
  const char *slash = strrchr(path, '/');
  hd_buffer folder = {0};
  hd_buffer_add(&folder, slash == NULL ? "." : path, slash == NULL ? 1 : (size_t)(slash - path) + 1);
  char *taken = hd_buffer_take(&folder);
  hd_status status = taken == NULL ? HD_E_NOMEM : find_go_minor(taken, minor);
  free(taken);
  return status;
}

/* ---- packages ---- */

static bool is_outside_test(const hd_text *text) {
  hd_span name = hdi_go_package_clause(text);
  return ends_with(text->name, "_test.go") && name.end - name.begin > 5 &&
         memcmp(text->data + name.end - 5, "_test", 5) == 0;
}

static hd_status read_packages(hd_go_source *source, hd_diag *diag) {
  const hd_text **group = malloc((source->text_count + 1u) * sizeof(const hd_text *));
  hd_status status = group == NULL ? HD_E_NOMEM : HD_OK;
  for (int outside = 0; outside < 2; outside++) {
    uint32_t count = 0;
    for (uint32_t t = 0; group != NULL && t < source->text_count; t++) {
      if (is_outside_test(source->texts[t]) == (outside == 1)) {
        group[count++] = source->texts[t];
      }
    }
    hd_go_package *package = NULL;
    hd_status read = count == 0 ? HD_OK : hd_go_read(group, count, diag, &package);
    if (package != NULL) {
      source->packages[source->package_count++] = package;
    }
    status = status == HD_OK || read == HD_E_NOMEM ? (read == HD_OK ? status : read) : status;
  }
  free(group);
  return status;
}

void hd_go_source_free(hd_go_source *source) {
  if (source == NULL) {
    return;
  }
  for (uint32_t p = 0; p < source->package_count; p++) {
    hd_go_package_free(source->packages[p]);
  }
  for (uint32_t t = 0; t < source->text_count; t++) {
    hd_text_free(source->texts[t]);
  }
  for (uint32_t s = 0; s < source->skipped_count; s++) {
    free(source->skipped[s].path);
  }
  free(source->texts);
  free(source->skipped);
  free(source);
}

hd_status hd_go_load(const char *path, bool tests, hd_diag *diag, hd_go_source **out) {
  *out = NULL;
  hd_go_source *source = calloc(1, sizeof *source);
  if (source == NULL) {
    return HD_E_NOMEM;
  }
  struct stat about;
  load_state loading = {.diag = diag, .tests = tests};
  bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  hd_status status = is_folder ? add_folder(&loading, path) : add_file(&loading, path, true);
  source->texts = loading.texts.data;
  source->text_count = (uint32_t)loading.texts.count;
  source->skipped = loading.skipped.data;
  source->skipped_count = (uint32_t)loading.skipped.count;
  status = status == HD_OK ? find_version(path, is_folder, &source->go_minor) : status;
  status = status == HD_OK ? read_packages(source, diag) : status;
  if (status != HD_OK) {
    hd_go_source_free(source);
    return status;
  }
  *out = source;
  return HD_OK;
}
