import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const account = { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example' }
const BRIEF = 'Premium video and display across outdoor lifestyle and sports. $50K budget. Adults 25-54, US and Canada.'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, sandbox: true })
  const accounts = [{ ...account, billing: 'operator' }]
  await agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts })
})
afterAll(() => agent.stop())

const ids = (data: { products: { product_id: string }[] }) => data.products.map((product) => product.product_id)

/** Calls that must succeed give their payload. */
async function products(args: object, client = agent.buyer) {
  const reply = await client.call('get_products', args)
  expect(reply.isError, JSON.stringify(reply.data)).toBe(false)
  return reply.data
}

const refine = (...entries: object[]) => products({ buying_mode: 'refine', refine: entries, account })

describe('buying_mode brief', () => {
  it('ranks products and says why', async () => {
    const data = await products({ buying_mode: 'brief', brief: 'Connected TV for outdoor lifestyle, $25K, US', account })
    expect(ids(data)[0]).toBe('ctv_outdoor_documentaries')
    expect(data.products[0].brief_relevance).toMatch(/outdoor.*lifestyle|lifestyle.*outdoor/)
    expect(data.products[0].brief_relevance).toContain('25000 USD')
  })

  it('formats carry this agent as their owner', async () => {
    const data = await products({ buying_mode: 'brief', brief: BRIEF })
    expect(data.products[0].format_ids[0].agent_url).toBe(agent.url)
  })

  it('answers words it does not know with all products', async () => {
    const data = await products({ buying_mode: 'brief', brief: 'zzz' })
    expect(data.pagination.total_count).toBeGreaterThan(40)
    expect(data.products[0].brief_relevance).toMatch(/nothing/)
  })

  it('answers with the best 8, says how many there are, and gives the rest page by page', async () => {
    const asked = { buying_mode: 'brief', brief: 'outdoor video' }
    const first = await products(asked)
    expect(first.products).toHaveLength(8)
    expect(first.pagination).toMatchObject({ has_more: true, total_count: expect.any(Number) })
    const ids = new Set(first.products.map(({ product_id }: { product_id: string }) => product_id))
    for (const { product_id } of first.proposals.flatMap(({ allocations }: { allocations: object[] }) => allocations)) {
      expect([...ids]).toContain(product_id)
    }
    for (let { pagination } = first; pagination.has_more; ) {
      const next = await products({ ...asked, pagination: { cursor: pagination.cursor } })
      expect(next).not.toHaveProperty('proposals')
      for (const { product_id } of next.products) {
        expect([...ids]).not.toContain(product_id)
        ids.add(product_id)
      }
      pagination = next.pagination
    }
    expect(ids.size).toBe(first.pagination.total_count)
  })

  it('shows rows; a product that is named shows all that it has', async () => {
    const { products: rows } = await products({ buying_mode: 'brief', brief: 'outdoor video' })
    const [{ product_id, reporting_capabilities }] = rows
    for (const row of rows)
      for (const name of ['forecast', 'measurement_terms', 'performance_standards']) expect(row).not.toHaveProperty(name)
    expect(reporting_capabilities).not.toHaveProperty('measurement_windows')
    const refine = [{ scope: 'product', product_id, action: 'include' }]
    const { products: whole } = await products({ buying_mode: 'refine', refine })
    const named = whole.find((each: { product_id: string }) => each.product_id === product_id)
    expect(named).toMatchObject({ forecast: expect.any(Object), cancellation_policy: expect.any(Object) })
    expect(named.reporting_capabilities).toHaveProperty('measurement_windows')
  })

  it('prefers a delivery type without ruling the other out', async () => {
    const first = async (type: string) =>
      (await products({ buying_mode: 'brief', brief: 'display on outdoor sites', preferred_delivery_types: [type] })).products[0]
        .delivery_type
    expect([await first('guaranteed'), await first('non_guaranteed')]).toEqual(['guaranteed', 'non_guaranteed'])
  })

  it.each([
    ['a brief in mode brief', { buying_mode: 'brief' }, 'brief'],
    ['refine in mode refine', { buying_mode: 'refine' }, 'refine'],
    ['no refine in mode brief', { buying_mode: 'brief', brief: 'x', refine: [{ scope: 'request', ask: 'y' }] }, 'refine'],
  ])('demands %s', async (_name, args, field) => {
    const reply = await agent.buyer.call('get_products', args)
    expect(reply.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field })
  })
})

describe('buying_mode wholesale', () => {
  it('lists all products in the publisher’s order, without proposals or relevance', async () => {
    const data = await products({ buying_mode: 'wholesale' })
    expect(data.pagination).toMatchObject({ has_more: false, total_count: data.products.length })
    expect(data.proposals).toBeUndefined()
    expect(data.products.some((product: object) => 'brief_relevance' in product)).toBe(false)
    expect(ids(data)[0]).toBe('ros_display')
  })

  it('shows only prices in currencies that the buyer can pay in', async () => {
    const currencies = (data: { products: { pricing_options: { currency: string }[] }[] }) =>
      new Set(data.products.flatMap(({ pricing_options }) => pricing_options.map(({ currency }) => currency)))
    const all = await products({ buying_mode: 'wholesale' })
    expect([...currencies(all)].sort()).toEqual(['EUR', 'GBP', 'USD'])
    const euro = await products({ buying_mode: 'wholesale', filters: { pricing_currencies: ['EUR', 'CHF'] } })
    expect([...currencies(euro)]).toEqual(['EUR'])
    expect(euro.products.length).toBeLessThan(all.products.length)
    const none = await products({ buying_mode: 'wholesale', filters: { pricing_currencies: ['CHF'] } })
    expect(none.products).toEqual([])
  })

  it('pages without gaps or repeats, and refuses a cursor of another query', async () => {
    const all = ids(await products({ buying_mode: 'wholesale' }))
    expect(ids(await products({ buying_mode: 'wholesale', brief: 'sailing' }))).toEqual(all)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const data = await products({ buying_mode: 'wholesale', pagination: { max_results: 7, ...(cursor && { cursor }) } })
      seen.push(...ids(data))
      cursor = data.pagination.cursor
      expect(data.pagination.has_more).toBe(cursor !== undefined)
    } while (cursor !== undefined && seen.length < 200)
    expect(seen).toEqual(all)
    const first = await products({ buying_mode: 'wholesale', pagination: { max_results: 7 } })
    const foreign = await agent.buyer.call('get_products', {
      buying_mode: 'wholesale',
      filters: { channels: ['ctv'] },
      pagination: { max_results: 7, cursor: first.pagination.cursor },
    })
    expect(foreign.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
  })

  it('declares every format and placement as clients of later releases need them', async () => {
    const { products: plain } = await products({ buying_mode: 'wholesale' })
    for (const product of plain) expect(product).not.toHaveProperty('format_options')
    const { products: listed } = await products({ buying_mode: 'wholesale', adcp_major_version: 3 })
    for (const product of listed) {
      const options = product.format_options.map((option: { format_option_id: string }) => option.format_option_id)
      expect(options, product.product_id).toEqual(product.format_ids.map(({ id }: { id: string }) => id))
      for (const placement of product.placements ?? []) {
        expect(placement, product.product_id).toMatchObject({ kind: 'seller_inline', mode: 'targetable' })
      }
    }
    expect(listed.some((product: { placements?: object[] }) => product.placements)).toBe(true)
  })

  it('sends only the fields asked for and those that the schema requires', async () => {
    const { products: listed } = await products({ buying_mode: 'wholesale', fields: ['product_id', 'channels'] })
    expect(Object.keys(listed[0]).toSorted()).toEqual(
      [
        'channels',
        'delivery_type',
        'description',
        'format_ids',
        'name',
        'pricing_options',
        'product_id',
        'publisher_properties',
        'reporting_capabilities',
      ].toSorted(),
    )
  })

  it('applies filters, policies and property lists as it says', async () => {
    const data = await products({
      buying_mode: 'wholesale',
      filters: { channels: ['ctv'], delivery_type: 'guaranteed', budget_range: { max: 3000, currency: 'USD' } },
      property_list: { agent_url: 'https://lists.example', list_id: 'l1' },
    })
    expect(ids(data).sort()).toEqual(['ctv_family_weekend', 'outdoor_ctv_q2'])
    expect(data.property_list_applied).toBe(false)
    expect(data.errors[0]).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'property_list' })
    expect(ids(await products({ buying_mode: 'wholesale', required_policies: ['no-such-policy'] }))).toEqual([])
  })
})

describe('buying_mode refine', () => {
  it('answers each entry by position', async () => {
    const data = await refine(
      { scope: 'request', ask: 'Only guaranteed packages. Must include completion rate SLA above 80%.' },
      { scope: 'product', product_id: 'sports_preroll_q2', ask: 'Increase budget allocation to $30K' },
      { scope: 'product', product_id: 'outdoor_lifestyle_video', action: 'omit' },
    )
    expect(data.refinement_applied).toMatchObject([
      { scope: 'request', status: 'applied' },
      { scope: 'product', product_id: 'sports_preroll_q2', status: 'applied' },
      { scope: 'product', product_id: 'outdoor_lifestyle_video', status: 'applied' },
    ])
    expect(ids(data)[0]).toBe('sports_preroll_q2')
    expect(ids(data)).not.toContain('outdoor_lifestyle_video')
    expect(data.products[0].forecast.points[0]).toMatchObject({ budget: 30000 })
    expect(data.products.every((product: { delivery_type: string }) => product.delivery_type === 'guaranteed')).toBe(true)
  })

  it('refuses an entry about a product that is not offered, by its position', async () => {
    const entries = [
      { scope: 'request', ask: 'Only guaranteed packages.' },
      { scope: 'product', product_id: 'premium_sports', action: 'omit' },
    ]
    const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine: entries })
    expect(data.adcp_error).toMatchObject({
      code: 'PRODUCT_NOT_FOUND',
      field: 'refine[1].product_id',
      message: expect.stringMatching(/"premium_sports" is no product .*nearest: .*sports_preroll_q2/),
    })
  })

  it('finds more like a product', async () => {
    const data = await refine({
      scope: 'product',
      product_id: 'podcast_trail_notes_midroll',
      action: 'more_like_this',
      ask: 'other podcasts',
    })
    expect(ids(data)[0]).toBe('podcast_trail_notes_midroll')
    expect(
      ids(data)
        .slice(1, 4)
        .every((id) => id.startsWith('podcast_')),
    ).toBe(true)
  })

  it('refuses a condition that nothing meets instead of answering nothing', async () => {
    const data = await refine({ scope: 'request', ask: 'CPM below $0.01' })
    expect(data.refinement_applied[0].status).toBe('unable')
    expect(data.products.length).toBeGreaterThan(0)
  })
})

describe('proposals', () => {
  const total = (proposal: { allocations: { allocation_percentage: number }[] }) =>
    proposal.allocations.reduce((sum, allocation) => sum + allocation.allocation_percentage, 0)

  it('come with a brief: the plans of the publisher that fit, then one made of the best products', async () => {
    const data = await products({ buying_mode: 'brief', brief: BRIEF, account })
    expect(data.proposals.map((p: { proposal_id: string }) => p.proposal_id)).toEqual([
      'balanced_reach_q2',
      expect.stringMatching(/^draft_/),
    ])
    for (const proposal of data.proposals) {
      expect(total(proposal)).toBe(100)
      expect(proposal).toMatchObject({ proposal_status: 'draft', total_budget_guidance: { currency: 'USD' } })
      for (const { product_id } of proposal.allocations) expect(ids(data)).toContain(product_id)
    }
  })

  it('change by an ask into a draft of its own id, and become firm when finalized', async () => {
    const refined = await refine(
      {
        scope: 'proposal',
        proposal_id: 'balanced_reach_q2',
        ask: 'Shift 60% of budget to CTV. Drop the display product and redistribute that budget to video.',
      },
      { scope: 'request', ask: 'All products must support frequency capping at 3 per day.' },
    )
    expect(refined.refinement_applied).toMatchObject([
      { status: 'applied', proposal_id: 'balanced_reach_q2' },
      // That products can be capped is no cap.
      { status: 'applied', notes: expect.stringContaining('this ask sets none: send targeting_overlay.frequency_cap') },
    ])
    expect(
      refined.proposals[0].allocations.map((a: { product_id: string; allocation_percentage: number }) => [
        a.product_id,
        a.allocation_percentage,
      ]),
    ).toEqual([
      ['ctv_outdoor_documentaries', 60],
      ['outdoor_lifestyle_video', 40],
    ])
    expect(refined.products[0].format_ids[0].id).toBeDefined()

    const id = refined.proposals[0].proposal_id
    expect(id).not.toBe('balanced_reach_q2')
    expect(refined.refinement_applied[0].notes).toContain(`now proposal ${id}`)
    const finalized = await refine({ scope: 'proposal', proposal_id: id, action: 'finalize' })
    expect(finalized.proposals[0]).toMatchObject({ proposal_status: 'committed', insertion_order: { requires_signature: false } })
    expect(Date.parse(finalized.proposals[0].expires_at)).toBeGreaterThan(Date.now())
    expect(finalized.proposals[0].allocations).toEqual(refined.proposals[0].allocations)
  })

  it('never get other terms under one id: what is refined stays as it was, draft or firm', async () => {
    const shown = async (proposal_id: string, more: object = {}) =>
      (await refine({ scope: 'proposal', proposal_id, ...more })).proposals[0]
    const source = await shown('balanced_reach_q2')
    const refined = await shown('balanced_reach_q2', { ask: 'drop the display product' })
    expect(await shown('balanced_reach_q2', { ask: 'drop the display product' })).toMatchObject({
      proposal_id: refined.proposal_id,
      allocations: refined.allocations,
    })
    expect((await shown('balanced_reach_q2')).allocations).toEqual(source.allocations)
    const firm = await shown(refined.proposal_id, { action: 'finalize' })
    const again = await shown(refined.proposal_id, { ask: 'reduce total by 10%' })
    expect(again.proposal_id).not.toBe(firm.proposal_id)
    expect(again.proposal_status).toBe('draft')
    expect(await shown(firm.proposal_id)).toEqual(firm)
    const theirs = { scope: 'proposal', proposal_id: refined.proposal_id }
    const other = agent.client(await agent.addBuyer({ tenant: agent.tenant, principal: 'stranger' }))
    expect((await other.call('get_products', { buying_mode: 'refine', refine: [theirs] })).data.adcp_error.code).toBe(
      'PROPOSAL_NOT_FOUND',
    )
  })

  it('generated drafts can be named again, refined and finalized by the id alone', async () => {
    const data = await products({ buying_mode: 'brief', brief: 'commuters audio and podcast, $20K, US', account })
    const id = data.proposals.at(-1).proposal_id
    expect(id).toMatch(/^draft_/)
    const again = await refine({ scope: 'proposal', proposal_id: id })
    expect(again.proposals[0].allocations.map((a: { product_id: string }) => a.product_id)).toEqual(
      data.proposals.at(-1).allocations.map((a: { product_id: string }) => a.product_id),
    )
    const firm = await refine({ scope: 'proposal', proposal_id: id, action: 'finalize' })
    expect(firm.proposals[0]).toMatchObject({ proposal_id: id, proposal_status: 'committed' })
  })

  it('of another agent, unknown or omitted are not shown', async () => {
    const other = agent.client(await agent.addBuyer({ tenant: agent.tenant, principal: 'other' }))
    await refine({ scope: 'proposal', proposal_id: 'morning_commute', ask: 'drop the podcast' })
    const theirs = await products(
      { buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id: 'morning_commute' }] },
      other,
    )
    expect(theirs.proposals[0].allocations).toHaveLength(3)
    const omitted = await refine({ scope: 'proposal', proposal_id: 'balanced_reach_q2', action: 'omit' })
    expect(omitted.proposals).toEqual([])
    expect(omitted.refinement_applied.map((o: { status: string }) => o.status)).toEqual(['applied'])
  })

  it.each([
    ['include', [{ scope: 'product', product_id: 'ros_display', action: 'include' }]],
    // Finalizing goes with nothing else.
    ['finalize', []],
  ])('refuses to %s an unknown one', async (action, before) => {
    const request = [...before, { scope: 'proposal', proposal_id: 'draft_AAAA', action }]
    const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine: request })
    expect(data.adcp_error).toMatchObject({
      code: 'PROPOSAL_NOT_FOUND',
      field: `refine[${before.length}].proposal_id`,
      recovery: 'correctable',
    })
  })
})

describe('without credentials', () => {
  const nobody = () => agent.client(undefined)

  it.each([
    ['brief', { buying_mode: 'brief', brief: BRIEF }],
    ['wholesale', { buying_mode: 'wholesale' }],
    [
      'refine',
      {
        buying_mode: 'refine',
        refine: [
          { scope: 'request', ask: 'display $5K' },
          { scope: 'proposal', proposal_id: 'balanced_reach_q2' },
        ],
      },
    ],
  ])('%s shows standard products and no price of any kind', async (_mode, args) => {
    const data = await products(args, nobody())
    expect(data.products.length).toBeGreaterThan(0)
    expect(ids(data)).not.toContain('trailhead_season_sponsorship')
    expect(ids(data)).not.toContain('test-product')
    const text = JSON.stringify(data)
    for (const word of [
      'fixed_price',
      'floor_price',
      'price_guidance',
      'min_spend',
      'max_bid',
      '"spend":{',
      '"budget":',
      'cancellation_fee',
      'is_custom',
    ]) {
      expect(text).not.toContain(word)
    }
    for (const product of data.products)
      for (const option of product.pricing_options)
        expect(
          Object.keys(option).filter((key) => !['pricing_option_id', 'pricing_model', 'currency', 'parameters'].includes(key)),
        ).toEqual([])
    expect(data.proposals ?? []).toEqual([])
  })
})

describe('a product that is exclusive to an agent', () => {
  it('is seen by that agent alone', async () => {
    const { seedProduct } = await import('../../../src/store/product/seeded-products.ts')
    const { suiteProduct } = await import('../../../src/domain/product/seed-product.ts')
    const seeded = {
      ...suiteProduct,
      product_id: 'only-mine',
      name: 'Only mine',
      selling: { ...suiteProduct.selling, visibility: 'custom' as const, exclusive_to: ['demo-buyer'] },
    }
    await agent.server.store.transaction((tx) => seedProduct(tx, agent.tenant, '', seeded, new Date()))
    const other = agent.client(await agent.addBuyer({ tenant: agent.tenant, principal: 'third' }))
    expect(ids(await products({ buying_mode: 'wholesale' }))).toContain('only-mine')
    expect(ids(await products({ buying_mode: 'wholesale' }, other))).not.toContain('only-mine')
    expect(ids(await products({ buying_mode: 'wholesale' }, other))).not.toContain('test-product')
  })
})

describe('answers that are kept', () => {
  const ask = (client = agent.buyer, more: object = {}) =>
    products({ buying_mode: 'brief', brief: 'kept answers on outdoor display', ...more }, client)

  it('are the same for the same question, with the context of each', async () => {
    const first = await ask(agent.buyer, { context: { n: 1 } })
    const second = await ask(agent.buyer, { context: { n: 2 } })
    expect([first.context, second.context]).toEqual([{ n: 1 }, { n: 2 }])
    expect(second.products).toEqual(first.products)
  })

  it('never go to another caller', async () => {
    const priced = await ask()
    const anonymous = await ask(agent.client())
    expect(JSON.stringify(priced)).toContain('fixed_price')
    expect(JSON.stringify(anonymous)).not.toMatch(/fixed_price|floor_price|price_guidance/)
  })

  it('end with the products that they were made of', async () => {
    const before = await ask()
    await agent.buyer.call('comply_test_controller', {
      scenario: 'seed_product',
      params: { product_id: 'kept_outdoor', fixture: { name: 'Kept answers outdoor display', channels: ['display'] } },
    })
    const after = await ask()
    expect(ids(before)).not.toContain('kept_outdoor')
    expect(ids(after)).toContain('kept_outdoor')
  })
})
