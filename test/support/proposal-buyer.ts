import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { compactBuyer } from './compact-buyer.ts'
import { type ReleaseAgent, startReleaseAgent } from './release-agent.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
export type Json = any

export const NOW = Date.parse('2026-03-16T12:00:00Z')
export const HOUR_MS = 3_600_000
export const BRIEF = { brief: 'Outdoor video and display in the US, $40,000' }
export const DAYS = { offer_filters: { start_date: '2026-05-01', end_date: '2026-05-30' } }
/** The same days as an order of the established tasks names them. */
export const FLIGHT = { start_time: '2026-05-01T00:00:00Z', end_time: '2026-05-31T00:00:00Z' }
/** Guaranteed, at 12 USD a thousand, 416,666 a day. */
export const PRODUCT = 'sport_display'
/** What 30,000 USD buy of it. */
export const IMPRESSIONS = 2_500_000

/** A clock that stands still until it is told to go on. */
export const clock = { hours: 0 }

export function startProposalAgent(): Promise<ReleaseAgent> {
  return startReleaseAgent({ clock: () => new Date(NOW + clock.hours * HOUR_MS) })
}

/** Tasks that take an account; requests of the others name none. */
const WITH_ACCOUNT = new Set([
  'accept_proposal',
  'request_proposals',
  'get_media_buys',
  'control_media_buy',
  'get_media_buy_delivery',
])

/** A buyer that negotiates about proposals. */
export function proposalBuyer(agent: () => ReleaseAgent) {
  const { answer, ask: askFor, refused: refusedFor } = compactBuyer(agent)
  const argsOf = (task: string, args: object) => (WITH_ACCOUNT.has(task) ? args : { ...args, account: undefined })
  const ask = (task: string, args: object): Promise<Json> => askFor(task, argsOf(task, args))
  const refused = (task: string, args: object): Promise<Json> => refusedFor('3.2', task, argsOf(task, args))
  /** A draft over one product, for 30,000 USD. */
  const requested = async (criteria: object = { ...DAYS, product_ids: [PRODUCT] }) =>
    (await ask('request_proposals', { brief: 'Sport, $30,000', criteria })).proposals[0]
  const refine = async (entry: object) => (await ask('refine_proposals', { refinements: [entry] })).results[0]
  const revise = (proposal_id: string, change: object) => refine({ proposal_id, action: 'revise', ...change })
  const finalize = async (proposal_id: string) => (await refine({ proposal_id, action: 'finalize' })).proposal
  const acceptance = ({ proposal_id, terms_digest }: Json, more: object = {}) => ({
    proposal_id,
    proposal_terms_digest: terms_digest,
    ...more,
  })
  /** Impressions of the product that are taken, by orders and holds. */
  const reserved = async () => {
    const rows = await agent()
      .server.store.read.selectFrom('inventory_periods')
      .select('reserved')
      .where('product_id', '=', PRODUCT)
      .where('reserved', '>', 0)
      .execute()
    return rows.reduce((sum, row) => sum + Number(row.reserved), 0)
  }
  const holds = () => agent().server.store.read.selectFrom('inventory_holds').selectAll().execute()
  return { answer, refusedFor, ask, refused, requested, refine, revise, finalize, acceptance, reserved, holds }
}

export function digestOf(terms: Json): string {
  return `sha256:${hash('sha256', canonicalize(terms) ?? '', 'base64url')}`
}
