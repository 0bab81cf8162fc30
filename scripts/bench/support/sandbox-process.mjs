import { spawn } from 'node:child_process';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../../bin/hogctl.js');

/** Starts `hogctl sandbox start` in a process of its own, and answers how to talk to it once it says where it is. */
export async function startSandboxProcess(words) {
  const child = spawn(process.execPath, [program, 'sandbox', 'start', '--quiet', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const { HOGCTL_HOST: origin, HOGCTL_API_KEY: key } = await readExports(child);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = async (method, path, body) => {
    const answer = await fetch(new URL(path, `${origin}/api/projects/1/`), {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    load: (files) => call('POST', '/_sandbox/import/', files),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** The sandbox prints one `export NAME=value` for each thing that a client needs. */
function readExports(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
      const pairs = [...text.matchAll(/^export (\w+)=(.*)\n/gm)].map(([, name, value]) => [name, value]);
      const found = Object.fromEntries(pairs);
      if (found.HOGCTL_HOST && found.HOGCTL_API_KEY) resolve(found);
    });
  });
}
