import { KEY, person, type Service, startService } from './service.ts';

export const noOwnKeyRoute = {
  on: 'GET /api/personal_api_keys/@current/',
  times: 99,
  status: 404,
  json: { code: 'not_found', detail: 'Endpoint not found.' },
};

/** Answers with a person to the very key, with 401 to any other. */
export function wantingTheKey() {
  return startService([
    noOwnKeyRoute,
    ({ headers }) =>
      headers.authorization === `Bearer ${KEY}`
        ? { json: person(1) }
        : { status: 401, json: { code: 'authentication_failed', detail: 'Invalid.' } },
  ]);
}

export const loginWords = (service: Pick<Service, 'origin'>, ...more: string[]) => [
  'auth',
  'login',
  '--host',
  service.origin,
  '--project',
  '1',
  '--name',
  'shop',
  '--key-stdin',
  ...more,
];

/** No key in the environment, so that the stored one counts. */
export function withoutKey(environment: Readonly<Record<string, string>>) {
  return { HOGCTL_CONFIG_DIR: environment.HOGCTL_CONFIG_DIR ?? '' };
}
