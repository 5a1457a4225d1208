import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callText, post, signed, signingKey } from '../../test/support/credentials.ts'
import type { Fleet } from './fleet.ts'

export interface NonceReport {
  /** Signed messages, of each of which as many copies were sent at once as there are connections. */
  readonly messages: number
  readonly copies: number
  readonly accepted: number
  /** Copies refused as replays. */
  readonly refused: number
  /** Any other answer, by HTTP status. */
  readonly others: Readonly<Record<string, number>>
  /** Messages that were not accepted exactly once. */
  readonly broken: readonly string[]
  readonly seconds: number
}

const BODY = callText('get_products', { buying_mode: 'brief', brief: 'video', pagination: { max_results: 1 } })
/** Keys of agents that are registered now are known to every process after 15 s at the latest. */
const KNOWN_WITHIN_MS = 30_000

/** Sends copies of signed messages over all processes at once: a nonce counts once, wherever it arrives first. */
export async function raceNonces(fleet: Fleet, messages: number, copies: number): Promise<NonceReport> {
  const started = performance.now()
  const url = `${fleet.proxy.origin}/mcp`
  const { jwk, signer } = signingKey(`raced-${randomUUID()}`)
  await register(fleet, jwk)
  await known(fleet, url, signer)
  const broken: string[] = []
  const others: Record<string, number> = {}
  let [accepted, refused] = [0, 0]
  for (let n = 0; n < messages; n++) {
    const headers = await signed(url, BODY, signer)
    const replies = await Promise.all(
      Array.from({ length: copies }, (_, copy) => post(url, BODY, [...headers, 'X-Forwarded-For', addressOf(n * copies + copy)])),
    )
    const statuses = replies.map(({ status }) => status)
    const passed = statuses.filter((status) => status === 200).length
    accepted += passed
    refused += statuses.filter((status) => status === 401).length
    for (const status of statuses) if (status !== 200 && status !== 401) others[status] = (others[status] ?? 0) + 1
    if (passed !== 1) broken.push(`message ${n}: ${passed} of ${copies} copies were accepted`)
  }
  return { messages, copies, accepted, refused, others, broken, seconds: (performance.now() - started) / 1000 }
}

/** From an address each: refused copies would make a single one wait. */
function addressOf(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
}

async function register(fleet: Fleet, jwk: object): Promise<void> {
  const file = join(tmpdir(), `jwks-${randomUUID()}.json`)
  writeFileSync(file, JSON.stringify({ keys: [jwk] }))
  await fleet.command('buyers', 'signing-keys', 'add', 'signer', '--url', 'https://signer.example/mcp', '--jwks', file)
  rmSync(file)
}

/** Resolves when every process knows the key. */
async function known(fleet: Fleet, url: string, signer: Parameters<typeof signed>[2]): Promise<void> {
  for (let streak = 0, started = performance.now(); streak < 2 * fleet.origins.length; await sleep(100)) {
    const { status } = await post(url, BODY, [...(await signed(url, BODY, signer)), 'X-Forwarded-For', '203.0.113.250'])
    streak = status === 200 ? streak + 1 : 0
    if (performance.now() - started > KNOWN_WITHIN_MS) throw new Error('the signing key did not become known')
    // A refused message makes its address wait: asking slowly asks in vain less often.
    if (status !== 200) await sleep(1_000)
  }
}
