/**
 * A server of this program that dies by SIGKILL before its step of a number at an ad server: `server.ts CONFIG DATA PORT STEPS`; STEPS -1: it does not die by itself. Of the tool
 * alone; no setting of the program does this.
 */
import { startServer } from '../../src/compose/server.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

const [file = '', data = '', port = '', steps = '-1'] = process.argv.slice(2)

/** Short, so that what a dead process left is taken up within a round or two: a lease outlasts three calls. */
const TIMING = {
  everyMs: 100,
  callMs: 900,
  leaseMs: 3_000,
  retryMs: 100,
  mostRetryMs: 1_000,
  checkMs: 2_000,
  reviewMs: 300,
  reportMs: 60_000,
}

let left = Number(steps)
const beforeStep = () => {
  if (left < 0) return
  if (left === 0) process.kill(process.pid, 'SIGKILL')
  left -= 1
}
const config = loadConfig(new Schemas(), { file, flags: { data, port: Number(port), host: '127.0.0.1' } })
await startServer(config, { reconciler: { timing: TIMING, beforeStep } })
