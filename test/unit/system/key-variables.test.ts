import { describe, expect, it } from 'vitest';
import { findKeyVariables, withoutKeys } from '../../../src/system/children.ts';

const named = [
  'HOGCTL_API_KEY',
  'POSTHOG_CLI_API_KEY',
  'POSTHOG_CLI_TOKEN',
  'POSTHOG_API_KEY',
  'POSTHOG_PERSONAL_API_KEY',
  'POSTHOG_AUTH_HEADER',
  'NEXT_PUBLIC_POSTHOG_KEY',
  'posthog_apikey',
];
const others = {
  PATH: '/bin',
  HOGCTL_HOST: 'eu',
  POSTHOG_CLI_HOST: 'eu',
  POSTHOG_CLI_PROJECT_ID: '1',
  EMPTY: '',
};

describe('variables that hold a key', () => {
  it.each(named)('are known by their name: %s', (name) => {
    expect(findKeyVariables({ ...others, [name]: 'secret' }, [])).toEqual([name]);
    expect(withoutKeys({ ...others, [name]: 'secret' })).toEqual(others);
  });

  it.each([
    'stored-key-1234',
    'key=stored-key-1234;',
    Buffer.from('user:stored-key-1234').toString('base64'),
    'phx_abcdefgh',
    'Bearer anything-at-all',
  ])('are known by a value that holds a real key: %s', (value) => {
    expect(findKeyVariables({ ...others, MY_OWN: value }, ['stored-key-1234'])).toEqual(['MY_OWN']);
  });

  it('are known by the value of one that is named as a key', () => {
    const environment = { ...others, HOGCTL_API_KEY: 'self-hosted-1', COPY: 'self-hosted-1', OTHER: 'self' };
    expect(findKeyVariables(environment, [])).toEqual(['HOGCTL_API_KEY', 'COPY']);
  });
});
