import { Books, bookOrders, sellBySheet } from '../billing-kills/books.ts'
import { ClockedServer } from '../faults/clocked-server.ts'
import { seeded } from '../faults/random.ts'
import type { KillOptions } from '../faults/round-options.ts'
import { type Adjustment, ReportBuyer, type Revision } from './buyer.ts'

export interface ReportKillFindings {
  readonly rounds: number
  /** Visits and imports whose answer was lost. */
  readonly lost: number
  readonly revisions: number
  readonly adjustments: number
  /** Files that were fetched and compared. */
  readonly files: number
  readonly seconds: number
  readonly problems: readonly string[]
}

const DAY = 86_400_000
/** Days in which the inventory of the product has room for the budget. */
const SHORTEST_FLIGHT = 60
/** What a visit takes before one was measured. */
const FIRST_MS = 300
/** Days after which a report is final, and after which a correction is published no more. */
const [FINAL_AFTER, CORRECTED_FOR] = [7, 30]

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Whether a process that is killed while it publishes reports and makes their files, or takes delivery, loses, doubles or changes a report. A round is a day. */
export async function runReportKills(options: KillOptions): Promise<ReportKillFindings> {
  const { rounds, seed, say, command, database } = options
  const started = performance.now()
  const chance = seeded(seed)
  const config = { publicUrl: 'https://seller.example' }
  const server = await ClockedServer.make({ name: 'report-kills', config, command, database })
  try {
    await server.run('init', '--demo')
    const { buyer: token, token: admin } = await sellBySheet(server)
    await server.start()
    const books = new Books(server.origin, admin)
    const first = Date.parse(dayOf(Date.now() + DAY))
    const until = dayOf(first + Math.max(SHORTEST_FLIGHT, rounds + 2) * DAY)
    const [order] = await bookOrders({ origin: server.origin, token, books }, { count: 1, until })
    if (!order) throw new Error('nothing was booked')
    const buyer = new ReportBuyer(server.origin, token, { brand: { domain: 'brand0.example' }, operator: 'agency.example' })
    await buyer.configure()

    const spent = new Map<string, number>()
    const problems: string[] = []
    let [lost, took] = [0, FIRST_MS]
    for (let round = 1; round <= rounds; round++) {
      const today = first + round * DAY
      await server.restartAt(`${dayOf(today)}T03:00:00Z`)
      const changed = countDays(spent, today, chance)
      const enter = () => books.enter(changed.map((day) => ({ packageId: order.packageId, day, spent: spent.get(day) ?? 0 })))
      const isImport = chance() < 0.3
      if (!isImport) await enter()
      const ending = await server.killDuring(isImport ? enter : () => buyer.visit(), took * 1.1 * chance())
      if (!ending.isAnswered) lost += 1
      if (ending.ms !== undefined && !isImport) took = ending.ms
      if (isImport) await enter()
      await buyer.visit()
      await buyer.check()
      problems.push(...differences(buyer, spent, today).map((each) => `round ${round}: ${each}`))
      if (round % 20 === 0)
        say(`${round} rounds, ${buyer.revisions.size} reports, ${problems.length + buyer.problems.length} problems`)
    }
    await buyer.check(true)
    const { revisions, adjustments, files } = buyer
    const seconds = Math.round((performance.now() - started) / 1000)
    const found = [...problems, ...buyer.problems]
    return { rounds, lost, revisions: revisions.size, adjustments: adjustments.size, files, seconds, problems: found }
  } finally {
    await server.end()
  }
}

/** What the ad server counted until today: yesterday, and some of the days before otherwise than it did. Returns the days that are entered. */
function countDays(spent: Map<string, number>, today: number, chance: () => number): readonly string[] {
  const changed: string[] = []
  for (let back = 1; back < CORRECTED_FOR; back++) {
    const day = dayOf(today - back * DAY)
    if (back > 1 && (!spent.has(day) || chance() > 0.08)) continue
    spent.set(day, (1 + Math.floor(chance() * 9_000)) * 1_000)
    changed.push(day)
  }
  return changed
}

/** Days whose newest report, with its adjustments, is not what was counted. */
function differences(buyer: ReportBuyer, spent: ReadonlyMap<string, number>, today: number): string[] {
  const found: string[] = []
  const revisions = [...buyer.revisions.values()]
  for (const [day, micros] of spent) {
    const age = Math.round((today - Date.parse(day)) / DAY)
    if (age >= CORRECTED_FOR) continue
    const own = revisions.filter(({ period }) => period.start.startsWith(day))
    for (const definition of new Set(own.map((each) => each.report_definition_id))) {
      const published = own.filter((each) => each.report_definition_id === definition)
      const finals = published.filter(({ finality }) => finality === 'official')
      if (finals.length > 1) found.push(`${day} has ${finals.length} final reports of ${definition}`)
      const [final] = finals
      if (final && impressions(final, [...buyer.adjustments.values()]) !== micros / 1_000)
        found.push(
          `${day}: the final report of ${definition} has ${impressions(final, [...buyer.adjustments.values()])} impressions, ${micros / 1_000} were counted`,
        )
      const last = published.filter(({ finality }) => finality === 'snapshot').at(-1)
      if (last && age < FINAL_AFTER && impressions(last, []) !== micros / 1_000)
        found.push(
          `${day}: the newest report of ${definition} has ${impressions(last, [])} impressions, ${micros / 1_000} were counted`,
        )
    }
    if (own.length === 0) found.push(`${day} has no report`)
    if (age > FINAL_AFTER && !own.some(({ finality }) => finality === 'official')) found.push(`${day} has no final report`)
  }
  return found
}

/** Impressions of a report with its adjustments. */
function impressions(
  { reporting_revision_id: id, control_totals: totals }: Revision,
  adjustments: readonly Adjustment[],
): number {
  const own = adjustments.filter(({ adjusts_reporting_revision_id: each }) => each === id)
  const named = [...totals, ...own.flatMap(({ control_total_deltas: deltas }) => deltas)].filter(
    ({ name }) => name === 'impressions',
  )
  return named.reduce((sum, { value }) => sum + Number(value), 0)
}
