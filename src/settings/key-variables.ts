import type { Environment } from './directories.ts';
import { createRedactor } from './redactor.ts';

/** `POSTHOG_CLI_API_KEY`, `POSTHOG_PERSONAL_API_KEY`, `POSTHOG_AUTH_HEADER`, `NEXT_PUBLIC_POSTHOG_KEY` and the like. */
const keyName = /(HOGCTL|POSTHOG)(.*_)?(API_?)?(KEY|TOKEN|SECRET|PASSWORD|AUTH|CREDENTIAL)/i;

/** The environment without variables that are named as a key of the service. */
export function withoutKeys(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !keyName.test(name)));
}

/**
 * Names of the variables that hold a real key: those that are named as one, and those whose value holds one of these
 * keys, in any encoding, or anything that looks like a key of the service.
 */
export function findKeyVariables(environment: Environment, keys: readonly string[]): readonly string[] {
  const named = Object.entries(environment).filter(([name]) => keyName.test(name));
  const values = named.map(([, value]) => value?.trim() ?? '');
  const redact = createRedactor([...keys, ...values]);
  const holdsKey = (name: string, value = '') => keyName.test(name) || redact(value) !== value;
  return Object.entries(environment).flatMap(([name, value]) => (holdsKey(name, value) ? [name] : []));
}
