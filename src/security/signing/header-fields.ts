/** Header fields by lower-case name, each with its values in the order received. */
export type HeaderFields = ReadonlyMap<string, readonly string[]>

/**
 * Groups raw headers (names and values alternating, as `IncomingMessage.rawHeaders` gives them). The parsed `headers` object of
 * Node drops a repeated Content-Type, Host or Authorization without a word, so it cannot be used to refuse one.
 */
export function headerFields(rawHeaders: readonly string[]): HeaderFields {
  const fields = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    const values = fields.get(name)
    if (values) values.push(rawHeaders[i + 1] ?? '')
    else fields.set(name, [rawHeaders[i + 1] ?? ''])
  }
  return fields
}

/** RFC 9421 §2.1: the field's values, trimmed and joined with a comma and a space; undefined when the field is absent. */
export function fieldValue(fields: HeaderFields, name: string): string | undefined {
  return fields
    .get(name)
    ?.map((value) => value.trim())
    .join(', ')
}
