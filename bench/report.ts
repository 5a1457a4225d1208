import type { Machine } from '../tools/measure/machine.ts'
import { type Measured, median, ratio } from './measure.ts'
import type { RawStatements } from './raw-statements.ts'
import type { SqliteFloor } from './sqlite-floor.ts'

/** One row as the table and `--json` show it. */
export interface Row {
  readonly id: string
  readonly title: string
  /** Against the faster of the two SDK rows; null when that was not measured. */
  readonly ratioToSdk: number | null
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  /** Processor microseconds of the server a request. */
  readonly cpuUs: number
  readonly rssMb: number
  readonly requests: number
  readonly failures: number
}

/** What the project promises, and what came out. */
export interface Goal {
  readonly title: string
  readonly goal: string
  readonly measured: number
  readonly met: boolean
}

export interface Report {
  readonly machine: Machine
  readonly settings: { readonly connections: number; readonly seconds: number; readonly rounds: number }
  readonly rows: readonly Row[]
  readonly startMs: number | null
  readonly sqlite: SqliteFloor
  readonly goals: readonly Goal[]
}

/** The faster of the SDK's two lines: the one to be measured against. */
export function sdkRow(measured: readonly Measured[]): Measured | undefined {
  const speed = ({ bursts }: Measured) => median(bursts.map(({ perSecond }) => perSecond))
  return measured.filter(({ subject }) => subject.id.startsWith('mcp-sdk')).toSorted((a, b) => speed(b) - speed(a))[0]
}

/** Medians over the rounds; memory as it is now, after the load. */
export function rowsOf(measured: readonly Measured[]): Row[] {
  const sdk = sdkRow(measured)
  return measured.map((one) => ({
    id: one.subject.id,
    title: one.subject.title,
    ratioToSdk: sdk ? ratio(one, sdk) : null,
    perSecond: median(one.bursts.map(({ perSecond }) => perSecond)),
    p50Ms: median(one.bursts.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(one.bursts.map(({ p99Ms }) => p99Ms)),
    p999Ms: median(one.bursts.map(({ p999Ms }) => p999Ms)),
    cpuUs: median(one.bursts.map(({ cpuUs }) => cpuUs)),
    rssMb: one.subject.server.rssBytes() / 1e6,
    requests: one.bursts.reduce((sum, { requests }) => sum + requests, 0),
    failures: one.bursts.reduce((sum, { failures }) => sum + failures, 0),
  }))
}

/** The promises that the measured rows can speak about. */
export function goalsOf(
  measured: readonly Measured[],
  rows: readonly Row[],
  startMs: number | null,
  idleRssMb: number | undefined,
): Goal[] {
  const find = (id: string) => measured.find(({ subject }) => subject.id === id)
  const products = find('get_products')
  const goals: Goal[] = []
  const atLeast = (title: string, value: number, floor: number, unit: string) =>
    goals.push({ title, goal: `≥ ${floor}${unit}`, measured: value, met: value >= floor })
  const atMost = (title: string, value: number, ceiling: number, unit: string) =>
    goals.push({ title, goal: `≤ ${ceiling}${unit}`, measured: value, met: value <= ceiling })
  const example = find('adcp-sdk')
  if (products && example) atLeast(`a new question : ${example.subject.title}`, ratio(products, example), 6, ' ×')
  const question = rows.find(({ id }) => id === 'get_products')
  if (question) atMost('processor time of a new question', question.cpuUs, 250, ' µs')
  const create = rows.find(({ id }) => id === 'create_media_buy')
  if (create) atLeast('create_media_buy, durable', create.perSecond, 1000, '/s')
  const signed = rows.find(({ id }) => id === 'create_media_buy_signed')
  if (create && signed) atMost('processor time of create_media_buy, signed : with a key', signed.cpuUs / create.cpuUs, 1.5, ' ×')
  if (startMs !== null) atMost('start to ready', startMs, 2000, ' ms')
  if (idleRssMb !== undefined) atMost('memory of an idle server', idleRssMb, 120, ' MB')
  const ours = create ?? rows.find(({ id }) => id === 'get_products')
  if (ours) atMost('memory after the run', ours.rssMb, 200, ' MB')
  return goals
}

/** What share of the speed of its SQL statements alone a purchase reaches. */
export function shareOfRawGoal(purchase: Row, raw: RawStatements): Goal {
  const measured = (100 * purchase.perSecond) / raw.perSecond
  return { title: 'create_media_buy of its raw statements on SQLite', goal: '≥ 50 %', measured, met: measured >= 50 }
}

/** The report as text: ratios first, then what they are made of. */
export function render({ machine, settings, rows, startMs, sqlite, goals }: Report): string {
  const failed = (row: Row) => (row.failures === 0 ? '0' : `${row.failures} of ${row.requests} FAILED`)
  const table = columns([
    ['×SDK', 'req/s', 'p50 ms', 'p99 ms', 'p99.9', 'CPU µs', 'RSS MB', 'failures', ''],
    ...rows.map((row) => [
      row.ratioToSdk === null ? '–' : row.ratioToSdk.toFixed(2),
      row.perSecond.toFixed(0),
      row.p50Ms.toFixed(1),
      row.p99Ms.toFixed(1),
      row.p999Ms.toFixed(1),
      row.cpuUs.toFixed(0),
      row.rssMb.toFixed(0),
      failed(row),
      row.title,
    ]),
  ])
  const promised = columns(
    goals.map(({ title, goal, measured, met }) => [
      met ? 'met' : 'MISSED',
      measured >= 100 ? measured.toFixed(0) : measured.toFixed(1),
      goal,
      title,
    ]),
  )
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}; load generator on the same machine`,
    `${settings.connections} connections, ${settings.rounds} rounds of ${settings.seconds} s a row, medians`,
    '',
    ...table,
    '',
    ...(startMs === null ? [] : [`start to ready: ${startMs.toFixed(0)} ms`]),
    `SQLite alone, synchronous=FULL: ${sqlite.single.toFixed(0)} rows/s with a commit each, ${sqlite.grouped.toFixed(0)} with ${sqlite.group} a commit`,
    '',
    ...promised,
  ].join('\n')
}

/** Aligned cells: numbers to the right, the last column to the left. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padStart(widths[column] ?? 0))).join('  '),
  )
}
