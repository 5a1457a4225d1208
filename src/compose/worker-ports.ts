import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'

/** What a system gives to outgoing connections by itself begins above it (ip(7), `ip_local_port_range`): a port below stays free until it is asked for. */
const CHOSEN = { from: 20_000, below: 32_768 }
const ATTEMPTS = 100

/**
 * The ports of a configuration with one chosen for each that is 0, as the environment of every worker: a worker that took a free one by itself would have
 * another than those before it. Throws when none is free.
 */
export async function workerPorts(
  config: Pick<Config, 'host' | 'port' | 'ads' | 'console'>,
): Promise<Readonly<Record<string, string>>> {
  const { host, ads, console: pages } = config
  return {
    SALES_AGENT_PORT: await settled(host, config.port),
    ...(ads.port !== undefined && { SALES_AGENT_ADS_PORT: await settled(ads.host, ads.port) }),
    ...(pages.port !== undefined && { SALES_AGENT_CONSOLE_PORT: await settled(pages.host, pages.port) }),
  }
}

async function settled(host: string, port: number): Promise<string> {
  return String(port === 0 ? await freePort(host) : port)
}

async function freePort(host: string): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(CHOSEN.from, CHOSEN.below)
    if (await isFree(host, port)) return port
  }
  throw new Error(`no port of ${host} is free from ${CHOSEN.from} to ${CHOSEN.below - 1}`)
}

async function isFree(host: string, port: number): Promise<boolean> {
  const probe = createServer()
  const isBound = await new Promise<boolean>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error),
    )
    probe.listen(port, host, () => resolve(true))
  })
  if (isBound) await new Promise((resolve) => probe.close(resolve))
  return isBound
}
