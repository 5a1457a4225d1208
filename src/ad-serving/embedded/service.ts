import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../store/database.ts'
import { embeddedVersion } from '../../store/embedded/orders.ts'
import { listEmbeddedTotals } from '../../store/embedded/reports.ts'
import { INVALID } from '../../store/embedded/waiting-events.ts'
import { type AdNames, type NamedCreative, namesOf, servedCreative } from './ad-names.ts'
import { type CappedChoices, createCappedChoices } from './choose-capped.ts'
import type { CapCounters } from './counters/cap-counters.ts'
import { type CountedChoicesParts, createCountedChoices } from './counters/counted-choices.ts'
import { costsOfDay } from './day-costs.ts'
import type { Choice, Slot } from './decide.ts'
import type { DurableEvents } from './durable-events.ts'
import { Engine } from './engine.ts'
import { errorKind } from './error-codes.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import type { CreativeTerms, EventKind } from './line.ts'
import { couldHappen, playingTime } from './possible-events.ts'
import { createRequestCounts } from './request-counts.ts'
import { loadSnapshot } from './snapshot.ts'
import type { AdTokens, Served } from './tokens.ts'
import type { Visitor } from './visitor.ts'

export interface EmbeddedParts {
  readonly store: Store
  readonly tokens: AdTokens
  /** Where events are written; closed with the service. */
  readonly events: DurableEvents
  readonly clock: () => Date
  /** From 0 up to 1, for the rotation of creatives. */
  readonly chance: () => number
  /** A new id, unique for ever. */
  readonly newId: () => string
  readonly onError: (error: unknown) => void
  /** What visitors have had of lines with a frequency cap, outside the store; absent: the store counts. */
  readonly counters?: CapCounters | undefined
  readonly countCapped?: CountedChoicesParts['count']
  /** Told how many requests for ads were answered and not counted: too many counts wait for a store that is away. */
  readonly onUncounted: (requests: number) => void
}

/** An ad for a slot: what is shown, and the token that its events carry. */
export interface Decision {
  readonly token: string
  readonly served: Served
  readonly creative: CreativeTerms
  readonly names: AdNames
}

export interface EmbeddedService {
  /** An ad for each slot of a page, or none, in their order. */
  decide(tenantId: string, slots: readonly Slot[], visitor: Visitor): Promise<readonly (Decision | undefined)[]>
  /**
   * Counts an event of an ad; `code`: of an error, as the player gives it. `expired` and `forged` tokens count nothing, `repeated` ones counted before: an ad has one error. What the ad
   * cannot have made yet, or at all, is kept as invalid and not billed (`invalid.complete`), and so is what follows an impression as long as none was counted.
   */
  record(token: string, kind: EventKind, isBot: boolean, code?: string): Promise<'counted' | 'repeated' | 'expired' | 'forged'>
  /** What a token was signed for, and its creative as it is now; undefined for a token of someone else, or a creative that is gone. */
  shown(token: string): Promise<(NamedCreative & { readonly served: Served }) | undefined>
  close(): Promise<void>
}

/** How often lines and counts are looked at again; a commit elsewhere is seen at the next look. */
const REFRESH_MS = 500
/** When lines were last read longer ago than this, a decision waits until they are read again: without requests, memory may be hours old. */
const IDLE_MS = 1_000
/** And no longer than this: while the store does not answer, what is in memory is decided on. */
const LOOK_WITHIN_MS = 1_000
/**
 * How long after a decision its events count: an ad is shown at once or not at all, and frequency caps hold the place of a decision for as long
 * (`UNCONFIRMED_MS` of the store); what follows an impression takes as long as a page is open.
 */
const IMPRESSION_MS = 600_000
const LATER_MS = 6 * 3_600_000

interface Loaded {
  readonly engine: Engine
  readonly capped: CappedChoices
  dataVersion: string | number
  lookedAt: number
  refreshing: Promise<void> | undefined
  /** Set while decisions wait for the look that is under way. */
  awaited: Promise<void> | undefined
}

/** The embedded ad server at work: decisions from memory, events into the log. */
export function createEmbeddedService(parts: EmbeddedParts): EmbeddedService {
  const { store, tokens, events, clock, newId } = parts
  const loaded = new Map<string, Promise<Loaded>>()
  const engines = new Map<string, Engine>()
  const log: EventLog = createEventLog(events, ({ tenantId, lineId, kind, decisionId, isBot }) => {
    if (!isBot) engines.get(tenantId)?.counted(lineId, kind, decisionId)
  })

  const requests = createRequestCounts(parts)

  const readCounts = async (tenantId: string, engine: Engine): Promise<void> => {
    const today = await costsOfDay(store.read, tenantId, engine.snapshot.cappedOrders, clock())
    engine.load(await listEmbeddedTotals(store.read, tenantId), events.uncounted(tenantId), today)
  }

  const load = async (tenantId: string): Promise<Loaded> => {
    const dataVersion = store.dataVersion()
    const engine = new Engine(await loadSnapshot(store.read, tenantId, clock()), parts.chance)
    await events.settle()
    await readCounts(tenantId, engine)
    engines.set(tenantId, engine)
    const { countsWithinMs } = events
    const capped = parts.counters
      ? createCountedChoices({ store, tenantId, engine, counters: parts.counters, countsWithinMs, count: parts.countCapped })
      : createCappedChoices(store, tenantId, engine, countsWithinMs)
    return { engine, capped, dataVersion, lookedAt: performance.now(), refreshing: undefined, awaited: undefined }
  }

  const refresh = async (tenantId: string, current: Loaded): Promise<void> => {
    if (events.awaySince()) return
    const dataVersion = store.dataVersion()
    if (dataVersion === current.dataVersion) return
    const version = await embeddedVersion(store.read, tenantId)
    const { snapshot } = current.engine
    if (version !== snapshot.version) current.engine.replace(await loadSnapshot(store.read, tenantId, clock(), snapshot.contents))
    await events.settle()
    // Lines go on with what was delivered as far as this process knows: the sums of the store are too low until it has what is in the spool.
    if (events.isBehind()) return
    await readCounts(tenantId, current.engine)
    current.dataVersion = dataVersion
  }

  /** Undefined for a publisher that never had a line here, so that made-up names take no memory. */
  const loadedOf = async (tenantId: string): Promise<Loaded | undefined> => {
    if (!loaded.has(tenantId) && (await embeddedVersion(store.read, tenantId)) === 0) return undefined
    const known = loaded.get(tenantId) ?? load(tenantId)
    loaded.set(tenantId, known)
    const current = await known.catch((error: unknown) => {
      loaded.delete(tenantId)
      throw error
    })
    const at = performance.now()
    const age = at - current.lookedAt
    if (age >= REFRESH_MS && !current.refreshing) {
      current.lookedAt = at
      // Decisions do not wait for it: they go on with what is in memory.
      const look = refresh(tenantId, current)
        .catch((error: unknown) => {
          events.failed(error)
          parts.onError(error)
        })
        .finally(() => {
          current.refreshing = undefined
        })
      current.refreshing = look
      if (age >= IDLE_MS)
        current.awaited = Promise.race([look, sleep(LOOK_WITHIN_MS, undefined, { ref: false })]).finally(() => {
          current.awaited = undefined
        })
    }
    if (current.awaited) await current.awaited
    return current
  }

  const answer = (
    engine: Engine,
    tenantId: string,
    slot: Slot,
    choice: Choice,
    visitor: Visitor,
    at: number,
    id: string,
    isTaken: boolean,
  ): Decision => {
    const { line } = choice.ready
    const served: Served = {
      decisionId: id,
      tenantId,
      lineId: line.lineId,
      creativeId: choice.creative.creativeId,
      place: slot.place,
      rateMicros: line.terms.rateMicros,
      isBot: visitor.isBot,
      at,
      playsMs: playingTime(choice.creative.terms.content),
    }
    if (!visitor.isBot && isTaken) engine.decided(choice, id, at)
    else if (!visitor.isBot) engine.taken(choice, id, at)
    return { token: tokens.sign(served), served, creative: choice.creative.terms, names: namesOf(line, choice.creative) }
  }

  return {
    async decide(tenantId, slots, visitor) {
      const current = await loadedOf(tenantId)
      if (!current) return slots.map(() => undefined)
      const { engine, capped } = current
      const now = clock()
      const ids = slots.map(newId)
      const { viewer } = visitor
      const isCapped = viewer !== undefined && slots.some(({ place }) => engine.snapshot.capWindows.has(place))
      // Without what the visitor has had, lines with a cap stay silent: the store is away, or lacks impressions that are in the spool.
      const uncapped = () => engine.choose(slots, visitor, undefined, now.getTime())
      const taken =
        isCapped && !events.isBehind()
          ? await capped.choose({ viewer, slots, visitor, ids, now }).catch((error: unknown) => {
              events.failed(error)
              return undefined
            })
          : undefined
      const choices = taken ?? uncapped()
      for (const [index, { place }] of visitor.isBot ? [] : slots.entries())
        if (engine.knows(place)) requests.add(tenantId, place, now, choices[index] !== undefined)
      return choices.map((choice, index) => {
        const [slot, id] = [slots[index], ids[index]]
        return choice && slot && id !== undefined
          ? answer(engine, tenantId, slot, choice, visitor, now.getTime(), id, taken !== undefined)
          : undefined
      })
    },
    async record(token, kind, isBot, code) {
      const served = tokens.read(token)
      if (!served) return 'forged'
      const now = clock()
      const age = now.getTime() - served.at
      if (age > (kind === 'impression' ? IMPRESSION_MS : LATER_MS)) return 'expired'
      const { at: _at, playsMs, ...event } = served
      // Under a name of its own, so that the real event counts when it comes.
      const mark = couldHappen(kind, playsMs, age) ? '' : INVALID
      const isNew = await log.add({
        ...event,
        eventId: `${served.decisionId}.${mark}${kind}`,
        kind: mark + (kind === 'error' ? errorKind(code) : kind),
        isBot: served.isBot || isBot,
        happenedAt: now.toISOString(),
      })
      return isNew ? 'counted' : 'repeated'
    },
    async shown(token) {
      const served = tokens.read(token)
      if (!served) return undefined
      const current = await loadedOf(served.tenantId)
      const found = await servedCreative(store.read, current?.engine.snapshot, served)
      return found && { served, ...found }
    },
    async close() {
      await requests.close()
      await log.close()
      await events.close()
      await parts.counters?.close()
    },
  }
}
