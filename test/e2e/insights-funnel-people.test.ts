import { beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';

const FUNNEL = '--events product_viewed,order_completed --date-from -30d';
const BODY = {
  events: [
    { id: 'product_viewed', order: 0 },
    { id: 'order_completed', order: 1 },
  ],
  date_from: '-30d',
  funnel_viz_type: 'trends',
};

describe.each(['specification', 'live'] as const)('people of a funnel on the sandbox, %s', (dialect) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await borrowSandbox({ dialect, now: '2026-06-18T12:00:00Z' });
    return () => sandbox.stop();
  });
  const hogctl = (line: string) =>
    runProgram(line.split(' '), { environment: sandboxEnvironment(sandbox, dialect) });
  const rowsOf = async (line: string) => {
    const { code, stdout, stderr } = await hogctl(`${line} -o csv --columns id`);
    expect(code, stderr).toBe(0);
    return stdout.trim().split('\n').length - 1;
  };

  it('are those who began on a day of a funnel over time, as many as its figures say', async () => {
    const { stdout } = await hogctl(`insights funnel ${FUNNEL} --viz trends -o csv`);
    const [, began, converted] = /^2026-06-08,(\d+),(\d+),/m.exec(stdout) ?? [];
    const day = `persons funnel ${FUNNEL} --day 2026-06-08 --all`;
    expect(await rowsOf(day)).toBe(Number(converted));
    expect(await rowsOf(`${day} --dropped`)).toBe(Number(began) - Number(converted));
    expect(await rowsOf(`${day} --viz trends --get`)).toBe(Number(converted));
    const body = JSON.stringify({ ...BODY, entrance_period_start: '2026-06-08', drop_off: true });
    expect(await rowsOf(`persons funnel --all --body ${body}`)).toBe(Number(began) - Number(converted));
    const query = `${day} --dropped --via query`;
    expect(await rowsOf(query)).toBe(Number(began) - Number(converted));
  });

  it('need a day there, and no step beside it', async () => {
    expect((await hogctl(`persons funnel ${FUNNEL} --viz trends`)).stderr).toContain('--day is missing');
    expect((await hogctl(`persons funnel ${FUNNEL} --day 2026-06-08 --step 2`)).code).toBe(2);
    expect((await hogctl(`persons funnel ${FUNNEL} --viz steps --day 2026-06-08`)).code).toBe(2);
  });

  it('of a correlation are read in pages to the end', async () => {
    const people = `persons funnel-correlation ${FUNNEL} --entity added_to_basket --converted`;
    const all = await rowsOf(`${people} --all`);
    expect(all).toBeGreaterThan(500);
    expect(await rowsOf(`${people} --all --limit 150`)).toBe(all);
    expect(await rowsOf(`${people} --limit 250`)).toBe(250);
  });
});
