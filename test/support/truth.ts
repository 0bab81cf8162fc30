import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const truth = join(import.meta.dirname, '../truth');
const insights = join(import.meta.dirname, '../fixtures/insights');

/** The cases of one file of expected values, in the form that the caller reads; test/truth/README.md describes it. */
export function readTruth<Case>(name: 'funnels' | 'others'): readonly Case[] {
  return JSON.parse(readFileSync(join(truth, `${name}.json`), 'utf8'));
}

/** Names of the real answers, without `.json`. */
export const insightNames: readonly string[] = readdirSync(insights)
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'));

/** The text of a real answer. */
export const readInsight = (name: string): string => readFileSync(join(insights, `${name}.json`), 'utf8');
