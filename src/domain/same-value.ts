/** Whether two JSON values say the same: members in any order, absent members like undefined ones. */
export function sameValue(a: unknown, b: unknown): boolean {
  return canonicalText(a) === canonicalText(b)
}

/** JSON with sorted members. `null` for undefined. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, member: unknown) => (isRecord(member) ? sorted(member) : member))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
