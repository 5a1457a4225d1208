import { expect, it } from 'vitest'
import { type AssetName, loadAssets } from '../../src/console/assets.ts'
import { CONSOLE } from '../../src/console/route.ts'

/** Bytes of all scripts of the console together, as they are sent without compression. */
const MOST_BYTES = 120_000

it('all scripts of the console together have at most 120 kB', () => {
  const assets = loadAssets(CONSOLE)
  const scripts: readonly AssetName[] = ['htmx.js', 'console.js', 'charts.js', 'uplot.js']
  const sizes = scripts.map(
    (name) => assets.find(assets.path(name).slice(`${CONSOLE}/assets/`.length))?.body.length ?? Number.NaN,
  )
  expect(sizes.every((size) => size > 1_000)).toBe(true)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES)
})
