/** Whether a published version comes after the running one. The numbers decide; a version that is finished comes after its previews. */
export function isNewer(published: string, running: string): boolean {
  const [one, other] = [partsOf(published), partsOf(running)];
  const differing = one.numbers.findIndex((number, at) => number !== other.numbers[at]);
  if (differing >= 0) return (one.numbers[differing] ?? 0) > (other.numbers[differing] ?? 0);
  return one.preview === undefined && other.preview !== undefined;
}

function partsOf(version: string): {
  readonly numbers: readonly number[];
  readonly preview: string | undefined;
} {
  const [numbers = '', preview] = version.replace(/\+.*/s, '').split(/-(.*)/s);
  return { numbers: numbers.split('.').map(Number), preview };
}
