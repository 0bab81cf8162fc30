import { usageError } from '../../errors.ts';
import { type PropertyFilter, readPropertyFilter } from './property-filter.ts';

/** One option of those whose order counts, in the order in which they were typed. Steps count from 1. */
export type StepWord =
  | { readonly option: 'event'; readonly event: string }
  | { readonly option: 'events'; readonly events: readonly string[] }
  | { readonly option: 'actions'; readonly actions: readonly number[] }
  | { readonly option: 'where'; readonly condition: PropertyFilter }
  | { readonly option: 'exclude'; readonly event: string }
  | { readonly option: 'exclude-from' | 'exclude-to'; readonly step: number };

/**
 * The parser collects each option by itself; those whose order counts put their texts into one list, `steps`, as
 * `--event=signup`.
 */
export function collectSteps(steps: string[], flag: string): (text: string) => readonly string[] {
  return (text) => {
    steps.push(`${flag}=${text}`);
    return steps;
  };
}

/** Reads one text of such a list. Throws a usage error for a name that is empty and a value that is none. */
export function readStepWord(given: string): StepWord {
  const at = given.indexOf('=');
  const flag = given.slice(0, at);
  const text = given.slice(at + 1);
  if (text === '-') throw usageError(`${flag} does not read standard input`, '--body - does');
  switch (flag) {
    case '--event':
      return { option: 'event', event: eventName(flag, text) };
    case '--events':
      return { option: 'events', events: text.split(',').map((name) => eventName(flag, name)) };
    case '--actions':
      return { option: 'actions', actions: text.split(',').map((id) => wholeNumber(flag, id)) };
    case '--where':
      return { option: 'where', condition: readPropertyFilter(text) };
    case '--exclude':
      return { option: 'exclude', event: eventName(flag, text) };
    default:
      return {
        option: flag === '--exclude-from' ? 'exclude-from' : 'exclude-to',
        step: wholeNumber(flag, text),
      };
  }
}

function eventName(flag: string, text: string): string {
  if (text !== '') return text;
  throw usageError(
    `an event name of ${flag} is empty`,
    `quote names that begin with $, as in ${flag} '$pageview': the shell takes them for variables`,
  );
}

function wholeNumber(flag: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`${flag} wants a whole number from 1, not "${text}"`);
}
