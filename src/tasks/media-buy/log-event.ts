import type { LogEventSuccess } from '@adcp/sdk'
import type { LogEventRequest } from '@adcp/sdk/types'
import { type AccountScope, accountScopeOf } from '../../domain/account/account.ts'
import { admitEvent, hostOf } from '../../domain/event/admit-event.ts'
import type { EventSource, ReportedEvent, StoredEvent } from '../../domain/event/event.ts'
import { attribute, type IncomingEvent } from '../../domain/media-buy/attribute-conversions.ts'
import { MICROS_PER_UNIT } from '../../domain/money.ts'
import { forCaller } from '../../domain/protocol/by-caller.ts'
import type { Identifier } from '../../features/audiences/identity-graph.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead } from '../../protocol/nearest-name.ts'
import type { Db } from '../../store/database.ts'
import { insertConversions } from '../../store/event/conversions.ts'
import { findEventSources } from '../../store/event/event-sources.ts'
import { insertEvents } from '../../store/event/events.ts'
import { mapYielding } from '../../store/yielding.ts'
import { candidatesFor } from './conversion-candidates.ts'

type Failure = NonNullable<LogEventSuccess['partial_failures']>[number]

/** A batch as checked and matched before the transaction. */
interface Prepared {
  readonly source: EventSource
  readonly incoming: readonly IncomingEvent[]
  readonly failures: readonly Failure[]
}

export const logEvent = defineTask<LogEventRequest, LogEventSuccess>()({
  name: 'log_event',
  mutating: true,
  access: 'authenticated',
  scope: 'events',
  account: 'optional',
  takesAnyMember: true,
  // Types of events that later releases have brought are stored and attributed like any other.
  takesForm: ({ pointer }) => /^\/events\/\d+\/event_type$/.test(pointer),
  summary: 'Report conversion events of a source in batches; duplicates count once.',
  async prepare(request, context): Promise<Prepared> {
    const source = await eventSource(request.event_source_id, context)
    const checked = await mapYielding(request.events, (event, index) => failureOf(event, source, `events[${index}]`, context))
    const admitted = request.events.filter((_, index) => checked[index] === undefined)
    const failures = checked.filter((failure) => failure !== undefined)
    return { source, failures, incoming: await matched(admitted, source, context) }
  },
  async handle(request, context, { source, incoming, failures }) {
    const { tx, principal, account, now, services } = context
    const testCode = request.test_event_code ?? ''
    const batch = { tenantId: principal.tenantId, sellerId: source.sellerId, testCode }
    const kept = new Set(
      await insertEvents(
        tx,
        batch,
        incoming.map(({ stored }) => stored),
        now,
      ),
    )
    const fresh = incoming.filter(({ stored }) => kept.has(stored))
    if (testCode === '') {
      const candidates = await candidatesFor(tx, principal, source.accountId, fresh)
      const tiebreak = (packageId: string, eventKey: string) => services.pseudonyms.of(packageId, 'tiebreak', eventKey)
      const conversions = fresh.flatMap((event) => attribute(event, candidates, tiebreak) ?? [])
      await insertConversions(tx, principal.tenantId, conversions)
    }
    const warnings = warningsOf(request, incoming, fresh)
    return {
      events_received: request.events.length,
      events_processed: fresh.length,
      ...(failures.length > 0 && { partial_failures: [...failures] }),
      ...(warnings.length > 0 && { warnings }),
      match_quality: share(incoming.filter(({ stored }) => stored.matched).length, request.events.length),
      ...((principal.sandbox || account?.sandbox) && { sandbox: true }),
    }
  },
})

/**
 * The source of that id on the account of the call, else on any account of the agent. Throws REFERENCE_NOT_FOUND for an absent one and for another's alike, and ACCOUNT_AMBIGUOUS
 * when several accounts have it and the call names none.
 */
async function eventSource(id: string, { db, principal, account }: AuthenticatedContext): Promise<EventSource> {
  const found = await findEventSources(db, accountScopeOf(principal, account), [id])
  const own = found.find(({ accountId }) => accountId === account?.accountId)
  const [only] = found
  if (own) return own
  if (!only) throw await unknownSource(id, accountScopeOf(principal, account), db)
  const newest = found.at(-1) ?? only
  if (found.length === 1 || principal.conformance) return newest
  throw new AdcpError('ACCOUNT_AMBIGUOUS', 'several of your accounts have an event source of this id; name the account', {
    field: 'account',
  })
}

/** Names sources that the caller has. A source of another buyer is answered in the same words as one that does not exist. */
async function unknownSource(id: string, reach: AccountScope, db: Db): Promise<AdcpError> {
  const own = (await findEventSources(db, reach)).map(({ eventSourceId }) => eventSourceId)
  const way = instead(id, own, 'sync_event_sources adds event sources')
  return new AdcpError('REFERENCE_NOT_FOUND', `event_source_id is none of your event sources${way}`, {
    field: 'event_source_id',
  })
}

function failureOf(
  event: ReportedEvent,
  source: EventSource,
  field: string,
  { now, services }: AuthenticatedContext,
): Failure | undefined {
  try {
    admitEvent(event, source, field, { now, retentionDays: services.wiring.eventRetentionDays })
    return undefined
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    const { code, message } = error
    return { event_id: event.event_id, code, message, ...(error.field !== undefined && { field: error.field }) }
  }
}

/** Asks whom of the batch the publisher knows, and replaces everything that names a person by a pseudonym. */
async function matched(
  events: readonly ReportedEvent[],
  { eventSourceId }: EventSource,
  context: AuthenticatedContext,
): Promise<IncomingEvent[]> {
  const { principal, services } = context
  const people = events.map(identifiersOf)
  const answers = await forCaller(services.identityGraph, context).match(people.flat())
  const pseudonym = ({ kind, value }: Identifier) => services.pseudonyms.of(principal.tenantId, kind, value)
  let next = 0
  return mapYielding(events, (wire, index): IncomingEvent => {
    const own = people[index] ?? []
    const known = answers.slice(next, next + own.length)
    next += own.length
    const stored: StoredEvent = {
      eventType: wire.event_type,
      eventKey: pseudonym({ kind: 'event_id', value: wire.event_id }),
      eventTime: new Date(wire.event_time).toISOString(),
      identifiers: own.map(pseudonym),
      matched: known.includes(true),
      document: documentOf(wire),
    }
    return { wire, stored, eventSourceId, isClick: wire.user_match?.click_id !== undefined }
  })
}

function identifiersOf({ user_match }: ReportedEvent): Identifier[] {
  if (!user_match) return []
  const { hashed_email, hashed_phone, uids = [], click_id, client_ip, client_user_agent } = user_match
  return [
    ...(hashed_email === undefined ? [] : [{ kind: 'hashed_email', value: hashed_email }]),
    ...(hashed_phone === undefined ? [] : [{ kind: 'hashed_phone', value: hashed_phone }]),
    ...uids.map(({ type, value }) => ({ kind: type, value })),
    ...(click_id === undefined ? [] : [{ kind: 'click_id', value: click_id }]),
    ...(client_ip === undefined || client_user_agent === undefined
      ? []
      : [{ kind: 'client', value: `${client_ip} ${client_user_agent}` }]),
  ]
}

/** What is kept of an event besides who, when and what kind: nothing that could name the person. */
function documentOf(wire: ReportedEvent): StoredEvent['document'] {
  const { value, currency, content_ids = [], contents = [] } = wire.custom_data ?? {}
  const host = hostOf(wire)
  return {
    ...(value !== undefined && { valueMicros: Math.round(value * MICROS_PER_UNIT) }),
    ...(currency !== undefined && { currency }),
    contentIds: [...new Set([...content_ids, ...contents.map(({ id }) => id)])],
    ...(wire.action_source !== undefined && { actionSource: wire.action_source }),
    ...(wire.custom_event_name !== undefined && { customEventName: wire.custom_event_name }),
    ...(host !== undefined && { host }),
  }
}

function warningsOf(request: LogEventRequest, incoming: readonly IncomingEvent[], fresh: readonly IncomingEvent[]): string[] {
  const repeated = incoming.length - fresh.length
  const nameless = incoming.filter(({ stored }) => stored.identifiers.length === 0).length
  const worthless = incoming.filter(
    ({ wire: { custom_data } }) => custom_data?.value !== undefined && !custom_data.currency,
  ).length
  return [
    ...(request.test_event_code === undefined ? [] : ['test events are kept apart and count nowhere']),
    ...(repeated > 0 ? [`${repeated} event(s) were received before and count once`] : []),
    ...(nameless > 0 ? [`${nameless} event(s) have no user_match and cannot be attributed`] : []),
    ...(worthless > 0 ? [`${worthless} event(s) have a value without a currency, which is not counted`] : []),
  ]
}

function share(part: number, whole: number): number {
  return whole > 0 ? Math.round((part / whole) * 10_000) / 10_000 : 0
}
