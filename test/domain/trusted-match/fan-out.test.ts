import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { fanOut, type Outcome, type Target } from '../../../src/features/trusted-match/fan-out.ts'

/** A target that notes how it ended. */
function noted(timeoutMs: number, ask: Target<string>['ask']) {
  const outcomes: Outcome[] = []
  return { outcomes, target: { timeoutMs, ask, ended: (outcome: Outcome) => outcomes.push(outcome) } satisfies Target<string> }
}

/** Keeps this process from reading anything for a time. */
function blockFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

it('leaves out who fails and who is late, each by its own time-out, and tells the late ones to stop', async () => {
  const stopped: string[] = []
  const late = (name: string) => (signal: AbortSignal) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        stopped.push(name)
        reject(signal.reason)
      })
    })
  const all = {
    answers: noted(60_000, async () => 'answer'),
    fails: noted(60_000, async () => {
      throw new Error('failed')
    }),
    late: noted(20, late('late')),
    later: noted(40, late('later')),
  }
  expect(await fanOut(Object.values(all).map(({ target }) => target))).toEqual(['answer'])
  expect(Object.values(all).map(({ outcomes }) => outcomes)).toEqual([['answered'], ['error'], ['timeout'], ['timeout']])
  expect(stopped).toEqual(['late', 'later'])
})

it('counts an answer that had arrived in time, however late this process reads it', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    const [[provider]] = await Promise.all([once(server, 'connection'), once(client, 'connect')])
    const { target, outcomes } = noted(20, async () => String((await once(client, 'data'))[0]))
    const found = fanOut([target])
    // Loopback hands it over before the write returns.
    provider.write('in time')
    blockFor(60)
    expect(await found).toEqual(['in time'])
    expect(outcomes).toEqual(['answered'])
    provider.destroy()
  } finally {
    client.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
})

it('asks a hundred without a warning of Node.js', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => void (warning.name === 'MaxListenersExceededWarning' && warnings.push(warning))
  process.on('warning', warn)
  try {
    const listens = async (signal: AbortSignal) => {
      signal.addEventListener('abort', () => undefined)
      return 'answer'
    }
    const found = await fanOut(Array.from({ length: 100 }, () => noted(60_000, listens).target))
    expect(found).toHaveLength(100)
    // Warnings are emitted in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', warn)
  }
})

it('asks nobody where there is nobody', async () => expect(await fanOut([])).toEqual([]))
