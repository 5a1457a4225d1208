import { isDay } from '../calendar/instant.ts'
import type { NamedDays } from './brief-dates.ts'
import type { Proposal } from './proposal.ts'

/** Days of which both are known. */
export type WholeDays = Required<NamedDays>

const LENGTH = '~20261211-20261224'.length

/** A proposal for a flight. The flight is part of its id, so that a later request by that id means the same days; `ext.flight` shows it. */
export function proposalFor<P extends Proposal>(proposal: P, days: NamedDays | undefined): P {
  const { first, last } = days ?? {}
  if (first === undefined || last === undefined) return proposal
  return {
    ...proposal,
    proposal_id: `${proposal.proposal_id}~${first.replaceAll('-', '')}-${last.replaceAll('-', '')}`,
    ext: { ...proposal.ext, flight: { start_date: first, end_date: last } },
  }
}

/** A plan whose days are those of its terms, which a revision may change. */
export function withoutFlight<P extends Proposal>({ ext, ...proposal }: P): Omit<P, 'ext'> & Pick<Proposal, 'ext'> {
  const { flight: _days, ...rest }: { readonly flight?: unknown } & object = ext ?? {}
  return { ...proposal, ...(Object.keys(rest).length > 0 && { ext: rest }) }
}

/** The id of the plan and the days that an id carries; undefined when it carries none. */
export function readFlightId(id: string): { readonly planId: string; readonly days: WholeDays } | undefined {
  const read = /^~(\d{4})(\d{2})(\d{2})-(\d{4})(\d{2})(\d{2})$/.exec(id.slice(-LENGTH))
  if (!read || id.length <= LENGTH) return undefined
  const [, ...parts] = read
  const [first, last] = [parts.slice(0, 3).join('-'), parts.slice(3).join('-')]
  return isDay(first) && isDay(last) && first <= last ? { planId: id.slice(0, -LENGTH), days: { first, last } } : undefined
}

/** The days that a proposal is for, as its `ext.flight` says. */
export function flightOfProposal({ ext }: Pick<Proposal, 'ext'>): WholeDays | undefined {
  const flight: unknown = ext && Reflect.get(ext, 'flight')
  if (typeof flight !== 'object' || flight === null) return undefined
  const { start_date: first, end_date: last }: { start_date?: unknown; end_date?: unknown } = flight
  return typeof first === 'string' && typeof last === 'string' ? { first, last } : undefined
}
