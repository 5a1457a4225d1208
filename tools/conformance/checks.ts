/** One check of a scenario, as the conformance tool writes it to `checks.json`. */
export interface Check {
  readonly name: string
  /** SUCCESS, FAILURE, WARNING, SKIPPED or INFO. */
  readonly status: string
  readonly message: string
}

/**
 * Reads a `checks.json`.
 * @throws Error when it is not a list of objects: a format that changed must not look like "nothing failed"
 */
export function checksIn(json: string): Check[] {
  const list: unknown = JSON.parse(json)
  if (!Array.isArray(list)) throw new Error('checks.json is no list')
  return list.map((item: unknown) => {
    if (typeof item !== 'object' || item === null || !('status' in item)) throw new Error('a check without status')
    const name = 'name' in item ? String(item.name) : ''
    const message = 'errorMessage' in item ? String(item.errorMessage) : ''
    return { name, status: String(item.status), message }
  })
}

/** Checks that failed; warnings do not fail a scenario. */
export function failedChecks(checks: readonly Check[]): Check[] {
  return checks.filter(({ status }) => status === 'FAILURE')
}
