import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProductRanking, RankingCandidate } from '../../src/domain/product/ranking-port.ts'
import { checkedRanking, type FallbackReason, withFallback } from '../../src/features/connections/product-ranking.ts'
import { createLog } from '../../src/platform/log.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'own-ranking-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The parts of an answer that these tests read. */
interface Found {
  readonly products: readonly {
    readonly product_id: string
    readonly brief_relevance?: string
    readonly pricing_options: readonly object[]
  }[]
  readonly proposals?: readonly { readonly allocations: readonly { readonly product_id: string }[] }[]
}

const account = { brand: { domain: 'b.example' }, operator: 'o.example' }

describe('the ranking of the documentation', () => {
  let agent: TestAgent
  let buyer: Awaited<ReturnType<TestAgent['buyerOn']>>
  beforeAll(async () => {
    const [, code = ''] =
      /<!-- ranking:start -->\n```js\n([\s\S]+?)```\n<!-- ranking:end -->/.exec(readFileSync('docs/own-systems.md', 'utf8')) ?? []
    const [module, file] = [join(folder, 'ranking.mjs'), join(folder, 'favourites.json')]
    writeFileSync(module, code)
    writeFileSync(file, JSON.stringify({ marathon: ['sport_display', 'audio_focus_playlists', 'not_there'] }))
    const flags = { 'connect.ranking.module': module, 'connect.ranking.options': { file } }
    agent = await startAgent({ demo: true, flags })
    buyer = await agent.buyerOn(account, { principal: 'live', sandbox: false })
  })
  afterAll(() => agent?.stop())

  async function ask(filters?: object): Promise<Found> {
    const { data } = await buyer.call('get_products', {
      buying_mode: 'brief',
      brief: 'Marathon shoes',
      ...(filters && { filters }),
    })
    return data as unknown as Found
  }

  it('decides the order and gives reasons', async () => {
    const { products, proposals = [] } = await ask()
    expect(products.slice(0, 2).map(({ product_id, brief_relevance }) => [product_id, brief_relevance])).toEqual([
      ['sport_display', 'Recommended for marathon.'],
      ['audio_focus_playlists', 'Recommended for marathon.'],
    ])
    expect(products).toHaveLength(8)
    expect(proposals.at(-1)?.allocations.map(({ product_id }) => product_id)).toContain('sport_display')
  })

  it('adds nothing that filters or rights leave out, and sees and changes no price', async () => {
    const { products } = await ask({ channels: ['streaming_audio'] })
    expect(products[0]?.product_id).toBe('audio_focus_playlists')
    expect(products.map(({ product_id }) => product_id)).not.toContain('sport_display')
    expect(products[0]?.pricing_options.length).toBeGreaterThan(1)
  })
})

const never = (): Promise<unknown> => new Promise<unknown>(() => {})
const failing = async (): Promise<unknown> => {
  throw new Error('no model')
}

const product = (productId: string): RankingCandidate => ({
  ...{ productId, name: productId, description: '', channels: [], deliveryType: 'guaranteed' },
  ...{ keywords: [], audiences: [], formatIds: [] },
})
const products = ['a', 'b'].map((id) => product(id))

const CASES: readonly (readonly [reason: FallbackReason, answer: () => unknown, timeoutMs: number])[] = [
  ['timeout', never, 60],
  ['error', failing, 1_000],
  ['error', () => 'a text', 1_000],
  ['error', () => [{ productId: 'a', score: 7 }], 1_000],
  ['empty', () => [{ productId: 'stranger' }], 1_000],
]

describe('a ranking that gives no answer', () => {
  const call = async <T>(_method: string, work: () => Promise<unknown>, read: (answer: unknown) => T) => read(await work())
  function ranking(rank: (question: { readonly signal: AbortSignal }) => unknown, timeoutMs = 1_000) {
    const reasons: string[] = []
    const lines: string[] = []
    const inner = { name: 'own', description: '', rank } as ProductRanking
    const log = createLog('info', { write: (line: string) => void lines.push(line) })
    return {
      reasons,
      lines,
      ...withFallback(checkedRanking(inner, call), { timeoutMs, log, fellBack: (reason) => reasons.push(reason) }),
    }
  }

  it.each(CASES)('leaves it to the own one: %s', async (reason, answer, timeoutMs) => {
    const { rank: ask, reasons, lines } = ranking(answer, timeoutMs)
    expect(await ask({ brief: 'x', products })).toBeUndefined()
    expect(reasons).toEqual([reason])
    expect(lines.join('')).toContain('the ranking of this program answers')
  })

  it('is told when its time is over, and is not asked beyond what waits', async () => {
    let aborted = 0
    const { rank, reasons } = ranking(({ signal }) => {
      signal.addEventListener('abort', () => aborted++)
      return never()
    }, 60)
    await Promise.all(Array.from({ length: 70 }, (_, index) => rank({ brief: `${index}`, products })))
    expect(reasons.filter((reason) => reason === 'busy')).toHaveLength(6)
    expect(aborted).toBe(64)
  })

  it('answers once for a question, with each product once', async () => {
    let asked = 0
    const { rank } = ranking(() => {
      asked++
      return [{ productId: 'b', score: 0.5, reason: 'r'.repeat(600) }, { productId: 'a' }, { productId: 'b' }]
    })
    const first = await rank({ brief: 'x', products })
    expect(first?.map(({ productId, reason }) => [productId, reason?.length])).toEqual([
      ['b', 500],
      ['a', undefined],
    ])
    expect(await rank({ brief: 'x', products })).toBe(first)
    expect(asked).toBe(1)
  })
})
