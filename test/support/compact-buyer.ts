import { expect } from 'vitest'
import { type ReleaseAgent, SUITE_ACCOUNT } from './release-agent.ts'

export const account = SUITE_ACCOUNT
/** A product of the demo that is sold at a fixed price. */
export const PRODUCT = 'outdoor_lifestyle_video'
export const FLIGHT = { start_time: 'asap', end_time: '2026-06-01T00:00:00Z' }

/** The tasks of the compact lifecycle as one buyer calls them. */
export function compactBuyer(agent: () => ReleaseAgent) {
  const answer = async (line: string, task: string, args: object) => {
    const { data, isError } = await agent().ask(line, task, { account, ...args })
    expect(isError, JSON.stringify(data)).toBeFalsy()
    return data
  }
  const ask = (task: string, args: object = {}) => answer('3.2', task, args)
  const refused = async (line: string, task: string, args: object) => {
    const { data, isError } = await agent().ask(line, task, { account, ...args })
    expect(isError, JSON.stringify(data)).toBe(true)
    return data.adcp_error
  }
  const listed = (product: string = PRODUCT) => ask('list_products', { criteria: { product_ids: [product] } })
  const purchase = async (more: object = {}, root: object = {}) => {
    const { feed_version, products } = await listed()
    const { pricing_option_id } = products[0].pricing_options.find((each: object) => 'fixed_price' in each)
    return { feed_version, purchases: [{ product_id: PRODUCT, pricing_option_id, budget: 20_000, ...more }], ...FLIGHT, ...root }
  }
  const bought = async (more: object = {}, root: object = {}) => ask('buy_products', await purchase(more, root))
  return { answer, ask, refused, listed, purchase, bought }
}

/** The ids of products in an answer. */
export function idsOf(rows: readonly { readonly product_id: string }[]): readonly string[] {
  return rows.map(({ product_id }) => product_id)
}
