import { LRUCache } from 'lru-cache'
import type { AdServerBackend, LiveReports } from '../backend.ts'
import { readIds } from '../external-id.ts'
import { type ImportParts, importReport } from './import-report.ts'
import type { ReconcilerLog } from './reconciler.ts'

/** An order whose delivery is read. */
export interface ReadOrder {
  readonly mediaBuyId: string
  /** What it is booked as, by ad server (see `readIds`). */
  readonly orderId: string
}

/**
 * Imports what ad servers with live reports counted of orders since (`orders` absent: of all of the publisher), for someone who is about to read it in the ledger. Resolves
 * within two seconds and never throws: what could not be imported is read as the ledger has it. Writes: never inside a transaction.
 */
export type ImportOnRead = (tenantId: string, orders?: readonly ReadOrder[]) => Promise<void>

export interface OnReadParts extends ImportParts {
  readonly log: ReconcilerLog
  /** Milliseconds of a clock that only goes forward; for tests. */
  readonly monotonic?: (() => number) | undefined
  /** Longest wait of a read in milliseconds; for tests. */
  readonly waitMs?: number | undefined
}

const WAIT_MS = 2_000
/** Orders that are read at once are each imported as many times less often, and this many times at most: so lists add no more to the ledger than single orders. */
const LEAST_OFTEN = 15
/** An order whose mark is the same is imported after this time all the same: a flat rate is charged by time. */
const MARK_MS = 300_000
/** Before every flight. */
const EVER = '2000-01-01'
/** Orders of one report. */
const CHUNK = 100
/** Orders that are remembered, some 200 bytes each. */
const REMEMBERED = 100_000

/** What this process imported of an order last. */
interface Imported {
  readonly mark: string
  readonly at: number
}

/** Imports on reading, one import of an order at a time. */
export function createImportOnRead(parts: OnReadParts): ImportOnRead {
  const { backends, log, monotonic = () => performance.now(), waitMs = WAIT_MS } = parts
  const importer = createImporter({ ...parts, monotonic, waitMs })
  return async (tenantId, orders) => {
    for (const [adServer, { backend }] of backends(tenantId)) {
      const { liveReports } = backend
      const ids = orders?.filter(isBookedIn(adServer)).map(({ mediaBuyId }) => mediaBuyId)
      if (!liveReports || ids?.length === 0) continue
      const work = importer(tenantId, adServer, liveReports, ids).catch((error: unknown) =>
        log.warn({ tenant: tenantId, adServer, err: error }, 'delivery could not be imported for a reader'),
      )
      if (!(await endedWithin(work, waitMs)))
        log.warn({ tenant: tenantId, adServer }, 'delivery was read before its import had ended')
    }
  }
}

interface ImporterParts extends ImportParts {
  readonly monotonic: () => number
  readonly waitMs: number
}

function createImporter(parts: ImporterParts) {
  const { monotonic, waitMs } = parts
  const known = new LRUCache<string, Imported>({ max: REMEMBERED })
  const running = new Map<string, Promise<void>>()
  const importOrders = async (tenantId: string, adServer: string, marks: ReadonlyMap<string, string>) => {
    await importReport(parts, { tenantId, adServer, mediaBuyIds: [...marks.keys()], since: EVER, callMs: waitMs })
    for (const [id, mark] of marks) known.set(keyOf(tenantId, adServer, id), { mark, at: monotonic() })
  }
  return async (tenantId: string, adServer: string, live: LiveReports, ids: readonly string[] | undefined) => {
    const startedAt = monotonic()
    const restMs = live.everyMs * Math.min(ids?.length ?? LEAST_OFTEN, LEAST_OFTEN)
    const isDue = (id: string, mark: string) => {
      const last = known.get(keyOf(tenantId, adServer, id))
      const age = last ? startedAt - last.at : Number.POSITIVE_INFINITY
      return age >= restMs && (mark !== last?.mark || age >= MARK_MS)
    }
    const due = [...(await live.marks(tenantId, ids))].filter(([id, mark]) => isDue(id, mark))
    const others: Promise<void>[] = []
    for (let at = 0; at < due.length && monotonic() - startedAt < waitMs; at += CHUNK) {
      const chunk = due.slice(at, at + CHUNK)
      const mine = new Map(chunk.filter(([id]) => !running.has(keyOf(tenantId, adServer, id))))
      others.push(...chunk.flatMap(([id]) => running.get(keyOf(tenantId, adServer, id)) ?? []))
      if (mine.size === 0) continue
      const keys = [...mine.keys()].map((id) => keyOf(tenantId, adServer, id))
      const run = importOrders(tenantId, adServer, mine).finally(() => {
        for (const key of keys) running.delete(key)
      })
      for (const key of keys) running.set(key, run)
      await run
    }
    await Promise.all(others)
  }
}

function isBookedIn(adServer: AdServerBackend['name']) {
  return ({ orderId }: ReadOrder) => readIds(orderId).some((id) => id.adServer === adServer)
}

/** Resolves when the work has ended: true; or after a time: false. */
async function endedWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}
