import { AdcpError } from '../../protocol/errors.ts'

export const DAY_MS = 86_400_000

/** Milliseconds of an RFC 3339 timestamp. Throws INVALID_REQUEST naming `field` for a moment that does not exist. */
export function instantOf(text: string, field: string): number {
  const instant = Date.parse(text)
  if (Number.isNaN(instant) || Math.abs(instant) > 8.64e15 / 2) {
    throw new AdcpError('INVALID_REQUEST', `${field} is not a point in time`, { field })
  }
  return instant
}
