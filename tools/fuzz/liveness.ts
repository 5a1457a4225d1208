import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { StartedAgent } from '../agent/start-agent.ts'

/** How an agent was held up while it was watched. */
export interface Stall {
  /** Longest and 99.9th percentile of how long `/livez` took to answer, in milliseconds. */
  readonly worst: number
  readonly p999: number
  /** Questions of `/livez`, and those that were not answered with 200. */
  readonly probes: number
  readonly failed: number
  /** Longest that its main thread was kept at a time, in milliseconds of processor time: what `/livez` would take at most on an idle machine. */
  readonly longestTurn: number
}

/** What the thread says at the end: how long each answer took, and how many were none. */
interface Probed {
  readonly took: number[]
  readonly failed: number
}

/** What `node --import` takes so that an agent measures its turns. */
export const TURNS_PRELOAD = new URL('../agent/longest-turn.mjs', import.meta.url).href

/** A turn of the main thread in milliseconds of processor time, and when it ended (milliseconds since 1970). */
export interface Turn {
  readonly ms: number
  readonly endedAt: number
}

/** What watches an agent. */
export interface Watch {
  /** The longest turn since this was asked last. */
  longestTurn(): Promise<Turn>
  /** What was seen since the beginning. */
  stop(): Promise<Stall>
}

/** Asks a path that needs no work again and again, and has the agent measure its turns; it was started with {@link TURNS_PRELOAD}. */
export async function watchLiveness(agent: StartedAgent): Promise<Watch> {
  await longestTurn(agent)
  let longest = 0
  const sinceLast = async () => {
    const turn = await longestTurn(agent)
    longest = Math.max(longest, turn.ms)
    return turn
  }
  const thread = new Worker(new URL('./probe-thread.mjs', import.meta.url), { workerData: `${agent.origin}/livez` })
  return {
    longestTurn: sinceLast,
    async stop() {
      const said = new Promise<Probed>((resolve) => thread.once('message', resolve))
      thread.postMessage('stop')
      const { took, failed } = await said
      took.sort((a, b) => a - b)
      const at = (share: number) => Math.round(took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0)
      await sinceLast()
      return { worst: at(1), p999: at(0.999), probes: took.length, failed, longestTurn: longest }
    },
  }
}

/** The longest turn since it was asked last. Not a number when the agent says nothing for a minute. */
async function longestTurn(agent: StartedAgent): Promise<Turn> {
  const said = async () => [...(await agent.log()).matchAll(/^longest turn: (\d+) ms, ended (\d+)$/gm)]
  const before = (await said()).length
  process.kill(agent.pid, 'SIGUSR2')
  for (let waited = 0; waited < 600; waited++) {
    const lines = await said()
    const [, ms, endedAt] = lines.at(-1) ?? []
    if (lines.length > before) return { ms: Number(ms), endedAt: Number(endedAt) }
    await sleep(100)
  }
  return { ms: Number.NaN, endedAt: Number.NaN }
}
