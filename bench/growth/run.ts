import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ACCOUNT, type Deployment, declareAccount, deploy, purchases } from '../../tools/measure/deployment.ts'
import { askOnce, Servers, type Target, toolCall } from '../../tools/measure/subject.ts'
import { median } from '../measure.ts'
import { questionsOf } from './questions.ts'
import { growStore, type Size } from './seed.ts'

/** p50 of a task in a grown store against the small one, asked in turns. */
export interface GrowthRow {
  /** Which of the three grew, and to what. */
  readonly grown: string
  readonly title: string
  readonly smallMs: number
  readonly grownMs: number
  readonly ratio: number
  /** Whether the promise of at most `MOST` holds this row. */
  readonly promised: boolean
}

/** Times that a p50 may grow between the smallest and the largest store. */
export const MOST = 1.5
export const SMALLEST: Size = { products: 10, mediaBuys: 1_000, tenants: 10 }
export const SIZES: Readonly<Record<keyof Size, readonly number[]>> = {
  products: [1_000, 100_000],
  mediaBuys: [100_000, 1_000_000],
  tenants: [10_000],
}

const CREATIVES = 60

/** Measures every size of `sizes` beside the smallest store, `samples` calls of each task at a time, one connection. */
export async function measureGrowth(
  folder: string,
  sizes: Readonly<Record<keyof Size, readonly number[]>>,
  samples: number,
  say: (line: string) => void,
): Promise<GrowthRow[]> {
  const deployment = await layOut(join(folder, 'growth'))
  growStore(deployment.data, SMALLEST)
  const rows: GrowthRow[] = []
  for (const dimension of ['products', 'mediaBuys', 'tenants'] as const) {
    for (const size of sizes[dimension]) {
      const grown = `${size.toLocaleString('en')} ${dimension === 'mediaBuys' ? 'media buys' : dimension}`
      say(`growing to ${grown}`)
      rows.push(...(await compare(deployment, { ...SMALLEST, [dimension]: size }, grown, samples)))
      for (const row of rows.filter((one) => one.grown === grown)) say(growthLine(row))
    }
  }
  return rows
}

/** A store with what cannot be copied by rows: the creatives of the buyer and one media buy that runs. */
async function layOut(data: string): Promise<Deployment> {
  const deployment = await deploy({ data })
  const servers = new Servers()
  try {
    const served = await deployment.serve(servers)
    await declareAccount(served)
    const { url, headers, origin } = served
    const creatives = Array.from({ length: CREATIVES }, (_empty, n) => ({
      creative_id: `creative-${n}`,
      name: `Creative ${n}`,
      format_id: { agent_url: `${origin}/mcp`, id: 'display_300x250' },
      assets: {
        image: { asset_type: 'image', url: `https://cdn.example/${n}.png`, width: 300, height: 250, format: 'png' },
        click_url: { asset_type: 'url', url: 'https://brand.example/' },
      },
    }))
    const body = toolCall('sync_creatives', { idempotency_key: `creatives-${Date.now()}-bench`, account: ACCOUNT, creatives })
    await askOnce({ url, headers, body, succeeded: (reply) => !reply.includes('"failed"') && !reply.includes('"isError":true') })
    await askOnce({ url, headers, ...purchases('asap') })
  } finally {
    await servers.stop()
  }
  return deployment
}

/** Two servers that were started together, so that both are equally warm: one on the smallest store, one on it grown. */
async function compare(deployment: Deployment, size: Size, grown: string, samples: number): Promise<GrowthRow[]> {
  const servers = new Servers()
  const data = `${deployment.data}-${grown.replaceAll(/\W/g, '-')}`
  const smallData = `${data}-beside`
  try {
    cpSync(deployment.data, smallData, { recursive: true })
    cpSync(deployment.data, data, { recursive: true })
    growStore(data, size)
    const small = questionsOf(await deployment.at(smallData).serve(servers))
    const large = questionsOf(await deployment.at(data).serve(servers))
    const rows: GrowthRow[] = []
    for (const [index, { title, target, free }] of large.entries()) {
      const before = small[index]?.target
      if (!before) continue
      const [smallMs, grownMs] = await inTurns(before, target, samples)
      rows.push({ grown, title, smallMs, grownMs, ratio: grownMs / smallMs, promised: !free })
    }
    return rows
  } finally {
    await servers.stop()
    // A grown store is some gigabytes.
    for (const used of [smallData, data]) rmSync(used, { recursive: true, force: true })
  }
}

/** Calls of each before its time counts: compilers and caches have seen the task by then. */
const WARM_UP = 50

/** p50 of both in milliseconds: call by call, the first in turns, so that whatever else the machine does hits both alike. */
async function inTurns(one: Target, other: Target, samples: number): Promise<[number, number]> {
  const first = { target: one, taken: [] as number[] }
  const second = { target: other, taken: [] as number[] }
  for (let n = 0; n < WARM_UP + samples; n++) {
    for (const { target, taken } of n % 2 === 0 ? [first, second] : [second, first]) {
      const started = performance.now()
      await askOnce(target)
      if (n >= WARM_UP) taken.push(performance.now() - started)
    }
  }
  return [median(first.taken), median(second.taken)]
}

/** One line of the report as text. */
export function growthLine({ grown, title, smallMs, grownMs, ratio, promised }: GrowthRow): string {
  const verdict = !promised ? '      ' : ratio <= MOST ? 'met   ' : 'MISSED'
  return `${verdict}  ${ratio.toFixed(2).padStart(7)} ×  ${smallMs.toFixed(2)} → ${grownMs.toFixed(2)} ms  ${grown}: ${title}`
}
