// A program of its own: several of these change one configuration file at the same time.
import { readProjectFile } from '../../../src/settings/project-file.ts';
import { createProjectStore } from '../../../src/settings/project-store.ts';

const [command = '', directory = '', ...rest] = process.argv.slice(2);

const reader = { platform: process.platform, uid: process.geteuid?.(), environment: process.env };

const store = createProjectStore(directory, {
  ...reader,
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: Math.random,
  pid: process.pid,
  isAlive: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  },
});

async function login(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const name = `project-${id}`;
    await store.login({
      name,
      host: 'https://us.posthog.com',
      id,
      key: `phx_key_of_${id}`,
      protected: false,
    });
  }
}

/** Reads until the file holds so many projects, and says how often that was. */
function readUntil(count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let reads = 0;
    const step = () => {
      try {
        reads += 1;
        if (store.list().projects.length >= count) {
          process.stdout.write(String(reads));
          resolve();
          return;
        }
        setTimeout(step, 2);
      } catch (error) {
        reject(error);
      }
    };
    step();
  });
}

/** Reads once, as a command does that may not need what is stored. */
async function peek(): Promise<void> {
  const { projects, unreadable } = readProjectFile(directory, reader);
  process.stdout.write(
    `${projects.length} projects, ${unreadable === undefined ? 'readable' : 'unreadable'}`,
  );
}

const works: Readonly<Record<string, () => Promise<void>>> = {
  login: () => login(rest),
  read: () => readUntil(Number(rest[0])),
  peek,
};

const work = works[command]?.() ?? Promise.reject(new Error(`no such command: ${command}`));
work.catch((error: unknown) => {
  process.stderr.write(error instanceof Error ? `${error.message}\n` : 'failed\n');
  process.exitCode = 1;
});
