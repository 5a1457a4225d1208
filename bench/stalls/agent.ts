import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type FakeWeb, startFakeWeb } from '../../test/support/fake-web/fake-web.ts'

/** A server in a process of its own, so that what blocks it does not block the process that measures. */
export interface MeasuredAgent {
  readonly port: number
  readonly pid: number
  /** Of a buyer that is no sandbox agent. */
  readonly key: string
  readonly sandboxKey: string
  /** What its outbound fetches see. */
  readonly web: FakeWeb
  stop(): Promise<void>
}

/** Starts the agent that is measured; throws when it ends before it serves. */
export async function startMeasuredAgent(): Promise<MeasuredAgent> {
  const web = await startFakeWeb()
  const script = fileURLToPath(new URL('agent-server.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script, String(web.port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, STALLS_CA: web.ca },
  })
  const said = await new Promise<{ port: number; data: string; key: string; sandboxKey: string }>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the measured agent ended with ${code}`)))
    createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line)))
  })
  return {
    ...said,
    pid: child.pid ?? 0,
    web,
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      await web.close()
      rmSync(said.data, { recursive: true, force: true })
    },
  }
}
