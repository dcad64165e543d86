/* Limits of the operating system, from the text files of /proc and /sys and from getrlimit.
 *
 *   /proc/self/cgroup    "0::/user.slice/a"           version 2: one tree at /sys/fs/cgroup (or .../unified)
 *                        "7:cpu,cpuacct:/docker/b"    version 1: one tree per controller at /sys/fs/cgroup/CONTROLLER
 *
 * A limit of any ancestor binds as well, so the walk goes from the process's own group up to the root of the tree and
 * takes the least. Groups that are not visible are skipped: inside a container the path often names a group of the
 * host, and the walk then ends at the mount's root, which is the container's own group.
 * A missing or malformed file means "unknown", never an error. Files are read whole into a fixed buffer; what matters
 * in them is at their beginning.
 * Threads: any (no state). Cost: a handful of small file reads. */
#include "core/base/probe.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define PATH_SIZE 4096
#define FILE_SIZE 8192
/* Version 1 says "unlimited" with the largest page multiple; nothing has this much. */
#define UNLIMITED ((uint64_t)1 << 60)

/* Reads `root``path` into `data` (NUL-terminated, cut at FILE_SIZE - 1). */
static bool read_small_file(const char *root, const char *path, char data[FILE_SIZE]) {
  char full[PATH_SIZE];
  int length = snprintf(full, sizeof full, "%s%s", root, path);
  if (length < 0 || (size_t)length >= sizeof full) {
    return false;
  }
  FILE *file = fopen(full, "r");
  if (file == NULL) {
    return false;
  }
  size_t size = fread(data, 1, FILE_SIZE - 1, file);
  bool good = ferror(file) == 0;
  (void)fclose(file);
  data[size] = '\0';
  return good;
}

/* A decimal number at the start of `text`; `end` (optional) receives what follows. */
static bool read_number(const char *text, uint64_t *value, const char **end) {
  if (text[0] < '0' || text[0] > '9') {
    return false;
  }
  char *after;
  errno = 0;
  unsigned long long number = strtoull(text, &after, 10);
  if (errno != 0) {
    return false;
  }
  *value = number;
  if (end != NULL) {
    *end = after;
  }
  return true;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* The byte limit in one file; "max" and the like mean none. */
static uint64_t read_limit(const char *root, const char *folder, const char *name) {
  char path[PATH_SIZE], data[FILE_SIZE];
  uint64_t value;
  int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= sizeof path || !read_small_file(root, path, data) ||
      !read_number(data, &value, NULL) || value >= UNLIMITED) {
    return HDI_PROBE_UNKNOWN;
  }
  return value;
}

static uint64_t group_memory(const char *root, const char *folder) {
  uint64_t limit = read_limit(root, folder, "memory.max");
  limit = least(limit, read_limit(root, folder, "memory.high"));
  return least(limit, read_limit(root, folder, "memory.limit_in_bytes"));
}

/* Processor time in millionths of a core. */
static uint64_t group_cores(const char *root, const char *folder) {
  char path[PATH_SIZE], data[FILE_SIZE];
  uint64_t quota, period;
  const char *rest;
  int length = snprintf(path, sizeof path, "%s/cpu.max", folder);
  if (length > 0 && (size_t)length < sizeof path && read_small_file(root, path, data)) {
    if (!read_number(data, &quota, &rest) || *rest != ' ' || !read_number(rest + 1, &period, NULL)) {
      return HDI_PROBE_UNKNOWN;
    }
  } else {
    quota = read_limit(root, folder, "cpu.cfs_quota_us");
    period = read_limit(root, folder, "cpu.cfs_period_us");
  }
  if (quota >= UNLIMITED || period >= UNLIMITED || quota == 0 || period == 0) {
    return HDI_PROBE_UNKNOWN;
  }
  return (uint64_t)((double)quota / (double)period * 1e6);
}

/* Least value of `measure` over the groups from `mount``group` up to `mount`. */
static uint64_t walk_up(const char *root, const char *mount, const char *group,
                        uint64_t (*measure)(const char *root, const char *folder)) {
  char folder[PATH_SIZE];
  bool outside = strstr(group, "/..") != NULL; /* a group above the visible tree */
  int length = snprintf(folder, sizeof folder, "%s%s", mount, outside || strcmp(group, "/") == 0 ? "" : group);
  if (length < 0 || (size_t)length >= sizeof folder) {
    (void)snprintf(folder, sizeof folder, "%s", mount);
  }
  uint64_t limit = HDI_PROBE_UNKNOWN;
  size_t mount_length = strlen(mount);
  for (;;) {
    limit = least(limit, measure(root, folder));
    char *slash = strrchr(folder, '/');
    if (slash == NULL || strlen(folder) <= mount_length) {
      return limit;
    }
    *slash = '\0';
  }
}

/* Whether `name` is in the comma-separated `list`. */
static bool list_has(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *item = list; item != NULL; item = strchr(item, ',')) {
    item += *item == ',';
    if (strncmp(item, name, length) == 0 && (item[length] == ',' || item[length] == '\0')) {
      return true;
    }
  }
  return false;
}

/* Least value over all groups of the process that carry `controller`. */
static uint64_t walk_groups(const char *root, const char *controller,
                            uint64_t (*measure)(const char *root, const char *folder)) {
  char data[FILE_SIZE], mount[PATH_SIZE];
  uint64_t limit = HDI_PROBE_UNKNOWN;
  if (!read_small_file(root, "/proc/self/cgroup", data)) {
    return limit;
  }
  char *rest = data;
  for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) {
      continue;
    }
    controllers++;
    *group++ = '\0';
    if (controllers[0] == '\0') {
      limit = least(limit, walk_up(root, "/sys/fs/cgroup", group, measure));
      limit = least(limit, walk_up(root, "/sys/fs/cgroup/unified", group, measure));
    } else if (list_has(controllers, controller)) {
      (void)snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controller);
      limit = least(limit, walk_up(root, mount, group, measure));
    }
  }
  return limit;
}

uint64_t hdi_probe_cgroup_memory(const char *root) {
  return walk_groups(root, "memory", group_memory);
}

double hdi_probe_cgroup_cores(const char *root) {
  uint64_t millionths = walk_groups(root, "cpu", group_cores);
  return millionths == HDI_PROBE_UNKNOWN ? 0 : (double)millionths / 1e6;
}

uint64_t hdi_probe_kilobytes(const char *root, const char *path, const char *key) {
  char data[FILE_SIZE];
  uint64_t value;
  if (!read_small_file(root, path, data)) {
    return HDI_PROBE_UNKNOWN;
  }
  size_t key_length = strlen(key);
  char *rest = data;
  for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
    if (strncmp(line, key, key_length) == 0) {
      const char *number = line + key_length + strspn(line + key_length, " \t");
      return read_number(number, &value, NULL) && value <= UINT64_MAX / 1024 ? value * 1024 : HDI_PROBE_UNKNOWN;
    }
  }
  return HDI_PROBE_UNKNOWN;
}

uint64_t hdi_probe_address_space(void) {
  struct rlimit limit;
  bool known = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return known ? limit.rlim_cur : HDI_PROBE_UNKNOWN;
}

size_t hdi_probe_huge_page(const char *root) {
  char data[FILE_SIZE];
  uint64_t value;
  if (!read_small_file(root, "/sys/kernel/mm/transparent_hugepage/enabled", data) || strchr(data, '[') == NULL ||
      strstr(data, "[never]") != NULL) {
    return 0;
  }
  if (!read_small_file(root, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", data) ||
      !read_number(data, &value, NULL) || value > SIZE_MAX) {
    return 0;
  }
  return (size_t)value;
}
