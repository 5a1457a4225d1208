import { createTestClient } from '@adcp/sdk/testing'

/** The id under which the one task of the fuzzing run is known. */
const TASK_ID = 'task_for_the_fuzzer'

/**
 * Leaves one submitted task behind, so that `tasks_get` has something to find: the fuzzer's own seeding makes none. Uses the compliance
 * controller of a sandbox.
 * @returns ids of tasks that exist; empty when the agent has no controller or answered otherwise
 */
export async function seedTask(url: string, token: string, tools: ReadonlySet<string>): Promise<string[]> {
  if (!tools.has('comply_test_controller') || !tools.has('create_media_buy')) return []
  const client = createTestClient(url, 'mcp', { auth: { type: 'bearer', token } })
  const account = { brand: { domain: 'conformance.example' }, operator: 'conformance.example', sandbox: true }
  const found = await client.executeTask('get_products', { buying_mode: 'brief', brief: 'display', brand: account.brand })
  const product = firstOf(found.data, 'products')
  const option = firstOf(product, 'pricing_options')
  const day = 86_400_000
  await client.executeTask('comply_test_controller', {
    account,
    scenario: 'force_create_media_buy_arm',
    params: { arm: 'submitted', task_id: TASK_ID, message: 'waits for the fuzzer' },
  })
  const buy = await client.executeTask('create_media_buy', {
    account,
    brand: account.brand,
    start_time: new Date(Date.now() + day).toISOString(),
    end_time: new Date(Date.now() + 8 * day).toISOString(),
    packages: [{ product_id: product?.product_id, pricing_option_id: option?.pricing_option_id, budget: 5000 }],
  })
  return buy.status === 'submitted' ? [TASK_ID] : []
}

function firstOf(value: unknown, key: string): Record<string, unknown> | undefined {
  const list = isRecord(value) ? value[key] : undefined
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isRecord(first) ? first : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
