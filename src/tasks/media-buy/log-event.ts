import type { LogEventSuccess } from '@adcp/sdk'
import type { LogEventRequest } from '@adcp/sdk/types'
import { type AccountScope, accountScopeOf } from '../../domain/account/account.ts'
import { MOST_OF_ACCOUNT } from '../../domain/account/most-of-account.ts'
import { admitEvent, hostOf } from '../../domain/event/admit-event.ts'
import type { Conversion, EventSource, ReportedEvent, StoredEvent } from '../../domain/event/event.ts'
import { ATTRIBUTION_WINDOW, attribute, type IncomingEvent } from '../../domain/media-buy/attribute-conversions.ts'
import { MICROS_PER_UNIT } from '../../domain/money.ts'
import { forCaller } from '../../domain/protocol/by-caller.ts'
import type { Identifier } from '../../features/audiences/identity-graph.ts'
import { type AuthenticatedContext, defineTask, MOST_STEPS } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError, refusalsOf } from '../../protocol/errors.ts'
import { instead } from '../../protocol/nearest-name.ts'
import type { Db } from '../../store/database.ts'
import { insertConversions } from '../../store/event/conversions.ts'
import { findEventSources, listEventSourceIds } from '../../store/event/event-sources.ts'
import { insertEvents } from '../../store/event/events.ts'
import { countPackagesInFlight } from '../../store/media-buy/buys-in-flight.ts'
import { mapYielding } from '../../store/yielding.ts'
import { candidatesFor, stretchBefore } from './conversion-candidates.ts'

type Failure = NonNullable<LogEventSuccess['partial_failures']>[number]

/** Packages that an event is held against in a microsecond. */
const PAIRS_OF_A_STEP = 20

/** A batch as checked and matched before the transaction. */
interface Prepared {
  readonly source: EventSource
  readonly incoming: readonly IncomingEvent[]
  readonly failures: readonly Failure[]
  /** What each is credited to, where it is new. */
  readonly conversions: readonly (Conversion | undefined)[]
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
  unknown: async ({ event_source_id: id }, context) => (id === undefined ? [] : refusalsOf(() => eventSource(id, context))),
  async work({ event_source_id: id, events }, context) {
    const times = events.map(({ event_time: at }) => Date.parse(at)).filter(Number.isFinite)
    const source = sourceOf(await findEventSources(context.db, accountScopeOf(context.principal, context.account), [id]), context)
    if (!source || times.length === 0) return undefined
    const packages = await countPackagesInFlight(context.db, context.principal, stretchBefore(source.accountId, times))
    return {
      steps: Math.ceil((events.length * packages) / PAIRS_OF_A_STEP),
      product: `${events.length} events × ${packages} packages that ran in the ${ATTRIBUTION_WINDOW.postClickDays} days before them`,
      field: 'events',
      suggestion: `send at most ${Math.max(1, Math.floor((MOST_STEPS * PAIRS_OF_A_STEP) / packages))} events in one call`,
    }
  },
  async prepare(request, context): Promise<Prepared> {
    const source = await eventSource(request.event_source_id, context)
    const checked = await mapYielding(request.events, (event, index) => failureOf(event, source, `events[${index}]`, context))
    const admitted = request.events.filter((_, index) => checked[index] === undefined)
    const failures = checked.filter((failure) => failure !== undefined)
    const incoming = await matched(admitted, source, context)
    const isTest = (request.test_event_code ?? '') !== ''
    return { source, failures, incoming, conversions: isTest ? [] : await credited(incoming, source, context) }
  },
  async handle(request, context, { source, incoming, failures, conversions }) {
    const { tx, principal, account, now } = context
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
    const counted = conversions.flatMap((conversion, index) => {
      const event = incoming[index]
      return conversion && event && kept.has(event.stored) ? conversion : []
    })
    await insertConversions(tx, principal.tenantId, counted)
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

/** What each event of a batch is credited to, whether or not it was received before. */
async function credited(
  incoming: readonly IncomingEvent[],
  { accountId }: EventSource,
  { db, principal, services }: AuthenticatedContext,
): Promise<readonly (Conversion | undefined)[]> {
  const { candidates, holding } = await candidatesFor(db, principal, accountId, incoming)
  const choose = (eventKey: string) =>
    Buffer.from(services.pseudonyms.of(principal.tenantId, 'tiebreak', eventKey), 'base64url').readUInt32BE() / 2 ** 32
  return inTurns(attribute(incoming, candidates, holding, choose))
}

/**
 * The source of that id on the account of the call, else on any account of the agent. Throws REFERENCE_NOT_FOUND for an absent one and for another's alike, and ACCOUNT_AMBIGUOUS
 * when several accounts have it and the call names none.
 */
async function eventSource(id: string, context: AuthenticatedContext): Promise<EventSource> {
  const { db, principal, account } = context
  const found = await findEventSources(db, accountScopeOf(principal, account), [id])
  const source = sourceOf(found, context)
  if (source) return source
  if (found.length === 0) throw await unknownSource(id, accountScopeOf(principal, account), db)
  throw new AdcpError('ACCOUNT_AMBIGUOUS', 'several of your accounts have an event source of this id; name the account', {
    field: 'account',
  })
}

/** Of the sources of one id that a caller reaches, the one that a call is about. */
function sourceOf(
  found: readonly EventSource[],
  { principal, account }: Pick<AuthenticatedContext, 'principal' | 'account'>,
): EventSource | undefined {
  const own = found.find(({ accountId }) => accountId === account?.accountId)
  return own ?? (found.length === 1 || principal.conformance ? found.at(-1) : undefined)
}

/** Names sources that the caller has. A source of another buyer is answered in the same words as one that does not exist. */
async function unknownSource(id: string, reach: AccountScope, db: Db): Promise<AdcpError> {
  const own = await listEventSourceIds(db, reach, MOST_OF_ACCOUNT.event_sources)
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
