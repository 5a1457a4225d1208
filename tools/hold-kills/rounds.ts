import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { loadConfig } from '../../src/config/load-config.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { type Child, freePort, startChild } from '../agent/child.ts'
import { BUILT_COMMAND } from '../agent/start-agent.ts'
import { seeded } from '../faults/random.ts'
import type { KillOptions } from '../faults/round-options.ts'
import { HoldingBuyer, PRODUCT } from './buyers.ts'
import { judgeHolds } from './judge.ts'

export interface HoldKillFindings {
  readonly deaths: number
  readonly finalized: number
  readonly accepted: number
  readonly declined: number
  /** Proposals that could not be finalized. */
  readonly refused: number
  /** Calls whose answer was lost and that were sent again. */
  readonly resent: number
  readonly seconds: number
  readonly problems: readonly string[]
}

/** A process lives until it was sent this many calls at most, at random, and this many milliseconds more: into the midst of one of them. */
const [MOST_CALLS, SPREAD_MS] = [24, 40]
/** Each may hold a fifth of a day: the sixth finds nothing left. */
const BUYERS = 6
const CAPACITY = 416_666
const COMMAND_WITHIN_MS = 120_000

/** Whether a process that is killed between hold and commit, or anywhere else, loses or doubles a hold, or sells a day twice. */
export async function runHoldKills({
  rounds,
  seed,
  say,
  command = BUILT_COMMAND,
  database,
}: KillOptions): Promise<HoldKillFindings> {
  const folder = mkdtempSync(join(tmpdir(), 'hold-kills-'))
  const started = performance.now()
  const chance = seeded(seed)
  let child: Child | undefined
  try {
    const [data, file] = [join(folder, 'data'), join(folder, 'publisher.json')]
    const limits = { changes: 1_000_000, reads: 1_000_000 }
    writeFileSync(
      file,
      JSON.stringify({
        mode: 'development',
        log: { level: 'error' },
        adServer: { type: 'simulator' },
        limits,
        ...(database && { database }),
      }),
    )
    const [executable = '', ...words] = command
    const run = async (...args: string[]) => {
      const all = [...words, ...args, '--data', data, '--config', file, '--json']
      return JSON.parse((await promisify(execFile)(executable, all, { timeout: COMMAND_WITHIN_MS })).stdout)
    }
    await run('init', '--demo')
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const start = () =>
      startChild({
        command: [...command, 'serve', '--data', data, '--config', file, '--port', String(port)],
        readyUrl: `${origin}/readyz`,
      })
    const calls = new CallCount()
    const buyers: HoldingBuyer[] = []
    for (let number = 0; number < BUYERS; number++) {
      const name = `buyer-${number}`
      await run('buyers', 'add', name)
      const { token } = await run('keys', 'create', '--buyer', name)
      buyers.push(new HoldingBuyer(origin, token, chance, () => calls.add()))
    }
    child = await start()
    for (const buyer of buyers) await buyer.declareAccount()
    const running = buyers.map((buyer) => buyer.run())
    for (let round = 0; round < rounds; round++) {
      await calls.further(1 + Math.floor(chance() * MOST_CALLS))
      await sleep(chance() * SPREAD_MS)
      await child.end('SIGKILL')
      child = await start()
      if ((round + 1) % 20 === 0) say(`${round + 1} rounds, ${told(buyers).length} proposals`)
    }
    await Promise.all(running.map((each) => each.stop()))
    await child.end('SIGTERM')
    const config = loadConfig(new Schemas(), { file, flags: { data } })
    const all = told(buyers)
    const problems = await judgeHolds(config, all, CAPACITY)
    const count = (state: string) => all.filter((each) => each.state === state).length
    return {
      deaths: rounds,
      finalized: all.length,
      accepted: count('accepted'),
      declined: count('declined'),
      refused: buyers.reduce((sum, { refused }) => sum + refused, 0),
      resent: buyers.reduce((sum, { resent }) => sum + resent, 0),
      seconds: Math.round((performance.now() - started) / 1000),
      problems: all.length === 0 ? [...problems, `nothing was finalized: nothing of ${PRODUCT} was tried`] : problems,
    }
  } finally {
    await child?.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Calls of all buyers together; rounds go by them rather than by the clock, so that a slow machine tries as much as a fast one. */
class CallCount {
  #left = 0
  #reached: (() => void) | undefined

  add(): void {
    this.#left -= 1
    if (this.#left <= 0) this.#reached?.()
  }

  /** Resolves when so many more calls were sent. */
  further(calls: number): Promise<void> {
    this.#left = calls
    return new Promise((resolve) => {
      this.#reached = resolve
    })
  }
}

function told(buyers: readonly HoldingBuyer[]) {
  return buyers.flatMap((buyer) => buyer.told)
}
