import { randomUUID } from 'node:crypto'
import type { Child } from '../tools/agent/child.ts'
import { ACCOUNT, type Deployment, declareAccount, isRefusal, mediaBuy, purchases, type Served } from './deployment.ts'
import { signedPurchase } from './signed.ts'
import { askOnce, type Servers, type Subject, type Target, toolCall } from './subject.ts'

/** A start is short, so one of three is off by whatever else the machine does. */
const STARTS = 3

/** Our rows, and how long each start took from process to `/readyz`. */
export interface OurAgent {
  readonly getProducts: Subject
  readonly compactProducts: Subject
  readonly createMediaBuy: Subject
  readonly signedMediaBuy: Subject
  readonly replay: Subject
  readonly startsMs: readonly number[]
  /** Resident memory before the first request. */
  readonly idleRssMb: number
  readonly served: Served
}

/** The built server on a fresh demo store, as a publisher runs it. `folder` keeps the key of the buyer that signs. */
export async function ourAgent(servers: Servers, deployment: Deployment, folder: string): Promise<OurAgent> {
  const startsMs: number[] = []
  let served = await deployment.serve(servers)
  while (startsMs.push(served.server.startMs) < STARTS) {
    await served.server.end()
    served = await deployment.serve(servers)
  }
  const idleRssMb = await idleRss(served)
  await declareAccount(served)
  const subjects = await subjectsOf(served.server, served.url, served.headers)
  const { body, succeeded } = subjects.createMediaBuy.target
  const signedMediaBuy = await signedPurchase({
    folder,
    server: served.server,
    url: served.url,
    cli: deployment.cli,
    account: { ...ACCOUNT, billing: 'operator' },
    body: typeof body === 'string' ? () => body : body,
    succeeded,
  })
  return { ...subjects, signedMediaBuy, startsMs, idleRssMb, served }
}

/** Resident memory in MB of a server that nobody has asked anything, once its start has settled. */
export async function idleRss({ server }: Served): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return server.rssBytes() / 1e6
}

async function subjectsOf(
  server: Child,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Pick<OurAgent, 'getProducts' | 'compactProducts' | 'createMediaBuy' | 'replay'>> {
  const ask = (body: Target['body'], succeeded: Target['succeeded']): Target => ({ url, headers, body, succeeded })
  const brief = { buying_mode: 'brief', brief: 'video for coffee drinkers', pagination: { max_results: 4 } }
  const found = (reply: string) => reply.includes('"product_id"') && !isRefusal(reply)
  const products = ask(toolCall('get_products', brief), found)
  const compact = ask(toolCall('get_products', { ...brief, fields: ['channels'] }), found)

  const create: Target = { url, headers, ...purchases() }
  const bought = (reply: string) => reply.includes('"media_buy_id"') && !isRefusal(reply)
  const again = toolCall('create_media_buy', mediaBuy(randomUUID()))
  await askOnce(ask(again, bought))
  const replayed = ask(again, (reply) => bought(reply) && reply.includes('"replayed":true'))
  return {
    getProducts: {
      id: 'get_products',
      title: 'ours: get_products, one question repeated (answered from memory)',
      target: products,
      server,
    },
    compactProducts: {
      id: 'get_products_compact',
      title: 'ours: get_products, repeated, required fields only',
      target: compact,
      server,
    },
    createMediaBuy: { id: 'create_media_buy', title: 'ours: create_media_buy, new key each', target: create, server },
    replay: { id: 'replay', title: 'ours: create_media_buy, replayed', target: replayed, server },
  }
}
