import { randomUUID } from 'node:crypto'
import {
  ACCOUNT,
  aroundKey,
  type Deployment,
  declareAccount,
  isRefusal,
  mediaBuy,
  purchases,
  type Served,
} from '../tools/measure/deployment.ts'
import { askOnce, type Servers, type Subject, toolCall } from '../tools/measure/subject.ts'
import { newQuestion, repeatedQuestion } from './questions.ts'
import { signedPurchase } from './signed.ts'

/** A start is short, so one of three is off by whatever else the machine does. */
const STARTS = 3

/** Our rows, and how long each start took from process to `/readyz`. */
export interface OurAgent {
  /** `get_products` with a brief that was never asked before, at the page size of the SDK's example seller and at our own default. */
  readonly question: Subject
  readonly largeQuestion: Subject
  readonly repeated: Subject
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
  const subjects = await subjectsOf(served)
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

async function subjectsOf(served: Served): Promise<Omit<OurAgent, 'signedMediaBuy' | 'startsMs' | 'idleRssMb' | 'served'>> {
  const { server, url, headers } = served
  const mark = '"media_buy_id":"mb_'
  const bought = (reply: string) => reply.includes(mark) && !isRefusal(reply)
  const again = toolCall('create_media_buy', mediaBuy(randomUUID()))
  await askOnce({ url, headers, body: again, succeeded: bought })
  const replayed = (reply: string) => bought(reply) && reply.includes('"replayed":true')
  return {
    question: newQuestion(served, 'ours: get_products, a new question each (4 products)', { id: 'get_products', maxResults: 4 }),
    largeQuestion: newQuestion(served, 'ours: get_products, a new question each (default page)', { id: 'get_products_page' }),
    repeated: repeatedQuestion(served, 'ours: get_products, one question repeated (4 products)', 4),
    createMediaBuy: {
      id: 'create_media_buy',
      title: 'ours: create_media_buy, new key each',
      target: { url, headers, ...purchases() },
      written: { url, headers, body: aroundKey(), mark },
      server,
    },
    replay: {
      id: 'replay',
      title: 'ours: create_media_buy, replayed',
      target: { url, headers, body: again, succeeded: replayed },
      written: { url, headers, body: [again], mark: '"replayed":true' },
      server,
    },
  }
}
