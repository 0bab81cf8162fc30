import { describe, expect, it } from 'vitest';
import { assignSteps, countSteps } from '../../../../../src/sandbox/analysis/funnels/ordered.ts';

describe('events of one instant', () => {
  it('gives each event one step, moving an event to another step where that helps', () => {
    expect(assignSteps([0b11, 0b01], { first: 0, end: 2 })).toEqual([1, 0]);
  });

  it('stops at the first step that no event is left for', () => {
    expect(assignSteps([0b001, 0b100], { first: 0, end: 3 })).toEqual([0]);
    expect(assignSteps([0b010], { first: 1, end: 3 })).toEqual([0]);
  });

  it('counts different steps in any order', () => {
    expect(countSteps([0b100, 0b100, 0b110], 3)).toBe(2);
    expect(countSteps([], 3)).toBe(0);
  });
});
