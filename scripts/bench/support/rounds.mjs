import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { median } from './median.mjs';

const reportPeak = join(import.meta.dirname, 'report-peak.cjs');

function shuffled(list) {
  return list
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** Wall time in milliseconds, from spawn to reaped. */
function time(command, environment) {
  command.prepare?.();
  const before = process.hrtime.bigint();
  spawnSync(process.execPath, command.words, {
    env: { ...environment, ...command.environment },
    stdio: 'ignore',
  });
  return Number(process.hrtime.bigint() - before) / 1e6;
}

/** Runs a command once, unmeasured: its peak memory in MiB, and what is wrong with its answer, if anything. */
function inspect(command, environment) {
  const child = spawnSync(process.execPath, ['--require', reportPeak, ...command.words], {
    env: { ...environment, ...command.environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  const peak = Number.parseInt(child.output[3], 10) / 1024;
  if (child.status !== (command.code ?? 0)) {
    return { peak, problem: `failed: exit ${child.status ?? child.signal}` };
  }
  if (command.expect !== undefined && !command.expect.test(child.stdout + child.stderr)) {
    return { peak, problem: 'failed: not the expected answer' };
  }
  return { peak };
}

/**
 * Starts every command once a round, in random order, so that a busy neighbour hits all alike. The first command is
 * the one that the others are divided by.
 */
export function measureTogether({ commands, environment, rounds, warmUp }) {
  const walls = new Map(commands.map((command) => [command, []]));
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (const command of shuffled(commands)) {
      const wall = time(command, environment);
      if (round >= warmUp) {
        walls.get(command).push(wall);
      }
    }
  }
  const base = walls.get(commands[0]);
  return commands.map((command) => ({
    name: command.name,
    goal: command.goal,
    wall: median(walls.get(command)),
    ratio: median(walls.get(command).map((wall, round) => wall / base[round])),
    ...inspect(command, environment),
  }));
}
