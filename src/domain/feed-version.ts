import { createHash } from 'node:crypto'

/**
 * The version of a list of everything that a caller may buy (AdCP 3.1, `wholesale_feed_version`): the same as long as no row of it changes, whatever page
 * is asked for. Linear in the size of the rows.
 */
export function feedVersion(rows: readonly unknown[]): string {
  const hash = createHash('sha256')
  for (const row of rows) hash.update(JSON.stringify(row) ?? 'null').update('\n')
  return `wfv_${hash.digest('base64url').slice(0, 32)}`
}

/** The member of a request that asks whether a version is still current; only requests of 3.1 and later have it. */
export function knownVersion(request: object): string | undefined {
  const { if_wholesale_feed_version: version }: { if_wholesale_feed_version?: unknown } = request
  return typeof version === 'string' ? version : undefined
}
