import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { readProjectFile, type StoredProjects } from '../../../src/settings/project-file.ts';
import { createProjectStore, type ProjectStore } from '../../../src/settings/project-store.ts';
import type { StoredProject } from '../../../src/settings/stored-project.ts';
import type { Viewer } from '../../../src/system/own-files.ts';

/** A directory that goes when the test ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hogctl-config-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const thisUser: Viewer = { uid: process.geteuid?.(), environment: {} };

/** What resolving the settings reads there. */
export function readIn(directory: string | undefined, viewer = thisUser): StoredProjects {
  return readProjectFile(directory, { ...viewer, platform: 'linux' });
}

/** A store whose waits are over at once, in a directory that need not exist. */
export function storeIn(
  directory: string | undefined,
  wait: () => Promise<void> = () => Promise.resolve(),
  viewer = thisUser,
): ProjectStore {
  return createProjectStore(directory, {
    ...viewer,
    platform: 'linux',
    wait,
    random: () => 0.5,
    pid: 42,
    isAlive: () => true,
  });
}

/** A project with the name as part of its key. */
export function storedProject(
  name: string,
  more: Partial<Extract<StoredProject, { key: string }>> = {},
): StoredProject {
  const host = 'https://us.posthog.com';
  return { name, host, id: '1', key: `phx_key_of_${name}`, protected: false, ...more };
}

/** Permission bits, such as `600`. */
export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** A configuration file with this text, in a directory of its own. */
export function fileHolding(text: string): { readonly directory: string; readonly file: string } {
  const directory = temporaryDirectory();
  const file = join(directory, 'config.json');
  writeFileSync(file, text, { mode: 0o600 });
  return { directory, file };
}

/** The CliError that work ends with. */
export async function errorOf(work: () => unknown): Promise<CliError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CliError) {
      return error;
    }
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Runs a Node program to its end. */
export function runProgram(
  program: string,
  words: readonly string[],
  more: { readonly uid?: number; readonly umask?: string } = {},
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
  const command = `umask ${more.umask ?? '022'}; exec "$0" "$@"`;
  const user = more.uid === undefined ? {} : { uid: more.uid, gid: more.uid };
  const child = spawn('/bin/sh', ['-c', command, process.execPath, program, ...words], user);
  // Left running by a test that failed, a reader would wait for ever.
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, errors }));
  });
}
