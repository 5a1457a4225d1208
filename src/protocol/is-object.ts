/** Whether a value is a JSON object: not null and no array (RFC 8259, section 4). */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
