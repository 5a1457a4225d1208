import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Child {
  readonly port: number
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** Starts a script of this folder and waits for the `port N` that it prints. */
export async function startChild(script: string, ...args: string[]): Promise<Child> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
    child.stdout.on('data', (data: Buffer) => {
      const match = /port (\d+)/.exec(data.toString())
      if (match) resolve(Number(match[1]))
    })
  })
  return {
    port,
    process: child,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
  }
}
