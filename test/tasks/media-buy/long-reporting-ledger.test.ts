import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { writeLongLedger } from '../../support/long-reporting-ledger.ts'
import { LINES } from '../../support/release-agent.ts'
import { type ReportedAccount, startReportedAccount } from '../../support/reported-account.ts'

const [DAYS, CONFIGS, STATEMENTS, BUYS] = [300, 4, 2, 300]

describe.skipIf(!LINES.includes('3.2'))('periods of a year of reports over 300 orders', () => {
  let reported: ReportedAccount
  let period: { readonly start: string; readonly end: string }

  beforeAll(async () => {
    reported = await startReportedAccount()
    const named = (name: string) => ({ ...reported.config('snapshot'), delivery_config_id: name })
    await reported.configure(['a', 'b', 'c', 'd'].map(named))
    ;({ period } = await writeLongLedger(reported, { days: DAYS, buys: BUYS, statements: STATEMENTS }))
  }, 600_000)
  afterAll(() => reported?.agent.stop())

  test('are narrowed by health, order and configuration, which only documents say', async () => {
    const [start] = period.start.split('T')
    const days = { start: `${start}T00:00:00Z`, end: new Date(Date.parse(period.start) + 2 * 86_400_000).toISOString() }
    const total = async (more: object) => (await reported.status('periods', { period: days, ...more })).pagination.total_count
    expect(await total({})).toBe(2 * (CONFIGS + 1 + CONFIGS * STATEMENTS))
    expect(await total({ delivery_config_ids: ['a'] })).toBe(2 * (1 + 1 + STATEMENTS))
    expect(await total({ health: ['complete'] })).toBe(2 * (CONFIGS + 1 + CONFIGS * STATEMENTS))
    expect(await total({ health: ['action_required'] })).toBe(0)
    // The order of the account was made after those days and is in none of these reports.
    expect(await total({ media_buy_ids: [reported.media_buy_id] })).toBe(0)
  })

  test('a page reads the documents that it shows', async () => {
    const read = await parsing(() => reported.status('periods', { period }))
    // Ten of them at once, with what is published and said of those that fit; all together have some 30 million characters.
    expect(read.all).toBeLessThan(2_000_000)
  })

  test('a summary reads all documents, some at a time', async () => {
    let found: Awaited<ReturnType<ReportedAccount['status']>> = {}
    const read = await parsing(async () => {
      found = await reported.status('summary', { period })
    })
    const { total, consumer_status_pending: _silent, ...byHealth } = found.obligation_counts
    expect(total).toBe(DAYS * CONFIGS)
    expect(Object.values<number>(byHealth).reduce((sum, count) => sum + count, 0)).toBe(total)
    expect(read.all).toBeGreaterThan(20_000_000)
    expect(read.atOnce).toBeLessThan(2_000_000)
  })

  test('a page of one health looks through all documents, some at a time', async () => {
    const read = await parsing(() => reported.status('periods', { period, health: ['complete'] }))
    expect(read.all).toBeGreaterThan(20_000_000)
    expect(read.atOnce).toBeLessThan(2_000_000)
  })
})

/** Characters of JSON that are parsed during some work: all, and the most in one turn of the main thread. */
async function parsing(work: () => Promise<unknown>): Promise<{ readonly all: number; readonly atOnce: number }> {
  const parse = JSON.parse
  let [all, atOnce, turn, isOver] = [0, 0, 0, false]
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    all += text.length
    turn += text.length
    atOnce = Math.max(atOnce, turn)
    return parse(text, reviver)
  })
  const begin = () => {
    turn = 0
    if (!isOver) setImmediate(begin)
  }
  begin()
  try {
    await work()
    return { all, atOnce }
  } finally {
    isOver = true
    spy.mockRestore()
  }
}
