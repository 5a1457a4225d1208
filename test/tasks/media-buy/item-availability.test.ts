import { expect, test } from 'vitest'
import { SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

test('item availability of a catalog is refused: what is dropped in silence would be shown although the buyer took it back', async () => {
  const agent = await startReleaseAgent()
  const key = { catalog_id: 'feed', catalog_generation: 'g1', item_id: 'sku-1' }
  const update = { ...key, expected_overlay_revision: 0, action: 'suppress', reason: 'out_of_stock' }
  try {
    const { data } = await agent.ask('3.2', 'sync_catalogs', { account: SUITE_ACCOUNT, item_availability_updates: [update] })
    expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'item_availability_updates' })
    const { data: query } = await agent.ask('3.2', 'sync_catalogs', { account: SUITE_ACCOUNT, item_availability_queries: [key] })
    expect(query.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'item_availability_queries' })
  } finally {
    await agent.stop()
  }
})
