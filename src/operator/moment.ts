import { AdcpError } from '../protocol/errors.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A moment given as an ISO date or as a span from now (`30m`, `12h`, `90d`). Throws INVALID_REQUEST, naming `field`, also for the past. */
export function readMoment(text: string, now: Date, field = 'expires'): Date {
  const span = /^(\d+)([mhd])$/.exec(text)
  const at = span ? new Date(now.getTime() + Number(span[1]) * (UNITS[span[2] ?? ''] ?? 0)) : new Date(text)
  if (Number.isNaN(at.getTime()))
    throw new AdcpError('INVALID_REQUEST', `"${text}" is neither a date nor a span such as 90d`, { field })
  if (at < now) throw new AdcpError('INVALID_REQUEST', `"${text}" is in the past`, { field })
  return at
}
