import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Child, freePort } from '../agent/child.ts'
import { askOnce, type Servers, type Target, toolCall } from './subject.ts'

const CLI = 'dist/cli/sales-agent.js'
const BUYER = 'bench-buyer'

/** Account that the buyer of a deployment has declared. */
export const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

export interface DeploymentOptions {
  readonly data: string
  /** Connection string of PostgreSQL; default the SQLite file of the data folder. */
  readonly database?: string | undefined
  /** Products file of a publisher with products alone, in place of the demo publisher with all it has. */
  readonly products?: string
  /** Executable of Node; default the one of this process. */
  readonly node?: string | undefined
  /** Settings of the child that a Node of another version needs. */
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/** A publisher laid out as an operator does it, with a buyer that is no sandbox agent and its own key. */
export interface Deployment {
  readonly data: string
  readonly token: string
  /** Runs a command of the built server on it; gives its standard output. */
  cli(...args: string[]): Promise<string>
  /** The same deployment on a copy of its data folder. */
  at(data: string): Pick<Deployment, 'serve'>
  /** Serves it on a free port: the log at its default level, `synchronous=FULL`. */
  serve(servers: Servers, workers?: number): Promise<Served>
}

export interface Served {
  readonly server: Child
  readonly url: string
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
}

/** Lays a store out. */
export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const { data, database, products, node = process.execPath, environment } = options
  const settings = {
    ...environment,
    ...(database !== undefined && {
      SALES_AGENT_DATABASE: database,
      SALES_AGENT_SECRET: randomBytes(32).toString('base64url'),
    }),
  }
  const cli = async (...args: string[]) => {
    const env = { ...process.env, ...settings }
    const { stdout } = await promisify(execFile)(node, [CLI, ...args, '--data', data, '--json'], { env })
    return stdout
  }
  if (database !== undefined) await cli('migrate')
  await (products === undefined ? cli('init', '--demo') : cli('init'))
  if (products !== undefined) await cli('products', 'import', products)
  await cli('buyers', 'add', BUYER)
  const { token }: { token: string } = JSON.parse(await cli('keys', 'create', '--buyer', BUYER))
  const serve = async (folder: string, servers: Servers, workers = 1): Promise<Served> => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const child = await servers.start({
      command: [node, CLI, 'serve', '--data', folder, '--port', String(port), '--workers', String(workers)],
      environment: settings,
      readyUrl: `${origin}/readyz`,
    })
    return { server: withWorkers(child), url: `${origin}/mcp`, origin, headers: { authorization: `Bearer ${token}` } }
  }
  return {
    data,
    token,
    cli,
    at: (folder) => ({ serve: (servers, workers) => serve(folder, servers, workers) }),
    serve: (servers, workers) => serve(data, servers, workers),
  }
}

/** Declares the account of the buyer at a served deployment. */
export async function declareAccount({ url, headers }: Pick<Served, 'url' | 'headers'>): Promise<void> {
  const body = toolCall('sync_accounts', {
    idempotency_key: randomUUID(),
    accounts: [{ ...ACCOUNT, billing: 'operator' }],
  })
  await askOnce({ url, headers, body, succeeded: (reply) => reply.includes('"status":"active"') && !isRefusal(reply) })
}

/** Whether a reply to `tools/call` says that the call failed. */
export function isRefusal(reply: string): boolean {
  return reply.includes('"isError":true')
}

/** A `create_media_buy` with a new key each time. */
export function purchases(start: 'asap' | 'next month' = 'next month'): Pick<Target, 'body' | 'succeeded'> {
  const [before, after] = aroundKey(start)
  return {
    body: () => `${before}${randomUUID()}${after}`,
    succeeded: (reply) => reply.includes('"media_buy_id"') && !isRefusal(reply) && !reply.includes('"replayed":true'),
  }
}

/** What stands before and after the key of a `create_media_buy`. */
export function aroundKey(start: 'asap' | 'next month' = 'next month'): readonly [before: string, after: string] {
  const [before = '', after = ''] = toolCall('create_media_buy', mediaBuy('KEY', start)).split('KEY')
  return [before, after]
}

/** One package of run-of-site display at a bid for a fortnight: nothing that needs a person or runs out. */
export function mediaBuy(idempotencyKey: string, start: 'asap' | 'next month' = 'next month'): object {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString()
  return {
    idempotency_key: idempotencyKey,
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: start === 'asap' ? 'asap' : day(30),
    end_time: day(44),
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  }
}

/** The child with the memory and the processor time of the processes that it started counted in (pages that they share count twice). */
export function withWorkers(child: Child): Child {
  const family = () => [child.pid, ...childrenOf(child.pid)]
  return {
    ...child,
    rssBytes: () => family().reduce((sum, pid) => sum + child.rssBytes(pid), 0),
    cpuMs: () => family().reduce((sum, pid) => sum + child.cpuMs(pid), 0),
  }
}

/** Direct children of a process (proc(5), `children`). */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number)
  } catch {
    return []
  }
}
