import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { preferRunProject } from '../../../src/settings/resolve-settings.ts';
import {
  blog,
  type Given,
  key,
  nothing,
  own,
  refusalOf,
  resolve,
  several,
  twin,
  whole,
} from './settings-fixture.ts';

describe('values that are not among the choices', () => {
  it.each<readonly [Given, string]>([
    [{ environment: { HOGCTL_DIALECT: 'old' } }, 'HOGCTL_DIALECT must be live or specification'],
    [{ environment: { HOGCTL_PROTECTED: 'maybe' } }, 'HOGCTL_PROTECTED must be 1 or 0'],
  ])('are refused: %j', (given, message) => {
    expect(refusalOf(given)).toMatchObject({ kind: 'usage', message, hint: expect.any(String) });
  });
});

describe('dialect', () => {
  const local = { ...whole, HOGCTL_HOST: 'http://127.0.0.1:8000' };
  it.each<readonly [string, Given, string, string]>([
    ['the stored project', { project: 'house' }, 'live', 'stored project house'],
    ['Cloud', {}, 'live', 'PostHog Cloud'],
    ['Cloud with a key from the environment', { environment: whole }, 'live', 'PostHog Cloud'],
    [
      'the environment, for a key and a host from there',
      { environment: { ...local, HOGCTL_DIALECT: ' live ' } },
      'live',
      'environment HOGCTL_DIALECT',
    ],
    [
      'the environment, for a host that is stored as well',
      { host: own, environment: { ...whole, HOGCTL_DIALECT: 'specification' } },
      'specification',
      'environment HOGCTL_DIALECT',
    ],
    ['a project stored at the host', { host: own, environment: whole }, 'live', 'stored project house'],
    ['nothing', { environment: local }, 'specification', 'default'],
  ])('comes from %s', (_title, input, dialect, source) => {
    const settings = resolve(input);
    expect([settings.dialect, settings.provenance.dialect]).toEqual([dialect, source]);
    expect(settings.warnings).toEqual([]);
  });

  it.each<readonly [string, Given]>([
    ['PostHog Cloud', {}],
    ['PostHog Cloud', { environment: whole }],
    ['stored project house', { project: 'house' }],
  ])('of %s is told by no variable, and a warning says so: %j', (known, { environment, ...input }) => {
    const told = (HOGCTL_DIALECT: string) =>
      resolve({ ...input, environment: { ...environment, HOGCTL_DIALECT } });
    const { dialect, provenance, warnings } = told('specification');
    expect([dialect, provenance.dialect]).toEqual(['live', known]);
    expect(warnings).toEqual([`HOGCTL_DIALECT=specification is ignored: ${known} is live`]);
    expect([told('live').warnings, told('').warnings]).toEqual([[], []]);
  });
});

describe('protection', () => {
  it.each<readonly [string, Given, boolean]>([
    ['not without being asked for', {}, false],
    ['as stored', { project: 'shop-eu' }, true],
    ['by HOGCTL_PROTECTED=1', { environment: { HOGCTL_PROTECTED: '1' } }, true],
    ['by HOGCTL_PROTECTED=true', { environment: { ...whole, HOGCTL_PROTECTED: 'True' } }, true],
    [
      'as stored, whatever HOGCTL_PROTECTED=0 says',
      { project: 'shop-eu', environment: { HOGCTL_PROTECTED: '0' } },
      true,
    ],
    ['not by HOGCTL_PROTECTED=false', { environment: { HOGCTL_PROTECTED: 'false' } }, false],
    ['not by a blank HOGCTL_PROTECTED', { environment: { HOGCTL_PROTECTED: ' ' } }, false],
    [
      'for a key from the environment that reaches a project stored as protected',
      { project: '1', environment: whole },
      true,
    ],
    ['not for the same id on another host', { project: '1', host: 'us', environment: whole }, false],
  ])('%s', (_title, input, expected) => {
    expect(resolve(input).project.protected).toBe(expected);
  });

  it('names the protected one when a key from the environment reaches a project stored twice', () => {
    const stored = { ...several, projects: [blog, { ...twin, protected: true }] };
    const settings = resolve({ project: '2', host: 'us', environment: key, stored });
    expect(settings.project).toEqual({ id: '2', name: 'twin', protected: true, holds: [] });
  });

  it.each(['blog', 'twin'])(
    'of one name holds under %s as well, where host and id are the same',
    (project) => {
      for (const protectedOnes of [
        [blog, { ...twin, protected: true }],
        [{ ...blog, protected: true }, twin],
      ]) {
        const stored = { ...several, projects: protectedOnes };
        expect(resolve({ project, stored }).project.protected).toBe(true);
      }
    },
  );
});

describe('the project of a run', () => {
  const run = { id: blog.id, host: blog.host };
  const stored = { ...several, projects: [blog, twin] };
  it.each([
    ['by its name in the plan', { ...run, name: 'twin' }, 'twin'],
    ['by another name of it, if that one is gone', { ...run, name: 'gone' }, 'blog'],
    ['as the default, if it is not stored', { ...run, id: '99', name: 'twin' }, stored.default],
  ])('is chosen %s', (_title, project, name) => {
    expect(preferRunProject(stored, project).default).toBe(name);
  });
});

describe('what else settings hold', () => {
  it('holds name and key label of a stored project', () => {
    expect(resolve({})).toMatchObject({ project: { name: 'shop' }, keyLabel: 'laptop' });
  });

  it('holds no key label for a key from the environment, even on a stored project', () => {
    const settings = resolve({ project: '1', host: 'us', environment: key });
    expect(settings.project.name).toBe('shop');
    expect(settings).not.toHaveProperty('keyLabel');
  });

  it('holds no name for a project that is not stored', () => {
    expect(resolve({ environment: whole }).project).toEqual({ id: '7', protected: false, holds: [] });
  });

  it('passes on warnings about the file only where a stored key is used', () => {
    const stored = { ...several, warnings: ['open to other users'] };
    expect(resolve({ stored }).warnings).toEqual(['open to other users']);
    expect(resolve({ stored, environment: whole }).warnings).toEqual([]);
  });
});

describe('a file that may not be read', () => {
  const unreadable = new CliError('usage', 'cannot read it: permission denied');
  const stored = { ...nothing, unreadable };

  it('is an error where a stored project is needed', () => {
    expect(refusalOf({ stored })).toBe(unreadable);
  });

  it('does not matter with a key from the environment', () => {
    expect(resolve({ stored, environment: whole }).key).toBe('phx_from_environment');
  });
});
