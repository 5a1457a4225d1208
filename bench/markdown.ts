import { arch, release } from 'node:os'
import { hasWrk } from '../tools/measure/wrk.ts'
import type { GrowthRow } from './growth/run.ts'
import { MOST } from './growth/run.ts'
import { type Measured, median } from './measure.ts'
import type { Report } from './report.ts'
import { shareOfPlain, shareOfRaw, type Variant } from './variants.ts'
import type { WireSize } from './wire.ts'

/** All that a run measured; a part that was not asked for is missing. */
export interface Results {
  readonly peers?: Report
  readonly variants?: readonly Variant[]
  /** Pure JavaScript in two processes at once against one. */
  readonly scaleOfTwo?: number
  /** New questions that two servers which share nothing answer at once, against one. */
  readonly scaleOfTwoServers?: number
  readonly connections?: readonly { readonly connections: number; readonly measured: readonly Measured[] }[]
  readonly wire?: readonly WireSize[]
  readonly growth?: readonly GrowthRow[]
}

/** The results as a dated page: ratios first, then what they are made of. */
export function markdown(results: Results, machine: Report['machine'], date: string): string {
  const { peers, variants, scaleOfTwo, scaleOfTwoServers, connections, wire, growth } = results
  return [
    `# Measured on ${date}`,
    describe(machine),
    ...(variants ? ['## Ratios', ratios(variants)] : []),
    ...(scaleOfTwo ? [possible(scaleOfTwo, scaleOfTwoServers)] : []),
    ...(peers ? ['## Promises and peers', promises(peers), peerTable(peers)] : []),
    ...(variants ? ['## Engines, workers and versions of Node', variantTable(variants)] : []),
    ...(connections ? ['## Connections', connectionTable(connections)] : []),
    ...(wire ? ['## What an assistant reads', wireTable(wire)] : []),
    ...(growth ? ['## Growth', `p50 of one call at a time; promised: at most ${MOST} ×.`, growthTable(growth)] : []),
    '',
  ].join('\n\n')
}

/** The machine in a sentence, and what it does at the same time. */
export function describe({ cpu, cores, memoryGb, node }: Report['machine']): string {
  return `${cpu}, ${cores} cores, ${memoryGb} GB, Linux ${release()} ${arch()}, Node ${node}. Load generator, server and database share the machine; figures are medians over rounds.`
}

/** Rows of cells as a table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const percent = (share: number | undefined) => (share === undefined ? '–' : `${(100 * share).toFixed(0)} %`)
const name = ({ engine, workers, node }: Variant) => `${engine}, ${workers} ${workers === 1 ? 'worker' : 'workers'}, Node ${node}`
const middle = (one: Measured, of: 'perSecond' | 'p50Ms' | 'p99Ms' | 'p999Ms' | 'cpuUs') =>
  median(one.bursts.map((burst) => burst[of]))

const GENERATOR = hasWrk() ? 'wrk, one thread' : 'autocannon, JavaScript'

function ratios(variants: readonly Variant[]): string {
  const single = (variant: Variant) =>
    variants.find(({ engine, node, workers }) => engine === variant.engine && node === variant.node && workers === 1)
  const against = (variant: Variant, of: 'products' | 'question' | 'purchase' | 'plain') => {
    const base = single(variant)
    if (!base || base === variant) return '–'
    return `${(middle(variant[of], 'perSecond') / middle(base[of], 'perSecond')).toFixed(2)} ×`
  }
  return table(
    [
      '',
      'a new question of node:http',
      'create_media_buy of raw statements',
      'a new question of 1 worker',
      'create_media_buy of 1 worker',
      'node:http of 1 process',
    ],
    variants.map((variant) => [
      name(variant),
      percent(shareOfPlain(variant)),
      percent(shareOfRaw(variant)),
      against(variant, 'question'),
      against(variant, 'purchase'),
      against(variant, 'plain'),
    ]),
  )
}

/** What of two workers this machine can show at all. */
function possible(scale: number, servers: number | undefined): string {
  const apart =
    servers === undefined
      ? ''
      : ` Two servers that share nothing answer ${servers.toFixed(2)} × the new questions of one: what two workers can reach here.`
  return (
    `Pure JavaScript in two processes at once does ${scale.toFixed(2)} × what it does in one.${apart} The load generator (${GENERATOR}) and the ` +
    'database need the same cores: a row whose requests cost the server little is limited by them, node:http in the last column first of all.'
  )
}

function promises({ goals }: Report): string {
  const shown = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(2))
  return table(
    ['', 'measured', 'promised', ''],
    goals.map(({ title, goal, measured, met }) => [title, shown(measured), goal, met ? 'met' : '**missed**']),
  )
}

function peerTable({ rows }: Report): string {
  return table(
    ['', '× MCP SDK', 'a second', 'p50 ms', 'p99 ms', 'p99.9 ms', 'CPU µs', 'RSS MB', 'failed'],
    rows.map((row) => [
      row.title,
      row.ratioToSdk === null ? '–' : row.ratioToSdk.toFixed(2),
      row.perSecond.toFixed(0),
      ...[row.p50Ms, row.p99Ms, row.p999Ms].map((ms) => ms.toFixed(1)),
      row.cpuUs.toFixed(0),
      row.rssMb.toFixed(0),
      String(row.failures),
    ]),
  )
}

const MEASURED = ['a second', 'p50 ms', 'p99 ms', 'p99.9 ms', 'CPU µs', 'failed']
const cells = (one: Measured) => [
  middle(one, 'perSecond').toFixed(0),
  ...(['p50Ms', 'p99Ms', 'p999Ms'] as const).map((of) => middle(one, of).toFixed(1)),
  middle(one, 'cpuUs').toFixed(0),
  String(one.bursts.reduce((sum, { failures }) => sum + failures, 0)),
]

function variantTable(variants: readonly Variant[]): string {
  const rows = variants.flatMap((variant) => [
    [name(variant), 'get_products, a new question each', ...cells(variant.question), variant.idleRssMb.toFixed(0)],
    ['', 'get_products, one question repeated', ...cells(variant.products), ''],
    ['', 'create_media_buy', ...cells(variant.purchase), ''],
    ['', 'node:http, same bytes', ...cells(variant.plain), ''],
    ...(variant.raw
      ? [['', `raw statements, ${variant.raw.atOnce} at once`, variant.raw.perSecond.toFixed(0), '', '', '', '', '', '']]
      : []),
  ])
  return table(['', '', ...MEASURED, 'idle RSS MB'], rows)
}

function connectionTable(all: NonNullable<Results['connections']>): string {
  const rows = all.flatMap(({ connections, measured }) =>
    measured.map((one) => [String(connections), one.subject.title, ...cells(one)]),
  )
  return table(['connections', '', ...MEASURED], rows)
}

function wireTable(sizes: readonly WireSize[]): string {
  return table(
    ['reply', 'bytes', 'tokens (o200k)'],
    sizes.map(({ message, bytes, tokens }) => [message, bytes.toLocaleString('en'), tokens.toLocaleString('en')]),
  )
}

function growthTable(rows: readonly GrowthRow[]): string {
  const verdict = ({ promised, ratio }: GrowthRow) => (!promised ? '' : ratio <= MOST ? 'met' : '**missed**')
  return table(
    ['grown to', 'task', 'ratio', 'smallest, p50 ms', 'grown, p50 ms', ''],
    rows.map((row) => [
      row.grown,
      row.title,
      `${row.ratio.toFixed(2)} ×`,
      row.smallMs.toFixed(2),
      row.grownMs.toFixed(2),
      verdict(row),
    ]),
  )
}
