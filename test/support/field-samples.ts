type Schema = Readonly<Record<string, unknown>>

/** Texts of the patterns that fields have. */
const PATTERNED = [
  'x1',
  'EUR',
  '2026-01',
  '90d',
  'SE',
  'SE556677889901',
  'SE4550000000058398257466',
  'ESSESESS',
  '300x250',
  'orders.pause',
  'robin@publisher.example',
  '2026-03-20',
  `1:${'0'.repeat(64)}`,
]

/** A value that a field of an act takes, by its schema. Throws for a pattern that it does not know. */
export function sampleOf(schema: Schema): unknown {
  const { type, enum: choices, anyOf, items, minimum, format, pattern } = schema
  if (Array.isArray(choices)) return choices[0]
  if (anyOf !== undefined) return 5
  if (type === 'integer') return Math.max(1, Number(minimum ?? 1))
  if (type === 'boolean') return true
  if (type === 'array') return [sampleOf(Object(items))]
  if (type === 'object') return { a: Object(schema.additionalProperties).type === 'integer' ? 1 : 'b' }
  if (format === 'date') return '2026-01-02'
  if (format === 'date-time') return '2026-01-02T00:00:00.000Z'
  if (pattern === undefined) return 'x1'
  const sample = PATTERNED.find((text) => new RegExp(String(pattern), 'u').test(text))
  if (sample === undefined) throw new Error(`no sample fits ${String(pattern)}`)
  return sample
}

/** A value that breaks the limit of a field, and that a query can hold too; undefined: it has none but that of a body. */
export function wrongOf(schema: Schema): unknown {
  const { type, enum: choices, anyOf, items, minimum, maxLength } = schema
  if (Array.isArray(choices)) return 'none of them'
  if (anyOf !== undefined) return 'not much'
  if (type === 'integer') return Number(minimum ?? 0) - 1
  if (type === 'boolean') return 'maybe'
  if (type === 'array') return Array.isArray(Object(items).enum) ? ['none of them'] : [...'x'.repeat(201)]
  if (type === 'object') return 'no object'
  if (maxLength === undefined) return 'none of these forms at all'
  return Number(maxLength) <= 2000 ? 'x'.repeat(Number(maxLength) + 1) : undefined
}
