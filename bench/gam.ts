/** `npm run bench:gam [-- --units 5000 --orders 2000 --latency 100]`: one pass over the inventory and the orders of an emulated network, and its memory. */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { ProductSuggestions } from '../src/domain/ad-serving/suggest-products.ts'
import { startGamEmulator } from '../test/support/gam-emulator.ts'
import { findPython } from '../test/support/python.ts'

const MIB = 1_048_576
const { values } = parseArgs({
  options: {
    units: { type: 'string', default: '5000' },
    orders: { type: 'string', default: '2000' },
    latency: { type: 'string', default: '100' },
  },
})

interface Pass {
  readonly seconds: number
  readonly calls: number
  readonly units: number
  readonly lines: number
  readonly products: number
  /** Heap in use after a collection, in MiB. */
  readonly heapMib: number
}

async function pass(backend: ReturnType<Awaited<ReturnType<typeof startGamEmulator>>['backend']>): Promise<Pass> {
  const startedAt = performance.now()
  const suggestions = new ProductSuggestions()
  let [units, lines, calls] = [0, 0, 0]
  for (let after: string | undefined, more = true; more; more = after !== undefined) {
    const page = await backend.listInventory('acme', after)
    for (const unit of page.units) if (unit.kind === 'ad_unit') suggestions.addUnit(unit)
    units += page.units.length
    calls += 1
    after = page.next
  }
  for (let after: string | undefined, more = true; more; more = after !== undefined) {
    const page = await backend.listLines?.(after)
    for (const line of page?.lines ?? []) suggestions.addLine(line, 'USD')
    lines += page?.lines.length ?? 0
    calls += 1
    after = page?.next
  }
  const found = suggestions.suggest({ domain: 'news.example', currency: 'USD', sizes: new Set(['300x250']), most: 50 })
  const seconds = (performance.now() - startedAt) / 1000
  globalThis.gc?.()
  return { seconds, calls, units, lines, products: found.length, heapMib: process.memoryUsage().heapUsed / MIB }
}

const found = await findPython()
if ('reason' in found) throw new Error(`Google Ad Manager cannot be emulated: ${found.reason}`)
const [adUnits, orders, latencyMs] = [values.units, values.orders, values.latency].map(Number)
const emulator = await startGamEmulator(found.python, { adUnits, orders, latencyMs })
try {
  const backend = emulator.backend()
  const passes: Pass[] = []
  for (let count = 0; count < 3; count += 1) passes.push(await pass(backend))
  process.stdout.write(`${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}; ${latencyMs} ms for each call\n`)
  process.stdout.write('| pass | units | lines | calls | seconds | products | heap after, MiB |\n|---|---|---|---|---|---|---|\n')
  for (const [index, one] of passes.entries())
    process.stdout.write(
      `| ${index + 1} | ${one.units} | ${one.lines} | ${one.calls} | ${one.seconds.toFixed(1)} | ${one.products} | ${one.heapMib.toFixed(1)} |\n`,
    )
} finally {
  await emulator.close()
}
