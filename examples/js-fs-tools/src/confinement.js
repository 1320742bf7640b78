// Which paths may be touched. The answer is always a resolved path: use that one and not the one that was asked for.

import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** A path that may not be touched, or cannot be; the message is for the model. */
export class PathError extends Error {}

/**
 * Resolve a requested path through all links, and refuse it outside of what is allowed.
 *
 * With `mayBeNew` the last component need not exist; its folder has to.
 */
export async function confine(requested, allowedPaths, { mayBeNew = false } = {}) {
  if (typeof requested !== 'string' || requested === '') throw new PathError('a path must be a string that is not empty');
  if (allowedPaths.length === 0) throw new PathError('no path is allowed: the configuration has no allowed_paths');
  const asked = path.resolve(allowedPaths[0], requested);
  const resolved = (await resolve(asked)) ?? (mayBeNew && (await resolveNew(asked)));
  // Whether something outside exists is none of the model's business, so that is not told apart from what is refused.
  const roots = await Promise.all(allowedPaths.map(resolve));
  if (resolved && roots.some((root) => root && isInside(resolved, root))) return resolved;
  if (!resolved && allowedPaths.some((allowed) => isInside(asked, path.resolve(allowed)))) {
    throw new PathError(`no such file or directory: ${requested}`);
  }
  throw new PathError(`path not allowed: ${requested}`);
}

async function resolve(location) {
  try {
    return await realpath(location);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(error.code)) return undefined;
    throw error;
  }
}

async function resolveNew(location) {
  const folder = await resolve(path.dirname(location));
  return folder && path.join(folder, path.basename(location));
}

function isInside(location, root) {
  const relative = path.relative(root, location);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
