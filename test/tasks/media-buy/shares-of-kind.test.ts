import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

type Delivery = 'guaranteed' | 'non_guaranteed'
const sold = (id: string, channel: 'display' | 'olv' | 'ctv', delivery_type: Delivery, keywords: string[]) =>
  productDocument(id, { name: id, description: id, channels: [channel], delivery_type }, { keywords })

let agent: MediaBuyAgent
let id: string
let before: Record<string, number>
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    sold('clip', 'olv', 'guaranteed', ['sports']),
    sold('bidclip', 'olv', 'non_guaranteed', ['sports']),
    sold('banner', 'display', 'guaranteed', ['sports']),
    // Not part of the plan: its words are others.
    sold('bidbanner', 'display', 'non_guaranteed', ['cooking']),
  ])
  const brief = { buying_mode: 'brief', brief: 'sports, USD 30,000' }
  const { proposals } = (await agent.buyer.call('get_products', brief)).data
  id = proposals[0].proposal_id
  before = sharesOf(proposals[0])
})
afterAll(() => agent?.stop())

// biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
const sharesOf = ({ allocations }: any): Record<string, number> =>
  Object.fromEntries(
    allocations.map((each: { product_id: string; allocation_percentage: number }) => [
      each.product_id,
      each.allocation_percentage,
    ]),
  )

async function asked(ask: string) {
  const refine = [{ scope: 'proposal', proposal_id: id, ask }]
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine })
  const [{ status, notes }] = data.refinement_applied
  return { status, notes, shares: sharesOf(data.proposals[0]) }
}

const GUARANTEED = ['clip', 'banner']
const sum = (shares: Record<string, number>, ids: readonly string[]) =>
  ids.reduce((total, each) => total + (shares[each] ?? 0), 0)

test('the plan has products of both kinds', () => {
  expect(Object.keys(before).toSorted()).toEqual(['banner', 'bidclip', 'clip'])
})

test.each([
  ['add 10% auction display', { bidbanner: 10 }],
  ['put 10% into programmatic display', { bidbanner: 10 }],
  ['20% guaranteed video', { clip: 20 }],
  ['20% of the budget to auction video', { bidclip: 20 }],
])('"%s" changes what is such, and drops nothing', async (ask, wanted) => {
  const { status, notes, shares } = await asked(ask)
  expect({ status, notes }).toMatchObject({ status: 'applied', notes: expect.not.stringMatching(/dropped|all of the plan/) })
  expect(shares).toMatchObject(wanted)
  for (const product of Object.keys(before)) expect(shares[product]).toBeGreaterThan(0)
})

test.each([
  ['half guaranteed, half auction', 50],
  ['at most 30% guaranteed', 30],
  ['40% programmatic', 60],
])('"%s" is a share of a kind: %d% guaranteed', async (ask, percent) => {
  const { status, shares } = await asked(ask)
  expect(status).toBe('applied')
  expect(sum(shares, GUARANTEED)).toBe(percent)
})

test('a share goes from one kind to the other', async () => {
  const { status, notes, shares } = await asked('shift 10 points from guaranteed to auction')
  expect({ status, notes }).toMatchObject({ status: 'applied', notes: expect.stringContaining('"guaranteed" gave 10 points') })
  expect(sum(shares, GUARANTEED)).toBe(sum(before, GUARANTEED) - 10)
})

test('a share that it has already is a limit that holds', async () => {
  expect(await asked('at least 20% guaranteed')).toMatchObject({ status: 'applied', shares: before })
})

test('"guaranteed only" still leaves the others out', async () => {
  expect(Object.keys((await asked('guaranteed only')).shares).toSorted()).toEqual(['banner', 'clip'])
})

test.each(['add 10% guaranteed podcast', 'guaranteed podcast', 'add 10% guaranteed CTV'])(
  '"%s" is not possible where there is none, and nothing is said to be done',
  async (ask) => {
    const { status, notes, shares } = await asked(ask)
    expect({ status, shares }).toEqual({ status: 'unable', shares: before })
    expect(notes).not.toContain('applied')
  },
)
