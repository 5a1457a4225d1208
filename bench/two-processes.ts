import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

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
