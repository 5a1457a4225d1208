import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { declareAccount, deploy } from '../tools/measure/deployment.ts'
import { Servers } from '../tools/measure/subject.ts'
import { hasWrk, type WrittenTarget, wrkBurst } from '../tools/measure/wrk.ts'
import { newQuestions } from './questions.ts'

/** How much more pure JavaScript two processes at once get done than one: what this machine gives of two cores, whatever the program. */
export async function scaleOfTwo(seconds: number): Promise<number> {
  const [alone] = await spin(1, seconds)
  const both = await spin(2, seconds)
  return both.reduce((sum, done) => sum + done, 0) / (alone ?? Number.NaN)
}

async function spin(processes: number, seconds: number): Promise<number[]> {
  const run = async (): Promise<number> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['bench/peers/spin.mjs', String(seconds * 1000)])
    const { done }: { done: number } = JSON.parse(stdout)
    return done
  }
  return Promise.all(Array.from({ length: processes }, run))
}

/**
 * How many more new questions two servers that share nothing, not even a store, answer at once than one of them alone: what two workers can
 * reach on this machine. Undefined without `wrk`.
 */
export async function scaleOfTwoServers(folder: string, seconds: number): Promise<number | undefined> {
  if (!hasWrk()) return undefined
  const servers = new Servers()
  const start = async (): Promise<WrittenTarget> => {
    const deployment = await deploy({ data: join(mkdtempSync(join(folder, 'apart-')), 'data') })
    const served = await deployment.serve(servers)
    await declareAccount(served)
    return newQuestions(served, 4)
  }
  const rate = async (target: WrittenTarget) => (await wrkBurst(target, CONNECTIONS, seconds)).perSecond
  try {
    const [one, other] = [await start(), await start()]
    await rate(one)
    await rate(other)
    const before = await rate(one)
    const both = await Promise.all([one, other].map(rate))
    const after = await rate(one)
    return both.reduce((sum, each) => sum + each, 0) / ((before + after) / 2)
  } finally {
    await servers.stop()
  }
}

const CONNECTIONS = 16
