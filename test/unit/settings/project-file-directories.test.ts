import { describe, expect, it } from 'vitest';
import { cacheDirectory, configDirectory, stateDirectory } from '../../../src/settings/project-file.ts';

const home = { HOME: '/home/ana' };
const windowsHome = { USERPROFILE: 'C:\\Users\\ana' };

describe('configDirectory', () => {
  it.each([
    ['linux', home, '/home/ana/.config/hogctl'],
    ['linux', { ...home, XDG_CONFIG_HOME: '/settings' }, '/settings/hogctl'],
    ['linux', { ...home, XDG_CONFIG_HOME: '' }, '/home/ana/.config/hogctl'],
    ['linux', { ...home, XDG_CONFIG_HOME: 'settings' }, '/home/ana/.config/hogctl'],
    ['linux', { ...home, XDG_CONFIG_HOME: '/settings', HOGCTL_CONFIG_DIR: '/own' }, '/own'],
    ['linux', { HOGCTL_CONFIG_DIR: '/own' }, '/own'],
    ['linux', { ...home, HOGCTL_CONFIG_DIR: '' }, '/home/ana/.config/hogctl'],
    ['linux', {}, undefined],
    ['linux', { HOME: '' }, undefined],
    ['linux', { HOME: '/dev/null' }, '/dev/null/.config/hogctl'],
    ['darwin', home, '/home/ana/Library/Preferences/hogctl'],
    ['darwin', { ...home, XDG_CONFIG_HOME: '/settings' }, '/settings/hogctl'],
    ['win32', { APPDATA: 'C:\\Roaming' }, 'C:\\Roaming\\hogctl\\Config'],
    ['win32', windowsHome, 'C:\\Users\\ana\\AppData\\Roaming\\hogctl\\Config'],
    ['win32', { ...windowsHome, HOGCTL_CONFIG_DIR: 'D:\\own' }, 'D:\\own'],
    [
      'win32',
      { ...windowsHome, XDG_CONFIG_HOME: '/settings' },
      'C:\\Users\\ana\\AppData\\Roaming\\hogctl\\Config',
    ],
    ['win32', home, undefined],
  ])('on %s with %j is %s', (platform, environment, expected) => {
    expect(configDirectory(environment, platform)).toBe(expected);
  });
});

describe('stateDirectory', () => {
  it.each([
    ['linux', home, '/home/ana/.local/state/hogctl'],
    ['linux', { ...home, XDG_STATE_HOME: '/state' }, '/state/hogctl'],
    ['linux', { ...home, XDG_CONFIG_HOME: '/settings' }, '/home/ana/.local/state/hogctl'],
    ['linux', { ...home, HOGCTL_STATE_DIR: '/own', HOGCTL_CONFIG_DIR: '/other' }, '/own'],
    ['linux', {}, undefined],
    ['darwin', home, '/home/ana/Library/Application Support/hogctl/State'],
    ['win32', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\Local\\hogctl\\State'],
    ['win32', windowsHome, 'C:\\Users\\ana\\AppData\\Local\\hogctl\\State'],
    ['win32', {}, undefined],
  ])('on %s with %j is %s', (platform, environment, expected) => {
    expect(stateDirectory(environment, platform)).toBe(expected);
  });
});

describe('cacheDirectory', () => {
  it.each([
    ['linux', home, '/home/ana/.cache/hogctl'],
    ['linux', { ...home, XDG_CACHE_HOME: '/cache' }, '/cache/hogctl'],
    ['linux', { ...home, XDG_CACHE_HOME: 'cache' }, '/home/ana/.cache/hogctl'],
    ['linux', { ...home, XDG_CACHE_HOME: '/cache', HOGCTL_CACHE_DIR: '/own' }, '/own'],
    ['linux', {}, undefined],
    ['darwin', home, '/home/ana/Library/Caches/hogctl'],
    ['win32', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\Local\\hogctl\\Cache'],
    ['win32', windowsHome, 'C:\\Users\\ana\\AppData\\Local\\hogctl\\Cache'],
  ])('on %s with %j is %s', (platform, environment, expected) => {
    expect(cacheDirectory(environment, platform)).toBe(expected);
  });
});
