// A program of its own: several of these count in one file at the same time.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Lock, tryLock } from '../../../src/system/lock.ts';

const [path = '', times = ''] = process.argv.slice(2);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function take(): Promise<Lock> {
  for (;;) {
    const taken = tryLock(`${path}.lock`, { pid: process.pid, isAlive }, { isBrief: true });
    if ('release' in taken) return taken;
    await new Promise((resolve) => setTimeout(resolve, 5 + 10 * Math.random()));
  }
}

function count(): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

async function work(): Promise<void> {
  for (let done = 0; done < Number(times); done += 1) {
    const lock = await take();
    writeFileSync(path, String(count() + 1));
    lock.release();
  }
}

work().catch((error: unknown) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});
