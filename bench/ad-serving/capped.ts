import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CappedChoices, createCappedChoices } from '../../src/ad-serving/embedded/choose-capped.ts'
import { createCountedChoices } from '../../src/ad-serving/embedded/counters/counted-choices.ts'
import { Engine } from '../../src/ad-serving/embedded/engine.ts'
import { indexed } from '../../src/ad-serving/embedded/snapshot.ts'
import { createValkeyCounters } from '../../src/platform/valkey/valkey-counters.ts'
import type { Store } from '../../src/store/database.ts'
import { decisionIdPrefix } from '../../src/store/embedded/events.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { startPostgres } from '../../tools/agent/postgres.ts'
import { startValkey } from '../../tools/agent/valkey.ts'
import { activeLines, PLACES, visitorOf } from './lines.ts'

export interface CappedFigures {
  readonly decisions: number
  readonly perSecond: number
  /** Processor time of one decision, microseconds. */
  readonly cpuUs: number
}

/** Decisions that are made at a time: requests of one moment. */
const AT_ONCE = 64
const HOUR_MS = 3_600_000

/** Decisions of 1,000 lines that all have a frequency cap: what the visitor has had is read and added to durably, in SQLite. Each visitor asks ten times. */
export async function measureCapped(decisions: number): Promise<CappedFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-capped-'))
  const store = await openSqlite(join(folder, 'capped.sqlite'))
  try {
    return await measureCappedOn(store, decisions)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same on PostgreSQL; the processor time is that of this process alone. */
export async function measureCappedOnPostgres(decisions: number): Promise<CappedFigures> {
  const postgres = await startPostgres()
  try {
    const store = await openPostgres(await postgres.createDatabase('bench_capped'))
    try {
      return await measureCappedOn(store, decisions)
    } finally {
      await store.close()
    }
  } finally {
    await postgres.stop()
  }
}

/** The same with counters in Valkey (`ads.counters: valkey`) beside PostgreSQL. */
export async function measureCappedOnValkey(decisions: number): Promise<CappedFigures> {
  const [postgres, valkey] = await Promise.all([startPostgres(), startValkey()])
  const settings = { servers: [valkey.server], cluster: false, prefix: 'bench', tls: false }
  const counters = await createValkeyCounters({ settings, youngMs: 0, report: () => {} })
  try {
    const store = await openPostgres(await postgres.createDatabase('bench_counted'))
    try {
      const isThere = () =>
        counters.forget({ tenantId: 'bench', viewer: 'none' }).then(
          () => true,
          () => false,
        )
      while (!(await isThere())) await sleep(10)
      return await measureCappedOn(store, decisions, (engine) =>
        createCountedChoices({ store, tenantId: 'bench', engine, counters, countsWithinMs: 0 }),
      )
    } finally {
      await store.close()
    }
  } finally {
    await counters.close()
    await Promise.all([postgres.stop(), valkey.stop()])
  }
}

async function measureCappedOn(
  store: Store,
  decisions: number,
  choicesOf: (engine: Engine) => CappedChoices = (engine) => createCappedChoices(store, 'bench', engine),
): Promise<CappedFigures> {
  const now = new Date()
  const lines = activeLines(1_000, now.getTime() - HOUR_MS).map((line) => ({
    ...line,
    terms: { ...line.terms, caps: [{ most: 3, windowMs: HOUR_MS }] },
  }))
  const engine = new Engine(indexed(1, lines), Math.random)
  const capped = choicesOf(engine)
  let filled = 0
  const decide = async (index: number) => {
    const place = PLACES[index % PLACES.length] ?? ''
    const at = new Date()
    const id = `${decisionIdPrefix(at)}${index.toString(36).padStart(16, '0')}`
    const choices = await capped.choose({
      viewer: `visitor-${index % Math.ceil(decisions / 10)}`,
      slots: [{ place, kind: 'display', sizes: [{ width: 300, height: 250 }] }],
      visitor: visitorOf(index),
      ids: [id],
      now: at,
    })
    const choice = choices?.[0]
    if (!choice) return
    filled += 1
    engine.decided(choice, id, at.getTime())
  }
  const began = performance.now()
  const cpu = process.cpuUsage()
  for (let at = 0; at < decisions; at += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, decisions - at) }, (_, index) => decide(at + index)))
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - began) / 1000
  const { written } = await store.read
    .selectFrom('embedded_exposures')
    .select((e) => e.fn.countAll<number>().as('written'))
    .executeTakeFirstOrThrow()
  if (written !== filled || filled === 0) throw new Error(`${written} exposures of ${filled} choices are stored`)
  return { decisions, perSecond: Math.round(decisions / seconds), cpuUs: (user + system) / decisions }
}
