import { isExactNumber, type Json } from '../json/kinds.ts';
import type { Shape } from '../service/schemas.ts';

/** Returns the value if it has the shape that commands rely on. Throws a TypeError that names the field otherwise. */
export function checkShape(value: Json, shape: Shape | undefined): Json {
  if (shape !== undefined) check(value, shape, 'the answer');
  return value;
}

function check(value: unknown, shape: Shape, place: string): void {
  if (typeof shape === 'string') {
    if (!isSimple(value, shape)) throw misfit(place);
    return;
  }
  if ('listOf' in shape) {
    if (!Array.isArray(value)) throw misfit(place);
    for (const item of value) check(item, shape.listOf, `an item of ${place}`);
    return;
  }
  if (!isObject(value)) throw misfit(place);
  if ('recordOf' in shape) {
    for (const item of Object.values(value)) check(item, shape.recordOf, `an item of ${place}`);
    return;
  }
  for (const name of shape.needs ?? [])
    if ((own(value, name) ?? null) === null) throw misfit(`"${name}" in ${place}`);
  for (const [name, expected] of Object.entries(shape.fields)) {
    const field = own(value, name);
    if (field !== undefined && field !== null) check(field, expected, `"${name}" in ${place}`);
  }
}

function isSimple(value: unknown, shape: 'text' | 'texts' | 'id'): boolean {
  if (shape === 'texts') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  return typeof value === 'string' || (shape === 'id' && (typeof value === 'number' || isExactNumber(value)));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** Only what the service sent: an object inherits a `constructor`. */
function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function misfit(place: string): TypeError {
  return new TypeError(`${place} is not what the service documents`);
}
