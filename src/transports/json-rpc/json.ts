/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object (no array, no null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
