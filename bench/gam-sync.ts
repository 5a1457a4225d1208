/** `npm run bench:gam-sync [-- --orders 5000 --quota 8 --latency 100 --passes 2]`: one look at all orders of an emulated network that keeps a quota, calls, time and memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { AdServerBackend } from '../src/ad-serving/backend.ts'
import { orderAnchor } from '../src/ad-serving/gam/order-anchor.ts'
import { createPace } from '../src/ad-serving/gam/pace.ts'
import type { DesiredOrder, OrderKey } from '../src/domain/ad-serving/desired-order.ts'
import { diff } from '../src/domain/ad-serving/diff.ts'
import type { IdMemory, RememberedId } from '../src/domain/ad-serving/id-memory.ts'
import { type GamEmulator, startGamEmulator } from '../test/support/gam-emulator.ts'
import { withFiles } from '../test/support/gam-files.ts'
import { gamCreatives, gamOrder, takeSteps } from '../test/support/gam-order.ts'
import { idTable } from '../test/support/id-table.ts'
import { findPython } from '../test/support/python.ts'

const MIB = 1_048_576
/** Orders that the reconciler looks at together. */
const TOGETHER = 50
/** Orders that are looked at alone, for comparison. */
const ALONE = 10
const FIRST = 'sync_0_'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '5000' },
    quota: { type: 'string', default: '8' },
    latency: { type: 'string', default: '100' },
    passes: { type: 'string', default: '2' },
  },
})

interface Network {
  readonly emulator: GamEmulator
  readonly backend: AdServerBackend
  readonly wanted: readonly DesiredOrder[]
  /** Resource names of lines of some of the copies. */
  readonly lines: readonly string[]
}

/** A network with so many orders of ours, each with two lines that show two creatives. The first is booked, the others are copies of it. */
async function soldOut(emulator: GamEmulator, ids: IdMemory, count: number): Promise<Network> {
  const backend = emulator.backend({ creatives: 'api' }, undefined, withFiles, {
    ids,
    timing: { pause: sleep, pace: createPace(() => performance.now(), sleep) },
  })
  const first = gamOrder(FIRST, gamCreatives(FIRST))
  while ((await takeSteps(backend, first)) > 0);
  const orderName = (await backend.observe(first.key))?.id ?? ''
  const remembered = await ids.list(first.key)
  const wanted = [first]
  let lines: readonly string[] = []
  while (wanted.length < count) {
    const some = Array.from({ length: Math.min(500, count - wanted.length) }, (_, at) => copyOf(first, wanted.length + at))
    const to = some.map(({ key }) => ({ text: key.externalId, externalOrderId: orderAnchor(key) }))
    const { copied = [] } = await emulator.control({ copy: { order: orderName, text: FIRST, to }, brief: true })
    for (const [at, { key }] of some.entries())
      for (const id of remembered) await ids.save(key, remembers(id, first.key, key, copied[at] ?? {}))
    wanted.push(...some)
    lines = copied.slice(-3).flatMap((names) => Object.values(names).find((name) => name.includes('/lineItems/')) ?? [])
  }
  return { emulator, backend, wanted, lines }
}

function copyOf(first: DesiredOrder, number: number): DesiredOrder {
  return JSON.parse(JSON.stringify(first).replaceAll(FIRST, `sync_${number}_`))
}

/** What is remembered of a copy. */
function remembers(id: RememberedId, first: OrderKey, key: OrderKey, names: Readonly<Record<string, string>>): RememberedId {
  const text = JSON.stringify(id)
    .replaceAll(FIRST, key.externalId)
    .replaceAll(String(orderAnchor(first)), String(orderAnchor(key)))
  return { ...JSON.parse(text), theirId: names[id.theirId] ?? id.theirId }
}

interface Look {
  readonly what: string
  readonly orders: number
  readonly seconds: number
  readonly calls: number
  readonly overQuota: number
  readonly changed: number
  readonly heapMib: number
}

/** Looks at orders, so many at once; counts those that are not as they are wanted. */
async function look({ emulator, backend }: Network, what: string, wanted: readonly DesiredOrder[], size: number): Promise<Look> {
  const [before, startedAt] = [await emulator.control({ brief: true }), performance.now()]
  let changed = 0
  for (let at = 0; at < wanted.length; at += size) {
    const some = wanted.slice(at, at + size)
    const keys = some.map(({ key }) => key)
    const seen = size > 1 ? await backend.observeAll?.(keys) : await Promise.all(keys.map((key) => backend.observe(key)))
    changed += some.filter((each, index) => diff(each, seen?.[index], backend.capabilities).length > 0).length
  }
  const seconds = (performance.now() - startedAt) / 1000
  const after = await emulator.control({ brief: true })
  const more = (name: 'callCount' | 'overQuota') => (after[name] ?? 0) - (before[name] ?? 0)
  globalThis.gc?.()
  const heapMib = process.memoryUsage().heapUsed / MIB
  return {
    what,
    orders: wanted.length,
    seconds,
    calls: more('callCount'),
    overQuota: more('overQuota'),
    changed,
    heapMib,
  }
}

const found = await findPython()
if ('reason' in found) throw new Error(`Google Ad Manager cannot be emulated: ${found.reason}`)
const [orders, quota, latencyMs] = [values.orders, values.quota, values.latency].map(Number)
const emulator = await startGamEmulator(found.python, { quota, latencyMs })
try {
  const network = await soldOut(emulator, idTable(), orders ?? 0)
  const { wanted } = network
  const looks = [await look(network, 'each alone', wanted.slice(0, ALONE), 1)]
  for (let pass = 1; pass <= Number(values.passes); pass += 1)
    looks.push(await look(network, `together, pass ${pass}`, wanted, TOGETHER))
  for (const name of network.lines) await emulator.control({ set: { name, priority: '9' }, brief: true })
  looks.push(await look(network, 'after edits of 3 lines', wanted, TOGETHER))
  process.stdout.write(`Node ${process.version}; ${quota} calls a second, ${latencyMs} ms for each\n`)
  process.stdout.write(
    '| look | orders | lines | seconds | calls | refused by the quota | not as wanted | heap after, MiB |\n|---|---|---|---|---|---|---|---|\n',
  )
  for (const { what, seconds, calls, overQuota, changed, heapMib, orders: count } of looks)
    process.stdout.write(
      `| ${what} | ${count} | ${2 * count} | ${seconds.toFixed(1)} | ${calls} | ${overQuota} | ${changed} | ${heapMib.toFixed(1)} |\n`,
    )
} finally {
  await emulator.close()
}
