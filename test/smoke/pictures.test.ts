import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PICTURE_ANSWERS } from '../support/picture-answers.ts';
import { readSvg } from '../support/read-svg.ts';
import { BINARY, start, startService, temporaryDirectory } from './built-program.ts';

const dist = join(import.meta.dirname, '..', '..', 'dist');

describe('a picture from the built program', { timeout: 60_000 }, () => {
  it.each(Object.entries(PICTURE_ANSWERS))('is saved, and the process ends: %s', async (_, answer) => {
    const { environment } = await startService([{ json: { id: 9, ...answer } }]);
    const file = join(temporaryDirectory(), 'chart.svg');
    const words = [BINARY, 'insights', 'get', '9', '--save', file, '-q'];
    const { code, stdout, stderr } = await start([process.execPath, ...words], environment).ended;
    expect({ code, stdout: String(stdout), stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    const { tags, texts } = readSvg(readFileSync(file, 'utf8'));
    expect([texts[0], texts[2]]).toEqual([answer.name, answer.name]);
    expect(tags.filter(({ name }) => name === 'path' || name === 'rect').length).toBeGreaterThan(4);
  });

  it('comes from a file that nothing else loads', () => {
    const names = readdirSync(dist).filter((name) => name.endsWith('.cjs'));
    const files = names.map((name) => ({ name, text: readFileSync(join(dist, name), 'utf8') }));
    const naming = (word: RegExp) => files.filter(({ text }) => word.test(text)).map(({ name }) => name);
    expect(naming(/viewBox/)).toEqual(['pictures.cjs']);
    expect(naming(/\/pictures\.cjs/)).toEqual(['program.cjs']);
  });
});
