import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stub, startStub } from '../../support/stub-server.ts';
import { analysisWires } from './analysis-wires.ts';
import { funnelWires } from './funnel-wires.ts';
import { insightWires } from './insight-wires.ts';
import { personWires } from './person-wires.ts';

const cases = [...personWires, ...analysisWires, ...insightWires, ...funnelWires];

const ALL =
  'P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 P15 P16 P17 P18 P19 I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I13 I14 I15 I16 I17';

describe('every operation over the wire', () => {
  let stub: Stub;
  beforeAll(async () => {
    stub = await startStub([() => ({ json: {} })]);
  });
  afterAll(() => stub.close());

  it('covers all 36', () => {
    expect([...new Set(cases.map(({ id }) => id))].join(' ')).toBe(ALL);
  });

  for (const one of cases) {
    for (const dialect of ['specification', 'live'] as const) {
      it(`${one.id} in the ${dialect} form: ${one.about}`, async () => {
        await one.send(stub.origin, dialect);
        const sent = stub.log.at(-1);
        expect([`${sent?.method} ${sent?.url}`, sent?.body]).toEqual(one[dialect]);
        expect(sent?.headers.authorization).toBe('Bearer phx_TESTONLY0123456789');
        expect(sent?.headers['content-type']).toBe(one[dialect][1] === '' ? undefined : 'application/json');
      });
    }
  }
});
