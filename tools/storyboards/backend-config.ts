import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Channels of the demo publisher that the embedded ad server does not serve. */
const SERVED_ELSEWHERE: ReadonlySet<string> = new Set(['linear_tv', 'streaming_audio', 'podcast', 'dooh', 'social'])
/** Sold by a story of ours in a format that is made from a catalog, which the embedded ad server does not serve. */
const OF_STORIES = ['kettle_shelf']

/**
 * Writes the configuration file of an agent whose sandbox orders are booked in an ad server of its own; undefined for the simulator, which needs none. What the embedded one does not serve is booked in the
 * simulator, product by product, as a publisher names another ad server for its television.
 */
export function backendConfig(name: string): string | undefined {
  if (name === 'simulator') return undefined
  if (name !== 'embedded') throw new Error(`--backend is simulator or embedded, not "${name}"`)
  const products = Object.fromEntries([...OF_STORIES, ...servedElsewhere()].map((id) => [id, { type: 'simulator' }]))
  const file = join(mkdtempSync(join(tmpdir(), 'storyboards-backend-')), 'config.json')
  writeFileSync(file, JSON.stringify({ adServer: { type: name, sandboxOrders: 'same', products } }))
  return file
}

function servedElsewhere(): readonly string[] {
  const { products }: { products: { product_id: string; channels: string[] }[] } = JSON.parse(
    readFileSync(new URL('../../demo/products.json', import.meta.url), 'utf8'),
  )
  return products
    .filter(({ channels }) => channels.every((channel) => SERVED_ELSEWHERE.has(channel)))
    .map((each) => each.product_id)
}
