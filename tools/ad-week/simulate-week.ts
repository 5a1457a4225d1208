import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDurableEvents } from '../../src/ad-serving/embedded/durable-events.ts'
import { createEmbeddedBackend } from '../../src/ad-serving/embedded/embedded-backend.ts'
import { createEmbeddedService, type EmbeddedService } from '../../src/ad-serving/embedded/service.ts'
import { createAdTokens } from '../../src/ad-serving/embedded/tokens.ts'
import { decisionIdPrefix, embeddedEventWriter } from '../../src/store/embedded/events.ts'
import { createEventSpool } from '../../src/store/embedded/spool/event-spool.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { seeded } from '../faults/random.ts'
import { findingsOf, type WeekFindings } from './findings.ts'
import { Oracle } from './oracle.ts'
import { PLACES, type SoldLine, soldLines } from './sold-lines.ts'
import { DAY_MS, HOUR_MS, WEEK_MS, WEEK_START, weekOfRequests } from './traffic.ts'
import { Visits } from './visits.ts'

export const TENANT = 'week'
const ORDER = { tenantId: TENANT, externalId: 'week' }
/** Sizes are those of the images. */
const FORMAT = { agent_url: 'https://seller.example', id: 'display_image' }

/** Thursday, 12:00: orders change, and the process is replaced by another. */
const CHANGES_AT = WEEK_START + 3 * DAY_MS + 12 * HOUR_MS
/** Events are written together as they come within so much time. */
const WRITTEN_EVERY_MS = 10_000

/**
 * A week of traffic against the embedded ad server (its decisions, its event log, its reports) on a store of its own, by a clock that runs as fast as the machine
 * does; what it came to by the oracle.
 */
export async function simulateWeek(
  requests: number,
  seed: number,
  say: (text: string) => void = () => {},
): Promise<WeekFindings> {
  const folder = mkdtempSync(join(tmpdir(), 'ad-week-'))
  const store = await openSqlite(join(folder, 'week.sqlite'))
  let now = WEEK_START - DAY_MS
  const clock = () => new Date(now)
  const random = seeded(seed)
  const backend = createEmbeddedBackend({
    places: { countries: true, regions: true },
    store,
    clock,
    reportEveryMs: 300_000,
    liveEveryMs: 2_000,
    timeZoneOf: async () => 'UTC',
    placesOf: async (_tenantId, productId) => PLACES[productId] ?? [],
    formatOf: async () => undefined,
    listInventory: async () => ({ units: [] }),
  })
  let ids = 0
  const failures: unknown[] = []
  const start = (): EmbeddedService =>
    createEmbeddedService({
      store,
      tokens: createAdTokens('key of the week'),
      events: createDurableEvents({
        spool: createEventSpool({ folder: join(folder, 'ad-events'), maxBytes: 2 ** 26 }),
        append: embeddedEventWriter(store),
        ping: () => store.ping(),
        isBehind: false,
        clock,
        report: (fault) => failures.push(fault),
      }),
      clock,
      chance: random,
      newId() {
        ids += 1
        return `${decisionIdPrefix(clock())}-${ids}`
      },
      onError: (error) => failures.push(error),
      onUncounted: (requests) => failures.push(`${requests} requests were not counted`),
    })
  try {
    const lines = soldLines(requests)
    const oracle = new Oracle(lines)
    await backend.putOrder(ORDER, { name: 'Week', advertiserId: 'advertiser', currency: 'USD', ...extentOf(lines) })
    for (const name of ['first', 'second'])
      await backend.putCreative(ORDER, { externalId: name, name, formatId: FORMAT, assets: imageOf(name), contentVersion: '1' })
    for (const { id, settings } of lines) {
      await backend.putLine(ORDER, { externalId: id }, settings)
      await backend.associate(ORDER, { externalId: id }, [
        { creativeExternalId: 'first', weight: 75, placementIds: null },
        { creativeExternalId: 'second', weight: 25, placementIds: null },
      ])
      await backend.setLineState(ORDER, { externalId: id }, 'active')
    }
    const named = new Map((await backend.observe(ORDER))?.lines.map(({ id, externalId }) => [id, externalId ?? '']))
    let service = start()
    const visits = new Visits(oracle, named, seeded(seed + 1))
    const setClock = (at: number) => {
      now = at
    }
    let [day, written] = [0, WEEK_START]
    oracle.dayBegins(0, WEEK_START)
    for (const request of weekOfRequests(requests, random)) {
      while (request.at >= WEEK_START + (day + 1) * DAY_MS) {
        day += 1
        oracle.dayBegins(day, WEEK_START + day * DAY_MS)
        say(`day ${day}: ${oracle.decisions} requests`)
      }
      if (request.at - written >= WRITTEN_EVERY_MS) {
        await visits.happenUntil(request.at, service, setClock)
        written = request.at
      }
      if (now < CHANGES_AT && request.at >= CHANGES_AT) {
        now = CHANGES_AT
        await service.close()
        for (const { id, settings } of changedLines(lines)) {
          await backend.putLine(ORDER, { externalId: id }, settings)
          oracle.change(id, settings)
        }
        service = start()
      }
      now = request.at
      await visits.visit(request, service)
    }
    oracle.dayBegins(7, WEEK_START + WEEK_MS)
    await visits.happenUntil(WEEK_START + WEEK_MS + 7 * HOUR_MS, service, setClock)
    await service.close()
    now = WEEK_START + WEEK_MS + DAY_MS
    const { rows } = await backend.report({ tenantId: TENANT, orderExternalIds: [ORDER.externalId], since: '2026-01-01' })
    return findingsOf({ lines, oracle, rows, visits, failures })
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** More of one line is bought, and another becomes cheaper; its budget stays. */
function changedLines(lines: readonly SoldLine[]): SoldLine[] {
  return lines.flatMap((line): SoldLine[] => {
    const { settings } = line
    const { goalImpressions: goal, price, budgetMicros } = settings
    if (line.id === 'even' && goal !== null) {
      const more = Math.round(goal * 1.1)
      return [
        { ...line, settings: { ...settings, goalImpressions: more, budgetMicros: Math.ceil((more * price.rateMicros) / 1000) } },
      ]
    }
    if (line.id === 'rich')
      return [{ ...line, settings: { ...settings, budgetMicros, price: { ...price, rateMicros: 6_660_000 } } }]
    return []
  })
}

function imageOf(name: string): Readonly<Record<string, unknown>> {
  return {
    image: { asset_type: 'image', url: `https://cdn.example/${name}.png`, width: 300, height: 250, format: 'png' },
    click_url: { asset_type: 'url', url: 'https://shop.example/' },
  }
}

/** Budget and flight of the lines together. */
function extentOf(lines: ReturnType<typeof soldLines>) {
  const settings = lines.map((line) => line.settings)
  return {
    budgetMicros: settings.reduce((sum, { budgetMicros }) => sum + budgetMicros, 0),
    startsAt: settings.map(({ startsAt }) => startsAt).sort()[0] ?? '',
    endsAt:
      settings
        .map(({ endsAt }) => endsAt)
        .sort()
        .at(-1) ?? '',
  }
}
