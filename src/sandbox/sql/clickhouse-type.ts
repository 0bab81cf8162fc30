const TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'String',
  BOOLEAN: 'Bool',
  TINYINT: 'Int8',
  SMALLINT: 'Int16',
  INTEGER: 'Int32',
  BIGINT: 'Int64',
  HUGEINT: 'Int128',
  UTINYINT: 'UInt8',
  USMALLINT: 'UInt16',
  UINTEGER: 'UInt32',
  UBIGINT: 'UInt64',
  UHUGEINT: 'UInt128',
  FLOAT: 'Float32',
  DOUBLE: 'Float64',
  DATE: 'Date',
  UUID: 'UUID',
  TIMESTAMP: "DateTime64(6, 'UTC')",
  'TIMESTAMP WITH TIME ZONE': "DateTime64(6, 'UTC')",
  VARIANT: 'Dynamic',
  JSON: 'String',
};

/** A type of the database in the words of the service's own database. */
export function clickhouseType(type: string): string {
  const item = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (item !== undefined) return `Array(${clickhouseType(item)})`;
  return TYPES[type] ?? type.replace(/^DECIMAL/, 'Decimal');
}
