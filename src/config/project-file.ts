import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, systemCode, usageError } from '../errors.ts';
import { makeDirectory } from '../system/files.ts';
import { systemReason } from '../system/system-reason.ts';
import { type ParsedList, type ProjectList, parseProjectList } from './project-list.ts';

/** What was found where projects are stored. */
export type StoredProjects = ProjectList & {
  readonly warnings: readonly string[];
  /** Set when the file may not be read: with a key from the environment that does not matter. */
  readonly unreadable?: CliError;
};

/** Name of the file without its ending, as conf wants it. */
export const configName = 'config';

/** The file in its directory. */
export function projectFile(directory: string): string {
  return join(directory, `${configName}.json`);
}

/**
 * Reads the stored projects without loading anything. No file is no projects. Throws a usage error that names
 * a damaged file and repeats nothing of it.
 */
export function readProjectFile(file: string, platform: string): StoredProjects {
  try {
    const { text, mode } = readWithMode(file);
    return {
      ...acceptParsed(parseProjectList(text), file).list,
      warnings: warnAboutMode(file, mode, platform),
    };
  } catch (error) {
    const code = systemCode(error);
    // ENOTDIR: a home such as /dev/null, which service accounts have.
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return { projects: [], warnings: [] };
    }
    if (code === 'EACCES' || code === 'EPERM') {
      return { projects: [], warnings: [], unreadable: toFileError(error, { verb: 'read', path: file }) };
    }
    throw code === undefined ? error : toFileError(error, { verb: 'read', path: file });
  }
}

/** What a text holds as it stands in the file. Throws the usage error for a damaged file. */
export function acceptParsed(
  parsed: ParsedList,
  file: string,
): Exclude<ParsedList, { readonly fault: string }> {
  if ('fault' in parsed) {
    throw usageError(
      `the configuration file ${file} is damaged: ${parsed.fault}`,
      'repair it, or move it away and store your projects again with hogctl auth login',
    );
  }
  return parsed;
}

/** Makes the directory for its owner only. One that exists is left as it is. */
export function makeConfigDirectory(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw toFileError(error, { verb: 'create', path: directory });
  }
}

/** A usage error for a file that could not be read, written or created. The error is of the file system's making. */
export function toFileError(
  error: unknown,
  attempt: { readonly verb: 'read' | 'write' | 'create'; readonly path: string },
): CliError {
  return new CliError('usage', `cannot ${attempt.verb} ${attempt.path}: ${systemReason(error)}`, {
    hint: 'set HOGCTL_CONFIG_DIR to a directory of your own, or give the key by HOGCTL_API_KEY',
    cause: error,
  });
}

function readWithMode(file: string): { readonly text: string; readonly mode: number } {
  const descriptor = openSync(file, 'r');
  try {
    return { text: readFileSync(descriptor, 'utf8'), mode: fstatSync(descriptor).mode & 0o777 };
  } finally {
    closeSync(descriptor);
  }
}

function warnAboutMode(file: string, mode: number, platform: string): readonly string[] {
  if (platform === 'win32' || (mode & 0o077) === 0) {
    return [];
  }
  const shown = mode.toString(8).padStart(3, '0');
  return [`${file} holds keys and is open to other users (mode ${shown}): run chmod 600 on it`];
}
