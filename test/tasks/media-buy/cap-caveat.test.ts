import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { contracts, LINES } from '../../support/release-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const capped = productDocument('capped', {}, { targeting: { frequency_cap: true } })
  agent = await startMediaBuyAgent([productDocument('news'), capped], { contracts })
}, 120_000)
afterAll(() => agent?.stop())

const CAVEAT =
  /^Not part of products and proposals: the frequency cap \(targeting_overlay\.frequency_cap of each package; .* capped alone takes one\)\.$/

test.each(LINES)('a cap that no plan carries is named in each later answer, under AdCP %s', async (line) => {
  const ask = async (args: object) => {
    const { data, isError } = await agent.buyer.call('get_products', { adcp_version: line, ...args })
    expect(isError, JSON.stringify(data)).toBeFalsy()
    expect(data.ext?.notes ?? []).toContainEqual(expect.stringMatching(CAVEAT))
    return data.proposals.at(-1).proposal_id as string
  }
  const refine = (proposal_id: string, action: object) =>
    ask({ buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id, ...action }] })
  const first = await ask({ buying_mode: 'brief', brief: 'news and capped display, 20,000 USD, three a day' })
  const shown = await refine(first, { action: 'include' })
  expect(shown).toBe(first)
  const second = await refine(first, { action: 'include', ask: 'a budget of 25,000 USD' })
  const third = await refine(second, { action: 'include', ask: 'news to 60%' })
  const firm = await refine(third, { action: 'finalize' })
  const { packages: _packages, ...order } = {
    packages: undefined,
    proposal_id: firm,
    total_budget: { amount: 25_000, currency: 'USD' },
  }
  const bought = await agent.create({ adcp_version: line, packages: undefined, ...order })
  expect(bought.isError, JSON.stringify(bought.data)).toBeFalsy()
  const packages: { package_id: string; product_id: string }[] = bought.data.packages
  const able = packages.filter(({ product_id }) => product_id === 'capped').map(({ package_id }) => package_id)
  const names = `${able.map((id) => JSON.stringify(id)).join(', ')}; products that take none: news`
  expect(bought.data.ext.notes).toContain(
    `Not part of the order: the frequency cap. update_media_buy sets targeting_overlay.frequency_cap of ${names}.`,
  )
  const frequency_cap = { max_impressions: 3, per: 'devices', window: { interval: 1, unit: 'days' } }
  const { data, isError } = await agent.run('update_media_buy', {
    adcp_version: line,
    media_buy_id: bought.data.media_buy_id,
    packages: able.map((package_id) => ({ package_id, targeting_overlay: { frequency_cap } })),
  })
  expect(isError, JSON.stringify(data)).toBe(false)
})

test('a plan for a brief with a cap is made of what takes one, where that is a plan', async () => {
  const capped = (id: string) => productDocument(id, {}, { targeting: { frequency_cap: true } })
  const video = productDocument('clips', { channels: ['olv'] })
  const other = await startMediaBuyAgent([productDocument('news'), capped('capped'), capped('sports'), video], { contracts })
  try {
    const plans = async (brief: string) =>
      (await other.buyer.call('get_products', { buying_mode: 'brief', brief })).data.proposals.at(-1)
    const idsOf = ({ allocations }: { allocations: { product_id: string }[] }) => allocations.map(({ product_id }) => product_id)
    const brief = 'news, sports and capped display, 20,000 USD'
    expect(idsOf(await plans(brief))).toContain('news')
    const plan = await plans(`${brief}, three a day`)
    expect(idsOf(plan).toSorted()).toEqual(['capped', 'sports'])
    expect(plan.ext.targeting_overlay.frequency_cap).toMatchObject({ max_impressions: 3 })
    // A medium that the brief names is not given up for the cap.
    expect(idsOf(await plans('clips, sports and capped, video and display, 20,000 USD, three a day'))).toContain('clips')
  } finally {
    await other.stop()
  }
})

test('a cap that all products of a plan take is carried, and no caveat says otherwise', async () => {
  const refine = async (proposal_id: string, ask: string) => {
    const entry = { scope: 'proposal', proposal_id, action: 'include', ask }
    const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine: [entry] })
    return data
  }
  const { data } = await agent.buyer.call('get_products', {
    buying_mode: 'brief',
    brief: 'news and capped display, 20,000 USD, frequency cap',
  })
  const alone = await refine(data.proposals.at(-1).proposal_id, 'drop news; three a day')
  expect(alone.proposals[0].ext.targeting_overlay.frequency_cap).toMatchObject({ max_impressions: 3 })
  expect(alone.proposals[0].ext).not.toHaveProperty('not_carried')
  expect((alone.ext.notes as string[]).join()).not.toContain('Not part of products and proposals')
})

test.each(LINES.filter((line) => line !== '3.2'))(
  'what was asked for a part of a plan is named in the answer to its order, under AdCP %s',
  async (adcp_version) => {
    const part = '3 a day on display only'
    const products = [
      productDocument('capped', {}, { targeting: { frequency_cap: true } }),
      productDocument('clips', { channels: ['olv'] }, { targeting: { frequency_cap: true } }),
    ]
    const other = await startMediaBuyAgent(products, { contracts })
    try {
      const get = async (args: object) => (await other.buyer.call('get_products', { adcp_version, ...args })).data
      const brief = await get({ buying_mode: 'brief', brief: 'capped display and clips video, 20,000 USD, five a day' })
      const refine = async (proposal_id: string, entry: object) => {
        const data = await get({ buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id, ...entry }] })
        return data.proposals[0]
      }
      const asked = await refine(brief.proposals.at(-1).proposal_id, { action: 'include', ask: `less display, ${part}` })
      expect(asked.ext.not_carried).toEqual([part])
      const more = await refine(asked.proposal_id, { action: 'include', ask: 'a budget of 15,000 USD' })
      const firm = await refine(more.proposal_id, { action: 'finalize' })
      const order = { proposal_id: firm.proposal_id, total_budget: { amount: 15_000, currency: 'USD' } }
      const { data } = await other.create({ adcp_version, packages: undefined, ...order })
      expect(data.ext?.notes, JSON.stringify(data)).toEqual([
        `Not part of the order: "${part}", asked for a part of its proposal. update_media_buy sets targeting_overlay of packages.`,
      ])
    } finally {
      await other.stop()
    }
  },
)

test.runIf(LINES.includes('3.2'))('what was asked for a part of terms is named in the answer to their acceptance', async () => {
  const part = '3 a day on display only'
  const products = ['capped', 'clips'].map((id) =>
    productDocument(id, { channels: [id === 'clips' ? 'olv' : 'display'] }, { targeting: { frequency_cap: true } }),
  )
  const other = await startMediaBuyAgent(products, { contracts })
  try {
    const run = async (task: string, args: object) => {
      const { data, isError } = await other.run(task, { adcp_version: '3.2', account: undefined, ...args })
      expect(isError, JSON.stringify(data)).toBeFalsy()
      return data
    }
    const brief = { brief: 'capped display and clips video, 20,000 USD, five a day', brand: { domain: 'brand.example' } }
    const [draft] = (await run('request_proposals', brief)).proposals
    const revise = async (proposal_id: string, ask: string) =>
      (await run('refine_proposals', { refinements: [{ proposal_id, action: 'revise', ask }] })).results[0].proposals[0]
    const revised = await revise(draft.proposal_id, `less display, ${part}`)
    const { proposal_id } = await revise(revised.proposal_id, 'a budget of 15,000 USD')
    const [{ proposal }] = (await run('refine_proposals', { refinements: [{ proposal_id, action: 'finalize' }] })).results
    const accepted = await run('accept_proposal', {
      account: ACCOUNT,
      proposal_id: proposal.proposal_id,
      proposal_terms_digest: proposal.terms_digest,
    })
    expect(accepted.ext?.notes, JSON.stringify(accepted)).toEqual([
      `Not part of the order: "${part}", asked for a part of its proposal. update_media_buy sets targeting_overlay of packages.`,
    ])
  } finally {
    await other.stop()
  }
})
