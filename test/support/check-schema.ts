import { ANALYSIS_FIELDS, KINDS, type Schema } from '../../src/insights/checks/fields.ts';
import { CHECK_FIELDS, EXPECTATIONS, SUBJECTS } from '../../src/insights/checks/file.ts';

/** JSON Schema of a file of checks, for editors. What several analyses take is written once. */
export function checkSchema() {
  const $defs: Record<string, Schema> = {};
  const analyses = KINDS.map((kind) => {
    const { properties = {}, ...about } = ANALYSIS_FIELDS[kind] ?? {};
    const references = Object.entries(properties).map(([name, schema]) => {
      const known = JSON.stringify($defs[name] ?? schema);
      if (known !== JSON.stringify(schema)) throw new Error(`${name} of ${kind} is another than before`);
      $defs[name] = schema;
      return [name, { $ref: `#/$defs/${name}` }];
    });
    return [kind, { ...about, properties: Object.fromEntries(references) }];
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Checks for hogctl insights check --file',
    anyOf: [
      { $ref: '#/$defs/checks' },
      {
        type: 'object',
        additionalProperties: false,
        required: ['checks'],
        properties: {
          refresh: { ...CHECK_FIELDS.refresh, description: 'The default for every check' },
          checks: { $ref: '#/$defs/checks' },
        },
      },
    ],
    $defs: {
      ...$defs,
      checks: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          additionalProperties: false,
          properties: { ...CHECK_FIELDS, ...Object.fromEntries(analyses) },
          oneOf: SUBJECTS.map((name) => ({ required: [name] })),
          anyOf: EXPECTATIONS.map((name) => ({ required: [name] })),
        },
      },
    },
  };
}
