import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BackendSetup } from '../../src/ad-serving/backend-setup.ts'
import { createGamBackend, type GamTiming } from '../../src/ad-serving/gam/gam-backend.ts'
import { createOutboundCall } from '../../src/platform/net/outbound-call.ts'
import { idFile } from './id-file.ts'
import { NO_MANUAL_ORDERS } from './no-manual-orders.ts'
import { pythonEnvironment } from './python.ts'
import { tlsFiles } from './tls-files.ts'

export const GAM_SCRIPTS = fileURLToPath(new URL('../clients/gam', import.meta.url))
const NETWORK = '4711'
const EMAIL = 'agent@project.iam.gserviceaccount.com'
/** Before the flights of the orders in tests. */
export const GAM_NOW = '2026-06-01T00:00:00Z'
const START_MS = 60_000

/** A resource of the emulated network. */
export interface Resource {
  readonly name: string
  readonly [member: string]: unknown
}

export interface NetworkState {
  readonly calls: readonly string[]
  readonly orders: readonly Resource[]
  readonly lineItems: readonly Resource[]
  readonly companies: readonly Resource[]
  /** Creatives on lines. */
  readonly associations: readonly Resource[]
  /** Hours of lines as the SOAP API has them, by resource name. */
  readonly hours: Readonly<Record<string, { readonly dayParts: readonly object[]; readonly timeZone: string }>>
  /** As the SOAP API has them. */
  readonly soapCreatives: readonly Readonly<Record<string, unknown>>[]
  /** Resource names of copies by those of what was copied, calls, and those that the quota refused; of a brief answer alone. */
  readonly copied?: readonly Readonly<Record<string, string>>[]
  readonly callCount?: number
  readonly overQuota?: number
  /** What is left of the faults that were asked for. */
  readonly faults?: NonNullable<Control['faults']>
}

/** What a person or a broken network does. */
export interface Control {
  readonly faults?: readonly { readonly kind: string; readonly path: string; readonly count: number; readonly skip?: number }[]
  readonly revoke?: boolean
  readonly now?: string
  readonly set?: Resource
  /** What is set has no other members. */
  readonly replace?: boolean
  /** Resources that are gone. */
  readonly remove?: readonly string[]
  readonly associate?: { readonly line: string; readonly creative: string; readonly status?: 'ACTIVE' | 'INACTIVE' }
  /** The hours that someone gives a line; none: all. */
  readonly hours?: { readonly line: string; readonly dayParts?: readonly object[] }
  /** What someone changes of a creative of the SOAP API, by its id. */
  readonly soapCreative?: { readonly id: string; readonly [member: string]: unknown }
  readonly act?: { readonly collection: string; readonly action: string; readonly names: readonly string[] }
  readonly delivery?: readonly {
    readonly line: string
    readonly day: string
    readonly counts: Readonly<Record<string, number>>
  }[]
  /** What ad units were asked for and showed on a day. */
  readonly asked?: readonly {
    readonly unit: string
    readonly day: string
    readonly counts: Readonly<Record<string, number>>
  }[]
  /** An order is copied with all that is of it, each time with another text in the place of one. */
  readonly copy?: {
    readonly order: string
    readonly text: string
    readonly to: readonly { readonly text: string; readonly externalOrderId: number }[]
  }
  readonly forgetCalls?: boolean
  /** Neither resources nor calls are wanted. */
  readonly brief?: boolean
  readonly canApprove?: boolean
}

export interface GamEmulator {
  /** Address without TLS and credentials: for Google's client and for people at the network. */
  readonly plain: string
  readonly python: string
  /** Key file of the service account, for the address without TLS. */
  readonly keyFile: object
  /** File in which the ad servers at the network remember their ids. */
  readonly idPath: string
  /** What the time of the network is ahead of that of this machine, in milliseconds. */
  readonly clockOffsetMs: number
  control(order?: Control): Promise<NetworkState>
  /** An ad server at the network; `clock`: default, that of the network; `through`: what its calls go through; `more`: where it remembers ids, and how it waits. */
  backend(
    options?: object,
    clock?: () => Date,
    through?: (call: BackendSetup['call']) => BackendSetup['call'],
    more?: Partial<Pick<BackendParts, 'ids' | 'timing'>>,
  ): ReturnType<typeof createGamBackend>
  close(): Promise<void>
}

/** Starts the emulated network of Google Ad Manager with the given Python. It ends with `close`, and with this process. */
export async function startGamEmulator(basePython: string, options: object = {}): Promise<GamEmulator> {
  const python = await pythonEnvironment(basePython, '../gam/requirements.txt')
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const files = tlsFiles('localhost.example')
  const settings = {
    network: NETWORK,
    email: EMAIL,
    now: GAM_NOW,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    cert: files.tls.cert,
    certKey: files.tls.key,
    ...options,
  }
  const clockOffsetMs = Date.parse(settings.now) - Date.now()
  const child = spawn(python, [`${GAM_SCRIPTS}/emulator.py`, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ports = await portsOf(child)
  const call = createOutboundCall({ userAgent: 'test', loopback: true, ca: files.ca, lookup: async () => ['127.0.0.1'] })
  const origin = `https://localhost.example:${ports.secure}`
  const key = {
    type: 'service_account',
    client_email: EMAIL,
    private_key_id: 'key-1',
    private_key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    token_uri: `${origin}/token`,
  }
  const plain = `http://127.0.0.1:${ports.plain}`
  const folder = mkdtempSync(join(tmpdir(), 'gam-'))
  const idPath = join(folder, 'ids.json')
  return {
    plain,
    python,
    keyFile: { ...key, token_uri: `${plain}/token` },
    idPath,
    async control(order = {}) {
      const answer = await globalThis.fetch(`${plain}/control`, { method: 'POST', body: JSON.stringify(order) })
      if (answer.status !== 200) throw new Error(`the emulator answers ${answer.status}: ${await answer.text()}`)
      return answer.json() as Promise<NetworkState>
    },
    clockOffsetMs,
    backend: (own = {}, clock = () => new Date(Date.now() + clockOffsetMs), through = (way) => way, more = {}) =>
      openGamBackend({ endpoint: origin, key, call: through(call), clock, options: own, ids: idFile(idPath), ...more }),
    async close() {
      if (child.exitCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      files.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface BackendParts {
  readonly endpoint: string
  readonly key: Readonly<Record<string, unknown>>
  readonly call?: BackendSetup['call']
  readonly clock: () => Date
  readonly options?: object
  readonly ids: BackendSetup['ids']
  /** Default: it waits for nothing. */
  readonly timing?: GamTiming | undefined
}

const HURRIED: GamTiming = { pause: () => pause(1), pace: { turn: async () => undefined, slower: () => undefined } }

/** An ad server at an emulated network. */
export function openGamBackend(parts: BackendParts): ReturnType<typeof createGamBackend> {
  const { endpoint, key, call, clock, options, ids, timing = HURRIED } = parts
  const products = { homepage: { adUnits: ['1'], sizes: ['300x250'], keyValues: [{ key: '7', values: ['71'] }] } }
  const nothing = () => undefined
  const setup: BackendSetup = {
    name: 'gam',
    tenantId: 'acme',
    options: { network: NETWORK, endpoint, products, ...options },
    credentials: async () => key,
    ids,
    manual: NO_MANUAL_ORDERS,
    call: call ?? createOutboundCall({ userAgent: 'test', loopback: true }),
    clock,
    log: { info: nothing, warn: nothing, error: nothing },
  }
  return createGamBackend(setup, timing)
}

/** The line with the ports that the emulator prints. Throws when it ends or says nothing in time. */
async function portsOf(child: ChildProcess): Promise<{ readonly secure: number; readonly plain: number }> {
  if (!child.stdout) throw new Error('the emulator has no output')
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the emulator ended with ${code}`)))
  const late = AbortSignal.timeout(START_MS)
  try {
    const [line] = await Promise.race([once(lines, 'line', { signal: late }), ended])
    return JSON.parse(String(line))
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    ended.catch(() => undefined)
  }
}
