import { expect, it } from 'vitest'
import { createOutboundGate } from '../../../src/features/registry/outbound-gate.ts'

const limits = { running: 3, runningPerCaller: 2, waiting: 4, waitingPerCaller: 3 }

/** Work that ends when it is told to. */
function works() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => async () => {
    started.push(name)
    await new Promise<void>((resolve) => ends.set(name, resolve))
    return name
  }
  return { started, work, end: (name: string) => ends.get(name)?.() }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('gives each caller a share, and passes places on in turn', async () => {
  const gate = createOutboundGate(limits)
  const { started, work, end } = works()
  const all = ['slow1', 'slow2', 'slow3', 'slow4'].map((name) => gate('slow', work(name)))
  all.push(gate('other', work('other1')), gate('other', work('other2')))
  await settle()
  expect(started).toEqual(['slow1', 'slow2', 'other1'])
  end('other1')
  await settle()
  // Two of the slow caller's run already: the next place is the other's, although it came later.
  expect(started.at(-1)).toBe('other2')
  end('slow1')
  await settle()
  expect(started.at(-1)).toBe('slow3')
  for (const name of ['slow2', 'slow3', 'other2']) end(name)
  await settle()
  end('slow4')
  expect(await Promise.all(all)).toEqual(['slow1', 'slow2', 'slow3', 'slow4', 'other1', 'other2'])
})

it('refuses what would wait too long, of one caller and of all, and frees the place of work that failed', async () => {
  const gate = createOutboundGate(limits)
  const { work, end } = works()
  const held = Array.from({ length: 5 }, (_, index) => gate('slow', work(`s${index}`)))
  await expect(gate('slow', work('more'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', http: { status: 503 } })
  const other = gate('a', async () => {
    throw new Error('failed')
  })
  await expect(other).rejects.toThrow('failed')
  expect(await gate('a', async () => 'again')).toBe('again')
  for (let round = 0; round < 5; round += 1) {
    end(`s${round}`)
    await settle()
  }
  expect(await Promise.all(held)).toHaveLength(5)
})
