import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../tools/agent/postgres.ts'
import { aroundKey, declareAccount, deploy, purchases, type Served } from '../tools/measure/deployment.ts'
import { askOnce, Servers, type Subject } from '../tools/measure/subject.ts'
import { hasWrk } from '../tools/measure/wrk.ts'
import { obtainNode } from '../tools/runtime/other-node.ts'
import { type Measured, measure, median, type Rounds, ratio } from './measure.ts'
import { idleRss } from './our-agent.ts'
import { plainHttp } from './peers.ts'
import { newQuestion, repeatedQuestion } from './questions.ts'
import { type RawStatements, rawPostgres, rawSqlite } from './raw-statements.ts'

/** One way to run the server. */
export interface Variant {
  readonly engine: 'SQLite' | 'PostgreSQL'
  readonly workers: 1 | 2
  readonly node: string
  readonly idleRssMb: number
  /**
   * `get_products` repeated and with a new question each, a purchase with a new key each, and plain `node:http` of the same Node, in as many
   * processes, on the same bytes.
   */
  readonly products: Measured
  readonly question: Measured
  readonly purchase: Measured
  readonly plain: Measured
  /** The statements of a purchase alone on this engine; measured with one worker. */
  readonly raw: RawStatements | undefined
}

const AT_ONCE = 16
/** Products on a page, as many as the example seller of the SDK has. */
const PAGE = 4

/** Measures both engines with one and two workers, and Node 24; what cannot be had is said and left out. */
export async function measureVariants(folder: string, rounds: Rounds, say: (line: string) => void): Promise<Variant[]> {
  const variants: Variant[] = []
  if (!hasWrk()) say('no wrk here: a generator in JavaScript takes its place, and as much of the processor as a server')
  const node24 = obtainNode(24)
  if (typeof node24 === 'string') say(`no row for Node 24: ${node24}`)
  const postgres = await startPostgres()
  try {
    const own = { node: process.version, executable: process.execPath, environment: {} }
    const other = typeof node24 === 'string' ? [] : [{ node: node24.version, ...node24 }]
    for (const { node, executable, environment } of [own, ...other]) {
      for (const engine of ['SQLite', 'PostgreSQL'] as const) {
        const data = mkdtempSync(join(folder, 'variant-'))
        const name = `bench${variants.length}`
        const database = engine === 'PostgreSQL' ? await postgres.createDatabase(name) : undefined
        const deployment = await deploy({ data, database, node: executable, environment })
        // The other Node is there to show that it is no slower: one worker says it.
        for (const workers of node === process.version ? ([1, 2] as const) : ([1] as const)) {
          say(`${engine}, ${workers} ${workers === 1 ? 'worker' : 'workers'}, Node ${node}`)
          const servers = new Servers()
          try {
            const served = await deployment.serve(servers, workers)
            const idleRssMb = await idleRss(served)
            const subjects = await subjectsOf(served, servers, data, { executable, processes: workers })
            const [products, question, purchase, plain] = await measure(subjects, rounds, say)
            if (!products || !question || !purchase || !plain) throw new Error('a subject was not measured')
            await servers.stop()
            const raw = workers > 1 ? undefined : await rawOf(database, data, rounds)
            variants.push({ engine, workers, node, idleRssMb, products, question, purchase, plain, raw })
          } finally {
            await servers.stop()
          }
        }
      }
    }
    return variants
  } finally {
    await postgres.stop()
  }
}

function rawOf(database: string | undefined, data: string, { seconds }: Rounds): RawStatements | Promise<RawStatements> {
  if (database === undefined) return rawSqlite(join(data, 'sales-agent.sqlite'), AT_ONCE, seconds)
  return rawPostgres(database, AT_ONCE, seconds)
}

async function subjectsOf(
  served: Served,
  servers: Servers,
  folder: string,
  plain: { readonly executable: string; readonly processes: number },
): Promise<Subject[]> {
  const { url, headers, server } = served
  await declareAccount(served)
  const products = repeatedQuestion(served, 'get_products, one question repeated', PAGE)
  const question = newQuestion(served, 'get_products, a new question each', { id: 'get_products', maxResults: PAGE })
  const purchase: Subject = {
    id: 'create_media_buy',
    title: 'create_media_buy',
    server,
    target: { url, headers, ...purchases() },
    // The key of each is new, so none is a replay.
    written: { url, headers, body: aroundKey(), mark: '"media_buy_id":"mb_' },
  }
  await askOnce(purchase.target)
  return [products, question, purchase, await plainHttp(servers, folder, await askOnce(question.target), plain)]
}

/** The same subjects at other numbers of connections. */
export async function measureConnections(
  subjects: readonly Subject[],
  counts: readonly number[],
  rounds: Rounds,
  say: (line: string) => void,
): Promise<{ readonly connections: number; readonly measured: readonly Measured[] }[]> {
  const all = []
  for (const connections of counts) {
    say(`${connections} connections`)
    all.push({ connections, measured: await measure(subjects, { ...rounds, connections }, say) })
  }
  return all
}

/** Share of the limit that a purchase reaches: of the raw statements on its engine. */
export function shareOfRaw({ purchase, raw }: Variant): number | undefined {
  return raw && median(purchase.bursts.map(({ perSecond }) => perSecond)) / raw.perSecond
}

/** Share of plain `node:http`, in as many processes and on the same bytes, that a new question reaches. */
export function shareOfPlain({ question, plain }: Variant): number {
  return ratio(question, plain)
}
