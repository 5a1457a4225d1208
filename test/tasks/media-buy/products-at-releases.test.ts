import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, contracts: loadContracts() })
})
afterAll(() => agent.stop())

describe('get_products of callers that name a release', () => {
  it('answers a search with rows at every release, and all that a product has where it is named', async () => {
    for (const adcp_version of ['3.0', '3.1', '3.2']) {
      const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'outdoor video', adcp_version })
      expect(data.products).toHaveLength(5)
      for (const row of data.products) {
        expect(row.format_options.length).toBeGreaterThan(0)
        for (const name of ['forecast', 'measurement_terms', 'performance_standards']) expect(row).not.toHaveProperty(name)
      }
      expect(JSON.stringify(data).length).toBeLessThan(20_000)
      const { product_id } = data.products[0]
      const refine = [{ scope: 'product', product_id, action: 'include' }]
      const named = await agent.buyer.call('get_products', { buying_mode: 'refine', refine, adcp_version })
      expect(named.data.products[0]).toMatchObject({ forecast: expect.anything(), performance_standards: expect.anything() })
    }
  })

  it('lists members in fields that no release enumerates, and refuses what is no member', async () => {
    for (const adcp_version of ['3.0', '3.1', '3.2']) {
      const asked = { buying_mode: 'brief', brief: 'outdoor video', adcp_version }
      const { data } = await agent.buyer.call('get_products', { ...asked, fields: ['measurement_terms', 'cancellation_policy'] })
      expect(data.products[0], adcp_version).toMatchObject({
        measurement_terms: expect.anything(),
        cancellation_policy: expect.anything(),
      })
      const wrong = await agent.buyer.call('get_products', { ...asked, fields: ['colour'] })
      expect(wrong.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'fields[0]' })
    }
  })
})
